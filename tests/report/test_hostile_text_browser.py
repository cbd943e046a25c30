"""Every page that a command writes, with text of the user's that tries to run: in a real browser nothing of it does."""

import re

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.support.ui import WebDriverWait
from typer.testing import CliRunner

from helpers import PATIENCE
from pluribus.cli._app import app

pytestmark = pytest.mark.browser

PAYLOADS = (
    "<script>pwned()</script>",
    '"><img src=x onerror=pwned()>',
    "</script><script>pwned()</script>",
    "{{ 7*7 }}${7*7}{% raw %}",
    "'-pwned()-'",
    "`${pwned()}`",
    "a\u2028pwned()\u2029",
    "\u202e\u200fpwned()\u202c",
    "<svg/onload=pwned()>",
    "<a href=javascript:pwned()>x</a>",
    "&lt;script&gt;pwned()&lt;/script&gt;",
    "]]><!--<script>pwned()//-->",
    "%{x}<extra><b>x</b></extra>",
)
FILE_NAME = "\"><img src=x onerror=pwned()>{{7*7}}\u202e'"  # as much as a file system takes
WATCH = """
window.ran = [];
window.pwned = () => window.ran.push('pwned');
window.alert = window.confirm = window.prompt = () => window.ran.push('dialog');
window.refused = [];
document.addEventListener('securitypolicyviolation', event => window.refused.push(event.violatedDirective));
"""
N = 60
GROUP = np.arange(N) % 3


def table():
    """Columns, ids and categories are payloads."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"{PAYLOADS[i % len(PAYLOADS)]} {i}" for i in range(N)]})
    for number, payload in enumerate(PAYLOADS[:4]):
        frame[f"{payload} {number}"] = rng.normal(size=N) + 9 * (number % 3 == GROUP)
    frame[f"kind {PAYLOADS[1]}"] = np.array(PAYLOADS, dtype=object)[GROUP]
    frame[f"state {PAYLOADS[0]}"] = np.array(PAYLOADS, dtype=object)[3 + (np.arange(N) % 4)]
    return frame


def labels():
    """Clusters and clusterings are called by payloads."""
    names, rng = np.array(PAYLOADS, dtype=object), np.random.default_rng(1)
    frame = pd.DataFrame({"id": table()["id"]})
    for number, payload in enumerate(PAYLOADS):
        frame[f"{payload} {number}"] = names[np.where(rng.random(N) < 0.2, rng.integers(0, 3, N), GROUP) + number % 9]
    return frame


def written(folder, frame, name=FILE_NAME):
    frame.to_csv(folder / f"{name}.csv", index=False)
    return folder / f"{name}.csv"


def known_labels(folder):
    known = pd.DataFrame({"id": table()["id"][:6], "label": [PAYLOADS[c] for c in GROUP[:6]]})
    return written(folder, known, "known")


def pairs(folder):
    ids = table()["id"]
    return written(folder, pd.DataFrame({"one": [ids[6], ids[7]], "other": [ids[9], ids[10]]}), "pairs")


COMMANDS = {
    "cluster": lambda at: [
        *("cluster", written(at, table()), "--k", 3, "--members", 8, "--min-size", 5),
    ],
    "known": lambda at: [
        *("cluster", written(at, table()), "--k", 3, "--members", 8),
        *("--known-labels", known_labels(at), "--must-link", pairs(at)),
    ],
    "other-than": lambda at: [
        *(
            "cluster",
            written(at, table()),
            "--k",
            3,
            "--other-than",
            written(at, labels().iloc[:, :3], "known {{ 7*7 }}"),
        ),
        *("--method", "residual-kmeans"),
    ],
    "combine": lambda at: ["combine", written(at, labels()), "--k", 3],
    "compare": lambda at: [
        *("compare", f"{written(at, labels())}:{PAYLOADS[0]} 0", f"{written(at, labels())}:{PAYLOADS[1]} 1", "--all"),
        *("--data", written(at, table(), "data")),
    ],
    "validate": lambda at: ["validate", written(at, labels()), "--data", written(at, table(), "data")],
    "anonymize": lambda at: [
        *("anonymize", written(at, table()), "--k", 5, "--sensitive", f"state {PAYLOADS[0]}", "--l", 2),
    ],
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page of each command."""
    made = {}
    for name, command in COMMANDS.items():
        folder = tmp_path_factory.mktemp(name)
        done = CliRunner().invoke(app, [*map(str, command(folder)), "--out", str(folder / "<b>out"), "--quiet"])
        assert done.exit_code == 0, done.output
        (made[name],) = (folder / "<b>out").glob("*.html")
    return made


@pytest.fixture(params=list(COMMANDS))
def page(request, browser, pages):
    """A page, opened and drawn by a browser that notes what runs and what its policy refuses."""
    watch = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    browser.get(pages[request.param].as_uri())
    WebDriverWait(browser, PATIENCE).until(
        lambda b: b.execute_script("return document.documentElement.classList.contains('all-drawn')")
    )
    yield browser
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", watch)


def test_nothing_of_the_users_runs_and_all_of_it_is_shown(page):
    for name in page.execute_script(
        "return [...document.querySelectorAll('[data-figure]')].map(e => e.dataset.figure)"
    ):
        page.execute_script(
            "let f = document.querySelector(`[data-figure=${arguments[0]}]`);"
            "try { Plotly.Fx.hover(f, [{curveNumber: 0, pointNumber: 0}]) } catch (error) {}",
            name,
        )
    page.execute_script("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert page.execute_script("return window.ran") == []
    assert page.execute_script("return window.refused") == []
    assert page.execute_script("return document.querySelectorAll('img, iframe, object, embed, base, form').length") == 0
    assert (
        page.execute_script("return document.querySelectorAll('[href^=javascript], [onload], [onerror]').length") == 0
    )
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    text = page.execute_script("return document.body.textContent + document.title")
    assert "img src=x" in text
    assert "49" not in re.findall(r"49(?=\$\{|49|\u202e)", text)
    assert "{{" in text


def test_the_policy_is_strict(page):
    policy = page.execute_script(
        "return document.querySelector('meta[http-equiv=Content-Security-Policy]').getAttribute('content')"
    )
    parts = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
    assert parts["default-src"] == parts["base-uri"] == parts["form-action"] == ["'none'"]
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/=]{44}'", source) for source in parts["script-src"])
    assert not re.search(r"https?:|\*|unsafe-eval", policy)
    assert page.execute_script(
        "return document.querySelector('meta[http-equiv]').previousElementSibling.outerHTML"
    ) == ('<meta charset="utf-8">')
    # What would run if text of the user's became part of the page after all:
    page.execute_script(
        "let script = document.createElement('script'); script.textContent = 'pwned()'; document.body.append(script);"
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=pwned()>');"
        "document.body.insertAdjacentHTML('beforeend', '<iframe srcdoc=\"<script>parent.pwned()</scr\" + \"ipt>\">');"
        "fetch('https://example.com').catch(() => 0); new Image().src = 'https://example.com/x.png';"
    )
    WebDriverWait(page, PATIENCE).until(lambda b: len(b.execute_script("return window.refused")) >= 4)
    assert page.execute_script("return window.ran") == []
    assert {"connect-src", "img-src"} <= set(page.execute_script("return window.refused"))
