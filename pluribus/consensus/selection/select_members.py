"""Selection and weights of the members of an ensemble by their agreement."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from pluribus._engine import is_one_of, track
from pluribus.compare import agreement_with_members
from pluribus.partitions import Ensemble, as_ensemble

_CRITERIA = ("quality", "diversity", "joint")


def select_members(ensemble: Any, n_members: int, *, criterion: str = "joint", verbose: bool = True) -> Ensemble:
    """The ensemble of its best members: those that agree with the others but are not all the same.

    Let S(i, j) be the normalized mutual information of members i and j, and w the weights. Members are selected one by
    one: first the one with the highest quality Σ_j w_j S(i, j), then the one with the highest

    - "quality": Σ_j w_j S(i, j), over all members j ≠ i;
    - "diversity": Σ_j w_j (1 - S(i, j)), over the members j selected so far;
    - "joint": twice the first plus the second; if both counted once, noise could rank with the last good member.

    Quality excludes poor members but selects near copies. Diversity does the opposite, and selects noise first. Joint
    selects from each of several families of members and still excludes noise. Start with joint.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
        Each two members must have an object in common.
    n_members : int
        The number of members to keep. Members of weight 0 are never selected.
    criterion : {"quality", "diversity", "joint"}
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    Ensemble
        The chosen members, in their order in the ensemble.

    References
    ----------
    Fern and Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 1, 2008 (their joint
    criterion, with alpha = 2/3).

    Examples
    --------
    >>> from pluribus.consensus import select_members
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 0, 1, 2, 2, 2], [0, 1, 0, 1, 0, 1]]
    >>> select_members(labels, 3).names
    ('p0', 'p1', 'p2')
    >>> select_members(labels, 2, criterion="diversity").names
    ('p0', 'p3')
    """
    ensemble = as_ensemble(ensemble)
    if not is_one_of(criterion, _CRITERIA):
        raise ValueError(f"criterion must be one of {', '.join(_CRITERIA)}; got {criterion!r}.")
    able = ensemble.weights > 0
    if not isinstance(n_members, Integral) or not 1 <= n_members <= able.sum():
        raise ValueError(
            f"n_members={n_members} must be a whole number between 1 and the {able.sum()} members that have a weight."
        )
    agreement = _agreement_matrix(ensemble, "normalized_mutual_information", verbose)
    quality = agreement @ ensemble.weights - agreement.diagonal() * ensemble.weights
    gain = np.where(able, 2 * quality, -np.inf)
    taken: list[int] = []
    for _ in range(n_members):
        taken.append(_first_of_the_best(gain))
        if len(taken) == 1 and criterion == "diversity":
            gain = np.where(able, 0.0, -np.inf)
        if criterion != "quality":
            gain += ensemble.weights[taken[-1]] * (1 - agreement[:, taken[-1]])
        gain[taken[-1]] = -np.inf
    return ensemble.take_partitions(sorted(taken))


def agreement_weights(
    ensemble: Any,
    index: str | Callable[[Any, Any], float] = "normalized_mutual_information",
    *,
    verbose: bool = True,
) -> Ensemble:
    """The ensemble with its members weighted by their agreement with the others.

    The weight of a member is multiplied by its mean agreement with all others. It becomes 0 if the agreement is below
    chance (a negative index). All consensus functions use the weights.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
        Each two members must have an object in common. A single member keeps its weight.
    index : name in ``pluribus.compare.INDICES``, "consistency", or a function of two label sequences
    verbose : bool
        Show progress (only on a terminal).

    Examples
    --------
    >>> from pluribus.consensus import agreement_weights
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 1, 0, 1, 0, 1]]
    >>> agreement_weights(labels).weights.round(2).tolist()
    [0.64, 0.64, 0.61, 0.11]
    """
    ensemble = as_ensemble(ensemble)
    if len(ensemble) == 1:
        return ensemble
    agreement = _agreement_matrix(ensemble, index, verbose)
    others = ensemble.weights.sum() - ensemble.weights
    total = agreement @ ensemble.weights - agreement.diagonal() * ensemble.weights
    mean = np.divide(total, others, out=np.ones_like(total), where=others > 0)
    weights = ensemble.weights * np.maximum(mean, 0)
    if not weights.any():
        raise ValueError("No member agrees with the others better than chance, so all weights would be 0.")
    return Ensemble(ensemble, weights=weights)


def _agreement_matrix(ensemble: Ensemble, index: Any, verbose: bool) -> np.ndarray:
    """The index of each member (rows) with each (columns)."""
    members = track(list(ensemble.labels.T), "comparing partitions", verbose=verbose)
    return np.array([agreement_with_members(member, ensemble, index) for member in members])


def _first_of_the_best(gain: np.ndarray) -> int:
    """The first position of the highest gain, up to rounding."""
    best = gain.max()
    return int(np.flatnonzero(gain >= best - 1e-9 * max(abs(best), 1))[0])
