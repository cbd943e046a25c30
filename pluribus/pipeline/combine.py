"""Labels -> a clustering: the whole walk."""

import time
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal

import numpy as np

from pluribus._engine import is_one_of, memory_budget
from pluribus.consensus import MethodComparison, by_name, compare_methods
from pluribus.consensus._internal import accumulate, configured, feasible_n_clusters, predict_seconds
from pluribus.constraints import Constraints
from pluribus.constraints._internal import refuse_kinds
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble
from pluribus.pipeline._constraints import check_feasible, read_constraints
from pluribus.pipeline._data import Data
from pluribus.pipeline._k_choice import accumulated, choose
from pluribus.pipeline._label_files import read_ensemble
from pluribus.pipeline._methods import ALL, AUTO, checked_method
from pluribus.pipeline._notes import Notes
from pluribus.pipeline._plan import PLAN_FROM, make_plan
from pluribus.pipeline._request import check_k, columns_of, stated
from pluribus.pipeline._sizes import Sizes, stated_sizes
from pluribus.pipeline.candidates.closest_partition import Closest, closest_partition
from pluribus.pipeline.clustering import Clustering
from pluribus.tables._internal import row_numbers
from pluribus.validate import KChoice


def combine(
    labels: Any,
    k: int | None = None,
    *,
    method: str = AUTO,
    missing: Literal["error", "zero"] = "error",
    constraints: Constraints | None = None,
    must_link: str | PathLike | Iterable[Any] | None = None,
    cannot_link: str | PathLike | Iterable[Any] | None = None,
    known_labels: str | PathLike | Mapping[Any, Any] | Iterable[Any] | None = None,
    min_size: float | str | None = None,
    max_size: float | str | None = None,
    balance: bool = False,
    id_column: str | None = None,
    ignore: Iterable[str] = (),
    seed: int = 0,
    memory_limit: float | str | None = None,
    on_note: Callable[[str], None] | None = None,
    verbose: bool = True,
) -> Clustering:
    """Combine clusterings of the same objects into one.

    ``pluribus combine`` on the command line calls this function: the same labels, options and seed give the same
    result.

    Parameters
    ----------
    labels : path or paths of files with a column for each clustering, data frame, n × r array, list of label sequences,
        or Ensemble
        Several files are joined by their id column; without one, row by row. Weights and memberships of a stored
        ensemble count.
    k : int, optional
        Number of clusters; by default it is found.
    method : str
        A consensus function (``pluribus.consensus.names()``); or "all", to compare them and take the preferred one. By
        default ("auto") average, Genie or single link on the evidence, or one of the clusterings, whichever comes
        closest to the clusterings that agree with each other; constrained evidence accumulation ("ceac") if there are
        constraints.
    missing : {"error", "zero"}
        Whether pairs of objects that no clustering covers together are refused, or count as apart.
    constraints, must_link, cannot_link, known_labels : see :func:`pluribus.cluster`
        Functions that take them: "ceac" (also meant by "auto" and "eac" if there are constraints) and "acccs".
    min_size, max_size, balance : see :func:`pluribus.cluster`
    id_column : str, optional
        The column that names the objects; by default one called "id".
    ignore : names of columns to leave out
    seed : int
        Same seed, same result.
    memory_limit, on_note, verbose : see :func:`pluribus.cluster`

    Returns
    -------
    Clustering

    Examples
    --------
    >>> import pluribus
    >>> result = pluribus.combine([["a", "a", "b", "b", "b"], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]], verbose=False)
    >>> result.labels.tolist()
    [1, 1, 0, 0, 0]
    """
    options = stated(combine, locals())
    started, notes = time.perf_counter(), Notes(on_note)
    function = checked_method(method, every=True)
    with memory_budget(memory_limit):
        ensemble, title, found = read_ensemble(labels, id_column, columns_of(ignore))
        check_k(k, ensemble.n_objects)
        ids = row_numbers(ensemble.n_objects) if ensemble.ids is None else ensemble.ids
        known, unused = read_constraints(constraints, must_link, cannot_link, known_labels, ids)
        if known is not None:
            known, min_size, max_size = stated_sizes(known, min_size, max_size)
            options |= {"min_size": min_size, "max_size": max_size}
            refuse_kinds(known)
            known = known if known.kinds else None
        sizes = Sizes.of(min_size, max_size, balance)
        function = _checked_function(function or AUTO, known, sizes)
        check_feasible(known, k, ids)
        if sizes is not None:
            sizes.check(ensemble.n_objects, k)
        notes.add([f"{ensemble!r}", *found, *unused])
        _check_observed(ensemble, missing)
        if function != ALL:
            _announce_plan(ensemble, function, k, notes, always=memory_limit is not None)
        model = Combination(ensemble, function, known, sizes, options)
        with notes.of_warnings():
            model.fit(1 if ensemble.n_objects == 1 else k)
        notes.add(model.reasons_)
    options |= {"method": function}
    return Clustering.of(
        model,
        Data(None, ids, "labels", [], id_column, title=title),
        constraints=known,
        notes=notes.sentences,
        parameters=options,
        seconds=time.perf_counter() - started,
    )


class Combination:
    """A consensus of labels that are there already; it has the attributes that a ``Clustering`` is made of."""

    def __init__(
        self,
        ensemble: Ensemble,
        function: str,
        known: Constraints | None,
        sizes: Sizes | None,
        options: Mapping[str, Any],
    ) -> None:
        self.ensemble_ = ensemble
        self.function = function
        self.known = known
        self.sizes = sizes
        self.options = options
        self.k_choice_: KChoice | None = None
        self.methods_: MethodComparison | None = None
        self._closest: Closest | None = None

    def fit(self, k: int | None) -> "Combination":
        """Combine the partitions into k clusters; None finds their number."""
        seed, verbose = self.options["seed"], self.options["verbose"]
        if self.function == ALL:
            self.methods_ = compare_methods(self.ensemble_, k, random_state=seed, verbose=verbose)
            self.consensus_ = self.methods_.consensus
        else:
            self.consensus_ = self._combine(k, seed, verbose)
        self.labels_ = self.consensus_.labels_
        self.membership_, self.uncertainty_ = self.consensus_.membership_, self.consensus_.uncertainty_
        self.reasons_ = tuple(self._reasons())
        if self.sizes is not None:
            self.labels_, sentence = self.sizes.keep(self.consensus_)
            self.reasons_ = (*self.reasons_, sentence)
        return self

    def _combine(self, k: int | None, seed: int, verbose: bool) -> Any:
        accumulates = self.function in (AUTO, "eac")
        if k is None and (accumulates or not by_name(self.function)().finds_n_clusters):
            self.k_choice_ = choose(self.ensemble_, None, random_state=seed, n_jobs=-1, verbose=verbose)
            k = self.k_choice_.n_clusters
            if self.known is not None:
                k = feasible_n_clusters(self.known, k)
        if not accumulates:
            consensus = configured(self.function, n_clusters=k, random_state=seed, verbose=verbose)
            return consensus.fit(self.ensemble_, **({} if self.known is None else {"constraints": self.known}))
        if self.k_choice_ is not None:
            average = accumulated(self.k_choice_)
        else:
            average = accumulate(self.ensemble_, k, missing="zero", n_jobs=-1, verbose=verbose)
        if self.function == "eac":
            return average
        self.k_evidence_ = average  # compares numbers of clusters, whichever partition is taken
        self._closest = closest_partition(self.ensemble_, average, verbose=verbose)
        return self._closest.consensus

    def _reasons(self) -> list[str]:
        sentences = []
        if self.k_choice_ is not None:
            sentences.append(self.k_choice_.sentence)
        if self._closest is not None and self._closest.sentence:
            sentences.append(self._closest.sentence)
        if self.methods_ is not None:
            sentences.append(f"Preferred: {self.methods_.preferred}. {self.methods_.verdict}")
        return sentences


def _checked_function(function: str, known: Constraints | None, sizes: Sizes | None) -> str:
    """The consensus function, which has to take what is given."""
    if function not in (ALL, AUTO) and by_name(function)().needs_data:
        raise ValueError(
            f"method={function!r} needs the data besides the labels: use pluribus.cluster(data, method=…)."
        )
    if function == ALL and sizes is not None:
        raise ValueError("method='all' compares methods without bounds on sizes: choose one method.")
    if known is None:
        return function
    if sizes is not None:
        raise ValueError(
            "a consensus cannot keep both bounds on sizes and constraints: use pluribus.cluster with "
            "method='size-constrained', which keeps both."
        )
    function = "ceac" if function in (AUTO, "eac") else function
    if function == ALL or not by_name(function)().takes_constraints:
        raise ValueError(f"method={function!r} takes no constraints: use 'ceac' or 'acccs'.")
    return function


def _check_observed(ensemble: Ensemble, missing: str) -> None:
    """Refuse pairs of objects that no clustering covers, unless they may count as apart."""
    if not is_one_of(missing, ("error", "zero")):
        raise ValueError(f"missing={missing!r}: give 'error' or 'zero'.")
    n_pairs = CoAssociation(ensemble, form="operator").n_unobserved_pairs if ensemble.has_missing else 0
    if n_pairs and missing == "error":
        raise ValueError(
            f"{n_pairs:,} pairs of objects are covered by no clustering together, so nothing is known about them. Add "
            "a clustering that covers them, or let them count as apart with missing='zero'."
        )


def _announce_plan(ensemble: Ensemble, function: str, k: int | None, notes: Notes, *, always: bool) -> None:
    """Say what the consensus takes of memory, if that is much or was limited; refused if too much."""
    n, r = ensemble.labels.shape
    distinct = ensemble.unique_rows().ensemble
    plan = make_plan(
        n,
        r,
        int(np.max(ensemble.n_clusters)),
        method="eac" if function == AUTO else function,
        n_clusters=k,
        n_distinct=distinct.n_objects,
        seconds=predict_seconds(distinct, "average"),
    )
    if always or n >= PLAN_FROM:
        notes.add(plan.sentences)
