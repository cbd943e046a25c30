"""The best of the partition of an ensemble and simpler ones, with memberships that mean what they say."""

from typing import Any

import numpy as np

from pluribus.consensus._internal import normalize_rows
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy
from pluribus.pipeline._partition import Partition
from pluribus.pipeline.candidates._choice import Choice, choose
from pluribus.pipeline.candidates._memberships import calibrated
from pluribus.pipeline.candidates._pool import MOST_OBJECTS, make_candidates

_MOST_CLUSTERS = 20  # up to which candidates were measured


def best_candidate(
    consensus: Any, ensemble: Ensemble, X: Any, seed: int, n_jobs: int | None
) -> tuple[Partition, Choice] | None:
    """The best of the partition of the ensemble and simpler ones; None where candidates do not apply.

    They need the merges of "lwsm", features in memory, at most 20,000 objects and 2 to 20 clusters.
    """
    merges = getattr(consensus, "last_merges_", None)
    k = consensus.n_clusters_
    if merges is None or not isinstance(X, np.ndarray) or len(X) > MOST_OBJECTS or k > _MOST_CLUSTERS:
        return None
    pool = make_candidates(X, consensus.labels_, dict(merges.partitions), k, seed, n_jobs)
    if pool is None:
        return None
    choice = choose(pool, X)
    labels = pool.labels[choice.chosen].astype(np.int64)
    weights = np.concatenate(consensus.cluster_weights_) * np.repeat(ensemble.weights, ensemble.n_clusters)
    evidence = mean_evidence(ensemble, labels, k, cluster_weights=weights, n_jobs=n_jobs)
    membership = calibrated(normalize_rows(evidence), pool, choice)
    return Partition(labels, membership, normalized_entropy(membership), k), choice
