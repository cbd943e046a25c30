"""The graph that connects the rows of a table, and the methods that make connected clusters of it."""

from typing import Any

import numpy as np

from pluribus.pipeline._data import Data
from pluribus.pipeline._methods import connected_names
from pluribus.tables import Graph, as_graph
from pluribus.tables._internal import is_annotated, listing

_OF_FEATURES, _OF_DISTANCES = "connected-kmeans", "ckc"  # the default methods


def connected_method(method: str | None, graph: Any, connected: bool, distances: bool) -> str | None:
    """The name of the method, checked against ``graph`` and ``connected``: these two and the method go together."""
    if not isinstance(connected, bool | np.bool_):
        raise ValueError(f"connected={connected!r:.100}: give True or False; the links are the graph.")
    linked = method in connected_names()
    if graph is None:
        if connected or linked:
            asked = "connected=True" if connected else f"method={method!r}"
            raise ValueError(f"{asked} needs the links between the rows: give graph, an edge list or a sparse matrix.")
        return method
    if not connected:
        raise ValueError(
            "graph is used for clusters that are connected along its links: add connected=True. If links are a hint "
            "and not a condition, use relational.CorrelationClustering, or give pairs as must_link with weights."
        )
    if method is not None and not linked:
        raise ValueError(
            f"method={method!r} does not make connected clusters: use {listing(connected_names())}, or leave out graph "
            "and connected."
        )
    if method == _OF_FEATURES and distances:
        raise ValueError(f"method={method!r} needs features, not distances: use method={_OF_DISTANCES!r}.")
    return method or (_OF_DISTANCES if distances else _OF_FEATURES)


def read_links(graph: Any, data: Any, table: Data) -> Graph:
    """The graph between the rows of a table, in their order; its edges name rows by their ids.

    The name of a graph of an AnnData, such as "connectivities", stands for that graph.
    """
    if isinstance(graph, str) and is_annotated(data) and graph in data.obsp:
        graph = data.obsp[graph]
    return as_graph(graph, ids=np.asarray(table.ids))
