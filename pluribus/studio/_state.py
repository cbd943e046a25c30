"""The state of a session after some events: what the user said, and what follows from it."""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np


class Statement(NamedTuple):
    """Something that the user said and can take back.

    Attributes
    ----------
    id : int
        The number of the event that made it.
    kind : {"must", "cannot", "assign"}
        Two objects together, two objects apart, or objects in a cluster.
    items : tuple of int
    cluster : int or None
        The key of the cluster, for "assign".
    origin : {"drag", "lasso", "link", "answer"}
    """

    id: int
    kind: str
    items: tuple[int, ...]
    cluster: int | None
    origin: str


class Conflict(NamedTuple):
    """A statement that contradicts others, the statements that make the contradiction, and the one to give up."""

    statement: int
    chain: tuple[int, ...]
    give_up: int


@dataclass(frozen=True, eq=False)
class State:
    """What the events so far amount to. ``base`` is the partition before any statement, by keys of clusters.

    A key is given once: ``made`` notes the event and the number of the part. So a cluster has the same key if the
    events are gone through again.
    """

    base: np.ndarray
    base_confidence: np.ndarray
    next_key: int
    k: int
    reach: float
    engine: str = "tree"
    pins: dict[int, tuple[float, float]] = field(default_factory=dict)
    statements: tuple[Statement, ...] = ()
    names: dict[int, str] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)  # keys of clusters that are part of another one now
    event: int = 0  # the one that led here
    made: dict[tuple[int, int], int] = field(default_factory=dict)
    opened: dict[int, int] = field(default_factory=dict)  # clusters for objects that no other one could take
    unsure: tuple[tuple[int, int], ...] = ()  # pairs that the user could not tell
    skipped: tuple[int, ...] = ()  # events that make no sense since a statement was deleted
    labels: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # keys of clusters
    confidence: np.ndarray = field(default_factory=lambda: np.empty(0))
    conflicts: tuple[Conflict, ...] = ()

    def changed(self, **what: Any) -> "State":
        """A copy with other values."""
        return replace(self, **what)

    def with_keys(self, *parts: int) -> tuple[list[int], "State"]:
        """Keys for the clusters that the event at work makes, by the numbers of the parts, and the state with them."""
        made, next_key = dict(self.made), self.next_key
        for part in parts:
            if (self.event, part) not in made:
                made[self.event, part], next_key = next_key, next_key + 1
        return [made[self.event, part] for part in parts], self.changed(made=made, next_key=next_key)

    def current(self, key: int) -> int:
        """The key of the cluster that a cluster is part of now."""
        while key in self.merged:
            key = self.merged[key]
        return key

    def follows(self, statement: Statement) -> bool:
        """Whether the labels are as a statement says."""
        labels = self.labels[list(statement.items)]
        if statement.kind == "assign":
            return bool((labels == self.current(statement.cluster or 0)).all())
        return bool(labels[0] == labels[1]) == (statement.kind == "must")

    @property
    def keys(self) -> np.ndarray:
        """The keys of the clusters that have objects."""
        return np.flatnonzero(np.bincount(self.labels))

    @property
    def unfollowed(self) -> tuple[int, ...]:
        """Statements that nothing contradicts, and that the labels do not follow: engines may weigh them only."""
        conflicting = {conflict.statement for conflict in self.conflicts}
        ids = (s.id for s in self.statements if s.id not in conflicting and not self.follows(s))
        return tuple(dict.fromkeys(ids))
