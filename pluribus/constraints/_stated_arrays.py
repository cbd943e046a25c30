"""What was said, as canonical arrays, and how it shows."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from pluribus.constraints._cluster_statements import AboutClusters
from pluribus.constraints._statements import Floats, Indices, pair_codes

KINDS = ("pairs", "allowed labels", "sizes", "a graph")  # of statements; groups and known labels are pairs in short


class Statements(NamedTuple):
    """Everything the user said, as canonical arrays."""

    n_objects: int
    must_link: Indices
    must_weight: Floats
    cannot_link: Indices
    cannot_weight: Floats
    groups: Indices
    group_names: npt.NDArray[Any]
    labels: Indices
    classes: npt.NDArray[Any]
    about: AboutClusters

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """All statements as one row of arrays; an array of one number stands for a missing graph."""
        *others, about = self[1:]
        graph = np.array([-1]) if about.graph is None else about.graph
        return *others, about.allowed, about.sizes, graph

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of statements that there are."""
        said = (
            len(self.must_link) or len(self.cannot_link) or (self.groups >= 0).any() or (self.labels >= 0).any(),
            len(self.about.allowed),
            self.about.says_sizes(self.n_objects).any(),
            self.about.graph is not None,
        )
        return tuple(kind for kind, is_said in zip(KINDS, said, strict=True) if is_said)

    @property
    def names_clusters(self) -> bool:
        """Whether labels are clusters of their own, also without an object that is known to have them."""
        return bool(len(self.about.allowed) or self.about.says_sizes(self.n_objects)[1:].any())

    @property
    def hard_must_link(self) -> Indices:
        return self.must_link[np.isinf(self.must_weight)]

    @property
    def hard_cannot_link(self) -> Indices:
        return self.cannot_link[np.isinf(self.cannot_weight)]

    @property
    def one_of_each_class(self) -> Indices:
        known = np.flatnonzero(self.labels >= 0)
        return known[np.unique(self.labels[known], return_index=True)[1]]

    def soft_pairs(self) -> tuple[Indices, Floats]:
        """All pairs with a finite weight: positive for must-links, negative for cannot-links."""
        must, cannot = np.isfinite(self.must_weight), np.isfinite(self.cannot_weight)
        return (
            np.concatenate([self.must_link[must], self.cannot_link[cannot]]),
            np.concatenate([self.must_weight[must], -self.cannot_weight[cannot]]),
        )


class Said:
    """Access to the statements; what follows from them is in the class above."""

    _said: Statements

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return self._said.n_objects

    @property
    def must_link(self) -> Indices:
        """Pairs that belong together, shape (m, 2): i < j, sorted, each once."""
        return self._said.must_link

    @property
    def must_weight(self) -> Floats:
        """The weight of each must-link; infinite = hard."""
        return self._said.must_weight

    @property
    def cannot_link(self) -> Indices:
        """Pairs that belong apart, shape (c, 2): i < j, sorted, each once."""
        return self._said.cannot_link

    @property
    def cannot_weight(self) -> Floats:
        """The weight of each cannot-link; infinite = hard."""
        return self._said.cannot_weight

    @property
    def groups(self) -> Indices:
        """The group of each object as a position in `group_names`; -1 = none."""
        return self._said.groups

    @property
    def group_names(self) -> npt.NDArray[Any]:
        """The groups as the user named them."""
        return self._said.group_names

    @property
    def labels(self) -> Indices:
        """The known label of each object as a position in `classes`; -1 = unknown."""
        return self._said.labels

    @property
    def classes(self) -> npt.NDArray[Any]:
        """The labels as the user named them."""
        return self._said.classes

    @property
    def allowed(self) -> Indices:
        """The labels that objects may have: pairs of an object and a position in `classes`; others are free."""
        return self._said.about.allowed

    @property
    def min_size(self) -> dict[Any, int]:
        """The least number of objects by label; None is every cluster."""
        return self._sizes(0, 0)

    @property
    def max_size(self) -> dict[Any, int]:
        """The largest number of objects by label; None is every cluster."""
        return self._sizes(1, self.n_objects)

    def _sizes(self, column: int, unsaid: int) -> dict[Any, int]:
        sizes = self._said.about.sizes[:, column].tolist()
        return {name: size for name, size in zip([None, *self.classes.tolist()], sizes, strict=True) if size != unsaid}

    @cached_property
    def graph(self) -> sparse.csr_array | None:
        """The graph in which clusters are connected, as a symmetric matrix of ones; None if there is none."""
        links = self._said.about.graph
        return None if links is None else symmetric(links, np.ones(len(links)), self.n_objects)

    @property
    def about_clusters(self) -> tuple[npt.NDArray[Any], ...]:
        """What is said about clusters as arrays: allowed labels, sizes and links."""
        return self._said.arrays[-3:]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of statements that there are: "pairs", "allowed labels", "sizes" and "a graph"."""
        return self._said.kinds

    @cached_property
    def coupling(self) -> sparse.csr_array:
        """The soft pairs as a symmetric n × n matrix of net weights: positive together, negative apart.

        A pair that is also hard is left out.
        """
        pairs, weights = self._said.soft_pairs()
        hard = np.concatenate([self._said.hard_must_link, self._said.hard_cannot_link])
        free = ~np.isin(pair_codes(pairs, self.n_objects), pair_codes(hard, self.n_objects))
        return symmetric(pairs[free], weights[free], self.n_objects)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Said):
            return NotImplemented
        return self.n_objects == other.n_objects and all(
            a.tolist() == b.tolist() for a, b in zip(self._said.arrays, other._said.arrays, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        weights = np.concatenate([self.must_weight, self.cannot_weight])
        known = self.labels[self.labels >= 0]
        n_labeled, n_classes = len(known), len(np.unique(known))
        n_restricted = len(np.unique(self.allowed[:, 0]))
        parts = [
            _count(len(self.must_link), "must-link"),
            _count(len(self.cannot_link), "cannot-link"),
            _count(len(self.group_names), "group"),
            f"{_count(n_labeled, 'known label')} of {n_classes} classes" if n_labeled else "",
            f"allowed labels of {_count(n_restricted, 'object')}" if n_restricted else "",
            _bounds("min_size", self.min_size),
            _bounds("max_size", self.max_size),
            "" if self._said.about.graph is None else f"a graph of {len(self._said.about.graph)} links",
        ]
        said = ", ".join(part for part in parts if part) or "nothing known"
        n_soft = int(np.isfinite(weights).sum())
        return f"<Constraints: {_count(self.n_objects, 'object')}, {said}{f' ({n_soft} pairs soft)' if n_soft else ''}>"


def symmetric(pairs: Indices, values: Floats, n: int) -> sparse.csr_array:
    """Return a symmetric sparse n × n matrix with repeated entries added and zeros removed."""
    one, other = pairs.T
    rows, columns = np.concatenate([one, other]), np.concatenate([other, one])
    matrix = sparse.coo_array((np.tile(values, 2), (rows, columns)), shape=(n, n)).tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def _count(n: int, thing: str) -> str:
    return f"{n} {thing}{'s' if n != 1 else ''}" if n else ""


def _bounds(name: str, sizes: dict[Any, int]) -> str:
    by_label = sum(label is not None for label in sizes)
    shown = [f"{name} {sizes[None]}"] if None in sizes else []
    return " and ".join([*shown, *([f"{name} of {_count(by_label, 'label')}"] if by_label else [])])
