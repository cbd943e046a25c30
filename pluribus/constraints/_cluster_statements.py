"""Statements about clusters: the labels that an object may have, sizes, and a graph in which clusters are connected."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from pluribus._engine import is_sized
from pluribus.constraints._statements import Indices, pair_codes
from pluribus.constraints.errors import ConstraintError, ContradictionError
from pluribus.tables import TableError, as_graph

Names = npt.NDArray[Any]
Sizes = dict[Any, int]  # by label; None is every cluster


class Allowed(NamedTuple):
    """The labels that objects may have, as they were given."""

    objects: Indices  # (m,)
    labels: Indices  # (m,) positions in `names`
    names: list[Any]


class AboutClusters(NamedTuple):
    """What was said about clusters, as canonical arrays."""

    allowed: Indices  # (m, 2) object and position of a label in `classes`, sorted; objects that are not there are free
    sizes: Indices  # (1 + c, 2) least and most objects of every cluster, then of each label; 0 and n say nothing
    graph: Indices | None  # (E, 2) links, i < j, sorted

    @classmethod
    def nothing(cls, n: int, n_classes: int) -> "AboutClusters":
        """Nothing said."""
        return cls(np.empty((0, 2), np.int64), np.tile([0, n], (1 + n_classes, 1)), None)

    def says_sizes(self, n: int) -> npt.NDArray[np.bool_]:
        """Whether there is a bound, for every cluster and for each label."""
        return (self.sizes != [0, n]).any(axis=1)


def parse_allowed(allowed: Any, n: int) -> Allowed:
    """The labels that each object may have, from a mapping, a sequence of n sets, or n rows of booleans."""
    if allowed is None:
        return _coded_sets([])
    if isinstance(allowed, Mapping):
        entries = [(_object(key, n), labels) for key, labels in allowed.items()]
    else:
        if not is_sized(allowed):
            raise ConstraintError(
                f"allowed must be a mapping from objects to sets of labels, or one set for each object, got {allowed!r}"
            )
        if len(allowed) != n:
            raise ConstraintError(f"allowed needs one set of labels for each of the {n} objects, got {len(allowed)}")
        if hasattr(allowed, "__array__") and np.ndim(allowed) == 2:
            return _of_table(np.asarray(allowed), getattr(allowed, "columns", None))
        entries = [(i, labels) for i, labels in enumerate(allowed) if not is_none(labels)]
    return _coded_sets([(i, _label_set(labels, i)) for i, labels in entries])


def _of_table(may: npt.NDArray[Any], columns: Any) -> Allowed:
    """Whether each object (rows) may have each label (columns)."""
    if may.dtype != bool:
        raise ConstraintError(
            f"allowed is a table of {may.dtype}: give booleans, whether an object (row) may have a label (column)"
        )
    names = list(range(may.shape[1]) if columns is None else columns)
    for i in np.flatnonzero(~may.any(axis=1))[:1].tolist():
        raise _no_labels(i)
    for name in filter(is_none, names):
        raise ConstraintError(f"allowed has a column {name!r}: -1, None and NaN are no labels")
    objects, labels = np.nonzero(may)
    return Allowed(objects, labels, [plain_name(name) for name in names])


def _coded_sets(sets: list[tuple[int, list[Any]]]) -> Allowed:
    code: dict[Any, int] = {}
    pairs = [(i, code.setdefault(name, len(code))) for i, labels in sets for name in labels]
    objects, labels = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Allowed(objects, labels, list(code))


def parse_sizes(sizes: Any, n: int, name: str) -> Sizes:
    """A number of objects for every cluster, or a mapping from labels to such numbers; None is every cluster."""
    if sizes is None:
        return {}
    if not isinstance(sizes, Mapping):
        return {None: _size(sizes, n, name)}
    for key in sizes:
        if key is not None and is_none(key):
            raise ConstraintError(f"{name} has the label {key!r}: -1 and NaN are no labels, and None is every cluster")
    return {None if key is None else plain_name(key): _size(size, n, name) for key, size in sizes.items()}


def parse_graph(graph: Any, n: int) -> Indices | None:
    """The links of a graph of the n objects: each pair once."""
    if graph is None:
        return None
    shape = None if hasattr(graph, "columns") else getattr(graph, "shape", None)  # a data frame is a list of links
    square = shape is not None and len(shape) == 2 and shape[0] == shape[1]
    try:
        if not square and not hasattr(graph, "nodes") and is_sized(graph) and not len(graph):
            return np.empty((0, 2), np.int64)
        links = as_graph(graph, ids=None if square else np.arange(n))
    except TableError as error:
        raise ConstraintError(f"graph: {error}") from None
    if links.n_nodes != n:
        raise ConstraintError(
            f"graph has {links.n_nodes} nodes, but there are {n} objects: give one node for each, and links as a list "
            "of pairs, since a square array is a matrix"
        )
    upper = sparse.triu(links.matrix, k=1).tocoo()
    return canonical_links(np.column_stack([upper.row, upper.col]), n)


def canonical_links(links: Indices, n: int) -> Indices:
    """Each pair once, i < j, sorted; an object is not linked to itself."""
    links = links[links[:, 0] != links[:, 1]].astype(np.int64)
    return np.column_stack(np.divmod(np.unique(pair_codes(links, n)), n)).astype(np.int64)


def coded(
    n: int, labels: Indices, classes: Names, allowed: Allowed, least: Sizes, most: Sizes, graph: Indices | None
) -> tuple[Indices, Names, AboutClusters]:
    """Names as positions in `classes`, which grows by those that no known label has."""
    names = classes.tolist()
    code = {name: at for at, name in enumerate(names)}
    number = np.array([code.setdefault(name, len(code)) for name in allowed.names], dtype=np.int64)
    codes = np.unique(allowed.objects * max(len(code), 1) + number[allowed.labels])
    pairs = np.column_stack(np.divmod(codes, max(len(code), 1)))
    rows = {None: 0} | {name: 1 + code.setdefault(name, len(code)) for name in (*least, *most) if name is not None}
    sizes = np.tile([0, n], (1 + len(code), 1))
    for column, given in enumerate((least, most)):
        for name, size in given.items():
            sizes[rows[name], column] = size
    if len(code) > len(names):
        classes = as_names(list(code))
    return canonical(n, labels, classes, AboutClusters(pairs, sizes, graph))


def canonical(n: int, labels: Indices, classes: Names, about: AboutClusters) -> tuple[Indices, Names, AboutClusters]:
    """One form for what means the same: one allowed label is a known label, and labels are numbered by appearance.

    Raises if an object has a known label that is not among its allowed ones, or if a minimum is above its maximum.
    """
    labels, allowed = _single_labels(n, labels, classes, about.allowed)
    _check_sizes(classes, about.sizes)
    sized = np.flatnonzero(about.says_sizes(n)[1:])
    used = list(dict.fromkeys([*labels[labels >= 0].tolist(), *allowed[:, 1].tolist(), *sized.tolist()]))
    number = np.full(len(classes) + 1, -1, np.int64)
    number[used] = np.arange(len(used))
    allowed = np.column_stack([allowed[:, 0], number[allowed[:, 1]]])
    allowed = allowed[np.lexsort((allowed[:, 1], allowed[:, 0]))]
    sizes = about.sizes[[0, *(1 + code for code in used)]]
    return number[labels], classes[used], AboutClusters(allowed, sizes, about.graph)


def intersected(one: AboutClusters, other: AboutClusters) -> AboutClusters:
    """What both say, with the same numbers for labels; raises if they speak of different graphs."""
    both = np.intersect1d(one.allowed[:, 0], other.allowed[:, 0])
    codes = [pairs[:, 0] * len(one.sizes) + pairs[:, 1] for pairs in (one.allowed, other.allowed)]
    common = one.allowed[np.isin(one.allowed[:, 0], both) & np.isin(codes[0], codes[1])]
    if len(empty := np.setdiff1d(both, common[:, 0])):
        i = int(empty[0])
        raise ContradictionError(
            f"object {i} may have some labels by one statement and some by the other, but none by both: remove one",
            pair=(i, i),
            chain=[i],
            apart="allowed labels",
        )
    alone = [pairs[~np.isin(pairs[:, 0], both)] for pairs in (one.allowed, other.allowed)]
    allowed = np.concatenate([common, *alone])
    allowed = allowed[np.lexsort((allowed[:, 1], allowed[:, 0]))]
    sizes = np.column_stack(
        [np.maximum(one.sizes[:, 0], other.sizes[:, 0]), np.minimum(one.sizes[:, 1], other.sizes[:, 1])]
    )
    if one.graph is not None and other.graph is not None and one.graph.tolist() != other.graph.tolist():
        raise ConstraintError(
            "both sets have a graph, and the graphs differ: clusters are connected in one graph. Unite the links, or "
            "leave out one of the graphs"
        )
    return AboutClusters(allowed, sizes, other.graph if one.graph is None else one.graph)


def _single_labels(n: int, labels: Indices, classes: Names, allowed: Indices) -> tuple[Indices, Indices]:
    labels = labels.copy()
    n_allowed = np.bincount(allowed[:, 0], minlength=n)
    known = labels[allowed[:, 0]] >= 0
    fits = np.zeros(n, dtype=bool)
    fits[allowed[known & (labels[allowed[:, 0]] == allowed[:, 1]), 0]] = True
    wrong = np.flatnonzero((labels >= 0) & (n_allowed > 0) & ~fits)
    if len(wrong):
        i = int(wrong[0])
        may = allowed[allowed[:, 0] == i, 1]
        raise ContradictionError(
            f"object {i} is known to have the label {named(classes, labels[[i]])}, but only {named(classes, may)} is "
            "allowed for it: remove one of these statements",
            pair=(i, i),
            chain=[i],
            apart=f"known label {named(classes, labels[[i]])}, allowed labels {named(classes, may)}",
        )
    single = allowed[(n_allowed[allowed[:, 0]] == 1) & ~known]
    labels[single[:, 0]] = single[:, 1]
    return labels, allowed[labels[allowed[:, 0]] < 0]


def _check_sizes(classes: Names, sizes: Indices) -> None:
    least, most = np.maximum(sizes[:, 0], sizes[0, 0]), np.minimum(sizes[:, 1], sizes[0, 1])
    wrong = np.flatnonzero(least > most)
    if len(wrong):
        at = int(wrong[0])
        whose = f" of label {named(classes, np.array([at - 1]))}" if at else ""
        raise ConstraintError(
            f"min_size={least[at]}{whose} is above max_size={most[at]}: lower the one, or raise the other"
        )


def named(classes: Names, codes: Indices) -> str:
    """Labels for an error: 'a' or 'b'."""
    shown = [repr(name) for name in classes[codes[:5]].tolist()]
    return " or ".join([*shown, *(["…"] if len(codes) > 5 else [])])


def plain_name(name: Any) -> Any:
    """A label as known labels have it: plain numbers, and integers that became floats as integers."""
    name = name.item() if isinstance(name, np.generic) else name
    if isinstance(name, float) and name.is_integer():
        name = int(name)
    try:
        hash(name)
    except TypeError:
        raise ConstraintError(f"a label must be hashable (a number, a string, …), got {name!r}") from None
    return name


def _label_set(labels: Any, i: int) -> list[Any]:
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise ConstraintError(f"allowed of object {i} is {labels!r}: give a set or list of labels, such as ['a', 'b']")
    given = sorted(labels, key=repr) if isinstance(labels, set | frozenset) else list(labels)
    if not given:
        raise _no_labels(i)
    if any(is_none(label) for label in given):
        raise ConstraintError(f"allowed of object {i} has {given!r}: -1, None and NaN are no labels")
    return list(dict.fromkeys(plain_name(label) for label in given))


def _no_labels(i: int) -> ConstraintError:
    return ConstraintError(f"allowed of object {i} is empty: give a label that it may have, or leave the object out")


def _object(key: Any, n: int) -> int:
    if isinstance(key, bool) or not isinstance(key, Integral) or not 0 <= int(key) < n:
        raise ConstraintError(f"allowed has {key!r}, but the indices of {n} objects go from 0 to {n - 1}")
    return int(key)


def _size(size: Any, n: int, name: str) -> int:
    if isinstance(size, bool | np.bool_) or not isinstance(size, Integral):
        raise ConstraintError(
            f"{name}={size!r}: give a number of objects for every cluster, or a mapping from labels to numbers"
        )
    least = 0 if name == "min_size" else 1
    if int(size) < least or (name == "min_size" and int(size) > n):
        raise ConstraintError(f"{name}={size}: a cluster of {n} objects has {least} to {n}")
    return min(int(size), n)


def is_none(value: Any) -> bool:
    """Whether a label stands for no label: None, NaN, pandas' NA or -1."""
    missing = value is None or value is pd.NA or (isinstance(value, float | np.floating) and value != value)
    return missing or _is_minus_one(value)


def _is_minus_one(value: Any) -> bool:
    return isinstance(value, Integral | float | np.floating) and not isinstance(value, bool) and value == -1


def as_names(names: list[Any]) -> Names:
    """An array of labels, of integers if all are."""
    if all(isinstance(name, int) and not isinstance(name, bool) and abs(name) < 2**63 for name in names):
        return np.array(names, dtype=np.int64)
    return np.fromiter(names, dtype=object, count=len(names))
