import numpy as np
import pytest
from scipy import sparse

from pluribus.report._shared.flow_words import Streams, in_words, shortened


def words(table, covered=1.0):
    table = np.array(table)
    return in_words(Streams.of(sparse.coo_array(table)), [f"c{i}" for i in range(len(table))], covered)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([[5, 0], [0, 5]], "Its 2 clusters are the 2 of the result."),
        ([[9]], "Its one cluster is that of the result."),
        ([[5], [4]], "Its 2 clusters divide the one cluster of the result."),
        ([[5, 4]], "Its one cluster holds all 2 of the result: it divides nothing."),
        ([[5, 0], [3, 0], [0, 5]], "Its 3 clusters divide the 2 of the result further, and no cluster is torn."),
        ([[5, 4, 0], [0, 0, 6]], "Its 2 clusters unite the 3 of the result."),
        ([[95, 5], [2, 98]], "Its 2 clusters match the 2 of the result almost one to one."),
        ([[50, 50], [50, 50]], "Its 2 clusters cut across the 2 of the result."),
        ([[85, 15], [15, 85]], "Its 2 clusters follow the 2 of the result, with exceptions."),
        ([[50, 3], [40, 2], [0, 90]], "Its 3 clusters divide the 2 of the result further, with exceptions."),
        ([[50, 40, 0], [3, 2, 90]], "Its 2 clusters unite clusters of the 3 of the result, with exceptions."),
        ([[0, 0], [0, 0]], "It covers no object of the result."),
    ],
)
def test_relations(table, said):
    assert words(table).startswith(said)


def test_shares_of_the_main_stream():
    assert "96% of its objects go where most of their cluster goes." in words([[95, 5], [2, 98]])
    assert "of its objects" not in words([[5, 0], [0, 5]])
    assert words([[999, 1], [0, 1000]]).endswith(">99.9% of its objects go where most of their cluster goes.")


def test_torn_united_and_losing_clusters_are_named():
    assert "Cluster c0 is torn between 0 and 1; cluster c1 is torn between 2 and 0." in words(
        [[50, 40, 0], [30, 0, 60], [0, 40, 10]]
    )
    assert "Cluster c0 unites 0 and 1." in words([[50, 40, 0], [3, 2, 90]])
    assert "; cluster c0 loses 40% to 4 others." in words([[60, 10, 10, 10, 10], [0, 50, 50, 50, 50]])
    many = words(np.full((9, 2), 10))
    assert "cluster c2 is torn between 0 and 1; and 6 more like that." in many
    assert "Cluster c0 unites 0, 1, 2 and 2 more." in words([[20] * 5 + [0], [0] * 5 + [20]])


def test_small_matters_are_not_mentioned():
    assert "torn" not in words([[1000, 0], [0, 1000], [1, 1]])


def test_coverage_is_said():
    assert words([[5, 0], [0, 5]], 0.7).endswith("It covers 70% of the objects.")
    assert words([[5, 0], [0, 5]], 0.002).endswith("It covers 0.2% of the objects.")


def test_clusters_without_objects_do_not_count():
    assert words([[5, 0], [0, 0], [0, 5]]).startswith("Its 2 clusters are the 2")


def test_long_labels_keep_both_ends():
    assert shortened("k-means with everything 17", 11) == "k-mea…ng 17"
    assert len(shortened("x" * 100)) == 40
    assert shortened("") == "(empty)"
