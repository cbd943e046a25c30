"""``--constrained-method``: one method over data and constraints, in place of an ensemble."""

import inspect
from typing import Any

import numpy as np
from sklearn.base import clone

from pluribus import constrained
from pluribus._engine import seeds, track
from pluribus.constraints import Constraints
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy

STARTS = 10  # of the method without the constraints, which the result is held against
NOTE = (
    f"There is no ensemble: the members are {STARTS} starts of the same method without what is known. What a statement "
    "costs is the share of them that speak against it."
)
# Their conditions are about columns of the table, for which the command has no options.
_ELSEWHERE = {"aggregate": "constrained.AggregateConstrainedKMeans in Python, or pluribus anonymize"}
UNCERTAINTY_NOTE = "The method gives no memberships: an object is as uncertain as those starts disagree on its cluster."


def check_options(name: str, k: int | None, given: dict[str, bool]) -> str:
    """The method's name, as ``constrained.by_name`` knows it; refuses options that it has no use for."""
    if name.lower() in _ELSEWHERE:
        raise ValueError(
            f"--constrained-method {name.lower()} needs conditions on columns, which this command does not take: use "
            f"{_ELSEWHERE[name.lower()]}."
        )
    there = [method for method in constrained.names() if method not in _ELSEWHERE]
    if name.lower() not in there:
        raise ValueError(f"--constrained-method is {name!r}: there are {', '.join(there)}.")
    useless = [option for option, is_given in given.items() if is_given]
    if useless:
        raise ValueError(
            f"--constrained-method clusters without an ensemble, and has no use for {', '.join(useless)}: leave out "
            "one or the other."
        )
    if k is None:
        raise ValueError("--constrained-method does not find the number of clusters: give --k.")
    return name.lower()


def check_known(name: str, known: Constraints | None) -> None:
    """Refuse what is known about the rows if the method has no use for it."""
    takes = inspect.signature(constrained.by_name(name)(n_clusters=1).fit).parameters
    if known is not None and "constraints" not in takes:
        raise ValueError(
            f"--constrained-method {name} heeds no pairs and no known labels: leave out --must-link, --cannot-link and "
            "--known-labels, or choose another method."
        )


def check_data(name: str, X: np.ndarray, scale: str) -> None:
    """Refuse what the method cannot take, in the words of the command."""
    if name == "feedback" and (X < 0).any():
        if scale == "none":
            raise ValueError("--constrained-method feedback is for counts of words: the table has negative numbers.")
        raise ValueError(
            f"--constrained-method feedback is for counts of words, and --scale {scale} makes numbers negative: add "
            "--scale none."
        )


class DirectMethod:
    """A method of ``pluribus.constrained``, with starts of it that know nothing in the place of the ensemble."""

    def __init__(self, name: str, k: int, *, seed: int, jobs: int, verbose: bool, **more: Any) -> None:
        self.name = name
        self.seed = seed
        self.verbose = verbose
        self.method = constrained.by_name(name)(n_clusters=k, random_state=seed, n_jobs=jobs, verbose=verbose, **more)
        self.notes = [NOTE]

    def fit(self, X: np.ndarray, *, constraints: Constraints | None) -> "DirectMethod":
        """Cluster the rows."""
        told = {} if constraints is None else {"constraints": constraints}
        self.consensus_ = self.method.fit(X, **told)
        self.ensemble_ = self._starts(X)
        if not hasattr(self.consensus_, "membership_"):
            self._measure(self.consensus_)
            self.notes = [NOTE, UNCERTAINTY_NOTE]
        return self

    def _starts(self, X: np.ndarray) -> Ensemble:
        plain = clone(self.method).set_params(n_init=1, verbose=False)
        labels = [
            clone(plain).set_params(random_state=seed).fit(X).labels_
            for seed in track(seeds(self.seed, STARTS), "starts without what is known", verbose=self.verbose)
        ]
        return Ensemble(labels, names=[f"{self.name} {start}" for start in range(1, STARTS + 1)])

    def _measure(self, result: Any) -> None:
        """Memberships of a hard partition: the mean evidence of the starts, as for a consensus."""
        evidence = mean_evidence(self.ensemble_, result.labels_, result.n_clusters_)
        total = evidence.sum(axis=1, keepdims=True)
        own = np.eye(result.n_clusters_)[result.labels_]
        result.membership_ = np.divide(evidence, total, out=own, where=total > 0)
        result.uncertainty_ = normalized_entropy(result.membership_)
