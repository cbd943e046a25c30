import numpy as np
from scipy import sparse

from pluribus.report._shared.links import LINES, layout, linked_sample, links_among


def path(n):
    return sparse.csr_array(sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]))


def test_a_sample_holds_all_clusters_and_their_neighbors():
    labels = np.repeat([0, 1, 2], [900, 90, 10])
    shown = linked_sample(path(1000), labels, 100)
    assert len(shown) == 100 == len(np.unique(shown))
    assert set(labels[shown]) == {0, 1, 2}
    alone = np.setdiff1d(shown, np.concatenate([shown - 1, shown + 1]))
    assert len(alone) <= 5


def test_a_sample_of_objects_without_links_ends():
    assert len(linked_sample(sparse.csr_array((1000, 1000)), np.zeros(1000, int), 100)) == 25
    np.testing.assert_array_equal(linked_sample(path(5), np.zeros(5, int), 10), np.arange(5))


def test_links_between_shown_objects():
    ends, n_links = links_among(path(6), np.array([0, 1, 2, 5]))
    assert ends.tolist() == [[0, 1], [1, 2]]
    assert n_links == 2
    dense = sparse.csr_array(np.ones((120, 120)))
    ends, n_links = links_among(dense, np.arange(120))
    assert (len(ends), n_links) == (LINES, 120 * 119 // 2)
    assert (ends[:, 0] < ends[:, 1]).all()


def test_linked_objects_are_laid_out_near_each_other():
    blocks = np.repeat([0, 1], 20)
    ends = np.array([(i, j) for i in range(40) for j in range(i) if blocks[i] == blocks[j]] + [(0, 20)])
    xy = layout(ends, np.zeros(40, int))  # clusters do not tell
    distance = np.linalg.norm(xy[:, None] - xy[None], axis=2)
    same = blocks[:, None] == blocks[None]
    assert distance[same].mean() < 0.6 * distance[~same].mean()
    assert np.isfinite(layout(np.empty((0, 2), int), np.zeros(3, int))).all()
