import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, Birch, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from alternative.shared import CROSS, CROSS_KNOWN, purity, same_partition, two_partitions
from pluribus.alternative import ConditionalEnsemble, by_name
from pluribus.alternative._shared.criteria import explained_beyond, information_beyond
from pluribus.alternative._shared.known import read_known
from pluribus.alternative._shared.plain_bottleneck import PlainBottleneck
from pluribus.alternative._shared.residuals import Residuals
from pluribus.compare import mutual_information_index, normalized_mutual_information_index
from pluribus.consensus import EvidenceAccumulation

pytestmark = pytest.mark.filterwarnings("ignore:known has .* groups")


def fitted(X, known, k=2, **how):
    return ConditionalEnsemble(k, **{"random_state": 0, "verbose": False} | how).fit(X, known=known)


# These ask for a single cluster, which says nothing.
ONE_CLUSTER = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_methods_subset_invariance",
        "check_fit2d_1sample",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
    ),
    "n_clusters=1",
)


class HalfKnown(ConditionalEnsemble):
    """For scikit-learn's checks, which know nothing: every other row is in another group."""

    def fit(self, X, y=None):
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        return super().fit(X, known=np.arange(n) % 2)

    def fit_predict(self, X, y=None):
        return self.fit(X).labels_


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [HalfKnown(2, n_init=2, random_state=0, verbose=False)], expected_failed_checks=lambda _: ONE_CLUSTER
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("center", [True, False])
def test_the_hand_example(center):
    assert same_partition(KMeans(2, n_init=5, random_state=0).fit_predict(CROSS), np.array(CROSS_KNOWN))
    model = fitted(CROSS, CROSS_KNOWN, center=center)
    assert model.labels_.tolist() == [0, 1, 0, 1]
    assert all(same_partition(column, model.labels_) for column in model.ensemble_.labels.T)
    assert model.score_ == pytest.approx(1)  # U = 1/2 for each of the two
    assert mutual_information_index(model.labels_, CROSS_KNOWN) == pytest.approx(0)
    assert model.nmi_with_known_ == pytest.approx(0)
    assert model.agreement_ == pytest.approx(1)
    assert list(model.local_models_) == ["0", "1"]


def test_one_known_group_gives_the_base_clustering():
    X, _, _ = two_partitions(3, 100, 1, seed=0, n=300)
    model = fitted(X, np.zeros(300, int), k=3, n_init=1)
    assert same_partition(model.labels_, model.local_models_["0"].labels_)
    assert model.nmi_with_known_ == 0


def test_names_and_order_of_groups_and_rows_do_not_matter():
    X, p, q = two_partitions(2, 1100, 1, seed=0, n=200)
    labels = fitted(X, p).labels_
    assert fitted(X, 1 - p).labels_.tolist() == labels.tolist()
    assert fitted(X, np.array(["b", "a"])[p]).labels_.tolist() == labels.tolist()
    order = np.random.default_rng(1).permutation(200)
    assert same_partition(fitted(X[order], p[order]).labels_, labels[order])
    assert same_partition(labels, q)


@pytest.mark.parametrize("how", [{"center": False}, {}, {"base": "em-multinomial"}, {"base": "em-gaussian"}])
def test_the_other_partition_is_found(how):
    found = []
    for seed in range(10):
        X, p, q = two_partitions(2, 20, 1, seed)
        labels = fitted(X, p, n_init=2, **how).labels_
        found.append((purity(labels, q), purity(labels, p)))
    wanted, known = np.mean(found, axis=0)
    assert wanted >= 0.9
    assert known <= 0.56


def test_the_information_bottleneck_clusters_each_group():
    X, p, q = two_partitions(2, 100, 1, seed=0, n=200)
    model = fitted(X, p, base="ib", n_init=1)
    assert purity(model.labels_, q) > 0.97
    assert purity(model.labels_, p) < 0.6
    assert same_partition(fitted(sparse.csr_array(X), p, base="ib", n_init=1).labels_, model.labels_)
    for place, local in enumerate(model.local_models_.values()):  # extended: each row where it loses least
        own = p == p[0] if place == 0 else p != p[0]
        assert same_partition(model.ensemble_.labels[own, place], local.labels_)
        assert np.array_equal(model.ensemble_.labels[:, place], local.predict(X))
    whole = fitted(X, np.zeros(200, int), base="ib", n_init=1)
    assert same_partition(whole.labels_, PlainBottleneck(2).fit(X).labels_)


def test_centering_helps_if_the_known_partition_shifts_the_features():
    X, p, q = two_partitions(2, 100, 0.5, seed=0)
    assert purity(fitted(X, p).labels_, q) > 0.93
    assert purity(fitted(X, p, center=False).labels_, q) < 0.85


def test_sparse_rows_give_the_same():
    X, p, _ = two_partitions(3, 20, 1, seed=0, n=300)
    for how in ({}, {"center": False}, {"base": "em-multinomial"}):
        dense = fitted(X, p, k=3, **how).labels_
        assert same_partition(fitted(sparse.csr_array(X), p, k=3, **how).labels_, dense)


def test_missing_labels_take_no_part_but_get_a_cluster():
    X, p, q = two_partitions(2, 1100, 1, seed=0, n=200)
    known = p.astype(object)
    known[::5] = None
    labels = fitted(X, known).labels_
    assert same_partition(labels, q)


def test_several_known_partitions():
    rng = np.random.default_rng(0)
    a, b, wanted = rng.integers(0, 2, (3, 400))
    X = np.column_stack([9 * a, 8 * b, 4 * wanted]) + rng.normal(scale=0.5, size=(400, 3))
    model = fitted(X, [a, b])
    assert same_partition(model.labels_, wanted)
    assert len(model.local_models_) == 4


def test_runs_do_not_depend_on_threads_and_more_are_not_worse():
    X, p, _ = two_partitions(4, 20, 1, seed=3)
    one, two = (fitted(X, p, k=4, n_jobs=n) for n in (1, 2))
    assert one.labels_.tolist() == two.labels_.tolist()


def test_a_base_without_predict_extends_by_the_nearest_row():
    model = fitted(np.repeat(CROSS, 5, axis=0), np.repeat(CROSS_KNOWN, 5), base=AgglomerativeClustering())
    assert same_partition(model.labels_, np.repeat([0, 1, 0, 1], 5))
    assert fitted(np.repeat(CROSS, 5, axis=0), np.repeat(CROSS_KNOWN, 5), base=Birch(threshold=0.1)).n_clusters_ == 2


def test_noise_is_no_vote():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.1, (20, 2)), rng.normal(5, 0.1, (20, 2)), [[100.0, 100], [100, 100.1]]])
    known = np.append(np.tile([0, 1], 20), [0, 1])
    model = fitted(X, known, base=DBSCAN(eps=1), center=False)
    assert model.labels_[-2:].tolist() == [-1, -1]
    assert same_partition(model.labels_[:40], np.repeat([0, 1], 20))
    with pytest.raises(ValueError, match="noise alone"):
        fitted(X, known, base=DBSCAN(eps=1e-9))


def test_any_consensus_function_and_local_numbers():
    X, p, q = two_partitions(2, 1100, 1, seed=0, n=200)
    for combine in ("eac", EvidenceAccumulation(2)):
        assert same_partition(fitted(X, p, combine=combine).labels_, q)
    model = fitted(X, p, n_clusters_local=[2, 3])
    assert [m.n_clusters for m in model.local_models_.values()] == [2, 3]
    assert [m.n_clusters for m in fitted(X, p, n_clusters_local=4).local_models_.values()] == [4, 4]


def test_groups_of_equal_rows_are_skipped_with_a_warning():
    X = np.concatenate([CROSS, [[20.0, 0], [20, 0]]])
    with pytest.warns(UserWarning, match="1 of the 3 groups of known have no two different rows"):
        model = fitted(X, [0, 0, 1, 1, 2, 2], center=False)
    assert list(model.local_models_) == ["0", "1"]
    assert model.labels_[4] == model.labels_[5] >= 0
    with pytest.raises(ValueError, match="No group of known has two different rows"):
        fitted(CROSS, [0, 1, 2, 3])


def test_noise_in_one_group_is_clustered_by_the_others():
    X = np.array([0, 0.1, 5, 5.1, 10, 0, 0.1, 10, 10.1])[:, None]  # 10 is noise in the first group alone
    model = fitted(X, [0] * 5 + [1] * 4, base=DBSCAN(eps=0.5, min_samples=2), center=False)
    assert model.ensemble_.labels[4].tolist()[0] == -1
    assert (model.labels_ >= 0).all()
    assert model.labels_[4] == model.labels_[7] == model.labels_[8] != model.labels_[0]


def test_agreement_is_low_if_groups_have_different_structures():
    rng = np.random.default_rng(0)
    known, split = np.repeat([0, 1], 40), rng.integers(0, 2, 80)
    X = rng.normal(scale=0.3, size=(80, 2))
    X[np.arange(80), known] += 6 * split  # the first group is divided along one feature, the second along the other
    model = fitted(X, known)
    shared = normalized_mutual_information_index(*model.ensemble_.labels.T)
    assert model.agreement_ == pytest.approx(shared)
    assert model.agreement_ < 0.3


def test_runs_are_judged_by_what_their_base_models():
    X, p, q = two_partitions(2, 20, 1, seed=0, n=60)
    known, space = read_known(p, 60), Residuals(X, p, 2)
    for base, quality in (("em-multinomial", information_beyond(X, q, known)), ("ib", information_beyond(X, q, known)),
                          ("kmeans", explained_beyond(space, q, known))):  # fmt: skip
        assert ConditionalEnsemble(base=base)._quality(space, known, q) == quality


def test_each_group_has_its_model_if_labels_read_the_same():
    model = fitted(CROSS, [1, 1, "1", "1"])
    assert list(model.local_models_) == ["1", "'1'"]


def test_small_groups_get_fewer_clusters():
    model = fitted(np.concatenate([CROSS, [[20.0, 0], [20, 1]]]), [0, 0, 1, 1, 2, 2], k=3, n_clusters_local=3)
    assert {m.n_clusters for m in model.local_models_.values()} == {2}


def test_small_groups_and_too_few_tuples_are_warned_of():
    with pytest.warns(UserWarning, match="known has 2 groups for 4 rows"):
        fitted(CROSS, CROSS_KNOWN)
    with pytest.warns(ConvergenceWarning, match="only 2 of 3 clusters"):
        assert fitted(CROSS, CROSS_KNOWN, k=3, n_clusters_local=2).n_clusters_ == 2


@pytest.mark.parametrize(
    ("X", "known", "how", "message"),
    [
        (CROSS, [0, 0, 1], {}, "known has 3 labels"),
        (CROSS, None, {}, "known is missing"),
        ([[np.nan, 0]] * 4, CROSS_KNOWN, {}, "NaN"),
        ([[np.inf, 0]] * 4, CROSS_KNOWN, {}, "infinity"),
        (np.full((4, 1), 1e200), CROSS_KNOWN, {}, "squares"),
        (CROSS, CROSS_KNOWN, {"k": 1}, "n_clusters"),
        (CROSS, CROSS_KNOWN, {"k": 5}, "n_clusters=5 is more than"),
        (CROSS, CROSS_KNOWN, {"k": True}, "n_clusters"),
        (CROSS, CROSS_KNOWN, {"base": "unknown"}, "base='unknown' is unknown"),
        (CROSS, CROSS_KNOWN, {"base": KMeans}, "is unknown"),
        (CROSS, CROSS_KNOWN, {"base": 3}, "is unknown"),
        (CROSS, CROSS_KNOWN, {"combine": "unknown"}, "No consensus function is called"),
        (CROSS, CROSS_KNOWN, {"combine": {}}, "combine={} is no consensus function"),
        (CROSS, CROSS_KNOWN, {"combine": EvidenceAccumulation}, "is no consensus function"),
        (CROSS, CROSS_KNOWN, {"n_clusters_local": np.array(1)}, "2 or more"),
        (CROSS, CROSS_KNOWN, {"n_clusters_local": [2]}, "n_clusters_local has 1 numbers"),
        (CROSS, CROSS_KNOWN, {"n_clusters_local": [2, 1]}, "2 or more"),
        (CROSS - 1, CROSS_KNOWN, {"base": "em-multinomial"}, "negative numbers"),
        (CROSS, CROSS_KNOWN, {"base": "em-multinomial", "center": True}, "give center=False"),
        (CROSS, CROSS_KNOWN, {"base": "ib"}, "row 0 of X is all zero"),
        (sparse.csr_array(CROSS), CROSS_KNOWN, {"base": "ib"}, "row 0 of X is all zero"),
        (CROSS - 1, CROSS_KNOWN, {"base": "ib"}, "negative numbers"),
        (sparse.csr_array(CROSS), CROSS_KNOWN, {"base": "em-gaussian"}, "needs dense rows"),
        (sparse.csr_array(CROSS), CROSS_KNOWN, {"base": Birch(), "center": True}, "sparse X dense"),
        (CROSS, CROSS_KNOWN, {"n_init": 0}, "n_init"),
    ],
)
def test_wrong_input_is_refused(X, known, how, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, known, **how)


def test_names():
    assert by_name("condens-em")(3).base == "em-multinomial"
    assert clone(by_name("condens")(3)).n_clusters == 3


@pytest.mark.slow
def test_a_million_rows_in_minutes():
    rng = np.random.default_rng(0)
    n = 1_000_000
    known, wanted = rng.integers(0, 4, n), rng.integers(0, 5, n)
    X = rng.normal(size=(n, 8)).astype(np.float32)
    X[:, 0] += 10 * known
    X[:, 1] += 8 * wanted
    started = time.perf_counter()
    model = fitted(X, known, k=5)
    assert time.perf_counter() - started < 180
    assert purity(model.labels_, wanted) > 0.99
