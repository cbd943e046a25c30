"""The choice: values, ties, what is said of it, what is kept of it."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles

from pluribus.compare import adjusted_rand_index
from pluribus.pipeline.candidates._choice import WEIGHTS, Choice, choose
from pluribus.pipeline.candidates._pool import OWN, THOROUGH, make_candidates, survey

MERGES = ("average", "per object", "relative")


def rings(n=400):
    return make_circles(n, factor=0.4, noise=0.04, random_state=0)


def pool_of(X, own, k, **how):
    given = {OWN: own, **dict.fromkeys(MERGES, own)}
    return make_candidates(survey(X, 0, **how), given, k, effort=THOROUGH, seed=0, **how)


def test_value_is_the_sum_of_the_terms():
    X, _ = rings()
    choice = choose(pool_of(X, (X[:, 0] > 0).astype(int), 2))
    agree, cut, near, round_, gap = choice.terms.T
    np.testing.assert_allclose(choice.values, 0.7 * agree - 0.3 * cut + 0.3 * near - 0.25 * round_ + 0.15 * gap)
    assert choice.terms.shape == (12, 5)
    assert choice.chosen == choice.values.argmax()
    assert list(WEIGHTS) == ["agree", "cut", "near", "round", "gap"]
    np.testing.assert_allclose(agree, (choice.between.sum(axis=1) - 1) / 11)


def test_rings_are_found_though_the_ensemble_missed_them():
    X, y = rings()
    wrong = np.where(np.arange(400) < 30, 1 - y, y)
    pool = pool_of(X, wrong, 2)
    choice = choose(pool)
    assert choice.name == "genie 0.1"
    assert adjusted_rand_index(pool.labels[choice.chosen], y) == 1
    own = choice.names.index("own")
    assert f"that of the ensemble at {choice.terms[own, 0]:.2f}" in choice.sentence
    assert "Genie (sizes up to a Gini index of 0.1)" in choice.sentence


def test_of_equal_candidates_own_is_taken():
    X, y = make_blobs(120, centers=[[0, 0], [40, 0], [0, 40]], random_state=0)
    choice = choose(pool_of(X, y, 3))
    assert (choice.between == 1).all()
    assert np.ptp(choice.values) == 0
    assert choice.name == "own"
    assert choice.sentence.startswith(
        "The partition of the ensemble is kept: it agrees with the other 11 candidates at"
    )


def test_same_choice_for_the_same_seed_and_any_number_of_threads():
    X, y = make_blobs(1500, n_features=4, centers=6, cluster_std=3.0, random_state=0)
    X = X.astype(np.float32)
    first, again = (pool_of(X, y, 6, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert (first.labels == again.labels).all()
    one, other = choose(first), choose(again)
    assert (one.terms == other.terms).all()
    assert one.chosen == other.chosen


def test_plain_values_and_back():
    X, y = rings()
    choice = choose(pool_of(X, y, 2))
    again = Choice.from_json(json.loads(json.dumps(choice.to_json())))
    assert (again.names, again.chosen, again.sentence) == (choice.names, choice.chosen, choice.sentence)
    for key in ("terms", "values", "between"):
        assert (getattr(again, key) == getattr(choice, key)).all()


@pytest.mark.parametrize(
    ("key", "value"),
    [("chosen", 2), ("chosen", -1), ("terms", [[0.0] * 5]), ("values", [0.0, float("nan")]), ("between", [1.0, 1.0])],
)
def test_damaged_values_are_refused(key, value):
    stored = {
        "names": ["own", "k-means"],
        "terms": [[0.0] * 5] * 2,
        "values": [0.0, 1.0],
        "between": [[1.0, 0.5], [0.5, 1.0]],
        "chosen": 1,
        "sentence": "",
    }
    assert Choice.from_json(stored).name == "k-means"
    with pytest.raises(ValueError, match="candidates"):
        Choice.from_json(stored | {key: value})
