"""The protocol of the PPC paper (S+SSPR 2010): accuracies of PPC and of linkage on ensembles by four algorithms."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _data
from benchmarks._scores import accuracy
from benchmarks._session import Session
from benchmarks._worker import Task

METHODS = ("PPC", "SL", "AL", "CL")
BASE = ("E_SL", "E_AL", "E_CL", "E_KM")
LINKAGES = {"SL": "single", "AL": "average", "CL": "complete"}
N_CLUSTERS = {"iris": 3, "house_votes": 2, "breast_w": 2}

# The paper has bar charts only. These are single runs of its protocol, made before and apart from this library; iris
# and house_votes with 100 sub-samples for each algorithm and K, breast_w with 30.
REFERENCE = {
    "iris": {
        "E_SL": (0.660, 0.680, 0.680, 0.680),
        "E_AL": (0.907, 0.747, 0.747, 0.747),
        "E_CL": (0.847, 0.747, 0.840, 0.840),
        "E_KM": (0.900, 0.840, 0.893, 0.840),
        "E_All": (0.900, 0.747, 0.693, 0.747),
    },
    "house_votes": {
        "E_SL": (0.522, 0.530, 0.530, 0.530),
        "E_AL": (0.897, 0.530, 0.866, 0.909),
        "E_CL": (0.901, 0.530, 0.909, 0.909),
        "E_KM": (0.897, 0.530, 0.871, 0.772),
        "E_All": (0.897, 0.530, 0.530, 0.888),
    },
    "breast_w": {
        "E_SL": (0.659, 0.652, 0.652, 0.652),
        "E_AL": (0.950, 0.652, 0.944, 0.944),
        "E_CL": (0.956, 0.656, 0.912, 0.854),
        "E_KM": (0.968, 0.616, 0.952, 0.962),
        "E_All": (0.956, 0.652, 0.653, 0.663),
    },
}
REFERENCE_ENTROPY = {  # of breast_w: benign, malignant
    "E_SL": (0.001, 0.081),
    "E_AL": (0.014, 0.457),
    "E_CL": (0.039, 0.671),
    "E_KM": (0.725, 0.564),
    "E_All": (0.369, 0.806),
}


def ours(name: str, subsamples: int, seed: int, jobs: int) -> Task:
    from pluribus.consensus import EvidenceAccumulation, PairwiseProbabilistic
    from pluribus.evidence import CoAssociation
    from pluribus.generate import Generator, mix
    from pluribus.partitions import Ensemble

    X, y = _data.load(name)
    k = N_CLUSTERS[name]
    algorithms = [("agglomerative", LINKAGES["SL"]), ("agglomerative", LINKAGES["AL"])]
    algorithms += [("agglomerative", LINKAGES["CL"]), ("kmeans", "average")]

    def generated(clusterer: str, linkage: str, own_seed: int) -> Any:
        each_k = (
            Generator(clusterer, linkage=linkage, n_clusters=n_clusters, n_members=subsamples, subsample=0.9)
            for n_clusters in (*range(k, 11), 15, 20)
        )
        return mix(*each_k, random_state=own_seed, n_jobs=jobs).generate(X)

    def judged(ensemble: Any) -> dict[str, Any]:
        ppc = PairwiseProbabilistic(k, random_state=seed, n_jobs=jobs).fit(ensemble)
        evidence = CoAssociation(ensemble, form="dense", n_jobs=jobs)  # all pairs alike, as in the paper
        found: dict[str, Any] = {"PPC": accuracy(y, ppc.labels_)}
        for method, linkage in LINKAGES.items():
            found[method] = accuracy(y, EvidenceAccumulation(k, linkage=linkage).fit(evidence).labels_)
        found["entropy"] = {str(c): float(ppc.uncertainty_[y == c].mean()) for c in np.unique(y)}
        return found

    def work() -> dict[str, Any]:
        parts = [generated(*algorithm, 4 * seed + place) for place, algorithm in enumerate(algorithms)]
        ensembles = dict(zip(BASE, parts, strict=True)) | {"E_All": Ensemble.concat(parts)}
        return {title: judged(ensemble) for title, ensemble in ensembles.items()}

    return Task(work, lambda found: found)


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    subsamples, n_runs = (3, 1) if session.quick else (options.subsamples, 5)
    for name in N_CLUSTERS:
        if not _data.available(name):
            yield f"{name} is left out: its file is not here."
            continue
        runs = [
            session.measure(
                f"{name}, run {seed + 1} of {n_runs}", ours, repeat=1,
                name=name, subsamples=subsamples, seed=seed, jobs=session.jobs,
            )
            for seed in range(n_runs)
        ]  # fmt: skip
        if all(result.done for result in runs):
            yield from _shown(name, subsamples, [result.figures for result in runs])


def _shown(name: str, subsamples: int, runs: list[dict[str, Any]]) -> Iterator[Table | str]:
    title = f"{name}: accuracy, {subsamples} sub-samples for each algorithm and K, {len(runs)} runs; reference beside"
    table = Table("ensemble", title=title, title_justify="left")
    for method in METHODS:
        table.add_column(method, justify="right")
        table.add_column("ref.", justify="right", style="dim")
    mean: dict[tuple[str, str], float] = {}
    for ensemble, reference in REFERENCE[name].items():
        cells = []
        for method, theirs in zip(METHODS, reference, strict=True):
            found = np.array([run[ensemble][method] for run in runs])
            mean[ensemble, method] = found.mean()
            cells += [f"{found.mean():.3f} [{found.min():.3f}–{found.max():.3f}]", f"{theirs:.3f}"]
        table.add_row(ensemble, *cells)
    yield table
    best = max(mean[ensemble, "PPC"] for ensemble in BASE)
    yield (
        f"On E_All PPC reaches {mean['E_All', 'PPC']:.3f} (its best base ensemble: {best:.3f}), average link "
        f"{mean['E_All', 'AL']:.3f}."
    )
    if name == "breast_w":
        yield _entropies(runs)


def _entropies(runs: list[dict[str, Any]]) -> Table:
    table = Table("ensemble", title="breast_w: mean entropy of the memberships by class", title_justify="left")
    for column in ("benign", "malignant", "reference, benign", "malignant"):
        table.add_column(column, justify="right")
    for ensemble, reference in REFERENCE_ENTROPY.items():
        found = (np.mean([run[ensemble]["entropy"][c] for run in runs]) for c in ("benign", "malignant"))
        table.add_row(ensemble, *(f"{value:.3f}" for value in (*found, *reference)))
    return table
