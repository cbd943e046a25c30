"""What every k-means with constraints keeps to: scikit-learn's conventions, input of all kinds, bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from pluribus.constrained import (
    BalancedKMeans,
    CopKMeans,
    FrequencySensitiveKMeans,
    MetricPairwiseKMeans,
    PairwiseKMeans,
    SeededKMeans,
    SizeConstrainedKMeans,
)
from pluribus.constraints import ConstraintError, Constraints, ContradictionError, InfeasibleError, random_pairs

METHODS = [
    CopKMeans(3, random_state=0),
    PairwiseKMeans(3, random_state=0),
    MetricPairwiseKMeans(3, random_state=0),
    MetricPairwiseKMeans(3, metric="full", per_cluster=True, random_state=0),
    SeededKMeans(3, random_state=0),
    SeededKMeans(3, fixed=False, random_state=0),
    SizeConstrainedKMeans(3, random_state=0),
]
NAMES = ["cop", "pairwise", "metric", "metric-full", "constrained", "seeded", "size-constrained"]
every_method = pytest.mark.parametrize("method", METHODS, ids=NAMES)
enforcing = pytest.mark.parametrize("method", METHODS[:5] + METHODS[6:], ids=NAMES[:5] + NAMES[6:])

RANDOM_STARTS = "drawn starts differ between weights and copies, as in scikit-learn's KMeans"


VARIANTS = (METHODS[3], METHODS[5])  # of classes that are checked anyway
NOT_EQUAL = {
    "check_sample_weight_equivalence_on_dense_data": RANDOM_STARTS,
    "check_sample_weight_equivalence_on_sparse_data": RANDOM_STARTS,
}


@parametrize_with_checks(
    [
        *(clone(method).set_params(n_init=1) for method in METHODS if method not in VARIANTS),
        BalancedKMeans(3, n_init=1),
        FrequencySensitiveKMeans(3, n_init=2),
    ],
    expected_failed_checks=lambda _: NOT_EQUAL,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [clone(method).set_params(n_init=2) for method in VARIANTS], expected_failed_checks=lambda _: NOT_EQUAL
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_variants(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(150, n_features=4, centers=3, cluster_std=2.5, random_state=3)
    return X, y, random_pairs(y, 60, random_state=0)


@enforcing
def test_hard_constraints_hold(method, blobs):
    X, _, known = blobs
    model = clone(method).fit(X, constraints=known)
    assert model.violations_.count == 0
    assert model.labels_.dtype == np.int32
    sizes = np.bincount(model.labels_)
    assert len(sizes) == model.n_clusters_ == 3
    assert (np.diff(sizes) <= 0).all()
    assert (np.diff(model.objective_) <= 1e-9 * abs(model.objective_[0])).all()


@every_method
def test_predict_agrees_with_the_labels_of_what_is_free(method, blobs):
    X, _, known = blobs
    model = clone(method).set_params(tol=0, max_iter=1000).fit(X, constraints=known)
    closure = known.closure(3)
    free = (closure.chunk_sizes == 1) & (np.diff(closure.cannot_graph.indptr) == 0)
    inside = free[closure.chunk_of] if getattr(model, "fixed", True) else np.full(len(X), True)
    assert (model.predict(X)[inside] == model.labels_[inside]).mean() > 0.99


@every_method
def test_the_same_seed_gives_the_same_result_on_any_number_of_cores(method, blobs):
    X, _, known = blobs
    one = clone(method).set_params(random_state=7).fit(X, constraints=known)
    other = clone(method).set_params(random_state=7, n_jobs=2).fit(X, constraints=known)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)


@every_method
def test_none_and_nothing_known_are_the_same(method, blobs):
    X = blobs[0]
    one, other = clone(method).fit(X), clone(method).fit(X, constraints=Constraints(len(X)))
    np.testing.assert_array_equal(one.labels_, other.labels_)


@pytest.mark.parametrize("method", [CopKMeans, PairwiseKMeans, SizeConstrainedKMeans])
def test_without_constraints_they_are_kmeans(method):
    X = load_iris().data
    start = X[[3, 77, 140]]
    theirs = KMeans(3, init=start, n_init=1, algorithm="lloyd").fit(X)
    ours = method(3, init=start).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert ours.score(X) == pytest.approx(theirs.score(X))


@every_method
def test_every_kind_of_table(method, blobs):
    X, _, known = blobs
    expected = clone(method).fit(X, constraints=known).labels_
    columns = list("abcd")
    for table in (pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns)):
        model = clone(method).fit(table, constraints=known)
        np.testing.assert_array_equal(model.labels_, expected)
        assert model.feature_names_in_.tolist() == columns


@pytest.mark.parametrize("method", [METHODS[i] for i in (0, 1, 2, 4, 5, 6)], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_is_as_dense(method, kind):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    X = (rng.random((120, 30)) < 0.1 + 0.5 * (np.arange(30) % 3 == y[:, None])) * rng.random((120, 30))
    known = random_pairs(y, 40, random_state=0)
    thin = clone(method).fit(kind(X), constraints=known)
    assert adjusted_rand_score(thin.labels_, clone(method).fit(X, constraints=known).labels_) > 0.9
    np.testing.assert_array_equal(thin.predict(kind(X)), thin.predict(X))


def test_a_full_metric_needs_dense_data():
    with pytest.raises(TypeError, match="dense data is required"):
        MetricPairwiseKMeans(2, metric="full").fit(sparse.csr_array(np.eye(5)))


@every_method
def test_float32_stays(method, blobs):
    X, _, known = blobs
    model = clone(method).fit(X.astype(np.float32), constraints=known)
    assert model.cluster_centers_.dtype == np.float32
    assert adjusted_rand_score(model.labels_, clone(method).fit(X, constraints=known).labels_) > 0.9


@every_method
def test_far_from_the_origin(method, blobs):
    X, _, known = blobs
    moved = clone(method).fit(X + 1e6, constraints=known)
    assert adjusted_rand_score(moved.labels_, clone(method).fit(X, constraints=known).labels_) == 1


@every_method
def test_clone_pickle_pipeline_and_grid(method, blobs):
    X, _, known = blobs
    model = clone(method).fit(X, constraints=known)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    line = make_pipeline(StandardScaler(), clone(method))
    step = line.steps[-1][0]
    labels = line.fit_predict(X, **{f"{step}__constraints": known})
    assert known.violations(labels).n_hard == 0 or not getattr(method, "fixed", True)
    everyone = np.arange(len(X))
    grid = GridSearchCV(
        clone(method),
        {"n_clusters": [3, 4]},
        cv=[(everyone, everyone)],
        scoring=lambda model, X, y=None: -model.objective_[-1],
    )
    assert grid.fit(X, constraints=known).best_params_["n_clusters"] in (3, 4)


@every_method
def test_weight_zero_is_as_absent(method):
    X, _ = make_blobs(90, centers=3, random_state=0)
    away = np.vstack([X, X[:20] + 50])
    weights = np.r_[np.ones(90), np.zeros(20)]
    start = {"init": X[[0, 1, 2]]} if "init" in method.get_params() else {"n_init": 20}
    start["tol"] = 0  # it is relative to the variance of all rows
    one = clone(method).set_params(**start).fit(X)
    other = clone(method).set_params(**start).fit(away, sample_weight=weights)
    assert adjusted_rand_score(one.labels_, other.labels_[:90]) == 1


@every_method
def test_edges(method):
    one = clone(method).set_params(n_clusters=1)
    assert one.fit([[1.0, 2.0]]).labels_.tolist() == [0]
    assert one.fit([[1.0], [2.0]], constraints=Constraints(2, must_link=[(0, 1)])).labels_.tolist() == [0, 0]
    all_apart = clone(method).set_params(n_clusters=4)
    X = np.array([[0.0], [1.0], [5.0], [9.0]])
    assert sorted(all_apart.fit(X).labels_.tolist()) == [0, 1, 2, 3]
    known = Constraints(4, cannot_link=np.column_stack(np.triu_indices(4, 1)))
    assert sorted(all_apart.fit(X, constraints=known).labels_.tolist()) == [0, 1, 2, 3]


@every_method
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_duplicate_rows(method):
    X = np.repeat([[0.0, 1.0], [2.0, 2.0]], 10, axis=0)
    assert len(clone(method).fit(X).labels_) == 20


@every_method
def test_bad_input(method, blobs):
    X, _, _ = blobs
    with pytest.raises(ValueError, match="NaN"):
        clone(method).fit([[1.0], [np.nan], [2.0]])
    with pytest.raises(ValueError, match="n_clusters=3 is more than the n_samples=2"):
        clone(method).fit([[1.0], [2.0]])
    with pytest.raises(ConstraintError, match="must be None or a pluribus.Constraints, got list"):
        clone(method).fit(X, constraints=[(0, 1)])
    with pytest.raises(ConstraintError, match=r"about 3 objects, but there are 150"):
        clone(method).fit(X, constraints=Constraints(3, must_link=[(0, 1)]))
    with pytest.raises(InfeasibleError, match="4 classes"):
        clone(method).fit(X, constraints=Constraints.from_labels(np.arange(150) % 4))
    with pytest.raises(ValueError, match="n_clusters"):
        clone(method).set_params(n_clusters=0).fit(X)
    with pytest.raises(ValueError, match="n_clusters=True is not a number"):
        clone(method).set_params(n_clusters=True).fit(X)
    with pytest.raises(ValueError, match="(?i)negative"):
        clone(method).fit(X, sample_weight=np.r_[-1.0, np.ones(149)])
    if "init" in method.get_params():
        with pytest.raises(ValueError, match=r"one center for each cluster, shape \(3, 4\)"):
            clone(method).set_params(init=X[:2]).fit(X)


@pytest.mark.parametrize("method", METHODS[:6], ids=NAMES[:6])
@pytest.mark.parametrize(("size", "dtype"), [(1e20, np.float32), (1e-25, np.float32), (1e160, float), (1e-170, float)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_sizes_that_squares_cannot_hold(method, size, dtype, kind, blobs):
    if kind is not np.asarray and not method.takes_sparse:
        pytest.skip("takes dense X only")
    apart = Constraints(150, cannot_link=[(0, 60), (60, 100), (0, 100)])
    with pytest.raises(ValueError, match="squares float.. cannot hold: scale X"):
        clone(method).fit(kind((blobs[0] * size).astype(dtype)), constraints=apart)


@every_method
def test_a_generator_as_random_state(method, blobs):
    one, other = (clone(method).set_params(random_state=np.random.default_rng(3)).fit(blobs[0]) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_out_of_range_self_pairs_and_duplicates(blobs):
    X, _, _ = blobs
    with pytest.raises(ConstraintError, match="go from 0 to 149"):
        Constraints(150, must_link=[(0, 150)])
    with pytest.raises(ConstraintError, match="apart from itself"):
        Constraints(150, cannot_link=[(4, 4)])
    once = CopKMeans(3, random_state=0).fit(X, constraints=Constraints(150, [(0, 1)], [(0, 2)]))
    again = Constraints(150, [(0, 1), (1, 0), (0, 1), (5, 5)], [(0, 2), (2, 0)])
    np.testing.assert_array_equal(CopKMeans(3, random_state=0).fit(X, constraints=again).labels_, once.labels_)


def test_pairs_of_string_ids(blobs, tmp_path):
    X, _, _ = blobs
    ids = [f"row-{i}" for i in range(150)]
    path = tmp_path / "pairs.csv"
    path.write_text("a,b,type\nrow-0,row-7,must-link\nrow-3,row-9,cannot-link\n")
    labels = CopKMeans(3).fit_predict(X, constraints=Constraints.read(path, ids=ids))
    assert labels[0] == labels[7]
    assert labels[3] != labels[9]


@pytest.mark.parametrize("method", [CopKMeans, PairwiseKMeans, MetricPairwiseKMeans])
def test_a_hundred_thousand_pairs(method):
    X, y = make_blobs(5000, n_features=5, centers=5, cluster_std=5, random_state=0)
    known = random_pairs(y, 100_000, random_state=0)
    model = method(5, n_init=1, random_state=0).fit(X, constraints=known)
    assert model.violations_.count == 0
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_noise_is_weighed_or_refused():
    X, y = make_blobs(600, n_features=3, centers=3, cluster_std=3, random_state=1)
    sure = random_pairs(y, 600, random_state=0)
    with pytest.raises(ContradictionError):
        sure.flip(0.3, 0)
    noisy = sure.flip(0.3, 0, soften=True)
    with pytest.raises(ConstraintError, match="PairwiseKMeans"):
        CopKMeans(3).fit(X, constraints=noisy)
    X /= 3  # a variance of one in each cluster: weights are log-odds
    plain = adjusted_rand_score(y, PairwiseKMeans(3, random_state=0).fit_predict(X))
    weighed = adjusted_rand_score(y, PairwiseKMeans(3, random_state=0).fit_predict(X, constraints=noisy))
    assert weighed > plain
