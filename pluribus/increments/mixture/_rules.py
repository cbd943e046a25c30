"""How clusters are merged: the parameters that ``IncrementsMixture`` and ``merge_partition`` share."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints

from pluribus.increments._shared.description import Model
from pluribus.partitions._internal import encode_labels

_MOST_CLUSTERS = 1000  # of a start: all pairs of them are tested

CONSTRAINTS: dict = {
    "criterion": [StrOptions({"gdid", "mdl", "lrt"})],
    "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
    "min_clusters": [Interval(Integral, 1, None, closed="left")],
    "alpha": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"})],
    "order": [StrOptions({"mahalanobis", "single-link"})],
    "isolation": [Interval(Real, 0, None, closed="neither"), None],
    "model": [StrOptions({"did", "exponential"})],
}


@dataclass(frozen=True)
class Rules:
    """Checked parameters of merging."""

    criterion: Literal["gdid", "mdl", "lrt"]
    n_clusters: int | None
    min_clusters: int
    alpha: float | Literal["auto"]
    order: Literal["mahalanobis", "single-link"]
    isolation: float | None
    model: Model

    @classmethod
    def checked(cls, caller: str, **parameters: Any) -> "Rules":
        """Rules, unless a parameter is wrong."""
        validate_parameter_constraints(CONSTRAINTS, parameters, caller_name=caller)
        for name in ("n_clusters", "min_clusters", "alpha", "isolation"):
            if isinstance(parameters[name], bool | np.bool_):
                raise ValueError(f"{name}={parameters[name]} is not a number.")
        n_clusters, min_clusters = parameters["n_clusters"], int(parameters["min_clusters"])
        n_clusters = None if n_clusters is None else int(n_clusters)
        if n_clusters is not None and n_clusters < min_clusters:
            raise ValueError(f"n_clusters={n_clusters} is less than min_clusters={min_clusters}: give one of the two.")
        return cls(**{**parameters, "n_clusters": n_clusters, "min_clusters": min_clusters})

    @property
    def least(self) -> int:
        """The number of clusters at which merging stops."""
        return self.min_clusters if self.n_clusters is None else self.n_clusters

    @property
    def chooses_alpha(self) -> bool:
        """Whether the level of the tests is the one that leads to the shortest description."""
        return self.criterion == "lrt" and self.alpha == "auto"


def checked_start(labels: Any, n: int, name: str) -> np.ndarray:
    """The codes of labels that cover all n objects."""
    codes, classes = encode_labels(labels, name)
    if len(codes) != n:
        raise ValueError(f"{name} has {len(codes)} labels, but there are {n} objects.")
    if (codes < 0).any():
        raise ValueError(
            f"{name} is missing (-1, None or NaN) for {int((codes < 0).sum())} objects: give each a cluster, or leave "
            "these objects out."
        )
    if len(classes) > _MOST_CLUSTERS:
        raise ValueError(
            f"{name} has {len(classes)} clusters. All pairs are tested, so start from at most {_MOST_CLUSTERS}."
        )
    return codes


def warn_of_few(n_start: int, rules: Rules) -> None:
    """Warn if a start has too few clusters to merge."""
    if rules.n_clusters is not None and n_start < rules.n_clusters:
        message = f"The start has {n_start} clusters, fewer than n_clusters={rules.n_clusters}; none is ever split."
    elif n_start == 1:
        message = "The start has a single cluster, so there is nothing to merge, and clusters are never split."
    else:
        return
    warnings.warn(message, UserWarning, stacklevel=3)
