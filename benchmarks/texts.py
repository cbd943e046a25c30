"""Texts by default, as tf-idf: at the true number of clusters, and at the number that is found."""

import warnings
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _data
from benchmarks._answers_sets import HALVES, load, score
from benchmarks._session import Session
from benchmarks._worker import Task

# Those of ``answers`` in its halves, and four more.
SETS = {
    "chosen on": ("text_re0", "text_tr41", "text_tr31", "text_classic3"),
    "held out": ("text_cstr", "text_fbis", "text_k1a", "text_wap"),
}
QUICK = ("text_tr31", "text_cstr")


def clustered(name: str) -> Task:
    """The adjusted Rand index of the ensemble alone and of the default, and the number that the default finds."""
    from pluribus import EnsembleClusterer

    X, y, k, keep = load(name)

    def found() -> dict[str, Any]:
        warnings.simplefilter("ignore")
        model = EnsembleClusterer(random_state=0, verbose=False, n_jobs=1)
        forms = {
            "alone": {"n_clusters": k, "candidates": None},
            "default": {"n_clusters": k, "candidates": "auto"},
            "found": {"n_clusters": None, "candidates": "auto"},
        }
        indices = {form: score(model.set_params(**how).fit(X).labels_, y, keep) for form, how in forms.items()}
        return indices | {"rows": len(y), "classes": k, "n_clusters": int(model.n_clusters_), "verdict": model.verdict_}

    return Task(found, lambda result: result)


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    table = Table(title="Adjusted Rand index on texts, seed 0")
    for column in ("set", "half", "rows", "classes", "true k: alone", "default", "k found", "default", "verdict"):
        table.add_column(column, justify="left" if column in ("set", "half", "verdict") else "right")
    for half in HALVES:
        here = [
            name
            for name in SETS[half]
            if (_data.FOLDER / f"{name}.npz").exists() and (name in QUICK or not session.quick)
        ]
        results = {name: session.measure(name, clustered, repeat=1, name=name) for name in here}
        done = {name: result.figures for name, result in results.items() if result.done}
        for name, f in done.items():
            cells = (f"{f['rows']:,}", str(f["classes"]), f"{f['alone']:.3f}", f"{f['default']:.3f}")
            table.add_row(name, half, *cells, str(f["n_clusters"]), f"{f['found']:.3f}", f["verdict"])
        if done:
            means = (f"{np.mean([f[form] for f in done.values()]):.3f}" for form in ("alone", "default", "found"))
            alone, default, found = means
            table.add_row("mean", half, "", "", alone, default, "", found, end_section=True)
    yield table
