"""How well each cluster is found again in other samples."""

from collections.abc import Iterator

import numpy as np

from pluribus.partitions._internal import contingency_of_codes, encode_labels
from pluribus.pipeline.candidates._levels import Levels
from pluribus.pipeline.candidates._pool import OWN, make_one

_SAMPLES = 10  # each of half of the objects


def found_again(levels: Levels, name: str, own_rule: str, labels: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    """The mean Jaccard index of each cluster with the cluster most like it in other samples, (k,).

    A candidate from the ensemble is made again from halves of the members; another one from halves of the objects.

    Parameters
    ----------
    levels : Levels
        Its sample of the objects is looked at.
    name : str
        The candidate.
    own_rule : str
        The rule of merging behind the candidate "own".
    labels : array of shape (m,)
        Of the objects in the sample.
    n_clusters : int
    seed : int
    """
    total, seen = np.zeros(n_clusters), np.zeros(n_clusters)
    for objects, again in _again(levels, own_rule if name == OWN else name, n_clusters, seed):
        found, present = _jaccard(labels[objects], again, n_clusters)
        total += found
        seen += present
    return np.divide(total, seen, out=np.full(n_clusters, np.nan), where=seen > 0)


def _again(levels: Levels, name: str, n_clusters: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Objects and their labels, for each sample."""
    everyone = np.arange(len(levels.places))
    if name in levels.groups.merged(2):
        for both in levels.groups.by_halves(n_clusters, name):
            yield from ((everyone, half[levels.places]) for half in both)
        return
    assert levels.ground is not None  # there is a candidate
    rng = np.random.default_rng(seed)
    for number in range(_SAMPLES):
        objects = np.sort(rng.choice(everyone, len(everyone) // 2, replace=False))
        again = make_one(np.ascontiguousarray(levels.ground.X[objects]), name, n_clusters, seed + number)
        if again is not None:
            yield objects, again


def _jaccard(labels: np.ndarray, again: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """The highest Jaccard index of each cluster with one of another partition, and whether the cluster is there."""
    coded, values = encode_labels(again)[:2]
    table = contingency_of_codes(labels.astype(np.int64), coded, n_clusters, len(values)).astype(np.float64)
    union = table.sum(axis=1, keepdims=True) + table.sum(axis=0) - table
    return np.divide(table, union, out=np.zeros_like(table), where=union > 0).max(axis=1), table.sum(axis=1) > 0
