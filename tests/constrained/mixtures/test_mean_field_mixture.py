import numpy as np
import pytest

from constrained.shared import IRIS as X
from constrained.shared import QUIET
from constrained.shared import SPECIES as y
from pluribus import Constraints
from pluribus.constrained import ConstrainedGaussianMixture, MeanFieldMixture
from pluribus.constrained.mixtures._constraint_weight import choose_weight, constrained_objects, n_broken
from pluribus.constraints import random_pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def clouds(seed=0):
    rng = np.random.default_rng(seed)
    data = np.repeat([[-1, -1.5], [-1, 1.5], [1, -1.5], [1, 1.5]], 50, axis=0) + rng.normal(0, 0.4, (200, 2))
    return data, np.repeat([0, 1], 100)


@pytest.mark.parametrize(("eta", "mean", "variance"), [(1, 2.75, 5.6875), (3, 3.875, 4.609375), (0, 0.5, 0.25)])
def test_eta_counts_constrained_objects(eta, mean, variance):
    known = Constraints(4, must_link=[(2, 3)])
    mixture = MeanFieldMixture(1, eta=eta, reg_covar=0, **QUIET).fit([[0.0], [1.0], [4.0], [6.0]], constraints=known)
    assert mixture.means_[0, 0] == pytest.approx(mean)
    assert mixture.covariances_[0, 0, 0] == pytest.approx(variance)


def test_eta_of_one_is_constrained_em():
    known = random_pairs(y, 20, random_state=1)
    options = dict(n_clusters=3, n_init=2, **QUIET)
    one = MeanFieldMixture(eta=1, **options).fit(X, constraints=known)
    other = ConstrainedGaussianMixture(**options).fit(X, constraints=known)
    assert one.means_ == pytest.approx(other.means_)
    assert one.objective_ == pytest.approx(other.objective_)


def test_few_links_shape_the_clusters():
    share = []
    for seed in range(2):
        data, sides = clouds(seed)
        known = random_pairs(sides, 10, random_state=seed)
        runs = [
            method.fit(data, constraints=known)
            for method in (ConstrainedGaussianMixture(2, **QUIET), MeanFieldMixture(2, n_init=4, **QUIET))
        ]
        share.append([max(np.mean(run.predict(data) == sides), np.mean(run.predict(data) != sides)) for run in runs])
    plain, weighted = np.mean(share, axis=0)
    assert weighted > 0.85
    assert weighted > plain + 0.1


def test_eta_is_one_where_nothing_is_violated():
    data = np.repeat([[0.0], [10.0]], 20, axis=0) + np.random.default_rng(0).normal(0, 0.5, (40, 1))
    known = Constraints(40, must_link=[(0, 1), (20, 21)], cannot_link=[(2, 22)])
    mixture = MeanFieldMixture(2, **QUIET).fit(data, constraints=known)
    assert mixture.eta_ == 1
    assert mixture.eta_path_.tolist() == [[1, 0]]


def test_smallest_eta_with_the_fewest_violations():
    known = Constraints(60, must_link=[(0, 1)])
    labels = {1.0: [0, 1], 2.0: [0, 1], 5.0: [0, 0], 10.0: [0, 0]}
    asked = []

    def label(rows, eta):
        asked.append((len(rows), eta))
        return np.array(labels[eta] + [0] * 58)

    eta, path = choose_weight(known, (1.0, 2.0, 5.0, 10.0), label, n_features=0)
    assert eta == 5
    assert path.tolist() == [[1, 1], [2, 1], [5, 0]]
    assert asked == [(60, 1), (60, 2), (60, 5)]  # too few to hold any out


def test_held_out_links_are_not_seen():
    known = Constraints(200, must_link=[(2 * i, 2 * i + 1) for i in range(20)])
    seen = []

    def label(rows, eta):
        seen.append(set(rows.tolist()))
        return np.zeros(200, dtype=int)

    choose_weight(known, (1.0,), label, n_features=2)
    assert len(seen) == 5
    left_out = [set(range(200)) - rows for rows in seen]
    assert set.union(*left_out) == set(range(40))
    assert sum(map(len, left_out)) == 40
    assert all((2 * i in out) == (2 * i + 1 in out) for out in left_out for i in range(20))


def test_where_all_hangs_together_objects_are_held_out():
    known = Constraints.from_labels(np.where(np.arange(200) < 50, np.arange(200) % 2, -1))
    left_out, labels = [], {1.0: np.zeros(200, dtype=int), 2.0: np.arange(200) % 2}

    def label(rows, eta):
        left_out.append(np.setdiff1d(np.arange(200), rows))
        return labels[eta]

    eta, path = choose_weight(known, (1.0, 2.0), label, n_features=2)
    assert sorted(np.concatenate(left_out[:5])) == list(range(50))
    assert [len(out) for out in left_out[:5]] == [10] * 5
    assert (eta, path[1].tolist()) == (2, [2, 0])
    # Each pair of classes apart is held out once if its objects share a fold, else twice.
    within = sum((out % 2 == 0).sum() * (out % 2 == 1).sum() for out in left_out[:5])
    assert path[0].tolist() == [1, 2 * 25 * 25 - within]


def test_with_few_objects_in_many_features_nothing_is_chosen():
    known = Constraints.from_labels(np.where(np.arange(200) < 10, np.arange(200) % 2, -1))
    eta, path = choose_weight(known, (2.0, 5.0), lambda rows, eta: pytest.fail("learned by heart"), n_features=9)
    assert (eta, path.shape) == (2, (0, 2))


def test_broken_pairs_are_those_entailed():
    known = Constraints(
        7,
        must_link=[(0, 1), (1, 2), (5, 6)],
        must_weight=[np.inf, np.inf, 1.0],
        cannot_link=[(2, 3), (4, 6)],
        cannot_weight=[np.inf, 2.0],
    )
    labels, everyone = np.array([0, 1, 0, 0, 1, 0, 1]), np.ones(7, dtype=bool)
    slowly = sum((labels[i] == labels[j]) != (kind == "must-link") for i, j, kind in known.entailed_pairs())
    assert n_broken(known, labels, everyone) == slowly + 2
    assert n_broken(known, labels, np.array([1, 1, 0, 1, 0, 1, 1], dtype=bool)) == 1 + 1 + 1


def test_all_pairs_of_some_objects_are_not_learned_by_heart():
    rng, side = np.random.default_rng(0), np.arange(150) < 75
    data = rng.normal(size=(150, 15))
    data[1:75, :3] += 4  # the first object lies on the other side: only clusters that fit the 25 alone keep its pairs
    known = Constraints.from_labels(np.where(np.arange(150) % 6 == 0, side, -1))
    mixture = MeanFieldMixture(2, n_init=2, eta_grid=(1, 10, 50), **QUIET).fit(data, constraints=known)
    assert mixture.eta_ == 1
    assert max(np.mean(mixture.predict(data) == side), np.mean(mixture.predict(data) != side)) > 0.95


def test_constrained_objects_cannot_drown_the_others():
    known = Constraints(10, groups=[0] * 8 + [-1, -1])
    _, path = choose_weight(known, (1.0, 2.0, 5.0), lambda rows, eta: np.arange(10), n_features=2)
    assert path[:, 0].tolist() == [1, 2]


def test_constrained_objects():
    known = Constraints(6, must_link=[(0, 1)], must_weight=1.0, cannot_link=[(2, 3)], groups=[-1] * 5 + ["alone"])
    assert constrained_objects(known.closure()).tolist() == [True] * 4 + [False] * 2


def test_mean_field_everywhere():
    data, sides = clouds()
    known = random_pairs(sides, 30, noise=0.05, random_state=0)
    mixture = MeanFieldMixture(2, eta=5, inference="mean-field", tol=0, max_iter=30, n_init=2, **QUIET)
    mixture.fit(data, constraints=known)
    assert (np.diff(mixture.objective_) > -1e-3).all()


@pytest.mark.parametrize(
    ("parameters", "word"),
    [(dict(eta=-1), "eta"), (dict(eta=np.nan), "eta"), (dict(eta_grid=[0, 1]), "positive"), (dict(eta_grid=[]), "eta")],
)
def test_wrong_parameters(parameters, word):
    with pytest.raises(ValueError, match=word):
        MeanFieldMixture(3, **parameters, **QUIET).fit(X)


def test_eta_zero_with_all_constrained():
    with pytest.raises(ValueError, match="all objects are constrained"):
        MeanFieldMixture(3, eta=0, **QUIET).fit(X, constraints=Constraints.from_labels(y))
