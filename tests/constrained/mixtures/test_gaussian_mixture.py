import numpy as np
import pytest

from constrained.shared import IRIS as X
from constrained.shared import QUIET, linked_data
from pluribus import Constraints
from pluribus.constrained import ConstrainedGaussianMixture
from pluribus.constraints import teachers

LINKS = Constraints(150, must_link=[(0, 1), (1, 2), (60, 70), (100, 110), (110, 120), (5, 9)])
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def on_iris(**parameters):
    precisions = np.stack([np.linalg.inv(np.cov(X.T))] * 3)
    start = dict(weights_init=[1 / 3] * 3, means_init=X[[3, 77, 130]], precisions_init=precisions)
    return ConstrainedGaussianMixture(3, reg_covar=0, tol=0, max_iter=80, **start, **parameters, **QUIET)


def by_hand(weights_init=(0.5, 0.5), n_iter=1, **parameters):
    """Two unit Gaussians at 0 and 4; {1, 2.5} and {3} are chunklets."""
    mixture = ConstrainedGaussianMixture(
        2,
        weights_init=weights_init,
        means_init=[[0.0], [4.0]],
        precisions_init=[[[1.0]], [[1.0]]],
        reg_covar=0,
        tol=0,
        max_iter=n_iter,
        **parameters,
        **QUIET,
    )
    return mixture.fit([[1.0], [2.5], [3.0]], constraints=Constraints(3, must_link=[(0, 1)]))


@pytest.mark.parametrize(
    ("parameters", "weight"),
    [
        (dict(prior="chunklet"), 0.449392),
        (dict(prior="point"), 0.593193),
        (dict(prior="point", weights="conditional"), 0.556486),
        (dict(weights="uniform"), 0.5),
    ],
)
def test_one_iteration_by_hand(parameters, weight):
    mixture = by_hand(**parameters)
    left, right = np.argsort(mixture.means_[:, 0])
    assert mixture.weights_[left] == pytest.approx(weight, abs=1e-6)
    assert mixture.means_[[left, right], 0] == pytest.approx([1.762634, 2.755816], abs=1e-6)
    assert mixture.covariances_[[left, right], 0, 0] == pytest.approx([0.572447, 0.355487], abs=1e-6)


def test_likelihood_by_hand():
    assert by_hand(prior="chunklet").objective_ == pytest.approx([-8.123032, -3.915585], abs=1e-6)


@pytest.mark.parametrize(
    ("weights", "prior", "posterior"),
    [
        ([0.5, 0.5], "point", 0.880797),
        ([0.8, 0.2], "chunklet", 0.967273),
        ([0.8, 0.2], "point", 0.991612),
    ],
)
def test_posterior_of_a_chunklet(weights, prior, posterior):
    X = np.array([[1.0], [2.5], [3.0]])
    data = linked_data(X, Constraints(3, must_link=[(0, 1)]), 2, per_chunklet=prior == "chunklet")
    log_density = -0.5 * (X - [[0.0, 4.0]]) ** 2
    U = data.sum_chunklets @ log_density + data.n_draws[:, None] * np.log(weights)
    assert data.network.infer(U).marginals[0, 0] == pytest.approx(posterior, abs=1e-6)


def test_cannot_link_by_hand():
    data = linked_data(np.array([[1.0], [3.0]]), Constraints(2, cannot_link=[(0, 1)]), 2)
    U = -0.5 * (data.X - [[0.0, 4.0]]) ** 2
    assert data.network.infer(U).marginals[0, 0] == pytest.approx(0.999665, abs=1e-6)


def test_iris_with_chunklets():
    one = on_iris(prior="chunklet").fit(X, constraints=LINKS)
    assert one.objective_[-1] == pytest.approx(-179.918898, abs=1e-5)
    assert np.diff(one.objective_).min() > 0
    other = on_iris(weights="conditional").fit(X, constraints=LINKS)
    assert other.objective_[-1] == pytest.approx(-185.931266, abs=1e-5)
    assert sorted(other.weights_) == pytest.approx([0.309988, 0.333389, 0.356623], abs=1e-5)
    assert np.diff(other.objective_).min() > -1e-9


def test_conditional_weights():
    """Four chunklets of two: the weights are as the square roots of the counts; and one of three beside three alone."""
    four = linked_data(np.zeros((8, 1)), Constraints(8, groups=[0, 0, 1, 1, 2, 2, 3, 3]), 2)
    assert four._match_counts(np.array([6.0, 2.0])) == pytest.approx([0.633975, 0.366025], abs=1e-5)
    mixed = linked_data(np.zeros((6, 1)), Constraints(6, groups=[-1, -1, -1, 0, 0, 0]), 2)
    assert mixed._match_counts(np.array([3.8, 2.2]))[0] == pytest.approx(0.569171, abs=1e-5)


def test_conditional_weights_do_not_vanish():
    apart = Constraints(60, cannot_link=[(i, 50 + i) for i in range(10)])
    data = linked_data(np.zeros((60, 1)), apart, 2)
    assert (data._match_counts(np.array([50.0, 10.0])) > 0).all()


def test_two_clusters_make_a_chain_of_cannot_links_one_variable():
    chain = Constraints(6, cannot_link=[(i, i + 1) for i in range(5)])
    data = linked_data(np.zeros((6, 1)), chain, 2)
    assert data.closure.n_chunks == 2
    mixture = ConstrainedGaussianMixture(2, **QUIET).fit(np.arange(6.0)[:, None], constraints=chain)
    assert mixture.labels_.tolist() in ([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0])


def test_more_exact_than_the_data_need():
    """What the constraints want is not what the likelihood alone wants."""
    rng = np.random.default_rng(0)
    clouds = np.repeat([[-1, -1.5], [-1, 1.5], [1, -1.5], [1, 1.5]], 50, axis=0) + rng.normal(0, 0.4, (200, 2))
    sides = np.repeat([0, 1], 100)
    known = teachers(sides, 5, 10, random_state=0)
    alone = ConstrainedGaussianMixture(2, **QUIET).fit(clouds)
    told = ConstrainedGaussianMixture(2, **QUIET).fit(clouds, constraints=known)
    assert abs(alone.means_[:, 0]).max() < 0.3
    assert abs(told.means_[:, 0]) == pytest.approx([1, 1], abs=0.15)
    assert told.score(clouds) < alone.score(clouds)


def test_large_loopy_components_warn_and_hold():
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=120)
    data = rng.normal(0, 1, (120, 2)) + 3 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[truth]
    pairs = rng.integers(120, size=(900, 2))
    known = Constraints(120, cannot_link=pairs[truth[pairs[:, 0]] != truth[pairs[:, 1]]])
    with pytest.warns(UserWarning, match="too large for exact sums"):
        mixture = ConstrainedGaussianMixture(4, n_init=2, **QUIET).fit(data, constraints=known)
    assert mixture.inference_["loopy"] > 100
    assert mixture.violations_.count == 0
