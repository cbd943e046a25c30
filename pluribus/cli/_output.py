"""What the commands share after the work: the four result files, and the summary on the terminal."""

import json
import platform
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
import scipy
import sklearn
from rich.console import Console
from rich.table import Table as Grid

import pluribus
from pluribus._engine import atomic_path
from pluribus.consensus import MedoidPartition
from pluribus.partitions import Ensemble
from pluribus.pipeline import Plan
from pluribus.report import Case, write_report

MOST_MEMBERSHIPS = 50  # columns in labels.csv
PLAN_FROM = 50_000  # objects: for fewer, nobody has to know
OF_ALL_METHODS = ("consensus.csv", "methods.csv")  # written only if several methods were compared


@dataclass(frozen=True)
class Written:
    """The files of a finished job; the last two if several methods were compared."""

    labels: Path
    ensemble: Path
    model: Path
    report: Path
    consensus: Path | None = None
    methods: Path | None = None


def versions() -> dict[str, str]:
    """The versions that a result depends on."""
    return {
        "pluribus": pluribus.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "numba": numba.__version__,
    }


def case_of(consensus: Any, ensemble: Ensemble, *, k: int | None, **rest: Any) -> Case:
    """The case for the report, from a fitted consensus function."""
    return Case(
        ensemble=ensemble,
        labels=consensus.labels_,
        membership=consensus.membership_,
        uncertainty=consensus.uncertainty_,
        linkage=getattr(consensus, "linkage_", None),
        lifetimes=_lifetimes(consensus),
        method=type(consensus).__name__,
        k_chosen_by="given" if k is not None else _found_by(consensus),
        versions=versions(),
        **rest,
    )


def _lifetimes(consensus: Any) -> np.ndarray | None:
    """What speaks for each number of clusters, at its index."""
    if hasattr(consensus, "reproduced_"):
        return np.append([0.0, 0.0], consensus.reproduced_.scores)
    return getattr(consensus, "lifetimes_", None)


def _found_by(consensus: Any) -> str:
    if isinstance(consensus, MedoidPartition) and consensus.n_clusters is None:
        return "that of the partition nearest to all others"
    if hasattr(consensus, "reproduced_"):
        return "longest lifetime in the evidence that halves of the ensemble find again"
    by = "highest lifetime in the evidence"
    if getattr(consensus, "lifetime_scale", "share") == "log":
        by += " by factors"
    k_range = getattr(consensus, "k_range", None)
    return by if k_range is None else f"{by}, among {k_range[0]} to {k_range[1]} clusters"


def say_warnings(console: Console, caught: list[warnings.WarningMessage]) -> list[str]:
    """Print what was warned of during the work, and return it for the report; what to say in Python is left out."""
    texts = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    return say(console, [text.removesuffix(" Say evidence='operator' for all pairs.") for text in texts])


def say(console: Console, notes: list[str]) -> list[str]:
    """Print notes, and return them for the report."""
    for text in notes:
        console.print(f"  Note: {text}", markup=False, highlight=False)
    return notes


def say_plan(console: Console, plan: Plan, n_objects: int, *, asked: bool) -> list[str]:
    """Print what a job takes of memory and why, if it is large or the limit was given; and return it for the report."""
    if n_objects < PLAN_FROM and not asked:
        return []
    for sentence in plan.sentences:
        console.print(f"  {sentence}", markup=False, highlight=False)
    return list(plan.sentences)


def write(case: Case, out: Path, figures: Mapping[str, Any]) -> Written:
    """Write the results: all are made under temporary names first, then moved to their own."""
    written = Written(out / "labels.csv", out / "ensemble.parquet", out / "model.json", out / "report.html")
    with ExitStack() as moves:

        def made(path: Path) -> Path:
            return moves.enter_context(atomic_path(path))

        label_frame(case).to_csv(made(written.labels), index=False, float_format="%.6g")
        case.ensemble.write(made(written.ensemble))
        model = json.dumps(_model(case, figures), indent=2, default=_plain) + "\n"
        made(written.model).write_text(model, encoding="utf-8")
        write_report(case, made(written.report))
        if case.methods is not None:
            consensus, methods = (out / name for name in OF_ALL_METHODS)
            written = replace(written, consensus=consensus, methods=methods)
            method_labels(case).to_csv(made(consensus), index=False)
            case.methods.to_frame().to_csv(made(methods), index=False, float_format="%.6g")
    return written


def label_frame(case: Case) -> pd.DataFrame:
    """labels.csv: id, cluster, uncertainty, membership in its cluster, and in each (up to 50 clusters)."""
    own = np.where(case.labels >= 0, case.membership[np.arange(len(case.labels)), case.labels], np.nan)
    columns = {"id": case.ids, "cluster": case.labels, "uncertainty": case.uncertainty, "membership": own}
    if case.membership.shape[1] <= MOST_MEMBERSHIPS:
        columns |= {f"membership_{j}": column for j, column in enumerate(case.membership.T)}
    return pd.DataFrame(columns)


def method_labels(case: Case) -> pd.DataFrame:
    """consensus.csv: id, and the cluster of each object by each method."""
    runs = case.methods.completed if case.methods is not None else ()
    return pd.DataFrame({"id": case.ids} | {run.name: run.consensus.labels_ for run in runs})


def _model(case: Case, figures: Mapping[str, Any]) -> dict[str, Any]:
    sizes = np.bincount(case.labels[case.labels >= 0], minlength=case.n_clusters)
    return {
        "title": case.title,
        "method": case.method,
        "parameters": dict(case.parameters),
        "seed": case.seed,
        "versions": dict(case.versions),
        "figures": {
            "n_objects": case.ensemble.n_objects,
            "n_partitions": case.ensemble.n_partitions,
            "n_clusters": case.n_clusters,
            "k_chosen_by": case.k_chosen_by,
            "cluster_sizes": sizes.tolist(),
            "mean_uncertainty": round(float(case.uncertainty.mean()), 6),
            **figures,
        },
        "notes": list(case.notes),
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def summarize(console: Console, case: Case, written: Written) -> None:
    """The result in a few lines."""
    grid = Grid(title=f"{case.n_clusters} clusters of {len(case.labels):,} objects", title_justify="left")
    for name in ("cluster", "objects", "share", "mean uncertainty"):
        grid.add_column(name, justify="right")
    for cluster in range(min(case.n_clusters, 15)):
        inside = case.labels == cluster
        grid.add_row(
            str(cluster), f"{inside.sum():,}", f"{inside.mean():.1%}", f"{case.uncertainty[inside].mean():.2f}"
        )
    console.print(grid)
    if case.n_clusters > 15:
        console.print(f"… and {case.n_clusters - 15} smaller clusters.")
    files = {"all methods": written.consensus, "their table": written.methods} if written.methods else {}
    for name, path in ({"labels": written.labels, "report": written.report} | files).items():
        console.print(f"{name}: {path}", soft_wrap=True, highlight=False, markup=False)
    earlier = [name for name in OF_ALL_METHODS if (written.labels.parent / name).exists()]
    if written.methods is None and earlier:
        text = f"  Note: {' and '.join(earlier)} in the same directory: not of this run, but of an earlier one."
        console.print(text, soft_wrap=True, highlight=False, markup=False)
