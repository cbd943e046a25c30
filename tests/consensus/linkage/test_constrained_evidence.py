import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus import Constraints, Ensemble
from pluribus.consensus import ConstrainedConsistency, ConstrainedEvidenceAccumulation, EvidenceAccumulation
from pluribus.constraints import ConstraintError, ContradictionError, Feasibility, InfeasibleError, ask, random_pairs
from pluribus.evidence import CoAssociation, DividedPairs
from pluribus.generate import Generator

E = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
LINKAGES = ("single", "average", "complete")


def fit(ensemble, k=None, constraints=None, **options):
    return ConstrainedEvidenceAccumulation(k, verbose=False, **options).fit(ensemble, constraints=constraints)


def groups(labels):
    return {frozenset(np.flatnonzero(np.asarray(labels) == c).tolist()) for c in set(np.asarray(labels).tolist())}


def from_matrix(C, scale=100):
    """An ensemble with this evidence: for each pair, partitions that have only it together."""
    n = len(C)
    rows, weights = [], []
    for i in range(n):
        for j in range(i):
            if C[i][j]:
                row = list(range(n))
                row[i] = j
                rows.append(row)
                weights.append(C[i][j] * scale)
    rows.append(list(range(n)))
    weights.append(max(scale - sum(weights), 1e-9) + scale)
    return Ensemble(rows, weights=weights)


def rounded(c):
    """To 37 binary digits: evidence that is equal but for the order in which it was summed."""
    return c * 65537 - (c * 65537 - c)


def greedy(C, W, constraints, method, lowest, n_clusters=1):
    """The obvious algorithm: look at all pairs of groups each time. W weighs the pairs of an average.

    Of equal pairs that with the lowest numbers comes first: of the objects with that evidence (single link), or of the
    first objects of both groups (average link). The third result tells whether there were such.
    """
    closure = constraints.closure()
    clusters = [set(np.flatnonzero(closure.chunk_of == c).tolist()) for c in range(closure.n_chunks)]
    apart = {frozenset(map(int, pair)) for pair in closure.cannot_link}
    chunks = [{c} for c in range(closure.n_chunks)]
    C = rounded(C) if method == "single" else C
    heights, tied = [], False
    while len(clusters) > n_clusters:
        found = []
        for a in range(len(clusters)):
            for b in range(a):
                if any(frozenset((x, y)) in apart for x in chunks[a] for y in chunks[b]):
                    continue
                one, other = sorted(clusters[a]), sorted(clusters[b])
                at = np.ix_(one, other)
                if method == "single":
                    value = C[at].max()
                    first = min(sorted((i, j)) for i in one for j in other if C[i, j] == value)
                else:
                    value = rounded((C[at] * W[at]).sum() / max(W[at].sum(), 1e-300))
                    first = sorted((one[0], other[0]))
                found.append((-value, first, (a, b)))
        found.sort()
        if not found or -found[0][0] < lowest:
            break
        tied |= len(found) > 1 and found[0][0] == found[1][0]
        value, _, (a, b) = found[0]
        heights.append(1 + value)
        clusters[b] |= clusters[a]
        chunks[b] |= chunks[a]
        del clusters[a], chunks[a]
    return {frozenset(c) for c in clusters}, heights, tied


@st.composite
def problems(draw, soft=True):
    """An ensemble, often with many ties, and constraints that are true for some hidden labels."""
    n, r = draw(st.integers(4, 14)), draw(st.integers(3, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, draw(st.integers(2, 5)), (n, r))
    labels[1:, 1:][rng.random((n - 1, r - 1)) < draw(st.sampled_from([0.0, 0.3]))] = -1
    hidden = rng.integers(0, draw(st.integers(2, 4)), n)
    pairs = rng.integers(0, n, (draw(st.integers(0, 2 * n)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    more = {}
    if soft:
        weights = np.where(rng.random(len(pairs)) < 0.3, rng.exponential(2, len(pairs)) + 0.01, np.inf)
        more = {"must_weight": weights[same], "cannot_weight": weights[~same]}
    known = Constraints(n, must_link=pairs[same], cannot_link=pairs[~same], **more)
    return Ensemble(labels, weights=rng.random(r) + 0.1 if draw(st.booleans()) else None), known, hidden


def adjusted_evidence(ensemble, known):
    C = CoAssociation(ensemble, form="dense").to_dense()
    w = known.coupling.toarray()
    t = np.tanh(w / 2)
    return np.where(t > 0, C + (1 - C) * t, C * (1 + t))


# -- the examples of the source's specification ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("linkage", "heights"),
    [
        ("single", [0, 1 / 3, 1 / 3, 1 / 3, 2 / 3]),
        ("average", [0, 1 / 3, 1 / 3, 1 / 2, 26 / 27]),
        ("complete", [0, 1 / 3, 1 / 3, 2 / 3, 1]),
    ],
)
def test_without_constraints(linkage, heights):
    assert fit(E, 2, linkage=linkage).labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert fit(E, 1, linkage=linkage).merges_[:, 2] == pytest.approx(heights)


def test_cannot_link():
    known = Constraints(6, cannot_link=[(1, 2)])
    assert groups(fit(E, 2, known, linkage="single").labels_) == {frozenset({0, 1}), frozenset({2, 3, 4, 5})}
    three = fit(E, 3, known, linkage="complete").labels_
    assert groups(three) == {frozenset({0, 1}), frozenset({2}), frozenset({3, 4, 5})}


def test_must_link_and_the_order_of_ties():
    found = fit(E, 2, Constraints(6, must_link=[(0, 5)]), linkage="single")
    assert groups(found.labels_) == {frozenset({0, 1, 2, 5}), frozenset({3, 4})}
    assert found.components_.tolist() == [0, 1, 2, 3, 4, 0]


def test_a_spanning_tree_is_not_enough():
    C = np.array([[1, 0.9, 0.7], [0.9, 1, 0.8], [0.7, 0.8, 1]])
    known = Constraints(3, cannot_link=[(0, 1), (1, 2)])
    for linkage in LINKAGES:
        assert fit(from_matrix(C), 2, known, linkage=linkage).labels_.tolist() == [0, 1, 0]


def test_no_dead_end():
    C = np.zeros((4, 4))
    C[0, 3], C[0, 2], C[1, 3] = 0.9, 0.5, 0.4
    C = C + C.T
    known = Constraints(4, cannot_link=[(0, 1), (1, 2), (2, 3)])
    for linkage in LINKAGES:
        found = fit(from_matrix(C), 2, known, linkage=linkage)
        assert found.labels_.tolist() == [0, 1, 0, 1]
        assert not found.dead_end_


def test_contradiction_names_the_chain():
    with pytest.raises(ContradictionError, match="0 –must-link– 1 –must-link– 2"):
        Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


def test_must_link_beats_a_tie():
    # a and b must be together, b and c apart, and all partitions have a with c
    found = fit([[0, 0, 1], [0, 0, 1]], 2, Constraints(3, must_link=[(1, 2)], cannot_link=[(2, 0)]), linkage="complete")
    assert found.labels_.tolist() == [1, 0, 0]


def test_missing_labels():
    labels = np.array(E)
    labels[1, 2], labels[2, 5] = -1, -1
    found = fit(list(labels), threshold=0.0, linkage="single")
    assert groups(found.labels_) >= {frozenset({0, 1, 2})}


# -- against the obvious algorithm -----------------------------------------------------------------------------------


@given(problem=problems(), threshold=st.floats(0.05, 0.95))
def test_merges_are_those_of_greed(problem, threshold):
    ensemble, known, _ = problem
    C = adjusted_evidence(ensemble, known)
    seen = (ensemble.labels >= 0).astype(float)
    W = (seen * ensemble.weights) @ seen.T
    for method in ("single", "average"):
        expected, heights, _ = greedy(C, W, known, method, 1 - threshold - 1e-9)
        found = fit(ensemble, threshold=threshold, linkage=method, constraints=known)
        assert groups(found.labels_) == expected
        assert sorted(found.merges_[:, 2])[-len(heights) :] == pytest.approx(sorted(heights), abs=1e-9) or not heights


@given(problem=problems(), linkage=st.sampled_from(LINKAGES))
def test_hard_constraints_hold_and_k_is_kept(problem, linkage):
    ensemble, known, hidden = problem
    k = len(set(hidden.tolist()))
    assume(known.closure().n_chunks >= k)
    found = fit(ensemble, k, known, linkage=linkage)
    assert found.n_clusters_ == k
    assert found.violations_.n_hard == 0
    assert not found.dead_end_
    np.testing.assert_allclose(found.membership_.sum(axis=1), 1)


@given(problem=problems(soft=False), linkage=st.sampled_from(["single", "average"]))
def test_nothing_known_is_plain_evidence_accumulation(problem, linkage):
    ensemble, _, _ = problem
    k = min(3, ensemble.n_objects)
    one = fit(ensemble, k, linkage=linkage)
    other = EvidenceAccumulation(k, linkage=linkage, missing="zero", verbose=False).fit(ensemble)
    seen = (ensemble.labels >= 0).astype(float)
    C = CoAssociation(ensemble, form="dense").to_dense()
    nothing = Constraints(ensemble.n_objects)
    if not greedy(C, (seen * ensemble.weights) @ seen.T, nothing, linkage, 0.0, k)[2] or linkage == "single":
        assert one.merges_[:, 2] == pytest.approx(other.linkage_[: ensemble.n_objects - k, 2], abs=1e-9)


def test_consistent_constraints_do_not_change_a_clear_result():
    truth = np.repeat([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    labels = np.column_stack([truth * 3 + rng.integers(0, 2, 60) for _ in range(20)])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        pairs = rng.integers(0, 60, (50, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
        known = Constraints(60, must_link=pairs[same], cannot_link=pairs[~same])
        for linkage in LINKAGES:
            assert adjusted_rand_score(truth, fit(labels, 3, known, linkage=linkage).labels_) == 1


@given(problem=problems(), seed=st.integers(0, 99))
def test_what_the_plain_result_obeys_does_not_change_it(problem, seed):
    ensemble, _, _ = problem
    plain = fit(ensemble, 3).labels_
    pairs = np.random.default_rng(seed).integers(0, len(plain), (10, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = plain[pairs[:, 0]] == plain[pairs[:, 1]]
    known = Constraints(len(plain), must_link=pairs[same], cannot_link=pairs[~same])
    found = fit(ensemble, 3, known)
    assert found.labels_.tolist() == plain.tolist()
    assert len(found.merges_) == known.closure().n_chunks - 3


def test_a_preference_is_weighed_against_the_evidence():
    labels = [[0, 0, 0, 1, 1, 1]] * 3 + [[0, 0, 1, 1, 1, 1]]
    apart = {
        w: fit(labels, 2, Constraints(6, cannot_link=[(0, 2), (1, 2)], cannot_weight=w)).labels_ for w in (0.1, 10)
    }
    assert apart[0.1].tolist() == [0, 0, 0, 1, 1, 1]
    assert apart[10].tolist() == [1, 1, 0, 0, 0, 0]
    broken = fit(labels, 2, Constraints(6, cannot_link=[(0, 2), (1, 2)], cannot_weight=0.1)).violations_
    assert broken.cannot_link.tolist() == [[0, 2], [1, 2]]


def test_labels_and_groups_and_strings():
    known = Constraints(6, labels=["a", None, "b", None, None, "a"])
    found = fit([["x", "x", "x", "y", "y", "y"], ["p", "p", "q", "q", None, "r"]], 2, known)
    assert found.labels_[0] == found.labels_[5] != found.labels_[2]


def test_all_together_all_apart_and_one_object():
    assert fit(E, 1, Constraints(6, groups=["g"] * 6)).n_clusters_ == 1
    assert fit(E, 6, Constraints.from_labels(list("abcdef"))).n_clusters_ == 6
    assert fit([[0], [0]], 1).labels_.tolist() == [0]
    assert fit([[0, 0, 0]], 3).n_clusters_ == 3


def test_order_of_objects():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 40)
    weights = rng.random(9) + 0.1
    for noise in (0.3, 1.0):
        labels = np.where(rng.random((40, 9)) < noise, rng.integers(0, 5, (40, 9)), truth[:, None])
        pairs = rng.integers(0, 40, (10, 2))
        known = Constraints(40, cannot_link=pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]])
        order = rng.permutation(40)
        for linkage in ("single", "average"):
            how = {"linkage": linkage} | ({"k": 5} if noise < 1 else {"threshold": 0.7})  # moves need some structure
            one = fit(Ensemble(labels, weights=weights), constraints=known, **how).labels_
            other = fit(Ensemble(labels[order], weights=weights), constraints=known.restrict(order), **how).labels_
            assert adjusted_rand_score(one[order], other) == 1


@pytest.mark.parametrize(
    ("options", "known", "error", "words"),
    [
        ({"k": 2}, Constraints(6, cannot_link=[(0, 1), (1, 2), (0, 2)]), InfeasibleError, "k=2"),
        ({"k": 6}, Constraints(6, must_link=[(0, 1)]), InfeasibleError, "chunklets"),
        ({"k": 2}, Constraints(5), ConstraintError, "5 objects"),
        ({"k": 2}, [(0, 1)], ConstraintError, "Constraints"),
        ({"k": 7}, None, ValueError, "more than the number of objects, 6"),
        ({}, None, ValueError, "needs n_clusters"),
        ({"k": 2, "threshold": 0.5}, None, ValueError, "both"),
        ({"k": 2, "strict": False, "linkage": "single"}, None, ValueError, "form of complete link; got single"),
    ],
)
def test_refused_before_work(options, known, error, words):
    with pytest.raises(error, match=words):
        fit(E, options.pop("k", None), known, **options)


def test_large_and_many_constraints():
    n = 1500
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 8, n)
    labels = truth[:, None] * 3 + rng.integers(0, 3, (n, 20))
    labels = np.where(rng.random((n, 20)) < 0.3, rng.integers(0, 24, (n, 20)), labels)
    pairs = rng.integers(0, n, (1000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = Constraints(n, must_link=pairs[same], cannot_link=pairs[~same])
    found = fit(labels, 8, known)
    assert found.violations_.count == 0
    assert found.n_clusters_ == 8
    assert adjusted_rand_score(truth, found.labels_) > 0.9


def test_what_would_take_hours_is_refused_before_work(monkeypatch):
    monkeypatch.setattr("pluribus.consensus._shared.constrained_linkages._MOST_WORK", 20)
    with pytest.raises(ValueError, match="members with more clusters"):
        fit(E, 2, Constraints(6, cannot_link=[(1, 2)]))


def test_wrong_neighbors_do_not_take_others_along():
    # object 0 lies among the second cluster in all members, but must be apart from some of it
    truth = np.repeat([0, 1, 2], 20)
    seen = truth.copy()
    seen[0] = 1
    rng = np.random.default_rng(0)
    labels = [seen * 4 + rng.integers(0, 4, 60) for _ in range(30)]
    known = Constraints(60, must_link=[(0, 1)], cannot_link=[(0, j) for j in (25, 30, 35, 45)] + [(26, 46), (2, 31)])
    assert adjusted_rand_score(truth, fit(labels, 3, known).labels_) == 1


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_true_answers_do_not_break_up_a_dense_cluster(seed):
    # a dense class beside a wide one: the pieces of the dense one are purer than the wide one ever is
    X, y = make_blobs([200, 100], 2, centers=[[0, 0], [6, 0]], cluster_std=[0.5, 3], random_state=seed)
    members = Generator(n_members=30, n_clusters=(10, 30), random_state=seed, verbose=False).generate(X)
    plain = adjusted_rand_score(y, fit(members, 2).labels_)
    for known in (ask(DividedPairs(members, random_state=seed), y, 40), random_pairs(y, 20, random_state=seed)):
        assert adjusted_rand_score(y, fit(members, 2, known).labels_) > max(plain - 0.05, 0.85)


@pytest.mark.parametrize("method", [ConstrainedEvidenceAccumulation, ConstrainedConsistency])
def test_unknown_feasibility_only_warns(monkeypatch, method):
    monkeypatch.setattr(Constraints, "check", lambda self, k, **_: Feasibility("unknown", k, "too hard to tell"))
    known = Constraints(6, cannot_link=[(1, 2), (0, 5)])
    with pytest.warns(UserWarning, match="feasibility is unknown: too hard"):
        found = method(3, verbose=False).fit(E, constraints=known)
    assert found.n_clusters_ == 3
    assert found.violations_.n_hard == 0


# -- evidence instead of labels, and constraints that may be broken ----------------------------------------------------


@given(seed=st.integers(0, 10**6), threshold=st.floats(0.05, 0.95), method=st.sampled_from(["single", "average"]))
def test_a_matrix_of_evidence(seed, threshold, method):
    rng = np.random.default_rng(seed)
    C = rng.random((9, 9))
    C = (C + C.T) / 2
    np.fill_diagonal(C, 1)
    hidden = rng.integers(0, 3, 9)
    pairs = rng.integers(0, 9, (6, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    known = Constraints(9, must_link=pairs[same], cannot_link=pairs[~same])
    expected, heights, _ = greedy(C, np.ones((9, 9)), known, method, 1 - threshold - 1e-9)
    found = fit(CoAssociation.from_matrix(C), threshold=threshold, linkage=method, constraints=known)
    assert groups(found.labels_) == expected
    assert found.merges_[:, 2] == pytest.approx(heights, abs=1e-9)
    assert found.membership_.shape == (9, len(expected))


@given(problem=problems(), linkage=st.sampled_from(LINKAGES))
def test_evidence_with_its_ensemble_is_the_ensemble(problem, linkage):
    ensemble, known, hidden = problem
    k = len(set(hidden.tolist()))
    assume(known.closure().n_chunks >= k)
    one = fit(ensemble, k, known, linkage=linkage)
    other = fit(CoAssociation(ensemble), k, known, linkage=linkage)
    assert one.labels_.tolist() == other.labels_.tolist()
    matrix = fit(CoAssociation.from_matrix(CoAssociation(ensemble).to_dense()), k, known, linkage=linkage)
    assert matrix.n_clusters_ == k
    assert matrix.violations_.n_hard == 0
    if linkage == "complete":
        assert matrix.labels_.tolist() == one.labels_.tolist()


def printed(C, known):
    """Klein's complete link on all objects, by shortest paths over every object."""
    D = 1 - C
    for i, j in known.must_link:
        D[i, j] = D[j, i] = 0
    for m in range(len(D)):
        D = np.minimum(D, D[:, [m]] + D[[m], :])
    D = np.maximum(D, 0)
    np.fill_diagonal(D, 0)
    far = D.max() + 1
    for i, j in known.cannot_link:
        D[i, j] = D[j, i] = far
    return scipy_linkage(squareform(D, checks=False), "complete")


@given(problem=problems(soft=False))
def test_complete_link_as_printed(problem):
    ensemble, known, _ = problem
    assume(not ensemble.has_missing)
    found = fit(ensemble, 1, known, linkage="complete", strict=False)
    tree = printed(CoAssociation(ensemble).to_dense(), known)
    assert len(found.merges_) == len(tree)
    if len(np.unique(tree[:, 2].round(9))) == len(tree):  # without ties
        assert found.merges_[:, 2] == pytest.approx(tree[:, 2], abs=1e-9)
    assert not found.dead_end_
    assert fit(ensemble, 2, known, linkage="complete", strict=False).n_clusters_ == 2


def test_as_printed_constraints_may_break():
    a_with_c = [[0, 0, 1], [0, 0, 1]]  # objects c, a, b: a and b must be together, b and c apart
    known = Constraints(3, must_link=[(1, 2)], cannot_link=[(2, 0)])
    loose = fit(a_with_c, 2, known, linkage="complete", strict=False)
    assert loose.labels_.tolist() == [0, 0, 1]
    assert loose.violations_.n_hard == 1
    assert fit(a_with_c, 2, known, linkage="complete").violations_.n_hard == 0
    apart = Constraints(6, cannot_link=[(0, 1), (1, 2), (0, 2)])  # three clusters at least
    assert fit(E, 2, apart, linkage="complete", strict=False).violations_.n_hard > 0
    assert fit(E, None, apart, threshold=0.5, linkage="complete", strict=False).violations_.n_hard == 0
    assert fit([[0]], 1, linkage="complete", strict=False).labels_.tolist() == [0]
