"""What hard constraints entail: chunklets, the cannot-links between them, and contradictions."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from pluribus._kernels.graphs.graph_order import smallest_last_order
from pluribus.constraints._stated_arrays import Statements, symmetric
from pluribus.constraints._statements import Floats, Indices, canonical_pairs, pair_codes
from pluribus.constraints.errors import ContradictionError, contradiction


class Closure:
    """The objects seen as chunklets: sets that hard constraints hold together.

    A cannot-link between two objects keeps their whole chunklets apart, so it is stored once, between chunklets, and
    never spread out to the objects. Soft pairs are summed to chunklets; there is no closure of preferences. Soft pairs
    that the hard ones decide anyway are left out of the sum and counted instead.

    Made by :meth:`Constraints.closure`.

    Attributes
    ----------
    chunk_of : ndarray of shape (n,)
        The chunklet of each object, numbered by first appearance. An object about which nothing is known is alone.
    chunk_sizes : ndarray of shape (L,)
    chunk_indicator : csr_array of shape (L, n)
        One where the object is in the chunklet: ``chunk_indicator @ X`` sums the rows of X by chunklet.
    representatives : ndarray of shape (L,)
        The first object of each chunklet.
    class_chunks : ndarray of shape (c,)
        The chunklets that have a known label. All of them must be apart from each other.
    told_apart : ndarray of shape (t, 2)
        The pairs of chunklets that must be apart for another reason, a < b, sorted.
    cannot_link : ndarray of shape (E, 2)
        All pairs of chunklets that must be apart, a < b, sorted; those of the known labels are written out only when
        this is asked for, c (c - 1) / 2 of them.
    cannot_graph : csr_array of shape (L, L)
        The same as a symmetric matrix of ones.
    coupling : csr_array of shape (L, L)
        Symmetric net weight of the soft pairs between two chunklets: positive together, negative apart.
    n_soft_kept, n_soft_broken : int
        Soft pairs that the hard constraints already satisfy, or break, in every partition.
    order : ndarray of shape (L,)
        Chunklets in an order that is safe for assigning them one by one: each meets at most ``degeneracy`` chunklets
        assigned before it that it must avoid.
    degeneracy : int
        With more clusters than this, the constraints are surely feasible.

    Examples
    --------
    >>> from pluribus.constraints import Constraints
    >>> closure = Constraints(6, must_link=[(0, 1), (1, 2), (3, 4)], cannot_link=[(2, 3)]).closure()
    >>> closure.chunk_of.tolist(), closure.chunk_sizes.tolist(), closure.cannot_link.tolist()
    ([0, 0, 0, 1, 1, 2], [3, 2, 1], [[0, 1]])
    """

    def __init__(
        self, chunk_of: Indices, told_apart: Indices, class_chunks: Indices, soft_pairs: Indices, soft_weights: Floats
    ):
        self.chunk_of = _frozen(chunk_of)
        self.chunk_sizes = _frozen(np.bincount(chunk_of))
        self.class_chunks = _frozen(np.unique(class_chunks))
        told_apart = told_apart[~self._differ_in_class(told_apart)]
        self.told_apart = _frozen(canonical_pairs(told_apart, np.ones(len(told_apart)), self.n_chunks)[0])
        pairs = chunk_of[soft_pairs]
        together = pairs[:, 0] == pairs[:, 1]
        told = np.isin(pair_codes(pairs, self.n_chunks), pair_codes(self.told_apart, self.n_chunks))
        apart = ~together & (told | self._differ_in_class(pairs))
        wants_together = soft_weights > 0
        self.n_soft_kept = int(np.sum(np.where(wants_together, together, apart)))
        self.n_soft_broken = int(np.sum(np.where(wants_together, apart, together)))
        free = ~(together | apart)
        self.coupling = symmetric(pairs[free], soft_weights[free], self.n_chunks)

    @property
    def n_chunks(self) -> int:
        """The number of chunklets, L."""
        return len(self.chunk_sizes)

    def _differ_in_class(self, pairs: Indices) -> npt.NDArray[np.bool_]:
        """Whether both chunklets of a pair have a known label."""
        has_label = np.zeros(self.n_chunks, dtype=bool)
        has_label[self.class_chunks] = True
        return has_label[pairs[:, 0]] & has_label[pairs[:, 1]]

    @cached_property
    def cannot_link(self) -> Indices:
        """All pairs of chunklets that must be apart."""
        of_classes = self.class_chunks[np.column_stack(np.triu_indices(len(self.class_chunks), k=1))]
        pairs = np.concatenate([self.told_apart, of_classes])
        return _frozen(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])

    @cached_property
    def chunk_indicator(self) -> sparse.csr_array:
        """One where the object is in the chunklet."""
        n = len(self.chunk_of)
        members = np.argsort(self.chunk_of, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(self.chunk_sizes)])
        return sparse.csr_array((np.ones(n), members, indptr), shape=(self.n_chunks, n))

    @cached_property
    def representatives(self) -> Indices:
        """The first object of each chunklet."""
        return self.chunk_indicator.indices[self.chunk_indicator.indptr[:-1]]

    @cached_property
    def cannot_graph(self) -> sparse.csr_array:
        """The cannot-links between chunklets as a symmetric matrix of ones."""
        return symmetric(self.cannot_link, np.ones(len(self.cannot_link)), self.n_chunks)

    @cached_property
    def _smallest_last(self) -> tuple[Indices, Indices]:
        return smallest_last_order(self.cannot_graph.indptr, self.cannot_graph.indices)

    @property
    def order(self) -> Indices:
        """Chunklets in an order that is safe for assigning them one by one."""
        return self._smallest_last[0][::-1]

    @property
    def core_numbers(self) -> Indices:
        """For each chunklet, the largest c such that it lies in a part where all must avoid c others or more."""
        return self._smallest_last[1]

    @property
    def degeneracy(self) -> int:
        """The largest core number: with more clusters than this, the constraints are surely feasible."""
        return int(self.core_numbers.max(initial=0))

    def entailed_pairs(self) -> Iterator[tuple[int, int, str]]:
        """Yield (i, j, "must-link" or "cannot-link") with i < j for each pair of objects that is decided."""
        rows = self.chunk_indicator
        members = np.split(rows.indices, rows.indptr[1:-1])
        for chunk in np.flatnonzero(self.chunk_sizes > 1):
            mine = members[chunk].tolist()
            for at, i in enumerate(mine):
                for j in mine[at + 1 :]:
                    yield i, j, "must-link"
        for a, b in self.cannot_link.tolist():
            for i in members[a].tolist():
                for j in members[b].tolist():
                    yield min(i, j), max(i, j), "cannot-link"

    def __repr__(self) -> str:
        return (
            f"<Closure: {len(self.chunk_of)} objects in {self.n_chunks} chunklets, the largest of "
            f"{self.chunk_sizes.max(initial=0)}; {len(self.cannot_link)} cannot-links between chunklets, "
            f"{self.coupling.nnz // 2} soft couplings>"
        )


def collect_chunklets(said: Statements) -> Indices:
    """Return the chunklet of each object, or raise ContradictionError with the chain of links that causes it."""
    graph = together_graph(said)
    _, component = connected_components(graph, directed=False)
    chunk_of = pd.factorize(component[: said.n_objects])[0].astype(np.int64)
    _check_labels(said, graph, component)
    _check_cannot_links(said, graph, chunk_of)
    return chunk_of


def close(said: Statements, chunk_of: Indices) -> Closure:
    """Carry cannot-links, differing labels and soft pairs over to the given chunklets."""
    return Closure(chunk_of, chunk_of[said.hard_cannot_link], chunk_of[said.one_of_each_class], *said.soft_pairs())


def together_graph(said: Statements) -> sparse.csr_array:
    """Objects, then groups, then classes as vertices: a group or class is joined to each of its objects."""
    grouped, labeled = np.flatnonzero(said.groups >= 0), np.flatnonzero(said.labels >= 0)
    first_group = said.n_objects
    first_class = first_group + len(said.group_names)
    total = first_class + len(said.classes)
    rows = np.concatenate([said.hard_must_link[:, 0], grouped, labeled])
    columns = np.concatenate(
        [said.hard_must_link[:, 1], first_group + said.groups[grouped], first_class + said.labels[labeled]]
    )
    return sparse.coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(total, total)).tocsr()


def _check_labels(said: Statements, graph: sparse.csr_array, component: npt.NDArray[Any]) -> None:
    """Two classes in one component: raise with a chain between objects of different classes."""
    first_class = said.n_objects + len(said.group_names)
    of_class = pd.Series(component[first_class:])
    if not of_class.duplicated().any():
        return
    second = int(np.flatnonzero(of_class.duplicated())[0])
    first = int(np.flatnonzero(of_class == of_class[second])[0])
    path = shortest_path(graph, first_class + first, first_class + second)
    # The shortest way may lead through a third class: the first two classes on it contradict each other already.
    path = path[: 2 + int(np.flatnonzero(path[1:] >= first_class)[0])]
    one, other = said.classes[path[[0, -1]] - first_class].tolist()
    raise explained(said, path[1:-1], f"labels {one!r} and {other!r}")


def _check_cannot_links(said: Statements, graph: sparse.csr_array, chunk_of: Indices) -> None:
    pairs = said.hard_cannot_link
    inside = chunk_of[pairs[:, 0]] == chunk_of[pairs[:, 1]]
    if inside.any():
        i, j = pairs[np.flatnonzero(inside)[0]]
        raise explained(said, shortest_path(graph, int(i), int(j)), "cannot-link")


def shortest_path(graph: sparse.csr_array, start: int, end: int) -> Indices:
    """Return the vertices of a shortest path."""
    _, before = breadth_first_order(graph, start, directed=False, return_predecessors=True)
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return np.array(path[::-1])


def explained(said: Statements, path: Indices, apart: str) -> ContradictionError:
    """The error for a path of hard links between two objects that must be apart."""
    n_groups = len(said.group_names)
    chain, links, link = [int(path[0])], [], "must-link"
    for vertex in path[1:].tolist():
        code = vertex - said.n_objects
        if code >= n_groups:
            link = f"label {said.classes[[code - n_groups]].tolist()[0]!r}"
        elif code >= 0:
            link = f"group {said.group_names[[code]].tolist()[0]!r}"
        else:
            chain.append(vertex)
            links.append(link)
            link = "must-link"
    return contradiction((chain[0], chain[-1]), chain, links, apart)


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.setflags(write=False)
    return array
