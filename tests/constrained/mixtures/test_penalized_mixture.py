import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from constrained.shared import IRIS as X
from constrained.shared import QUIET, linked_data
from constrained.shared import SPECIES as y
from pluribus import Constraints
from pluribus.constrained import ConstrainedGaussianMixture, PenalizedMixture
from pluribus.constraints import disjoint_pairs, log_odds, random_pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_very_strong_pairs_are_hard_ones():
    hard = random_pairs(y, 25, random_state=0)
    strong = Constraints(150, hard.must_link, hard.cannot_link, must_weight=1e6, cannot_weight=1e6)
    options = dict(n_init=4, tol=1e-6, **QUIET)
    one = ConstrainedGaussianMixture(3, **options).fit(X, constraints=hard)
    # From the same place: chunklets of hard pairs have k-means of their own.
    start = dict(weights_init=one.weights_, means_init=one.means_, precisions_init=np.linalg.inv(one.covariances_))
    other = PenalizedMixture(3, tol=1e-6, **start, **QUIET).fit(X, constraints=strong)
    assert (other.labels_ == one.labels_).all()
    assert other.membership_ == pytest.approx(one.membership_, abs=1e-3)


@pytest.mark.parametrize(
    ("pair", "normalizer"),
    [
        (dict(cannot_link=[(0, 1)]), 0.62),
        (dict(must_link=[(0, 1)], must_weight=1.6), 2.502152),
    ],
)
def test_normalizer_of_a_pair(pair, normalizer):
    data = linked_data(np.zeros((3, 1)), Constraints(3, **pair), 3)
    assert np.exp(data.log_normalizer(np.array([0.5, 0.3, 0.2]))) == pytest.approx(normalizer)


@pytest.mark.parametrize(("weight", "share"), [(float(log_odds(0.9)), 0.691502), (None, 0.680552)])
def test_conditional_weights(weight, share):
    data = linked_data(np.zeros((4, 1)), Constraints(4, must_link=[(2, 3)], must_weight=weight), 2)
    assert data._match_counts(np.array([3.0, 1.0]))[0] == pytest.approx(share, abs=1e-5)


def test_stronger_links_are_broken_less():
    data = np.array([[0.0], [0.3], [0.1], [3.0], [3.2], [2.9]])
    broken = []
    for certainty in (0.5 + 1e-9, 0.7, 0.9, 0.999):
        known = Constraints(6, must_link=[(0, 3)], must_weight=float(log_odds(certainty)))
        fixed = dict(weights_init=[0.5, 0.5], means_init=[[0.5], [2.5]], precisions_init=[[[1.0]], [[1.0]]])
        mixture = PenalizedMixture(2, max_iter=1, tol=0, **fixed, **QUIET).fit(data, constraints=known)
        broken.append(mixture.violation_prob_[0])
    assert (np.diff(broken) < 0).all()


def test_opposite_advice_of_equal_weight_says_nothing():
    both = Constraints(150, [(0, 60)], [(0, 60)], must_weight=2.0, cannot_weight=2.0)
    one, other = (PenalizedMixture(3, n_init=2, **QUIET).fit(X, constraints=known) for known in (both, None))
    assert one.membership_ == pytest.approx(other.membership_)
    assert one.violation_prob_.sum() == pytest.approx(1)


def test_advice_that_cannot_all_be_followed():
    known = Constraints(150, [(0, 60), (60, 110)], [(0, 110)], must_weight=[1, 2], cannot_weight=4.0)
    mixture = PenalizedMixture(3, n_init=2, **QUIET).fit(X, constraints=known)
    assert mixture.violations_.count >= 1
    assert mixture.violations_.n_hard == 0


def test_wrong_pairs_are_suspected():
    known = random_pairs(y, 200, noise=0.15, random_state=0)
    mixture = PenalizedMixture(3, n_init=4, **QUIET).fit(X, constraints=known)
    pairs = mixture.violation_pairs_
    together = np.arange(len(pairs)) < len(known.must_link)
    wrong = (y[pairs[:, 0]] == y[pairs[:, 1]]) != together
    assert mixture.violation_prob_[wrong].mean() > 0.8
    assert mixture.violation_prob_[~wrong].mean() < 0.1


def test_probabilities_come_with_their_pairs_in_any_order_of_the_statements():
    data = [[0.0], [0.1], [9.0], [9.1]]
    known = Constraints(4, must_link=[(3, 2), (2, 0)], cannot_link=[(3, 1), (1, 0)], must_weight=1.0, cannot_weight=1.0)
    mixture = PenalizedMixture(2, covariance_type="tied", n_init=2, **QUIET).fit(data, constraints=known)
    assert mixture.violation_pairs_.tolist() == [[0, 2], [2, 3], [0, 1], [1, 3]]
    assert mixture.violation_prob_.round().tolist() == [1, 0, 1, 0]
    assert PenalizedMixture(2, **QUIET).fit(data).violation_pairs_.shape == (0, 2)


def test_thirty_percent_noise_is_still_better_than_nothing():
    """Wine, standardized, where a mixture alone is often wrong."""
    wine, kinds = load_wine(return_X_y=True)
    wine = scale(wine)
    scores = []
    for seed in range(3):
        options = dict(n_clusters=3, covariance_type="tied", n_init=2, verbose=False, random_state=seed)
        soft = random_pairs(kinds, 400, noise=0.3, random_state=seed)
        runs = [PenalizedMixture(**options).fit(wine, constraints=known) for known in (None, soft)]
        scores.append([adjusted_rand_score(kinds, run.labels_) for run in runs])
    alone, told = np.mean(scores, axis=0)
    assert told > alone + 0.02


def test_hard_wrong_pairs_do_harm():
    scores = []
    for seed in range(3):
        told = disjoint_pairs(y, 0.5, random_state=seed)
        wrong = told.flip(0.3, seed)
        options = dict(n_clusters=3, n_init=4, reg_covar=1e-3, verbose=False, random_state=seed)
        soft = told.flip(0.3, seed, soften=True)
        runs = [PenalizedMixture(**options).fit(X, constraints=known) for known in (soft, wrong)]
        scores.append([adjusted_rand_score(y, run.labels_) for run in runs])
    soft, hard = np.mean(scores, axis=0)
    assert soft > hard + 0.1


@pytest.mark.parametrize("inference", ["mean-field", "gibbs"])
def test_approximations_agree_with_exact_sums(inference):
    known = random_pairs(y, 40, noise=0.1, random_state=0)
    exact = PenalizedMixture(3, n_init=2, **QUIET).fit(X, constraints=known)
    other = PenalizedMixture(3, n_init=2, inference=inference, n_gibbs=50, burn_in=10, max_iter=30, **QUIET)
    other.fit(X, constraints=known)
    assert adjusted_rand_score(exact.labels_, other.labels_) > 0.9


def test_gibbs_of_three_that_must_differ_in_three_clusters():
    data = np.array([[0.0], [0.5], [1.0], [0.1], [0.4], [1.1]])
    known = Constraints(6, cannot_link=[(0, 1), (0, 2), (1, 2)])
    start = dict(weights_init=[1 / 3] * 3, means_init=[[0.2], [0.5], [0.8]], precisions_init=[2.0] * 3)
    one, other = (
        PenalizedMixture(3, covariance_type="spherical", inference=inference, max_iter=1, **start, **QUIET).fit(
            data, constraints=known
        )
        for inference in ("auto", "gibbs")
    )
    assert one.membership_[:3].max() < 0.95
    assert other.membership_ == pytest.approx(one.membership_, abs=1e-6)


def test_mean_field_rises():
    known = random_pairs(y, 60, noise=0.1, random_state=0)
    mixture = PenalizedMixture(3, n_init=1, inference="mean-field", tol=0, max_iter=30, **QUIET)
    path = mixture.fit(X, constraints=known).objective_
    assert (np.diff(path) > -1e-4).all()


def grid_links(side, weight):
    at = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()]), np.column_stack([at[:-1].ravel(), at[1:].ravel()])]
    )
    return Constraints(side * side, must_link=pairs, must_weight=weight)


def test_neighbors_of_an_image():
    """Four quadrants with noise: uniform weights and annealing clean it; joint weights are warned of."""
    side = 24
    row, column = np.divmod(np.arange(side * side), side)
    truth = 2 * (row >= side // 2) + (column >= side // 2)
    pixels = truth[:, None] + np.random.default_rng(0).normal(0, 0.7, (side * side, 1))
    options = dict(n_clusters=4, covariance_type="tied", n_init=2, **QUIET)
    alone = PenalizedMixture(**options).fit(pixels)
    known = grid_links(side, 3.0)
    smooth = PenalizedMixture(weights="uniform", inference="mean-field", anneal=(0, 0.25, 0.5, 0.75), **options)
    smooth.fit(pixels, constraints=known)
    assert adjusted_rand_score(truth, smooth.labels_) > adjusted_rand_score(truth, alone.labels_) + 0.2
    with pytest.warns(UserWarning, match="uniform"):
        PenalizedMixture(inference="mean-field", **options).fit(pixels, constraints=grid_links(side, 1e-3))


@pytest.mark.parametrize("anneal", [(0.5, 0.2), (2,), (-1,), [[0, 1]]])
def test_wrong_anneal(anneal):
    with pytest.raises(ValueError, match="increasing numbers"):
        PenalizedMixture(3, anneal=anneal).fit(X)
