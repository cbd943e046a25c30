"""What several members need is made once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """The latest results by key; each is made by one thread while others wait for it.

    Examples
    --------
    >>> from pluribus.generate._latest import Latest
    >>> squares = Latest(kept=2)
    >>> squares.get(3, lambda: 3 * 3), squares.get(3, lambda: 1 / 0)
    (9, 9)
    """

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._made: OrderedDict[Hashable, T] = OrderedDict()
        self._at_work: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of this key."""
        with self._lock:
            own = self._at_work.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._made:
                    return self._made[key]
            result = make()
            with self._lock:
                self._made[key] = result
                while len(self._made) > self._kept:
                    self._at_work.pop(self._made.popitem(last=False)[0], None)
            return result
