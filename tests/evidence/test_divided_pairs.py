import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pluribus.constraints import Answers, ask
from pluribus.evidence import CoAssociation, DividedPairs
from pluribus.generate import Generator


def ensemble(n=200, seed=0):
    X, y = make_blobs(n, centers=[[0, 0], [3, 0], [0, 6]], random_state=seed)
    generator = Generator(n_members=30, n_clusters=(2, 6), random_state=seed, verbose=False)
    return generator.generate(X), y


def test_the_first_question_is_on_a_pair_that_divides():
    members, _ = ensemble()
    i, j = DividedPairs(members, random_state=0).next_pair(Answers(200))
    assert 0.25 < CoAssociation(members).pairs([i], [j])[0] < 0.75


def test_questions_are_spread_and_open():
    members, y = ensemble()
    answers = Answers(200)
    told = ask(DividedPairs(members, random_state=0), y, 20, answers=answers)
    pairs = np.array([(a.one, a.other) for a in answers.given])
    groups = members.unique_rows().inverse[pairs]
    assert (groups[:, 0] != groups[:, 1]).all()
    assert len({frozenset(g) for g in groups.tolist()}) == 20
    assert len(np.unique(pairs)) > 25
    assert told.violations(y).count == 0


def test_undo_and_going_on():
    members, y = ensemble()
    whole, parts = Answers(200), Answers(200)
    ask(DividedPairs(members, random_state=0), y, 10, answers=whole)
    selector = DividedPairs(members, random_state=0)
    ask(selector, y, 6, answers=parts)
    parts.undo()
    parts.undo()
    ask(selector, y, 6, answers=parts)
    assert parts.given == whole.given


@pytest.mark.parametrize("labels", [[[0, 0, 1, 1]] * 3, [[0, 1, 2, 3]], [[0]]])
def test_nothing_to_ask_where_all_agree(labels):
    assert DividedPairs(labels).next_pair(Answers(len(labels[0]))) is None


def test_missing_labels_and_many_objects():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 5, (3_000, 6))
    selector = DividedPairs(labels, random_state=0)
    pair = selector.next_pair(Answers(3_000))
    assert pair is not None
    assert CoAssociation(labels, form="operator").pairs([pair[0]], [pair[1]])[0] == pytest.approx(0.5, abs=0.2)
