"""From a fitted consensus function to the answer: whether there are clusters, how many, and which partition."""

from typing import Any, NamedTuple

import numpy as np

from pluribus.partitions import Ensemble
from pluribus.pipeline._partition import Partition
from pluribus.pipeline._structure import structure_of
from pluribus.pipeline.candidates.best_candidate import Choice, Levels, best_candidate, levels_of
from pluribus.pipeline.candidates.k_ladder import KLadder, climb
from pluribus.validate import Structure


class Answer(NamedTuple):
    """A partition, and what led to it; None where that was not asked."""

    partition: Partition
    structure: Structure | None
    ladder: KLadder | None
    choice: Choice | None
    reproducibility: np.ndarray | None
    levels: Levels | None


def find_answer(
    consensus: Any,
    ensemble: Ensemble,
    X: Any,
    *,
    finds_k: bool,
    may_be_one: bool,
    with_candidates: bool,
    seeds: tuple[int, int],
    n_jobs: int | None,
) -> Answer:
    """The partition of a consensus function, a better candidate, another number of clusters, or one group.

    Parameters
    ----------
    consensus : a fitted consensus function
    ensemble : Ensemble
    X : array, csr matrix or Rows
    finds_k : bool
        Whether the number of clusters is to be found; else it is that of the consensus function.
    may_be_one : bool
        Whether all objects are one cluster if there is no evidence of more.
    with_candidates : bool
        Whether simpler partitions compete.
    seeds : two int
        For the tests of structure, and for candidates.
    n_jobs : int, optional
    """
    structure_seed, candidate_seed = seeds
    levels = levels_of(consensus, ensemble, X, candidate_seed, n_jobs) if with_candidates else None
    structure = structure_of(consensus, X, levels, with_candidates=finds_k, seed=structure_seed, n_jobs=n_jobs)
    k_stability = getattr(consensus, "k_stability_", None)
    ladder = climb(levels, structure, k_stability, n_jobs) if levels is not None and finds_k else None
    partition, k = Partition.of(consensus), consensus.n_clusters_
    if may_be_one and finds_k and structure is not None and structure.verdict == "none":
        return Answer(Partition.one_group(len(partition.labels_)), structure, ladder, None, None, levels)
    if ladder is not None:
        k = ladder.preferred
    if levels is None or k < 2:
        return Answer(partition, structure, ladder, None, None, levels)
    best = best_candidate(consensus, levels, k, candidate_seed, n_jobs)
    if best is None:
        return Answer(partition, structure, None, None, None, levels)
    if ladder is not None:
        ladder = ladder.with_labels(k, best.partition.labels_)
    return Answer(best.partition, structure, ladder, best.choice, best.reproducibility, levels)
