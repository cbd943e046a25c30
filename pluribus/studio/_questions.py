"""What to look at next: pairs to ask about, and uncertain objects."""

import threading
from collections.abc import Iterable

import numpy as np

from pluribus.constraints import Answers, Constraints, Selector
from pluribus.evidence import DividedPairs
from pluribus.studio._apply import basins
from pluribus.studio._events import EventError
from pluribus.studio._scene import Scene
from pluribus.studio._state import State

_LOOKED_AT = 50  # uncertain objects for each that is suggested


class Asking:
    """The pairs on which the ensemble is divided, found at the first question; threads ask one after the other."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self.scene, self.seed = scene, seed
        self._selector: Selector | None = None
        self._lock = threading.Lock()

    def next_pair(self, known: Constraints, unsure: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
        """The pair to ask about, given all that is known and the pairs that the user could not tell."""
        if self.scene.ladder is None:
            raise EventError("Questions need an ensemble: start from a clustering.")
        answers = Answers(self.scene.n_objects, known)
        for one, other in unsure:
            if answers.relation(one, other) is None:
                answers.tell(one, other, "unsure")
        with self._lock:
            if self._selector is None:
                self._selector = DividedPairs(self.scene.ladder.ensemble, random_state=self.seed)
            return self._selector.next_pair(answers)


def suggested(scene: Scene, state: State, m: int) -> list[int]:
    """The least certain objects, none of which would go along with another one."""
    taken = np.zeros(scene.n_objects, bool)
    taken[[item for statement in state.statements for item in statement.items] + list(state.pins)] = True
    order = np.argsort(state.confidence, kind="stable")[: _LOOKED_AT * m]
    order = order[~taken[order] & (state.confidence[order] < 1)]
    chosen: list[int] = []
    followers = basins(scene, state)
    for item in order.tolist():
        if len(chosen) == m:
            break
        if not taken[item]:
            chosen.append(item)
            taken[followers(item)] = True
    return chosen
