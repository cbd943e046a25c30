"""What cannot be meant is refused in words."""

import numpy as np
import pytest
from scipy import sparse

from pluribus import Constraints
from pluribus.constraints import (
    Answers,
    ConstraintError,
    FarthestFirst,
    MinMax,
    ask,
    disjoint_pairs,
    log_odds,
    questions,
    random_pairs,
    suspects,
    teachers,
)

X = [[0.0], [1], [9], [10]]
Y = [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_pairs(Y, 2.5), "n_pairs=2.5"),
        (lambda: random_pairs(Y, True), "n_pairs=True"),
        (lambda: random_pairs(iter(Y), 2), "y must be a sequence"),
        (lambda: random_pairs(None, 2), "y must be a sequence"),
        (lambda: random_pairs(Y, 2, noise=[0.1]), "noise="),
        (lambda: random_pairs(Y, 2, noise=0.5), "noise=0.5"),
        (lambda: disjoint_pairs(Y, "half"), "fraction='half'"),
        (lambda: teachers(Y, 1, 2.5), "n_each=2.5"),
        (lambda: teachers(Y, None, 2), "n_teachers=None"),
        (lambda: log_odds(sparse.eye_array(2)), "certainty="),
        (lambda: Constraints.from_labels(5), "y must be a sequence"),
        (lambda: Constraints(3).merge([(0, 1)]), "got list"),
        (lambda: Constraints(3).flip((0.1,)), "q="),
        (lambda: Constraints(3).closure({}), "k={}"),
        (lambda: suspects([(0, 1)]), "got list"),
        (lambda: Answers(3, known="x"), "got str"),
        (lambda: Answers(3).tell((0,), 1, "apart"), "object .* is not there"),
        (lambda: Answers(3).tell(0, 1.5, "apart"), "object 1.5 is not there"),
        (lambda: Answers(3).tell(0, 1, ["apart"]), "an answer is one of"),
        (lambda: Answers(3).write("answers.csv", ids=5), "ids=5"),
        (lambda: MinMax(X).next_pair([]), "got list"),
        (lambda: FarthestFirst(X).next_pair(Answers(3)), "about 3 objects"),
        (lambda: ask("minmax", Y), "got str"),
        (lambda: ask(MinMax(X), Y, 1.5), "n_questions=1.5"),
        (lambda: next(questions(MinMax(X), answers={})), "got dict"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ConstraintError, match=message):
        call()


def test_answers_that_are_no_text(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"one,other,type\n\xdb,1,must-link\n")
    with pytest.raises(ConstraintError, match="not UTF-8"):
        Answers.read(path, 3)


def test_labels_beyond_integers():
    assert Constraints(2, labels=np.array([1e300, -1e300])).classes.tolist() == [1e300, -1e300]
