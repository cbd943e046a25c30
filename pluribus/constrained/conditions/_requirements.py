"""All conditions on the clusters of some rows: whether they hold, by how much, and whether they can hold."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import list_of, plain_array
from pluribus._kernels.assignment.condition_counts import (
    DISTINCT,
    ENTROPY,
    Rules,
    Tally,
    count_all,
    excesses,
    shortfalls,
)
from pluribus.constrained.conditions._attributes import Attributes
from pluribus.constrained.conditions._conditions import Condition
from pluribus.constrained.conditions._reductions import Diverse, Linear, reduced
from pluribus.constraints import InfeasibleError
from pluribus.partitions._internal import encode_labels

_MOST_COUNTED = 10**9  # values times clusters, 4 GB


class Requirements(NamedTuple):
    """All conditions on the clusters of n rows; no cluster may be empty, which is the last of the linear rules."""

    n_rows: int
    conditions: tuple[Condition, ...]
    rules: Rules
    linear: tuple[Linear, ...]
    diverse: tuple[Diverse, ...]
    place: tuple[int, ...]  # of each condition among all rules, or -1 if every cluster satisfies it

    @classmethod
    def of(cls, conditions: Iterable[Condition] | Condition, n_rows: int, attributes: Any = None) -> "Requirements":
        """The conditions as rules; raises if no clustering of these rows can satisfy one of them."""
        alone = isinstance(conditions, Condition)
        given = (conditions,) if alone else tuple(list_of("conditions", conditions, "conditions, such as [AtLeast(5)]"))
        table = Attributes(attributes, n_rows)
        linear: list[Linear] = []
        diverse: list[Diverse] = []
        places: list[tuple[str, int]] = []
        for condition in given:
            rule = reduced(condition, table)
            if rule is None:
                places.append(("none", -1))
            elif isinstance(rule, Linear):
                places.append(("linear", len(linear)))
                linear.append(rule)
            else:
                places.append(("diverse", len(diverse)))
                diverse.append(rule)
        linear.append(Linear(np.ones(n_rows), 1.0))
        shift = {"none": 0, "linear": 0, "diverse": len(linear)}
        place = tuple(shift[kind] + at for kind, at in places)
        return cls(n_rows, given, _as_rules(linear, diverse, n_rows), tuple(linear), tuple(diverse), place)

    def tally(self, labels: np.ndarray, n_clusters: int) -> Tally:
        """What each cluster has."""
        s = len(self.diverse)
        most = max((rule.n_values for rule in self.diverse), default=0)
        if s * n_clusters * most > _MOST_COUNTED:
            raise ValueError(
                f"An attribute of {most} different values in {n_clusters} clusters is too large to count: use fewer "
                "clusters, or merge similar values."
            )
        counted = Tally(
            np.zeros(n_clusters, np.int64),
            np.zeros((len(self.linear), n_clusters)),
            np.zeros((s, n_clusters, most), np.int32),
            np.zeros((s, n_clusters), np.int64),
            np.zeros((s, n_clusters)),
        )
        count_all(self.rules, np.asarray(labels), counted)
        return counted

    def shortfalls(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """How many rows, roughly, each cluster lacks to comply; 0 if it does."""
        missing = np.empty(n_clusters)
        shortfalls(self.rules, self.tally(labels, n_clusters), missing)
        return missing

    def satisfied(self, labels: np.ndarray, n_clusters: int) -> bool:
        """Whether all clusters satisfy all conditions, and none is empty."""
        return not self.shortfalls(labels, n_clusters).any()

    def slack(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """By how much each cluster (row) exceeds each condition (column), in the condition's own unit."""
        slack = np.empty((n_clusters, len(self.linear) + len(self.diverse)))
        excesses(self.rules, self.tally(labels, n_clusters), slack)
        sums = slack[:, : len(self.linear)]
        sums[(sums < 0) & (sums >= -self.rules.tolerance)] = 0  # satisfied, up to rounding
        always = np.full((n_clusters, 1), np.inf)
        return np.concatenate([slack, always], axis=1)[:, list(self.place)]

    def most_clusters(self) -> int:
        """An upper bound on the number of clusters that can satisfy the conditions."""
        return min(_most(rule, self.n_rows) for rule in self._all)

    def ensure_feasible(self, n_clusters: int) -> None:
        """Raise if it is certain that this number of clusters cannot satisfy the conditions."""
        for condition, place in zip(self.conditions, self.place, strict=True):
            problem = _proof(self._all[place], n_clusters, self.n_rows) if place >= 0 else ""
            if problem:
                most = _most(self._all[place], self.n_rows)
                advice = (
                    f"use at most {most} cluster{'s'[: most - 1]}, or relax it" if 0 < most < n_clusters else "relax it"
                )
                raise InfeasibleError(f"{condition} in each of {n_clusters} clusters {problem}: {advice}", k=n_clusters)

    @property
    def _all(self) -> list[Linear | Diverse]:
        return [*self.linear, *self.diverse]


def satisfied(conditions: Iterable[Condition], labels: Any, attributes: Any = None) -> bool:
    """Whether all clusters of a partition satisfy all conditions.

    Parameters
    ----------
    conditions : sequence of conditions
    labels : array of shape (n,)
        Any labels.
    attributes : data frame, structured array or dict of columns, optional
        The attributes in the conditions.

    Examples
    --------
    >>> from pluribus.constrained import AtLeast, Distinct, satisfied
    >>> patients = {"diagnosis": ["flu", "cold", "flu", "flu"]}
    >>> satisfied([AtLeast(2), Distinct("diagnosis", 2)], [0, 0, 1, 1], patients)
    False
    """
    shape = plain_array("labels", labels).shape
    if len(shape) != 1 or not shape[0]:
        raise ValueError(f"labels has shape {shape}: give the cluster of each row, at least one.")
    codes, classes = encode_labels(labels)
    n_missing = int((codes < 0).sum())
    if n_missing:
        raise ValueError(f"labels has no cluster for {n_missing} rows (NaN, None or -1): leave these rows out.")
    return Requirements.of(conditions, len(codes), attributes).satisfied(codes, len(classes))


def _as_rules(linear: list[Linear], diverse: list[Diverse], n_rows: int) -> Rules:
    amounts = np.array([rule.amounts for rule in linear], dtype=np.float64)
    typical = np.abs(amounts).sum(axis=1) / np.maximum((amounts != 0).sum(axis=1), 1)
    return Rules(
        amounts,
        np.array([rule.low for rule in linear], dtype=np.float64),
        np.array([rule.high for rule in linear], dtype=np.float64),
        np.array([rule.never for rule in linear], dtype=np.float64),
        np.array([rule.tolerance for rule in linear]),
        np.where(typical > 0, typical, 1.0),
        np.array([rule.codes for rule in diverse], dtype=np.int32).reshape(len(diverse), n_rows),
        np.array([rule.kind for rule in diverse], dtype=np.int64),
        np.array([rule.m for rule in diverse], dtype=np.float64),
        np.array([rule.l for rule in diverse], dtype=np.float64),
    )


def _most(rule: Linear | Diverse, n_rows: int) -> int:
    """The most clusters for which the rule is not proven impossible; 0 if it is for every number."""
    low, high = 0, n_rows
    while low < high:  # a proof for some number is one for every larger number
        middle = (low + high + 1) // 2
        low, high = (low, middle - 1) if _proof(rule, middle, n_rows, only_more=True) else (middle, high)
    return low


def _proof(rule: Linear | Diverse, n_clusters: int, n_rows: int, only_more: bool = False) -> str:
    """Why the rule cannot hold in this number of clusters; empty if no proof is known."""
    if isinstance(rule, Linear):
        return _linear_proof(rule, n_clusters, only_more)
    counts = np.bincount(rule.codes, minlength=rule.n_values)
    if rule.kind == DISTINCT:
        there, needed = int(np.minimum(counts, n_clusters).sum()), int(rule.l) * n_clusters
        if there < needed:
            return f"needs {needed} different values in total, but there are {there}, counting each once in a cluster"
        return ""
    # The whole table is at least as diverse as its least diverse cluster.
    shares = counts / n_rows
    if rule.kind == ENTROPY:
        effective = float(np.exp(-(shares * np.log(shares)).sum()))
        if effective < rule.l * (1 - 1e-9):
            return f"cannot hold: exp(entropy) of all rows is {effective:.4g}, and some cluster has no more"
    else:
        ordered = np.sort(counts)[::-1]
        if ordered[0] >= rule.m * ordered[int(rule.l) - 1 :].sum():
            shown = ", ".join(map(str, ordered[:5])) + (", …" if len(ordered) > 5 else "")
            return f"cannot hold: the counts of values in all rows ({shown}) break it"
    smallest = int(np.ceil(rule.l - 1e-9))
    if n_clusters * smallest > n_rows:
        return f"needs {n_clusters * smallest} rows, but there are {n_rows}"
    return ""


def _linear_proof(rule: Linear, n_clusters: int, only_more: bool) -> str:
    """Each row is in one cluster, so the sums of all clusters add up to that of all rows."""
    total, unit = float(rule.amounts.sum()), "rows" if rule.is_count else "in total"
    rounding = rule.tolerance * n_clusters
    if rule.low > rule.high:
        return "cannot hold: the amounts are whole numbers, and so is their sum"
    least, most = n_clusters * rule.low, n_clusters * rule.high
    too_few = least > total + rounding and (rule.low >= 0 or not only_more)
    too_many = most < total - rounding and (rule.high <= 0 or not only_more)
    if (too_few or too_many) and rule.of_all:
        return f"cannot hold: {rule.of_all}"
    if too_few:
        return f"needs {least:g} {unit}, but there are {total:g}"
    if too_many:
        return f"leaves room for {most:g} {unit}, but there are {total:g}"
    if not rule.of_all and rule.amounts.min() >= 0 and rule.amounts.max() > rule.high + rule.tolerance:
        row = int(rule.amounts.argmax())
        return f"cannot hold: row {row} alone has {rule.amounts[row]:g}"
    return ""
