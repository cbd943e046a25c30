"""MPCKMeans: its metric against the formulas, its objective, units and directions that do not matter."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus.constrained import MetricPairwiseKMeans
from pluribus.constrained.pairs._metrics import Metrics, inverse_of, squared_lengths
from pluribus.constraints import Constraints, random_pairs

FORMS = [(metric, per_cluster) for metric in ("diagonal", "full") for per_cluster in (False, True)]
every_form = pytest.mark.parametrize(("metric", "per_cluster"), FORMS)


def soft(known, weight):
    pairs = known.must_link, known.cannot_link
    return Constraints(known.n_objects, *pairs, must_weight=weight, cannot_weight=weight)


def full_matrices(model):
    """One matrix for each cluster, whatever the form."""
    metric = model.metric_ if model.per_cluster else np.repeat(model.metric_[None], model.n_clusters_, axis=0)
    return metric if model.metric == "full" else np.stack([np.diag(row) for row in metric])


@every_form
def test_the_metric_is_the_inverse_of_the_scatter(metric, per_cluster):
    """Nothing is broken, so it is that of the clusters and of one more object with the variance of the data."""
    X = load_iris().data
    model = MetricPairwiseKMeans(3, metric=metric, per_cluster=per_cluster, random_state=0, tol=0).fit(X)
    found = full_matrices(model)
    prior = np.diag(X.var(axis=0))
    for h in range(3):
        groups = [h] if per_cluster else range(3)
        parts = [X[model.labels_ == g] - X[model.labels_ == g].mean(axis=0) for g in groups]
        scatter = (sum(part.T @ part for part in parts) + prior) / (sum(map(len, parts)) + 1)
        expected = np.linalg.inv(scatter) if metric == "full" else np.diag(1 / np.diag(scatter))
        np.testing.assert_allclose(found[h], expected, rtol=1e-6)


@every_form
def test_objective_by_the_formula(metric, per_cluster):
    X, y = make_blobs(60, n_features=3, centers=3, cluster_std=4, random_state=0)
    known = soft(random_pairs(y, 60, random_state=0), 0.5)
    model = MetricPairwiseKMeans(3, metric=metric, per_cluster=per_cluster, random_state=0).fit(X, constraints=known)
    assert (np.diff(model.objective_) <= 1e-9 * abs(model.objective_[0])).all()
    A, labels = full_matrices(model), model.labels_

    def length(difference, h):
        return difference @ A[h] @ difference

    log_det = [np.linalg.slogdet(matrix)[1] for matrix in A]
    total = sum(length(x - model.cluster_centers_[h], h) - log_det[h] for x, h in zip(X, labels, strict=True))
    mean = [np.mean([length(a - b, h) for a in X for b in X]) for h in range(3)]
    for i, j in model.violations_.must_link:
        total += 0.5 * sum(length(X[i] - X[j], h) / mean[h] for h in (labels[i], labels[j])) / 2
    for i, j in model.violations_.cannot_link:
        h = labels[i]
        total += 0.5 * max(1 - length(X[i] - X[j], h) / mean[h], 0)
    metrics = A if per_cluster else A[:1]
    total += sum(np.trace(M @ np.diag(X.var(axis=0))) - np.linalg.slogdet(M)[1] for M in metrics)
    assert model.violations_.count > 0
    assert model.objective_[-1] == pytest.approx(total)
    inertia = sum(length(x - model.cluster_centers_[h], h) for x, h in zip(X, labels, strict=True))
    assert model.inertia_ == pytest.approx(inertia)


@every_form
def test_units_do_not_matter(metric, per_cluster):
    X, y = load_wine(return_X_y=True)
    known = random_pairs(y, 50, random_state=0)
    scale = 10.0 ** np.arange(-6, 7)
    method = MetricPairwiseKMeans(3, metric=metric, per_cluster=per_cluster, random_state=0)
    labels = method.fit_predict(X, constraints=known)
    assert adjusted_rand_score(labels, method.fit_predict(X * scale, constraints=known)) == 1


def test_a_full_metric_sees_what_lies_askew():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = np.column_stack([rng.normal(size=200) * 5, 0.3 * rng.normal(size=200) + 2 * y])
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    known = Constraints.from_labels(np.where(np.arange(200) % 10 == 0, y, -1))
    model = MetricPairwiseKMeans(2, metric="full", random_state=0).fit(X @ turn, constraints=known)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert adjusted_rand_score(y, model.predict(X @ turn)) > 0.95


@pytest.mark.filterwarnings("ignore:a soft pair speaks against a hard one")
def test_hard_pairs_never_break_and_soft_ones_may():
    X, y = load_wine(return_X_y=True)
    wrong = np.random.default_rng(0).integers(0, 3, len(y))
    known = random_pairs(y, 40, random_state=0).merge(soft(random_pairs(wrong, 150, random_state=1), 0.1))
    model = MetricPairwiseKMeans(3, per_cluster=True, random_state=0).fit(X, constraints=known)
    assert model.violations_.n_hard == 0
    assert model.violations_.count > 0


def test_lengths_in_all_forms_agree():
    rng = np.random.default_rng(0)
    rows, centers = rng.normal(size=(20, 3)), rng.normal(size=(4, 3))
    roots = rng.random((4, 3)) + 0.5
    flat = Metrics(roots, np.zeros(4))
    deep = Metrics(np.stack([np.diag(row) for row in roots]), np.zeros(4))
    expected = [[((x - c) ** 2 * g**2).sum() for c, g in zip(centers, roots, strict=True)] for x in rows]
    np.testing.assert_allclose(squared_lengths(rows, centers, flat), expected)
    np.testing.assert_allclose(squared_lengths(rows, centers, deep), expected)
    np.testing.assert_allclose(
        squared_lengths(rows, centers, Metrics(deep.roots[[1]], np.zeros(1))),
        squared_lengths(rows, centers, Metrics(np.repeat(deep.roots[[1]], 4, axis=0), np.zeros(4))),
    )


def test_negative_scatter_counts_as_none():
    found = inverse_of(np.array([[[-5.0, 0], [0, 3]]]), np.array([4.0]), np.array([1.0, 1.0]))
    np.testing.assert_allclose(found.matrices[0], np.diag([5.0, 5 / 4]))
    assert found.log_dets[0] == pytest.approx(np.log(25 / 4))


@every_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_objective_never_rises_where_clusters_were_empty(metric, per_cluster):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
        start = np.vstack([X[:3], [[100.0, 100]]])
        known = soft(random_pairs(y, 20, random_state=seed), 0.3)
        model = MetricPairwiseKMeans(4, init=start, metric=metric, per_cluster=per_cluster).fit(X, constraints=known)
        assert (np.diff(model.objective_) <= 1e-9 * abs(model.objective_[0])).all()


@pytest.mark.parametrize("wrong", [0.1, 0.3])
def test_some_wrong_pairs_do_little_harm(wrong):
    X, y = load_wine(return_X_y=True)
    plain = adjusted_rand_score(y, MetricPairwiseKMeans(3, random_state=0, n_init=3).fit_predict(X))
    known = soft(random_pairs(y, 300, random_state=0), 1.0).flip(wrong, 0)
    model = MetricPairwiseKMeans(3, random_state=0, n_init=3).fit(X, constraints=known)
    assert adjusted_rand_score(y, model.labels_) > plain - 0.05


def test_score():
    X = load_iris().data
    model = MetricPairwiseKMeans(3, random_state=0, tol=0).fit(X)
    log_det = np.log(model.metric_).sum()
    assert model.score(X) == pytest.approx(-model.inertia_ + len(X) * log_det)


def test_few_objects_do_not_collapse():
    X = np.random.default_rng(0).normal(size=(12, 8))
    model = MetricPairwiseKMeans(4, metric="full", per_cluster=True, random_state=0).fit(X)
    assert np.isfinite(model.metric_).all()
    assert np.isfinite(model.objective_).all()
