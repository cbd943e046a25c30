"""Which of several partitions of the same objects to prefer."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import run_tasks, seeds
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.validate._pairs import as_pairs
from pluribus.validate._partition import Missing, check_labels
from pluribus.validate._sampling import check_sample_size
from pluribus.validate._vote import in_words, vote
from pluribus.validate.criteria import Criterion, Sources, checked_criteria
from pluribus.validate.estimate import Estimate


@dataclass(frozen=True)
class PartitionChoice:
    """What ``choose_partition`` found.

    Attributes
    ----------
    name : str
        Of the partition that was chosen.
    labels : ndarray of shape (n,)
        Its clusters, 0 … k - 1; -1 for objects in none.
    frame : DataFrame
        A row for each candidate, by its name: ``n_clusters``, each criterion, and ``votes``.
    details : DataFrame
        A row for each candidate and criterion: ``value``, with ``low`` and ``high`` (95 %) and ``n_sampled`` where it
        comes from a sample.
    tied : tuple of names
        Other candidates with as many votes.
    sentence : str
        The choice and its reason.
    notes : tuple of str
        What to beware of.

    Examples
    --------
    >>> from pluribus.validate import choose_partition
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> choice = choose_partition({"halves": [0, 0, 0, 1, 1, 1], "turns": [0, 1, 0, 1, 0, 1]}, X)
    >>> choice.name, choice.tied
    ('halves', ())
    """

    name: str
    labels: np.ndarray
    frame: pd.DataFrame
    details: pd.DataFrame
    tied: tuple[str, ...]
    sentence: str
    notes: tuple[str, ...]


def choose_partition(
    candidates: Any,
    X: Any = None,
    *,
    distances: Any = None,
    ensemble: Any = None,
    similarity: Any = None,
    criteria: Iterable[str] | None = None,
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> PartitionChoice:
    """Compare partitions by several indices, let these vote, and say why one is preferred.

    Each criterion gives one vote to the candidate it finds best (in equal parts, if several are). Most votes win; of
    candidates with equally many, the one that the criterion named first finds better. The table is worth more than the
    winner: see which criteria disagree, and what each of them asks.

    Parameters
    ----------
    candidates : dict of name -> labels, Ensemble, data frame, array of shape (n, m), or list of m label sequences
    X : array, sparse matrix or data frame of shape (n, d), optional
    distances : array of shape (n, n), optional
        Instead of X.
    ensemble : Ensemble, or labels that can be one, optional
        The members from which the candidates came.
    similarity : CoAssociation or matrix (n, n), optional
        By default the evidence of the ensemble.
    criteria : names in ``CRITERIA``, optional
        By default, of what is given: "silhouette", "dunn" and "description_length" (X or distances),
        and if all candidates have one number of clusters, "similarity_silhouette" (ensemble or similarity) and
        "mutual_information" (ensemble). If they have not, and there is neither X nor distances, "similarity_dunn".
    missing : {"error", "ignore", "singletons"}
        "ignore" judges each candidate by the objects that it puts into clusters, "singletons" counts each other object
        as a cluster of its own. For "dbcv" the others are noise, which lowers it, with both.
    sample_size : "auto", int or None
        Objects that slow criteria use at most; see ``silhouette_index``.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Candidates judged at a time. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    PartitionChoice

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.validate import choose_partition
    >>> X = load_iris().data
    >>> candidates = {f"k-means {k}": KMeans(k, random_state=0).fit_predict(X) for k in (2, 3, 4)}
    >>> choice = choose_partition(candidates, X, criteria=["silhouette", "davies_bouldin", "calinski_harabasz"])
    >>> print(choice.frame.round(2).to_string())
               n_clusters  silhouette  davies_bouldin  calinski_harabasz  votes
    k-means 2           2        0.68            0.40             513.92    2.0
    k-means 3           3        0.55            0.67             561.59    1.0
    k-means 4           4        0.50            0.78             530.77    0.0
    >>> print(choice.sentence)
    k-means 2: best by silhouette (objects are nearer to their own cluster than to the next) and Davies-Bouldin
    (clusters are small against the distance of their centers), 2 of 3 criteria; but Calinski-Harabasz prefers
    k-means 3.
    """
    named = _named(candidates)
    check_sample_size(sample_size)
    sources = Sources(
        X=X,
        distances=distances,
        similarity=similarity,
        ensemble=None if ensemble is None else as_ensemble(ensemble),
        missing=missing,
        sample_size=sample_size,
        random_state=seeds(random_state, 1)[0],
        n_jobs=None,
    )
    _check_sources(named.n_objects, sources)
    check_labels(named.labels[:, 0], missing, name=named.names[0])
    left_out = "error" if missing == "error" else "ignore"
    columns = [
        check_labels(column, left_out, name=name) for name, column in zip(named.names, named.labels.T, strict=True)
    ]
    n_clusters = np.array([len(np.unique(codes[codes >= 0])) for codes in columns])
    same_k = bool((n_clusters == n_clusters[0]).all())
    chosen = checked_criteria(
        default_criteria(sources.levels, same_k) if criteria is None else criteria, sources.levels, of_k=False
    )
    details = judged(columns.__getitem__, list(named.names), chosen, sources, n_jobs, verbose)
    values = details.pivot(index="candidate", columns="criterion", values="value").loc[list(named.names)]
    found = vote(values, chosen)
    frame = values[[criterion.name for criterion in chosen]].rename_axis(index=None, columns=None)
    frame.insert(0, "n_clusters", n_clusters)
    frame["votes"] = found.votes
    notes = (*_equal_ones(columns, list(named.names)), *_notes(chosen, same_k, details))
    return PartitionChoice(
        name=named.names[found.winner],
        labels=columns[found.winner],
        frame=frame,
        details=details,
        tied=tuple(named.names[place] for place in found.tied if place != found.winner),
        sentence=in_words(found, chosen, list(named.names)),
        notes=notes,
    )


def default_criteria(levels: set[str], same_k: bool) -> list[str]:
    """Of what is there, those that are fair."""
    names = ["silhouette", "dunn", "description_length"] if "data" in levels else []
    if "similarity" in levels and same_k:
        names.append("similarity_silhouette")
    if "ensemble" in levels and same_k:
        names.append("mutual_information")
    return names or ["similarity_dunn"]


def judged(
    labels_of: Callable[[int], np.ndarray],
    names: list[str],
    criteria: list[Criterion],
    sources: Sources,
    n_jobs: int | None,
    verbose: bool,
) -> pd.DataFrame:
    """The values of all criteria for all candidates, one below the other; labels are asked for when they are needed."""
    tasks = [(place, criterion) for place in range(len(names)) for criterion in criteria]

    def value(task: tuple[int, Criterion]) -> Estimate:
        place, criterion = task
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # infinite and undefined values show in the table
            return sources.value(criterion, labels_of(place))

    found = run_tasks(value, tasks, n_jobs=n_jobs, description="indices", verbose=verbose)
    return pd.DataFrame(
        {
            "candidate": [names[place] for place, _ in tasks],
            "criterion": [criterion.name for _, criterion in tasks],
            "value": [float(estimate) for estimate in found],
            "low": [estimate.low for estimate in found],
            "high": [estimate.high for estimate in found],
            "n_sampled": pd.array([estimate.n_sampled for estimate in found], dtype="Int64"),
        }
    )


def _named(candidates: Any) -> Ensemble:
    if isinstance(candidates, Mapping) and not sparse.issparse(candidates):
        if not candidates:
            raise ValueError("candidates is empty: give at least one partition.")
        return Ensemble(list(candidates.values()), names=[str(name) for name in candidates])
    return as_ensemble(candidates)


def _check_sources(n: int, sources: Sources) -> None:
    """All that is given is of the same objects; an error comes before any index is computed."""
    if not sources.levels:
        raise ValueError("Give X, distances, ensemble or similarity: what the partitions are to be held against.")
    if sources.X is not None or sources.distances is not None:
        as_pairs(n, sources.X, sources.distances)
    if sources.similarity is not None:
        as_pairs(n, similarity=sources.similarity)
    if sources.ensemble is not None and sources.ensemble.n_objects != n:
        raise ValueError(f"The candidates have {n} objects, but the ensemble has {sources.ensemble.n_objects}.")


def _equal_ones(columns: list[np.ndarray], names: list[str]) -> Iterator[str]:
    """Candidates that are one partition under several names; codes by first occurrence make that easy to see."""
    same: dict[bytes, list[str]] = {}
    for name, codes in zip(names, columns, strict=True):
        same.setdefault(codes.tobytes(), []).append(name)
    for equal in same.values():
        if len(equal) > 1:
            yield f"{', '.join(equal[:-1])} and {equal[-1]} are the same partition."


def _notes(criteria: list[Criterion], same_k: bool, details: pd.DataFrame) -> tuple[str, ...]:
    notes = []
    unfair = [criterion.title for criterion in criteria if not criterion.fair_across_k]
    if unfair and not same_k:
        notes.append(
            f"The candidates have different numbers of clusters; {', '.join(unfair)} cannot compare them fairly."
        )
        warnings.warn(notes[-1], UserWarning, stacklevel=3)
    for criterion in criteria:
        rows = details[details["criterion"] == criterion.name]
        undefined = rows.loc[rows["value"].isna(), "candidate"].tolist()
        if undefined:
            of = "any candidate" if len(undefined) == len(rows) else ", ".join(undefined)
            notes.append(f"{criterion.title} is not defined for {of}.")
        elif rows["value"].nunique() == 1 and len(rows) > 1:
            notes.append(f"{criterion.title} is {rows['value'].iloc[0]:.4g} for all candidates: it tells nothing here.")
        near = _within_error(rows, criterion)
        if near:
            notes.append(f"By {criterion.title}, {', '.join(near)} are not apart by more than the error of the sample.")
    return tuple(notes)


def _within_error(rows: pd.DataFrame, criterion: Criterion) -> list[str]:
    """The best, and those whose intervals overlap with its interval, if values come from samples."""
    rows = rows[rows["n_sampled"].notna() & rows["value"].notna()]
    if len(rows) < 2 or criterion.name.endswith("dunn"):  # which has bounds, no interval
        return []
    if criterion.greater_is_better:
        best = rows.loc[rows["value"].idxmax()]
        near = rows[rows["high"] >= best["low"]]
    else:
        best = rows.loc[rows["value"].idxmin()]
        near = rows[rows["low"] <= best["high"]]
    return near["candidate"].tolist() if len(near) > 1 else []
