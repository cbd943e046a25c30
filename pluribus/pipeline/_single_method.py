"""One constrained method in place of an ensemble and its consensus."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from pluribus import constrained
from pluribus._engine import seeds, track
from pluribus.constraints import Constraints
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy
from pluribus.pipeline._sizes import Sizes

STARTS = 10  # of the method without the constraints, which the result is compared with
NOTE = (
    f"There is no ensemble: the members are {STARTS} starts of the same method without constraints. The cost of a "
    "constraint is the share of them that contradict it."
)
UNCERTAINTY_NOTE = (
    "The method gives no memberships: the uncertainty of an object is how much those starts disagree on its cluster."
)
# Its conditions are about columns of the table, for which there are no options.
_ELSEWHERE = {"aggregate": "constrained.AggregateConstrainedKMeans, or anonymize"}
_OF_ENSEMBLES = ("members", "noise", "engine", "constraint_level")
_SIZED, _LOWER_ONLY = "size-constrained", "balanced"  # methods that take sizes; the second no upper bound


class SingleMethod:
    """A method of ``pluribus.constrained``, with starts of it that use no constraints in place of the ensemble.

    It has the attributes of a fitted ``EnsembleClusterer`` that a ``Clustering`` is made of.
    """

    k_choice_ = None
    combines = False

    def __init__(self, name: str, k: int, *, seed: int, n_jobs: int | None, verbose: bool, **more: Any) -> None:
        self.name = name
        self.seed = seed
        self.verbose = verbose
        how = {"n_clusters": k, "random_state": seed, "n_jobs": n_jobs, "verbose": verbose}
        self.method = constrained.by_name(name)(
            **how, **{key: value for key, value in more.items() if value is not None}
        )

    def fit(self, X: Any, *, constraints: Constraints | None = None) -> "SingleMethod":
        """Cluster the rows."""
        known = {} if constraints is None else {"constraints": constraints}
        self.consensus_ = self.method.fit(X, **known)
        self.ensemble_ = self._starts(X)
        self.reasons_: tuple[str, ...] = (NOTE,)
        if not hasattr(self.consensus_, "membership_"):
            self._measure(self.consensus_)
            self.reasons_ = (NOTE, UNCERTAINTY_NOTE)
        self.labels_ = self.consensus_.labels_
        self.membership_, self.uncertainty_ = self.consensus_.membership_, self.consensus_.uncertainty_
        return self

    def _starts(self, X: Any) -> Ensemble:
        plain = clone(self.method).set_params(n_init=1, verbose=False)
        labels = [
            clone(plain).set_params(random_state=seed).fit(X).labels_
            for seed in track(seeds(self.seed, STARTS), "starts without constraints", verbose=self.verbose)
        ]
        return Ensemble(labels, names=[f"{self.name} {start}" for start in range(1, STARTS + 1)])

    def _measure(self, result: Any) -> None:
        """Memberships of a hard partition: the mean evidence of the starts, as for a consensus."""
        evidence = mean_evidence(self.ensemble_, result.labels_, result.n_clusters_)
        total = evidence.sum(axis=1, keepdims=True)
        own = np.eye(result.n_clusters_)[result.labels_]
        result.membership_ = np.divide(evidence, total, out=own, where=total > 0)
        result.uncertainty_ = normalized_entropy(result.membership_)


def check_options(name: str, options: Mapping[str, Any], known: Constraints | None, sizes: Sizes | None) -> None:
    """Refuse options that the method has no use for, before any work."""
    if name in _ELSEWHERE:
        raise ValueError(
            f"method={name!r} needs conditions on columns, which are not taken here: use {_ELSEWHERE[name]}."
        )
    given = {option: options[option] for option in _OF_ENSEMBLES if options[option] not in (None, False)}
    useless = [f"{option}={value!r}" for option, value in given.items()]
    if useless:
        raise ValueError(
            f"method={name!r} clusters without an ensemble, and has no use for {', '.join(useless)}: leave out one or "
            "the other."
        )
    if options["k"] is None:
        raise ValueError(f"method={name!r} does not find the number of clusters: give k.")
    takes = inspect.signature(constrained.by_name(name)(n_clusters=1).fit).parameters
    if known is not None and "constraints" not in takes:
        raise ValueError(
            f"method={name!r} takes no pairs and no known labels: leave out must_link, cannot_link and known_labels, "
            "or choose another method."
        )
    if sizes is None or name == _SIZED:
        return
    if name != _LOWER_ONLY:
        raise ValueError(f"method={name!r} takes no sizes: use method={_SIZED!r}.")
    if sizes.most is not None or sizes.balance:
        raise ValueError(f"method={name!r} takes min_size only: for other sizes use method={_SIZED!r}.")


def check_data(name: str, X: Any, scale: str) -> None:
    """Refuse features that the method cannot take."""
    if name == "feedback" and X.min() < 0:
        if scale == "none":
            raise ValueError("method='feedback' is for counts of words: the table has negative numbers.")
        raise ValueError(
            f"method='feedback' is for counts of words, and scale={scale!r} makes numbers negative: use scale='none'."
        )
