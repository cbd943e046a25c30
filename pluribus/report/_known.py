"""Which constraints hold, which are broken, and what each one costs."""

from dataclasses import dataclass

import numpy as np

from pluribus.constraints import Constraints
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble

_ROWS = 200  # of the table


@dataclass(frozen=True)
class KnownRow:
    """One statement; ``cost`` is the share of the members that speak against it, NaN where there is none to ask."""

    kind: str
    one: str
    other: str
    weight: float  # infinite = hard
    holds: bool
    cost: float


@dataclass(frozen=True)
class KnownTable:
    """What was known; ``rows`` are the broken ones first, then the costliest, up to 200."""

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
    rows = [
        *_pairs("must-link", known.must_link, known.must_weight, labels, ensemble, ids),
        *_pairs("cannot-link", known.cannot_link, known.cannot_weight, labels, ensemble, ids),
        *_classes("known label", known.labels, known.classes, labels, ensemble),
        *_classes("group", known.groups, known.group_names, labels, ensemble),
    ]
    broken = known.violations(labels)
    rows.sort(key=lambda row: (row.holds, -row.cost))
    return KnownTable(
        rows=tuple(rows[:_ROWS]),
        n_statements=len(rows),
        n_broken=broken.count,
        n_broken_hard=broken.n_hard,
        broken_weight=broken.weight,
        mean_cost=float(np.mean([row.cost for row in rows])) if rows else 0.0,
    )


def _pairs(
    kind: str, pairs: np.ndarray, weights: np.ndarray, labels: np.ndarray, ensemble: Ensemble, ids: np.ndarray
) -> list[KnownRow]:
    if not len(pairs):
        return []
    evidence = CoAssociation(ensemble, form="operator").pairs(pairs[:, 0], pairs[:, 1])
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    wanted = kind == "must-link"
    cost = 1 - evidence if wanted else evidence
    return [
        KnownRow(kind, str(ids[i]), str(ids[j]), float(w), bool(t == wanted), float(c))
        for (i, j), w, t, c in zip(pairs.tolist(), weights, together, cost, strict=True)
    ]


def _classes(kind: str, codes: np.ndarray, names: np.ndarray, labels: np.ndarray, ensemble: Ensemble) -> list[KnownRow]:
    """A class is kept if its objects are in one cluster; it costs the mean evidence against its first object."""
    out = []
    evidence = CoAssociation(ensemble, form="operator")
    for code, name in enumerate(names.tolist()):
        members = np.flatnonzero(codes == code)
        cost = 1 - evidence.pairs(np.full(len(members) - 1, members[0]), members[1:]).mean() if len(members) > 1 else 0
        one_cluster = len(set(labels[members].tolist())) == 1
        own = not one_cluster or (kind == "group" or not _shared(codes, labels, members, code))
        size = f"{len(members):,} object{'s' if len(members) != 1 else ''}"
        out.append(KnownRow(kind, str(name), size, np.inf, bool(one_cluster and own), float(cost)))
    return out


def _shared(codes: np.ndarray, labels: np.ndarray, members: np.ndarray, code: int) -> bool:
    """Whether objects of another class are in the same cluster."""
    return bool(((labels == labels[members[0]]) & (codes >= 0) & (codes != code)).any())
