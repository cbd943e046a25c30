"""What a user knows about the objects, in one validated, immutable object."""

import os
import warnings
from collections.abc import Iterator
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from pluribus._engine import RandomState, real_number, seeds, whole_number
from pluribus.constraints._cluster_contradictions import check_chunklets
from pluribus.constraints._cluster_feasibility import check_clusters, cluster_bounds
from pluribus.constraints._cluster_statements import coded, parse_allowed, parse_graph, parse_sizes
from pluribus.constraints._files import read_statements, write_statements
from pluribus.constraints._stated_arrays import Said, Statements
from pluribus.constraints._statements import (
    Indices,
    canonical_pairs,
    log_odds,
    pair_codes,
    parse_names,
    parse_pairs,
    parse_weights,
    signed_pairs,
)
from pluribus.constraints._transform import flip, merge, restrict
from pluribus.constraints.closure import Closure, close, collect_chunklets
from pluribus.constraints.errors import ConstraintError, ContradictionError, InfeasibleError
from pluribus.constraints.feasibility import Feasibility, check, sides
from pluribus.constraints.violations import Violations, find_violations

BUDGET = 200_000_000  # about a second of search


class Constraints(Said):
    """What you know about n objects: pairs together or apart, groups, labels, sizes, and links.

    A pair without a weight is hard: a partition that breaks it is wrong. A finite weight makes it a preference; read
    it as log-odds that the statement is right (:func:`log_odds`). Groups and labels are hard: objects of one group, or
    with one label, are together, and objects with different labels are apart.

    Some statements are about clusters: the labels that an object may have (`allowed`), the sizes of clusters, and a
    graph in which every cluster is connected. They are hard. Few methods keep them, and all others refuse them; the
    error names the methods that do.

    All is checked at once. Hard statements that contradict each other raise :class:`ContradictionError`, which names
    the chain of links that makes the contradiction. Preferences may conflict.

    Parameters
    ----------
    n_objects : int
    must_link, cannot_link : pairs of indices, optional
        Pairs that belong together, or apart: a list of tuples or an array of shape (m, 2). The order within a pair
        means nothing. Repeated pairs become one, and their weights are added.
    must_weight, cannot_weight : float or sequence of m floats, optional
        Positive; infinite or None is hard. A hard pair overrules a soft one on the same objects.
    groups : sequence of length n, optional
        The group of each object: any hashable. -1, None or NaN where there is none.
    labels : sequence of length n, optional
        The known label of each object: any hashable. -1, None or NaN where unknown.
    allowed : mapping from objects to sets of labels, sequence of n sets, or booleans of shape (n, c), optional
        The labels that an object may have; None in a sequence, or no entry in a mapping, where it may have any. Column
        h of an array stands for label h, and a column of a data frame for its name. One allowed label is a known label.
        Each label that is named is a cluster.
    min_size, max_size : int, or mapping from labels to int, optional
        The least and the largest number of objects in every cluster, or in the cluster of a label; None as a label is
        every cluster.
    graph : sparse matrix, edge list or networkx graph, optional
        Every cluster is connected in this graph, see :func:`pluribus.tables.as_graph`; an edge list names objects by
        index. Weights do not matter.

    Attributes
    ----------
    must_link, cannot_link : ndarray of shape (m, 2)
        The pairs, each once, i < j, sorted.
    must_weight, cannot_weight : ndarray of shape (m,)
        Infinite = hard.
    groups, labels : ndarray of shape (n,)
        Positions in `group_names` and `classes`, numbered by first appearance; -1 = none.
    group_names, classes : ndarray
        The groups and labels as they were given. Labels that no object is known to have come last.
    allowed : ndarray of shape (m, 2)
        Objects and positions in `classes`, sorted.
    min_size, max_size : dict
        Numbers by label; None is every cluster.
    graph : csr_array of shape (n, n) or None
    kinds : tuple of str
        The kinds of statements that there are: "pairs" (these are also groups and known labels), "allowed labels",
        "sizes" and "a graph".
    coupling : csr_array of shape (n, n)
        The soft pairs as a symmetric matrix of net weights.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> known = Constraints(6, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)], groups=[-1, -1, -1, "a", "a", -1])
    >>> known
    <Constraints: 6 objects, 2 must-links, 1 cannot-link, 1 group>
    >>> known.closure().chunk_of.tolist()
    [0, 0, 0, 1, 1, 2]
    >>> known.check(2).status
    'feasible'
    >>> known.violations([0, 0, 1, 1, 1, 0]).must_link.tolist()
    [[1, 2]]
    >>> Constraints(6, allowed={0: ["a", "b"]}, min_size=2, max_size={"a": 3}, graph=[(0, 1), (1, 2)])
    <Constraints: 6 objects, allowed labels of 1 object, min_size 2, max_size of 1 label, a graph of 2 links>
    """

    _chunk_of: Indices

    def __init__(
        self,
        n_objects: int,
        must_link: Any = None,
        cannot_link: Any = None,
        *,
        must_weight: Any = None,
        cannot_weight: Any = None,
        groups: Any = None,
        labels: Any = None,
        allowed: Any = None,
        min_size: Any = None,
        max_size: Any = None,
        graph: Any = None,
    ):
        if isinstance(n_objects, bool) or not isinstance(n_objects, Integral) or n_objects < 1:
            raise ConstraintError(f"n_objects must be a positive integer, the number of objects; got {n_objects!r}")
        n = int(n_objects)
        must = parse_pairs(must_link, n, "must_link")
        cannot = parse_pairs(cannot_link, n, "cannot_link")
        weights = parse_weights(must_weight, len(must), "must_weight")
        other_weights = parse_weights(cannot_weight, len(cannot), "cannot_weight")
        alone = np.flatnonzero(cannot[:, 0] == cannot[:, 1])
        if len(alone):
            i = int(cannot[alone[0], 0])
            raise ConstraintError(f"cannot_link row {alone[0]} is ({i}, {i}): an object cannot be apart from itself")
        two = must[:, 0] != must[:, 1]
        about_clusters = coded(
            n,
            *parse_names(labels, n, "labels"),
            parse_allowed(allowed, n),
            parse_sizes(min_size, n, "min_size"),
            parse_sizes(max_size, n, "max_size"),
            parse_graph(graph, n),
        )
        self._adopt(
            Statements(
                n,
                *canonical_pairs(must[two], weights[two], n),
                *canonical_pairs(cannot, other_weights, n),
                *parse_names(groups, n, "groups"),
                *about_clusters,
            )
        )
        self._warn_overruled()

    def _adopt(self, said: Statements) -> None:
        self._chunk_of = collect_chunklets(said)
        check_chunklets(said, self._chunk_of)
        for array in said.arrays:
            array.setflags(write=False)
        self._said = said

    @cached_property
    def _closure(self) -> Closure:
        return close(self._said, self._chunk_of)

    @classmethod
    def _from_statements(cls, said: Statements) -> "Constraints":
        result = cls.__new__(cls)
        result._adopt(said)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return Constraints._from_statements, (self._said,)

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Constraints":
        """Read a signed n × n matrix, sparse or dense: positive = together, negative = apart, size = weight.

        Infinite values are hard, zeros say nothing. Each unordered pair counts once: give one triangle, or a
        symmetric matrix.

        Examples
        --------
        >>> import numpy as np
        >>> from pluribus import Constraints
        >>> known = Constraints.from_matrix([[0, 1.5, -np.inf], [0, 0, 0], [0, 0, 0]])
        >>> known.must_link.tolist(), known.must_weight.tolist(), known.cannot_link.tolist()
        ([[0, 1]], [1.5], [[0, 2]])
        """
        n, pairs, values = signed_pairs(matrix)
        together = values > 0
        return cls(
            n,
            must_link=pairs[together],
            must_weight=values[together],
            cannot_link=pairs[~together],
            cannot_weight=-values[~together],
        )

    @classmethod
    def from_labels(cls, y: Any) -> "Constraints":
        """All that known labels imply: equal labels together, different labels apart.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> Constraints.from_labels(["a", None, "b", "a"])
        <Constraints: 4 objects, 3 known labels of 2 classes>
        """
        codes, _ = parse_names(y, None, "y")
        return cls(len(codes), labels=y)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        n_objects: int | None = None,
        *,
        ids: Any = None,
        kind: str | None = None,
    ) -> "Constraints":
        """Read constraints from a ``.csv`` or ``.json`` file.

        A CSV file has two columns with the objects of each pair and, where its first row names the columns, optional
        columns ``type`` (must-link or cannot-link; unsure says nothing) and ``weight`` (empty = hard). Further types
        are ``graph-link`` (two objects), ``group``, ``label`` and ``allowed`` (an object and a name), and ``min-size``
        and ``max-size`` (a label, or nothing for every cluster, and a number).

        Parameters
        ----------
        path : path
        n_objects : int, optional
            The number of objects, where the file speaks of them by index.
        ids : sequence of length n, optional
            The id of each object, where the file speaks of them by id.
        kind : {"must-link", "cannot-link"}, optional
            The type of all pairs of a CSV file without a type column; of a file that has one, only the pairs of this
            type are read, and statements that are no pairs are refused.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from pluribus import Constraints
        >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
        >>> _ = path.write_text("one,other,type\\nann,bob,must-link\\nann,eve,cannot-link\\n")
        >>> Constraints.read(path, ids=["ann", "bob", "eve"]).cannot_link.tolist()
        [[0, 2]]
        """
        n, statements, name = read_statements(path, n_objects, ids, kind)
        try:
            return cls(n, **statements)
        except ContradictionError as error:
            raise error.renamed(name) from None

    def write(self, path: str | os.PathLike[str], *, ids: Any = None) -> None:
        """Write to a ``.csv`` or ``.json`` file, by index or, if `ids` are given, by id.

        The file is written under another name and moved: it is there whole or not at all.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from pluribus import Constraints
        >>> path = Path(tempfile.mkdtemp()) / "known.json"
        >>> known = Constraints(3, must_link=[(0, 1)], labels=["a", None, "b"])
        >>> known.write(path)
        >>> Constraints.read(path) == known
        True
        """
        write_statements(self._said, path, ids)

    def closure(self, k: int | None = None) -> Closure:
        """Return what the hard constraints entail: chunklets and the cannot-links between them.

        Knowing that there are at most k = 2 clusters entails more: whatever is apart from the same object is together.

        Raises
        ------
        InfeasibleError
            If the constraints do not fit into k = 1 or 2 clusters.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> known = Constraints(3, cannot_link=[(0, 1), (1, 2)])
        >>> known.closure().chunk_of.tolist(), known.closure(k=2).chunk_of.tolist()
        ([0, 1, 2], [0, 1, 0])
        """
        if k is None or whole_number("k", k, 1, error=ConstraintError) > 2:
            return self._closure
        self.ensure_feasible(k)
        if k == 1:
            return close(self._said, np.zeros(self.n_objects, np.int64))
        side, _ = sides(self._closure.cannot_graph)
        return close(self._said, pd.factorize(side[self._chunk_of])[0].astype(np.int64))

    def entailed_pairs(self, k: int | None = None) -> Iterator[tuple[int, int, str]]:
        """Yield (i, j, "must-link" or "cannot-link"), i < j, for each pair that the hard constraints decide.

        There may be very many: :meth:`closure` has the same in short.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> list(Constraints(3, must_link=[(0, 1)], cannot_link=[(1, 2)]).entailed_pairs())
        [(0, 1, 'must-link'), (0, 2, 'cannot-link'), (1, 2, 'cannot-link')]
        """
        return self.closure(k).entailed_pairs()

    def check(self, k: int, *, allow_empty: bool = True, budget: int = BUDGET) -> Feasibility:
        """Say whether the hard constraints can be satisfied with k clusters, and prove it.

        With cannot-links and k ≥ 3 this is graph coloring, which is NP-complete: large, dense cannot-links may give
        "unknown". So may sizes of clusters that must-links fill, and cannot-links along a graph.

        Parameters
        ----------
        k : int
        allow_empty : bool, default=True
            Whether fewer than k clusters will do as well.
        budget : int
            How much to search before answering "unknown"; the default takes about a second.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> known = Constraints(4, cannot_link=[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
        >>> known.check(3).reason
        '4 objects must all be apart, more than k = 3 clusters'
        >>> known.check(4).status
        'feasible'
        """
        found = check(
            self._closure,
            k,
            one_of_each_class=self._said.one_of_each_class,
            allow_empty=allow_empty,
            budget=budget,
        )
        return check_clusters(self._said, self._closure, found, allow_empty=allow_empty)

    def size_bounds(self, k: int) -> tuple[Indices, Indices]:
        """The least and the largest size of each of k clusters: first those of the labels in `classes`, then others.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> lower, upper = Constraints(9, min_size=2, max_size={"a": 3}).size_bounds(3)
        >>> lower.tolist(), upper.tolist()
        ([2, 2, 2], [3, 9, 9])
        """
        k = whole_number("k", k, 1, self.n_objects, error=ConstraintError)
        if len(self.classes) > k and self._said.names_clusters:
            raise ConstraintError(f"k={k}, but there are {len(self.classes)} labels, each of which is a cluster")
        return cluster_bounds(self._said, k)

    def ensure_feasible(self, k: int, *, allow_empty: bool = True, budget: int = BUDGET) -> None:
        """Raise InfeasibleError if k clusters cannot satisfy the hard constraints; warn if that is unknown.

        The parameters are those of :meth:`check`.
        """
        found = self.check(k, allow_empty=allow_empty, budget=budget)
        if found.status == "infeasible":
            proof = [] if found.witness is None else found.witness[:12].tolist()
            objects = f"; objects {proof}" if proof else ""
            raise InfeasibleError(
                f"the constraints do not fit into k={k} clusters: {found.reason}{objects}",
                k=k,
                reason=found.reason,
                witness=found.witness,
            )
        if found.status == "unknown":
            warnings.warn(f"feasibility is unknown: {found.reason}", stacklevel=2)

    def violations(self, labels: Any) -> Violations:
        """Return the constraints that a partition breaks.

        Parameters
        ----------
        labels : sequence of length n
            The cluster of each object, any hashable; -1, None or NaN where it is not clustered, and then what is known
            about that object is not judged.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> Constraints(3, must_link=[(0, 1)], cannot_link=[(1, 2)]).violations([0, 1, 1])
        <Violations: 1 must-links, 1 cannot-links, 0 groups, 0 classes split, 0 pairs of classes mixed; 2 hard, ...>
        """
        return find_violations(self._said, *parse_names(labels, self.n_objects, "labels"))

    def restrict(self, idx: Any) -> "Constraints":
        """Return what is known about some of the objects, in the order given.

        Nothing entailed about pairs is lost: if 0–1 and 1–2 are must-links, then 0 and 2 stay linked without 1. A
        minimum size falls by the number of objects that are left out. Objects that the graph joins through objects that
        are left out become linked.

        Parameters
        ----------
        idx : sequence of distinct indices, or a mask of n booleans

        Examples
        --------
        >>> from pluribus import Constraints
        >>> Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(1, 3)]).restrict([0, 2, 3])
        <Constraints: 3 objects, 1 must-link, 1 cannot-link>
        """
        return self._from_statements(restrict(self._said, self._closure, idx))

    def flip(self, q: float, random_state: RandomState = None, *, soften: bool = False) -> "Constraints":
        """Turn each pair into its opposite with probability q, to study wrong constraints.

        Groups and labels stay. Hard pairs may contradict each other afterwards, which raises ContradictionError.

        Parameters
        ----------
        q : float
        random_state : int, RandomState, Generator or None
        soften : bool, default=False
            Give all pairs the weight that this noise deserves, ``log((1 - q) / q)``; needs q < 0.5.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> Constraints(4, must_link=[(0, 1), (2, 3)]).flip(1.0)
        <Constraints: 4 objects, 2 cannot-links>
        """
        q = real_number("q", q, 0, 1, error=ConstraintError)
        if soften and q >= 0.5:
            raise ConstraintError(f"q={q}: a probability from 0 to 1, and below 0.5 with soften=True")
        rng = np.random.default_rng(seeds(random_state, 1)[0])
        weight = float(log_odds(1 - q)) if soften else None
        return self._from_statements(flip(self._said, q, rng, weight))

    def merge(self, other: "Constraints") -> "Constraints":
        """Return what two sets say together.

        Weights of the same soft pair are added. Labels are common to both; group names are not, but groups that share
        an object become one. Of two bounds on a size the tighter one holds, and of allowed labels those in both. Two
        graphs have to be the same.

        Examples
        --------
        >>> from pluribus import Constraints
        >>> Constraints(3, must_link=[(0, 1)]).merge(Constraints(3, cannot_link=[(1, 2)]))
        <Constraints: 3 objects, 1 must-link, 1 cannot-link>
        """
        if not isinstance(other, Constraints):
            raise ConstraintError(f"other must be a pluribus.Constraints, got {type(other).__name__}")
        result = self._from_statements(merge(self._said, other._said))
        result._warn_overruled()
        return result

    def _warn_overruled(self) -> None:
        """Say so when a soft pair speaks against a hard one on the same objects."""
        said, n = self._said, self.n_objects
        must, cannot = pair_codes(said.must_link, n), pair_codes(said.cannot_link, n)
        both = np.intersect1d(must, cannot)
        one_is_hard = np.isinf(said.must_weight[np.isin(must, both)]) | np.isinf(
            said.cannot_weight[np.isin(cannot, both)]
        )
        if one_is_hard.any():
            i, j = divmod(int(both[one_is_hard][0]), n)
            warnings.warn(
                f"a soft pair speaks against a hard one on the same objects, and the hard one holds: ({i}, {j})"
                f"{f' and {one_is_hard.sum() - 1} more' if one_is_hard.sum() > 1 else ''}",
                stacklevel=3,
            )
