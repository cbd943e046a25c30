"""ITCC and spectral co-clusters: descent of the loss, the definition written out, tied clusters, bad input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import SpectralCoclustering
from sklearn.datasets import make_biclusters
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from pluribus._engine import seeds
from pluribus.constrained import InformationCoClustering, SpectralCoClustering
from pluribus.constrained.coclusters._co_clusters import mutual_information
from pluribus.constrained.coclusters.information_co_clustering import _assigned
from tests.constrained.shared import documents

BOTH = [InformationCoClustering, SpectralCoClustering]
X, BLOCK_ROWS, BLOCK_COLUMNS = make_biclusters((60, 40), 3, noise=0.5, minval=5, maxval=10, random_state=0)
X = np.maximum(X, 0)
ROWS, COLUMNS = BLOCK_ROWS.argmax(axis=0), BLOCK_COLUMNS.argmax(axis=0)


def made(k=3, method=InformationCoClustering, **options):
    return method(k, random_state=0, **options)


@parametrize_with_checks(
    [InformationCoClustering(n_init=2, verbose=False), SpectralCoClustering(n_init=1)],
    expected_failed_checks=lambda _: {"check_clustering": "its data has negative values"},
)
def test_as_scikit_learn_wants_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", BOTH)
def test_blocks_are_found(method):
    model = made(method=method).fit(X)
    assert adjusted_rand_score(ROWS, model.row_labels_) == 1
    assert adjusted_rand_score(COLUMNS, model.column_labels_) == 1
    for block in range(3):
        assert model.row_labels_[block == ROWS][0] == model.column_labels_[block == COLUMNS][0]
    assert np.bincount(model.labels_).tolist() == sorted(np.bincount(ROWS), reverse=True)
    assert model.labels_ is model.row_labels_
    assert 0 < model.tau_ <= 1


def test_spectral_is_that_of_scikit_learn():
    model = made(method=SpectralCoClustering).fit(X)
    theirs = SpectralCoclustering(3, random_state=seeds(0, 1)[0], n_init=10).fit(X)
    assert adjusted_rand_score(theirs.row_labels_, model.row_labels_) == 1
    assert adjusted_rand_score(theirs.column_labels_, model.column_labels_) == 1


def test_the_loss_falls_and_is_that_of_the_definition():
    counts = documents([0.5, 0.3, 0.2], 80, 50)
    model = made(n_init=3).fit(counts)
    assert (np.diff(model.objective_) <= 1e-12).all()
    assert model.n_iter_ == len(model.objective_)
    filled = counts.toarray()
    kept = filled.sum(axis=0) > 0
    p = filled / filled.sum()
    blocks = np.array([[p[np.ix_(model.row_labels_ == i, model.column_labels_ == j)].sum() for j in range(3)]
                       for i in range(3)])  # fmt: skip
    assert model.mutual_information_ == pytest.approx(mutual_information(blocks))
    assert model.information_loss_ == pytest.approx(mutual_information(p[:, kept]) - mutual_information(blocks))
    assert model.objective_[-1] == pytest.approx(model.information_loss_)


def test_a_row_joins_the_nearest_distribution():
    """KL(p(y|x) || p(y|ŷ) p(ŷ|x̂)) over columns y, written out."""
    rng = np.random.default_rng(1)
    p = rng.integers(0, 9, (12, 8)) + 0.5
    p /= p.sum()
    rows, columns = np.arange(12) % 3, np.arange(8) % 4
    found = _assigned(sparse.csr_array(p), rows, columns, (3, 4))
    for x in range(12):
        away = []
        for c in range(3):
            inside = p[rows == c].sum(axis=0)
            q = np.array([inside[columns == columns[y]].sum() / inside.sum()
                          * p[:, y].sum() / p[:, columns == columns[y]].sum() for y in range(8)])  # fmt: skip
            own = p[x] / p[x].sum()
            away.append((own * np.log(own / q)).sum())
        assert found[x] == np.argmin(away)


def test_a_row_does_not_join_a_cluster_without_its_columns():
    """The divergence is infinite, however little of the row is there."""
    p = sparse.csr_array([[0.4, 0.0], [0.0, 0.4], [0.19, 0.01]])
    assert _assigned(p, np.array([0, 1, 1]), np.array([0, 1]), (2, 2)).tolist() == [0, 1, 1]


def test_nothing_joins_an_empty_cluster():
    """Even a row whose columns are in no other cluster stays where it is."""
    p = sparse.csr_array([[0.5, 0.0], [0.0, 0.3], [0.1, 0.1]])
    assert _assigned(p, np.array([0, 0, 0]), np.array([0, 1]), (3, 2)).tolist() == [0, 0, 0]
    assert _assigned(p, np.array([2, 1, 1]), np.array([0, 1]), (3, 2)).tolist() == [2, 1, 1]


def test_more_starts_lose_less():
    counts = documents([0.4, 0.3, 0.3], 60, 40)
    losses = [made(4, n_init=n).fit(counts).information_loss_ for n in (1, 5, 15)]
    assert losses[0] >= losses[1] >= losses[2]


def test_other_numbers_of_column_clusters():
    model = made(3, n_column_clusters=6).fit(X)
    assert sorted(set(model.column_labels_.tolist())) == list(range(6))
    assert np.bincount(model.column_labels_).tolist() == sorted(np.bincount(model.column_labels_), reverse=True)
    assert model.information_loss_ < made(3).fit(X).information_loss_
    assert made(3, n_column_clusters=1).fit(X).mutual_information_ == 0
    with pytest.raises(ValueError, match="n_column_clusters=True is not a number"):
        made(3, n_column_clusters=True).fit(X)
    with pytest.raises(ValueError, match="n_column_clusters=41 is more than the 40 columns"):
        made(3, n_column_clusters=41).fit(X)


@pytest.mark.parametrize("method", BOTH)
def test_empty_rows_and_columns(method):
    wide = np.zeros((62, 43))
    wide[:60, :40] = X
    model, plain = made(method=method).fit(wide), made(method=method).fit(X)
    assert model.row_labels_.tolist() == [*plain.row_labels_, -1, -1]
    assert model.column_labels_.tolist() == [*plain.column_labels_, -1, -1, -1]
    assert model.information_loss_ == pytest.approx(plain.information_loss_)


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_means_nothing(method, scale):
    one, other = (made(method=method).fit(given) for given in (X, X / 10 * scale))
    assert one.row_labels_.tolist() == other.row_labels_.tolist()


def test_the_same_for_any_number_of_jobs_and_form():
    models = [made(n_jobs=jobs).fit(form(X)) for jobs in (1, 2) for form in (np.asarray, sparse.csr_array)]
    assert len({tuple(model.labels_.tolist()) for model in models}) == 1


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize(
    ("given_table", "message"),
    [
        (np.zeros((4, 3)), "X has only zeros"),
        (-np.eye(4), "Negative values in data"),
        ([[3.0, 1e308], [3, 3], [3, 3]], r"values from 3 to 1e\+308, too far apart"),
        (sparse.csr_array(-np.eye(4)), "Negative values"),
        ([[1.0, np.nan]] * 4, "NaN"),
        ([[1.0, 2.0]], "n_clusters=3 is more than"),
        ([["a"]] * 4, "could not convert"),
    ],
)
def test_refused(method, given_table, message):
    with pytest.raises(ValueError, match=message):
        made(method=method).fit(given_table)


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_small_tables(method):
    assert made(1, method=method).fit([[1, 2]]).labels_.tolist() == [0]
    assert set(made(2, method=method).fit([[1], [2], [3]]).labels_.tolist()) <= {0, 1}
    assert made(2, method=method).fit(np.eye(2)).labels_.tolist() == [0, 1]


def test_an_entry_stored_in_parts_is_one_entry():
    whole = sparse.csr_array(np.random.default_rng(0).integers(0, 4, (12, 9)).astype(float))
    halves = sparse.csr_array(
        (np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), 2 * whole.indptr), shape=whole.shape
    )
    one, other = (InformationCoClustering(2, random_state=0, verbose=False).fit(X) for X in (whole, halves))
    assert other.row_labels_.tolist() == one.row_labels_.tolist()
    assert other.information_loss_ == pytest.approx(one.information_loss_)


@pytest.mark.parametrize("method", BOTH)
def test_the_smallest_numbers_there_are(method):
    with np.errstate(all="raise", under="ignore"):
        tiny = made(2, method).fit(np.array([[2e-320], [1e-320], [3e-320]]))
    assert set(tiny.column_labels_.tolist()) == {0}
