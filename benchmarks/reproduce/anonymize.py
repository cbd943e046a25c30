"""k-anonymity: the information that is lost when iris, wine and breast cancer are published in groups of k rows.

The source (a chapter on clustering with constraints) prints no figures for this. What stands for them is a run of its
method made before and apart from this library: MDAV, then pivot movement, or the exact assignment (flow), with the same
number of groups. Ours are these three, and what ``Anonymizer`` publishes, from ten seeds. All columns have mean 0 and
variance 1; the score is the squared error within groups as a share of that of the table.
"""

import numpy as np

from benchmarks.reproduce._agreement import Reproduced
from benchmarks.reproduce._published import Published
from benchmarks.reproduce._show import Grid

PAPER = (
    "Tung, Han, Lakshmanan and Ng, Clustering with constraints, 2008; Domingo-Ferrer and Mateo-Sanz, TKDE 14(1), 2002."
)
TITLE = "Information loss"
NOTE = "Theirs is a run of the protocol apart from this library, and for Anonymizer that of the flow."
METHODS = ("MDAV", "MDAV + pivot", "MDAV + flow", "Anonymizer")
REFERENCE = {  # in percent
    "iris 3": (2.589, 2.589, 2.529),
    "iris 5": (6.049, 5.999, 4.245),
    "iris 10": (10.992, 10.731, 7.170),
    "wine 3": (16.312, 16.312, 16.312),
    "wine 5": (25.986, 25.584, 22.841),
    "wine 10": (38.985, 34.322, 33.261),
    "breast_cancer 3": (13.504, 13.460, 13.450),
    "breast_cancer 5": (20.353, 20.276, 19.554),
    "breast_cancer 10": (28.589, 27.976, 25.913),
}


def tables(quick: bool) -> list[Published]:
    """The table; the quick form leaves out breast cancer."""
    rows = {
        row: tuple(value / 100 for value in (*theirs, theirs[-1]))
        for row, theirs in REFERENCE.items()
        if not (quick and row.startswith("breast"))
    }
    return [Published(TITLE, "share", False, METHODS, rows, NOTE, other_forms=("Anonymizer",))]


def n_runs(quick: bool) -> int:
    """Of these, only Anonymizer and the random choice of pivots differ."""
    return 2 if quick else 10


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """One seed."""
    import pandas as pd
    from sklearn import datasets

    from pluribus.anonymize import Anonymizer
    from pluribus.anonymize._groups import error_of, reassign
    from pluribus.anonymize._mdav import mdav_groups
    from pluribus.constrained import AggregateConstrainedKMeans, AtLeast

    name, k = row.split()[0], int(row.split()[1])
    data = getattr(datasets, f"load_{name}")().data
    X = np.ascontiguousarray((data - data.mean(axis=0)) / data.std(axis=0))
    start = mdav_groups(X, k)
    n_groups = int(start.max()) + 1
    pivot = AggregateConstrainedKMeans(
        n_groups, [AtLeast(k)], solver="pivot", init=start, random_state=run, verbose=False
    ).fit(X)
    model = Anonymizer(k, random_state=run, verbose=False)
    model.fit_transform(pd.DataFrame(data))
    groups = {"MDAV": start, "MDAV + pivot": pivot.labels_, "MDAV + flow": reassign(X, start, k, 1e-10)}
    lost = {method: error_of(X, labels) / (X**2).sum() for method, labels in groups.items()}
    return lost | {"Anonymizer": model.information_loss_ / 100}


def summary(reproduced: list[Reproduced]) -> list[Grid]:
    """In percent, with all digits."""
    (table,) = reproduced
    n_runs = len(next(iter(table.ours.values())))
    rows = [
        (row, *(f"{100 * a:.3f} / {100 * b:.3f}" for a, b in zip(theirs, ours, strict=True)))
        for row, theirs, ours in zip(table.published.theirs, table.theirs_array, table.means, strict=True)
    ]
    title = f"Information lost in percent (less is better), theirs / ours, mean of {n_runs} runs; rows: table and k"
    return [Grid(title, ("", *METHODS), rows)]
