"""The log of a session and the states that follow from it.

The log only grows: undo and redo are events too. ``done`` are the events that count now, and the state is a function of
the scene, these events and the seed. To delete a statement is to go through all other events again, as if it had not
been said; events that make no sense then are skipped. States are kept as long as they take little memory; others are
computed again from the nearest one that is kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pluribus.studio._apply import LOOKS, apply, first_state, would_join
from pluribus.studio._engines import TREE, labels_by_engine
from pluribus.studio._events import HEAD_MOVES, Event, EventError, checked
from pluribus.studio._scene import Scene
from pluribus.studio._state import State

_KEPT_BYTES = 200e6  # of states
_BYTES_OF_OBJECT = 40


class History:
    """Events, and what they lead to. It belongs to one thread; others look at a copy."""

    def __init__(self, scene: Scene, reach: float, seed: int) -> None:
        self.scene, self.seed = scene, seed
        self.log: list[Event] = []
        self.done: list[Event] = []
        self.undone: list[Event] = []
        self._states: dict[int, State] = {0: first_state(scene, reach)}

    def copy(self) -> "History":
        """The same events and states, which stay as they are."""
        same = object.__new__(History)
        same.scene, same.seed = self.scene, self.seed
        same.log, same.done, same.undone = list(self.log), list(self.done), list(self.undone)
        same._states = dict(self._states)
        return same

    @property
    def state(self) -> State:
        """The state after the events that count."""
        return self.state_after(len(self.done))

    def knows(self, step: int) -> bool:
        """Whether a state need not be computed again."""
        return step in self._states

    def prepared(self, type: Any, args: Mapping[str, Any]) -> tuple[Event, State]:
        """An event and the state that it would lead to, which ``commit`` makes the present one; nothing changes yet."""
        kind, clean = checked(type, args, self.scene.n_objects)
        if kind == "move" and "joins" not in clean and self.scene.ladder is not None:
            joins = would_join(self.scene, self.state, clean["items"], clean["x"], clean["y"])["joins"]
            clean["joins"] = joins[0] if joins else -1  # from now on it does not depend on the map
        event = Event(len(self.log) + 1, kind, clean)
        if kind not in HEAD_MOVES:
            return event, self._after(self.state, [*self.done, event])
        head = len(self.done) + (1 if kind == "redo" else -1)
        if not 0 <= head <= len(self.done) + len(self.undone):
            return event, self.state
        return event, self._after_redone() if kind == "redo" else self.state_after(head)

    def commit(self, prepared: tuple[Event, State]) -> Event:
        """Append a prepared event to the log."""
        event, after = prepared
        if event.seq != len(self.log) + 1:
            raise EventError("Another event came first: prepare this one again.")
        if event.type in HEAD_MOVES:
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
            for at in range(known + 1, step + 1):
                state = self._after(state, self.done[:at])
            self._keep(step, state)
        return self._states[step]

    def _after_redone(self) -> State:
        head = len(self.done) + 1
        return self._states[head] if head in self._states else self._after(self.state, [*self.done, self.undone[-1]])

    def _after(self, before: State, done: Sequence[Event]) -> State:
        """The state after the last of some events; ``before`` is the state before it."""
        *earlier, event = done
        if event.type != "unlink":
            return apply(self.scene, before, event, self.seed)
        number = event.args["statement"]
        if number not in {statement.id for statement in before.statements}:
            raise EventError(f"There is no statement {number}.")
        start = self._last_common(done)
        gone = {number} | {other.args["statement"] for other in earlier if other.type == "unlink"}
        rest = [other for other in earlier[start:] if other.type != "unlink" and other.seq not in gone]
        return self._through(before, self._states[start], rest)

    def _last_common(self, done: Sequence[Event]) -> int:
        """The last step with a kept state that no deletion since then concerns."""
        place = {event.seq: at for at, event in enumerate(done)}
        deletions = [(at, place[event.args["statement"]]) for at, event in enumerate(done) if event.type == "unlink"]
        known = [step for step in self._states if step < len(done)]  # there may be states of events that were undone
        return max(step for step in known if all(at < step or said >= step for at, said in deletions))

    def _through(self, before: State, state: State, events: Sequence[Event]) -> State:
        """The state after some more events, with the keys that clusters had; events that make no sense are skipped."""
        state = state.changed(made=before.made, next_key=before.next_key)
        skipped, is_settled = list(state.skipped), True
        for event in events:
            if event.type in LOOKS and not is_settled:
                state, is_settled = labels_by_engine(self.scene, state, self.seed), True
            try:
                state = apply(self.scene, state, event, self.seed, by_engine=False)
            except EventError:
                skipped.append(event.seq)
            else:
                is_settled = state.engine == TREE or event.type == "rename"
        if not is_settled:
            state = labels_by_engine(self.scene, state, self.seed)
        return state.changed(skipped=tuple(skipped))

    def _keep(self, step: int, state: State) -> None:
        self._states.pop(step, None)  # to the end: the oldest go first
        self._states[step] = state
        most = max(4, int(_KEPT_BYTES / (_BYTES_OF_OBJECT * self.scene.n_objects)))
        while len(self._states) > most:
            del self._states[next(at for at in self._states if at not in (0, step))]
