import itertools

import numpy as np
import pytest
from sklearn.base import clone

from pluribus.temporal import TemporalEnsemble, TransitionSearch, extract_partitions
from pluribus.temporal._blocks import Limits, segments_of
from pluribus.temporal._evaluation import Goal, Score
from pluribus.temporal._fitness import Fitness, fitness_of

MEMBERS = TemporalEnsemble(["kmeans"], n_members=30, standardize=False)


def search(**parameters):
    return TransitionSearch(**{"ensemble": MEMBERS, "random_state": 0, "verbose": False} | parameters)


@pytest.mark.parametrize("seed", range(3))
def test_an_abrupt_change_is_found_exactly(abrupt, seed):
    X = abrupt(100, seed)
    model = TemporalEnsemble(["kmeans"], random_state=seed).fit(X)
    assert extract_partitions(model.coassociation_).tolist() == [[0] * 100 + [1] * 100] * 5


def test_nothing_is_removed_where_states_change_at_once(abrupt):
    model = search().fit(abrupt(40, 1))
    assert model.intervals_.tolist() == [[40, 39]]
    assert model.kept_.all()
    assert model.fitness_.total == pytest.approx(1)
    assert model.labels_.tolist() == [model.labels_[0]] * 40 + [1 - model.labels_[0]] * 40
    assert model.n_evaluations_ == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_genetic_algorithm_solves_the_smooth_change(smooth, seed):
    model = search(search="ga", random_state=seed).fit(smooth(60, seed))
    assert model.converged_
    assert model.fitness_.total >= 0.95
    assert model.n_evaluations_ <= 200
    (first, last) = model.intervals_[0]
    assert 6 <= first <= last < 54
    assert (model.kept_ == (segments_of((first, last), 60) >= 0)).all()


@pytest.mark.slow
def test_every_block_bounds_both_searches(smooth):
    X = smooth(40, 3)
    members = MEMBERS.set_params(random_state=0)
    limits = Limits.of(40, 1, 0.1, 0.6)
    every = [
        _slow(X, members, (a, b)).total
        for a, b in itertools.combinations_with_replacement(range(40), 2)
        if limits.allows((a, b))
    ]
    for how in ("grid", "ga"):
        assert search(search=how, threshold=1.0).fit(X).fitness_.total <= max(every) + 1e-9
    assert search(search="grid", threshold=1.0).fit(X).fitness_.total == pytest.approx(max(every))


def _slow(X, members, block):
    segment = segments_of(block, len(X))
    kept = segment >= 0
    evidence = TemporalEnsemble(**members.get_params()).fit(X[kept]).coassociation_
    return fitness_of(extract_partitions(evidence), segment[kept], 0.1)


def test_the_fitness_of_the_block_found(smooth):
    X = smooth(60, 2)
    model = search(ensemble=TemporalEnsemble(["kmeans"], standardize=False, random_state=5)).fit(X)
    slow = _slow(X, TemporalEnsemble(["kmeans"], standardize=False, random_state=5), tuple(model.intervals_[0]))
    np.testing.assert_allclose(model.fitness_, slow)


@pytest.mark.parametrize(
    "how", [{}, {"penalty": 0.1}, {"ensemble": TemporalEnsemble(sigmas=[0.5, 2]), "max_removed": 0.15}]
)
@pytest.mark.parametrize("seed", range(2))
def test_reversing_time_reverses_the_result(smooth, how, seed):
    X = smooth(40, seed)
    forth, back = search(**how).fit(X), search(**how).fit(X[::-1])
    assert back.fitness_ == forth.fitness_
    np.testing.assert_array_equal(back.kept_[::-1], forth.kept_)


def test_the_shortest_block_that_is_clean_is_taken(smooth):
    X = smooth(60, 0)
    model = search().fit(X)
    length = model.intervals_[0, 1] - model.intervals_[0, 0] + 1
    shorter = [(a, a + length - 2) for a in range(6, 54 - length)]
    if length > 1:
        assert all(_slow(X, clone(MEMBERS).set_params(random_state=_seed()), b).total < 0.95 for b in shorter[::5])


def _seed():
    from pluribus._engine import seeds

    return int(seeds(0, 2)[0])


def test_the_order_of_solutions():
    def score(total, first, last, contrast=0.5):
        return Score((first, last), Fitness(total, 1.0, total), contrast)

    def best(goal, *scores):
        return max(scores, key=lambda one: goal.rank(one, 100))

    clean_long, clean_short, fittest_below = score(1.0, 20, 59), score(0.96, 40, 44), score(0.94, 50, 50)
    plain = Goal(0.1, 0.95, 0.0)
    assert best(plain, clean_long, clean_short, fittest_below) == clean_short
    assert best(plain, score(0.9, 20, 59), fittest_below) == fittest_below
    assert best(plain, score(0.9, 20, 59), score(0.9, 30, 35)).block == (30, 35)
    assert best(plain, score(1.0, 10, 14, 0.2), score(1.0, 60, 64, 0.3)).block == (60, 64)
    assert best(Goal(0.1, 0.95, 1.0), clean_long, clean_short, fittest_below) == fittest_below


def test_a_penalty_removes_less(drift):
    X = drift(80, 1)
    free, short = search(search="ga", generations=5).fit(X), search(penalty=1.0).fit(X)
    assert (~short.kept_).sum() < (~free.kept_).sum()


def test_several_gaps(smooth):
    rng = np.random.default_rng(0)
    levels = np.concatenate(
        [np.zeros(20), np.linspace(0, 9, 8), np.full(20, 9.0), np.linspace(9, 18, 8), np.full(20, 18)]
    )
    X = levels[:, None] + 0.3 * rng.normal(size=(76, 2))
    model = search(n_gaps=2, generations=30).fit(X)
    assert model.intervals_.shape == (2, 2)
    assert model.converged_
    kept = [set(model.labels_[a:b]) - {-1} for a, b in ((0, 18), (30, 46), (58, 76))]
    assert [len(labels) for labels in kept] == [1, 1, 1]
    assert kept[0] != kept[1] != kept[2]


def test_the_same_seed_and_any_number_of_threads(smooth):
    X = smooth(60, 4)
    for how in ("grid", "ga"):
        one, two = (search(search=how, n_jobs=jobs).fit(X) for jobs in (1, 2))
        assert one.intervals_.tolist() == two.intervals_.tolist()
        assert one.history_ == two.history_


def test_a_stopped_search_continues(smooth, tmp_path, monkeypatch):
    from pluribus.temporal._evaluation import Evaluation

    X, own = smooth(60, 2), Evaluation._values
    whole = search().fit(X)
    calls = []

    def stop(self, block):
        calls.append(block)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return own(self, block)

    monkeypatch.setattr(Evaluation, "_values", stop)
    with pytest.raises(KeyboardInterrupt):
        search(checkpoint=tmp_path / "kept").fit(X)
    kept = len(list((tmp_path / "kept").glob("task-*.npz")))
    assert kept >= 20
    calls[:] = [None] * 100
    again = search(checkpoint=tmp_path / "kept").fit(X)
    assert again.intervals_.tolist() == whole.intervals_.tolist()
    assert len(calls) - 100 <= whole.n_evaluations_ - kept
    with pytest.raises(ValueError, match="another job"):
        search(checkpoint=tmp_path / "kept").fit(X + 1)
    with pytest.raises(ValueError, match="integer random_state"):
        search(checkpoint=tmp_path / "other", random_state=None).fit(X)


def test_partitions_of_the_user():
    X = np.arange(30.0)[:, None]

    def halves(rows, seed):
        return np.array([rows[:, 0] > 15, rows[:, 0] > 15]).astype(int)

    model = search(ensemble=halves).fit(X)
    assert model.intervals_.tolist() == [[16, 15]]
    with pytest.raises(ValueError, match="ensemble gave an array of shape"):
        search(ensemble=lambda rows, seed: np.zeros(len(rows))).fit(X)


def test_equal_rows_are_one_state():
    with pytest.warns(UserWarning, match="All rows of X are equal"):
        model = search().fit(np.ones((20, 2)))
    assert model.intervals_.shape == (0, 2)
    assert model.labels_.tolist() == [0] * 20
    assert not model.converged_


def test_below_the_threshold_is_no_error():
    model = search(search="ga", generations=2).fit(np.random.default_rng(0).normal(size=(40, 2)))
    assert not model.converged_
    assert model.fitness_.total < 0.95


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"threshold": 1.5}, "threshold"),
        ({"alpha": -0.1}, "alpha"),
        ({"p_recomb": 2}, "p_recomb"),
        ({"p_mut": -1}, "p_mut"),
        ({"population": 1}, "population"),
        ({"generations": 0}, "generations"),
        ({"search": "random"}, "search"),
        ({"search": "grid", "n_gaps": 2}, "search='grid' is for one gap"),
        ({"n_gaps": 0}, "n_gaps"),
        ({"n_gaps": 9}, "give more rows, fewer gaps"),
        ({"max_removed": 0.0}, "max_removed"),
        ({"min_segment": 0.6}, "min_segment"),
        ({"ensemble": "kmeans"}, "ensemble"),
    ],
)
def test_bad_parameters(smooth, change, words):
    with pytest.raises(ValueError, match=words):
        search(**change).fit(smooth(30))


@pytest.mark.parametrize("X", [np.full((20, 2), np.nan), np.ones((6, 2)), [["a"]] * 20, np.zeros(20), np.zeros((0, 2))])
def test_bad_rows(X):
    with pytest.raises(ValueError):
        search().fit(X)


def test_an_odd_population(smooth):
    assert search(search="ga", population=7, generations=2).fit(smooth(40)).n_evaluations_ <= 14
