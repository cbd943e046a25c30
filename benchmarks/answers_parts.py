"""What each part of ``EnsembleClusterer()`` adds: left out one at a time, on the small sets that it was chosen on."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks import _answers_sets
from benchmarks._session import Session
from benchmarks._worker import Task

N_SEEDS = 3
QUICK = ("moons", "iris")
WHOLE = "all of it"
# What is other than by default: of the generator, and of the consensus function; X: whether this sees the features.
VARIANTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    WHOLE: ({}, {}),
    "merges by average link, not chosen": ({}, {"extraction": "linkage"}),
    "each cluster counts alike, not by the others' view of it": ({}, {"theta": 1e6}),
    "far groups merge by faint evidence, not by distance": ({}, {"X": False}),
    "all features for each member": ({"subspace": 1.0}, {}),
    "20 members": ({"n_members": 20}, {}),
    "members by k-means, as many and as fine": ({"clusterer": "kmeans"}, {}),
    "members by k-means, 100 and finer": (
        {"clusterer": "kmeans", "n_members": 100, "n_clusters": "auto", "subspace": 1.0},
        {},
    ),
    "members about as coarse as the result (k to 3 k)": ({"n_clusters": "k"}, {}),
}


def score(name: str, n_seeds: int) -> Task:
    """Adjusted Rand index of each variant at the true number of clusters, and at the number found, by seed."""
    import warnings

    from pluribus.consensus import LocallyWeightedConsensus
    from pluribus.pipeline import default_generator

    data = _answers_sets.load(name)
    warnings.simplefilter("ignore")  # of members with fewer clusters than asked for

    def one(variant: str, seed: int) -> list[float]:
        own, how = VARIANTS[variant]
        own = own | ({"n_clusters": (data.k, 3 * data.k)} if own.get("n_clusters") == "k" else {})
        generator = default_generator("lwsm", data.k, shape=data.X.shape)
        ensemble = generator.set_params(**own, random_state=seed, n_jobs=1, verbose=False).generate(data.X)
        features = {"X": data.X} if how.get("X", True) else {}
        options = {"extraction": "stable"} | {key: value for key, value in how.items() if key != "X"}
        fits = (
            LocallyWeightedConsensus(k, random_state=seed, verbose=False, **options).fit(ensemble, **features)
            for k in (data.k, None)
        )
        return [_answers_sets.score(fitted.labels_, data.y, data.keep) for fitted in fits]

    def work() -> dict[str, list[list[float]]]:
        return {variant: [one(variant, seed) for seed in range(n_seeds)] for variant in VARIANTS}

    return Task(work, lambda found: found)


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    names = [name for kind in ("shapes", "tables") for name in _answers_sets.sets("chosen on", kind)]
    names = [name for name in names if not session.quick or name in QUICK]
    n_seeds = 1 if session.quick else N_SEEDS
    results = [session.measure(name, score, repeat=1, name=name, n_seeds=n_seeds) for name in names]
    done = [result for result in results if result.done]
    if not done:
        return
    title = f"Mean adjusted Rand index, {len(done)} sets, {n_seeds} seeds"
    table = Table("what is other than by default", title=title, title_justify="left")
    for column in ("true k", "less", "spread", "automatic k", "less"):
        table.add_column(column, justify="right")
    means = {variant: np.array([np.mean(r.figures[variant], axis=0) for r in done]) for variant in VARIANTS}
    for variant, scores in means.items():
        gaps = means[WHOLE] - scores
        spread = gaps[:, 0].std() / np.sqrt(len(gaps))  # of the mean gap, from set to set
        (known, found), (less, less_found) = scores.mean(axis=0), gaps.mean(axis=0)
        beside = ("", "", "") if variant == WHOLE else (f"{less:.3f}", f"± {spread:.3f}", f"{less_found:.3f}")
        table.add_row(variant, f"{known:.3f}", *beside[:2], f"{found:.3f}", beside[2])
    yield table
