import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from pluribus import EnsembleClusterer
from pluribus.compare import lift_emd_distance
from pluribus.consensus import EvidenceAccumulation, LocallyWeightedConsensus, PairwiseProbabilistic
from pluribus.constrained import BalancedKMeans, CopKMeans
from pluribus.generate import Generator, mix
from pluribus.validate import choose_k, silhouette_index


def small(**options):
    return EnsembleClusterer(Generator(n_members=10), random_state=0, verbose=False, **options)


RANDOM_STARTS = "drawn starts differ between weights and copies, as in scikit-learn's KMeans"


@parametrize_with_checks(
    [EnsembleClusterer(Generator(n_members=5), verbose=False)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": RANDOM_STARTS,
        "check_sample_weight_equivalence_on_sparse_data": RANDOM_STARTS,
    },
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, 3, centers=[[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], random_state=0)


def test_result(blobs):
    X, y = blobs
    model = EnsembleClusterer(random_state=0, verbose=False).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.n_clusters_ == 4
    assert model.membership_.shape == (150, 4)
    assert model.uncertainty_.shape == (150,)
    assert model.ensemble_.n_partitions == 80
    assert isinstance(model.consensus_, LocallyWeightedConsensus)
    assert len(model.reasons_) == 5
    assert model.reasons_[3].startswith("4 clusters: ")
    assert np.array_equal(model.predict(X), model.labels_)


def test_the_verdict_says_whether_there_are_clusters(blobs):
    X, _ = blobs
    assert EnsembleClusterer(n_clusters=4, n_members=10, random_state=0, verbose=False).fit(X).verdict_ == "clusters"
    one = np.random.default_rng(0).normal(size=(200, 3))
    flat = EnsembleClusterer(n_members=10, random_state=0, verbose=False).fit(one)
    assert flat.verdict_ == "none"
    assert flat.reasons_[-1].startswith("One group, no evidence of clusters")
    same = EnsembleClusterer(n_members=10, random_state=0, n_jobs=2, verbose=False).fit(one)
    np.testing.assert_array_equal(same.structure_.witnesses, flat.structure_.witnesses)
    other = EnsembleClusterer(consensus="eac", n_members=5, n_clusters=3, verbose=False).fit(X)
    assert other.structure_ is None
    assert other.verdict_ is None
    how = {"n_members": 10, "n_clusters": 3, "random_state": 0, "verbose": False}
    assert EnsembleClusterer(**how).fit(sparse.csr_matrix(X)).verdict_ == "clusters"  # by what candidates are made from
    assert EnsembleClusterer(candidates=None, **how).fit(sparse.csr_matrix(X)).verdict_ is None


@pytest.mark.parametrize(
    "n", [100, pytest.param(400, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("k", [2, 3, 5, 8, 12])
def test_finds_the_number_of_clear_clusters(n, k):
    angle = 2 * np.pi * np.arange(k) / k
    X, y = make_blobs(n, centers=10 * np.column_stack([np.cos(angle), np.sin(angle)]), cluster_std=0.3, random_state=k)
    model = EnsembleClusterer(random_state=0, verbose=False).fit(X)
    assert model.n_clusters_ == k
    assert adjusted_rand_score(y, model.labels_) == 1


def test_coarse_members_look_for_the_result_itself(blobs):
    X, _ = blobs
    model = EnsembleClusterer(Generator(n_members=20, n_clusters=(3, 6)), random_state=0, verbose=False).fit(X)
    assert model.n_clusters_ == 4
    with pytest.warns(UserWarning, match="largest number that was looked at"):
        EnsembleClusterer(Generator(n_members=20, n_clusters=3), random_state=0, verbose=False).fit(X)


def test_same_seed_same_labels_whatever_n_jobs():
    X = load_iris().data
    one, two, again = (small(n_jobs=jobs).fit(X) for jobs in (1, 2, 1))
    assert np.array_equal(one.ensemble_.labels, two.ensemble_.labels)
    assert np.array_equal(one.labels_, two.labels_)
    assert np.array_equal(one.membership_, again.membership_)


def test_kinds_of_X(blobs):
    X = blobs[0].astype(np.float32)
    labels = small(n_clusters=4).fit(X).labels_
    for other in (sparse.csr_matrix(X), pd.DataFrame(X), pl.DataFrame(X)):
        assert adjusted_rand_score(labels, small(n_clusters=4).fit(other).labels_) == 1


def test_any_consensus_and_generator(blobs):
    X, y = blobs
    coarse = Generator(n_members=10, n_clusters=(4, 10))
    for consensus in ("eac", "ppc", "scec", EvidenceAccumulation(linkage="single"), PairwiseProbabilistic(n_init=2)):
        model = EnsembleClusterer(coarse, consensus, 4, random_state=0, verbose=False).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1
    for consensus in ("ppc", "scec", "qmi", "voting"):
        assert EnsembleClusterer(None, consensus, 4, random_state=0, verbose=False).fit(X).n_clusters_ == 4
    assert EnsembleClusterer(None, "ppc", random_state=0, verbose=False).fit(X).n_clusters_ == 4
    assert EnsembleClusterer(coarse, "liftkm", 4, random_state=0, verbose=False).fit(X).n_clusters_ == 4
    both = mix(Generator(n_members=6), Generator(DBSCAN(eps=2), n_members=2))
    assert EnsembleClusterer(both, n_clusters=4, random_state=0, verbose=False).fit(X).ensemble_.n_partitions == 8
    named = EnsembleClusterer("fixed-range", n_clusters=4, random_state=0, verbose=False).fit(X)
    assert adjusted_rand_score(y, named.labels_) == 1


def test_checkpoint(blobs, tmp_path):
    X, _ = blobs
    whole = small().fit(X)
    small(checkpoint=tmp_path / "kept").fit(X)
    assert len(list((tmp_path / "kept").glob("task-*.npz"))) == 10
    next((tmp_path / "kept").glob("task-*.npz")).unlink()
    resumed = small(checkpoint=tmp_path / "kept").fit(X)
    assert np.array_equal(whole.ensemble_.labels, resumed.ensemble_.labels)
    with pytest.raises(ValueError, match="another job"):
        small(checkpoint=tmp_path / "kept").fit(X + 1)


def test_lives_in_pipelines_and_searches_and_pickles(blobs):
    X, y = blobs
    pipeline = make_pipeline(StandardScaler(), small(n_clusters=4)).fit(X)
    assert adjusted_rand_score(y, pipeline.predict(X)) == 1
    copy = pickle.loads(pickle.dumps(small(n_clusters=4).fit(X)))
    assert len(copy.predict(X[:3])) == 3
    search = GridSearchCV(
        small(), {"n_clusters": [2, 4]}, scoring=lambda model, X, y: adjusted_rand_score(y, model.predict(X)), cv=2
    ).fit(X, y)
    assert search.best_params_ == {"n_clusters": 4}
    assert clone(small()).get_params()["generator__n_members"] == 10


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"n_clusters": 200}, "more than the 150 rows"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"consensus": "magic"}, "cspa, eac"),
        ({"consensus": 3}, "consensus"),
    ],
)
def test_bad_parameters(blobs, options, word):
    with pytest.raises(ValueError, match=word):
        small(**options).fit(blobs[0])


def test_bad_data(blobs):
    X = blobs[0].copy()
    with pytest.raises(ValueError, match="1 sample"):
        small().fit(X[:1])
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        small().fit(X)
    with pytest.raises(ValueError, match="preset|magic"):
        EnsembleClusterer("magic", verbose=False).fit(blobs[0])


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_and_equal_rows(n):
    X = np.zeros((n, 2))
    assert small().fit(X).labels_.shape == (n,)
    assert small(n_clusters=1).fit(np.arange(2.0 * n).reshape(n, 2)).n_clusters_ == 1
    assert small(n_clusters=n).fit(np.arange(2.0 * n).reshape(n, 2)).n_clusters_ == n


class Cells:
    """As much of an AnnData as matters: numpy takes it for a sequence of sequences, and does not come to an end."""

    X = obs_names = var_names = None
    obsm = {"X_pca": np.zeros((5, 2))}
    shape = (5, 2)

    def __len__(self):
        return 5

    def __getitem__(self, place):
        raise AssertionError("it was read as a sequence")


@pytest.mark.parametrize(
    "call",
    [
        EnsembleClusterer().fit,
        Generator().generate,
        CopKMeans(2).fit,
        BalancedKMeans(2).fit,
        lambda X: silhouette_index([0, 0, 1, 1, 1], X),
        lambda X: choose_k(X),
        lambda X: lift_emd_distance([0, 0, 1, 1, 1], [0, 0, 1, 1, 1], X),
        lambda X: EnsembleClusterer(n_members=2, verbose=False).fit(np.eye(5)).predict(X),
    ],
)
def test_an_anndata_is_refused_at_once(call):
    with pytest.raises(TypeError, match=r'X is a Cells: give one of its arrays, usually adata.obsm\["X_pca"\]'):
        call(Cells())
