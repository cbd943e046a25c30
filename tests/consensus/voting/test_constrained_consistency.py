from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pluribus import Constraints, Ensemble
from pluribus.consensus import ConstrainedConsistency
from pluribus.consensus.voting import _genetic
from pluribus.consensus.voting._consistency_problem import Problem
from pluribus.constraints import ConstraintError, InfeasibleError

E = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
WANTED = Constraints(6, must_link=[(0, 1)], cannot_link=[(2, 3), (0, 2)], must_weight=1, cannot_weight=1)


def fit(ensemble, k, constraints=None, **options):
    options = {"random_state": 0, "n_init": 8, **options}
    return ConstrainedConsistency(k, verbose=False, **options).fit(ensemble, constraints=constraints)


def score(labels, ensemble, known, beta):
    """J by plain loops."""
    labels = np.asarray(labels)
    acc = 0.0
    for column, weight in zip(ensemble.labels.T, ensemble.weights, strict=True):
        seen = column >= 0
        n = seen.sum()
        sim = 0.0
        for m in set(column[seen].tolist()):
            inside = [(labels[seen & (column == m)] == k).sum() for k in range(labels.max() + 1)]
            sizes = [(labels[seen] == k).sum() for k in range(labels.max() + 1)]
            sim += max(x * (1 - s / n) for x, s in zip(inside, sizes, strict=True))
        acc += weight * sim / n
    acc /= ensemble.weights.sum()
    kept = total = 0.0
    for (i, j), w in zip(known.must_link, known.must_weight, strict=True):
        if np.isfinite(w):
            kept, total = kept + w * (labels[i] == labels[j]), total + w
    for (i, j), w in zip(known.cannot_link, known.cannot_weight, strict=True):
        if np.isfinite(w):
            kept, total = kept + w * (labels[i] != labels[j]), total + w
    return acc if total == 0 else (1 - beta) * acc + beta * kept / total


def brute(ensemble, known, k, beta):
    together = known.must_link[np.isinf(known.must_weight)].tolist()
    apart = known.cannot_link[np.isinf(known.cannot_weight)].tolist()
    best = -1.0
    for labels in product(range(k), repeat=ensemble.n_objects):
        allowed = all(labels[i] == labels[j] for i, j in together) and all(labels[i] != labels[j] for i, j in apart)
        named_in_order = all(c <= max(labels[:i], default=-1) + 1 for i, c in enumerate(labels))  # else it was tried
        if allowed and named_in_order:
            best = max(best, score(labels, ensemble, known, beta))
    return best


def test_the_score_of_the_example():
    problem = Problem.of(Ensemble(E), WANTED, 2, 0.5, normalize_acc=False)
    acc, cs = problem.parts(np.array([0, 0, 0, 1, 1, 1]))
    assert (acc, cs) == (pytest.approx(17 / 36), pytest.approx(2 / 3))
    assert problem.objective(np.array([0, 0, 0, 1, 1, 1])) == pytest.approx(41 / 72)


def test_the_best_of_the_example():
    found = fit(E, 2, WANTED)
    assert found.objective_[-1] == pytest.approx(49 / 72)
    assert found.labels_.tolist() in ([0, 0, 1, 0, 1, 1], [1, 1, 0, 1, 0, 0])
    assert (found.acc_, found.cs_) == (pytest.approx(13 / 36), 1)
    plain = fit(E, 2)
    assert plain.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert plain.acc_ == pytest.approx(17 / 36)


def test_the_weight_belongs_inside_the_maximum():
    member = Ensemble([[0, 0, 0, 1, 1, 1, 0, 0]])
    problem = Problem.of(member, Constraints(8), 2, 0.5, normalize_acc=False)
    assert problem.objective(np.array([0] * 6 + [1] * 2)) == pytest.approx(9 / 32)


@st.composite
def problems(draw):
    n, r = draw(st.integers(3, 7)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, 3, (n, r))
    labels[1:, 1:][rng.random((n - 1, r - 1)) < draw(st.sampled_from([0.0, 0.3]))] = -1
    hidden = rng.integers(0, draw(st.integers(2, 3)), n)
    pairs = rng.integers(0, n, (draw(st.integers(0, n)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weights = np.where(rng.random(len(pairs)) < 0.6, rng.exponential(1, len(pairs)) + 0.1, np.inf)
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    same ^= (rng.random(len(pairs)) < 0.3) & np.isfinite(weights)  # preferences may be wrong
    known = Constraints(n, pairs[same], pairs[~same], must_weight=weights[same], cannot_weight=weights[~same])
    return Ensemble(labels, weights=rng.random(r) + 0.1), known, len(set(hidden.tolist()))


@settings(max_examples=12)  # all labelings are tried
@given(problem=problems(), beta=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
@pytest.mark.filterwarnings("ignore:a soft pair speaks")
def test_hard_constraints_hold_and_the_score_is_right(problem, beta):
    ensemble, known, k = problem
    assume(known.closure().n_chunks >= k)
    found = fit(ensemble, k, known, beta=beta)
    assert found.violations_.n_hard == 0
    assert found.objective_[-1] == pytest.approx(score(found.labels_, ensemble, known, beta))
    assert (np.diff(found.objective_) > 0).all()
    assert found.n_iter_ == len(found.objective_) - 1
    best = brute(ensemble, known, k, beta)
    assert 0.95 * best - 1e-9 <= found.objective_[-1] <= best + 1e-9


def test_no_single_move_is_better():
    rng = np.random.default_rng(0)
    ensemble = Ensemble(rng.integers(0, 4, (40, 8)))
    known = Constraints(40, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)], must_weight=1, cannot_weight=2)
    found = fit(ensemble, 3, known)
    for i in range(40):
        for k in range(3):
            moved = found.labels_.copy()
            moved[i] = k
            assert score(moved, ensemble, known, 0.5) <= found.objective_[-1] + 1e-9


def test_contradicting_preferences_are_legal():
    both = Constraints(6, must_link=[(0, 1)], cannot_link=[(0, 1)], must_weight=1, cannot_weight=3)
    assert 0 < fit(E, 2, both).cs_ < 1


@pytest.mark.parametrize(
    ("k", "options", "known", "error"),
    [
        (None, {}, None, ValueError),
        (7, {}, None, ValueError),
        (2, {"beta": 1.5}, None, ValueError),
        (2, {}, Constraints(6, cannot_link=[(0, 1), (1, 2), (0, 2)]), InfeasibleError),
        (2, {}, Constraints(5), ConstraintError),
    ],
)
def test_refused_before_work(k, options, known, error):
    with pytest.raises(error):
        fit(E, k, known, **options)


def test_same_seed_same_result_whatever_n_jobs():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 5, (60, 10))
    one, two = (fit(labels, 4, n_jobs=jobs).labels_ for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


# -- the search and the starts of the source ------------------------------------------------------------------------


def test_genetic_search_of_the_example():
    runs = [fit(E, 2, WANTED, solver="genetic", n_init=20, random_state=seed) for seed in range(8)]
    assert max(run.objective_[-1] for run in runs) == pytest.approx(49 / 72)  # some stay at 41 / 72
    found = runs[0]
    assert found.n_iter_ == 100
    assert (np.diff(found.objective_) >= 0).all()
    assert fit(E, 2, WANTED, solver="genetic", n_init=20).labels_.tolist() == found.labels_.tolist()


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_generations_do_not_lose_the_best(seed):
    rng = np.random.default_rng(seed)
    ensemble = Ensemble(rng.integers(0, 3, (12, 4)))
    known = Constraints(12, must_link=[(0, 1)], cannot_link=[(1, 2), (3, 4)], cannot_weight=[np.inf, 1])
    starts = fit(ensemble, 3, known, solver="genetic", n_init=5, max_iter=0, random_state=seed)
    found = fit(ensemble, 3, known, solver="genetic", n_init=5, max_iter=10, random_state=seed)
    assert found.objective_[0] == starts.objective_[-1]
    assert found.objective_[-1] >= found.objective_[0]
    assert found.objective_[-1] == pytest.approx(score(found.labels_, ensemble, known, 0.5))
    assert found.violations_.n_hard == 0


def test_children_are_made_of_their_parents():
    rng = np.random.default_rng(0)
    parents = np.array([np.repeat([0, 1, 2], 10), np.repeat([1, 2, 0], 10)])  # one partition under two names
    children = _genetic._children(parents, np.array([0.5, 0.5]), 3, rng)
    assert children.shape == (2, 30)
    same = parents[0][:, None] == parents[0]
    for child in children:  # crossing partitions that are equal but for their names changes nothing, mutation little
        assert ((child[:, None] == child) == same).mean() > 0.8
    assert _genetic.renamed(parents[1], parents[0], 3).tolist() == parents[0].tolist()
    far = np.array([[0] * 40, [1] * 20 + [0] * 20] * 10)
    crossed = _genetic._children(far, np.ones(20), 2, rng)
    assert len({tuple(child) for child in crossed}) > 2
    assert 0 < _genetic._children(np.zeros((2, 20_000), int), np.zeros(2), 2, rng).mean() < 0.01  # half of 1 %


def test_starts_from_features():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    ensemble = Ensemble([[0, 1, 2, 3, 4, 5]])  # says nothing
    model = ConstrainedConsistency(2, init="features", solver="genetic", max_iter=0, random_state=0, verbose=False)
    assert model.fit(ensemble, X=X).labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert model.takes_data
    assert not ConstrainedConsistency(2).takes_data
    apart = Constraints(6, cannot_link=[(0, 1)])
    assert model.fit(ensemble, X=X, constraints=apart).violations_.n_hard == 0
    with pytest.raises(ValueError, match=r"fit\(ensemble, X=X\)"):
        model.fit(ensemble)
    with pytest.raises(ValueError, match="X has 5 rows"):
        model.fit(ensemble, X=X[:5])


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["ascent", "genetic"]))
def test_normalized_consistency(seed, solver):
    rng = np.random.default_rng(seed)
    ensemble = Ensemble(rng.integers(0, 3, (8, 4)))
    known = Constraints(8, must_link=[(0, 1), (2, 3)], cannot_link=[(1, 2)], must_weight=1, cannot_weight=1)
    found = fit(ensemble, 3, known, normalize_acc=True, solver=solver, max_iter=5)
    assert found.acc_ == pytest.approx(score(found.labels_, ensemble, known, 0))
    assert found.objective_[-1] == pytest.approx(0.5 * found.acc_ / (1 - 1 / 3) + 0.5 * found.cs_)
    assert (np.diff(found.objective_) > -1e-12).all()


def test_two_parents_have_two_complementary_children(monkeypatch):
    monkeypatch.setattr(_genetic, "_CROSSING", 1.0)
    monkeypatch.setattr(_genetic, "_MUTATION", 0.0)
    one, other = np.repeat([0, 1], [20, 20]), np.repeat([0, 1], [10, 30])
    seen = set()
    for seed in range(20):
        first, second = _genetic._children(np.array([one, other]), np.ones(2), 2, np.random.default_rng(seed))
        seen |= {tuple(first), tuple(second)}
        if not np.array_equal(first, second):
            assert np.array_equal(first + second, one + other)  # nothing of either parent is lost
    assert len(seen) > 4


@pytest.mark.parametrize("normalize_acc", [False, True])
def test_no_single_move_helps_after_climbing(normalize_acc):
    rng = np.random.default_rng(0)
    for _ in range(10):
        ensemble = Ensemble(rng.integers(0, 4, (14, 5)))
        pairs = {"must_link": [(0, 1), (2, 3), (4, 5)], "cannot_link": [(0, 2), (1, 6), (7, 8)]}
        known = Constraints(14, **pairs, must_weight=1, cannot_weight=1)
        problem = Problem.of(ensemble, known, 3, 0.2, normalize_acc=normalize_acc)
        units = problem._climbed(rng.integers(0, 3, 14))
        best = problem.objective(units)
        for i, c in product(range(14), range(3)):
            moved = units.copy()
            moved[i] = c
            assert problem.objective(moved) <= best + 1e-9
