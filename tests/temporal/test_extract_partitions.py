import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from pluribus.temporal import extract_partitions
from pluribus.temporal.extract_partitions import LINKAGES

C = np.array(
    [[1, 0.9, 0.8, 0.1, 0.1], [0.9, 1, 0.8, 0.1, 0.2], [0.8, 0.8, 1, 0.1, 0.1], [0.1, 0.1, 0.1, 1, 0.7],
     [0.1, 0.2, 0.1, 0.7, 1]]
)  # fmt: skip
HEIGHTS = {
    "single": [0.1, 0.2, 0.3, 0.8],
    "complete": [0.1, 0.2, 0.3, 0.9],
    "average": [0.1, 0.2, 0.3, 0.883333],
    "ward": [0.1, 0.2236068, 0.3, 1.3408952],
    "centroid": [0.1, 0.1936492, 0.3, 0.8655441],
}


def slow_partition(C, method, k_min, k_max):
    """Lifetimes one by one."""
    n = len(C)
    Z = linkage(squareform(1 - C, checks=False), method)
    h = np.maximum.accumulate(Z[:, 2])
    life = {k: h[n - k] - h[n - k - 1] for k in range(2, n)}  # h_{n-k+1} - h_{n-k}, numbered from 1
    if k_min == 1:
        life[1] = 1 - h[-1]
    allowed = {k: round(v, 9) for k, v in life.items() if k_min <= k <= k_max}
    if max(allowed.values()) <= 0:
        return None
    k = min(k for k in allowed if allowed[k] == max(allowed.values()))
    groups = [{i} for i in range(n)]
    for a, b in Z[: n - k, :2].astype(int):
        groups.append(groups[a] | groups[b])
    merged = {int(i) for pair in Z[: n - k, :2] for i in pair}
    return {frozenset(g) for i, g in enumerate(groups) if i not in merged}


def as_sets(labels):
    return {frozenset(np.flatnonzero(labels == k).tolist()) for k in np.unique(labels)}


def test_the_example_of_the_source():
    assert extract_partitions(C).tolist() == [[0, 0, 0, 1, 1]] * 5
    for method in LINKAGES:
        np.testing.assert_allclose(linkage(squareform(1 - C, checks=False), method)[:, 2], HEIGHTS[method], atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k_range", [(2, None), (1, 4), (3, 5)])
def test_lifetimes_one_by_one(seed, k_range):
    rng = np.random.default_rng(seed)
    members = rng.integers(0, 4, (9, 14))
    members[:, :7] = 0
    evidence = np.mean([np.equal.outer(row, row) for row in members], axis=0)
    k_min, k_max = k_range[0], k_range[1] or 13
    found = extract_partitions(evidence, k_min=k_min, k_max=k_range[1])
    for method, labels in zip(LINKAGES, found, strict=True):
        if method == "ward" and k_min == 1:
            continue  # its heights have no upper bound
        slow = slow_partition(evidence, method, k_min, k_max)
        assert slow is None or as_sets(labels) == slow


def test_small_and_extreme():
    assert extract_partitions([[1.0]]).tolist() == [[0]] * 5
    assert extract_partitions(np.ones((6, 6))).tolist() == [[0] * 6] * 5
    assert all(len(set(labels)) == 2 for labels in extract_partitions(np.eye(2)).tolist())


@pytest.mark.parametrize(
    ("given", "more", "words"),
    [
        (np.ones((2, 3)), {}, "square"),
        ([[1, 2], [2, 1]], {}, "between 0 and 1"),
        ([[1, np.nan], [np.nan, 1]], {}, "between 0 and 1"),
        ([[1, 0.5], [0.2, 1]], {}, "not symmetric"),
        ("ab", {}, "give numbers"),
        (np.eye(3), {"methods": ["median"]}, "methods"),
        (np.eye(3), {"methods": []}, "methods"),
        (np.eye(3), {"k_min": 0}, "k_min"),
        (np.eye(3), {"k_min": 3, "k_max": 2}, "k_max"),
    ],
)
def test_bad_input(given, more, words):
    with pytest.raises(ValueError, match=words):
        extract_partitions(given, **more)
