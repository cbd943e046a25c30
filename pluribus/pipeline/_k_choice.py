"""How many clusters: the number that ``choose_k`` prefers, for methods that do not find it, and as a second opinion."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from pluribus.consensus import CorrelationConsensus, EvidenceAccumulation, MedoidPartition
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import stratified_sample
from pluribus.pipeline.candidates.k_ladder import KLadder
from pluribus.validate import KChoice, choose_k

_OBJECTS = 5000  # that a second opinion is asked about, at most


@dataclass(frozen=True, eq=False)
class KOpinion:
    """What ``choose_k`` says, without the ensemble it looked at: what is kept with a result.

    ``frame`` and ``details`` are those of :class:`pluribus.validate.KChoice`.
    """

    n_clusters: int
    sentence: str
    notes: tuple[str, ...]
    frame: pd.DataFrame
    details: pd.DataFrame
    n_objects: int

    @classmethod
    def of(cls, choice: KChoice) -> "KOpinion":
        """The opinion of a choice."""
        return cls(
            choice.n_clusters, choice.sentence, choice.notes, choice.frame, choice.details, choice.ensemble.n_objects
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values, which ``from_json`` reads."""
        return {
            "n_clusters": self.n_clusters,
            "sentence": self.sentence,
            "notes": list(self.notes),
            "frame": _columns(self.frame),
            "details": _columns(self.details),
            "n_objects": self.n_objects,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "KOpinion":
        """An opinion from plain values."""
        return cls(
            int(stored["n_clusters"]),
            str(stored["sentence"]),
            tuple(str(note) for note in stored["notes"]),
            pd.DataFrame(stored["frame"]),
            pd.DataFrame(stored["details"]),
            int(stored["n_objects"]),
        )


def choose(ensemble: Ensemble, X: Any, **how: Any) -> KChoice:
    """The number of clusters, by the members and, if there are any in memory, by the features; warns of its doubts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they are among the notes
        choice = choose_k(X, ensemble=ensemble, **how) if isinstance(X, np.ndarray) else choose_k(ensemble, **how)
    for note in choice.notes:
        warnings.warn(note, UserWarning, stacklevel=5)
    return choice


def accumulated(choice: KChoice, X: Any = None) -> EvidenceAccumulation:
    """The evidence accumulation whose dendrogram was cut, with the chosen number of clusters.

    It has that number already, unless several lifetimes are equal and another criterion decided between them. It is
    fitted again if the features X have to decide.
    """
    consensus = choice.consensus
    if consensus.n_clusters_ == choice.n_clusters and (X is None or consensus.n_separate_ <= choice.n_clusters):
        return consensus
    return clone(consensus).set_params(n_clusters=choice.n_clusters).fit(choice.ensemble, X=X)


def second_opinion(labels: np.ndarray, ensemble: Ensemble, X: Any, seed: int | None) -> tuple[KOpinion | None, str]:
    """What ``choose_k`` says of a result whose number was found otherwise, or why it says nothing.

    It looks at 5,000 of the objects at most.
    """
    objects = stratified_sample(labels, _OBJECTS)
    features = X[objects] if isinstance(X, np.ndarray) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit has warned already
        try:
            choice = choose(ensemble.take_objects(objects), features, random_state=seed, n_jobs=-1, verbose=False)
        except ValueError as error:
            return None, f"Indices by number of clusters are not shown: {error}"
    return KOpinion.of(choice), ""


NO_EVIDENCE = "no evidence of clusters"


def found_by(consensus: Any, ladder: KLadder | None = None, model: Any = None) -> str:
    """How a consensus function, a ladder, or a method that clusters directly found the number of clusters, in words."""
    if ladder is not None:
        one_group = model.n_clusters_ == 1 and model.verdict_ == "none"
        return NO_EVIDENCE if one_group else "most support by candidate partitions, evidence and density"
    if hasattr(consensus, "finds_k_by"):
        return str(consensus.finds_k_by)
    if isinstance(consensus, MedoidPartition):
        return "that of the partition nearest to all others"
    if isinstance(consensus, CorrelationConsensus):
        return "fewest disagreements with the members"
    if hasattr(consensus, "k_stability_"):
        return "longest lifetime in the evidence that halves of the ensemble find again"
    by = "highest lifetime in the evidence"
    if getattr(consensus, "lifetime_scale", "share") == "log":
        by += " by factors"
    k_range = getattr(consensus, "k_range", None)
    return by if k_range is None else f"{by}, among {k_range[0]} to {k_range[1]} clusters"


def support_by_k(consensus: Any, ladder: KLadder | None = None) -> np.ndarray | None:
    """How strongly the evidence, or a ladder of candidates, suggests each number of clusters, at its index."""
    if ladder is not None:
        support = np.zeros(int(ladder.numbers.max()) + 1)
        support[ladder.numbers] = np.maximum(ladder.scores, 0)
        return support
    if hasattr(consensus, "k_stability_"):
        return np.append([0.0, 0.0], consensus.k_stability_.scores)
    return getattr(consensus, "lifetimes_", None)


def _columns(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The columns of a frame as plain lists; None where a number is missing."""
    return {str(name): [None if pd.isna(v) else _plain(v) for v in column] for name, column in frame.items()}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
