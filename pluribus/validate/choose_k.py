"""How many clusters: a table of criteria for each number, a vote, and the reason in words."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pluribus._engine import seeds
from pluribus.consensus import EvidenceAccumulation
from pluribus.consensus._internal import LargestTriedWarning, accumulate
from pluribus.generate import Generator
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.tables._internal import check_features
from pluribus.validate._sampling import check_sample_size
from pluribus.validate._vote import in_words, vote
from pluribus.validate.choose_partition import judged
from pluribus.validate.criteria import CRITERIA, Criterion, Sources, checked_criteria
from pluribus.validate.stability import numbers_of_clusters, stability

_MOST = 50  # numbers that are compared, by default
_SAMPLE = 1000  # objects that slow criteria look at, once for each number
_STABILITY_MEMBERS = 30
WITH_DATA = ("lifetime", "silhouette")
WITHOUT_DATA = ("lifetime", "similarity_dunn")


@dataclass(frozen=True)
class KChoice:
    """What ``choose_k`` found.

    Attributes
    ----------
    n_clusters : int
    labels : ndarray of shape (n,)
        The partition into so many clusters, numbered from the largest.
    frame : DataFrame
        A row for each k: ``k``, each criterion, and ``votes``.
    details : DataFrame
        ``candidate`` ("k = 2" …), ``criterion``, ``value``, ``low``, ``high``, ``n_sampled``.
    best : dict of criterion name -> tuple of numbers of clusters
        What each criterion prefers alone.
    tied : tuple of int
        Other numbers with as many votes.
    sentence : str
        The choice and its reason.
    notes : tuple of str
        What to beware of.
    ensemble : Ensemble
        That was combined.
    consensus : EvidenceAccumulation
        Whose dendrogram was cut: ``choice.consensus.cut(k)`` gives the labels of any other k.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.validate import choose_k
    >>> choice = choose_k(Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]]))
    >>> choice.n_clusters, choice.labels.tolist()
    (3, [0, 0, 1, 1, 2, 2])
    """

    n_clusters: int
    labels: np.ndarray
    frame: pd.DataFrame
    details: pd.DataFrame
    best: dict[str, tuple[int, ...]]
    tied: tuple[int, ...]
    sentence: str
    notes: tuple[str, ...]
    ensemble: Ensemble
    consensus: EvidenceAccumulation

    @property
    def n_objects(self) -> int:
        """Number of objects that were looked at."""
        return self.ensemble.n_objects


def choose_k(
    data: Any,
    k_range: tuple[int, int] | Iterable[int] | None = None,
    criteria: Iterable[str] | None = None,
    *,
    ensemble: Any = None,
    n_members: int = 100,
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    engine: Any = None,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> KChoice:
    """Say how many clusters there are, by several criteria and a vote.

    The candidates are the cuts of one dendrogram: average link on the evidence of an ensemble, as ``EnsembleClusterer``
    and ``pluribus cluster`` do it. Each criterion votes for the number that it finds best (in equal parts, if several
    are), most votes win; of numbers with equally many, the one that the criterion named first finds better. So by
    default, with two criteria, the lifetime decides.

    Parameters
    ----------
    data : array, sparse matrix or data frame X of shape (n, d); or Ensemble
        Labels alone are wrapped, ``Ensemble(labels)``, to be told from features.
    k_range : (int, int), or any other collection of numbers of clusters, optional
        By default those among which ``accumulate`` looks: from 2 to the number of clusters of the coarsest member, or
        of the finest if some have fewer than 10. Of more than 50 numbers, the 50 that last longest in the dendrogram.
    criteria : names in ``CRITERIA``, optional
        By default "lifetime", and as a second opinion "silhouette" for X or "similarity_dunn" for an ensemble alone.
        The documentation has a table of how often each is right: no vote of more criteria was better than the lifetime.
    ensemble : Ensemble, or labels that can be one, optional
        Of X, if it is there already.
    n_members : int
        Of the ensemble that is made of X otherwise, by ``pluribus.generate.Generator``.
    sample_size : "auto", int or None
        Objects that slow criteria use at most, for each number of clusters; "auto" is 1,000, None is all. A number that
        is too large for all its clusters to show among so many has no value.
    random_state : int, RandomState, Generator or None
    engine : "dask", the address of a scheduler, or a distributed.Client, optional
        A Dask cluster for the ensemble and its evidence, as for ``EnsembleClusterer``. The result is the same.
    n_jobs : int, optional
        Members and cuts computed at a time. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    KChoice

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from pluribus.validate import choose_k
    >>> X, _ = make_blobs(300, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> choice = choose_k(X, k_range=(2, 6), n_members=30)
    >>> choice.n_clusters
    3
    >>> print(choice.sentence)
    k = 3: all 2 criteria find it best.
    """
    check_sample_size(sample_size)
    X = None if isinstance(data, Ensemble) else check_features(data)
    if X is None and ensemble is not None:
        raise ValueError("data is an ensemble already; ensemble is for X.")
    generator_seed, sample_seed, stability_seed = seeds(random_state, 3)
    levels = {"dendrogram", "similarity", "ensemble"} | ({"data", "features"} if X is not None else set())
    names = (WITH_DATA if X is not None else WITHOUT_DATA) if criteria is None else criteria
    chosen = checked_criteria(names, levels, of_k=True)
    n = data.n_objects if X is None else X.shape[0]
    asked_for = None if k_range is None else numbers_of_clusters(k_range, n - 1)
    if X is None:
        members = data
    elif ensemble is not None:
        members = as_ensemble(ensemble)
        if members.n_objects != n:
            raise ValueError(f"X has {n} rows, but the ensemble has {members.n_objects} objects.")
    else:
        generator = Generator(
            n_members=n_members, random_state=generator_seed, engine=engine, n_jobs=n_jobs, verbose=verbose
        )
        members = generator.generate(X)
    limit = _SAMPLE if sample_size == "auto" else sample_size
    sources = Sources(X=X, ensemble=members, sample_size=limit, random_state=sample_seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LargestTriedWarning)  # it is not taken from there
        consensus = accumulate(members, engine=engine, n_jobs=n_jobs, verbose=verbose)
    ks = asked_for or _default_range(consensus)
    undivided = ks[0] == 1 or ks == (n,)
    if undivided:  # there are no two clusters, or no two objects in one, to hold against anything
        chosen = [CRITERIA["lifetime"]]
    named = [f"k = {k}" for k in ks]
    ordinary = [criterion for criterion in chosen if criterion.function is not None]
    parts = (
        [judged(lambda place: consensus.cut(ks[place]), named, ordinary, sources, n_jobs, verbose)] if ordinary else []
    )
    parts += [
        _of_all_k(criterion, ks, consensus, X, stability_seed, n_jobs, verbose)
        for criterion in chosen
        if criterion.function is None
    ]
    details = pd.concat(parts, ignore_index=True)
    values = details.pivot(index="candidate", columns="criterion", values="value").loc[named].reset_index(drop=True)
    found = vote(values, chosen)
    frame = values[[criterion.name for criterion in chosen]].rename_axis(columns=None)
    frame.insert(0, "k", list(ks))
    frame["votes"] = found.votes
    sentence = in_words(found, chosen, named)
    if undivided:
        sentence = f"{named[0]}: no other number of clusters lasts as long in the evidence."
    return KChoice(
        n_clusters=ks[found.winner],
        labels=consensus.cut(ks[found.winner]),
        frame=frame,
        details=details,
        best={name: tuple(ks[place] for place in places) for name, places in found.best.items()},
        tied=tuple(ks[place] for place in found.tied if place != found.winner),
        sentence=sentence,
        notes=_notes(chosen, frame, ks[found.winner], found.best, None if asked_for else _last(consensus)),
        ensemble=members,
        consensus=consensus,
    )


def _last(consensus: EvidenceAccumulation) -> int:
    """The largest number of clusters that ``accumulate`` looked at."""
    assert consensus.k_range is not None
    return min(consensus.k_range[1], len(consensus.labels_))


def _default_range(consensus: EvidenceAccumulation) -> tuple[int, ...]:
    """The numbers among which ``accumulate`` looked; if there are many, those that last longest."""
    ks = np.arange(2, min(_last(consensus), len(consensus.labels_) - 1) + 1)
    if consensus.n_clusters_ not in ks:  # the objects are all together, or all apart
        return (consensus.n_clusters_,)
    longest = np.argsort(-consensus.lifetimes_[ks].round(9), kind="stable")[:_MOST]
    return tuple(np.sort(ks[longest]).tolist())


def _of_all_k(
    criterion: Criterion,
    ks: tuple[int, ...],
    consensus: EvidenceAccumulation,
    X: Any,
    seed: int,
    n_jobs: int | None,
    verbose: bool,
) -> pd.DataFrame:
    """Criteria that are not about one partition: lifetimes, and the stability of each k."""
    frame = pd.DataFrame({"candidate": [f"k = {k}" for k in ks], "criterion": criterion.name})
    if criterion.name == "lifetime":
        value = consensus.lifetimes_[list(ks)]
        return frame.assign(value=value, low=value, high=value, n_sampled=pd.array([None] * len(ks), dtype="Int64"))
    found = stability(
        X, k_range=list(ks), n_members=_STABILITY_MEMBERS, random_state=seed, n_jobs=n_jobs, verbose=verbose
    )
    n_sampled = [None if found.distributions[k].exact else len(found.distributions[k].values) for k in ks]
    columns = found.frame.rename(columns={"ambiguous": "value"})[["value", "low", "high"]]
    return pd.concat([frame, columns], axis=1).assign(n_sampled=pd.array(n_sampled, dtype="Int64"))


def _notes(
    criteria: list[Criterion], frame: pd.DataFrame, k: int, best: dict[str, list[int]], members_end_at: int | None
) -> tuple[str, ...]:
    notes = []
    unfair = [criterion.title for criterion in criteria if not criterion.fair_across_k]
    if unfair:
        notes.append(f"{', '.join(unfair)} cannot compare different numbers of clusters fairly.")
        warnings.warn(notes[-1], UserWarning, stacklevel=3)
    if len(frame) > 1 and k == (members_end_at or frame["k"].max()):
        further = " The members are too coarse to look further: give the number, or members with more clusters."
        notes.append(
            f"{k} is the largest number that was looked at; there may be more clusters.{further * bool(members_end_at)}"
        )
    for criterion in criteria:
        unknown = frame["k"][frame[criterion.name].isna()]
        if len(unknown):
            notes.append(f"{criterion.title} has no value for {len(unknown)} of the numbers, from {unknown.min()}.")
    preferred = {frame["k"][places[0]] for places in best.values() if places}
    if len(preferred) == len(best) > 2:
        notes.append("No two criteria agree: the data do not say how many clusters there are.")
    return tuple(notes)
