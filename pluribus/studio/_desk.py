"""One session and its log for all tabs: one event at a time, slow ones in the background."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pluribus.studio._engines import TREE
from pluribus.studio._events import HEAD_MOVES, Event, EventError
from pluribus.studio._state import State
from pluribus.studio._store import Store
from pluribus.studio.session import Session

_SLOW = ("engine", "recluster", "split", "unlink")
_LARGE = 5_000  # objects from which on these take long


class Stale(Exception):
    """An event that was made before another one was taken."""


class Busy(Exception):
    """An event while a slow one is under way."""


class Desk:
    """A session that several tabs work on.

    Every event has the number of the last event that its tab knew. If there were others since, it is refused, and the
    tab has to look again. An event is kept on disk before it is acknowledged. ``version`` grows with each change, for
    those who wait for news.
    """

    def __init__(self, session: Session, store: Store | None = None) -> None:
        self.session, self.store = session, store
        self.version, self.working, self.problem = 0, "", ""
        self.map_version = 0
        self._lock = threading.RLock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="studio")
        self._cancelled = threading.Event()

    @classmethod
    def opened(cls, session: Session, store: Store) -> "Desk":
        """The session after all events of a log."""
        session.replay(session.export() | {"events": list(store.events())})
        return cls(session, store)

    def follow(self, exported: Any) -> None:
        """Do all that an exported session did; this one has to be fresh."""
        with self._lock:
            self.session.replay(exported)
            if self.store is not None:
                self.store.extend(self.session.log)
            self.version += 1

    def read(self, look: Callable[[Session], Any]) -> Any:
        """Look at the session as it is now; events that come meanwhile do not wait, and change nothing of it."""
        with self._lock:
            session = self.session.view()
        return look(session)

    def take(self, seq: Any, kind: Any, args: Any) -> bool:
        """Take an event; False if it is slow and has only been started."""
        with self._lock:
            if self.working:
                raise Busy(self.working)
            if isinstance(seq, bool) or seq != self.session.seq:
                raise Stale
            if not self._is_slow(kind):
                self._keep(self.session.prepared(kind, args))
                return True
            self.working, self.problem = str(kind), ""
            self._cancelled = cancelled = threading.Event()  # of this job: others may still be running or waiting
            self.version += 1
            self._pool.submit(self._work, self.session.view(), kind, args, cancelled)
        return False

    def draw_map(self, make: Callable[[Session], Any]) -> None:
        """Make another map in the background, and show it when it is ready."""

        def work() -> None:
            places = make(self.session)
            if places is None:
                return
            with self._lock:
                self.session.use_map(places)
                self.map_version += 1
                self.version += 1

        threading.Thread(target=work, name="studio-map", daemon=True).start()

    def cancel(self) -> bool:
        """Give up the slow event that is under way, if there is one; its result is not used."""
        with self._lock:
            if not self.working:
                return False
            self._cancelled.set()
            self.working = ""
            self.version += 1
            return True

    def close(self) -> None:
        """Wait for nothing, and let go of the log."""
        self._cancelled.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self.store is not None:
            self.store.close()

    def _is_slow(self, kind: Any) -> bool:
        if kind in HEAD_MOVES:
            return not self.session.knows_neighbors
        large = self.session.n_objects > _LARGE
        return (kind in _SLOW and large) or (self.session.state.engine != TREE and kind != "rename")

    def _work(self, session: Session, kind: Any, args: Any, cancelled: threading.Event) -> None:
        if cancelled.is_set():
            return
        ready, problem = self._attempt(lambda: session.prepared(kind, args))
        with self._lock:
            if cancelled.is_set():
                return
            if ready is not None:
                _, problem = self._attempt(lambda: self._keep(ready))
            self.working, self.problem = "", problem  # only now: what is no longer at work is done
            self.version += 1

    @staticmethod
    def _attempt(work: Callable[[], Any]) -> tuple[Any, str]:
        """What comes of it, and what the page has to hear if nothing does: the next event has to be possible."""
        try:
            return work(), ""
        except EventError as error:
            return None, str(error)
        except Exception as error:
            return None, f"This failed ({type(error).__name__}): {error}"

    def _keep(self, ready: tuple[Event, State]) -> None:
        """Write an event to the log, then make it count: what is acknowledged is on disk."""
        if self.store is not None:
            self.store.append(ready[0].as_json())
        self.session.commit(ready)
        self.version += 1
