"""A table -> a clustering: the whole walk."""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from typing import Any, Literal

import numpy as np

from pluribus._engine import as_cluster, memory_budget
from pluribus.consensus._internal import name_of
from pluribus.constraints import Constraints
from pluribus.pipeline._constraints import check_feasible, read_constraints
from pluribus.pipeline._data import Data, Preparation, directions, read_data, read_distances
from pluribus.pipeline._direct_method import DirectMethod, check_data, check_options
from pluribus.pipeline._links import connected_method, read_links
from pluribus.pipeline._methods import checked_method, is_direct
from pluribus.pipeline._notes import Notes
from pluribus.pipeline._other_than import FINDS_K_BY, alternative_method, choose_k, difference, read_other_than
from pluribus.pipeline._plan import PLAN_FROM, Plan
from pluribus.pipeline._reasons import BY_COSINE
from pluribus.pipeline._request import check_k, columns_of, stated
from pluribus.pipeline._sizes import Sizes, stated_sizes
from pluribus.pipeline.clustering import Clustering
from pluribus.pipeline.ensemble_clusterer import EnsembleClusterer
from pluribus.tables._internal import check_metric, counted


def cluster(
    data: Any,
    k: int | None = None,
    *,
    method: str | None = None,
    members: int | None = None,
    constraints: Constraints | None = None,
    must_link: str | PathLike | Iterable[Any] | None = None,
    cannot_link: str | PathLike | Iterable[Any] | None = None,
    known_labels: str | PathLike | Mapping[Any, Any] | Iterable[Any] | None = None,
    constraint_level: Literal["consensus", "evidence"] | None = None,
    min_size: float | str | None = None,
    max_size: float | str | None = None,
    balance: bool = False,
    noise: bool = False,
    distances: bool = False,
    graph: Any = None,
    connected: bool = False,
    other_than: Any = None,
    id_column: str | None = None,
    ignore: Iterable[str] = (),
    scale: Literal["standard", "robust", "none"] | None = None,
    impute: bool = False,
    metric: Literal["euclidean", "cosine"] = "euclidean",
    seed: int = 0,
    n_jobs: int = -1,
    memory_limit: float | str | None = None,
    engine: Any = None,
    checkpoint: str | PathLike | None = None,
    on_note: Callable[[str], None] | None = None,
    verbose: bool = True,
) -> Clustering:
    """Cluster a table: many clusterings, one consensus, and how sure it is.

    Columns are prepared (see ``pluribus.tables.prepare``), :class:`EnsembleClusterer` makes an ensemble and combines
    it, and the result knows how to report, draw, save and predict. ``pluribus cluster`` on the command line calls this
    function: the same data, options and seed give the same labels.

    Parameters
    ----------
    data : path (CSV, Parquet, NPZ), data frame (pandas, polars), array of shape (n, d), sparse matrix, Rows or AnnData
        Sparse matrices and AnnData are not scaled. An AnnData is clustered by ``obsm["X_pca"]`` if it has that. Large
        Parquet files are read in parts.
    k : int, optional
        Number of clusters; by default it is found.
    method : str, optional
        A consensus function (``pluribus.consensus.names()``), by default the one that suits the table; or a method that
        clusters the rows directly, without an ensemble: under constraints (``pluribus.constrained.names()``, these need
        k), or by dissimilarity increments (``pluribus.increments.names()``).
    members : int, optional
        Number of clusterings in the ensemble.
    constraints : Constraints, optional
        What is known about the rows. Sizes that they state count as ``min_size`` and ``max_size``; allowed labels and
        sizes of labels need a method that keeps them ("size-constrained", "cop-kmeans").
    must_link, cannot_link : path of a CSV file, or pairs of ids, optional
        Rows that belong together, and rows that do not. A column ``weight`` makes them preferences.
    known_labels : path of a CSV file (id, label), mapping from ids to labels, or a label for each row, optional
        Rows with equal labels belong together, rows with different labels do not.
    constraint_level : {"consensus", "evidence"}, optional
        Whether constraints hold in the result (default), or only change the evidence.
    min_size, max_size : int, float or text, optional
        Bounds on the size of clusters: a number of rows, or a share (0.1, "10%").
    balance : bool
        Clusters of equal size, up to one row.
    noise : bool
        Leave rows unclustered (-1) whose evidence for any cluster is weak.
    distances : bool
        The table is square: distances between the rows, in place of features. Any symmetric dissimilarities will do.
        The method is "sl-did" by default, or "sl-aglo".
    graph : path of a CSV or Parquet file, edge list, sparse matrix or networkx graph, optional
        Links between the rows, by their ids; see ``pluribus.tables.as_graph``. Of an AnnData, also the name of a graph
        in ``obsp``. Needs ``connected``.
    connected : bool
        Each cluster is connected along the links of ``graph``. The method is "connected-kmeans" by default, or
        "netscan" or "ckc", which also take distances. Needs k.
    other_than : path of a file of labels, mapping from ids to labels, label for each row, or list of these, optional
        A partition that you know: the result is to say something new. Labels may be missing; "file.csv:column" is one
        column of a file. The method is "best-alternative" by default, or one of
        ``pluribus.alternative.names()``.
    id_column : str, optional
        The column that names the rows; by default one called "id".
    ignore : names of columns to leave out
    scale : {"standard", "robust", "none"}, optional
        How numeric columns are scaled: "standard" by default, and "none" with ``metric="cosine"``, because centered
        columns have other angles.
    impute : bool
        Fill missing values with the median or the most frequent value.
    metric : {"euclidean", "cosine"}
        How rows are compared. "cosine" divides each row by its length once, after scaling, and suits embeddings and
        texts. It needs the table in memory. A row of zeros is refused.
    seed : int
        Same seed, same result.
    n_jobs : int
        Cores; -1 is all. The result does not depend on it.
    memory_limit, engine, checkpoint : see :class:`EnsembleClusterer`
    on_note : callable, optional
        Called with each note on the way, such as a choice that was made or a warning.
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    Clustering

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> import pluribus
    >>> X, _ = make_blobs(300, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    >>> result = pluribus.cluster(X, verbose=False)
    >>> result
    Clustering(3 clusters of 300 objects, clearly separated)
    >>> result.predict(X[:3]).tolist() == result.labels[:3].tolist()
    True
    """
    options = stated(cluster, locals())
    started, notes = time.perf_counter(), Notes(on_note)
    if not isinstance(distances, bool | np.bool_):
        raise ValueError(f"distances={distances!r:.100}: give True or False; the distances themselves are the data.")
    by_cosine = check_metric(metric) == "cosine"
    if by_cosine and distances:
        raise ValueError("metric='cosine' compares features, but the table holds distances: leave out one of the two.")
    if scale is None:
        options["scale"] = scale = "none" if by_cosine else "standard"
    method = alternative_method(checked_method(method, direct=True), other_than, bool(connected))
    method = connected_method(method, graph, connected, bool(distances))
    method = _checked_method(method, bool(distances))
    with memory_budget(memory_limit):
        how = Preparation(id_column, columns_of(ignore), scale, impute)
        table = read_distances(data, how) if distances else read_data(data, how, as_cluster(engine))
        table = directions(table) if by_cosine else table
        known, unused = read_constraints(constraints, must_link, cannot_link, known_labels, table.ids)
        if known is not None and method != "size-constrained":
            known, min_size, max_size = stated_sizes(known, min_size, max_size)
            options |= {"min_size": min_size, "max_size": max_size}
            known = known if known.kinds else None
        _check_request(k, known, constraint_level, table)
        seen = "distances between them" if distances else f"{table.X.shape[1]:,} features"
        notes.add([f"{table.title}: {table.n_objects:,} objects, {seen}"])
        notes.add([*table.notes, *unused])
        links = None if graph is None else read_links(graph, data, table)
        others, about = (None, []) if other_than is None else read_other_than(other_than, table)
        notes.add(about)
        if method is not None and is_direct(method):
            check_options(method, options, known, Sizes.of(min_size, max_size, balance))
            model: Any = _direct_method(method, k, table, options)
            if others is not None and k is None:
                model.method.set_params(n_clusters=choose_k(model.method, table.X, others, verbose))
            edges = None if links is None else links.matrix
            fit: Callable[..., Any] = partial(model.fit, graph=edges, other_than=others)
            notes.add([] if links is None else [f"{counted(links.n_edges, 'link')} between the objects", *links.notes])
        else:
            model = _ensemble_clusterer(method, options)
            fit = _planned(model, table, notes, always=memory_limit is not None)
        with notes.of_warnings():
            fit(table.X, constraints=known)
        if by_cosine:
            model.reasons_ = (BY_COSINE, *model.reasons_)
        if others is not None:
            model.consensus_.finds_k_by = FINDS_K_BY
            model.reasons_ = (*model.reasons_, *difference(model.labels_, others))
        notes.add(model.reasons_)
    if not is_direct(method):
        options |= {"method": name_of(model.consensus_), "members": len(model.ensemble_)}  # as they were chosen
    return Clustering.of(
        model,
        table,
        constraints=known,
        graph=None if links is None else links.matrix,
        other_than=others,
        notes=notes.sentences,
        parameters=options,
        seconds=time.perf_counter() - started,
    )


def _check_request(k: int | None, known: Constraints | None, constraint_level: str | None, table: Data) -> None:
    """Refuse what cannot hold, before any work."""
    check_k(k, table.n_objects)
    check_feasible(known, k, table.ids)
    if constraint_level is not None and known is None:
        raise ValueError(
            "constraint_level is for constraints: give constraints, must_link, cannot_link or known_labels too."
        )


def _ensemble_clusterer(method: str | None, options: dict[str, Any]) -> EnsembleClusterer:
    """The estimator with the options that it shares with this function."""
    same = ("min_size", "max_size", "balance", "noise", "checkpoint", "engine", "n_jobs", "verbose")
    return EnsembleClusterer(
        consensus=method,
        n_clusters=options["k"],
        n_members=options["members"],
        constraint_level="consensus" if options["constraint_level"] is None else options["constraint_level"],
        random_state=options["seed"],
        **{name: options[name] for name in same},
    )


def _planned(model: EnsembleClusterer, table: Data, notes: Notes, *, always: bool) -> Callable[..., Any]:
    """The estimator's fit, which says what the job takes of memory before it starts, if that is much or was limited."""

    def on_plan(plan: Plan) -> None:
        if always or table.n_objects >= PLAN_FROM:
            notes.add(plan.sentences)

    return lambda X, constraints: model.fit_planned(X, constraints=constraints, held=table.frame_bytes, on_plan=on_plan)


def _checked_method(method: str | None, distances: bool) -> str | None:
    """The name of the method; with distances, one that takes them."""
    name = checked_method(method, direct=True)
    if not distances or is_direct(name):
        return name
    if name is not None:
        raise ValueError(f"method={name!r} makes an ensemble from features, not from distances: use 'sl-did'.")
    return "sl-did"


def _direct_method(method: str, k: int | None, table: Data, options: dict[str, Any]) -> DirectMethod:
    if table.in_parts:
        raise ValueError(f"method={method!r} needs the whole table in memory, and it is too large: choose another.")
    check_data(method, table.X, options["scale"])
    sizes = Sizes.of(options["min_size"], options["max_size"], options["balance"])
    how = {} if sizes is None or k is None else sizes.bounds(table.n_objects, k)
    if table.distances:
        how["metric"] = "precomputed"
    same = {name: options[name] for name in ("seed", "n_jobs", "verbose")}
    return DirectMethod(method, k, **same, **how)
