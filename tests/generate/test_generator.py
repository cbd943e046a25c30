import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, BisectingKMeans, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pluribus.generate import Generator
from pluribus.generate._internal import k_range

X, Y = make_blobs(300, centers=3, cluster_std=0.5, random_state=0)


class Recorder(ClusterMixin, BaseEstimator):
    """Notes what it is given."""

    def __init__(self, n_clusters=2, random_state=None, seen=None):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.seen = seen

    def __sklearn_clone__(self):
        return Recorder(self.n_clusters, self.random_state, self.seen)  # all clones share the list

    def fit_predict(self, X, y=None):
        self.seen.append((X, self.n_clusters, self.random_state))
        return np.arange(X.shape[0]) % self.n_clusters


def record(X, **parameters):
    seen = []
    ensemble = Generator(Recorder(seen=seen), **parameters).generate(X)
    return ensemble, seen


@pytest.mark.parametrize("clusterer", ["kmeans", "agglomerative", "mixture", "spectral", "landmarks"])
class TestNamedClusterers:
    def test_finds_clear_clusters(self, clusterer):
        ensemble = Generator(clusterer, n_members=5, n_clusters=3, random_state=1).generate(X)
        assert ensemble.labels.shape == (300, 5)
        assert max(adjusted_rand_score(Y, labels) for labels in ensemble.labels.T) > 0.95

    def test_same_for_any_number_of_workers_and_on_a_second_run(self, clusterer):
        parameters = dict(n_members=3, subsample=0.8, random_state=3)
        one, again, two = (Generator(clusterer, n_jobs=n_jobs, **parameters).generate(X) for n_jobs in (1, 1, 2))
        assert one == again
        assert one == two

    def test_seeds_matter(self, clusterer):
        a, b = (Generator(clusterer, n_members=4, random_state=seed).generate(X) for seed in (0, 1))
        assert a != b

    @pytest.mark.parametrize("n", [1, 2, 3, 4, 10])
    def test_few_rows(self, clusterer, n):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ensemble = Generator(clusterer, n_members=3, random_state=0).generate(X[:n])
        assert ensemble.n_objects == n
        k_min, k_max = k_range(n, "auto")
        assert all(k_min <= k <= k_max for k in ensemble.n_clusters)

    @pytest.mark.filterwarnings("ignore:.*fewer clusters than requested")
    def test_equal_rows(self, clusterer):
        assert Generator(clusterer, n_members=3).generate(np.ones((20, 2))).n_objects == 20

    @pytest.mark.parametrize("n_clusters", [1, 7, 12])
    @pytest.mark.filterwarnings("ignore:.*fewer clusters than requested")
    def test_extreme_k(self, clusterer, n_clusters):
        ensemble = Generator(clusterer, n_members=2, n_clusters=n_clusters).generate(X[:7])
        assert ensemble.n_clusters.tolist() == [min(n_clusters, 7)] * 2

    @pytest.mark.parametrize("scale", [1e-9, 1e6])
    def test_any_scale_also_in_float32(self, clusterer, scale):
        ensemble = Generator(clusterer, n_members=2, n_clusters=3, random_state=1).generate(
            (X * scale).astype(np.float32)
        )
        assert max(adjusted_rand_score(Y, labels) for labels in ensemble.labels.T) > 0.5


def test_more_members_only_add():
    few, many = (Generator(n_members=m, random_state=0, subsample=0.7).generate(X) for m in (5, 9))
    np.testing.assert_array_equal(few.labels, many.labels[:, :5])


def test_mini_batches_are_the_same_for_any_number_of_workers():
    big = np.random.default_rng(0).normal(size=(10_500, 3)).astype(np.float32)
    one, two = (Generator(n_members=3, random_state=0, n_jobs=n_jobs).generate(big) for n_jobs in (1, 2))
    assert one == two
    assert min(one.n_clusters) > 95


def test_number_of_clusters():
    ensemble = Generator(n_members=60, n_clusters=(4, 7), random_state=0).generate(X)
    assert set(ensemble.n_clusters) == {4, 5, 6, 7}
    assert set(Generator(n_members=3, n_clusters=lambda n: n // 30).generate(X).n_clusters) == {10}
    # A rule follows the rows that a member sees.
    assert set(Generator(n_members=2, n_clusters=lambda n: n // 30, subsample=0.5).generate(X).n_clusters) == {5}


def test_names_say_what_and_how_many():
    ensemble = Generator(n_members=2, n_clusters=4, random_state=0).generate(X)
    assert ensemble.names == ("kmeans-0 k=4", "kmeans-1 k=4")
    single = Generator("agglomerative", linkage="single", n_members=1, n_clusters=3).generate(X)
    assert single.names == ("single-link-0 k=3",)
    assert Generator(BisectingKMeans(), n_members=1, n_clusters=3).generate(X).names == ("BisectingKMeans-0 k=3",)


class TestPerturbation:
    def test_rows_take_turns(self):
        ensemble, seen = record(X, n_members=10, subsample=0.3, random_state=0)
        assert all(given.shape == (90, 2) for given, _, _ in seen)
        clustered = ensemble.labels >= 0
        assert clustered.sum(axis=0).tolist() == [90] * 10
        assert set(clustered[:, :4].sum(axis=1)) == {1, 2}  # one round of four covers every row
        assert clustered.any(axis=1).all()
        assert not np.array_equal(clustered[:, 0], clustered[:, 4])  # the next round is shuffled anew

    def test_labels_belong_to_the_rows_that_were_seen(self):
        ensemble = Generator(n_members=4, n_clusters=3, subsample=0.5, random_state=2).generate(X)
        for labels in ensemble.labels.T:
            assert adjusted_rand_score(Y[labels >= 0], labels[labels >= 0]) > 0.5

    def test_too_few_members_to_cover_the_rows(self):
        with pytest.raises(ValueError, match="n_members=10 or more"):
            Generator(n_members=3, subsample=0.1).generate(X)

    @pytest.mark.parametrize(("subspace", "expected"), [(0.5, 4), (3, 3), (1, 1), (1.0, 8), (0.01, 1)])
    @pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
    def test_subspace(self, subspace, expected, form):
        wide = np.tile(np.arange(8.0), (20, 1))
        _, seen = record(form(wide), n_members=12, subspace=subspace, random_state=0)
        rows = [tuple(given[0].toarray().ravel() if sp.issparse(given) else given[0]) for given, _, _ in seen]
        assert {len(set(row)) for row in rows} == {expected}
        assert (len(set(rows)) == 1) == (expected == 8)

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
    def test_projection(self, form):
        wide = np.random.default_rng(0).normal(size=(30, 12)).astype(np.float32)
        _, seen = record(form(wide), n_members=2, projection=4, random_state=0)
        (first, _, _), (second, _, _) = seen
        assert isinstance(first, np.ndarray)
        assert first.shape == second.shape == (30, 4)
        assert first.dtype == np.float32
        assert not np.allclose(first, second)
        rank = np.linalg.matrix_rank(np.hstack([wide, first]), tol=1e-3)
        assert rank == 12  # linear in the features

    def test_members_have_their_own_seeds_and_k(self):
        _, seen = record(X, n_members=30, n_clusters=(2, 9), random_state=0)
        assert len({seed for _, _, seed in seen}) == 30
        assert {k for _, k, _ in seen} == set(range(2, 10))


class TestInput:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_data_is_passed_as_it_is(self, dtype):
        data = np.ascontiguousarray(X, dtype=dtype)
        before = data.copy()
        _, seen = record(data, n_members=2)
        assert all(given is data or np.shares_memory(given, data) for given, _, _ in seen)
        Generator(n_members=2).generate(data)
        np.testing.assert_array_equal(data, before)

    def test_sparse_stays_sparse(self):
        matrix = sp.random(60, 40, density=0.1, format="csc", dtype=np.float32, random_state=0)
        _, seen = record(matrix, n_members=2, subsample=0.5)
        assert all(sp.issparse(given) and given.dtype == np.float32 for given, _, _ in seen)

    @pytest.mark.parametrize("clusterer", ["kmeans", "spectral", "landmarks"])
    def test_sparse_and_dense_agree(self, clusterer):
        sparse, dense = (
            Generator(clusterer, n_members=4, n_clusters=3, random_state=0).generate(form(X))
            for form in (sp.csr_array, np.asarray)
        )
        for a, b in zip(sparse.labels.T, dense.labels.T, strict=True):
            assert adjusted_rand_score(a, b) > 0.99

    @pytest.mark.parametrize("clusterer", ["agglomerative", "mixture"])
    def test_sparse_needs_a_projection_where_rows_must_be_dense(self, clusterer):
        matrix = sp.random(50, 40, density=0.3, format="csr", random_state=0)
        with pytest.raises(ValueError, match="projection"):
            Generator(clusterer).generate(matrix)
        assert Generator(clusterer, n_members=2, projection=5).generate(matrix).n_partitions == 2

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_frames(self, dtype):
        data = X.astype(dtype)
        expected = Generator(n_members=3, random_state=0).generate(data)
        for frame in (pd.DataFrame(data, columns=["a", "b"]), pl.DataFrame(data, schema=["a", "b"])):
            _, seen = record(frame, n_members=1)
            assert seen[0][0].dtype == dtype
            assert Generator(n_members=3, random_state=0).generate(frame) == expected

    def test_integers_and_fortran_order(self):
        whole = np.round(X * 10).astype(int)
        a = Generator(n_members=2, random_state=0).generate(whole)
        b = Generator(n_members=2, random_state=0).generate(np.asfortranarray(whole, dtype=float))
        assert a == b

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (np.where(X > 100, X, np.nan), "NaN"),
            (np.full((5, 2), np.inf), "infinity"),
            (X[:, 0], "2D"),
            (np.empty((0, 2)), "0 sample"),
            (np.empty((4, 0)), "0 feature"),
            ([["a", "b"], ["c", "d"]], "convert"),
        ],
    )
    def test_bad_data(self, data, message):
        with pytest.raises(ValueError, match=message):
            Generator().generate(data)

    def test_a_large_table_is_not_copied(self):
        large = np.random.default_rng(0).standard_normal((200_000, 10), dtype=np.float32)
        Generator(n_members=1).generate(large[:11_000])  # imports and buffers
        tracemalloc.start()
        Generator(n_members=1, random_state=0).generate(large)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1.5 * large.nbytes  # a copy in float64 alone would be twice its size


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"clusterer": "k-means"}, "clusterer"),
        ({"clusterer": StandardScaler()}, "clusterer"),
        ({"n_members": 0}, "n_members"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": "square"}, "n_clusters"),
        ({"n_clusters": (5, 3)}, "n_clusters"),
        ({"subsample": 0.0}, "subsample"),
        ({"subsample": 1.5}, "subsample"),
        ({"subspace": 0}, "subspace"),
        ({"subspace": 3}, "subspace=3"),
        ({"projection": 0}, "projection"),
        ({"projection": 5}, "projection=5"),
        ({"linkage": "median"}, "linkage"),
        ({"random_state": -1}, "random_state"),
        ({"n_jobs": "all"}, "n_jobs"),
    ],
)
def test_bad_parameters_are_named_before_any_work(parameters, message):
    with pytest.raises(ValueError, match=message):
        Generator(**parameters).generate(X)


def test_linkage_of_too_many_rows_is_refused_with_advice():
    many = np.zeros((30_000, 1))
    with pytest.raises(ValueError, match=r"4 GB for the distances between.*30,000 rows.*subsample of at most 23,170"):
        Generator("agglomerative").generate(many)


class TestAnyClusterer:
    @pytest.mark.parametrize("clusterer", [KMeans(n_init=1), GaussianMixture(), AgglomerativeClustering()])
    def test_k_is_set_on_a_clone(self, clusterer):
        before = clusterer.get_params()
        ensemble = Generator(clusterer, n_members=2, n_clusters=5, random_state=0).generate(X)
        assert ensemble.n_clusters.tolist() == [5, 5]
        assert clusterer.get_params() == before

    def test_pipeline(self):
        pipeline = make_pipeline(StandardScaler(), KMeans(n_init=1))
        ensemble = Generator(pipeline, n_members=3, n_clusters=(4, 9), random_state=0).generate(X)
        assert ensemble == Generator(pipeline, n_members=3, n_clusters=(4, 9), random_state=0).generate(X)
        assert all(4 <= k <= 9 for k in ensemble.n_clusters)

    def test_one_that_finds_k_by_itself(self):
        threshold = AgglomerativeClustering(n_clusters=None, distance_threshold=3.0, linkage="single")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ensemble = Generator(threshold, n_members=2, subsample=0.9).generate(X)
        assert all(k < 5 for k in ensemble.n_clusters)

    def test_noise_is_missing(self):
        lonely = np.vstack([X, [[50.0, 50.0]]])
        generator = Generator(DBSCAN(eps=1.0), n_members=2)
        with pytest.raises(ValueError, match=r"1 of 301 rows are noise in every member.*\[300\]"):
            generator.generate(lonely)
        ensemble = Generator(DBSCAN(eps=1.0), n_members=2).generate(X)
        assert ensemble.names[0].startswith("DBSCAN-0 k=")

    def test_members_of_noise_only_are_left_out_with_a_warning(self):
        class Moody(Recorder):
            def __sklearn_clone__(self):
                return Moody(self.n_clusters, self.random_state, self.seen)

            def fit_predict(self, X, y=None):
                found = super().fit_predict(X)
                return np.full_like(found, -1) if len(self.seen) == 2 else found

        with pytest.warns(UserWarning, match="1 of 3 members have only noise"):
            ensemble = Generator(Moody(seen=[]), n_members=3, n_clusters=4).generate(X)
        assert [name.split()[0] for name in ensemble.names] == ["Moody-0", "Moody-2"]

    def test_an_error_says_which_member(self):
        with pytest.raises(ValueError) as info:
            Generator(KMeans(init="nonsense"), n_members=2, n_clusters=4).generate(X)
        assert "KMeans clustered 300 rows into 4" in "".join(info.value.__notes__)


def test_one_warning_for_all_members_with_too_few_clusters():
    doubled = np.repeat(X[:5], 20, axis=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ensemble = Generator(n_members=10, n_clusters=30, random_state=0).generate(doubled)
    assert ensemble.n_clusters.tolist() == [5] * 10
    (warning,) = caught
    assert "10 of 10 members have fewer clusters" in str(warning.message)
    assert "5 instead of 30" in str(warning.message)
    assert warning.filename == __file__


def test_it_is_an_estimator():
    generator = Generator("mixture", n_members=7, n_clusters=(2, 5), random_state=0)
    assert repr(generator) == "Generator(clusterer='mixture', n_clusters=(2, 5), n_members=7, random_state=0)"
    assert clone(generator).get_params() == generator.get_params()
    assert pickle.loads(pickle.dumps(generator)).generate(X) == generator.generate(X)
    assert generator.set_params(n_members=3).generate(X).n_partitions == 3


@pytest.mark.parametrize("k", [128, 129, 130])
def test_labels_at_the_edge_of_a_byte(k):
    X = np.random.default_rng(0).normal(size=(300, 2))
    ensemble = Generator(n_clusters=k, n_members=1, random_state=0, verbose=False).generate(X)
    assert ensemble.n_clusters.tolist() == [k]
    assert ensemble.labels.min() == 0


def test_members_by_genie():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 9, [[40.0, 40.0]]])  # and an outlier
    ensemble = Generator("agglomerative", linkage="genie", n_members=12, n_clusters=2, random_state=0).generate(X)
    single = Generator("agglomerative", linkage="single", n_members=1, n_clusters=2).generate(X)
    assert np.bincount(single.labels[:, 0]).min() == 1
    low = [np.bincount(column).min() for column in ensemble.labels.T]
    assert np.mean(np.array(low) >= 60) >= 0.5  # unless the threshold is high
    again = Generator("agglomerative", linkage="genie", n_members=12, n_clusters=2, random_state=0, n_jobs=2)
    assert np.array_equal(again.generate(X).labels, ensemble.labels)
    fine = Generator("agglomerative", linkage="genie", n_members=2, n_clusters=(3, 5), random_state=0)
    assert fine.generate(X.astype(np.float32)).n_objects == 121
