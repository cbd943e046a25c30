import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_circles
from sklearn.utils.estimator_checks import check_estimator

from pluribus.compare import accuracy_index, adjusted_rand_index
from pluribus.increments import IncrementsMixture, MessageLengthMixture, merge_partition
from pluribus.increments._registry import by_name
from pluribus.validate import description_length_cost


def circles(seed=0, n=200):
    return make_circles(n, factor=0.45, noise=0.05, random_state=seed)


def quick(**parameters):
    return IncrementsMixture(**{"max_components": 20, "random_state": 0, "verbose": False, **parameters})


def test_it_is_the_mixture_and_then_the_merging():
    X, y = circles()
    model = quick().fit(X)
    assert adjusted_rand_index(model.labels_, y) == 1
    assert model.n_clusters_ == 2
    assert model.n_start_components_ == len(np.unique(model.start_labels_)) > 2
    merged = merge_partition(model.start_labels_, X, order="mahalanobis")
    assert (merged.labels == model.labels_).all()
    np.testing.assert_allclose(merged.mean_increments, model.mean_increments_)
    assert (model.predict(X) == model.labels_).all()
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    assert (model.membership_.argmax(axis=1) == model.labels_).mean() > 0.99
    assert model.uncertainty_.shape == (200,)
    inside, outside = model.predict([[0, 0.45], [0, 1.02]])
    assert inside != outside


def test_merging_shortens_the_description():
    for seed in range(3):
        X, _ = circles(seed, 120)
        model = quick(random_state=seed).fit(X)
        before, after = (description_length_cost(labels, X) for labels in (model.start_labels_, model.labels_))
        assert before - after == pytest.approx(model.merges_.statistic[model.merges_.accepted].sum())


def test_clusters_are_unions_in_the_order_of_merges():
    X, _ = circles(1)
    model = quick(criterion="mdl").fit(X)
    members = {c: {c} for c in range(model.n_start_components_)}
    for row in model.merges_[model.merges_.accepted].sort_values("cluster").itertuples():
        assert row.first_size == np.isin(model.start_labels_, list(members[row.first])).sum()
        members[row.cluster] = members.pop(row.first) | members.pop(row.second)
    assert len(members) == model.n_clusters_
    for group in members.values():
        assert len(np.unique(model.labels_[np.isin(model.start_labels_, list(group))])) == 1


def test_iris():
    """The published result, two clusters and .6667, from most starts; three are right if they are known."""
    X, y = load_iris(return_X_y=True)
    for criterion in ("gdid", "mdl", "lrt"):
        model = IncrementsMixture(criterion, random_state=0, verbose=False).fit(X)
        assert model.n_clusters_ == 2
        assert accuracy_index(y, model.labels_) == pytest.approx(2 / 3)
        known = IncrementsMixture(criterion, min_clusters=3, random_state=0, verbose=False).fit(X)
        assert known.n_clusters_ == 3
        assert accuracy_index(y, known.labels_) >= 0.95


@pytest.mark.slow
def test_iris_from_twelve_starts():
    X, y = load_iris(return_X_y=True)
    models = [IncrementsMixture("mdl", random_state=seed, verbose=False).fit(X) for seed in range(12)]
    right = [accuracy_index(y, model.labels_) == pytest.approx(2 / 3) and model.n_clusters_ == 2 for model in models]
    assert sum(right) >= 11


def test_wine_is_one_component():
    data = load_wine()
    X = data.data / data.data.std(axis=0)
    with pytest.warns(UserWarning, match="nothing to merge"):
        model = IncrementsMixture("mdl", random_state=1, verbose=False).fit(X)
    assert (model.n_clusters_, model.n_start_components_) == (1, 1)
    assert model.merges_.empty
    assert accuracy_index(data.target, model.labels_) == pytest.approx(0.3989, abs=1e-4)


def test_starts():
    X, y = circles(2)
    random, by_kmeans, best = (quick(init=init).fit(X) for init in ("fj", "fj-kmeans", "best"))
    assert best._mixture.message_length <= random._mixture.message_length
    assert by_kmeans._mixture.message_length != random._mixture.message_length
    assert by_kmeans.n_clusters_ >= 2
    kmeans = quick(init="kmeans").fit(X)
    assert adjusted_rand_index(kmeans.labels_, y) == 1
    assert not hasattr(kmeans, "membership_")
    assert (kmeans.predict(X) == kmeans.labels_).all()
    given = quick(init=[str(label) for label in kmeans.start_labels_]).fit(X)
    assert (given.labels_ == kmeans.labels_).all()
    assert (given.predict(X) == given.labels_).all()
    assert quick(init="kmeans", n_clusters=7).fit(X).n_start_components_ == 7


def test_the_start_of_a_mixture_is_that_of_its_class():
    X, _ = circles(3)
    model = quick().fit(X)
    from pluribus._engine import seeds
    from pluribus.increments.mixture._message_length import fit_mixture
    from pluribus.increments.mixture._starts import start_means

    mixture = fit_mixture(X, start_means(X, np.empty((0, 2)), 20, seeds(0, 1)[0]), verbose=False)
    assert (np.unique(mixture.posteriors(X).argmax(axis=1), return_inverse=True)[1] == model.start_labels_).all()
    own = MessageLengthMixture(20, random_state=0, verbose=False).fit(X)
    assert adjusted_rand_index(own.labels_, model.start_labels_) == 1


def test_a_number_of_clusters():
    X, _ = circles(4)
    for k in (1, 2, 5):
        model = quick(n_clusters=k).fit(X)
        assert model.n_clusters_ == k
        assert model.membership_.shape == (200, k)
    assert quick(n_clusters=1).fit(X).merges_.forced.sum() == 1
    with pytest.warns(UserWarning, match="fewer than n_clusters=3"):
        assert quick(n_clusters=3, init=np.arange(200) % 2).fit(X).n_clusters_ == 2


def test_names():
    assert by_name("gmdid")().get_params()["criterion"] == "gdid"
    assert by_name("kmdid")().init == "kmeans"
    best = by_name("gmdid-best")()
    assert (best.init, best.criterion) == ("best", "mdl")
    assert isinstance(by_name("fj")(), MessageLengthMixture)


def test_same_seed_same_result():
    X, _ = circles(5)
    one = quick(init="best").fit(X)
    other = pickle.loads(pickle.dumps(clone(one).fit(X)))
    assert (one.labels_ == other.labels_).all()
    assert one.merges_.equals(other.merges_)
    assert (other.predict(X) == one.labels_).all()


def test_no_warnings_on_plain_data():
    X, _ = circles(6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick().fit(X.astype(np.float32))


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({}, np.zeros((5, 2)), "minimum of 6"),
        ({}, [[np.nan]] * 6, "NaN"),
        ({"max_components": 0}, None, "max_components"),
        ({"max_components": 3, "min_clusters": 4}, None, "min_clusters=4 is more than max_components=3"),
        ({"max_components": 3, "n_clusters": 4}, None, "n_clusters=4 is more than max_components=3"),
        ({"alpha": 1.5}, None, "alpha"),
        ({"alpha": "best"}, None, "alpha"),
        ({"init": "ward"}, None, "init"),
        ({"init": [0, 1, 2]}, None, "init has 3 labels, but there are 200 objects"),
        ({"init": [-1] * 200}, None, "missing"),
        ({"order": "ward"}, None, "order"),
        ({"n_clusters": True}, None, "n_clusters=True"),
    ],
)
def test_bad_input(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        quick(**parameters).fit(circles()[0] if X is None else X)


def test_it_is_an_estimator():
    check_estimator(IncrementsMixture(max_components=10, verbose=False))
