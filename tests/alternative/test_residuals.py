import numpy as np
import pytest
from scipy import sparse

from pluribus.alternative._shared.criteria import (
    COORDINATION,
    explained_beyond,
    explained_share,
    information_beyond,
)
from pluribus.alternative._shared.known import read_known
from pluribus.alternative._shared.residuals import ProjectedResiduals, Residuals


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 5)).astype(float)
    groups = rng.integers(-1, 3, 60)
    return X, groups, rng.integers(0, 4, 60)


def dense_residuals(X, groups):
    out = X - X.mean(axis=0)
    for g in range(groups.max() + 1):
        out[groups == g] = X[groups == g] - X[groups == g].mean(axis=0)
    return out


def projected(X, groups):
    means = np.array([X[groups == g].mean(axis=0) for g in range(groups.max() + 1)]) - X.mean(axis=0)
    directions = np.linalg.svd(means, full_matrices=False)[2]
    return dense_residuals(X, groups) @ (np.eye(X.shape[1]) - directions.T @ directions)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("kind", "oracle"), [(Residuals, dense_residuals), (ProjectedResiduals, projected)])
def test_products_sums_and_lengths_are_those_of_the_dense_residuals(case, form, kind, oracle):
    X, groups, labels = case
    R, residuals = oracle(X, groups), kind(form(X), groups, 3)
    directions = np.random.default_rng(1).normal(size=(2, 5))
    assert residuals.matrix() == pytest.approx(R)
    assert residuals.rows(np.array([3, 1])) == pytest.approx(R[[3, 1]])
    assert residuals.dot(directions) == pytest.approx(R @ directions.T)
    assert residuals.squared_norms() == pytest.approx((R**2).sum(axis=1))
    assert residuals.sums(labels, 4) == pytest.approx(np.array([R[labels == c].sum(axis=0) for c in range(4)]))


def test_single_precision_stays(case):
    X, groups, _ = case
    residuals = Residuals(X.astype(np.float32), groups, 3)
    assert residuals.matrix().dtype == residuals.dot(np.ones((1, 5))).dtype == np.float32


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_share_explained_is_one_minus_the_variance_within(case, form):
    X, _, labels = case
    within = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(4))
    total = ((X - X.mean(axis=0)) ** 2).sum()
    assert explained_share(form(X), labels) == pytest.approx(1 - within / total)
    left_out = np.where(np.arange(60) < 10, -1, labels)
    assert explained_share(form(X), left_out) == pytest.approx(explained_share(X[10:], labels[10:]))


def test_what_is_explained_within_groups_falls_with_the_scatter_in_cells(case):
    X, groups, labels = case
    known = read_known(groups, 60)
    R = Residuals(X, known.codes, known.n_groups)
    rows = R.matrix()

    def scatter(cells):
        return sum(((rows[cells == c] - rows[cells == c].mean(axis=0)) ** 2).sum() for c in np.unique(cells))

    expected = (
        (rows**2).sum() * (1 + COORDINATION) - scatter(labels * 10 + known.codes) - COORDINATION * scatter(labels)
    )
    assert explained_beyond(R, labels, known) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("labels", "within", "overall"),
    [([0, 1, 0, 1], 0.5, 0.5), ([0, 0, 1, 1], 0.0, 0.5), ([0, 1, 1, 0], 0.5, 0.0), ([0, 1, 2, 3], 0.5, 1.0)],
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_information_of_the_hand_example(labels, within, overall, form):
    X = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1.0]])
    known = read_known([0, 0, 1, 1], 4)
    assert information_beyond(form(X), np.array(labels), known) == pytest.approx(within + COORDINATION * overall)
