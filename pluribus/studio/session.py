"""A session of the studio, without a browser: a log of what the user did, and what follows from it."""

import json
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from pluribus._engine import list_of, real_number, whole_number
from pluribus.constraints import Constraints
from pluribus.pipeline import Clustering
from pluribus.studio._apply import basins, would_join
from pluribus.studio._engines import constraints_of, engines
from pluribus.studio._events import Event, EventError, checked
from pluribus.studio._gestures import Gestures
from pluribus.studio._history import History
from pluribus.studio._questions import Asking, suggested
from pluribus.studio._scene import Scene, scene_of
from pluribus.studio._state import Conflict, State, Statement

FORMAT = "pluribus-session-1"
REACH = 60.0  # on a map with clusters to start from: within this of other objects, a drop joins their cluster
PIN_REACH = 227.0  # without: pins within this of each other belong together (the value of the source)


class Session(Gestures):
    """Look at a clustering, say what is wrong with it, and have it follow.

    A session is an append-only log of events over data that never changes. Labels, confidence and conflicts are a
    function of the data, the log and the seed: so undo, redo, export and replay are exact. The ensemble and the
    spanning tree are made once, and an event takes milliseconds.

    Events return the session, so they can be chained. Objects are given by their ids or by their numbers.

    Parameters
    ----------
    clustering : Clustering, optional
        The result of ``pluribus.cluster`` or ``pluribus.combine`` to start from.
    features : array of shape (n, d), optional
        Without a clustering: the objects, which are all in one cluster until two pins tell them apart.
    distances : array of shape (n, n), optional
        Distances in place of features.
    positions : array of shape (n, 2), optional
        Where the objects are on the map, in units of the canvas (1000 × 800); by default two columns or principal
        components.
    ids : sequence of n texts, optional
    reach : float, optional
        How near on the map a dropped object joins others.
    seed : int

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters 0, 1, … from the largest.
    confidence : ndarray of shape (n,)
        0 to 1.
    statements, conflicts, unfollowed : tuples
    log : tuple of dict
        All events, also those that were undone.

    References
    ----------
    desJardins, MacGlashan and Ferraioli, "Interactive visual clustering for relational data", in "Constrained
    Clustering", 2009.

    Examples
    --------
    >>> from pluribus.studio import Session
    >>> session = Session(features=[[0], [1], [2.5], [4.5], [7], [8]])
    >>> session.move(0, 100, 100).move(5, 900, 700).labels.tolist()
    [0, 0, 0, 0, 1, 1]
    >>> session.move(3, 880, 680).labels.tolist()  # dropped next to object 5
    [0, 0, 0, 1, 1, 1]
    >>> session.undo().labels.tolist()
    [0, 0, 0, 0, 1, 1]
    """

    def __init__(
        self,
        clustering: Clustering | None = None,
        *,
        features: Any = None,
        distances: Any = None,
        positions: Any = None,
        ids: Any = None,
        reach: float | None = None,
        seed: int = 0,
    ) -> None:
        scene = scene_of(clustering, features, distances, ids)
        if positions is not None:
            scene = scene.at(positions)
        default = PIN_REACH if scene.ladder is None else REACH
        self.seed = whole_number("seed", seed, 0, 2**32 - 1)
        self._reach = default if reach is None else real_number("reach", reach, 1.0, 1500.0)
        self._history = History(scene, self._reach, self.seed)
        self._clustering = clustering
        self._index = {name: i for i, name in enumerate(scene.ids.tolist())}
        self._asking = Asking(scene, self.seed)

    @property
    def scene(self) -> Scene:
        """What the session is about."""
        return self._history.scene

    # -- what the user does ------------------------------------------------------------------------------------------

    def do(self, type: str, **args: Any) -> "Session":
        """Take an event by its name, as the log has it; raises EventError and changes nothing if it cannot be taken.

        Examples
        --------
        >>> from pluribus.studio import Session
        >>> Session(features=[[0], [1], [9]]).do("link", one=0, other=2, kind="cannot").labels.tolist()
        [0, 0, 1]
        """
        self.take(type, args)
        return self

    def take(self, type: str, args: Mapping[str, Any]) -> Event:
        """Check an event, apply it and append it to the log; returns it in its canonical form."""
        return self.commit(self.prepared(type, args))

    def view(self) -> "Session":
        """The session as it is now, for other threads: what happens later does not change it."""
        same = copy(self)
        same._history = self._history.copy()
        return same

    def prepared(self, type: str, args: Mapping[str, Any]) -> tuple[Event, State]:
        """An event and the state that it would lead to, which ``commit`` makes the present one; nothing changes yet."""
        return self._history.prepared(type, args)

    def commit(self, prepared: tuple[Event, State]) -> Event:
        """Append a prepared event to the log."""
        return self._history.commit(prepared)

    # -- what follows ------------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state after the events that are not undone."""
        return self._history.state

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return self.scene.n_objects

    @property
    def keys(self) -> list[int]:
        """The keys of the clusters, which stay the same as clusters change; the largest cluster first."""
        sizes = np.bincount(self.state.labels)
        return np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)].tolist()

    @property
    def labels(self) -> np.ndarray:
        """The cluster of each object, from the largest."""
        keys = self.keys
        number = np.zeros(max(keys) + 1, np.int64)
        number[keys] = np.arange(len(keys))
        return number[self.state.labels]

    @property
    def confidence(self) -> np.ndarray:
        """How sure the cluster of each object is, 0 to 1; 1 for objects that somebody spoke of."""
        return self.state.confidence

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What was said and not taken back."""
        return self.state.statements

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Statements that contradict earlier ones: each with the chain that makes it, and the one to give up."""
        return self.state.conflicts

    @property
    def unfollowed(self) -> tuple[int, ...]:
        """The ids of statements that nothing contradicts, and that the engine weighed but did not follow."""
        return self.state.unfollowed

    @property
    def constraints(self) -> Constraints:
        """All that was said but for conflicts, for any method of the library."""
        return constraints_of(self.scene, self.state)

    @property
    def engines(self) -> list[str]:
        """The methods that can follow the statements here."""
        return engines(self.scene)

    @property
    def log(self) -> tuple[dict[str, Any], ...]:
        """All events, also those that were undone, and the undoing."""
        return tuple(event.as_json() for event in self._history.log)

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return len(self._history.log)

    @property
    def depth(self) -> tuple[int, int]:
        """How many events can be undone, and how many redone."""
        return len(self._history.done), len(self._history.undone)

    @property
    def knows_neighbors(self) -> bool:
        """Whether undo and redo take no time, since the states before and after this one are kept."""
        done, undone = self.depth
        return all(self._history.knows(step) for step in (max(done - 1, 0), done + min(undone, 1)))

    def name_of(self, key: int) -> str:
        """The name of a cluster: the user's, or its number."""
        return self.state.names.get(key, f"cluster {key}")

    def state_at(self, step: int) -> State:
        """The state after the first of the events that are not undone."""
        return self._history.state_after(whole_number("step", step, 0, self.depth[0]))

    def would_join(self, items: Any, x: float, y: float) -> dict[str, Any]:
        """What a drop would do: the keys of the clusters that it joins; none if it starts a new one."""
        _, clean = checked("move", {"items": self._items(items), "x": x, "y": y}, self.n_objects)
        return would_join(self.scene, self.state, clean["items"], clean["x"], clean["y"])

    def use_map(self, positions: Any) -> "Session":
        """Show the objects at other places. This is no event: the log notes what a move joined, not where that was."""
        self._history.scene = self.scene.at(positions)
        return self

    def followers(self, item: Any) -> np.ndarray:
        """The objects that go along if an object is put elsewhere."""
        return basins(self.scene, self.state)(self._item(item))

    def suggest(self, m: int = 5) -> list[int]:
        """The objects to look at: the least certain ones, each from another part of the data."""
        return suggested(self.scene, self.state, whole_number("m", m, 1, self.n_objects))

    def question(self) -> tuple[int, int] | None:
        """The pair to ask about next, or None; never one that was asked before or that follows from the answers."""
        return self._asking.next_pair(self.constraints, self.state.unsure)

    def to_frame(self) -> pd.DataFrame:
        """The labels as a table: id, cluster, name, confidence, and whether somebody placed the object."""
        keys = self.keys
        names = np.array([self.name_of(key) for key in keys], dtype=object)
        spoken = np.zeros(self.n_objects, bool)
        spoken[[item for statement in self.statements for item in statement.items] + list(self.state.pins)] = True
        return pd.DataFrame(
            {
                "id": self.scene.ids,
                "cluster": self.labels,
                "name": names[self.labels],
                "confidence": np.round(self.confidence, 6),
                "stated": spoken,
            }
        )

    def result(self) -> Clustering:
        """The clustering with the labels of this session, to report, plot and save; it needs one to start from."""
        if self._clustering is None:
            raise EventError("There is no clustering behind this session to write a report of: start from one.")
        labels, k = self.labels, len(self.keys)
        own = np.eye(k)[labels]
        share = self.confidence[:, None]
        membership = share * own + (1 - share) / k
        said = f"{len(self.statements)} statements in the studio, in {self.seq} steps."
        names = [
            f"Cluster {number} is {self.name_of(key)!r}."
            for number, key in enumerate(self.keys)
            if key in self.state.names
        ]
        return replace(
            self._clustering,
            labels=labels.astype(np.int32),
            membership=membership,
            uncertainty=1 - self.confidence,
            reasons=(*self._clustering.reasons, said, *names),
            k_chosen_by="given",
            ladder=None,  # levels and samples were about the clusters before
            reproducibility=None,
            constraints=self.constraints,
        )

    # -- in and out --------------------------------------------------------------------------------------------------

    def export(self) -> dict[str, Any]:
        """The session as plain data: what it was about, and the log.

        Examples
        --------
        >>> from pluribus.studio import Session
        >>> X = [[0], [1], [9], [10]]
        >>> session = Session(features=X).cannot_link(0, 3)
        >>> Session(features=X).replay(session.export()).labels.tolist()
        [0, 0, 1, 1]
        """
        return {
            "format": FORMAT,
            "n_objects": self.n_objects,
            "ids": _digest(self.scene.ids),
            "seed": self.seed,
            "reach": self._reach,
            "events": list(self.log),
        }

    def replay(self, exported: Mapping[str, Any]) -> "Session":
        """Do all that an exported session did, on the same data; this session must be fresh."""
        if self.seq:
            raise ValueError("This session has events already: replay into a new one.")
        if not isinstance(exported, Mapping) or exported.get("format") != FORMAT:
            raise ValueError("This is no session that was exported by the studio.")
        if exported.get("n_objects") != self.n_objects or exported.get("ids") != _digest(self.scene.ids):
            raise ValueError(
                f"The session is about {exported.get('n_objects')!r:.20} other objects, not these {self.n_objects:,}: "
                "open it with the data that it was made with."
            )
        if exported.get("seed") != self.seed or exported.get("reach") != self._reach:
            raise ValueError(
                f"The session was made with seed={exported.get('seed')!r:.20} and reach={exported.get('reach')!r:.20}; "
                "make this one with the same."
            )
        for place, event in enumerate(list_of("events", exported.get("events"), "events"), 1):
            if not isinstance(event, Mapping) or event.get("seq") != place:
                raise ValueError(f"Event {place} of the session is damaged.")
            self.take(event.get("type"), event.get("args"))  # type: ignore[arg-type]
        return self


def _digest(ids: np.ndarray) -> str:
    """A short text that tells whether two sessions are about the same objects."""
    return sha256(json.dumps(ids.tolist()).encode()).hexdigest()[:32]
