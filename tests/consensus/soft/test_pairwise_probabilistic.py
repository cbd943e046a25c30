"""Pairwise probabilistic clustering: exact small examples, oracles, invariants, bad input."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment, minimize
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from helpers import noisy_members
from pluribus.consensus import PairwiseProbabilistic
from pluribus.consensus.soft import _membership_starts, pairwise_probabilistic
from pluribus.evidence import CoAssociation, MemoryLimitError
from pluribus.partitions import Ensemble, contingency

HAND = [[0, 0, 1], [0, 1, 1]]
HAND_C = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])


def accuracy(labels, truth):
    table = contingency(labels, truth)
    return table[linear_sum_assignment(-table)].sum() / len(truth)


def sum_of_squares(C, Y, weight=None, diagonal=True):
    """P(Y), pair by pair."""
    weight = np.ones_like(C) if weight is None else weight.copy()
    if not diagonal:
        np.fill_diagonal(weight, 0)
    return float((weight * (C - Y @ Y.T) ** 2).sum())


def noisy_ensemble(seed, n=60, r=12, k=3, noise=0.3, missing=0.0, weights=None):
    """Partitions that agree on k clusters but for some noise."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    return Ensemble(noisy_members(truth, r, noise, missing=missing, rng=rng), weights=weights), truth


class TestHandExample:
    def test_optimum(self):
        ppc = PairwiseProbabilistic(2, random_state=0, tol=1e-9).fit(HAND)
        order = np.argsort(ppc.membership_[0])[::-1]
        np.testing.assert_allclose(ppc.membership_[:, order], [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-6)
        assert ppc.objective_[-1] == pytest.approx(1 / 4, abs=1e-10)
        np.testing.assert_allclose(ppc.uncertainty_, [0, 1, 0], atol=1e-5)
        assert ppc.n_effective_clusters_ == ppc.n_clusters_ == 2

    @pytest.mark.parametrize("solver", ["projected_gradient", "baum_eagon"])
    # At the boundary multiplicative updates converge slower than linearly.
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_without_the_diagonal_the_fit_is_perfect(self, solver):
        ppc = PairwiseProbabilistic(2, solver=solver, diagonal=False, random_state=0).fit(HAND)
        assert ppc.objective_[-1] == pytest.approx(0, abs=1e-4)

    def test_as_matrix(self):
        for C in (CoAssociation.from_matrix(HAND_C), sparse.csr_array(HAND_C)):
            assert PairwiseProbabilistic(2, random_state=0).fit(C).objective_[-1] == pytest.approx(1 / 4, abs=1e-8)


class TestOracles:
    @pytest.mark.parametrize("diagonal", [True, False])
    @pytest.mark.parametrize("missing", [0.0, 0.3])
    @pytest.mark.parametrize("seed", range(2))
    def test_no_descent_from_anywhere_ends_lower(self, seed, missing, diagonal):
        """scipy's SLSQP from many starts, on the objective computed pair by pair."""
        ensemble, _ = noisy_ensemble(seed, n=6, r=5, k=2, missing=missing)
        n, k = 6, 2
        seen = (ensemble.labels >= 0).astype(float)
        weight, C = seen @ seen.T / 5, CoAssociation(ensemble).to_dense()
        rng = np.random.default_rng(seed)
        sums_to_one = {"type": "eq", "fun": lambda y: y.reshape(n, k).sum(axis=1) - 1}
        best = min(
            minimize(
                lambda y: sum_of_squares(C, y.reshape(n, k), weight, diagonal),
                rng.dirichlet(np.ones(k), n).ravel(),
                method="SLSQP",
                bounds=[(0, 1)] * (n * k),
                constraints=sums_to_one,
            ).fun
            for _ in range(10)
        )
        ppc = PairwiseProbabilistic(k, diagonal=diagonal, random_state=0).fit(ensemble)
        assert sum_of_squares(C, ppc.membership_, weight, diagonal) <= best + 1e-5

    @pytest.mark.parametrize("missing", [0.0, 0.4])
    def test_karush_kuhn_tucker(self, missing):
        """At the end G is the same for all clusters an object belongs to, and not larger for the others."""
        ensemble, _ = noisy_ensemble(1, n=90, missing=missing)
        seen = (ensemble.labels >= 0).astype(float)
        weight, C = seen @ seen.T / 12, CoAssociation(ensemble).to_dense()
        ppc = PairwiseProbabilistic(3, random_state=0, tol=1e-9, max_iter=5000).fit(ensemble)
        Y = ppc.membership_
        G = (weight * (C - Y @ Y.T)) @ Y
        level = (Y * G).sum(axis=1, keepdims=True)
        inside = Y > 1e-6
        np.testing.assert_allclose(np.where(inside, G - level, 0), 0, atol=1e-5)
        assert (G - level)[~inside].max() < 1e-5

    def test_both_solvers_reach_the_same_optimum(self):
        ensemble, _ = noisy_ensemble(2, missing=0.2)
        fits = [
            PairwiseProbabilistic(3, solver=s, random_state=0, max_iter=20_000).fit(ensemble)
            for s in ("projected_gradient", "baum_eagon")
        ]
        assert fits[0].objective_[-1] == pytest.approx(fits[1].objective_[-1], rel=1e-5)

    def test_counts_are_the_same_as_their_matrix_of_weights(self):
        """… and the objectives differ by the variance of the observations."""
        ensemble, _ = noisy_ensemble(3, missing=0.5)
        seen = (ensemble.labels >= 0).astype(float)
        weight, C = seen @ seen.T / 12, CoAssociation(ensemble).to_dense()
        counts = PairwiseProbabilistic(3, random_state=0, init="average").fit(ensemble)
        matrix = PairwiseProbabilistic(3, random_state=0, init="average", pair_weights=weight).fit(ensemble)
        np.testing.assert_allclose(counts.membership_, matrix.membership_, atol=1e-3)
        assert counts.objective_[-1] - matrix.objective_[-1] == pytest.approx((weight * C * (1 - C)).sum(), rel=1e-6)
        assert matrix.objective_[-1] == pytest.approx(sum_of_squares(C, matrix.membership_, weight), rel=1e-9)

    def test_all_pairs_alike(self):
        ensemble, _ = noisy_ensemble(4, missing=0.2)
        C = CoAssociation(ensemble)
        none = PairwiseProbabilistic(3, random_state=0, pair_weights=None).fit(ensemble)
        ones = PairwiseProbabilistic(3, random_state=0, pair_weights=np.ones(C.shape)).fit(C)
        given = PairwiseProbabilistic(3, random_state=0).fit(CoAssociation.from_matrix(C.to_dense()))
        expected = sum_of_squares(C.to_dense(), none.membership_)
        assert none.objective_[-1] == pytest.approx(expected, rel=1e-9)
        assert ones.objective_[-1] == pytest.approx(expected, rel=1e-5)
        assert given.objective_[-1] == pytest.approx(expected, rel=1e-5)


class TestKnownAnswers:
    def test_a_partition_that_all_agree_on(self):
        truth = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
        ppc = PairwiseProbabilistic(3, random_state=0).fit([truth] * 4)
        np.testing.assert_array_equal(ppc.labels_, truth)
        assert ppc.objective_[-1] == pytest.approx(0, abs=1e-6)
        np.testing.assert_allclose(ppc.uncertainty_, 0, atol=1e-3)

    def test_one_cluster(self):
        ensemble, _ = noisy_ensemble(0)
        ppc = PairwiseProbabilistic(1).fit(ensemble)
        np.testing.assert_array_equal(ppc.membership_, 1)
        assert ppc.objective_[-1] == pytest.approx(((1 - CoAssociation(ensemble).to_dense()) ** 2).sum())

    def test_each_object_alone(self):
        ppc = PairwiseProbabilistic(5, random_state=0, n_init=20).fit([np.arange(5)])
        assert sorted(ppc.labels_) == list(range(5))
        assert ppc.objective_[-1] == pytest.approx(0, abs=1e-6)

    def test_all_objects_always_together(self):
        with pytest.warns(UserWarning, match="Only 1 of the 2 clusters have objects"):
            ppc = PairwiseProbabilistic(2, random_state=0).fit([np.zeros(7, int)])
        assert ppc.objective_[-1] == pytest.approx(0, abs=1e-6)
        assert ppc.n_effective_clusters_ == 1

    def test_one_object(self):
        assert PairwiseProbabilistic(1).fit([[0]]).labels_.tolist() == [0]
        assert PairwiseProbabilistic(1, diagonal=False).fit([[0]]).labels_.tolist() == [0]

    def test_an_ambiguous_object_is_uncertain(self):
        base = [0] * 10 + [1] * 10
        ensemble = [base + [p % 2] for p in range(8)]
        ppc = PairwiseProbabilistic(2, random_state=0).fit(ensemble)
        np.testing.assert_allclose(ppc.membership_[-1], 0.5, atol=0.01)
        assert ppc.uncertainty_[:-1].max() < 0.1 < 0.99 < ppc.uncertainty_[-1]

    @pytest.mark.parametrize("mixed", [False, True])
    def test_iris(self, mixed):
        """The published claim: the accuracy of the best base ensemble is kept when worse ones are mixed in."""
        X, truth = load_iris(return_X_y=True)
        ensemble = _subsampled(X, ["kmeans", "single", "average", "complete"] if mixed else ["kmeans"])
        ppc = PairwiseProbabilistic(3, random_state=0).fit(ensemble)
        assert accuracy(ppc.labels_, truth) >= 0.88


def _subsampled(X, algorithms, n_each=8):
    """The protocol of the source: 90 % of the rows, every algorithm with every k."""
    rng = np.random.default_rng(0)
    columns = []
    for k in (3, 4, 5, 6, 7, 8, 9, 10, 15, 20):
        for algorithm in algorithms * n_each:
            rows = rng.choice(len(X), int(0.9 * len(X)), replace=False)
            column = np.full(len(X), -1)
            if algorithm == "kmeans":
                column[rows] = KMeans(k, n_init=1, init="random", random_state=len(columns)).fit(X[rows]).labels_
            else:
                column[rows] = fcluster(linkage(X[rows], algorithm), k, "maxclust")
            columns.append(column)
    return np.column_stack(columns)


class TestResult:
    def test_recovers_what_noise_hides(self):
        ensemble, truth = noisy_ensemble(0, n=120, missing=0.3)
        ppc = PairwiseProbabilistic(3, random_state=0).fit(ensemble)
        assert adjusted_rand_score(truth, ppc.labels_) > 0.95
        np.testing.assert_allclose(ppc.membership_.sum(axis=1), 1, atol=1e-12)
        assert ppc.membership_.min() >= 0
        assert ppc.converged_
        assert ppc.objective_.shape == (ppc.n_iter_ + 1,)
        assert (np.diff(ppc.objective_) <= 0).all()
        sizes = np.bincount(ppc.labels_)
        assert (np.diff(sizes) <= 0).all()

    @pytest.mark.parametrize("n", [60, 1_500])  # the second competes on a sample
    def test_same_seed_same_result_for_any_number_of_threads(self, n, monkeypatch):
        monkeypatch.setattr(pairwise_probabilistic, "_FINISH_ALL_UP_TO", 1_000)
        ensemble, truth = noisy_ensemble(5, n=n, r=20, k=4, missing=0.1)
        one, two, again = (
            PairwiseProbabilistic(4, random_state=3, n_jobs=j, n_init=4).fit(ensemble) for j in (1, 2, 1)
        )
        np.testing.assert_array_equal(one.membership_, two.membership_)
        np.testing.assert_array_equal(one.membership_, again.membership_)
        assert adjusted_rand_score(truth, one.labels_) > 0.95

    @pytest.mark.parametrize("missing", [0.0, 0.2])
    def test_a_sample_leads_to_the_optimum_of_all(self, missing, monkeypatch):
        ensemble, _ = noisy_ensemble(6, n=1_500, r=20, k=4, noise=0.4, missing=missing)
        monkeypatch.setattr(pairwise_probabilistic, "_FINISH_ALL_UP_TO", 1_000)
        monkeypatch.setattr(_membership_starts, "_SAMPLE", 600)
        assert len(ensemble.unique_rows().counts) > 1_000
        heats = PairwiseProbabilistic(4, random_state=0).fit(ensemble)
        monkeypatch.setattr(pairwise_probabilistic, "_FINISH_ALL_UP_TO", 10_000)
        full = PairwiseProbabilistic(4, random_state=0, n_init=2).fit(ensemble)
        assert heats.objective_[-1] <= full.objective_[-1] * (1 + 1e-6)
        assert (np.diff(heats.objective_) <= 0).all()

    def test_weights_of_partitions(self):
        labels = np.column_stack([np.repeat([0, 1], 10), np.tile([0, 1], 10)])
        first = PairwiseProbabilistic(2, random_state=0).fit(Ensemble(labels, weights=[3, 1]))
        second = PairwiseProbabilistic(2, random_state=0).fit(Ensemble(labels, weights=[0, 1]))
        assert adjusted_rand_score(labels[:, 0], first.labels_) == 1
        assert adjusted_rand_score(labels[:, 1], second.labels_) == 1
        assert second.objective_[-1] == pytest.approx(0, abs=1e-6)

    @pytest.mark.parametrize("form", ["operator", "sparse", "dense"])
    def test_every_form_of_evidence_gives_the_same(self, form):
        ensemble, _ = noisy_ensemble(7, missing=0.1)
        expected = PairwiseProbabilistic(3, random_state=0).fit(ensemble)
        found = PairwiseProbabilistic(3, random_state=0).fit(CoAssociation(ensemble, form=form))
        np.testing.assert_array_equal(found.membership_, expected.membership_)

    def test_limited_neighbors_are_taken_as_they_are(self):
        ensemble, truth = noisy_ensemble(8, n=90, noise=0.1)
        ppc = PairwiseProbabilistic(3, random_state=0).fit(CoAssociation(ensemble, n_neighbors=30))
        assert adjusted_rand_score(truth, ppc.labels_) > 0.9

    def test_start_from_labels_or_memberships(self):
        ensemble, truth = noisy_ensemble(9)
        random = PairwiseProbabilistic(3, random_state=0, init="dirichlet").fit(ensemble)
        by_name = PairwiseProbabilistic(3, init=np.array(["x", "y", "z"])[truth]).fit(ensemble)
        soft = np.full((60, 3), 0.2)
        soft[np.arange(60), truth] = 0.6
        by_membership = PairwiseProbabilistic(3, init=soft).fit(ensemble)
        for ppc in (by_name, by_membership):
            assert ppc.objective_[-1] == pytest.approx(random.objective_[-1], rel=1e-5)

    def test_empty_clusters_of_a_start_do_not_stay_alike(self):
        ensemble, truth = noisy_ensemble(10, n=80, k=4, noise=0.05)
        ppc = PairwiseProbabilistic(4, init=np.minimum(truth, 1)).fit(ensemble)
        assert adjusted_rand_score(truth, ppc.labels_) == 1

    def test_is_an_estimator(self):
        ppc = PairwiseProbabilistic(2, random_state=0, solver="baum_eagon")
        assert clone(ppc).get_params() == ppc.get_params()
        fitted = ppc.fit(HAND)
        assert fitted is ppc
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(ppc)).membership_, ppc.membership_)
        np.testing.assert_array_equal(clone(ppc).fit_predict(HAND), ppc.labels_)


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"n_clusters": None}, "needs n_clusters"),
            ({"n_clusters": 0}, "n_clusters"),
            ({"n_clusters": 4}, "n_clusters=4 is more than the number of objects, 3"),
            ({"solver": "newton"}, "solver"),
            ({"tol": -1}, "tol"),
            ({"n_init": 0}, "n_init"),
            ({"init": "k-means++"}, "init"),
            ({"init": np.ones((2, 2)) / 2}, r"init must have shape \(3, 2\)"),
            ({"init": np.full((3, 2), 0.5)}, "two clusters with equal memberships"),
            ({"init": [[0.9, 0.2], [0, 1], [1, 0]]}, "rows must sum to 1"),
            ({"init": [[0, 0], [0, 1], [1, 0]]}, "all 0"),
            ({"init": [0, 1]}, "init as labels must give each of the 3 objects"),
            ({"init": [0, 1, 2]}, "at most 2 clusters"),
            ({"pair_weights": "sizes"}, "pair_weights"),
            ({"pair_weights": np.ones((2, 2))}, r"shape \(3, 3\)"),
            ({"pair_weights": -np.ones((3, 3))}, "non-negative"),
            ({"pair_weights": np.triu(np.ones((3, 3)))}, "symmetric"),
            ({"pair_weights": np.diag([0.0, 1, 1])}, r"first are \[0\]"),
        ],
    )
    def test_parameters(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            PairwiseProbabilistic(**{"n_clusters": 2, "random_state": 0} | arguments).fit(HAND)

    def test_a_bare_matrix_of_evidence(self):
        with pytest.raises(ValueError, match=r"pass CoAssociation.from_matrix\(C\)"):
            PairwiseProbabilistic(2).fit(HAND_C)

    def test_a_broken_sparse_matrix(self):
        with pytest.raises(ValueError, match="symmetric"):
            PairwiseProbabilistic(2).fit(sparse.csr_array(np.triu(HAND_C)))

    def test_an_object_that_only_worthless_partitions_cover(self):
        ensemble = Ensemble([[0, 0, 1, -1], [0, 0, 0, 0]], weights=[1, 0])
        with pytest.raises(ValueError, match=r"1 objects have no pair of positive weight \(the first are \[3\]\)"):
            PairwiseProbabilistic(2).fit(ensemble)

    def test_too_large_for_a_matrix(self):
        rng = np.random.default_rng(0)
        labels = rng.integers(-1, 5, (17_000, 12))
        labels[:, 0] = 0
        with pytest.raises(MemoryLimitError, match="Use pair_weights='counts'"):
            PairwiseProbabilistic(2, pair_weights=None).fit(labels)

    def test_not_converged_is_a_warning(self):
        ensemble, _ = noisy_ensemble(0)
        with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations"):
            ppc = PairwiseProbabilistic(3, max_iter=2, random_state=0).fit(ensemble)
        assert not ppc.converged_

    def test_pairs_never_seen_matter_only_where_they_count(self):
        labels = [[0, 0, 1, 1, -1], [0, 0, -1, 1, 1]]
        with pytest.warns(UserWarning, match="1 pairs of objects are covered by no partition"):
            PairwiseProbabilistic(2, pair_weights=None, random_state=0).fit(labels)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ppc = PairwiseProbabilistic(2, random_state=0).fit(labels)
        assert ppc.labels_[2] == ppc.labels_[4]
