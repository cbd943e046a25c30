"""The files of a result: labels, ensemble, figures, the result itself, and the report."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd

from pluribus._engine import atomic_path
from pluribus.pipeline.clustering import RUNNING, Clustering

OF_ALL_METHODS = ("consensus.csv", "methods.csv")  # written only if several methods were compared


def write_results(result: Clustering, out: Path) -> dict[str, Path]:
    """Write the results: all are made under temporary names first, then moved to their own."""
    out.mkdir(parents=True, exist_ok=True)
    names = {"labels": "labels.csv", "ensemble": "ensemble.parquet", "figures": "model.json"}
    names |= {"model": "model.pluribus", "report": "report.html"}
    if result.methods is not None:
        names |= dict(zip(("all methods", "their table"), OF_ALL_METHODS, strict=True))
    with ExitStack() as moves:
        made = {name: moves.enter_context(atomic_path(out / file)) for name, file in names.items()}
        result.to_frame().to_csv(made["labels"], index=False, float_format="%.6g")
        result.ensemble.write(made["ensemble"])
        made["figures"].write_text(json.dumps(figures_of(result), indent=2, default=str) + "\n", encoding="utf-8")
        result.save(made["model"])
        result.report(made["report"])
        if result.methods is not None:
            _method_labels(result).to_csv(made["all methods"], index=False)
            result.methods.to_frame().to_csv(made["their table"], index=False, float_format="%.6g")
    return {name: out / file for name, file in names.items()}


def figures_of(result: Clustering) -> dict[str, Any]:
    """model.json: the figures of a result, and what they depend on."""
    clusters = result.clusters
    reason = {} if result.k_choice is None else {"k_reason": result.k_choice.sentence}
    return {
        "title": result.title,
        "method": result.method,
        "parameters": _stated(result),
        "seed": result.parameters.get("seed"),
        "versions": dict(result.versions),
        "figures": {
            "n_objects": len(result.labels),
            "n_partitions": len(result.ensemble),
            "n_clusters": result.n_clusters,
            "k_chosen_by": result.k_chosen_by,
            "cluster_sizes": clusters["size"].tolist(),
            "mean_uncertainty": round(float(result.uncertainty.mean()), 6),
            "seconds": round(result.seconds, 2),
            **reason,
        },
        "reasons": list(result.reasons),
        "notes": list(result.notes),
    }


def _stated(result: Clustering) -> dict[str, Any]:
    """The options that the result depends on."""
    kept = {name: value for name, value in result.parameters.items() if name not in RUNNING and value is not None}
    return {"data": result.title} | kept


def _method_labels(result: Clustering) -> pd.DataFrame:
    """consensus.csv: id, and the cluster of each object by each method."""
    runs = () if result.methods is None else result.methods.completed
    return pd.DataFrame({"id": result.ids} | {run.name: run.consensus.labels_ for run in runs})
