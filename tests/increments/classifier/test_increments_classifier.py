import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from pluribus import increments
from pluribus.increments import IncrementsClassifier, IncrementsDistribution, dissimilarity_increments
from pluribus.increments.classifier import _neighborhood
from pluribus.increments.classifier._space import scattered_objects, split_centers


def make(max_components=5, **parameters):
    return IncrementsClassifier(max_components, random_state=0, verbose=False, **parameters)


def two_classes(n=60, d=2, seed=0, shift=1.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) * np.where(y, 0.5, 1.0)[:, None] + shift * y[:, None], y


def slow_increments(X_class, x, form):
    """The increments of a new object: of the triplet that starts there, or of all triplets that contain it."""
    joined = np.vstack([X_class, x])
    value, triplet = dissimilarity_increments(joined, return_triplets=True)
    new = len(X_class)
    return value[-1:] if form == "single" else value[(triplet == new).any(axis=1)]


def slow_terms(model, X, y, new, form):
    """log p(increment) in each class, by inserting each object and looking for all neighbors again."""
    out = []
    for j, name in enumerate(model.classes_):
        law = IncrementsDistribution.fit(dissimilarity_increments(X[y == name]))
        assert model.mean_increments_[j] == pytest.approx(law.scale)
        out.append([np.log(law.pdf(slow_increments(X[y == name], x, form)).mean()) for x in new])
    return np.array(out).T


@pytest.mark.parametrize("form", ["single", "set"])
@pytest.mark.parametrize("d", [1, 2, 25])
def test_increments_equal_those_of_a_point_that_is_inserted(form, d):
    X, y = two_classes(40, d)
    new = np.random.default_rng(1).normal(size=(30, d)) + 0.5
    model = make(1, increments=form, covariance_type="diag").fit(X, y)
    assert model.log_likelihood_terms(new).increments == pytest.approx(slow_terms(model, X, y, new, form))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["single", "set"]))
def test_ties_go_to_the_objects_that_were_there(seed, form):
    """Points on a coarse lattice, with duplicates: many distances are equal."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (30, 2)).astype(float) * [1, 1.5], np.arange(30) % 2
    X[:2] += 0.1  # not all increments are 0
    new = rng.integers(0, 4, (6, 2)) * [1, 1.5]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given_distances = make(1, increments=form, metric="precomputed", prototypes=0.1).fit(cdist(X, X), y)
    terms = given_distances.log_likelihood_terms(cdist(new, X))
    assert terms.increments == pytest.approx(slow_terms(given_distances, X, y, new, form))


def test_a_line_by_hand():
    """0, 1, 3, 7 have the increments 1, 2, 1, 2, and 4 has |1 - 2|: 3 is nearest to it, and 1 is nearest to 3."""
    X = np.array([0, 1, 3, 7, 100, 101, 103, 107.0])[:, None]
    model = make(1).fit(X, np.repeat([0, 1], 4))
    assert model.mean_increments_.tolist() == [1.5, 1.5]
    near, far = model.log_likelihood_terms([[4.0]]).increments[0]
    law = IncrementsDistribution(1.5)
    assert near == pytest.approx(law.logpdf(1))
    assert far == pytest.approx(law.logpdf(95))  # |96 - 1|


def test_a_set_by_hand():
    """4 joins 0, 1, 3, 7: (4, 3, 1) has |1 - 2|, (3, 4, 7) |1 - 3|, (7, 4, 3) |3 - 1| and (1, 0, 3) is not its own."""
    X = np.array([0, 1, 3, 7, 100, 101, 103, 107.0])[:, None]
    model = make(1, increments="set").fit(X, np.repeat([0, 1], 4))
    density = IncrementsDistribution(1.5).pdf([1, 2, 2])
    assert model.log_likelihood_terms([[4.0]]).increments[0, 0] == pytest.approx(np.log(density.mean()))


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_without_increments_it_is_a_mixture_for_each_class(covariance_type):
    X, y = load_iris(return_X_y=True)
    model = make(2, increment_weight=0, covariance_type=covariance_type).fit(X, y)
    joint = []
    for j, mixture in enumerate(model.mixtures_):
        own = X[y == j]
        candidates = [
            GaussianMixture(
                k,
                covariance_type=covariance_type,
                reg_covar=1e-6 * X.var(axis=0).mean(),
                max_iter=300,
                random_state=mixture.random_state,
            ).fit(own)
            for k in (1, 2)
        ]
        best = min(candidates, key=lambda candidate: candidate.bic(own))
        assert mixture.n_components == best.n_components
        joint.append(np.log(1 / 3) + best.score_samples(X))
    joint = np.array(joint).T
    assert model.predict(X).tolist() == joint.argmax(axis=1).tolist()
    posterior = np.exp(joint - joint.max(axis=1, keepdims=True))
    assert model.predict_proba(X) == pytest.approx(posterior / posterior.sum(axis=1, keepdims=True))


def test_with_one_component_it_is_quadratic_discriminant_analysis():
    X, y = two_classes(300, 3)
    model = make(1, increment_weight=0, reg_covar=0).fit(X[:250], y[:250])
    qda = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X[:250], y[:250])
    assert model.priors_ == pytest.approx(qda.priors_)
    for mixture, mean, covariance in zip(model.mixtures_, qda.means_, qda.covariance_, strict=True):
        assert mixture.means_[0] == pytest.approx(mean)
        ratio = mixture.covariances_[0] / covariance
        assert ratio == pytest.approx(np.full((3, 3), ratio[0, 0]))
        assert ratio[0, 0] in (pytest.approx(1), pytest.approx(124 / 125))  # some versions divide by n - 1
    assert model.predict(X[250:]).tolist() == qda.predict(X[250:]).tolist()
    assert model.predict_proba(X[250:]) == pytest.approx(qda.predict_proba(X[250:]), abs=0.02)


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
def test_probabilities_follow_from_priors_and_both_terms(weight):
    X, y = two_classes(61)
    model = make(increment_weight=weight).fit(X, y)
    positions, increments = model.log_likelihood_terms(X[:9] + 0.1)
    odds = np.log(31 / 30) + positions[:, 0] - positions[:, 1] + weight * (increments[:, 0] - increments[:, 1])
    log_proba = model.predict_log_proba(X[:9] + 0.1)
    assert log_proba[:, 0] - log_proba[:, 1] == pytest.approx(odds)
    assert model.predict_proba(X[:9] + 0.1).sum(axis=1) == pytest.approx(1)
    assert model.predict(X[:9] + 0.1).tolist() == (odds < 0).astype(int).tolist()


def squares(seed):
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.arange(20) + 0.5, np.arange(20) + 0.5), axis=-1).reshape(-1, 2)
    return np.vstack([rng.uniform(0, 20, (400, 2)), grid + rng.normal(0, 0.08, (400, 2))]), np.repeat([0, 1], 400)


def error(model, X, y, folds=10):
    return 1 - cross_val_score(model, X, y, cv=StratifiedKFold(folds, shuffle=True, random_state=0)).mean()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_grid_is_told_from_random_points(seed):
    X, y = squares(seed)
    assert error(make(1, increment_weight=0), X, y) >= 0.4
    assert error(make(1), X, y) <= 0.15


@pytest.mark.parametrize("form", ["single", "set"])
def test_order_motion_and_names_do_not_matter(form):
    X, y = two_classes(80)
    new, _ = two_classes(40, seed=1)
    expected = make(1, increments=form).fit(X, y).predict_proba(new)
    order = np.random.default_rng(2).permutation(80)
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(2, 2)))[0]
    for scale in (1.0, 1e-6, 1e6):
        moved, moved_new = scale * (X[order] @ turn + 5), scale * (new @ turn + 5)
        assert make(1, increments=form).fit(moved, y[order]).predict_proba(moved_new) == pytest.approx(
            expected, abs=1e-5
        )
    renamed = make(1, increments=form).fit(X, np.array(["b", "a"])[y])
    assert renamed.classes_.tolist() == ["a", "b"]
    assert renamed.predict_proba(new)[:, ::-1] == pytest.approx(expected)


def test_the_result_does_not_depend_on_threads():
    X, y = make_blobs(300, 25, centers=3, random_state=0)
    one, two = (make(2, n_jobs=n_jobs, covariance_type="diag").fit(X, y) for n_jobs in (1, 2))
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


def test_few_and_many_features_find_the_same_neighbors(monkeypatch):
    X, y = two_classes(100, 4)
    by_tree = make(1).fit(X, y).log_likelihood_terms(X + 0.2)
    monkeypatch.setattr(_neighborhood, "FEW_FEATURES", 1)
    by_products = make(1).fit(X, y).log_likelihood_terms(X + 0.2)
    assert by_products.increments == pytest.approx(by_tree.increments)


@pytest.mark.parametrize("embedding", ["pes", "ppes"])
def test_an_embedding_of_euclidean_distances_is_as_good_as_features(embedding):
    X, y = two_classes(80)
    new, _ = two_classes(30, seed=5)
    by_distances = make(1, metric="precomputed", embedding=embedding).fit(cdist(X, X), y)
    assert by_distances.embedding_.n_components_ == 2
    by_features = make(1).fit(X, y)
    assert by_distances.mean_increments_ == pytest.approx(by_features.mean_increments_)
    assert by_distances.predict_proba(cdist(new, X)) == pytest.approx(by_features.predict_proba(new))


@pytest.mark.parametrize("form", ["single", "set"])
@pytest.mark.parametrize(
    "space", [{"embedding": kind} for kind in ("pes", "npes", "ces")] + [{"prototypes": 0.05, "embedding": "ppes"}]
)
def test_dissimilarities_that_are_not_euclidean(space, form):
    X, y = make_blobs(90, 3, centers=3, random_state=2)
    D = np.abs(X[:, None] - X).max(axis=2) ** 1.3
    model = make(1, metric="precomputed", increments=form, **space).fit(D, y)
    proba = model.predict_proba(D[:7])
    assert proba.shape == (7, 3)
    assert np.isfinite(model.predict_log_proba(D)).all()
    assert model.mixtures_[0].n_features_in_ <= 90 // 3 // 3 + 1


def test_dissimilarities_in_cross_validation():
    X, y = make_blobs(90, 2, centers=3, random_state=0)
    D = cdist(X, X, "cityblock")
    for space in ({"embedding": "pes"}, {"prototypes": 0.05}, {"embedding": "ppes", "prototypes": 0.05}):
        assert cross_val_score(make(1, metric="precomputed", **space), D, y, cv=3).mean() > 0.85


def test_dimensions_are_limited_by_the_smallest_class():
    D = cdist(*2 * [np.random.default_rng(0).normal(size=(40, 20))])
    y = np.repeat([0, 1], [31, 9])
    assert make(1, metric="precomputed", embedding="ppes").fit(D, y).mixtures_[0].n_features_in_ == 3
    wide = make(1, metric="precomputed", embedding="ppes", n_components=7).fit(D, y)
    assert wide.mixtures_[0].n_features_in_ == 7


def test_distances_to_prototypes_are_features():
    X, y = two_classes(40)
    model = make(1, prototypes=0.1).fit(X, y)
    centers = KMeans(4, init=split_centers(X, 4), n_init=1).fit(X).cluster_centers_
    plain = make(1).fit(cdist(X, centers), y)
    assert model.predict_proba(X + 0.1) == pytest.approx(plain.predict_proba(cdist(X + 0.1, centers)))


def test_centers_by_splits():
    X = np.array([[0, 0], [0, 1], [10, 0], [10, 4.0]])
    assert split_centers(X, 1).tolist() == [[5, 1.25]]
    assert split_centers(X, 2).tolist() == [[0, 0.5], [10, 2]]
    assert split_centers(X, 3).tolist() == [[0, 0.5], [10, 0], [10, 4]]
    assert len(split_centers(np.ones((5, 2)), 3)) == 1


def test_objects_that_are_far_from_each_other():
    D = cdist(*2 * [np.array([[0.0], [1], [5], [5], [9]])])
    assert scattered_objects(D, 3).tolist() == [2, 0, 4]
    assert sorted(scattered_objects(D, 5).tolist()) == [0, 1, 2, 4]  # no duplicates


def test_a_class_of_duplicates_has_a_floor_and_a_warning():
    X, y = two_classes(40)
    X[y == 1] = 3.0
    with pytest.warns(UserWarning, match="100% of the increments of class 1 are exactly 0"):
        model = make().fit(X, y)
    assert model.mean_increments_[1] > 0
    assert np.isfinite(model.predict_log_proba(X)).all()
    assert model.predict([[3, 3.0]]).tolist() == [1]


def test_a_lattice_has_a_floor():
    X = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    with pytest.warns(UserWarning, match="exactly 0"):
        model = make(1).fit(np.vstack([X, X + 20]), np.repeat([0, 1], 25))
    assert model.mean_increments_ == pytest.approx([1e-9, 1e-9])
    assert model.predict(np.vstack([X, X + 20])).tolist() == np.repeat([0, 1], 25).tolist()


def test_few_rounded_increments_are_no_reason_for_a_warning():
    X, y = two_classes(40)
    X[:2] = X[2:4] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make().fit(X, y)


def test_all_rows_equal():
    with pytest.warns(UserWarning, match="exactly 0"):
        model = make().fit(np.ones((8, 2)), [0, 0, 0, 1, 1, 1, 1, 1])
    assert model.predict_proba([[1, 1]])[0] == pytest.approx([3 / 8, 5 / 8])


def test_tiny_classes_have_diagonal_covariances():
    X, y = np.random.default_rng(0).normal(size=(43, 4)), np.repeat(["big", "tiny"], [40, 3])
    with pytest.warns(UserWarning, match="Fewer than 5 objects in class tiny: too few"):
        model = make().fit(X, y)
    assert [mixture.covariance_type for mixture in model.mixtures_] == ["full", "diag"]
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_components_need_objects():
    X, y = make_blobs(24, 2, centers=4, cluster_std=0.01, random_state=0)
    model = make(5).fit(X, np.repeat([0, 1], 12)[np.argsort(np.argsort(y % 2, kind="stable"))])
    assert [mixture.n_components for mixture in model.mixtures_] == [2, 2]
    assert all(mixture.n_components <= 12 // 3 for mixture in make(12).fit(X, y // 2).mixtures_)


def test_components_that_are_singular_do_not_win():
    """A component of few objects has a huge density, which only reg_covar limits."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for j, mixture in enumerate(make(3).fit(X, y).mixtures_):
        assert mixture.weights_.min() * (y == j).sum() >= 14


def test_new_objects_beyond_the_range_of_numbers():
    X, y = two_classes()
    model = make(1).fit(X, y)
    with pytest.raises(ValueError, match="X holds numbers of a size of 1e\\+60"):
        model.predict([[1e60, 0]])
    assert np.isfinite(model.predict_log_proba([[1e40, 0], [-1e40, 1e40]])).all()


def test_it_can_be_stored_and_copied():
    X, y = two_classes()
    model = make(2, increments="set").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()


def test_the_field_knows_it_by_name():
    assert isinstance(increments.by_name("MAP-DID")(), IncrementsClassifier)
    with pytest.raises(ValueError, match="map-did"):
        increments.by_name("unheard of")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["single", "set"])
def test_follows_scikit_learn(form):
    check_estimator(IncrementsClassifier(increments=form, verbose=False))


X, Y = two_classes(20)
D = cdist(X, X)
PES = {"metric": "precomputed", "embedding": "pes"}


@pytest.mark.parametrize(
    ("parameters", "given", "y", "message"),
    [
        ({}, X, [0] * 18 + [1] * 2, "There are 2 objects in class 1; an increment needs three"),
        ({}, X, ["a"] * 17 + ["b", "b", "c"], "There are 1 objects in class c;"),
        ({}, X, [0] * 20, "only one class"),
        ({}, X, np.linspace(0, 1, 20), "continuous"),
        ({}, np.where(X > 1, np.nan, X), Y, "NaN"),
        ({}, 1e300 * X, Y, "scale X"),
        ({}, X[:19], Y, "inconsistent numbers"),
        ({"max_components": 0}, X, Y, "max_components"),
        ({"criterion": "mml"}, X, Y, "criterion"),
        ({"covariance_type": "tied"}, X, Y, "covariance_type"),
        ({"reg_covar": -1}, X, Y, "reg_covar"),
        ({"reg_covar": 0}, np.hstack([X, X]), Y, "covariance of class 0 is singular: raise reg_covar"),
        ({"increments": "all"}, X, Y, "increments"),
        ({"increment_weight": -0.1}, X, Y, "increment_weight"),
        ({"metric": "cosine"}, X, Y, "metric"),
        ({"embedding": "pes"}, X, Y, "embedding='pes' is for dissimilarities"),
        ({"prototypes": 0.6}, X, Y, "prototypes"),
        ({"metric": "precomputed"}, D, Y, "give an embedding, such as 'pes', or a share of prototypes"),
        (PES, D[:, :19], Y, "square"),
        (PES, D + np.triu(D), Y, "symmetric"),
        (PES, -D, Y, "negative"),
        (PES, D + np.eye(20), Y, "diagonal"),
        ({**PES, "embedding": "npes"}, D, Y, "npes"),
        ({**PES, "n_components": 5}, D, Y, "only 2 usable"),
    ],
)
def test_bad_input(parameters, given, y, message):
    with pytest.raises(ValueError, match=message):
        IncrementsClassifier(**{"verbose": False, **parameters}).fit(given, y)


@pytest.mark.parametrize("space", [{"embedding": "pes"}, {"prototypes": 0.1}])
def test_bad_new_dissimilarities(space):
    model = make(1, metric="precomputed", **space).fit(D, Y)
    with pytest.raises(ValueError, match="19 columns.*20 objects"):
        model.predict(D[:, :19])
    with pytest.raises(ValueError, match="negative"):
        model.predict(-D)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 20), np.nan))
