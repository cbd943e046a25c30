"""LiftEMD of the lifted consensus (LiftKm, LiftHAC) and of CSPA, HGPA and MCLA to the classes.

The partitions and their consensus are those of ``lift``. The source does not name the width of its kernel, and LiftEMD
depends on it: ours are at the median distance, and at the limit of a narrow kernel (discrete), where it is about as
large as it can be. Kernels are exact, with 4,000 random features on MNIST, as in the source.
"""

import numpy as np

from benchmarks.reproduce import lift
from benchmarks.reproduce._published import Published, present

PAPER = (
    "Raman, Phillips and Venkatasubramanian, Spatially-aware comparison and consensus for clusterings, SDM 2011, "
    "table 4."
)
NARROW = ", narrow kernel"
METHODS = (*lift.METHODS, *(f"{method}{NARROW}" for method in lift.METHODS[:5]))

# By data set: LiftEMD of CSPA, HGPA, MCLA, LiftKm and LiftHAC.
THEIRS: dict[str, tuple[float | None, ...]] = {
    "iris": (0.113, 0.295, 0.812, 0.106, 0.210),
    "glass": (0.573, 0.519, 0.731, 0.531, 0.540),
    "ionosphere": (0.729, 0.767, 0.993, 0.731, 0.720),
    "soybean_small": (0.510, 0.495, 0.951, 0.277, 0.290),
    "wine": (0.873, 0.875, 0.917, 0.831, 0.842),
    "mnist_test": (0.182, None, 0.344, 0.106, 0.112),
}
_TITLE = "Table 4"


def tables(quick: bool) -> list[Published]:
    """Table 4; the quick form leaves out MNIST."""
    rows = {
        name: (*values, *values[3:], *values) for name, values in THEIRS.items() if not (quick and name == "mnist_test")
    }
    table = Published(_TITLE, "LiftEMD", False, METHODS, rows, other_forms=METHODS[5:])
    return present([table], lambda table, row: row)


def n_runs(quick: bool) -> int:
    """As many as for the table of the same partitions."""
    return lift.n_runs(quick)


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """LiftEMD of each consensus to the classes, all in one space."""
    from pluribus.compare import distance_matrix

    X, y, found = lift.consensuses(row, run)
    partitions = [np.asarray(y), *found.values()]
    n_features = 4000 if row == "mnist_test" else "exact"
    wide = distance_matrix(partitions, "lift_emd", X, n_features=n_features, verbose=False)[0, 1:]
    narrow = distance_matrix(partitions, "lift_emd", kernel="discrete", verbose=False)[0, 1:]
    at_median = dict(zip(found, wide.tolist(), strict=True))
    at_limit = {f"{method}{NARROW}": value for method, value in zip(found, narrow.tolist(), strict=True)}
    return {method: value for method, value in (at_median | at_limit).items() if method in METHODS}
