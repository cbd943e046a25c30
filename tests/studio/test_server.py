import importlib
import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient
from sklearn.datasets import make_blobs

import pluribus
from pluribus.studio import Session, open_studio
from pluribus.studio._desk import Desk
from pluribus.studio._store import Store, StoreError
from pluribus.studio.open_studio import desk_in
from pluribus.studio.server import create_app

TOKEN, PORT = "a-token-of-the-test", 8123


@pytest.fixture(scope="module")
def clustering():
    X, _ = make_blobs(120, centers=[[0, 0], [6, 0], [3, 6]], random_state=0)
    return pluribus.cluster(X, 3, seed=0, verbose=False)


@pytest.fixture
def desk(clustering, tmp_path):
    desk = Desk.opened(Session(clustering), Store(tmp_path / "session.sqlite"))
    yield desk
    desk.close()


@pytest.fixture
def client(desk):
    app = create_app(desk, TOKEN, PORT)
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}", headers={"X-Token": TOKEN}) as client:
        yield client


def event(client, type, seq=None, **args):
    seq = client.get("/api/state").json()["seq"] if seq is None else seq
    return client.post("/api/event", json={"seq": seq, "type": type, "args": args})


def labels(client, path="/api/labels"):
    content = client.get(path).content
    n = len(content) // 8
    return np.frombuffer(content, "<i4", n), np.frombuffer(content, "<f4", n, 4 * n)


def test_the_state_is_that_of_the_session(client, desk):
    state = client.get("/api/state").json()
    assert (state["n"], state["seq"], len(state["clusters"])) == (120, 0, 3)
    found, confidence = labels(client)
    assert found.tolist() == desk.session.state.labels.tolist()
    assert confidence == pytest.approx(desk.session.confidence, abs=1e-6)
    assert len(client.get("/api/positions").content) == 120 * 8


def test_events_change_the_labels_and_can_be_undone(client):
    before = labels(client)[0].tolist()
    answer = event(client, "group", items=[0, 1, 2], name="mine")
    assert answer.status_code == 200
    assert "mine" in [cluster["name"] for cluster in answer.json()["clusters"]]
    assert labels(client)[0].tolist() != before
    assert labels(client, "/api/labels?step=0")[0].tolist() == before
    event(client, "undo")
    assert labels(client)[0].tolist() == before


def test_a_stale_event_gets_the_state_and_changes_nothing(client, desk):
    event(client, "rename", cluster=0, name="a")
    answer = event(client, "rename", seq=0, cluster=0, name="b")
    assert answer.status_code == 409
    assert answer.json()["state"]["seq"] == 1
    assert desk.session.name_of(0) == "a"


def test_events_that_cannot_be_taken_say_why(client, desk):
    answer = event(client, "assign", items=[0], cluster=99)
    assert answer.status_code == 422
    assert "no cluster 99" in answer.json()["error"]
    assert desk.session.seq == 0


def test_questions_suggestions_traits_and_previews(client, desk):
    pair = client.get("/api/question").json()["pair"]
    assert len(pair) == 2
    assert len(client.get("/api/suggest").json()) >= 1
    traits = client.post("/api/traits", json={"cluster": desk.session.keys[0]}).json()
    assert traits["n"] == 40
    assert traits["traits"]
    seen = client.post("/api/preview", json={"items": [0], "x": 500, "y": 400}).json()
    assert set(seen) == {"joins", "follow", "n_follow"}
    shown = client.post("/api/objects", json={"items": [3, 4]}).json()
    assert [object["item"] for object in shown] == [3, 4]


def test_links_are_sent_and_large_graphs_sampled(monkeypatch):
    X, _ = make_blobs(30, centers=[[0, 0], [8, 8]], random_state=0)
    edges = np.array([(i, i + 1) for i in range(29)])
    clustering = pluribus.cluster(X, 2, graph=edges, connected=True, verbose=False)
    desk = Desk(Session(clustering))
    with TestClient(create_app(desk, TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}") as client:
        pairs = np.frombuffer(client.get(f"/api/links?token={TOKEN}").content, "<i4").reshape(-1, 2)
        assert pairs.tolist() == edges.tolist()
        monkeypatch.setattr("pluribus.studio._views._LINKS", 7)
        assert len(client.get(f"/api/links?token={TOKEN}").content) == 7 * 8
    desk.close()


def test_exports(client, desk, clustering):
    event(client, "link", one=0, other=1, kind="cannot")
    rows = client.get("/api/export/labels.csv").text.splitlines()
    assert rows[0] == "id,cluster,name,confidence,stated"
    assert len(rows) == 121
    assert json.loads(client.get("/api/export/constraints.json").text)
    exported = json.loads(client.get("/api/export/session.json").text)
    again = Session(clustering).replay(exported)
    assert again.labels.tolist() == desk.session.labels.tolist()
    assert "<html" in client.get("/api/export/report.html").text
    assert client.get("/api/export/passwd").status_code == 404


# -- who is served ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Token": ""},
        {"X-Token": TOKEN[:-1]},
        {"Host": "evil.example"},
        {"Host": f"127.0.0.1.evil.example:{PORT}"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://127.0.0.1:{PORT}"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/state", "/api/labels", "/api/stream", "/api/export/labels.csv"])
def test_strangers_are_refused(client, headers, path):
    assert client.get(path, headers=headers).status_code == 403


def test_a_stranger_changes_nothing(client, desk):
    body = {"seq": 0, "type": "rename", "args": {"cluster": 0, "name": "x"}}
    for headers in ({"X-Token": "no"}, {"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        assert client.post("/api/event", json=body, headers=headers).status_code == 403
    assert (
        client.post("/api/event", content=json.dumps(body), headers={"Content-Type": "text/plain"}).status_code == 415
    )
    assert desk.session.seq == 0


def test_pages_have_a_strict_policy_and_no_path_is_taken(client):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "<script>" not in page.text
    for name in ("../_store.py", "..%2f_store.py", "%2e%2e/session.py", "app.js/../../session.py", "nothing.js"):
        assert client.get(f"/static/{name}").status_code in (403, 404)
    assert client.get("/static/app.js").headers["content-type"].startswith("text/javascript")


def bodies(rng):
    """Requests of all kinds that make no sense."""
    values = [
        None,
        True,
        -1,
        10**30,
        1e308,
        "x",
        "",
        [],
        {},
        [[]],
        ["0"],
        [0] * 1000,
        {"items": [0]},
        "\u0000",
        "💥" * 50,
    ]
    kinds = [
        "move",
        "unpin",
        "link",
        "unlink",
        "group",
        "assign",
        "merge",
        "split",
        "recluster",
        "rename",
        "answer",
        "k",
    ]
    names = [
        "items",
        "x",
        "y",
        "one",
        "other",
        "kind",
        "cluster",
        "clusters",
        "name",
        "into",
        "answer",
        "k",
        "statement",
    ]
    pick = lambda options: options[rng.integers(len(options))]  # noqa: E731
    args = {pick(names): pick(values) for _ in range(rng.integers(0, 5))}
    whole = {"seq": pick([0, *values]), "type": pick([*kinds, *values]), "args": pick([args, args, args, *values])}
    texts = [json.dumps(whole).encode(), json.dumps(whole).encode()[: rng.integers(1, 30)], rng.bytes(40), b"[" * 5000]
    return texts[rng.choice(4, p=[0.85, 0.05, 0.05, 0.05])]


@pytest.mark.parametrize("n", [1500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_malformed_requests_change_nothing(client, desk, n):
    rng = np.random.default_rng(n)
    headers = {"Content-Type": "application/json"}
    paths = ("/api/event", "/api/event", "/api/preview", "/api/objects", "/api/traits", "/api/cancel")
    before = desk.session.export()
    for _ in range(n):
        path = paths[rng.integers(len(paths))]
        answer = client.post(path, content=bodies(rng), headers=headers)
        assert answer.status_code in (200, 400, 409, 422), answer.text
        if path == "/api/event":
            assert answer.status_code != 200, answer.text
    assert desk.session.export() == before


@pytest.mark.parametrize("step", ["²", "1" * 5000, "-1", "x", "1"])
def test_steps_that_are_not_there_are_refused(client, step):
    assert client.get("/api/labels", params={"step": step}).status_code == 422


@pytest.mark.parametrize("path", ["/api/preview", "/api/objects", "/api/traits"])
@pytest.mark.parametrize("item", ["zz", "0", None, 120, 0.5, True, [0]])
def test_objects_that_are_not_there_are_refused(client, path, item):
    assert client.post(path, json={"items": [item], "x": 1, "y": 1}).status_code == 422


def test_names_that_cannot_be_sent_are_refused(client, desk):
    body = b'{"seq": 0, "type": "rename", "args": {"cluster": 0, "name": "\\ud800"}}'
    answer = client.post("/api/event", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "surrogate" in answer.json()["error"]
    assert client.get("/api/state").json()["seq"] == 0


def test_large_requests_are_refused(client, desk, monkeypatch):
    monkeypatch.setattr("pluribus.studio.server.MOST_BYTES", 1000)
    body = {"seq": 0, "type": "group", "args": {"items": list(range(120)) * 5}}
    assert client.post("/api/event", json=body).status_code == 413
    parts = (b" " * 400 for _ in range(5))  # sent without a length
    assert client.post("/api/event", content=parts, headers={"Content-Type": "application/json"}).status_code == 413
    assert client.get("/api/state", headers={"Content-Length": "x"}).status_code == 413
    assert desk.session.seq == 0


# -- work in the background ------------------------------------------------------------------------------------------


def wait(condition):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within a minute")


def test_a_slow_engine_works_in_the_background(client, desk):
    event(client, "engine", engine="cop-kmeans")
    wait(lambda: not desk.working)
    assert event(client, "link", one=0, other=1, kind="must").status_code == 202
    wait(lambda: not desk.working)
    assert desk.session.seq == 2
    assert desk.session.labels[0] == desk.session.labels[1]


def test_slow_work_that_cannot_be_kept_is_reported(desk, monkeypatch):
    def full(*args):
        raise OSError("No space left on device")

    monkeypatch.setattr(desk, "_is_slow", lambda kind: True)
    monkeypatch.setattr(desk, "_keep", full)
    desk.take(0, "group", {"items": [0, 1], "name": "first"})
    wait(lambda: not desk.working)
    assert desk.problem == "This failed (OSError): No space left on device"
    assert desk.session.seq == 0


def test_work_counts_as_done_only_when_it_is_kept(desk, monkeypatch):
    keep, seen = desk._keep, []

    def watched(ready):
        seen.append(desk.working)
        keep(ready)

    monkeypatch.setattr(desk, "_is_slow", lambda kind: True)
    monkeypatch.setattr(desk, "_keep", watched)
    desk.take(0, "group", {"items": [0, 1], "name": "first"})
    wait(lambda: not desk.working)
    assert seen == ["group"]
    assert desk.session.seq == 1


def test_slow_work_can_be_cancelled_and_nothing_else_is_taken_meanwhile(client, desk, monkeypatch):
    event(client, "engine", engine="cop-kmeans")
    wait(lambda: not desk.working)
    entered, leave = threading.Event(), threading.Event()
    prepared = desk.session.prepared

    def slow(*args):
        entered.set()
        leave.wait(60)
        return prepared(*args)

    monkeypatch.setattr(desk.session, "prepared", slow)
    assert event(client, "link", one=0, other=1, kind="must").status_code == 202
    assert entered.wait(60)
    assert event(client, "rename", cluster=0, name="x").status_code == 423
    assert client.post("/api/cancel", json={}).json() == {"cancelled": True}
    leave.set()
    assert desk.session.seq == 1
    monkeypatch.setattr(desk.session, "prepared", prepared)
    wait(lambda: desk._pool.submit(lambda: True).result())
    assert desk.session.seq == 1


def test_work_that_is_cancelled_while_it_waits_is_not_done_in_place_of_the_next(desk, monkeypatch):
    leave = threading.Event()
    monkeypatch.setattr(desk, "_is_slow", lambda kind: True)
    desk._pool.submit(leave.wait, 60)  # something that was cancelled and still runs
    desk.take(0, "group", {"items": [0, 1], "name": "first"})
    assert desk.cancel()
    desk.take(0, "group", {"items": [2, 3], "name": "second"})
    leave.set()
    wait(lambda: not desk.working)
    desk._pool.submit(int).result()
    assert [event["args"]["name"] for event in desk.session.log] == ["second"]


def test_a_name_does_not_run_the_engine_again(desk, monkeypatch):
    desk.session.set_engine("cop-kmeans")
    monkeypatch.setattr("pluribus.studio._apply.labels_by_engine", lambda *_: pytest.fail("it ran"))
    desk.take(1, "rename", {"cluster": desk.session.keys[0], "name": "mine"})
    assert desk.session.name_of(desk.session.keys[0]) == "mine"


def test_statements_that_an_engine_does_not_follow_are_marked(client, desk):
    a, b = (int(np.flatnonzero(desk.session.state.labels == key)[0]) for key in desk.session.keys[:2])
    desk.session.must_link(a, b)
    assert [s["state"] for s in client.get("/api/state").json()["statements"]] == ["holds"]
    desk.session.set_engine("seeded-kmeans")  # it knows labels, but no pairs
    assert [s["state"] for s in client.get("/api/state").json()["statements"]] == ["not followed by seeded-kmeans"]


# -- the log ---------------------------------------------------------------------------------------------------------


def test_a_session_goes_on_after_a_restart(clustering, tmp_path):
    desk = desk_in(tmp_path / "work", lambda: clustering, about={"data": "a"})
    desk.take(0, "group", {"items": [0, 1, 2], "name": "mine"})
    desk.take(1, "undo", {})
    desk.take(2, "redo", {})
    before = desk.session.export(), desk.session.labels.tolist()
    desk.close()
    again = desk_in(tmp_path / "work", lambda: pytest.fail("made again"), about={"data": "a"})
    assert (again.session.export(), again.session.labels.tolist()) == before
    again.close()
    with pytest.raises(StoreError, match="different data"):
        desk_in(tmp_path / "work", lambda: clustering, about={"data": "b"})


def test_a_session_is_opened_with_the_seed_it_was_made_with(clustering, tmp_path):
    desk_in(tmp_path / "work", lambda: clustering, seed=1).close()
    with pytest.raises(StoreError, match="a different seed"):
        desk_in(tmp_path / "work", lambda: clustering, seed=2)


def test_options_that_could_not_be_used_are_not_kept(clustering, tmp_path):
    def fails():
        raise ValueError("k is too large")

    with pytest.raises(ValueError, match="too large"):
        desk_in(tmp_path / "work", fails, about={"options": "--k 999"})
    desk_in(tmp_path / "work", lambda: clustering, about={"options": "--k 3"}).close()


def test_another_clustering_does_not_open_the_session_of_the_first(clustering, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["pluribus.studio.open_studio"], "run_desk", lambda desk, **how: desk.close())
    open_studio(clustering, out=tmp_path / "kept", browser=False)
    open_studio(clustering, out=tmp_path / "kept", browser=False)
    with pytest.raises(StoreError, match="different clustering"):
        open_studio(Session(clustering).group([0, 1]).result(), out=tmp_path / "kept", browser=False)


def test_a_saved_session_is_followed_once(clustering, tmp_path):
    exported = Session(clustering).group([0, 1], "two").export()
    desk = desk_in(tmp_path / "work", lambda: clustering, session=exported)
    assert "two" in desk.session.to_frame()["name"].tolist()
    desk.close()
    with pytest.raises(ValueError, match="keeps a session of 1 steps"):
        desk_in(tmp_path / "work", lambda: clustering, session=exported)


def test_damaged_logs_are_refused(clustering, tmp_path):
    (tmp_path / "session.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="no log of a session"):
        Store(tmp_path / "session.sqlite")
    store = Store(tmp_path / "other.sqlite")
    store.append({"seq": 1, "type": "eval", "args": {}})
    with pytest.raises(ValueError, match="no event 'eval'"):
        Desk.opened(Session(clustering), store)
    store._connection.execute("update events set args = 'x'")
    with pytest.raises(StoreError, match="damaged"):
        list(store.events())
    store.close()


def test_a_saved_session_is_kept_whole_or_not_at_all(clustering, tmp_path):
    store = Store(tmp_path / "session.sqlite")
    events = [{"seq": 1, "type": "undo", "args": {}}, {"seq": 1, "type": "undo", "args": {}}]
    with pytest.raises(sqlite3.IntegrityError):
        store.extend(events)
    assert list(store.events()) == []
    store.extend(events[:1])
    assert len(list(store.events())) == 1
    store.close()


def test_long_looks_do_not_hold_up_events(desk):
    entered, leave, seen = threading.Event(), threading.Event(), []

    def look(session):
        entered.set()
        leave.wait(60)
        seen.append(session.seq)

    reader = threading.Thread(target=desk.read, args=(look,))
    reader.start()
    assert entered.wait(60)
    assert desk.take(0, "group", {"items": [0, 1]})
    leave.set()
    reader.join()
    assert (desk.session.seq, seen) == (1, [0])


def test_undo_to_a_state_that_is_not_kept_works_in_the_background(desk, monkeypatch):
    desk.take(0, "group", {"items": [0, 1]})
    desk.take(1, "group", {"items": [2, 3]})
    after = desk.session.state_at(1).labels.tolist()
    assert desk.take(2, "undo", {})
    desk.take(3, "redo", {})
    del desk.session._history._states[1]
    assert not desk.take(4, "undo", {})
    wait(lambda: not desk.working)
    assert desk.session.state.labels.tolist() == after


def test_a_session_is_opened_with_the_links_it_was_made_with(tmp_path, monkeypatch):
    command = importlib.import_module("pluribus.cli._studio")
    monkeypatch.setattr(command, "run_desk", lambda desk, **how: desk.close())
    X, _ = make_blobs(20, centers=[[0, 0], [8, 8]], random_state=0)
    np.savetxt(tmp_path / "g.csv", X, delimiter=",", header="a,b", comments="")
    links = "source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(19))
    how = {"k": 2, "out": tmp_path / "kept", "quiet": True}
    for name in ("links.csv", "same.csv", "other.csv"):
        (tmp_path / name).write_text(links if name != "other.csv" else links + "0,5\n")
    command.run(tmp_path / "g.csv", graph=tmp_path / "links.csv", **how)
    command.run(tmp_path / "g.csv", graph=tmp_path / "same.csv", **how)
    with pytest.raises(StoreError, match="different options"):
        command.run(tmp_path / "g.csv", graph=tmp_path / "other.csv", **how)


def started(folder):
    command = [sys.executable, "-m", "pluribus", "studio", "g.csv", "--k", "2", "--no-browser", "--quiet"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_no_acknowledged_event_is_lost_when_the_server_is_killed(tmp_path, kills):
    X, _ = make_blobs(60, centers=[[0, 0], [8, 8]], random_state=0)
    np.savetxt(tmp_path / "g.csv", X, delimiter=",", header="a,b", comments="")
    rng, acknowledged = np.random.default_rng(0), 0
    for _ in range(kills):
        process, address = started(tmp_path)
        base, _, token = address.partition("/?token=")
        with httpx.Client(base_url=base, headers={"X-Token": token}, timeout=60) as client:
            seq = client.get("/api/state").json()["seq"]
            assert seq in (acknowledged, acknowledged + 1)  # the last one may have been kept without an answer
            acknowledged, last = seq, seq + int(rng.integers(1, 12))
            delay = float(rng.uniform(0, 0.05))
            killer = (
                subprocess.Popen(["sh", "-c", f"sleep {delay}; kill -9 {process.pid}"]) if rng.uniform() < 0.7 else None
            )
            try:
                for number in range(acknowledged, last if killer is None else acknowledged + 10_000):
                    body = {"seq": number, "type": "rename", "args": {"cluster": 0, "name": f"name {number}"}}
                    assert client.post("/api/event", json=body).status_code == 200
                    acknowledged = number + 1
            except httpx.TransportError:
                pass
            if killer is not None:
                killer.wait()
        process.kill()
        process.wait()
    process, address = started(tmp_path)
    base, _, token = address.partition("/?token=")
    state = httpx.get(f"{base}/api/state", headers={"X-Token": token}, timeout=60).json()
    assert state["seq"] in (acknowledged, acknowledged + 1)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
