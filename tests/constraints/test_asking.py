import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs

from pluribus import Constraints
from pluribus.constraints import (
    Answers,
    ConstraintError,
    ContradictionError,
    FarthestFirst,
    MinMax,
    NormalizedUncertainty,
    ask,
    normalized_uncertainty,
    questions,
)

SELECTORS = [FarthestFirst, MinMax, NormalizedUncertainty]


@pytest.fixture
def few_trees(monkeypatch):
    """For tests of what may be asked, whatever the forest thinks best."""
    monkeypatch.setattr(normalized_uncertainty, "_TREES", 5)


def blobs(n=60, k=3):
    return make_blobs(n, centers=[[10 * c, (-1) ** c] for c in range(k)], random_state=0)


@given(st.lists(st.integers(0, 2), min_size=2, max_size=9), st.data())
def test_relations_are_what_the_closure_entails(y, data):
    n = len(y)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=8))
    known = data.draw(st.sampled_from([None, Constraints(n, must_link=[(0, n - 1)]) if y[0] == y[-1] else None]))
    answers = Answers(n, known)
    for i, j in pairs:
        if i != j:
            answers.tell(i, j, "together" if y[i] == y[j] else "apart")
    entailed = {(i, j): kind for i, j, kind in answers.constraints.entailed_pairs()}
    words = {"must-link": "together", "cannot-link": "apart"}
    for i, j in itertools.combinations(range(n), 2):
        assert answers.relation(i, j) == answers.relation(j, i) == words.get(entailed.get((i, j)))
    members = np.concatenate([*answers.groups(), np.empty(0, int)])
    assert len(np.unique(members)) == len(members)


def test_undo_brings_the_state_before():
    answers = Answers(5)
    answers.tell(0, 1, "together")
    answers.tell(1, 2, "unsure")
    answers.tell(2, 3, "apart")
    answers.tell(0, 2, "together")
    assert answers.relation(1, 3) == "apart"
    answers.undo()
    assert (answers.relation(1, 3), answers.relation(0, 2), len(answers)) == (None, "unsure", 3)
    for _ in range(3):
        answers.undo()
    assert answers.groups() == []
    with pytest.raises(ConstraintError, match="no answer to take back"):
        answers.undo()


def test_bad_answers():
    answers = Answers(3, Constraints(3, must_link=[(0, 1)]))
    answers.tell(1, 2, "apart")
    with pytest.raises(ContradictionError, match="1 –must-link– 0 –must-link– 2"):
        answers.tell(0, 2, "together")
    assert len(answers) == 1
    with pytest.raises(ConstraintError, match="one of together, apart, unsure; got 'maybe'"):
        answers.tell(0, 1, "maybe")
    with pytest.raises(ConstraintError, match="are the same"):
        answers.tell(2, 2, "together")
    with pytest.raises(ConstraintError, match="object 3 is not there"):
        answers.tell(0, 3, "together")
    with pytest.raises(ConstraintError, match="about 4 objects, but the answers"):
        Answers(3, Constraints(4))


def test_answers_in_a_file(tmp_path):
    ids = ["ann", "bob", "eve", "joe"]
    answers = Answers(4)
    for told in ((3, 0, "apart"), (1, 2, "unsure"), (0, 1, "together")):
        answers.tell(*told)
    answers.write(tmp_path / "a.csv", ids=ids)
    again = Answers.read(tmp_path / "a.csv", 4, ids=ids)
    assert again.given == answers.given
    assert Constraints.read(tmp_path / "a.csv", ids=ids) == answers.constraints
    Answers(4).write(tmp_path / "none.csv", ids=ids)
    assert len(Answers.read(tmp_path / "none.csv", 4, ids=ids)) == 0
    (tmp_path / "a.csv").write_text("one,other,type,weight\nann,bob,must-link,2\n")
    with pytest.raises(ConstraintError, match="row 2 has a weight"):
        Answers.read(tmp_path / "a.csv", 4, ids=ids)
    (tmp_path / "a.csv").write_text("one,other,type\nann,bob,ml\nbob,eve,ml\neve,ann,cl\n")
    with pytest.raises(ContradictionError, match="'ann'"):
        Answers.read(tmp_path / "a.csv", 4, ids=ids)


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("method", SELECTORS)
def test_every_selector_asks_only_what_is_open_and_settles_all(method):
    X, y = blobs(24)
    answers = Answers(24)
    for question in questions(method(X, 3, random_state=0), answers=answers):
        assert answers.relation(question.one, question.other) is None
        question.answer("together" if y[question.one] == y[question.other] else "apart")
    assert answers.constraints.violations(y).count == 0
    # With k = 3 known, whoever is apart from two clusters is in the third without being asked.
    assert len(answers) < 24 * 2
    assert all((answers.relation(i, j) is not None) or y[i] == y[j] for i, j in itertools.combinations(range(24), 2))


@pytest.mark.parametrize("method", SELECTORS)
def test_all_clusters_are_met_first(method):
    X, y = blobs()
    told = ask(method(X, 3, random_state=1), y, 3)
    seen = np.unique(np.concatenate([told.must_link, told.cannot_link]))
    assert set(y[seen]) == {0, 1, 2}


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("method", SELECTORS)
def test_asking_goes_on_where_it_ended(method):
    X, y = blobs(40)
    whole = Answers(40)
    ask(method(X, 3, random_state=0), y, 12, answers=whole)
    parts = Answers(40)
    ask(method(X, 3, random_state=0), y, 5, answers=parts)
    for _ in range(2):
        parts.undo()
    ask(method(X, 3, random_state=0), y, 9, answers=parts)
    assert parts.given == whole.given


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("method", SELECTORS)
def test_unsure_is_not_asked_again(method):
    X, y = blobs(12)
    asked = []

    def oracle(i, j):
        asked.append(frozenset((i, j)))
        return "unsure" if len(asked) % 2 else ("together" if y[i] == y[j] else "apart")

    ask(method(X, 3, random_state=0), oracle)
    assert len(asked) == len(set(asked))
    unsure = ask(method(X, 3, random_state=0), [None] * 12)
    assert (len(unsure.must_link), len(unsure.cannot_link)) == (0, 0)


def test_what_is_known_beforehand_is_not_asked():
    X, y = blobs(30)
    known = Constraints.from_labels(np.where(np.arange(30) < 25, y, -1))
    answers = Answers(30, known)
    told = ask(MinMax(X, 3, random_state=0), y, answers=answers)
    assert len(answers) <= 10
    assert told.closure().n_chunks == 3 or told.violations(y).count == 0


def test_min_max_takes_the_farthest():
    X = [[0.0], [1.0], [2.0], [50.0], [100.0]]
    selector = MinMax(X, random_state=0)
    answers = Answers(5)
    one, other = selector.next_pair(answers)
    assert abs(X[one][0] - X[other][0]) == max(abs(X[one][0] - x[0]) for x in X)


def test_sparse_data_and_duplicates():
    X, y = blobs(30)
    dense = ask(MinMax(X, 3, random_state=0), y, 10)
    assert ask(MinMax(sparse.csr_matrix(X), 3, random_state=0), y, 10) == dense
    assert len(ask(MinMax(np.zeros((4, 2)), random_state=0), [0] * 4).must_link) == 3


def test_uncertain_objects_beat_random_ones():
    """What is asked of iris is about the two species that overlap."""
    X, y = load_iris(return_X_y=True)
    answers = Answers(150)
    ask(NormalizedUncertainty(X, 3, random_state=0), y, 15, answers=answers)
    asked = np.array([(a.one, a.other) for a in answers.given])
    assert np.mean((y[asked] > 0).all(axis=1)) > 0.6


def test_bad_calls():
    X, y = blobs(6)
    with pytest.raises(ConstraintError, match="n_clusters=1"):
        MinMax(X, 1)
    with pytest.raises(ConstraintError, match="needs the number of clusters"):
        NormalizedUncertainty(X, None)
    with pytest.raises(ConstraintError, match="n_questions=-1"):
        ask(MinMax(X), y, -1)
    with pytest.raises(ConstraintError, match="about 5 objects"):
        ask(MinMax(X), y, 1, answers=Answers(5))
    with pytest.raises(ConstraintError, match="was not answered"):
        list(questions(MinMax(X)))
    with pytest.raises(ConstraintError, match="got 'perhaps'"):
        ask(MinMax(X), lambda i, j: "perhaps", 1)
    with pytest.raises(ValueError, match="minimum of 2"):
        MinMax(X[:1])


def test_known_labels_are_apart_without_a_word():
    """Objects of different known classes are apart, whatever joins their groups; many classes are no trouble."""
    n = 20_000
    answers = Answers(n, Constraints(n, labels=[*range(n - 2), None, None]))
    assert answers.relation(0, 1) == "apart"
    assert answers.relation(0, n - 1) is None
    answers.tell(n - 2, n - 1, "together")
    answers.tell(n - 1, 0, "together")
    assert answers.relation(n - 2, 1) == "apart"
    with pytest.raises(ContradictionError):
        answers.tell(n - 2, 1, "together")
    answers.undo()
    assert answers.relation(n - 2, 1) is None
