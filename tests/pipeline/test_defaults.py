"""What EnsembleClusterer does where nothing is said: members, consensus, number of clusters; and noise."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus import Constraints, EnsembleClusterer
from pluribus.consensus import EvidenceAccumulation, LocallyWeightedConsensus, mark_noise
from pluribus.consensus.linkage._last_merges import LastMerges
from pluribus.generate import Generator
from pluribus.pipeline import default_consensus, default_generator
from pluribus.pipeline._defaults import is_steady, with_more_members
from pluribus.tables import Rows, open_rows

CENTERS = [[0, 0], [12, 0], [0, 12]]


class Shape:
    """As large as is said."""

    def __init__(self, *shape):
        self.shape = shape


class InParts(Rows):
    """Rows in a file, as large as is said."""

    def __init__(self, *shape):
        self.shape = shape

    def take(self, rows):
        raise AssertionError

    blocks = take


@pytest.fixture(scope="module")
def noisy():
    X, y = make_blobs(150, centers=CENTERS, random_state=0)
    rng = np.random.default_rng(0)
    return np.vstack([X, rng.uniform(-6, 18, size=(20, 2))]), np.append(y, np.full(20, -1))


def fit(X, **options):
    told = {name: options.pop(name) for name in ("constraints", "sample_weight") if name in options}
    return EnsembleClusterer(random_state=0, verbose=False, **options).fit(X, **told)


@pytest.fixture(scope="module")
def plain(noisy):
    """What is found without options."""
    return fit(noisy[0])


@pytest.fixture(scope="module")
def three(noisy):
    """What is found if the number of clusters is given."""
    return fit(noisy[0], n_clusters=3)


@pytest.mark.parametrize(
    ("X", "k", "expected"),
    [
        (Shape(100_000, 1000), None, "lwsm"),
        (Shape(100_001, 1000), None, "lwsm"),
        (Shape(50_000_000, 2), None, "lwsm"),
        (InParts(100_000, 2), None, "lwsm"),
        (InParts(100_001, 2), None, "eac"),
        (open_rows(np.broadcast_to(1.0, (100_001, 2))), None, "lwsm"),  # in memory
        (Shape(100, 2), 21, "lwsm"),
        (Shape(1000, 2), 100, "lwsm"),
        (Shape(1000, 2), 101, "eac"),
        (InParts(1000, 2), 101, "eac"),
        (sparse.csr_matrix((1000, 100_000)), None, "lwsm"),
        (sparse.csr_matrix((200_000, 10_000)), None, "lwsm"),
        (sparse.csr_matrix((20_000, 130_000)), None, "eac"),  # its landmarks are dense
    ],
)
def test_default_consensus(X, k, expected):
    assert default_consensus(X, k) == expected


def test_default_generator():
    landmarks = Generator("landmarks", n_members=20, n_clusters="coarse")
    for weighted in ("lwea", "LWSM", LocallyWeightedConsensus(), LocallyWeightedConsensus(20, extraction="stable")):
        assert default_generator(weighted).get_params() == landmarks.get_params()
    assert default_generator("lwea", 30).n_clusters == (30, 90)
    assert [default_generator("lwsm", shape=(n, 2)).n_members for n in (10, 5_000, 90_000)] == [80, 40, 20]
    assert [default_generator("lwsm", shape=(9, d)).subspace for d in (7, 8, 50, 51)] == [1.0, 0.75, 0.75, 1.0]
    many = [default_generator("lwsm", k, shape=(9, 10)) for k in (20, 21, 100)]
    assert [each.n_clusters for each in many] == ["coarse", (21, 63), (100, 300)]
    assert [each.subspace for each in many] == [0.75, 1.0, 1.0]
    for fine in ("eac", "CEAC", EvidenceAccumulation()):
        assert default_generator(fine, 5).get_params() == Generator(n_members=100).get_params()
    for coarse in ("ppc", "lwgp", LocallyWeightedConsensus(extraction="graph")):
        assert default_generator(coarse, 5).get_params() == Generator(n_members=100, n_clusters=(5, 15)).get_params()
    assert default_generator("ppc").n_clusters == (2, 20)


def test_where_the_default_does_not_apply(noisy):
    X, _ = noisy
    nothing, known = Constraints(len(X)), Constraints(len(X), must_link=[(0, 1)])
    assert type(fit(X, n_clusters=3, constraints=nothing).consensus_).__name__ == "LocallyWeightedConsensus"
    assert type(fit(X, n_clusters=3, constraints=known).consensus_).__name__ == "ConstrainedEvidenceAccumulation"
    for more in ({"sample_weight": np.ones(len(X))}, {"generator": Generator(n_members=5)}):
        assert type(fit(X, n_clusters=3, **more).consensus_).__name__ == "EvidenceAccumulation"


@pytest.mark.parametrize("k", [4, None])
def test_clusters_that_few_features_tell_apart(k):
    X, y = make_blobs(160, centers=[[0, 0], [10, 0], [0, 10], [10, 10]], random_state=0)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(160, 3))])
    assert adjusted_rand_score(y, fit(X, n_clusters=k).labels_) == 1


def test_more_groups_than_the_coarsest_member_has_clusters():
    rng = np.random.default_rng(0)
    centers = 10 * np.stack(np.meshgrid(np.arange(6), np.arange(5)), axis=-1).reshape(-1, 2)
    y = np.arange(1500) % 30
    X = centers[y] + rng.standard_normal((1500, 2))
    found = fit(X)
    assert found.ensemble_.n_clusters.min() < 30
    assert found.n_clusters_ == 30
    assert adjusted_rand_score(y, found.labels_) > 0.99
    given = fit(X, n_clusters=30)
    assert type(given.consensus_).__name__ == "LocallyWeightedConsensus"
    assert adjusted_rand_score(y, given.labels_) > 0.99


def test_reasons(noisy, plain, three):
    X, _ = noisy
    members, evidence, verdict, number, choice = plain.reasons_
    assert members.startswith("80 members by spectral clustering through landmarks: ")
    assert evidence.startswith("Clusters are weighted by how consistently")
    assert verdict == plain.structure_.sentence
    assert (number, choice) == (plain.k_ladder_.sentence, plain.choice_.sentence)
    *_, number, merging = fit(X, candidates=None).reasons_
    assert (number, merging) == (plain.consensus_.k_stability_.sentence, plain.consensus_.last_merges_.sentence)
    assert len(three.reasons_) == 5  # more members
    assert "landmarks, each on 75% of the features: " in fit(np.hstack([X] * 4), n_clusters=3).reasons_[0]
    assert "100 members by k-means with many clusters" in fit(X, n_clusters=101).reasons_[0]
    (coarse,) = fit(X, consensus="voting", n_clusters=3).reasons_
    assert coarse.startswith("100 members by k-means with about as many clusters as the result")
    assert fit(X, generator=Generator(n_members=5), consensus="eac", n_clusters=3).reasons_ == ()


@pytest.fixture(scope="module")
def unsteady():
    """Groups that overlap, into more clusters than there are."""
    X, _ = make_blobs(120, centers=[[0, 0], [2, 0], [0, 2]], random_state=0)
    return X


def test_more_members_where_halves_disagree(unsteady):
    model = fit(unsteady, n_clusters=5)
    first = fit(unsteady, n_clusters=5, n_members=80)
    assert first.consensus_.last_merges_.stability["average"] < 0.97
    assert len(model.ensemble_) == 200
    assert np.array_equal(model.ensemble_.labels[:, :80], first.ensemble_.labels)
    assert model.reasons_[0].startswith("200 members by spectral clustering through landmarks")
    assert model.reasons_[1] == "Halves of the first 80 members disagreed, so there are more."
    assert np.array_equal(model.labels_, fit(unsteady, n_clusters=5, n_members=200).labels_)


def test_80_members_where_halves_agree():
    X, _ = make_blobs(120, centers=CENTERS, random_state=0)
    model = fit(X, n_clusters=3)
    assert model.consensus_.last_merges_.stability["average"] == 1
    assert len(model.ensemble_) == 80
    assert len(model.reasons_) == 4


def test_as_many_members_as_were_asked_for(unsteady):
    asked = fit(unsteady, n_clusters=5, n_members=80)
    assert len(asked.ensemble_) == 80
    assert not any("Halves of the first" in reason for reason in asked.reasons_)
    assert len(fit(unsteady, n_clusters=5, n_members=200).reasons_) == len(asked.reasons_)
    assert len(fit(unsteady, n_clusters=5, generator=default_generator("lwsm", 5, shape=(120, 2))).ensemble_) == 80
    assert len(fit(unsteady).ensemble_) == 80  # the number of clusters is found: numbers on which halves agree
    assert len(fit(unsteady, n_clusters=5, consensus="voting").ensemble_) == 100


def test_few_distinct_rows_are_said_once():
    X = np.random.default_rng(0).integers(0, 3, (300, 3)).astype(float)
    with pytest.warns(UserWarning, match="of 80 members have fewer clusters") as said:
        assert len(fit(X, n_clusters=4).ensemble_) == 200
    assert len([each for each in said if "have fewer clusters" in str(each.message)]) == 1


def test_more_members_are_kept_and_go_on(unsteady, tmp_path):
    whole = fit(unsteady, n_clusters=5, checkpoint=tmp_path)
    kept = sorted(tmp_path.glob("task-*.npz"))
    assert len(kept) == 200
    for path in kept[::3]:
        path.unlink()
    again = fit(unsteady, n_clusters=5, checkpoint=tmp_path, n_jobs=2)
    assert np.array_equal(whole.labels_, again.labels_)
    assert np.array_equal(whole.labels_, fit(unsteady, n_clusters=5).labels_)


@pytest.mark.parametrize(("n", "expected"), [(2_500, 200), (2_520, None)])
def test_small_tables_may_get_more_members(n, expected):
    generator = default_generator("lwsm", shape=(n, 2))
    larger = with_more_members(generator)
    assert (larger and larger.n_members) == expected
    assert generator.n_members <= 80
    assert with_more_members(default_generator("eac", shape=(n, 2))) is None


@pytest.mark.parametrize(("agreement", "expected"), [(0.96, False), (0.97, True)])
def test_what_is_steady(agreement, expected):
    merges = LastMerges("relative", {"average": agreement, "relative": 1.0})
    assert is_steady(SimpleNamespace(last_merges_=merges)) is expected


def test_nothing_to_compare_is_steady():
    assert is_steady(SimpleNamespace(last_merges_=LastMerges("average", {})))
    assert is_steady(SimpleNamespace())


def test_the_plan_is_for_all_members_that_may_be_made(unsteady):
    plan = fit(unsteady, n_clusters=5).plan_
    assert plan.parts["labels"] == fit(unsteady, n_clusters=5, n_members=200).plan_.parts["labels"]
    assert plan.parts["labels"] > fit(unsteady).plan_.parts["labels"]


def test_noise(noisy, three):
    X, y = noisy
    model = fit(X, n_clusters=3, noise=True)
    left = model.labels_ < 0
    assert np.array_equal(model.labels_, mark_noise(three.ensemble_, three.labels_))
    assert np.array_equal(model.labels_[~left], three.labels_[~left])
    assert left[y < 0].mean() > 0.4
    assert left[y >= 0].mean() < 0.02
    assert model.n_clusters_ == model.membership_.shape[1] == 3
    assert np.array_equal(model.predict(X), three.labels_)
    assert set(fit(sparse.csr_matrix(X), n_clusters=3, noise=True).labels_.tolist()) == {-1, 0, 1, 2}


def test_noise_beside_constraints(noisy, recwarn):
    X, _ = noisy
    last = len(X) - 1
    known = Constraints(len(X), must_link=[(0, last), (last - 1, last - 2)], cannot_link=[(last - 3, last - 4)])
    model = fit(X, noise=True, n_clusters=3, constraints=known)
    assert model.violations_.count == 0  # of objects that are left out, nothing is judged
    assert not recwarn.list


def test_noise_is_a_parameter(noisy):
    X, _ = noisy
    model = clone(EnsembleClusterer(Generator(n_members=8), noise=True, n_clusters=3, random_state=0, verbose=False))
    assert model.get_params()["noise"] is True
    copy = pickle.loads(pickle.dumps(model.fit(X)))
    assert np.array_equal(copy.labels_, model.labels_)
    assert copy.predict(X).min() == 0
    with pytest.raises(ValueError, match="noise"):
        fit(X, noise="yes")


def test_a_checkpoint_goes_on(noisy, plain, tmp_path):
    X, _ = noisy
    whole = fit(X, checkpoint=tmp_path)
    kept = sorted(tmp_path.glob("task-*.npz"))
    assert len(kept) == 80
    for path in kept[::2]:
        path.unlink()
    again = fit(X, checkpoint=tmp_path, n_jobs=2)
    assert np.array_equal(whole.labels_, again.labels_)
    assert np.array_equal(whole.membership_, plain.membership_)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_kinds_of_numbers(dtype):
    X, y = make_blobs(90, centers=CENTERS, cluster_std=0.5, random_state=0)
    assert adjusted_rand_score(y, fit((10 * X).astype(dtype), n_clusters=3).labels_) == 1


@pytest.mark.parametrize("n", [2, 3, 10])
def test_few_rows(n, recwarn):
    X = np.random.default_rng(0).normal(size=(n, 3))
    assert fit(X).n_clusters_ == min(n - 1, 2)
    assert sorted(fit(X, n_clusters=n).labels_.tolist()) == list(range(n))
    assert fit(X, n_clusters=1, noise=True).n_clusters_ == 1
    assert not recwarn.list


@pytest.mark.filterwarnings("ignore:80 of 80 members have fewer clusters")
def test_equal_rows_are_one_cluster():
    found = fit(np.ones((30, 2)))
    assert found.labels_.tolist() == [0] * 30
    assert found.reasons_[2] == "One group, no evidence of clusters: all rows are the same."


def test_wide_tables():
    X, y = make_blobs(48, 2000, centers=3, random_state=0)
    assert adjusted_rand_score(y, fit(X).labels_) == 1
