import numpy as np

from pluribus._kernels.points.two_nearest import increments_of, two_nearest_given, two_nearest_rows


def test_of_equals_the_first_ones():
    X = np.array([[0.0], [0], [0], [1], [-1]])
    D = np.abs(X - X.T)
    for kernel, values in ((two_nearest_rows, X), (two_nearest_given, D)):
        places, distances = np.full((5, 2), -1), np.full((5, 2), np.nan)
        kernel(values, 0, 3, places, distances)
        kernel(values, 3, 5, places, distances)
        assert places.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]
        assert distances.tolist() == [[0, 0], [0, 0], [0, 0], [1, 1], [1, 1]]


def test_only_the_rows_that_are_asked_for():
    places, distances = np.full((4, 2), -1), np.zeros((4, 2))
    two_nearest_rows(np.array([[0.0], [1], [3], [7]]), 1, 3, places, distances)
    assert places.tolist() == [[-1, -1], [0, 2], [1, 0], [-1, -1]]
    assert distances[1:3].tolist() == [[1, 2], [2, 3]]


def test_increments_of_neighbors():
    places, distances = np.array([[1, 2], [0, 2], [1, 0]]), np.array([[1.0, 3], [1, 2], [2, 3]])
    triplets, increments = np.empty((3, 3), np.int64), np.empty(3)
    increments_of(places, distances, triplets, increments)
    assert triplets.tolist() == [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    assert increments.tolist() == [1, 2, 1]
