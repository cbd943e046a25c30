"""The packages people use today, called in an environment of their own (`make peers`). Nothing of ours is imported."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._ensembles import load
from benchmarks._scores import rand_score
from benchmarks._worker import Task

PYTHON = Path(__file__).resolve().parents[1] / ".venv-peers" / "bin" / "python"


def ensemble_clustering(ensemble: str, n_clusters: int, method: str) -> Task:
    """A solver of the package ``ensembleclustering``."""
    from ensembleclustering import cluster_ensembles

    labels, truth = load(ensemble)
    members = labels.T.astype(float)
    return Task(lambda: cluster_ensembles(members, n_clusters, solver=method, random_state=0), rand_score(truth))


def open_ensembles(ensemble: str, n_clusters: int, method: str) -> Task:
    """A way to finish of the package ``openensembles``; only its mixture model takes the number of clusters."""
    labels, truth = load(ensemble)
    members = _members(labels)
    finishes: dict[str, tuple[str, Callable[[], Any]]] = {
        "linkage": ("co_occ_linkage", lambda: members.finish_co_occ_linkage(0.5, linkage="average")),
        "majority vote": ("majority_vote", lambda: members.finish_majority_vote(0.5)),
        "graph closure": ("graph_closure", lambda: members.finish_graph_closure(0.5)),
        "mixture model": ("mixture_model", lambda: members.mixture_model(n_clusters, iterations=10)),
    }
    name, work = finishes[method]
    return Task(lambda: np.asarray(work().labels[name], dtype=np.int64).ravel(), rand_score(truth))


def _members(labels: np.ndarray) -> Any:
    """Given labels as the package's own object of clusterings."""
    import openensembles as oe
    import pandas as pd

    data = oe.data(pd.DataFrame(np.zeros((len(labels), 1))), [0])
    members = oe.cluster(data)
    for place, column in enumerate(labels.T.astype(np.int64)):
        name = f"member-{place}"
        members.labels[name] = column
        members.data_source[name] = "parent"
        members.params[name] = {}
        members.clusterNumbers[name] = np.unique(column)
        members.algorithms[name] = "given"
    return members
