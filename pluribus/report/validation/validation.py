"""Candidates for a partition, judged by indices: from a choice to the numbers of its page. Nothing here draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pluribus.partitions import Ensemble
from pluribus.partitions._internal import stratified_sample
from pluribus.validate import CRITERIA, Criterion, PartitionChoice, silhouettes

_SILHOUETTES = 6  # candidates whose silhouettes are drawn
_DRAWN = 600  # objects of each


@dataclass(frozen=True, eq=False)
class Validation:
    """Candidate partitions, which one was chosen, and what they were held against.

    Parameters
    ----------
    title : str
    candidates : Ensemble
        The partitions, by name, in the order in which they were judged.
    choice : PartitionChoice
        What ``choose_partition`` found.
    further : data frame, optional
        ``details`` of indices that have no vote.
    X : array of shape (n, d), optional
    ensemble : Ensemble, optional
    notes : sequence of str
        Choices made on the way, and warnings; those of the choice are added.
    parameters, versions : mappings

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Validation
    >>> from pluribus.validate import choose_partition
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> candidates = Ensemble([[0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1]], names=["turns", "halves"])
    >>> Validation("six", candidates, choose_partition(candidates, X), X=X).ranking
    [1, 0]
    """

    title: str
    candidates: Ensemble
    choice: PartitionChoice
    further: pd.DataFrame | None = None
    X: np.ndarray | None = None
    ensemble: Ensemble | None = None
    notes: Sequence[str] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def voting(self) -> list[Criterion]:
        """The criteria with a vote."""
        return [CRITERIA[str(name)] for name in self.choice.frame.columns if name in CRITERIA]

    @property
    def ranking(self) -> list[int]:
        """Places of the candidates: by votes, then by the criterion that decides ties."""
        first = self.voting[0]
        value = self.choice.frame[first.name].to_numpy(dtype=float)
        score = np.nan_to_num(value if first.greater_is_better else -value, nan=-np.inf)
        votes = self.choice.frame["votes"].round(9).to_numpy()
        return np.lexsort((np.arange(len(votes)), -score, -votes)).tolist()

    @property
    def details(self) -> pd.DataFrame:
        """All values of all indices, one below the other."""
        return (
            self.choice.details
            if self.further is None
            else pd.concat([self.choice.details, self.further], ignore_index=True)
        )


class Index(NamedTuple):
    """One index of all candidates, in their ranking; ``low`` and ``high`` where a value comes from a sample."""

    criterion: Criterion
    votes: bool
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    best: np.ndarray  # whether the candidate is, or is as good as, the best

    @property
    def fair(self) -> bool:
        """Whether it can compare different numbers of clusters."""
        return self.criterion.fair_across_k


class Silhouettes(NamedTuple):
    """The silhouettes of a candidate's objects, sorted within each cluster."""

    candidate: str
    clusters: list[str]
    values: list[np.ndarray]
    mean: float


@dataclass(frozen=True, eq=False)
class ValidationSummary:
    """All that the page shows; candidates are in their ranking."""

    title: str
    chosen: str
    sentence: str
    candidates: tuple[str, ...]
    n_clusters: np.ndarray
    votes: np.ndarray
    indices: tuple[Index, ...]
    silhouettes: tuple[Silhouettes, ...]
    silhouettes_of: str
    n_objects: int
    sampled: bool  # whether some silhouettes are of a sample
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    parameters: dict[str, str]
    versions: dict[str, str]

    @property
    def by_k(self) -> bool:
        """Whether the candidates differ in their number of clusters."""
        return len(np.unique(self.n_clusters)) > 1

    @property
    def deciding(self) -> tuple[Index, ...]:
        """Indices with a vote."""
        return tuple(index for index in self.indices if index.votes)

    @property
    def others(self) -> tuple[Index, ...]:
        """Indices without one."""
        return tuple(index for index in self.indices if not index.votes)


def summarize_validation(case: Validation) -> ValidationSummary:
    """Compute what the page shows.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Validation, summarize_validation
    >>> from pluribus.validate import choose_partition
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> candidates = Ensemble([[0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1]], names=["turns", "halves"])
    >>> summary = summarize_validation(Validation("six", candidates, choose_partition(candidates, X), X=X))
    >>> summary.candidates, summary.votes.tolist()
    (('halves', 'turns'), [3.0, 0.0])
    """
    ranking = case.ranking
    names = [case.candidates.names[place] for place in ranking]
    voting = {criterion.name for criterion in case.voting}
    shown = ranking[:_SILHOUETTES]
    return ValidationSummary(
        title=case.title,
        chosen=case.choice.name,
        sentence=case.choice.sentence,
        candidates=tuple(names),
        n_clusters=case.choice.frame["n_clusters"].to_numpy()[ranking],
        votes=case.choice.frame["votes"].to_numpy()[ranking],
        indices=indices(case.details, names, voting),
        silhouettes=tuple(_silhouettes(case, place) for place in shown),
        silhouettes_of="data" if case.X is not None else "evidence",
        n_objects=case.candidates.n_objects,
        sampled=case.candidates.n_objects > _DRAWN,
        warnings=tuple(case.choice.notes),
        notes=tuple(str(note) for note in case.notes),
        parameters={str(name): "" if value is None else str(value) for name, value in case.parameters.items()},
        versions={str(name): str(version) for name, version in case.versions.items()},
    )


def indices(details: pd.DataFrame, names: list[str], voting: set[str]) -> tuple[Index, ...]:
    """The values by index, for candidates in this order; those with a vote first, as they were named."""
    found = []
    for name in dict.fromkeys(details["criterion"]):
        rows = details[details["criterion"] == name].set_index("candidate").loc[names]
        value = rows["value"].to_numpy(dtype=float)
        criterion = CRITERIA[name]
        turned = np.where(np.isnan(value), -np.inf, value if criterion.greater_is_better else -value)
        drawn = rows["n_sampled"].notna().to_numpy()
        low, high = (np.where(drawn, rows[end].to_numpy(dtype=float), np.nan) for end in ("low", "high"))
        highest = turned.max()
        near = 1e-9 * max(abs(highest), 1.0) if np.isfinite(highest) else 0.0
        best = (turned >= highest - near) & ~np.isnan(value)
        found.append(Index(criterion, name in voting, value, low, high, best))
    return tuple(found)


def _silhouettes(case: Validation, place: int) -> Silhouettes:
    """Of a sample of the candidate's objects, by its clusters, the largest first."""
    labels = case.candidates.labels[:, place]
    clustered = np.flatnonzero(labels >= 0)
    objects = clustered[stratified_sample(labels[clustered], _DRAWN)]
    present, codes = np.unique(labels[objects], return_inverse=True)
    held_against: dict[str, Any]
    if case.X is not None:
        held_against = {"X": np.asarray(case.X)[objects]}
    else:
        assert case.ensemble is not None
        held_against = {"similarity": case.ensemble.take_objects(objects)}
    value = silhouettes(codes, **held_against) if len(present) > 1 else codes * 0.0
    sizes = np.bincount(labels[clustered])[present]
    order = np.argsort(-sizes, kind="stable").tolist()
    return Silhouettes(
        candidate=case.candidates.names[place],
        clusters=[str(case.candidates.classes[place][present[c]]) for c in order],
        values=[np.sort(value[codes == c])[::-1] for c in order],
        mean=float(np.average([value[codes == c].mean() for c in order], weights=sizes[order])),
    )
