"""Links between objects on a map: which of many are drawn, where objects without coordinates lie, and the lines."""

import numpy as np
from scipy import sparse

from pluribus.partitions._internal import stratified_sample
from pluribus.report._shared.specification import Figure, rounded

NODES = 2000  # objects that are drawn with their links, at most
LAID_OUT = 800  # at most, if a layout is made: each step compares all pairs
LINES = 6000  # links between them, at most
_STEPS = 60  # of a layout
FAINT = "rgba(128, 137, 147, 0.5)"  # lines behind the objects, on light and dark pages


def linked_sample(graph: sparse.csr_array, labels: np.ndarray, size: int) -> np.ndarray:
    """Objects that are linked with each other: a sample of each cluster, a quarter, and then their neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from pluribus.report._shared.links import linked_sample
    >>> path = sparse.csr_array(sparse.diags_array([np.ones(99), np.ones(99)], offsets=[-1, 1]))
    >>> drawn = linked_sample(path, np.zeros(100, int), 20)
    >>> len(drawn), int((np.diff(drawn) == 1).sum()) >= 15
    (20, True)
    """
    n = len(labels)
    if n <= size:
        return np.arange(n)
    chosen = np.zeros(n, dtype=bool)
    edge = stratified_sample(labels, max(size // 4, 1))
    chosen[edge] = True
    while chosen.sum() < size and len(edge):
        near = np.unique(graph[edge].indices)
        edge = near[~chosen[near]]
        if len(edge) > size - chosen.sum():
            edge = np.sort(np.random.default_rng(0).choice(edge, size - chosen.sum(), replace=False))
        chosen[edge] = True
    return np.flatnonzero(chosen)


def links_among(graph: sparse.csr_array, shown: np.ndarray) -> tuple[np.ndarray, int]:
    """The links between these objects, by their places among them, and their number: at most `LINES` are drawn."""
    part = sparse.triu(graph[shown][:, shown], 1).tocoo()
    ends = np.column_stack([part.row, part.col]).astype(np.int64)
    if len(ends) <= LINES:
        return ends, len(ends)
    return ends[np.sort(np.random.default_rng(0).choice(len(ends), LINES, replace=False))], len(ends)


def layout(ends: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Where to draw objects of which only links and clusters are known: linked ones near each other (by forces).

    Fruchterman and Reingold, "Graph drawing by force-directed placement", 1991. Clusters start on a circle.
    """
    n = len(labels)
    rng = np.random.default_rng(0)
    angle = 2 * np.pi * (labels + 1) / max(labels.max(initial=0) + 2, 1)
    xy = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.3 * rng.normal(size=(n, 2))
    ideal = 2 / np.sqrt(max(n, 1))
    for step in np.linspace(0.2, 0.01, _STEPS):
        apart = xy[:, None] - xy[None]
        squared = np.maximum(np.square(apart).sum(axis=2), 1e-9)
        force = np.einsum("ijk,ij->ik", apart, ideal**2 / squared) - 2 * xy  # parts without links do not fly off
        along = xy[ends[:, 1]] - xy[ends[:, 0]]
        pull = along * np.linalg.norm(along, axis=1, keepdims=True) / ideal
        np.add.at(force, ends[:, 0], pull)
        np.add.at(force, ends[:, 1], -pull)
        length = np.linalg.norm(force, axis=1, keepdims=True)
        xy = xy + force / np.maximum(length, 1e-12) * np.minimum(length, step)
    return xy


def lines(x: np.ndarray, y: np.ndarray, ends: np.ndarray, style: Figure, digits: int) -> Figure:
    """A trace of lines between points."""
    gaps = np.full((len(ends), 1), np.nan)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": rounded(np.hstack([x[ends].reshape(-1, 2), gaps]).ravel(), digits),
        "y": rounded(np.hstack([y[ends].reshape(-1, 2), gaps]).ravel(), digits),
        "line": style,
        "hoverinfo": "skip",
        "showlegend": False,
    }
