"""The log of a session and the states that follow from it.

The log only grows: undo and redo are events too. ``done`` are the events that count now, and the state is a function of
the scene, these events and the seed. States are kept for undo as long as they take little memory; others are computed
again from the nearest one that is kept.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from pluribus.studio._apply import apply, first_state, would_join
from pluribus.studio._events import HEAD_MOVES, Event, EventError, checked
from pluribus.studio._scene import Scene
from pluribus.studio._state import State

_KEPT_BYTES = 200e6  # of states
_BYTES_OF_OBJECT = 40


class History:
    """Events, and what they lead to."""

    def __init__(self, scene: Scene, reach: float, seed: int) -> None:
        self.scene, self.seed = scene, seed
        self.log: list[Event] = []
        self.done: list[Event] = []
        self.undone: list[Event] = []
        self._states: OrderedDict[int, State] = OrderedDict({0: first_state(scene, reach)})

    @property
    def state(self) -> State:
        """The state after the events that count."""
        return self.state_after(len(self.done))

    def prepared(self, type: Any, args: Mapping[str, Any]) -> tuple[Event, State | None]:
        """An event and the state that it would lead to, which ``commit`` makes the present one; nothing changes yet."""
        kind, clean = checked(type, args, self.scene.n_objects)
        if kind == "move" and "joins" not in clean and self.scene.ladder is not None:
            joins = would_join(self.scene, self.state, clean["items"], clean["x"], clean["y"])["joins"]
            clean["joins"] = joins[0] if joins else -1  # from now on it does not depend on the map
        event = Event(len(self.log) + 1, kind, clean)
        if kind in HEAD_MOVES:
            return event, None
        return event, apply(self.scene, self.state, event, self.seed)

    def commit(self, prepared: tuple[Event, State | None]) -> Event:
        """Append a prepared event to the log."""
        event, after = prepared
        if event.seq != len(self.log) + 1:
            raise EventError("Another event came first: prepare this one again.")
        if after is None:
            source, target = (self.done, self.undone) if event.type == "undo" else (self.undone, self.done)
            if source:
                target.append(source.pop())
        else:
            self.done.append(event)
            self.undone.clear()
            for step in [step for step in self._states if step >= len(self.done)]:
                del self._states[step]
            self._keep(len(self.done), after)
        self.log.append(event)
        return event

    def state_after(self, step: int) -> State:
        """The state after the first of the events that count."""
        if step not in self._states:
            known = max(at for at in self._states if at < step)
            state = self._states[known]
            for event in self.done[known:step]:
                state = apply(self.scene, state, event, self.seed)
            self._keep(step, state)
        return self._states[step]

    def _keep(self, step: int, state: State) -> None:
        self._states[step] = state
        most = max(4, int(_KEPT_BYTES / (_BYTES_OF_OBJECT * self.scene.n_objects)))
        while len(self._states) > most:
            del self._states[next(at for at in self._states if at not in (0, step))]
