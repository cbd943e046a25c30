"""What is given to the indices: words in place of numbers, options that do not fit, and what each object gets."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import silhouette_samples

from pluribus import Ensemble
from pluribus.validate import (
    choose_k,
    choose_partition,
    davies_bouldin_cost,
    description_length_cost,
    dunn_index,
    neighbor_density_index,
    silhouette_index,
    silhouettes,
)

LABELS = [0, 0, 0, 1, 1, 1]
MIXED = pd.DataFrame({"size": [0, 1, 2, 10, 11, 12], "color": list("rgbrgb"), "kind": pd.Categorical(list("xxyyzz"))})


@pytest.mark.parametrize(
    "judge",
    [
        lambda X: silhouette_index(LABELS, X),
        lambda X: davies_bouldin_cost(LABELS, X),
        lambda X: description_length_cost(LABELS, X),
        lambda X: choose_partition([LABELS], X),
        lambda X: choose_k(X, (2, 3)),
    ],
)
def test_words_are_named_by_their_columns(judge):
    with pytest.raises(ValueError, match="in the columns color .for instance 'r'., kind .*pluribus.tables.prepare"):
        judge(MIXED)
    with pytest.raises(ValueError, match="words in the column 1 .for instance 'r'."):
        judge(MIXED[["size", "color"]].to_numpy())
    with pytest.raises(ValueError, match="words in the column 0 .for instance 'a'."):
        judge([[letter] for letter in "abcdef"])


def test_many_columns_of_words_are_counted():
    frame = pd.DataFrame({f"c{j}": list("abcdef") for j in range(9)})
    with pytest.raises(ValueError, match="c4 .for instance 'a'. and 4 more"):
        silhouette_index(LABELS, frame)


def test_numbers_of_other_types_are_taken():
    as_object = MIXED[["size"]].astype(object)
    assert silhouette_index(LABELS, as_object) == silhouette_index(LABELS, MIXED[["size"]])
    with pytest.raises(ValueError, match="NaN"):
        silhouette_index(LABELS, [[None], [1], [2], [3], [4], [5]])


@pytest.mark.parametrize("index", [silhouette_index, dunn_index, neighbor_density_index, silhouettes])
def test_a_metric_needs_features(index):
    with pytest.raises(ValueError, match="metric='cosine' is for X: similarity says"):
        index(LABELS, similarity=Ensemble([LABELS]), metric="cosine")
    with pytest.raises(ValueError, match="metric='cosine' is for X: distances says"):
        index(LABELS, distances=np.ones((6, 6)) - np.eye(6), metric="cosine")


def test_silhouettes_of_each_object():
    X = np.random.default_rng(0).normal(size=(40, 3))
    labels = np.arange(40) % 3
    np.testing.assert_allclose(silhouettes(labels, X), silhouette_samples(X, labels), rtol=1e-9)
    partly = np.where(np.arange(40) < 4, -1, labels)
    found = silhouettes(partly, X, missing="ignore")
    assert np.isnan(found[:4]).all()
    np.testing.assert_allclose(found[4:], silhouette_samples(X[4:], labels[4:]), rtol=1e-9)


def test_a_candidate_with_too_many_clusters_for_the_sample_is_said():
    X = np.random.default_rng(0).normal(size=(200, 2))
    choice = choose_partition({"few": np.arange(200) % 2, "many": np.arange(200) % 50}, X, criteria="silhouette",
                              sample_size=60)  # fmt: skip
    assert choice.name == "few"
    assert "silhouette is not defined for many." in choice.notes
