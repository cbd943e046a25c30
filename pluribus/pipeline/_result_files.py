"""The files of a result: labels, ensemble, figures, the result itself, and the report."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pluribus.pipeline.clustering import RUNNING, Clustering

OF_ALL_METHODS = ("consensus.csv", "methods.csv")  # written only if several methods are compared
RESULTS = ("labels.csv", "ensemble.parquet", "model.json", "model.pluribus", "report.html")


def write_results(result: Clustering, made: Mapping[str, Path]) -> None:
    """Write each file of the results to the path that its name has here."""
    result.to_frame().to_csv(made["labels.csv"], index=False, float_format="%.6g")
    result.ensemble.write(made["ensemble.parquet"])
    text = json.dumps(figures_of(result), indent=2, default=str) + "\n"
    made["model.json"].write_text(text, encoding="utf-8")
    result.save(made["model.pluribus"])
    result.report(made["report.html"])
    if result.methods is not None:
        labels, table = (made[name] for name in OF_ALL_METHODS)
        _method_labels(result).to_csv(labels, index=False)
        result.methods.to_frame().to_csv(table, index=False, float_format="%.6g")


def figures_of(result: Clustering) -> dict[str, Any]:
    """model.json: the figures of a result, and what they depend on."""
    clusters = result.clusters
    reason = {} if result.k_choice is None else {"k_reason": result.k_choice.sentence}
    return {
        "title": result.title,
        "headline": result.headline,
        "method": result.method,
        "parameters": _stated(result),
        "seed": result.parameters.get("seed"),
        "versions": dict(result.versions),
        "figures": {
            "n_objects": len(result.labels),
            "n_partitions": len(result.ensemble),
            "n_clusters": result.n_clusters,
            "k_chosen_by": result.k_chosen_by,
            "verdict": result.verdict or None,
            "levels": None if result.ladder is None else [rung.n_clusters for rung in result.ladder.rungs],
            "cluster_sizes": clusters["size"].tolist(),
            **_found_again(result),
            "mean_uncertainty": round(result.mean_uncertainty, 6),
            "seconds": round(result.seconds, 2),
            **reason,
        },
        "reasons": list(result.reasons),
        "notes": list(result.notes),
    }


def _found_again(result: Clustering) -> dict[str, list[float | None]]:
    """How well each cluster is found again, if that is known."""
    if result.reproducibility is None:
        return {}
    return {"reproducibility": [None if np.isnan(each) else round(float(each), 4) for each in result.reproducibility]}


def _stated(result: Clustering) -> dict[str, Any]:
    """The options that the result depends on."""
    kept = {name: value for name, value in result.parameters.items() if name not in RUNNING and value is not None}
    return {"data": result.title} | kept


def _method_labels(result: Clustering) -> pd.DataFrame:
    """consensus.csv: id, and the cluster of each object by each method."""
    runs = () if result.methods is None else result.methods.completed
    return pd.DataFrame({"id": result.ids} | {run.name: run.consensus.labels_ for run in runs})
