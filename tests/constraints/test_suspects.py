import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from pluribus import Constraints, Ensemble
from pluribus.constraints import ConstraintError, random_pairs, suspects, teachers
from pluribus.evidence import CoAssociation
from pluribus.generate import Generator


def judged(true, evidence, seed=0):
    """The ranked pairs of constraints of which 30 % were flipped, and which are wrong."""
    found = suspects(true.flip(0.3, seed, soften=True), evidence)
    together = {tuple(pair) for pair in true.must_link.tolist()}
    pairs = zip(found["one"], found["other"], found["type"], strict=True)
    return found, np.array([((i, j) in together) != (kind == "must-link") for i, j, kind in pairs])


def data(name):
    X, y = {"iris": load_iris, "wine": load_wine}[name](return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("name", ["iris", "wine"])
@pytest.mark.parametrize("by", ["data", "ensemble"])
def test_a_third_of_flipped_pairs_comes_to_the_top(name, by):
    X, y = data(name)
    evidence = X
    if by == "ensemble":
        generator = Generator(n_members=30, n_clusters=(3, 9), random_state=0, verbose=False)
        evidence = CoAssociation(generator.generate(X))
    found, wrong = judged(random_pairs(y, 200, random_state=0), evidence)
    assert roc_auc_score(wrong, found["suspicion"]) > 0.85
    assert wrong[: wrong.sum()].mean() > 0.65  # chance is 0.3


def test_other_pairs_alone_tell():
    y = np.repeat(range(8), 5)
    found, wrong = judged(teachers(y, 4, 12, random_state=0), None)
    assert roc_auc_score(wrong, found["suspicion"]) > 0.75


def test_a_long_cycle_blames_its_weakest_link():
    must = [(0, 1), (1, 2), (2, 3), (3, 4)]
    told = Constraints(5, must, [(0, 4)], must_weight=[3, 3, 3, 3], cannot_weight=[1])
    assert suspects(told).loc[0, ["one", "other", "type"]].tolist() == [0, 4, "cannot-link"]
    told = Constraints(5, must, [(0, 4)], must_weight=[3, 3, 0.5, 3], cannot_weight=[4])
    assert suspects(told).loc[0, ["one", "other"]].tolist() == [2, 3]


def test_both_said_of_one_pair():
    told = Constraints(2, [(0, 1)], [(0, 1)], must_weight=3, cannot_weight=1)
    assert suspects(told)["type"].tolist() == ["cannot-link", "must-link"]


def test_must_links_alone_and_hard_ones():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [50]])
    told = Constraints(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert suspects(told, X).loc[0, ["one", "other"]].tolist() == [3, 4]


def test_no_pairs_a_hub_and_bad_evidence():
    assert suspects(Constraints(3), np.zeros((3, 1))).empty
    hub = Constraints(3_000, [(0, i) for i in range(1, 3_000)], must_weight=1)
    assert (suspects(hub)["against_others"] == 0).all()
    with pytest.raises(ConstraintError, match="3 rows, but constraints are about 4"):
        suspects(Constraints(4, [(0, 1)]), np.zeros((3, 1)))
    with pytest.raises(ConstraintError, match="about 3 objects"):
        suspects(Constraints(4, [(0, 1)]), CoAssociation([[0, 0, 1]]))


def test_repeated_rows_are_no_trouble():
    """Where an object equals all its neighbors, the scale of distances around it is that of the others."""
    X = np.repeat([[0.0, 0], [0, 1e-3], [9, 0], [9, 9]], [12, 1, 12, 12], axis=0)
    together, apart = [(0, 1), (13, 14), (25, 26), (0, 30)], [(0, 13), (14, 30), (2, 3)]
    told = Constraints(37, together, apart, must_weight=1, cannot_weight=1)
    found = suspects(told, X)
    assert np.isfinite(found["suspicion"]).all()
    assert {tuple(pair) for pair in found[["one", "other"]].head(2).to_numpy().tolist()} == {(0, 30), (2, 3)}
    assert np.isfinite(suspects(told, np.zeros((37, 2)))["suspicion"]).all()


def test_an_ensemble_is_not_evidence():
    with pytest.raises(ConstraintError, match=r"evidence is an Ensemble: give pluribus.evidence.CoAssociation"):
        suspects(Constraints(3, must_link=[(0, 1)]), Ensemble([[0, 0, 1]]))
