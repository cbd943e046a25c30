"""``--k auto``: the number of clusters by ``choose_k``, and the consensus that has it."""

import warnings
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.base import clone

from pluribus.consensus import EvidenceAccumulation, by_name
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import stratified_sample
from pluribus.report._internal import KIndices, k_indices
from pluribus.validate import KChoice, choose_k

_OBJECTS = 5000  # that are asked about a number which is there already


def is_chosen(method: str) -> bool:
    """Whether the number of clusters is chosen before the method runs; some find it by themselves."""
    return method == "eac" or not by_name(method)().finds_n_clusters


def choose(
    ensemble: Ensemble, X: np.ndarray | None, *, seed: int, engine: str | None = None, jobs: int, verbose: bool
) -> KChoice:
    """How many clusters there are, by the members and, if there are any, by the features."""
    data, members = (ensemble, None) if X is None else (X, ensemble)
    return choose_k(data, ensemble=members, random_state=seed, engine=engine, n_jobs=jobs, verbose=verbose)


def accumulated(choice: KChoice) -> EvidenceAccumulation:
    """The evidence accumulation whose dendrogram was looked at, with the number chosen.

    It has that number already, but where several lifetimes are equal and another criterion has told them apart.
    """
    found = choice.consensus
    if found.n_clusters_ == choice.n_clusters:
        return found
    return clone(found).set_params(n_clusters=choice.n_clusters).fit(choice.ensemble)


def say(console: Console, choice: KChoice) -> list[str]:
    """Print the reason, and return what there is to beware of, for the report."""
    console.print(choice.sentence, markup=False, highlight=False)
    for note in choice.notes:
        console.print(f"  Note: {note}", markup=False, highlight=False)
    return list(choice.notes)


def figures(choice: KChoice | None) -> dict[str, str]:
    """What model.json says of the choice."""
    return {} if choice is None else {"k_reason": choice.sentence}


def second_opinion(
    labels: np.ndarray, ensemble: Ensemble, X: np.ndarray | None, seed: int, *, verbose: bool
) -> tuple[KIndices | None, list[str]]:
    """What ``choose_k`` would have said of a result that found its number otherwise; or a note on why it says nothing.

    It is asked about 5,000 of the objects at most.
    """
    objects = stratified_sample(labels, _OBJECTS)
    part: dict[str, Any] = {"ensemble": ensemble.take_objects(objects), "X": None if X is None else X[objects]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit has said it already
        try:
            choice = choose(**part, seed=seed, jobs=-1, verbose=verbose)
        except ValueError as error:
            return None, [f"Indices by number of clusters are not shown: {error}"]
    return k_indices(choice, int(labels.max(initial=0)) + 1), []
