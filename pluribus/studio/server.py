"""The server of the studio: one session for the browser on this machine, and for nobody else."""

import asyncio
import json
import re
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from plotly.offline import get_plotlyjs

from pluribus._engine import list_of, whole_number
from pluribus.studio._desk import Busy, Desk, Stale
from pluribus.studio._events import EventError
from pluribus.studio._views import label_bytes, objects, overview, shown_links, traits
from pluribus.studio.session import Session

MOST_BYTES = 32_000_000  # of a request
_MOST_OBJECTS = 200  # that are described at a time
_POLL = 0.1  # seconds between looks for news
_PAGE = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def new_token() -> str:
    """A secret for the address of the page."""
    return secrets.token_urlsafe(24)


def create_app(desk: Desk, token: str, port: int) -> FastAPI:
    """The application that serves one session on a port of this machine.

    Requests need the token, the name of this machine as their host and, if they say where they come from, the page
    itself as their origin. No request names a file.
    """
    app = FastAPI(openapi_url=None)
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[..., Any]) -> Response:
        refusal = _refusal(request, hosts, token)
        response = refusal if refusal is not None else await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    _add_files(app)
    _add_views(app, desk)
    _add_posts(app, desk)

    @app.get("/api/stream")
    async def stream(request: Request) -> Response:
        return StreamingResponse(_news(desk, request), media_type="text/event-stream")

    return app


def _add_files(app: FastAPI) -> None:
    """The page and its modules."""
    files = _files()

    @app.get("/")
    async def page() -> Response:
        return Response(files["index.html"], media_type=_TYPES[".html"])

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in files:
            return _problem("There is no such file.", 404)
        return Response(files[name], media_type=_TYPES[Path(name).suffix])


def _add_views(app: FastAPI, desk: Desk) -> None:
    """What can be looked at."""

    @app.get("/api/state")
    def state() -> Response:
        return JSONResponse(_overview(desk))

    @app.get("/api/positions")
    def positions() -> Response:
        return _binary(desk.read(lambda session: session.scene.positions.astype("<f4").tobytes()))

    @app.get("/api/links")
    def links() -> Response:
        return _binary(desk.read(lambda session: shown_links(session).astype("<i4").tobytes()))

    @app.get("/api/labels")
    def labels(request: Request) -> Response:
        step = request.query_params.get("step")
        return _answered(lambda: _binary(desk.read(lambda session: _labels(session, step))))

    @app.get("/api/question")
    def question() -> Response:
        return _answered(lambda: JSONResponse(desk.read(_question)))

    @app.get("/api/suggest")
    def suggest() -> Response:
        return JSONResponse(desk.read(lambda session: objects(session, session.suggest(min(8, session.n_objects)))))

    @app.get("/api/export/{name}")
    def export(name: str) -> Response:
        if name not in _EXPORTS:
            return _problem("There is no such export.", 404)
        make, media = _EXPORTS[name]
        response = _answered(lambda: Response(desk.read(make), media_type=media))
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        if name == "report.html":  # it has a policy of its own
            response.headers["Content-Security-Policy"] = "sandbox allow-scripts"
        return response


def _add_posts(app: FastAPI, desk: Desk) -> None:
    """What the page sends: JSON that is answered in a thread."""

    def posted(path: str, answer: Callable[[dict[str, Any]], Response]) -> None:
        async def endpoint(request: Request) -> Response:
            body = await _json_of(request)
            return body if isinstance(body, Response) else await asyncio.to_thread(_answered, lambda: answer(body))

        app.post(path)(endpoint)

    posted("/api/event", lambda body: _take(desk, body))
    posted("/api/preview", lambda body: JSONResponse(desk.read(lambda session: _preview(session, body))))
    posted("/api/objects", lambda body: JSONResponse(desk.read(lambda session: _described(session, body))))
    posted("/api/traits", lambda body: JSONResponse(desk.read(lambda session: _traits(session, body))))

    @app.post("/api/cancel")
    def cancel() -> Response:
        return JSONResponse({"cancelled": desk.cancel()})


def _refusal(request: Request, hosts: set[str], token: str) -> Response | None:
    """Why a request is not served, if it is not."""
    if request.headers.get("host", "") not in hosts:
        return _problem("This host is not served.", 403)
    origin = request.headers.get("origin")
    if origin is not None and origin not in {f"http://{host}" for host in hosts}:
        return _problem("This origin is not served.", 403)
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return _problem("Requests from other sites are not served.", 403)
    if request.url.path.startswith("/static/"):
        return None  # files of the program, which are no secret
    given = request.headers.get("x-token") or request.query_params.get("token") or ""
    if not secrets.compare_digest(given.encode(), token.encode()):
        return _problem("The token is missing or wrong: open the address that the command printed.", 403)
    size = request.headers.get("content-length", "0")
    if not re.fullmatch(r"\d{1,12}", size) or int(size) > MOST_BYTES:
        return _problem(f"The request is larger than {MOST_BYTES:,} bytes.", 413)
    return None


async def _json_of(request: Request) -> Any:
    """The JSON object of a request, or a refusal."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return _problem("Send JSON.", 415)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return _problem(f"The request is larger than {MOST_BYTES:,} bytes.", 413)
        parts.append(part)
    try:
        body = json.loads(b"".join(parts), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _problem("This is not JSON.", 400)
    return body if isinstance(body, dict) else _problem("Send a JSON object.", 400)


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def _take(desk: Desk, body: dict[str, Any]) -> Response:
    try:
        finished = desk.take(body.get("seq"), body.get("type"), body.get("args", {}))
    except Stale:
        return JSONResponse({"error": "Something has changed in between.", "state": _overview(desk)}, 409)
    except Busy as error:
        return _problem(f"{error} is still being computed: wait for it or cancel it.", 423)
    except EventError as error:
        return _problem(str(error), 422)
    return JSONResponse(_overview(desk), 200 if finished else 202)


def _overview(desk: Desk) -> dict[str, Any]:
    return desk.read(overview) | {"working": desk.working, "problem": desk.problem}


def _labels(session: Session, step: str | None) -> bytes:
    """Labels and confidence now, or after some steps."""
    if step is None:
        return label_bytes(session.state.labels, session.confidence)
    asked = int(step) if re.fullmatch(r"[0-9]{1,12}", step) else step
    at = session.state_at(whole_number("step", asked, 0, session.depth[0], error=EventError))
    return label_bytes(at.labels, at.confidence)


def _question(session: Session) -> dict[str, Any]:
    pair = session.question()
    return {"pair": None if pair is None else list(pair), "objects": objects(session, list(pair or ()))}


def _answered(make: Callable[[], Response]) -> Response:
    """A response, or why there is none."""
    try:
        return make()
    except EventError as error:
        return _problem(str(error), 422)


def _preview(session: Session, body: dict[str, Any]) -> dict[str, Any]:
    items = _items(session, body)
    joins = session.would_join(items, body.get("x"), body.get("y"))  # type: ignore[arg-type]
    follow = session.followers(items[0]) if len(items) == 1 and session.scene.ladder is not None else np.array(items)
    return joins | {"follow": follow[:5000].tolist(), "n_follow": len(follow)}


def _items(session: Session, body: dict[str, Any]) -> list[int]:
    items = list_of("items", body.get("items"), "objects", error=EventError)
    return [whole_number("items", i, 0, session.n_objects - 1, error=EventError) for i in items]


def _described(session: Session, body: dict[str, Any]) -> list[dict[str, Any]]:
    return objects(session, _items(session, body)[:_MOST_OBJECTS])


def _traits(session: Session, body: dict[str, Any]) -> dict[str, Any]:
    if "cluster" in body:
        key = whole_number("cluster", body["cluster"], 0, 2**31 - 1, error=EventError)
        inside = np.flatnonzero(session.state.labels == key)
    else:
        inside = np.unique(_items(session, body))
    return {"n": len(inside), "traits": traits(session, inside)}


def _report(session: Session) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return session.result().report(Path(folder) / "report.html").read_bytes()


def _constraints(session: Session) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "constraints.json"
        session.constraints.write(path, ids=session.scene.ids)
        return path.read_bytes()


_EXPORTS: dict[str, tuple[Callable[[Session], bytes], str]] = {
    "labels.csv": (lambda session: session.to_frame().to_csv(index=False).encode(), "text/csv"),
    "constraints.json": (_constraints, "application/json"),
    "session.json": (lambda session: json.dumps(session.export()).encode(), "application/json"),
    "report.html": (_report, "text/html"),
}


async def _news(desk: Desk, request: Request) -> AsyncIterator[str]:
    """A line whenever something has changed, for as long as the page listens."""
    known = -1
    while not await request.is_disconnected():
        if desk.version != known:
            known = desk.version
            told = {"seq": desk.session.seq, "map": desk.map_version, "working": desk.working, "problem": desk.problem}
            yield f"data: {json.dumps(told)}\n\n"
        await asyncio.sleep(_POLL)


def _binary(content: bytes) -> Response:
    return Response(content, media_type="application/octet-stream")


def _problem(text: str, status: int) -> Response:
    return JSONResponse({"error": text}, status)


def _files() -> dict[str, bytes]:
    """All files that are ever served, by name."""
    files = {path.name: path.read_bytes() for path in _PAGE.iterdir() if path.suffix in _TYPES}
    return files | {"plotly.js": get_plotlyjs().encode()}


def free_socket(port: int = 0) -> socket.socket:
    """A socket on the loopback interface; by default on any free port."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise ValueError(
            f"Port {port} cannot be used ({error.strerror}): give another --port, or leave it out."
        ) from error
    listener.listen(128)
    return listener


def serve(desk: Desk, listener: socket.socket, token: str) -> None:
    """Serve until it is interrupted."""
    import uvicorn

    app = create_app(desk, token, listener.getsockname()[1])
    config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=1, server_header=False)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        desk.close()
