import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.utils.estimator_checks import parametrize_with_checks

from alternative.shared import CROSS, CROSS_KNOWN, purity, same_partition, two_partitions
from pluribus.alternative import ResidualClusterer, by_name
from pluribus.alternative._shared.residuals import Residuals
from pluribus.alternative.residual._residual_kmeans import residual_kmeans


def fitted(X, known, k=2, **how):
    return ResidualClusterer(k, **{"random_state": 0} | how).fit(X, known=known)


# These ask for a single cluster, which says nothing.
ONE_CLUSTER = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_methods_subset_invariance",
        "check_fit2d_1sample",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
    ),
    "n_clusters=1",
)


class HalfKnown(ResidualClusterer):
    """For scikit-learn's checks, which know nothing: every other row is in another group."""

    def fit(self, X, y=None):
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        return super().fit(X, known=np.arange(n) % 2)

    def fit_predict(self, X, y=None):
        return self.fit(X).labels_


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([HalfKnown(2, random_state=0)], expected_failed_checks=lambda _: ONE_CLUSTER)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("remove", ["means", "subspace"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_hand_example(remove, form):
    model = fitted(form(CROSS), CROSS_KNOWN, remove=remove)
    assert model.labels_.tolist() == [0, 1, 0, 1]
    assert model.nmi_with_known_ == pytest.approx(0)
    assert model.explained_by_known_ == pytest.approx(100 / 101)


@pytest.mark.parametrize(("alpha", "least"), [(1, 0.99), (0.5, 0.93), (0.25, 0.77)])
def test_the_other_partition_is_found(alpha, least):
    found = []
    for seed in range(4):
        X, p, q = two_partitions(2, 100, alpha, seed)
        found.append(purity(fitted(X, p).labels_, q))
    assert np.mean(found) >= least


def test_sparse_rows_reach_the_inertia_of_dense_ones():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 40), density=0.1, rng=rng, format="csr")
    known = rng.integers(-1, 3, 300)
    dense = fitted(X.toarray(), known, k=4)
    found = residual_kmeans(Residuals(X, known, 3), 4, 10, seed=0)
    rows = Residuals(X, known, 3).matrix()
    by_hand = sum(((rows[found.labels_ == c] - found.cluster_centers_[c]) ** 2).sum() for c in range(4))
    assert found.inertia_ == pytest.approx(by_hand)
    assert found.inertia_ <= 1.05 * dense.model_.inertia_


def test_bases_and_noise():
    rng = np.random.default_rng(0)
    X = np.repeat(CROSS, 10, axis=0) + rng.normal(scale=0.01, size=(40, 2))
    known, wanted = np.repeat(CROSS_KNOWN, 10), np.repeat([0, 1, 0, 1], 10)
    for base in ("em-gaussian", AgglomerativeClustering()):
        assert same_partition(fitted(X, known, base=base).labels_, wanted)
    outlier = np.concatenate([X, [[3.0, 9.0]]])
    labels = fitted(outlier, np.append(known, None), base=DBSCAN(eps=0.5)).labels_
    assert labels[-1] == -1
    assert same_partition(labels[:-1], wanted)


@pytest.mark.parametrize(
    ("X", "known", "how", "message"),
    [
        (CROSS, [0, 1, 2, 3], {}, "nothing is left to cluster"),
        (CROSS, [0, 0, 1], {}, "known has 3 labels"),
        (np.ones((4, 2)), CROSS_KNOWN, {}, "nothing is left"),
        (np.full((10, 2), 0.1), [0] * 3 + [1] * 7, {}, "nothing is left"),  # their means are not 0.1 to the last bit
        (sparse.csr_array(np.full((10, 2), 0.1)), [0] * 3 + [1] * 7, {}, "nothing is left"),
        (CROSS[:, :1], CROSS_KNOWN, {"remove": "subspace"}, "nothing is left"),
        (CROSS, CROSS_KNOWN, {"remove": "all"}, "remove"),
        (CROSS, CROSS_KNOWN, {"base": "em-multinomial"}, "is unknown"),
        (sparse.csr_array(CROSS), CROSS_KNOWN, {"base": "em-gaussian"}, "residuals of a sparse X are dense"),
        (CROSS, CROSS_KNOWN, {"k": 1}, "n_clusters"),
        (CROSS, CROSS_KNOWN, {"k": 5}, "n_clusters=5"),
    ],
)
def test_wrong_input_is_refused(X, known, how, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, known, **how)


def test_names():
    assert by_name("orthogonal-kmeans")(3).remove == "subspace"
