"""The best of the partition of an ensemble and simpler ones, with memberships that mean what they say."""

from typing import Any, NamedTuple

import numpy as np

from pluribus.consensus._internal import extend_labels, normalize_rows
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy
from pluribus.pipeline._partition import Partition
from pluribus.pipeline.candidates._choice import Choice, choose
from pluribus.pipeline.candidates._found_again import found_again
from pluribus.pipeline.candidates._levels import Levels, linked_features
from pluribus.pipeline.candidates._memberships import calibrated, votes
from pluribus.pipeline.candidates._pool import OWN, THOROUGH, make_candidates, survey

__all__ = ["Best", "Choice", "Levels", "best_candidate", "levels_of"]


class Best(NamedTuple):
    """A partition of all objects, the choice behind it, and how well each of its clusters is found again."""

    partition: Partition
    choice: Choice
    reproducibility: np.ndarray


def levels_of(consensus: Any, ensemble: Ensemble, X: Any, seed: int, n_jobs: int | None) -> Levels | None:
    """What candidates are made from; None where there are none: without last merges."""
    features = linked_features(consensus, X, seed)
    return None if features is None else Levels(consensus, ensemble, features, seed, n_jobs)


def best_candidate(consensus: Any, levels: Levels, k: int, seed: int, n_jobs: int | None) -> Best | None:
    """The best of the partition of the ensemble and simpler ones, all into k clusters; None if there are no two.

    All linked objects are looked at. Others join the cluster for which they have the most evidence.
    """
    merges = consensus.last_merges_ if consensus.n_clusters_ == k else levels.groups.merge(k)
    ground = levels.ground if levels.whole else survey(levels.features, seed, n_jobs)
    if ground is None or levels.ground is None or not merges.partitions:
        return None
    given = {OWN: merges.labels, **dict(merges.partitions)}
    pool = make_candidates(ground, given, k, effort=THOROUGH, seed=seed, n_jobs=n_jobs)
    if pool is None:
        return None
    choice = choose(pool)
    linked = pool.labels[choice.chosen].astype(np.int64)
    voters = np.flatnonzero(np.array(pool.names) != OWN)  # it is one of the merges
    how: dict[str, Any] = {"cluster_weights": levels.cluster_weights, "n_jobs": n_jobs}
    labels = extend_labels(levels.ensemble, consensus.linked_, linked, k, **how)
    evidence = normalize_rows(mean_evidence(levels.ensemble, labels, k, **how))
    membership = calibrated(evidence, labels, consensus.linked_, votes(linked, pool.labels[voters]))
    again = found_again(levels, choice.name, merges.rule, linked[levels.places], k, seed)
    return Best(Partition(labels, membership, normalized_entropy(membership), k), choice, again)
