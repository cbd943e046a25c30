"""All consensus functions on one ensemble, compared."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from pluribus._engine import list_of, track
from pluribus.compare import adjusted_rand_index, normalized_mutual_information_index
from pluribus.consensus._registry import by_name, configured, cost_of, names
from pluribus.consensus._shared.accumulate import accumulate
from pluribus.consensus.selection._method_choice import Choice, choose
from pluribus.partitions import Ensemble, as_ensemble

_A_LIST = "names, such as ['eac', 'scec']"


@dataclass(frozen=True, eq=False)
class MethodRun:
    """One consensus function on the ensemble: its result, or the reason why there is none.

    Attributes
    ----------
    name : str
    consensus : the fitted estimator, or None
    n_clusters : int
        Nonempty clusters; 0 if there is no result.
    seconds : float
    nmi_members, ari_members : float
        Weighted mean normalized mutual information and adjusted Rand index with the members. The medoid, which is a
        member, is compared with the others.
    ari_methods : float
        Mean adjusted Rand index with the partitions of other methods; NaN if there is no other.
    problem : str
        Why there is no result; empty if there is one.
    notes : tuple of str
        Warnings of the method.

    Examples
    --------
    >>> from pluribus.consensus import compare_methods
    >>> run = compare_methods([[0, 0, 1, 1], [0, 0, 1, 1]], 2, methods=["cspa"], verbose=False).runs[0]
    >>> run.name, run.n_clusters, run.ari_members
    ('cspa', 2, 1.0)
    """

    name: str
    consensus: Any = None
    n_clusters: int = 0
    seconds: float = float("nan")
    nmi_members: float = float("nan")
    ari_members: float = float("nan")
    ari_methods: float = float("nan")
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Several consensus functions on one ensemble. See :func:`pluribus.consensus.compare_methods`.

    Attributes
    ----------
    runs : tuple of MethodRun
        First runs with a result, by their agreement with the members; then runs without, by name.
    n_clusters : int
        The requested number of clusters, or the number found by evidence accumulation.
    agreement : ndarray of shape (m, m)
        Adjusted Rand indices between the m partitions, in the order of ``runs``.
    preferred : str
        The method to prefer.
    tied : tuple of str
        Methods tied with the best, including the preferred one.
    verdict : str
        How much the choice matters, in words.

    Examples
    --------
    >>> from pluribus.consensus import compare_methods
    >>> compared = compare_methods([[0, 0, 1, 1], [0, 0, 1, 1]], 2, methods=["eac", "scec"], verbose=False)
    >>> compared.consensus.labels_, compared.preferred
    (array([0, 0, 1, 1]), 'eac')
    >>> compared.to_frame()[["method", "n_clusters", "nmi_members", "ari_methods"]]
      method  n_clusters  nmi_members  ari_methods
    0    eac           2          1.0          1.0
    1   scec           2          1.0          1.0
    """

    runs: tuple[MethodRun, ...]
    n_clusters: int
    agreement: np.ndarray
    preferred: str
    tied: tuple[str, ...]
    verdict: str

    @property
    def completed(self) -> tuple[MethodRun, ...]:
        """The runs that have a result."""
        return tuple(run for run in self.runs if run.consensus is not None)

    @property
    def consensus(self) -> Any:
        """The preferred consensus function, fitted."""
        return next(run.consensus for run in self.runs if run.name == self.preferred)

    @property
    def partitions(self) -> Ensemble:
        """The partitions of all methods, named after them."""
        done = self.completed
        return Ensemble([run.consensus.labels_ for run in done], names=[run.name for run in done])

    def standing(self, run: MethodRun) -> str:
        """The status of a run: "preferred", "tied", "other k", or empty."""
        if run.name == self.preferred:
            return "preferred"
        if run.name in self.tied:
            return "tied"
        return "other k" if run.n_clusters not in (0, self.n_clusters) else ""

    def to_frame(self) -> pd.DataFrame:
        """A row for each method, in the order of ``runs``."""
        return pd.DataFrame(
            {
                "method": [run.name for run in self.runs],
                "n_clusters": pd.array([run.n_clusters or None for run in self.runs], dtype="Int64"),
                "seconds": [run.seconds for run in self.runs],
                "nmi_members": [run.nmi_members for run in self.runs],
                "ari_members": [run.ari_members for run in self.runs],
                "ari_methods": [run.ari_methods for run in self.runs],
                "standing": [self.standing(run) for run in self.runs],
                "problem": [run.problem for run in self.runs],
            }
        )


def compare_methods(
    ensemble: Any,
    n_clusters: int | None = None,
    *,
    methods: Sequence[str] | None = None,
    random_state: int = 0,
    verbose: bool = True,
) -> MethodComparison:
    """Run every consensus function on one ensemble, and choose the partition to prefer.

    The preferred method has the highest weighted mean normalized mutual information with the members, among the methods
    with the requested number of clusters. Methods within 0.01 of it are tied; ties go to the highest mean adjusted Rand
    index with the other candidates, then to the first name. This is a rule, not a proof: it rewards partitions that are
    similar to the members, whether or not the members are right. ``verdict`` says whether the choice matters.

    A method that fails does not stop the others: its row has the reason. Methods that need the data are left out. So
    are, unless you name them in ``methods``, methods for constraints and methods that would take more than 5 minutes or
    2 GB at this size. Evidence accumulation runs at any size if it has to find the number of clusters.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
    n_clusters : int, optional
        For all methods. By default the number that evidence accumulation finds.
    methods : sequence of names, optional
        The methods to run, at any cost. By default all of ``names()``.
    random_state : int
        For each method: its partition is the same as in a run of its own with this seed.
    verbose : bool

    Returns
    -------
    MethodComparison

    Examples
    --------
    >>> from pluribus.consensus import compare_methods
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", None]]
    >>> compared = compare_methods(labels, 2, methods=["eac", "qmi", "voting"], verbose=False)
    >>> [run.name for run in compared.completed]
    ['eac', 'qmi', 'voting']
    >>> print(compared.verdict.partition(". ")[0])
    All 3 candidates give the same partition: the choice hardly matters
    """
    ensemble = as_ensemble(ensemble)
    whole = isinstance(n_clusters, Integral)
    if n_clusters is not None and not (whole and 1 <= n_clusters <= ensemble.n_objects):
        raise ValueError(
            f"n_clusters={n_clusters!r} must be a whole number between 1 and the number of objects, "
            f"{ensemble.n_objects}, or None."
        )
    chosen = _checked(methods)
    accumulated = None
    if n_clusters is None:
        accumulated = _run("eac", ensemble, None, random_state, verbose)
        if accumulated.consensus is None:
            raise ValueError(f"The number of clusters cannot be found: {accumulated.problem} Give n_clusters.")
        n_clusters = accumulated.n_clusters
    n_distinct = _distinct(ensemble)
    runs = []
    for name in track(chosen, "consensus functions", verbose=verbose):
        if accumulated is not None and name == "eac":
            runs.append(accumulated)
        elif reason := _left_out(name, n_distinct, ensemble.n_partitions, n_clusters, asked_for=methods is not None):
            runs.append(MethodRun(name, problem=reason))
        else:
            runs.append(_run(name, ensemble, n_clusters, random_state, verbose=False))
    return _compared(runs, int(n_clusters))


def _checked(methods: Sequence[str] | None) -> list[str]:
    if methods is None:
        return names()
    methods = list_of("methods", methods, _A_LIST)
    if not all(isinstance(name, str) for name in methods):
        raise ValueError(f"methods={methods!r}: give a list of {_A_LIST}.")
    for name in methods:
        by_name(name)  # refuses unknown names
    chosen = list(dict.fromkeys(name.lower() for name in methods))
    if not chosen:
        raise ValueError("methods is empty: name at least one, or give None for all.")
    return chosen


def _distinct(ensemble: Ensemble) -> int:
    """The number of distinct objects."""
    return ensemble.n_objects if ensemble.memberships is not None else len(ensemble.unique_rows().counts)


def _left_out(name: str, n_distinct: int, n_partitions: int, n_clusters: int, *, asked_for: bool) -> str:
    """Why a method is not run; empty if it is."""
    function = by_name(name)()
    if function.needs_data:
        return "Not run: it needs the data in addition to the labels."
    if function.takes_constraints and not asked_for:
        return "Not run: it is made for constraints."
    cost = "" if asked_for else cost_of(name).too_much(n_distinct, n_partitions, n_clusters)
    if not cost:
        return ""
    return (
        f"Not run: {n_distinct:,} distinct objects in {n_partitions:,} partitions may take it {cost}. "
        "Name it to run it anyway."
    )


def _run(name: str, ensemble: Ensemble, n_clusters: int | None, random_state: int, verbose: bool) -> MethodRun:
    """Fit one method and compare it with the members; an error becomes its problem."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            consensus = _fitted(name, ensemble, n_clusters, random_state, verbose)
        except Exception as error:  # the other methods continue
            return MethodRun(name, seconds=time.perf_counter() - start, problem=_in_a_line(error))
    seconds = time.perf_counter() - start
    labels = consensus.labels_
    members = ensemble.labels.T
    weights = _weights_of_others(ensemble, getattr(consensus, "medoid_", None))
    ari = [adjusted_rand_index(member, labels) for member in members]
    nmi = [normalized_mutual_information_index(member, labels) for member in members]
    return MethodRun(
        name,
        consensus,
        n_clusters=len(np.unique(labels[labels >= 0])),
        seconds=seconds,
        nmi_members=float(np.average(nmi, weights=weights)),
        ari_members=float(np.average(ari, weights=weights)),
        notes=tuple(str(w.message) for w in caught if issubclass(w.category, UserWarning)),
    )


def _weights_of_others(ensemble: Ensemble, own: int | None) -> np.ndarray:
    """The weights of the members, with 0 for the member that is the partition itself."""
    weights = np.array(ensemble.weights)
    if own is not None:
        weights[own] = 0
    return weights if weights.any() else ensemble.weights


def _fitted(name: str, ensemble: Ensemble, n_clusters: int | None, random_state: int, verbose: bool) -> Any:
    if name == "eac":
        return accumulate(ensemble, n_clusters, missing="zero", verbose=verbose)
    return configured(name, n_clusters=n_clusters, random_state=random_state, verbose=verbose).fit(ensemble)


def _in_a_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or "no reason given"
    kind = "" if isinstance(error, ValueError | ImportError | MemoryError) else f"{type(error).__name__}: "
    return f"Failed: {kind}{text}"


def _compared(runs: list[MethodRun], n_clusters: int) -> MethodComparison:
    done = sorted((run for run in runs if run.consensus is not None), key=lambda r: (-round(r.nmi_members, 9), r.name))
    left = sorted((run for run in runs if run.consensus is None), key=lambda r: r.name)
    if not done:
        problems = "; ".join(f"{run.name}: {run.problem}" for run in left)
        raise ValueError(f"No method gave a result. {problems}")
    m = len(done)
    between = np.eye(m)
    for i in range(m):
        for j in range(i):
            between[i, j] = between[j, i] = adjusted_rand_index(done[i].consensus.labels_, done[j].consensus.labels_)
    with_others = (between.sum(axis=1) - 1) / (m - 1) if m > 1 else np.full(m, np.nan)
    done = [replace(run, ari_methods=float(mean)) for run, mean in zip(done, with_others, strict=True)]
    k, nmi = np.array([run.n_clusters for run in done]), np.array([run.nmi_members for run in done])
    choice: Choice = choose([run.name for run in done], k, nmi, between, n_clusters)
    return MethodComparison((*done, *left), n_clusters, between, choice.preferred, choice.tied, choice.verdict)
