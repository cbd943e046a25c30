"""How near our scores are to the published ones, and whether the methods stand in the same order."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchmarks.reproduce._published import TOLERANCE, Published


@dataclass(frozen=True)
class Reproduced:
    """A published table and our runs of it: for each row an array (runs, methods), NaN where a method was not run."""

    published: Published
    ours: dict[str, np.ndarray]

    @property
    def theirs_array(self) -> np.ndarray:
        """(rows, methods), NaN where nothing was published."""
        return np.array(list(self.published.theirs.values()), dtype=np.float64)

    @property
    def means(self) -> np.ndarray:
        """(rows, methods)"""
        return np.array([self.ours[row].mean(axis=0) for row in self.published.theirs])

    @property
    def spreads(self) -> np.ndarray:
        """Standard deviation over runs, (rows, methods)."""
        return np.array([self.ours[row].std(axis=0) for row in self.published.theirs])


@dataclass(frozen=True)
class Difference:
    """Of one method over the cells that both have."""

    method: str
    n_cells: int
    theirs: float
    ours: float
    signed: float
    absolute: float


def differences(tables: Sequence[Reproduced]) -> list[Difference]:
    """Ours minus theirs, by method, over all rows of tables with the same methods."""
    theirs = np.concatenate([table.theirs_array for table in tables])
    ours = np.concatenate([table.means for table in tables])
    found = []
    for column, method in enumerate(tables[0].published.methods):
        both = ~np.isnan(theirs[:, column]) & ~np.isnan(ours[:, column])
        if both.any():
            a, b = theirs[both, column], ours[both, column]
            found.append(
                Difference(
                    method, int(both.sum()), float(a.mean()), float(b.mean()), float((b - a).mean()),
                    float(np.abs(b - a).mean()),
                )
            )  # fmt: skip
    return found


def order_kept(tables: Sequence[Reproduced], tolerance: float = TOLERANCE) -> tuple[int, int]:
    """Of how many pairs of methods within a row the published order is also ours, and how many pairs there are.

    Pairs whose published scores differ by less than the tolerance are ties, and left out.
    """
    kept = total = 0
    for table in tables:
        methods = table.published.methods
        counted = [column for column, method in enumerate(methods) if method not in table.published.other_forms]
        for theirs, ours in zip(table.theirs_array, table.means, strict=True):
            for a, b in combinations(counted, 2):
                published, found = theirs[a] - theirs[b], ours[a] - ours[b]
                # Rounded, since 0.43 - 0.42 is a little less than 0.01; comparisons with NaN are false.
                if round(abs(published), 9) >= tolerance and not np.isnan(found):
                    total += 1
                    kept += bool(published * found > 0)
    return kept, total
