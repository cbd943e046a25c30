"""The correspondence of two given partitions."""

from typing import Any

import numpy as np

from pluribus._engine import plain_array
from pluribus.consensus.soft._correspondence_fit import CorrespondenceFit, Penalty, simplex_step
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import check_membership, encode_labels

_TOL, _MAX_ITER = 1e-12, 100_000


def correspondence(source: Any, target: Any) -> np.ndarray:
    """The correspondence of the clusters of one partition to those of another.

    It is the S with rows on the simplex that minimizes ‖M - A S‖², with A and M the memberships of the objects in
    ``source`` and ``target``. For a hard source it is the contingency table with rows divided by their sums.

    Parameters
    ----------
    source, target : labels (n,) or memberships (n, k)
        Labels are any hashables; clusters are in the order of their first occurrence. Objects without a label in either
        do not count.

    Returns
    -------
    ndarray of shape (clusters of source, clusters of target)
        A cluster of ``source`` without any object in ``target`` corresponds equally to all.

    Examples
    --------
    >>> from pluribus.consensus import correspondence
    >>> correspondence([0, 0, 0, 0, 1, 1], ["a", "a", "b", "b", "c", "c"])
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """
    A, M = _membership_of(source, "source"), _membership_of(target, "target")
    if len(A) != len(M):
        raise ValueError(f"source and target must describe the same objects; got {len(A)} and {len(M)}.")
    both = A.any(axis=1) & M.any(axis=1)
    if not both.any():
        raise ValueError("source and target have no object in common, so their clusters cannot correspond.")
    A, M = A[both], M[both]
    fit = CorrespondenceFit(Ensemble.from_memberships([A]), uniform=False)
    cross = fit.cross(M)
    S = fit.averaged(cross)
    none = Penalty(np.zeros(1), np.zeros(1))
    hard = bool((A.max(axis=1) == 1).all())
    for _ in range(0 if hard else _MAX_ITER):
        last, S = S, simplex_step(fit, cross, S, none)
        if np.abs(S - last).max() < _TOL:
            break
    return np.where(fit.present, S, 1 / M.shape[1])


def _membership_of(partition: Any, name: str) -> np.ndarray:
    """Labels or memberships as memberships."""
    if plain_array(name, partition).ndim == 2:
        return check_membership(partition, name)
    codes, classes = encode_labels(partition, name)
    return (codes[:, None] == np.arange(len(classes))).astype(float)
