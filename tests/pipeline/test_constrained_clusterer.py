import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus import Constraints, EnsembleClusterer
from pluribus.constrained import CopKMeans
from pluribus.constraints import ConstraintError, InfeasibleError, random_pairs
from pluribus.generate import Generator

IRIS = load_iris()


def small(**options):
    return EnsembleClusterer(Generator(n_members=20), random_state=0, verbose=False, **{"n_clusters": 3, **options})


def test_nothing_known_changes_nothing():
    one = small().fit(IRIS.data)
    for known in (None, Constraints(150)):
        other = small().fit(IRIS.data, constraints=known)
        np.testing.assert_array_equal(one.labels_, other.labels_)
        np.testing.assert_array_equal(one.membership_, other.membership_)
        assert type(other.consensus_) is type(one.consensus_)


def test_hard_constraints_hold_and_help():
    known = random_pairs(IRIS.target, 100, random_state=0)
    plain, told = small().fit(IRIS.data), small().fit(IRIS.data, constraints=known)
    assert known.violations(plain.labels_).count > 0
    assert told.violations_.count == 0
    assert adjusted_rand_score(IRIS.target, told.labels_) > adjusted_rand_score(IRIS.target, plain.labels_)


@pytest.mark.parametrize("at", ["members", ("members", "consensus")])
@pytest.mark.parametrize("subsample", [1.0, 0.7])
def test_members_keep_to_what_is_known(at, subsample):
    known = random_pairs(IRIS.target, 60, random_state=0)
    generator = Generator(CopKMeans(n_init=1, verbose=False), n_members=8, n_clusters=(4, 8), subsample=subsample)
    model = small(constraint_level=at).set_params(generator=generator)
    model.fit(IRIS.data, constraints=known)
    for member in model.ensemble_.labels.T:
        assert known.violations(member).count == 0


def test_evidence_is_advice():
    known = Constraints(150, must_link=[(0, 100)])
    with pytest.warns(UserWarning, match="hard constraints are violated"):
        model = small(constraint_level="evidence").fit(IRIS.data, constraints=known)
    assert model.violations_.must_link.tolist() == [[0, 100]]
    many = Constraints.from_labels(IRIS.target)
    both = small(constraint_level=["evidence", "consensus"]).fit(IRIS.data, constraints=many)
    np.testing.assert_array_equal(both.violations_.count, 0)


def test_finds_k_that_the_constraints_allow():
    X, _ = make_blobs(90, centers=[[0, 0], [9, 0]], random_state=0)
    apart = Constraints(90, cannot_link=[(0, 1), (1, 2), (0, 2)])
    with pytest.warns(UserWarning, match="constraints require at least 3"):
        model = small(n_clusters=None).fit(X, constraints=apart)
    assert model.n_clusters_ == 3
    assert model.violations_.count == 0


@pytest.mark.parametrize(
    ("options", "known", "error", "words"),
    [
        ({"n_clusters": 2}, Constraints(150, cannot_link=[(0, 1), (1, 2), (0, 2)]), InfeasibleError, "k=2"),
        ({}, Constraints(10, must_link=[(0, 1)]), ConstraintError, "10 objects"),
        ({}, [(0, 1)], ConstraintError, "Constraints"),
        ({"consensus": "ppc"}, Constraints(150, must_link=[(0, 1)]), ValueError, "takes no constraints"),
        ({"constraint_level": "members"}, Constraints(150, must_link=[(0, 1)]), ValueError, "CopKMeans"),
        ({"constraint_level": ("while",)}, Constraints(150, must_link=[(0, 1)]), ValueError, "constraint_level"),
    ],
)
def test_refused_before_work(options, known, error, words):
    with pytest.raises(error, match=words):
        small(**options).fit(IRIS.data, constraints=known)
