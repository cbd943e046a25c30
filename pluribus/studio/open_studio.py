"""Open the studio: a clustering, its log on disk, and the page in a browser."""

import contextlib
import json
import tempfile
import webbrowser
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pluribus._engine import ResultDirectory
from pluribus.pipeline import Clustering, load
from pluribus.studio._desk import Desk
from pluribus.studio._neighbor_map import neighbor_map
from pluribus.studio._store import Store
from pluribus.studio.session import Session

_MODEL, _LOG = "studio.pluribus", "session.sqlite"


def check_installed() -> None:
    """Refuse to start without the packages of the extra, before any work."""
    missing = [name for name in ("fastapi", "uvicorn") if find_spec(name) is None]
    if missing:
        raise ValueError(f"The studio needs {' and '.join(missing)}: pip install 'pluribus[studio]'.")


def desk_in(
    folder: Path,
    make: Callable[[], Clustering],
    *,
    seed: int = 0,
    about: Mapping[str, Any] | None = None,
    session: Mapping[str, Any] | None = None,
) -> Desk:
    """The session that a folder keeps, or a new one of the clustering that ``make`` returns.

    The clustering is made once and saved next to the log, so that a session that was stopped goes on with the same.

    Parameters
    ----------
    folder : path
        A folder that only pluribus writes to.
    make : callable
    seed : int
    about : mapping, optional
        What the session is about; if the folder keeps one about something else, it is refused.
    session : mapping, optional
        An exported session to go on with.
    """
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / _LOG)
    try:
        model = folder / _MODEL
        if not model.exists():
            clustering = make()
            store.about(**(about or {}), seed=seed)  # not before: if it cannot be made, other options may be tried
            clustering.save(model)
        store.about(**(about or {}), seed=seed)
        clustering = load(model)  # the same numbers now as after a restart
        desk = Desk.opened(Session(clustering, seed=seed), store)
        if session is not None:
            if desk.session.seq:
                steps = desk.session.seq
                raise ValueError(f"{folder.parent.parent} keeps a session of {steps} steps: give another --out.")
            desk.follow(session)
    except BaseException:
        store.close()
        raise
    return desk


def open_studio(
    clustering: Clustering,
    *,
    out: str | PathLike[str] | None = None,
    port: int = 0,
    browser: bool = True,
    on_ready: Callable[[str], None] = print,
) -> None:
    """Serve the studio for a clustering until it is interrupted.

    Parameters
    ----------
    clustering : Clustering
    out : path of a directory, optional
        Where the session is kept; without one it lasts as long as the server.
    port : int
        By default any free one.
    browser : bool
        Open the page.
    on_ready : callable
        Gets the address.

    Examples
    --------
    >>> import pluribus
    >>> result = pluribus.combine([[0, 0, 1, 1], [0, 0, 0, 1]], k=2, verbose=False)
    >>> pluribus.studio.open_studio(result)  # doctest: +SKIP
    http://127.0.0.1:41234/?token=...
    """
    check_installed()
    with contextlib.ExitStack() as stack:
        if out is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            folder = stack.enter_context(ResultDirectory(Path(out)).opened()).work
        with contextlib.suppress(KeyboardInterrupt):
            desk = desk_in(folder, lambda: clustering, about={"clustering": _digest(clustering)})
            run_desk(desk, port=port, browser=browser, on_ready=on_ready)


def _digest(clustering: Clustering) -> str:
    """A text that tells whether two clusterings put the same objects into the same clusters."""
    text = json.dumps([np.asarray(clustering.ids, dtype=str).tolist(), np.asarray(clustering.labels).tolist()])
    return sha256(text.encode()).hexdigest()


def run_desk(desk: Desk, *, port: int, browser: bool, on_ready: Callable[[str], None]) -> None:
    """Serve a desk until it is interrupted."""
    from pluribus.studio.server import free_socket, new_token, serve

    desk.draw_map(neighbor_map)
    listener, token = free_socket(port), new_token()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/?token={token}"
    on_ready(address)
    if browser:
        webbrowser.open(address)
    serve(desk, listener, token)
