import numpy as np

from pluribus.evidence._internal import SignedGraph


def test_scores_of_all_pairs():
    entries = np.array([[0, 3, 0, 1], [3, 0, 0, 0], [0, 0, 0, 2], [1, 0, 2, 0]])
    sizes = np.array([1, 2, 1, 3])
    graph = SignedGraph.of(entries, sizes, 0.5, apart_cost=6, total=9)
    scores = np.array([[0, 2, -0.5, -0.5], [2, 0, -1, -3], [-0.5, -1, 0, 0.5], [-0.5, -3, 0.5, 0]])
    np.testing.assert_array_equal(graph.scores(), scores)
    for labels in ([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 2]):
        together = np.equal.outer(labels, labels)
        assert graph.together(np.array(labels)) == np.triu(scores * together, 1).sum()


def test_forbidden_pairs_have_no_score():
    graph = SignedGraph.of(np.array([[0, 3, 1], [3, 0, 0], [1, 0, 0]]), np.ones(3), 0.5, apart_cost=4, total=5)
    scores = graph.forbidding(np.array([[0, 2]])).scores()
    np.testing.assert_array_equal(scores, [[0, 2.5, -np.inf], [2.5, 0, -0.5], [-np.inf, -0.5, 0]])
