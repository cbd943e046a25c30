"""Another partition than a known one, on generated families: the choice among methods, and each method alone.

The rule of the choice was made on the families of the design half, and is checked on the others.
"""

import warnings
from argparse import Namespace
from collections.abc import Iterator

import numpy as np
from rich.table import Table

from benchmarks._alternative_families import CHECK, DESIGN, drawn
from benchmarks._session import Session
from benchmarks._worker import Task

SEEDS = 4
HALVES = {"check": CHECK, "design": DESIGN}
CHOSEN, HIGHEST = "chosen", "best of them"


def agreements(name: str, seeds: int) -> Task:
    """For each set of a family: the adjusted Rand index of each candidate, of the chosen one and of the best."""
    from sklearn.metrics import adjusted_rand_score

    from pluribus.alternative import BestAlternative

    def found() -> list[dict[str, float]]:
        warnings.simplefilter("ignore")
        return [of_set(seed) for seed in range(seeds)]

    def of_set(seed: int) -> dict[str, float]:
        X, known, wanted = drawn(name, seed)
        model = BestAlternative(len(np.unique(wanted)), random_state=seed, verbose=False).fit(X, known=known)
        index = {title: float(adjusted_rand_score(wanted, own)) for title, own in model.candidates_.items()}
        return index | {CHOSEN: index[model.best_method_], HIGHEST: max(index.values())}

    return Task(found, lambda result: {"sets": result})


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    for half, families in HALVES.items():
        names, seeds = list(families)[: 2 if session.quick else None], 1 if session.quick else SEEDS
        results = {name: session.measure(name, agreements, repeat=1, name=name, seeds=seeds) for name in names}
        means = {name: mean(result.figures["sets"]) for name, result in results.items() if result.done}
        yield table(f"Adjusted Rand index, {half} half, {seeds} sets of each family", means)
        yield from sentences(half, means)


def mean(sets: list[dict[str, float]]) -> dict[str, float]:
    """The mean index of each method that ran on all sets."""
    return {title: float(np.mean([one[title] for one in sets])) for title in sets[0] if all(title in s for s in sets)}


def gain(means: dict[str, dict[str, float]], over: str) -> str:
    """Of the choice over one method: the mean over families that have it, and its standard error."""
    difference = np.array([one[CHOSEN] - one[over] for one in means.values() if over in one])
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return f"{difference.mean():+.3f} ± {error:.3f}"


def table(title: str, means: dict[str, dict[str, float]]) -> Table:
    columns = sorted(dict.fromkeys(name for one in means.values() for name in one), key=(CHOSEN, HIGHEST).__contains__)
    shown = Table("family", title=title)
    for column in columns:
        shown.add_column(column, justify="right")
    for family, one in means.items():
        shown.add_row(family, *(f"{one[column]:.3f}" if column in one else "–" for column in columns))
    return shown


def sentences(half: str, means: dict[str, dict[str, float]]) -> Iterator[str]:
    titles = dict.fromkeys(name for one in means.values() for name in one if name != CHOSEN)
    gains = ", ".join(f"{name} {gain(means, name)}" for name in titles)
    yield f"{half}: gain of the choice over each method, mean of the families and its standard error: {gains}."
