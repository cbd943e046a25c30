import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from pluribus import Constraints
from pluribus.constrained import Feedback, FeedbackClusterer
from pluribus.constrained.feedback._term_mixture import Separation, divergences, divergences_from

TERMS = ["cat", "dog", "once", "rhyme"]
FOUR = np.array([[5, 0, 9, 0], [5, 0, 0, 9], [0, 5, 9, 0], [0, 5, 0, 9]])


def blocks(k=4, each=12, seed=0):
    """Documents on k subjects, of which every second pair also shares a style."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), each)
    p = np.full((k, 6 * k), 0.3)
    for c in range(k):
        p[c, 4 * c : 4 * c + 4] = 3
        p[c, 4 * k + 4 * (c // 2) : 4 * k + 4 * (c // 2) + 4] = 1.5
    return sparse.csr_array(rng.poisson(p[y])), y


def fitted(k=4, **parameters):
    X, y = blocks()
    return FeedbackClusterer(k, random_state=0, n_init=3, verbose=False, **parameters).fit(X), y


def partition(labels):
    return {tuple(np.flatnonzero(labels == c)) for c in np.unique(labels)}


def test_apart_changes_where_others_go():
    model = FeedbackClusterer(2, random_state=0, verbose=False).fit(FOUR)
    assert partition(model.labels_) == {(0, 2), (1, 3)}
    assert model.apart(0, 2) is model
    assert partition(model.labels_) == {(0, 1), (2, 3)}
    assert sorted(term for (term,) in model.top_terms(1, TERMS)) == ["cat", "dog"]
    assert model.term_weights_[:2].min() > 1 > model.term_weights_[2:].max()
    assert model.satisfied_.tolist() == [True]


def test_together_lowers_what_tells_two_apart():
    model = FeedbackClusterer(2, random_state=0, verbose=False).fit(FOUR).together(0, 1)
    assert partition(model.labels_) == {(0, 1), (2, 3)}
    assert model.term_weights_[2:].max() < 1


def test_move_and_not_in_hold_and_leave_the_others():
    model, _ = fitted()
    before = model.labels_.copy()
    here, there = before[0], before[-1]
    model.move(0, there)
    assert model.labels_[0] == there
    assert (model.labels_[1:] == before[1:]).mean() > 0.9
    model.undo().not_in(0, here)
    assert model.labels_[0] != here
    assert (model.labels_[1:] == before[1:]).mean() > 0.75
    model.together(0, 1)  # which follows it out of the cluster
    assert model.labels_[0] == model.labels_[1] != here
    assert model.satisfied_.all()


def test_a_weight_makes_it_a_preference():
    X = np.array([[9, 0], [9, 0], [0, 9], [0, 9]])
    model = FeedbackClusterer(2, random_state=0, verbose=False).fit(X)
    with pytest.warns(UserWarning, match="do not differ in any term"):
        model.apart(0, 1, weight=1)
    assert model.satisfied_.tolist() == [False]
    assert (model.term_weights_ == 1).all()
    with pytest.warns(UserWarning, match="do not differ in any term"):
        model.undo().apart(0, 1)
    assert model.satisfied_.tolist() == [True]


def test_what_already_holds_changes_nothing():
    model, _ = fitted()
    before, weights = model.labels_.copy(), model.term_weights_
    model.together(0, 1).move(0, int(before[0])).apart(0, 47)
    assert (model.labels_ == before).all()
    assert (model.term_weights_ == weights).all()
    assert model.satisfied_.tolist() == [True] * 3


def test_split_and_merge():
    model, y = fitted(3)
    assert len(partition(y)) == 4
    mixed = next(c for c in range(3) if len(set(y[model.labels_ == c])) == 2)
    model.split(int(mixed))
    assert model.n_clusters_ == model.membership_.shape[1] == 4
    assert partition(model.labels_) == partition(y)
    moved = model.labels_[0]
    last = int(model.labels_.max())
    model.move(47, int(model.labels_[47])).merge(0, 1)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 3
    assert model.feedback_[1].about[1] == model.labels_[47]  # it speaks of the new numbers
    assert model.satisfied_.all()
    model.undo().undo()
    assert (model.n_clusters_, model.labels_[0], model.labels_.max()) == (4, moved, last)
    assert model.predict(model._given.X).max() == 3


def test_good_and_bad():
    model, _ = fitted()
    c = int(model.labels_[0])
    before = model.labels_.copy()
    good = model.good(c).term_weights_
    assert (model.labels_ == before).all()
    bad = model.undo().bad(c).term_weights_
    assert np.corrcoef(np.log(good), np.log(bad))[0, 1] < -0.9  # what one lowers the other raises


def test_divergence_from_a_cluster_is_that_of_pairs():
    X, _ = blocks()
    other = sparse.csr_array(np.tile(X[[5]].toarray(), (3, 1)), dtype=float)
    pairs = divergences(X[:3].astype(float), other, Separation(1.0)).toarray().sum(axis=0)
    seen = (X[:3].toarray() + X[[5]].toarray() > 0).all(axis=0)
    found = divergences_from(X[[5]].toarray().ravel().astype(float), X[:3], Separation(1.0))
    assert found[seen] == pytest.approx(pairs[seen])
    assert (found >= 0).all()


def test_undo_goes_back_and_refit_keeps_the_numbers():
    model, _ = fitted()
    first = model.labels_.copy()
    assert (model.refit().labels_ == first).all()
    model.apart(0, 1).apart(2, 3)
    assert [step.labels.tolist() for step in model.history_[:1]] == [first.tolist()]
    model.undo().undo().undo()
    assert (model.labels_ == first).all()
    assert model.feedback_ == ()
    with pytest.raises(ValueError, match="nothing to undo"):
        model.undo()


def test_several_statements_at_once_and_again_on_a_copy():
    model, _ = fitted()
    model.tell(Feedback("apart", (0, 1)), Feedback("together", (2, 40), 2.0))
    copy = clone(model).fit(blocks()[0]).tell(*model.feedback_)
    assert (copy.labels_ == model.labels_).all()
    assert (pickle.loads(pickle.dumps(model)).undo().labels_ == fitted()[0].labels_).all()


def test_with_constraints_given_before():
    X, _ = blocks()
    known = Constraints(48, cannot_link=[(0, 1)])
    model = FeedbackClusterer(4, random_state=0, n_init=2, verbose=False).fit(X, constraints=known)
    before = model.labels_.copy()
    with pytest.raises(ValueError, match=r"0.*1"):
        model.together(0, 1)
    assert (model.labels_ == before).all()
    assert model.feedback_ == ()
    assert model.apart(0, 2).violations_.count == 0


def test_top_terms_are_named_by_the_columns():
    model = FeedbackClusterer(2, random_state=0, verbose=False).fit(pd.DataFrame(FOUR, columns=TERMS))
    assert sorted(term for (term,) in model.top_terms(1)) == ["once", "rhyme"]
    assert FeedbackClusterer(2, random_state=0, verbose=False).fit(FOUR).top_terms(2)[0][0] in (2, 3)
    with pytest.raises(ValueError, match="names has 3 terms"):
        model.top_terms(1, TERMS[:3])


def test_somebody_who_knows_the_classes():
    model, y = fitted(2)
    model.run_oracle(np.where(y < 2, "a", "b"), 5)
    assert partition(model.labels_) == partition(y < 2)
    assert len(model.feedback_) <= 5
    assert {said.verb for said in model.feedback_} <= {"apart"}
    with pytest.raises(ValueError, match="y has 3 labels"):
        model.run_oracle([0, 1, 1])


@pytest.mark.parametrize(
    ("say", "word"),
    [
        (lambda model: model.apart(0, 0), "two different objects"),
        (lambda model: model.apart(0, 48), "no object 48"),
        (lambda model: model.move(0, 4), "no cluster 4"),
        (lambda model: model.merge(1, 1), "two different clusters"),
        (lambda model: model.good(-1), "no cluster -1"),
        (lambda model: model.not_in(0, 1, weight=0), "weight=0"),
        (lambda model: model.apart(0, 1.5), "row numbers"),
        (lambda model: model.tell(Feedback("praise", (0,))), "no verb"),
        (lambda model: model.tell(Feedback("apart", (0,))), "2 numbers"),
        (lambda model: model.tell(Feedback("apart", 3)), "2 numbers"),
        (lambda model: model.tell([[1, 2], [3]]), "no verb"),
        (lambda model: model.tell(5), "5 is not a statement"),
        (lambda model: model.tell(("good",)), "is not a statement"),
        (lambda model: model.apart(range(3), 1), "row numbers"),
        (lambda model: model.apart(0, True), "row numbers"),
        (lambda model: model.apart(0, 1, weight="much"), "weight='much'"),
        (lambda model: model.tell(Feedback("split", (0,)), Feedback("good", (1,))), "alone"),
        (lambda model: model.move(0, 0).move(0, 1), r"no permitted cluster after move\(0, 0\), move\(0, 1\)"),
        (lambda model: model.move(0, 0).move(1, 1).together(0, 1), "cannot all hold"),
        (lambda model: model.apart(0, 1).together(0, 1), r"0.*1"),
    ],
)
def test_bad_feedback(say, word):
    model, _ = fitted(n_rounds=1)
    with pytest.raises(ValueError, match=word):
        say(model)


def test_a_cluster_of_equals_cannot_be_split():
    model = FeedbackClusterer(2, random_state=0, verbose=False).fit(np.array([[9, 0], [9, 0], [0, 9]]))
    with pytest.raises(ValueError, match="cannot be split"):
        model.split(0)
