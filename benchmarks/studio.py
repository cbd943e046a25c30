"""The studio in a headless browser: from the drop of a point to new labels, and frames while the map is panned."""

import shutil
import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks._session import Session
from benchmarks._worker import Task

ROWS, POINTS = (10_000, 100_000), (100_000, 1_000_000)
DROPS, FRAMES = 10, 20
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-dev-shm-usage",
)
_DROP = "const [args, done] = arguments; studio.act('move', args).then(() => requestAnimationFrame(done))"
_PAN = """
const [n, frames, done] = arguments, map = studioMap;
if (map.n !== n) {
  const places = new Float32Array(2 * n), labels = new Int32Array(n), sure = new Float32Array(n).fill(0.8);
  for (let i = 0; i < n; i++) {
    places[2 * i] = 1000 * Math.random();
    places[2 * i + 1] = 800 * Math.random();
    labels[i] = i % 10;
  }
  map.setPositions(places);
  map.setLabels(labels, sure, null);
}
const pixel = new Uint8Array(4);
const shown = () => { map.draw(); map.gl.readPixels(0, 0, 1, 1, map.gl.RGBA, map.gl.UNSIGNED_BYTE, pixel); };
shown();
const started = performance.now();
let drawn = 0;
const step = () => {
  map.view.x += 3;
  shown();
  if (++drawn < frames) requestAnimationFrame(step); else done(performance.now() - started);
};
requestAnimationFrame(step);
"""


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        yield "There is no Chromium here: `make browser` installs it."
        return
    rows, points = (ROWS[:1], POINTS[:1]) if session.quick else (ROWS, POINTS)
    table = Table("rows", "drop to labels, median ms", "slowest ms", title="A drop", title_justify="left")
    for n in rows:
        result = session.measure(f"{n:,} rows", drops, repeat=1, n=n)
        if result.done:
            times = result.figures["milliseconds"]
            table.add_row(f"{n:,}", f"{np.median(times):.0f}", f"{max(times):.0f}")
    yield table
    table = Table("points", "frames per second", title="Panning, software WebGL", title_justify="left")
    for n in points:
        result = session.measure(f"{n:,} points", panning, repeat=1, may_fail=True, n=n)
        table.add_row(f"{n:,}", f"{result.figures['frames']:.1f}" if result.done else result.status)
    yield table


def drops(n: int) -> Task:
    """Drag objects to places where others are, and wait for the labels."""
    browser = _opened(n)

    def work() -> list[float]:
        rng = np.random.default_rng(0)
        found = []
        for item in rng.choice(n, DROPS + 1, replace=False):
            place = {"items": [int(item)], "x": float(rng.uniform(200, 800)), "y": float(rng.uniform(200, 600))}
            browser.execute_async_script(_DROP, place)
            found.append(float(browser.execute_script("return document.body.dataset.milliseconds")))
        browser.quit()
        return found[1:]  # the first one warms up

    return Task(work, lambda found: {"milliseconds": found})


def panning(n: int) -> Task:
    """Shift the view frame by frame; each frame is read back, so that it was really drawn."""
    browser = _opened(1000)

    def work() -> float:
        milliseconds = browser.execute_async_script(_PAN, n, FRAMES)
        browser.quit()
        return 1000 * FRAMES / milliseconds

    return Task(work, lambda frames: {"frames": frames})


def _opened(n: int) -> Any:
    """A browser with the studio of n rows in ten groups."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    import pluribus
    from pluribus.studio import Session as Statements
    from pluribus.studio._desk import Desk
    from pluribus.studio.server import free_socket, new_token, serve

    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 5))[np.arange(n) % 10] * 3 + rng.normal(size=(n, 5))
    desk = Desk(Statements(pluribus.cluster(X, k=10, verbose=False)))
    listener, token = free_socket(), new_token()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/?token={token}"
    threading.Thread(target=serve, args=(desk, listener, token), daemon=True).start()
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    browser.set_window_size(1280, 860)
    browser.set_script_timeout(300)
    browser.get(address)
    for _ in range(1200):
        if browser.execute_script("return document.body.dataset.ready"):
            return browser
        time.sleep(0.1)
    raise TimeoutError("the page did not open")
