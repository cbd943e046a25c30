"""Which constraints hold, which are broken, and what each one costs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pluribus.constraints import Constraints
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble

_ROWS = 200  # of the table


@dataclass(frozen=True)
class KnownRow:
    """One statement; ``cost`` is the share of the members that speak against it, NaN where none can be asked.

    None can where no member has both objects, and where a label or group is of one object.
    """

    kind: str
    one: str
    other: str
    weight: float  # infinite = hard
    holds: bool
    cost: float


@dataclass(frozen=True)
class KnownTable:
    """What was known; ``rows`` are the broken ones first, then the costliest, up to 200.

    A pair is a statement, and so are a label and a group: a label is broken if its objects are in several clusters,
    or in one with those of another label. ``mean_cost`` is over those that have a cost, NaN if none has.
    """

    rows: tuple[KnownRow, ...]
    n_statements: int
    n_broken: int
    n_broken_hard: int
    broken_weight: float
    mean_cost: float

    @property
    def sentence(self) -> str:
        """The result in words."""
        if not self.n_broken:
            return f"All {self.n_statements:,} statements hold." if self.n_statements > 1 else "The statement holds."
        hard = f", {self.n_broken_hard:,} of them hard" if self.n_broken_hard else ", all of them preferences"
        return (
            f"{self.n_broken:,} of {self.n_statements:,} statements are broken{hard}; the preferences that are broken "
            f"have a total weight of {self.broken_weight:.4g}."
        )


def known_table(known: Constraints, labels: np.ndarray, ensemble: Ensemble, ids: np.ndarray) -> KnownTable:
    """Each statement with what became of it."""
    parts = [
        _pairs("must-link", known.must_link, known.must_weight, labels, ensemble, ids),
        _pairs("cannot-link", known.cannot_link, known.cannot_weight, labels, ensemble, ids),
        _classes("known label", known.labels, known.classes, labels, ensemble),
        _classes("group", known.groups, known.group_names, labels, ensemble),
    ]
    starts = np.cumsum([0, *(len(part.holds) for part in parts)])
    holds, cost, weight = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("holds", "cost", "weight")
    )
    order = np.lexsort((-cost, np.isnan(cost), holds))[:_ROWS]
    of_part = np.searchsorted(starts, order, side="right") - 1
    broken_weights = weight[~holds]
    soft = np.isfinite(broken_weights)
    asked = cost[~np.isnan(cost)]
    return KnownTable(
        rows=tuple(parts[p].row(int(at - starts[p])) for p, at in zip(of_part, order, strict=True)),
        n_statements=len(holds),
        n_broken=len(broken_weights),
        n_broken_hard=int((~soft).sum()),
        broken_weight=float(broken_weights[soft].sum()),
        mean_cost=float(asked.mean()) if len(asked) else float("nan"),
    )


class _Part(NamedTuple):
    """The statements of one kind, as arrays, and how to say them."""

    kind: str
    weight: np.ndarray
    holds: np.ndarray
    cost: np.ndarray
    say: Callable[[int], tuple[str, str]]

    def row(self, at: int) -> KnownRow:
        return KnownRow(self.kind, *self.say(at), float(self.weight[at]), bool(self.holds[at]), float(self.cost[at]))


def _pairs(
    kind: str, pairs: np.ndarray, weights: np.ndarray, labels: np.ndarray, ensemble: Ensemble, ids: np.ndarray
) -> _Part:
    """A pair that the result does not cluster is not broken."""
    together = _shares_together(ensemble, pairs)
    one, other = labels[pairs].T
    broken = (one != other) if kind == "must-link" else (one == other)
    return _Part(
        kind,
        weights,
        ~(broken & (one >= 0) & (other >= 0)),
        1 - together if kind == "must-link" else together,
        lambda at: (str(ids[pairs[at, 0]]), str(ids[pairs[at, 1]])),
    )


def _classes(kind: str, codes: np.ndarray, names: np.ndarray, labels: np.ndarray, ensemble: Ensemble) -> _Part:
    """A class is kept if its objects are in one cluster; it costs the mean evidence against its first object."""
    members = np.flatnonzero(codes >= 0)
    _, first = np.unique(codes[members], return_index=True)
    first = members[first]
    pairs = np.column_stack([first[codes[members]], members])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    against = 1 - _shares_together(ensemble, pairs)
    seen = ~np.isnan(against)
    of_class = codes[pairs[seen, 1]]
    n_seen = np.bincount(of_class, minlength=len(names))
    total = np.bincount(of_class, weights=against[seen], minlength=len(names))
    sizes = np.bincount(codes[members], minlength=len(names))
    return _Part(
        kind,
        np.full(len(names), np.inf),
        _kept_classes(codes, len(names), labels, exclusive=kind == "known label"),
        np.divide(total, n_seen, out=np.full(len(names), np.nan), where=n_seen > 0),
        lambda at: (str(names[at]), f"{sizes[at]:,} object{'s' if sizes[at] != 1 else ''}"),
    )


def _kept_classes(codes: np.ndarray, n_classes: int, labels: np.ndarray, *, exclusive: bool) -> np.ndarray:
    """Whether each class is in one cluster and, if it is to be exclusive, alone of all classes there."""
    both = (codes >= 0) & (labels >= 0)
    met, cluster = np.unique(np.column_stack([codes[both], labels[both]]), axis=0).T
    kept = np.bincount(met, minlength=n_classes) <= 1
    if exclusive:
        kept[met[np.bincount(cluster)[cluster] > 1]] = False
    return kept


def _shares_together(ensemble: Ensemble, pairs: np.ndarray) -> np.ndarray:
    """The share of the members that have each pair together, of those that have both objects; NaN without any."""
    share = CoAssociation(ensemble, form="operator").pairs(pairs[:, 0], pairs[:, 1])
    if ensemble.has_missing:
        never = np.flatnonzero(share == 0)
        seen = (ensemble.labels >= 0) & (ensemble.weights > 0)
        share[never[~(seen[pairs[never, 0]] & seen[pairs[never, 1]]).any(axis=1)]] = np.nan
    return share
