"""Progress on the terminal."""

import sys
import threading
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")

# One bar at a time: whoever finds it taken (a fit inside a fit) works in silence.
_display = threading.Lock()


def track(iterable: Iterable[T], description: str, *, total: int | None = None, verbose: bool = True) -> Iterator[T]:
    """Yield the items of `iterable` and show how far it is, on stderr.

    Silent when `verbose` is false or stderr is not a terminal.

    Examples
    --------
    >>> from pluribus._engine import track
    >>> sum(track(range(4), "adding", verbose=False))
    6
    """
    visible = verbose and sys.stderr is not None and sys.stderr.isatty()
    if not (visible and _display.acquire(blocking=False)):
        yield from iterable
        return
    try:
        # Imported here: rich takes a while to load, and most calls are silent.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        if total is None and isinstance(iterable, Sized):
            total = len(iterable)
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            yield from progress.track(iterable, total=total, description=description)
    finally:
        _display.release()
