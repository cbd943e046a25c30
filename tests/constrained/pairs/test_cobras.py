"""COBRAS: exact small examples, a slow oracle for the merging, anytime results, and bad input."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator

from constrained.shared import column
from pluribus import Constraints
from pluribus.constrained import Cobras, by_name
from pluribus.constrained.pairs._super_instances import SuperInstances
from pluribus.constrained.pairs.cobras import _merge
from pluribus.constraints import Answers, ConstraintError

IRIS, SPECIES = load_iris(return_X_y=True)
FOUR = column(0, 1, 8, 9)


def cobras(**how):
    return Cobras(**{"random_state": 0, "verbose": False, **how})


# -- exact small examples --------------------------------------------------------------------------------------------


def test_four_rows_question_by_question():
    model = cobras().fit(FOUR, oracle=["a", "a", "b", "b"])
    # The halves; the first half again, which fixes the level at 2; later the halves of the other half.
    assert model.questions_ == ((0, 2, "apart"), (0, 1, "together"), (2, 3, "together"))
    assert model.history_ == ((0, 1), (2, 2), (2, 2), (3, 2))
    assert [model.labels_after(q).tolist() for q in (0, 1, 2, 3, 99)] == [[0] * 4, [0] * 4, *[[0, 0, 1, 1]] * 3]
    assert model.super_instances_.tolist() == [0, 1, 2, 3]
    assert model.medoids_.tolist() == [0, 1, 2, 3]
    assert model.n_clusters_ == 2
    assert model.violations_.count == 0


def test_an_unfinished_round_does_not_count():
    model = cobras(max_questions=1).fit(FOUR, oracle=["a", "a", "b", "b"])
    assert model.labels_.tolist() == [0, 0, 0, 0]
    assert len(model.questions_) == 1
    assert model.super_instances_.tolist() == [0, 0, 0, 0]


def test_the_level_doubles_with_each_halving_apart():
    """The halves around 10 and 110 are apart, and so are those around 0 and 11: then there are 4 parts."""
    X, y = column(0, 1, 10, 11, 12, 100, 101, 110, 111, 112), [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
    model = cobras(max_questions=9).fit(X, oracle=y)
    assert model.questions_[:3] == ((2, 7, "apart"), (0, 3, "apart"), (0, 1, "together"))
    assert model.history_[1] == (8, 4)  # 5 of the 6 pairs of medoids were not known
    assert adjusted_rand_score(model.labels_, y) == 1


def test_clusters_that_are_not_round_are_made_of_several_super_instances():
    X, y = column(0, 1, 10, 11, 20, 21), ["outer", "outer", "inner", "inner", "outer", "outer"]
    model = cobras().fit(X, oracle=y)
    assert model.labels_.tolist() == [0, 0, 1, 1, 0, 0]


def test_rows_that_belong_together_ask_once_per_split():
    model = cobras().fit(column(0, 1, 2, 4), oracle=[7, 7, 7, 7])
    assert model.n_clusters_ == 1
    assert {answer.answer for answer in model.questions_} == {"together"}
    assert len(model.questions_) == 3  # a spanning tree of four rows


# -- the merging, by a slow oracle -----------------------------------------------------------------------------------


class FakeTree:
    """Medoids on a plane."""

    def __init__(self, points):
        self.points, self.medoids, self.leaves = points, list(range(len(points))), np.arange(len(points))

    def distances(self, some, others):
        return np.linalg.norm(self.points[some][:, None] - self.points[others][None], axis=2)


class Asking:
    """Answers by labels, all from the start unknown, and what was asked."""

    def __init__(self, truth, known):
        self.truth, self.answers, self.asked = truth, Answers(len(truth), known), []

    def relation(self, i, j):
        known = self.answers.relation(i, j)
        if known is None:
            self.asked.append({i, j})
            known = "unsure" if min(self.truth[i], self.truth[j]) < 0 else None
            known = known or ("together" if self.truth[i] == self.truth[j] else "apart")
            self.answers.tell(i, j, known)
        return known


def merge_slowly(points, clusters, asking):
    """Look for the closest clusters again after each answer; an answer for each pair of clusters is known by search."""
    groups = [{node for node, own in clusters.items() if own == name} for name in sorted(set(clusters.values()))]
    while True:
        unknown = [
            (min(np.linalg.norm(points[i] - points[j]) for i in a for j in b), a, b)
            for a, b in combinations(groups, 2)
            if asking.answers.relation(min(a), min(b)) is None
        ]
        if not unknown:
            break
        _, a, b = min(unknown, key=lambda one: one[0])
        i, j = min(((i, j) for i in a for j in b), key=lambda pair: np.linalg.norm(points[pair[0]] - points[pair[1]]))
        asking.relation(i, j)
        joined = [(a, b) for a, b in combinations(groups, 2) if asking.answers.relation(min(a), min(b)) == "together"]
        for a, b in joined:
            groups = [group for group in groups if group not in (a, b)] + [a | b]
    return {frozenset(group) for group in groups}


@pytest.mark.parametrize("seed", range(30))
def test_one_pass_merges_and_asks_like_a_new_search_after_each_answer(seed):
    rng = np.random.default_rng(seed)
    n, n_old = 14, 6
    points, truth = rng.normal(size=(n, 2)), rng.integers(-1 if seed % 3 == 0 else 0, 3, size=n)
    truth[:n_old] = np.abs(truth[:n_old])
    # Before the split, clusters are known to be together inside, and apart from each other.
    known = Constraints(n, labels=np.where(np.arange(n) < n_old, truth, -1))
    clusters = {node: int(truth[node]) if node < n_old else 100 + node for node in range(n)}
    fast, slow = Asking(truth, known), Asking(truth, known)
    expected = merge_slowly(points, dict(clusters), slow)
    _merge(FakeTree(points), np.arange(n_old, n), clusters, fast)
    found = {frozenset(node for node in clusters if clusters[node] == name) for name in clusters.values()}
    assert found == expected
    assert fast.asked == slow.asked


# -- what holds for any data -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asked():
    return cobras(max_questions=40).fit(IRIS, oracle=SPECIES)


def test_nothing_is_asked_that_follows_from_the_answers(asked):
    replayed = Answers(150)
    for one, other, answer in asked.questions_:
        assert replayed.relation(one, other) is None
        assert answer == ("together" if SPECIES[one] == SPECIES[other] else "apart")
        replayed.tell(one, other, answer)
    assert len(asked.questions_) == 40


def test_any_time_is_the_end_of_a_smaller_budget(asked):
    for q in (0, 3, 10, 17, 40):
        short = cobras(max_questions=q).fit(IRIS, oracle=SPECIES)
        assert short.questions_ == asked.questions_[:q]
        np.testing.assert_array_equal(short.labels_, asked.labels_after(q))
    np.testing.assert_array_equal(asked.labels_after(40), asked.labels_)
    assert adjusted_rand_score(SPECIES, asked.labels_) > 0.85


def test_clusters_are_unions_of_super_instances_whose_medoids_are_inside(asked):
    assert asked.super_instances_.max() + 1 == len(asked.medoids_)
    np.testing.assert_array_equal(asked.super_instances_[asked.medoids_], np.arange(len(asked.medoids_)))
    np.testing.assert_array_equal(asked.labels_[asked.medoids_][asked.super_instances_], asked.labels_)
    # Medoids of one cluster are known to be together, those of others to be apart.
    for i, j in combinations(asked.medoids_.tolist(), 2):
        same = asked.labels_[i] == asked.labels_[j]
        assert asked.answers_.relation(i, j) in (("together",) if same else ("apart", None))
    sizes = np.bincount(asked.labels_)
    assert (np.diff(sizes) <= 0).all()


def test_a_medoid_is_the_row_nearest_to_the_mean():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = cobras(max_questions=15).fit(X, oracle=(X[:, 0] > 0).astype(int))
    for h, medoid in enumerate(model.medoids_):
        rows = np.flatnonzero(model.super_instances_ == h)
        away = np.linalg.norm(X[rows] - X[rows].mean(axis=0), axis=1)
        assert rows[away.argmin()] == medoid


def test_the_same_seed_asks_the_same(asked):
    again = cobras(max_questions=40).fit(IRIS, oracle=lambda i, j: "together" if SPECIES[i] == SPECIES[j] else "apart")
    assert again.questions_ == asked.questions_
    np.testing.assert_array_equal(again.labels_, asked.labels_)


def test_rows_predict_their_own_cluster(asked):
    np.testing.assert_array_equal(asked.predict(IRIS), asked.labels_)
    restored = pickle.loads(pickle.dumps(asked))
    np.testing.assert_array_equal(restored.predict(IRIS + 1e-9), asked.labels_)
    np.testing.assert_array_equal(restored.labels_after(20), asked.labels_after(20))
    wide = np.random.default_rng(0).normal(size=(400, 100))
    model = cobras(max_questions=5).fit(wide, oracle=np.arange(400) % 2)
    assert len(pickle.dumps(model)) < wide.nbytes / 2  # no rows, and no labels of each question


def test_new_rows_join_the_nearest_super_instance():
    model = cobras().fit(FOUR, oracle=["a", "a", "b", "b"])
    assert model.predict(column(-5, 4.4, 4.6, 50)).tolist() == [0, 0, 1, 1]


def test_prediction_uses_the_last_finished_round():
    """After one question the tree has no split that counts; after a finished round later splits do not count."""
    assert cobras(max_questions=1).fit(FOUR, oracle=[0, 0, 1, 1]).predict(column(-5, 50)).tolist() == [0, 0]
    for q in (2, 5, 8, 11, 14):
        model = cobras(max_questions=q).fit(IRIS, oracle=SPECIES)
        np.testing.assert_array_equal(model.predict(IRIS), model.labels_)


def test_all_questions_find_all_classes():
    X, y = make_blobs(60, centers=4, cluster_std=4.0, random_state=1)
    model = cobras(max_questions=None).fit(X, oracle=y)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.violations_.count == 0
    assert len(model.medoids_) == 60


CLOUD = np.random.default_rng(5).normal(size=(80, 3))  # no ties
SIDES = (CLOUD[:, 0] + CLOUD[:, 1] > 0).astype(int)


@pytest.mark.parametrize("other", [sparse.csr_array(CLOUD), CLOUD.astype(np.float32), CLOUD + 1e8, CLOUD.tolist()])
def test_other_forms_of_the_same_rows(other):
    plain = cobras(max_questions=12).fit(CLOUD, oracle=SIDES)
    same = cobras(max_questions=12).fit(other, oracle=SIDES)
    assert same.questions_ == plain.questions_
    np.testing.assert_array_equal(same.labels_, plain.labels_)
    np.testing.assert_array_equal(same.predict(other), plain.labels_)


# -- answers ---------------------------------------------------------------------------------------------------------


def test_known_answers_are_not_asked_for_again():
    first = cobras(max_questions=15).fit(IRIS, oracle=SPECIES)
    with pytest.warns(UserWarning, match="hard constraints are broken"):  # by the medoids that speak later
        second = cobras(max_questions=25).fit(IRIS, oracle=SPECIES, constraints=first.answers_.constraints)
    whole = cobras(max_questions=40).fit(IRIS, oracle=SPECIES)
    assert second.questions_ == whole.questions_[15:]
    np.testing.assert_array_equal(second.labels_, whole.labels_)


def test_without_an_oracle_constraints_answer():
    answers = cobras().fit(FOUR, oracle=[0, 0, 1, 1]).answers_.constraints
    model = cobras().fit(FOUR, constraints=answers)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.questions_ == ()
    assert cobras().fit(FOUR).labels_.tolist() == [0, 0, 0, 0]
    assert cobras(max_questions=0).fit(FOUR, oracle=[0, 0, 1, 1]).n_clusters_ == 1


def test_constraints_about_other_objects_may_be_broken_with_a_warning():
    known = Constraints(4, cannot_link=[(2, 3)])
    with pytest.warns(UserWarning, match="1 hard constraints are broken, because Cobras uses them only to answer"):
        model = cobras(max_questions=2).fit(FOUR, oracle=[0, 0, 1, 1], constraints=known)
    assert model.violations_.count == 1


def test_unsure_answers_keep_clusters_apart_and_end_the_search_for_a_level():
    model = cobras().fit(FOUR, oracle=lambda i, j: "unsure")
    assert model.n_clusters_ == 4
    assert model.questions_[0] == (0, 2, "unsure")
    assert len({frozenset(question[:2]) for question in model.questions_}) == len(model.questions_)
    unknown = cobras().fit(FOUR, oracle=["a", None, "b", "b"])
    assert unknown.questions_[1] == (0, 1, "unsure")
    assert unknown.labels_[2] == unknown.labels_[3] != unknown.labels_[0]


def test_an_oracle_that_fails_leaves_the_answers_so_far():
    def tired(i, j):
        if len(model.answers_) == 3:
            raise KeyboardInterrupt
        return "together" if SPECIES[i] == SPECIES[j] else "apart"

    model = cobras()
    with pytest.raises(KeyboardInterrupt):
        model.fit(IRIS, oracle=tired)
    assert len(model.answers_) == 3
    with pytest.raises(NotFittedError):
        model.labels_after(3)


@pytest.mark.parametrize("answer", [True, None, "yes", 1, ["together"]])
def test_other_answers_are_refused(answer):
    with pytest.raises(ConstraintError, match="an answer is one of together, apart, unsure"):
        cobras().fit(FOUR, oracle=lambda i, j: answer)


# -- weights ---------------------------------------------------------------------------------------------------------


def test_weights_decide_which_super_instance_is_largest():
    """The first split is into the first three rows and the last two; then either may be the largest."""
    X, y = column(0, 1, 2, 50, 51), [0, 0, 0, 1, 1]
    for weights, largest in ((None, {0, 1, 2}), ([1, 1, 1, 10, 11], {3, 4})):
        tree = cobras().fit(X, oracle=y, sample_weight=weights)._tree
        assert set(tree.medoids[3:5]) <= largest  # 1 and 2 are of the first split, 3 and 4 of the second


def test_rows_without_weight_do_not_speak():
    X, y = column(0, 1, 2, 10, 11, 12), [0, 0, 0, 1, 1, 1]
    model = cobras(max_questions=2).fit(X, oracle=y, sample_weight=[1, 0, 1] * 2)
    assert model.labels_.tolist() == y
    assert not {1, 4} & set(model.medoids_.tolist())
    far = cobras().fit(column(0, 1, 2, 3, 50), oracle=[0, 0, 1, 1, 2], sample_weight=[1, 1, 1, 1, 0])
    assert far.labels_.tolist() == [1, 1, 0, 0, 0]  # it joins the nearest
    # In a region in which no row counts, all do.
    parts = SuperInstances(FOUR, np.zeros(4), 0).parts_of(np.arange(4), 2)
    assert [part.rows.tolist() for part in parts] == [[0, 1], [2, 3]]


def test_weights_that_overflow_are_refused():
    with pytest.raises(ValueError, match="sample_weight has values as large as"):
        cobras().fit(FOUR, oracle=[0, 0, 1, 1], sample_weight=np.full(4, 1e308))


# -- bad input -------------------------------------------------------------------------------------------------------


def test_one_row_and_equal_rows():
    one = cobras().fit([[1.0, 2.0]], oracle=["a"])
    assert (one.labels_.tolist(), one.n_clusters_, one.questions_) == ([0], 1, ())
    assert one.predict([[5.0, 5.0]]).tolist() == [0]
    equal = cobras().fit(np.ones((20, 2)), oracle=np.arange(20))
    assert (equal.n_clusters_, equal.questions_) == (1, ())
    two = cobras().fit(column(0, 0, 0, 1, 1), oracle=[0, 0, 0, 1, 1])
    assert two.labels_.tolist() == [0, 0, 0, 1, 1]
    assert len(two.questions_) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_questions": -1}, "max_questions"),
        ({"max_questions": 2.5}, "max_questions"),
        ({"max_questions": "many"}, "max_questions"),
        ({"random_state": "seed"}, "random_state"),
        ({"verbose": "loud"}, "verbose"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        cobras(**parameters).fit(FOUR, oracle=[0, 0, 1, 1])


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        ([0, 1], "oracle needs one entry for each of the 4 objects"),
        ("abcd", "oracle must be a sequence"),
        (5, "oracle must be"),
    ],
)
def test_wrong_oracles(oracle, message):
    with pytest.raises(ConstraintError, match=message):
        cobras().fit(FOUR, oracle=oracle)


def test_wrong_tables_and_constraints():
    with pytest.raises(ValueError, match="NaN"):
        cobras().fit([[np.nan], [1.0]], oracle=[0, 1])
    with pytest.raises(ValueError, match="could not convert string to float"):
        cobras().fit([["a"], ["b"]], oracle=[0, 1])
    with pytest.raises(ValueError, match="whose squares float64 cannot hold"):
        cobras().fit(1e300 * np.eye(3), oracle=[0, 1, 2])
    with pytest.raises(ValueError, match="3 objects"):
        cobras().fit(FOUR, oracle=[0, 0, 1, 1], constraints=Constraints(3))
    fitted = cobras().fit(FOUR, oracle=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="n_questions"):
        fitted.labels_after(-1)
    with pytest.raises(ValueError, match="2 features"):
        fitted.predict([[1.0, 2.0]])
    with pytest.raises(NotFittedError):
        cobras().predict(FOUR)


def test_it_is_found_by_name_and_is_an_estimator():
    assert type(by_name("COBRAS")(max_questions=5)) is Cobras
    assert clone(cobras(max_questions=7)).max_questions == 7
    np.testing.assert_array_equal(
        cobras().fit_predict(FOUR, oracle=[0, 0, 1, 1]), cobras().fit(FOUR, oracle=[0, 0, 1, 1]).labels_
    )
    check_estimator(
        cobras(), expected_failed_checks={"check_clustering": "nobody answers there, and the rows are one cluster"}
    )


@pytest.mark.slow
def test_a_hundred_thousand_rows():
    X, y = make_blobs(100_000, centers=8, n_features=10, cluster_std=3.0, random_state=0)
    model = cobras(max_questions=60).fit(X, oracle=y)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.n_clusters_ == 8
