"""Selection among candidate partitions, without knowing the truth."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pluribus._engine import is_one_of
from pluribus.compare import agreement_with_members
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import encode_labels

_LARGEST = ("consistency", "normalized_mutual_information")
_MEDIAN = ("div1", "div3")


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen candidate, and the scores. See :func:`pluribus.consensus.select`.

    Attributes
    ----------
    index : int
        The chosen candidate.
    criterion : str
    scores : ndarray
        The criterion for each candidate.
    table : data frame
        A row for each candidate, with all criteria:

        - ``n_clusters``
        - ``consistency``: average cluster consistency, ACC; it is at most ``balance``, and about
          ``refinement × balance``
        - ``balance``: 1 - Σ p² of the cluster sizes of the candidate, which is the consistency with a member that
          refines it
        - ``refinement``: consistency relative to this maximum, 1 if all members refine the candidate. It is not a
          criterion by itself: one huge cluster has a high value
        - ``normalized_mutual_information``: ANMI
        - ``div1``: mean of d = 1 - adjusted Rand index with the members; ``div2``: standard deviation of d;
          ``div3``: (1 - div1 + div2) / 2; ``div4``: div2 / div1

    Examples
    --------
    >>> from pluribus.consensus import select
    >>> selection = select([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]], [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
    >>> selection.index, selection.scores.round(3).tolist()
    (0, [0.458, 0.292])
    """

    index: int
    criterion: str
    scores: np.ndarray
    table: pd.DataFrame


def select(
    candidates: Any,
    ensemble: Any,
    *,
    criterion: str = "consistency",
    missing: Literal["error", "ignore"] = "error",
) -> Selection:
    """Choose among partitions by their agreement with the ensemble they come from.

    Average cluster consistency (ACC) measures whether the clusters of the members lie inside those of the candidate;
    members that only split its clusters are fully consistent. It favors clusters of equal size, and more clusters. Use
    it for candidates with the same number of clusters, from members with at least as many, if you do not expect
    clusters of very different sizes.

    Parameters
    ----------
    candidates : list of label sequences, n × m labels, or Ensemble
    ensemble : Ensemble, labels that can be one, or a list with an ``Ensemble`` for each candidate
        Candidates from different ensembles are scored against their own; their scores are only roughly comparable.
    criterion : {"consistency", "normalized_mutual_information", "div1", "div3"}
        The candidate with the highest value is chosen; for the two measures of diversity the one at the median (the
        lower median), as in their source.
    missing : {"error", "ignore"}
        Refuse candidates with objects in no cluster, or ignore these objects.

    Returns
    -------
    Selection

    References
    ----------
    Duarte, Duarte, Fred and Rodrigues, "Average cluster consistency for cluster ensemble selection", IC3K 2009.
    Hadjitodorov, Kuncheva and Todorova, "Moderate diversity for better cluster ensembles", Information Fusion 7, 2006.

    Examples
    --------
    >>> from pluribus.consensus import select
    >>> members = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> selection = select([[0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]], members)
    >>> selection.index
    1
    >>> selection.table[["n_clusters", "consistency", "balance", "refinement"]].round(3)
       n_clusters  consistency  balance  refinement
    0           2        0.407    0.444       0.917
    1           2        0.472    0.500       0.944
    2           2        0.306    0.500       0.611
    """
    if not is_one_of(criterion, (*_LARGEST, *_MEDIAN)):
        raise ValueError(f"criterion must be one of {', '.join((*_LARGEST, *_MEDIAN))}; got {criterion!r}.")
    if not is_one_of(missing, ("error", "ignore")):
        raise ValueError(f"missing must be 'error' or 'ignore'; got {missing!r}.")
    partitions = _partitions_of(candidates, missing)
    ensembles = _ensemble_of_each(ensemble, len(partitions))
    for i, (labels, members) in enumerate(zip(partitions, ensembles, strict=True)):
        if len(labels) != members.n_objects:
            raise ValueError(f"Candidate {i} labels {len(labels)} objects, but its ensemble {members.n_objects}.")
    if criterion == "div3" and min(np.count_nonzero(members.weights) for members in ensembles) == 1:
        raise ValueError("criterion='div3' needs at least two members with a weight, because it measures their spread.")
    table = pd.DataFrame([_measure(*pair) for pair in zip(partitions, ensembles, strict=True)])
    scores = table[criterion].to_numpy()
    _warn(table, ensembles, criterion)
    if criterion in _LARGEST:
        index = int(scores.argmax())
    else:
        index = int(np.argsort(scores, kind="stable")[(len(scores) - 1) // 2])
    return Selection(index, criterion, scores, table)


def _partitions_of(candidates: Any, missing: str) -> list[np.ndarray]:
    """The labels of each candidate as codes."""
    if isinstance(candidates, list | tuple):
        partitions = [encode_labels(labels, f"candidate {i}")[0] for i, labels in enumerate(candidates)]
    else:
        partitions = list(as_ensemble(candidates).labels.T)
    if not partitions:
        raise ValueError("There are no candidates.")
    for i, labels in enumerate(partitions):
        if missing == "error" and (labels < 0).any():
            raise ValueError(
                f"Candidate {i} has no cluster for {(labels < 0).sum()} objects. Give missing='ignore' to ignore them."
            )
    return partitions


def _ensemble_of_each(ensemble: Any, n_candidates: int) -> Sequence[Ensemble]:
    if not (isinstance(ensemble, list | tuple) and ensemble and all(isinstance(e, Ensemble) for e in ensemble)):
        return [as_ensemble(ensemble)] * n_candidates
    if len(ensemble) != n_candidates:
        raise ValueError(f"There are {n_candidates} candidates, but {len(ensemble)} ensembles: give one for each.")
    return ensemble


def _measure(labels: np.ndarray, members: Ensemble) -> dict[str, float]:
    """All criteria for one candidate."""
    weights = members.weights
    consistency = agreement_with_members(labels, members)
    balance = _balance(labels, members)
    refinement = np.divide(consistency, balance, out=np.ones_like(balance), where=balance > 0)
    information = agreement_with_members(labels, members, "normalized_mutual_information")
    distance = 1 - agreement_with_members(labels, members, "adjusted_rand")
    n_counted = np.count_nonzero(weights)
    div1 = np.average(distance, weights=weights)
    div2 = np.nan
    if n_counted > 1:
        variance = np.average((distance - div1) ** 2, weights=weights) * n_counted / (n_counted - 1)
        div2 = np.sqrt(variance)
    return {
        "n_clusters": len(np.unique(labels[labels >= 0])),
        "consistency": np.average(consistency, weights=weights),
        "balance": np.average(balance, weights=weights),
        "refinement": np.average(refinement, weights=weights),
        "normalized_mutual_information": np.average(information, weights=weights),
        "div1": div1,
        "div2": div2,
        "div3": (1 - div1 + div2) / 2,
        "div4": div2 / div1 if div1 != 0 else np.nan,
    }


def _balance(labels: np.ndarray, members: Ensemble) -> np.ndarray:
    """1 - Σ p² over the objects that each member covers: the highest possible consistency."""
    covered = np.asfortranarray(members.labels >= 0) if members.has_missing else np.ones((len(labels), 1), bool)
    sizes = [np.bincount(labels[seen & (labels >= 0)]) for seen in covered.T]
    each = [1 - ((size / size.sum()) ** 2).sum() for size in sizes]
    return np.array(each if members.has_missing else each * len(members))


def _warn(table: pd.DataFrame, ensembles: Sequence[Ensemble], criterion: str) -> None:
    """Warn of scores that mislead."""
    k = table["n_clusters"]
    messages = []
    if criterion == "consistency" and k.nunique() > 1:
        messages.append(
            f"The candidates have different numbers of clusters ({', '.join(map(str, sorted(k.unique())))}). "
            "Consistency grows with their number, so it cannot compare them."
        )
    if criterion == "consistency" and (k == 1).any():
        messages.append(f"Candidates with a single cluster have a consistency of 0; there are {(k == 1).sum()}.")
    coarse = [(e.n_clusters[e.weights > 0] < n).any() for e, n in zip(ensembles, k, strict=True)]
    if criterion == "consistency" and any(coarse):
        messages.append(
            f"Consistency assumes members that are at least as fine as the candidate, but {sum(coarse)} of {len(k)} "
            "candidates have more clusters than some of their members."
        )
    if table["div2"].isna().any():
        messages.append("With a single member, div2, div3 and div4 are undefined.")
    for message in messages:
        warnings.warn(message, UserWarning, stacklevel=3)
