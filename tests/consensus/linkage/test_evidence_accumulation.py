import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from helpers import ensembles
from pluribus import Ensemble
from pluribus.consensus import EvidenceAccumulation, by_name
from pluribus.consensus._shared import evidence_linkages
from pluribus.consensus.linkage import _graph_groups
from pluribus.evidence import CoAssociation

HAND = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [1, 2, 1, 1], [1, 2, 1, 0], [2, 2, 1, 1]])
QUIET = {"verbose": False}


def pair_sums(e):
    """Weight together and weight both seen, for all pairs: the slow way."""
    n = e.n_objects
    together, seen = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for p in range(e.n_partitions):
                if e.labels[i, p] >= 0 and e.labels[j, p] >= 0:
                    seen[i, j] += e.weights[p]
                    together[i, j] += e.weights[p] * (e.labels[i, p] == e.labels[j, p])
    return together, seen


def evidence_between(together, seen, a, b):
    both = seen[np.ix_(a, b)].sum()
    return together[np.ix_(a, b)].sum() / both if both else 0.0


@pytest.mark.parametrize(
    ("linkage", "heights", "lifetimes"),
    [
        ("single", [0, 0.25, 0.25, 0.25, 0.75], [0.25, 0.5, 0, 0, 0.25, 0]),
        ("average", [0, 0.25, 0.25, 0.375, 11 / 12], [1 / 12, 13 / 24, 0.125, 0, 0.25, 0]),
        ("complete", [0, 0.25, 0.25, 0.5, 1], [0, 0.5, 0.25, 0, 0.25, 0]),
    ],
)
def test_hand_example(linkage, heights, lifetimes):
    eac = EvidenceAccumulation(linkage=linkage, **QUIET).fit(HAND)
    assert eac.linkage_[:, 2] == pytest.approx(heights)
    assert eac.lifetimes_[1:] == pytest.approx(lifetimes)
    assert eac.n_clusters_ == 2
    assert eac.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert eac.threshold_ == pytest.approx((heights[-2], heights[-1]))


def test_scalability_example():
    # n = 6, r = 3: the pairs and counts of the example in the scalability paper's setting
    labels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]]
    e = Ensemble(labels)
    assert EvidenceAccumulation(linkage="single", **QUIET).fit(e).linkage_[:, 2] == pytest.approx(
        [0, 1 / 3, 1 / 3, 1 / 3, 2 / 3]
    )
    assert EvidenceAccumulation(linkage="average", **QUIET).fit(e).linkage_[:, 2] == pytest.approx(
        [0, 1 / 3, 1 / 3, 1 / 2, 26 / 27]
    )


@given(ensembles(n=(2, 14)))
def test_single_link_heights_equal_scipy(e):
    together, seen = pair_sums(e)
    d = 1 - np.divide(together, seen, out=np.zeros_like(together), where=seen > 0)
    np.fill_diagonal(d, 0)
    slow = scipy_linkage(squareform(d, checks=False), "single")[:, 2]
    for evidence in ("auto", "sparse", "dense"):
        eac = EvidenceAccumulation(linkage="single", evidence=evidence, missing="zero", **QUIET).fit(e)
        assert eac.linkage_[:, 2] == pytest.approx(slow, abs=1e-12)
        assert is_valid_linkage(eac.linkage_)


@given(ensembles(n=(2, 14)))
def test_each_average_link_merge_is_the_best_there_is(e):
    together, seen = pair_sums(e)
    z = EvidenceAccumulation(linkage="average", missing="zero", **QUIET).fit(e).linkage_
    assert is_valid_linkage(z)
    groups = {i: [i] for i in range(e.n_objects)}
    for t, (a, b, height, size) in enumerate(z):
        best = max(evidence_between(together, seen, groups[i], groups[j]) for i in groups for j in groups if i < j)
        merged = evidence_between(together, seen, groups[int(a)], groups[int(b)])
        assert merged == pytest.approx(best, abs=1e-12)
        assert height == pytest.approx(1 - merged, abs=1e-12)
        groups[e.n_objects + t] = groups.pop(int(a)) + groups.pop(int(b))
        assert size == len(groups[e.n_objects + t])


@given(st.integers(0, 10**6))
def test_average_link_equals_scipy_where_no_ties_are(seed):
    rng = np.random.default_rng(seed)
    e = Ensemble(rng.integers(0, 2, (8, 40)), weights=rng.random(40) + 0.01)
    together, seen = pair_sums(e)
    condensed = squareform(1 - together / seen, checks=False)
    assume(len(np.unique(condensed.round(9))) == len(condensed))
    ours = EvidenceAccumulation(4, linkage="average", **QUIET).fit(e)
    assert ours.linkage_[:, [0, 1, 3]].tolist() == scipy_linkage(condensed, "average")[:, [0, 1, 3]].tolist()
    assert ours.linkage_[:, 2] == pytest.approx(scipy_linkage(condensed, "average")[:, 2], abs=1e-12)


def test_rounding_does_not_send_the_chain_in_circles():
    """Weights whose sums round differently in different orders, among many ties: the chain must still end."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        labels = rng.integers(0, 3, (28, 4))
        e = Ensemble(labels, weights=rng.permutation([0.7, 0.2, 0.2, 0.3]))
        z = EvidenceAccumulation(3, linkage="average", **QUIET).fit(e).linkage_
        assert is_valid_linkage(z)


def test_ward_is_on_the_distance_of_one_hot_rows():
    e = Ensemble(np.random.default_rng(0).integers(0, 3, (15, 7)))
    h = e.one_hot().toarray() / np.sqrt(7)
    eac = EvidenceAccumulation(3, linkage="ward", **QUIET).fit(e)
    assert eac.linkage_[:, 2] == pytest.approx(scipy_linkage(h, "ward")[:, 2], abs=1e-7)
    raw = EvidenceAccumulation(3, linkage="ward", metric="raw", **QUIET).fit(e)
    assert not np.allclose(raw.linkage_[:, 2], eac.linkage_[:, 2])


def closest(points):
    """The two groups whose points are closest, and their distance."""
    pairs = [(i, j) for i in points for j in points if i < j]
    return min((float(np.linalg.norm(points[i] - points[j])), i, j) for i, j in pairs)


@given(st.integers(0, 10**6))
def test_centroid_and_median_link_merge_the_closest_points(seed):
    e = Ensemble(
        np.random.default_rng(seed).integers(0, 2, (8, 40)), weights=1 + np.random.default_rng(seed).random(40)
    )
    rows = e.one_hot().toarray() * np.sqrt(np.repeat(e.weights, e.n_clusters) / e.weights.sum())
    for linkage in ("centroid", "median"):
        z = EvidenceAccumulation(3, linkage=linkage, **QUIET).fit(e).linkage_
        points, sizes = dict(enumerate(rows)), dict.fromkeys(range(8), 1)
        for t in range(7):
            distance, i, j = closest(points)
            assert z[t, 2] == pytest.approx(distance, abs=1e-9)
            share = sizes[i] / (sizes[i] + sizes[j]) if linkage == "centroid" else 0.5
            points[8 + t] = share * points.pop(i) + (1 - share) * points.pop(j)
            sizes[8 + t] = sizes[i] + sizes[j]


def test_heights_that_fall_do_not_change_the_cut():
    # The center of two corners is closer to the third than they are to each other.
    eac = EvidenceAccumulation(2, linkage="centroid", **QUIET).fit(np.eye(3, dtype=int))
    assert eac.linkage_[1, 2] < eac.linkage_[0, 2]
    assert eac.labels_.max() == 1
    assert eac.cut(threshold=eac.linkage_[1, 2]).max() == 2  # nothing is merged below the first height
    assert eac.cut(threshold=eac.linkage_[0, 2]).max() == 0


@pytest.mark.parametrize("linkage", ["complete", "weighted"])
def test_dense_linkages_equal_scipy(linkage):
    e = Ensemble(np.random.default_rng(1).integers(0, 4, (30, 11)))
    together, seen = pair_sums(e)
    slow = scipy_linkage(squareform(1 - together / seen, checks=False), linkage)
    assert EvidenceAccumulation(3, linkage=linkage, **QUIET).fit(e).linkage_[:, 2] == pytest.approx(slow[:, 2])


@pytest.mark.parametrize("linkage", ["single", "average", "complete", "weighted", "ward", "centroid", "median"])
@pytest.mark.parametrize("n_clusters", [1, 2, 3, 4, 6])
def test_ties_never_change_the_number_of_clusters(linkage, n_clusters):
    blocks = [[0, 0], [0, 0], [1, 1], [1, 1], [2, 2], [2, 2]]
    eac = EvidenceAccumulation(n_clusters, linkage=linkage, **QUIET).fit(np.array(blocks))
    assert len(set(eac.labels_)) == eac.n_clusters_ == n_clusters


@pytest.mark.parametrize("linkage", ["single", "average", "complete"])
def test_identical_partitions_come_back(linkage):
    y = np.array([0, 1, 1, 2, 2, 2, 0, 2])
    eac = EvidenceAccumulation(linkage=linkage, **QUIET).fit([y] * 5)
    assert eac.lifetimes_[3] == pytest.approx(1)
    assert np.array_equal(y[:, None] == y, eac.labels_[:, None] == eac.labels_)
    assert np.bincount(eac.labels_).tolist() == [4, 2, 2]
    assert eac.uncertainty_ == pytest.approx(np.zeros(8))


@given(ensembles(n=(2, 14)))
def test_result_is_whole(e):
    eac = EvidenceAccumulation(linkage="average", missing="zero", **QUIET).fit(e)
    assert eac.lifetimes_.sum() == pytest.approx(1)
    assert eac.membership_.shape == (e.n_objects, eac.n_clusters_)
    assert eac.membership_.sum(axis=1) == pytest.approx(np.ones(e.n_objects))
    assert ((eac.uncertainty_ >= 0) & (eac.uncertainty_ <= 1)).all()
    assert (np.diff(np.bincount(eac.labels_)) <= 0).all()


@given(ensembles(n=(2, 14), missing=False), st.randoms())
def test_names_and_order_do_not_matter(e, random):
    columns = list(range(e.n_partitions))
    random.shuffle(columns)
    renamed = (e.labels[:, columns].astype(int) + 1) % 5  # another name for each cluster
    other = Ensemble(renamed, weights=e.weights[columns])
    a = EvidenceAccumulation(linkage="single", **QUIET).fit(e)
    b = EvidenceAccumulation(linkage="single", **QUIET).fit(other)
    assert a.linkage_[:, 2] == pytest.approx(b.linkage_[:, 2], abs=1e-12)
    order = list(range(e.n_objects))
    random.shuffle(order)
    c = EvidenceAccumulation(linkage="single", **QUIET).fit(e.take_objects(order))
    assert a.linkage_[:, 2] == pytest.approx(c.linkage_[:, 2], abs=1e-12)


def test_lifetimes_by_factors():
    eac = EvidenceAccumulation(linkage="average", lifetime_scale="log", **QUIET).fit(HAND)
    shares = np.array([1, 1, 0.75, 0.75, 0.625, 1 / 12, 0])
    factors = np.log((shares[:-1] + 0.001) / (shares[1:] + 0.001)) / np.log(1001)
    assert eac.lifetimes_[:0:-1] == pytest.approx(factors)
    assert eac.lifetimes_.sum() == pytest.approx(1)


def test_missing_labels_as_in_the_spec():
    labels = HAND.copy()
    labels[0, 3] = labels[3, 0] = labels[3, 1] = -1
    c = CoAssociation(labels).to_dense()
    expected = {(0, 2): 2 / 3, (1, 2): 3 / 4, (3, 4): 1 / 2, (3, 5): 1, (0, 4): 0, (1, 4): 1 / 4, (4, 5): 1 / 2}
    for pair, value in expected.items():
        assert c[pair] == pytest.approx(value)


def test_recut_without_refit():
    eac = EvidenceAccumulation(2, **QUIET).fit(HAND)
    assert eac.cut(3).max() == 2
    assert eac.cut(threshold=0.3).tolist() == [0, 0, 0, 1, 1, 2]
    with pytest.raises(ValueError, match="either"):
        eac.cut(2, threshold=0.3)
    with pytest.raises(ValueError, match="between 1 and"):
        eac.cut(7)
    with pytest.raises(ValueError, match="whole number"):
        eac.cut(2.5)
    with pytest.raises(NotFittedError):
        EvidenceAccumulation().cut(2)
    majority = EvidenceAccumulation(linkage="single", threshold=0.5, **QUIET).fit(HAND)
    assert majority.n_clusters_ == 2


def test_precomputed_evidence():
    c = CoAssociation(HAND).to_dense()
    eac = EvidenceAccumulation(2, linkage="average", **QUIET).fit(CoAssociation.from_matrix(c))
    assert eac.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert eac.membership_ == pytest.approx(EvidenceAccumulation(2, **QUIET).fit(HAND).membership_)


def test_neighbors_limit_linkage(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    noisy = np.column_stack([np.where(rng.random(180) < 0.1, rng.integers(0, 3, 180), y) for _ in range(25)])
    exact = EvidenceAccumulation(3, linkage="average", **QUIET).fit(noisy)
    assert np.array_equal(exact.labels_[:, None] == exact.labels_, y[:, None] == y)
    few = EvidenceAccumulation(linkage="single", evidence="neighbors", **QUIET).fit(noisy)
    assert len(few.linkage_) == 179
    monkeypatch.setattr(_graph_groups, "EXACT_PAIRS", 0)
    few = EvidenceAccumulation(3, linkage="average", evidence="neighbors", **QUIET).fit(noisy)
    assert few.evidence_ == "neighbors"
    np.testing.assert_array_equal(few.labels_, exact.labels_)
    given = CoAssociation(noisy, form="neighbors", n_neighbors=60)
    for linkage in ("single", "average"):
        eac = EvidenceAccumulation(3, linkage=linkage, **QUIET).fit(given)
        assert (eac.evidence_, eac.linkage_.shape) == ("neighbors", (179, 4))
    with pytest.raises(ValueError, match="complete link needs all pairs"):
        EvidenceAccumulation(3, linkage="complete", evidence="neighbors", **QUIET).fit(noisy)


@pytest.mark.parametrize("linkage", ["single", "average"])
def test_auto_takes_neighbors_where_all_pairs_take_long_and_says_so(linkage, monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 10, 20], 40)[:, None] + rng.integers(0, 4, (120, 15))
    exact = EvidenceAccumulation(3, linkage=linkage, **QUIET).fit(labels)
    assert exact.evidence_ == "operator"
    monkeypatch.setattr(evidence_linkages, "EXACT_SECONDS", 0)
    with pytest.warns(UserWarning, match=f"{linkage} link on all pairs of these 120 objects .* evidence='operator'"):
        few = EvidenceAccumulation(3, linkage=linkage, **QUIET).fit(labels)
    assert few.evidence_ == "neighbors"
    np.testing.assert_array_equal(few.labels_, exact.labels_)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny(n):
    for labels in (np.zeros((n, 2), int), np.arange(n)[:, None]):
        for k in (None, 1, n):
            for linkage in ("single", "average"):
                eac = EvidenceAccumulation(k, linkage=linkage, **QUIET).fit(labels)
                assert eac.labels_.shape == (n,)
                assert eac.linkage_.shape == (n - 1, 4)


def test_one_cluster_and_all_singletons_win_when_that_is_the_evidence():
    assert EvidenceAccumulation(**QUIET).fit(np.zeros((5, 3), int)).n_clusters_ == 1
    assert EvidenceAccumulation(**QUIET).fit(np.arange(5)[:, None]).n_clusters_ == 5
    assert (
        EvidenceAccumulation(allow_single_cluster=True, **QUIET).fit([[0, 0, 0, 1], [0, 0, 0, 0], [0] * 4]).n_clusters_
        == 1
    )


def test_weights_favor_a_partition():
    labels = [[0, 0, 1, 1], [0, 1, 0, 1]]
    for weights, expected in (([10, 1], [0, 0, 1, 1]), ([1, 10], [0, 1, 0, 1])):
        e = Ensemble(labels, weights=weights)
        assert EvidenceAccumulation(2, **QUIET).fit(e).labels_.tolist() == expected


def test_partitions_of_weight_0_say_nothing():
    e = Ensemble([[0, 0, 1, 1], [0, 1, 0, 1]], weights=[1, 0])
    assert EvidenceAccumulation(2, **QUIET).fit(e).labels_.tolist() == [0, 0, 1, 1]
    only_there = Ensemble([[0, 0, 1, 1, -1, -1], [-1, -1, -1, -1, 0, 0]], weights=[1, 0])
    with pytest.raises(ValueError, match="in no partition"):
        EvidenceAccumulation(2, **QUIET).fit(only_there)


def test_unobserved_pairs():
    e = Ensemble([[0, 0, -1, -1], [-1, -1, 0, 1]])
    with pytest.warns(UserWarning, match="4 pairs"):
        EvidenceAccumulation(2, **QUIET).fit(e)
    with pytest.raises(ValueError, match="covered by no partition"):
        EvidenceAccumulation(2, missing="error", **QUIET).fit(e)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EvidenceAccumulation(3, missing="zero", **QUIET).fit(e)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"n_clusters": 7}, "more than the number of objects, 6"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 2.5}, "n_clusters"),
        ({"linkage": "nearest"}, "linkage"),
        ({"n_clusters": 2, "threshold": 0.5}, "both given"),
        ({"k_range": (5, 2)}, "k_range"),
        ({"k_range": (9, 12)}, "k_range"),
        ({"k_range": (1.5, 3)}, "k_range"),
        ({"k_range": (1, 2, 3)}, "k_range"),
        ({"evidence": "magic"}, "evidence"),
        ({"linkage": "ward", "lifetime_scale": "log"}, "ward"),
        ({"linkage": "centroid", "lifetime_scale": "log"}, "centroid"),
        ({"pair_weight": "size"}, "pair_weight"),
        ({"normalize": "rows"}, "normalize"),
    ],
)
def test_bad_parameters(options, word):
    with pytest.raises(ValueError, match=word):
        EvidenceAccumulation(**options, **QUIET).fit(HAND)


def test_dense_is_refused_at_size():
    labels = np.random.default_rng(0).integers(0, 50, (60_000, 2))
    with pytest.raises((ValueError, MemoryError), match=r"60,?000"):
        EvidenceAccumulation(3, linkage="complete", **QUIET).fit(labels)


@pytest.mark.parametrize("linkage", ["ward", "centroid", "median"])
def test_lifetimes_of_distances_warn(linkage):
    with pytest.warns(UserWarning, match=f"Lifetimes of {linkage}"):
        eac = EvidenceAccumulation(linkage=linkage, **QUIET).fit(HAND)
    assert eac.lifetimes_[1] == 0


def test_names_and_clone():
    assert isinstance(by_name("eac")(), EvidenceAccumulation)
    with pytest.raises(ValueError, match="cspa, eac"):
        by_name("nope")
    eac = clone(EvidenceAccumulation(3, linkage="single"))
    assert eac.get_params()["linkage"] == "single"
    assert EvidenceAccumulation(2, **QUIET).fit_predict(HAND).tolist() == [0, 0, 0, 1, 1, 1]


def oracle(e, normalize):
    """The evidence with another denominator, in the obvious way."""
    n, w = e.n_objects, e.weights
    c = np.eye(n)
    for i in range(n):
        for j in range(n):
            both = (e.labels[i] >= 0) & (e.labels[j] >= 0)
            below = {"pairs": w[both].sum(), "count": both.sum(), "total": w.sum()}[normalize]
            if i != j and below > 0:
                c[i, j] = w[both & (e.labels[i] == e.labels[j])].sum() / below
    return c


@given(ensembles(n=(2, 10)), st.sampled_from(["pairs", "count", "total"]), st.integers(0, 99))
def test_denominators(e, normalize, seed):
    e = Ensemble(e, weights=np.random.default_rng(seed).random(len(e)) + 1e-3)
    e = Ensemble(e, weights=e.weights / e.weights.max())
    slow = oracle(e, normalize)
    for form in ("operator", "sparse", "dense"):
        assert CoAssociation(e, form=form, normalize=normalize).to_dense() == pytest.approx(slow, abs=1e-12)
    single = EvidenceAccumulation(1, linkage="single", normalize=normalize, missing="zero", **QUIET).fit(e)
    heights = scipy_linkage(squareform(1 - slow, checks=False), "single")[:, 2]
    assert single.linkage_[:, 2] == pytest.approx(heights, abs=1e-12)


def test_a_partition_of_weight_0_counts_in_the_number_of_partitions():
    e = Ensemble([[0, 0, 1], [0, 1, 1]], weights=[1, 0])
    eac = EvidenceAccumulation(1, linkage="single", normalize="count", **QUIET).fit(e)
    assert eac.linkage_[:, 2].tolist() == [0.5, 1]
    with pytest.raises(ValueError, match="weights between 0 and 1, but the largest is 3"):
        EvidenceAccumulation(2, normalize="count", **QUIET).fit(Ensemble(e, weights=[3, 1]))
    with pytest.raises(ValueError, match="give normalize to it"):
        EvidenceAccumulation(2, normalize="total", **QUIET).fit(CoAssociation(e))
    with pytest.raises(ValueError, match="normalize must be one of"):
        CoAssociation(e, normalize="row")


def textbook(e):
    """Average link on the matrix of shares."""
    c = CoAssociation(e, form="dense").to_dense()
    assert c == pytest.approx(oracle(e, "pairs"), abs=1e-12)
    return scipy_linkage(squareform(np.clip(1 - c, 0, None), checks=False), "average")[:, 2]


@given(ensembles(n=(2, 12)))
def test_pairs_of_equal_weight_are_the_textbook(e):
    for evidence in ("auto", "operator", "sparse", "dense"):
        options = {"linkage": "average", "evidence": evidence, "missing": "zero", **QUIET}
        eac = EvidenceAccumulation(1, pair_weight="equal", **options).fit(e)
        assert eac.linkage_[:, 2] == pytest.approx(textbook(e), abs=1e-12)
        by_coverage = EvidenceAccumulation(1, **options).fit(e)  # the form of the evidence does not change the mean
        one = EvidenceAccumulation(1, linkage="average", missing="zero", **QUIET).fit(e)
        assert by_coverage.linkage_[:, 2] == pytest.approx(one.linkage_[:, 2], abs=1e-12)


def test_coverage_and_equal_weights_differ_with_missing_labels():
    # Objects 0 and 1 merge first. Object 2 is with 0 in 2 of 3 partitions, and with 1 in 2 of 4: 4 of 7 votes.
    e = Ensemble(np.array([[0, -1, -1, 0, 0], [-1, 0, 0, 0, 0], [0, 0, 1, 0, 0]]), weights=[1, 1, 1, 1, 0.5])
    votes = EvidenceAccumulation(1, linkage="average", **QUIET).fit(e)
    shares = EvidenceAccumulation(1, linkage="average", pair_weight="equal", **QUIET).fit(e)
    assert (votes.evidence_, shares.evidence_) == ("operator", "dense")
    c = oracle(e, "pairs")
    assert shares.linkage_[-1, 2] == pytest.approx(1 - (c[0, 2] + c[1, 2]) / 2)
    together, seen = pair_sums(e)
    assert votes.linkage_[-1, 2] == pytest.approx(1 - together[:2, 2].sum() / seen[:2, 2].sum())
    assert votes.linkage_[-1, 2] != pytest.approx(shares.linkage_[-1, 2])
    with pytest.raises(ValueError, match="average link with pair_weight='equal' needs all pairs"):
        EvidenceAccumulation(2, pair_weight="equal", evidence="neighbors", **QUIET).fit(e)


def test_unobserved_pairs_as_nan():
    e = Ensemble([[0, 0, -1, -1], [-1, 0, 0, 1]], weights=[1, 2])
    c = CoAssociation(e).to_dense(missing="nan")
    assert np.isnan(c).sum() == 2 * CoAssociation(e).n_unobserved_pairs == 4
    assert np.array_equal(np.nan_to_num(c), CoAssociation(e).to_dense())
    assert not np.isnan(CoAssociation(e, normalize="total").to_dense(missing="nan")).any()
    with pytest.raises(ValueError, match="'zero' or 'nan'"):
        CoAssociation(e).to_dense(missing="drop")
    with pytest.raises(ValueError, match="floating-point"):
        CoAssociation(e).to_dense(int, missing="nan")


# -- Genie ----------------------------------------------------------------------------------------------------------


@given(ensembles(n=(2, 14)))
def test_genie_without_a_limit_is_single_link(e):
    genie = EvidenceAccumulation(1, linkage="genie", gini_threshold=1.0, missing="zero", **QUIET).fit(e)
    single = EvidenceAccumulation(1, linkage="single", missing="zero", **QUIET).fit(e)
    assert genie.linkage_[:, 2] == pytest.approx(single.linkage_[:, 2], abs=1e-9)
    assert is_valid_linkage(genie.linkage_)


@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.3, 0.6]))
def test_genie_merges_one_of_the_smallest_if_sizes_are_unequal(seed, limit):
    e = Ensemble(np.random.default_rng(seed).integers(0, 3, (15, 6)))
    z = EvidenceAccumulation(1, linkage="genie", gini_threshold=limit, **QUIET).fit(e).linkage_
    c = CoAssociation(e).to_dense()
    groups = {i: [i] for i in range(15)}
    for t, (a, b, height, _) in enumerate(z):
        sizes = np.array([len(group) for group in groups.values()])
        gini = np.abs(sizes[:, None] - sizes).sum() / 2 / ((len(sizes) - 1) * 15)
        one, other = groups.pop(int(a)), groups.pop(int(b))
        if gini > limit:
            assert min(len(one), len(other)) == sizes.min()
        assert 1 - height <= c[np.ix_(one, other)].max() + 1e-9  # along an edge between the two
        groups[15 + t] = one + other


def test_genie_on_evidence():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 50)
    members = np.column_stack([np.where(rng.random(150) < 0.15, rng.integers(0, 3, 150), y) for _ in range(30)])
    members[140] = rng.integers(3, 9, 30)  # alone nearly everywhere: single link makes it a cluster
    genie = EvidenceAccumulation(3, linkage="genie", **QUIET).fit(members)
    assert np.bincount(genie.labels_).min() > 30
    assert np.bincount(EvidenceAccumulation(3, linkage="single", **QUIET).fit(members).labels_).min() == 1
    assert genie.evidence_ == "operator"
    matrix = CoAssociation.from_matrix(CoAssociation(members).to_dense())
    other = EvidenceAccumulation(3, linkage="genie", **QUIET).fit(matrix)
    assert other.linkage_.shape == (149, 4)
    with pytest.raises(ValueError, match="genie link needs all pairs"):
        EvidenceAccumulation(3, linkage="genie", evidence="neighbors", **QUIET).fit(members)
    with pytest.raises(ValueError, match="gini_threshold"):
        EvidenceAccumulation(3, linkage="genie", gini_threshold=2.0, **QUIET).fit(members)
