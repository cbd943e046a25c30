"""The table in the order of its co-clusters."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from pluribus.report._shared.palette import EVIDENCE_SCALE
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification

_MOST_ROWS, _MOST_COLUMNS = 400, 300  # cells of the figure; more rows or columns are averaged
_HEIGHT = 520
_LINE = {"color": "#D55E00", "width": 1.5}


class _Side(NamedTuple):
    """Rows or columns in the order of their clusters, in groups of one or more."""

    order: np.ndarray
    starts: np.ndarray  # of each group, in the order; and the end
    borders: list[float]  # between clusters, in groups
    middles: list[float]
    clusters: list[int]


def plot_coclusters(model: Any, X: Any) -> Any:
    """Draw a table in the order of its co-clusters, with lines between them.

    Rows and columns of one cluster are next to each other, those that belong to it most clearly first. Dark blocks on
    the diagonal are co-clusters; dark cells elsewhere are what the two partitions do not explain. Rows and columns
    without a cluster come last. More than 400 rows or 300 columns are averaged in groups of one cluster: a cell then
    shows the mean of its group.

    Parameters
    ----------
    model : fitted co-clusterer
        Any that has ``row_labels_`` and ``column_labels_``, such as ``constrained.ConstrainedCoClustering``.
    X : array, sparse matrix or data frame of shape (m, n)
        The table that the model was fitted to, nonnegative. The names of a data frame's rows and columns are shown.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from pluribus.constrained import ConstrainedCoClustering
    >>> from pluribus.report import plot_coclusters
    >>> table = [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 0, 1, 1, 0], [0, 0, 1, 1, 0], [1, 1, 0, 0, 1]]
    >>> model = ConstrainedCoClustering(2, random_state=0).fit(table)
    >>> plot_coclusters(model, table).data[0].z
    array([[1., 1., 1., 0., 0.],
           [1., 1., 1., 0., 0.],
           [1., 1., 0., 0., 0.],
           [0., 0., 0., 1., 1.],
           [0., 0., 1., 1., 1.]])
    """
    import plotly.graph_objects as go

    figure = coclusters_figure(model, X)
    heat = figure["data"][0] | {"z": np.array(figure["data"][0]["z"])}
    return go.Figure(data=[heat], layout=figure["layout"])


def coclusters_figure(model: Any, X: Any) -> Figure:
    """The specification of the figure."""
    labels = [_labels_of(model, name) for name in ("row_labels_", "column_labels_")]
    names = [_names(X, axis) for axis in ("index", "columns")]
    table = sparse.csr_array(
        check_array(X, accept_sparse="csr", dtype=np.float64, ensure_non_negative=True, input_name="X")
    )
    if table.shape != (len(labels[0]), len(labels[1])):
        raise ValueError(
            f"X has the shape {table.shape}, but the model was fitted to {len(labels[0])} rows and {len(labels[1])} "
            "columns: give the table that it was fitted to."
        )
    strengths = [getattr(model, name, None) for name in ("membership_", "column_membership_")]
    most = _MOST_ROWS, _MOST_COLUMNS
    rows, columns = (_side(*given) for given in zip(labels, strengths, most, strict=True))
    means = _means(table, rows, columns)
    heat: Figure = {
        "type": "heatmap",
        "z": [rounded(row, 4) for row in means],
        "x": list(range(means.shape[1])),
        "y": list(range(means.shape[0])),
        "colorscale": EVIDENCE_SCALE,
        "zmin": 0,
        "zmax": float(means.max(initial=0)) or 1.0,
        "showscale": False,
        "customdata": _hover(rows, columns, names),
        "hovertemplate": "%{customdata}<br>%{z:.3g}<extra></extra>",
    }
    xaxis, yaxis = _axis("columns", columns), _axis("rows", rows) | {"autorange": "reversed"}
    return specification([heat], _HEIGHT, xaxis=xaxis, yaxis=yaxis, shapes=_lines(rows, columns))


def _labels_of(model: Any, name: str) -> np.ndarray:
    if not hasattr(model, name):
        raise ValueError(
            f"{type(model).__name__} has no {name}: give a fitted co-clusterer, such as "
            "ConstrainedCoClustering(3).fit(X)."
        )
    return np.asarray(getattr(model, name))


def _names(X: Any, axis: str) -> list[str] | None:
    return [plain(name, 40) for name in getattr(X, axis)] if hasattr(X, "iloc") and X.ndim == 2 else None


def _side(labels: np.ndarray, strength: np.ndarray | None, most: int) -> _Side:
    """The order by cluster, the clearest members first, and groups of one cluster, about ``most`` of them."""
    n = len(labels)
    last = labels.max(initial=-1) + 1
    cluster = np.where(labels < 0, last, labels)
    clear = np.zeros(n) if strength is None else strength.max(axis=1)
    order = np.lexsort((np.arange(n), -clear, cluster))
    edges = np.concatenate([[0], np.flatnonzero(np.diff(cluster[order])) + 1, [n]])
    size = max(-(-n // most), 1)
    starts = np.concatenate([*(np.arange(a, b, size) for a, b in pairwise(edges)), [n]])
    borders = np.searchsorted(starts, edges)
    middles = (borders[:-1] + borders[1:] - 1) / 2
    clusters = labels[order[edges[:-1]]]
    return _Side(order, starts, (borders[1:-1] - 0.5).tolist(), middles.tolist(), clusters.tolist())


def _means(table: sparse.csr_array, rows: _Side, columns: _Side) -> np.ndarray:
    """The mean of each group of rows and group of columns."""
    left, right = _averaging(rows), _averaging(columns)
    return (left @ table @ right.T).toarray()


def _averaging(side: _Side) -> sparse.csr_array:
    sizes = np.diff(side.starts)
    shape = len(sizes), len(side.order)
    return sparse.csr_array((np.repeat(1 / sizes, sizes), side.order, side.starts), shape=shape)


def _hover(rows: _Side, columns: _Side, names: list[list[str] | None]) -> list[list[str]]:
    row, column = _group_names(rows, "row", names[0]), _group_names(columns, "column", names[1])
    return [[f"{one}<br>{other}" for other in column] for one in row]


def _group_names(side: _Side, noun: str, names: list[str] | None) -> list[str]:
    sizes = np.diff(side.starts)
    first = side.order[side.starts[:-1]]
    if (sizes > 1).any():
        return [f"{size:,} {noun}{'s' if size > 1 else ''}" for size in sizes]
    return [f"{noun} {place}" if names is None else names[place] for place in first]


def _axis(title: str, side: _Side) -> Figure:
    ticks = ["none" if cluster < 0 else str(cluster) for cluster in side.clusters]
    return axis_of(f"{title}, by cluster", tickvals=side.middles, ticktext=ticks, showgrid=False, ticks="")


def _lines(rows: _Side, columns: _Side) -> list[Figure]:
    """Lines between clusters, across the whole table."""
    width, height = len(columns.starts) - 1.5, len(rows.starts) - 1.5
    across = [{"type": "line", "x0": -0.5, "x1": width, "y0": y, "y1": y, "line": _LINE} for y in rows.borders]
    down = [{"type": "line", "x0": x, "x1": x, "y0": -0.5, "y1": height, "line": _LINE} for x in columns.borders]
    return across + down
