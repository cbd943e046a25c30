"""The tables of neighbors and increments while clusters merge, against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from pluribus._kernels.linkage.cluster_neighbors import commit, join, single_objects, undo
from pluribus.increments.hierarchy import _near_lists
from pluribus.increments.hierarchy._near_lists import near_lists


def neighbors(D, members, i):
    """The two nearest in a cluster, nearest first."""
    order = sorted((D[i, j], j) for j in members if j != i)[:2]
    return [j for _, j in order] + [-1] * (2 - len(order))


def check(clusters, D):
    for slot in np.unique(clusters.cluster):
        members = np.flatnonzero(clusters.cluster == slot)
        assert clusters.size[slot] == len(members)
        two = {i: neighbors(D, members, i) for i in members}
        increments = []
        for i in members:
            assert clusters.near[i].tolist() == two[i]
            if len(members) >= 3:
                j = two[i][0]
                k = two[j][1] if two[j][0] == i else two[j][0]
                increments.append(abs(D[i, j] - D[j, k]))
                assert clusters.increment[i] == pytest.approx(increments[-1], abs=1e-12)
        assert clusters.counted[slot] == len(increments)
        assert clusters.total[slot] == pytest.approx(sum(increments), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(3, 25),
    st.sampled_from([2, 4, 16]),
    st.sampled_from(["plane", "lattice", "given"]),
)
def test_tables_are_those_of_brute_force_after_every_merge(seed, n, length, kind):
    rng = np.random.default_rng(seed)
    before, _near_lists._LENGTH = _near_lists._LENGTH, length
    try:
        if kind == "given":
            D = rng.integers(0, 9, (n, n)).astype(float)
            matrix = D = np.triu(D, 1) + np.triu(D, 1).T
        else:
            matrix = rng.normal(size=(n, 2)) if kind == "plane" else rng.permutation(n)[:, None].astype(float) % 11
            D = cdist(matrix, matrix)
        clusters = single_objects(matrix, kind == "given", *near_lists(matrix, kind == "given"))
    finally:
        _near_lists._LENGTH = before
    while len(slots := np.unique(clusters.cluster)) > 1:
        a, b = rng.choice(slots, 2, replace=False)
        large, small = (a, b) if clusters.size[a] >= clusters.size[b] else (b, a)
        kept = [clusters.near.copy(), clusters.near_distance.copy(), clusters.increment.copy()]
        total, counted = join(clusters, large, small)
        if rng.random() < 0.3:
            undo(clusters)
            for table, old in zip((clusters.near, clusters.near_distance, clusters.increment), kept, strict=True):
                np.testing.assert_array_equal(table, old)
        else:
            commit(clusters, large, small, total, counted)
            if kind != "lattice":  # equal rows have any two of the others as neighbors
                check(clusters, D)
