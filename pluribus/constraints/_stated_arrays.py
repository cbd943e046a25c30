"""What was said, as canonical arrays, and how it shows."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from pluribus.constraints._statements import Floats, Indices, pair_codes


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
            a.tolist() == b.tolist() for a, b in zip(self._said[1:], other._said[1:], strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        weights = np.concatenate([self.must_weight, self.cannot_weight])
        n_labeled, n_classes = int((self.labels >= 0).sum()), len(self.classes)
        parts = [
            _count(len(self.must_link), "must-link"),
            _count(len(self.cannot_link), "cannot-link"),
            _count(len(self.group_names), "group"),
            f"{_count(n_labeled, 'known label')} of {n_classes} classes" if n_labeled else "",
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
