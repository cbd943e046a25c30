import json
import re

import numpy as np
import pandas as pd
import pytest

import pluribus
from helpers import PATIENCE
from pluribus.report import summarize_states, write_states
from pluribus.report.states._figures import states_figures
from pluribus.report.states.page import render_states


def found(level, hostile="pulse", **options):
    X = np.asarray(level, dtype=float)[:, None] + 0.4 * np.random.default_rng(0).normal(size=(len(level), 2))
    frame = pd.DataFrame(X, columns=[hostile, "b"])
    return pluribus.states(frame, surrogates=19, verbose=False, **options)


@pytest.fixture(scope="module")
def smooth():
    return found(np.concatenate([np.zeros(30), np.linspace(0, 6, 12), np.full(30, 6.0)]))


def test_numbers(smooth):
    summary = summarize_states(smooth)
    assert summary.n_rows == 72
    assert summary.n_removed == smooth.n_removed == (smooth.labels < 0).sum()
    assert sum(stretch.n_rows for stretch in summary.stretches) == 72
    np.testing.assert_allclose(summary.evidence, smooth.coassociation)
    assert summary.headline == "2 distinct states, more than a drift explains"
    assert smooth.test.verdict in summary.findings
    assert "left out as transition" in " ".join(summary.findings)


def test_words_of_other_results():
    drifting = summarize_states(found(np.linspace(0, 6, 60)))
    assert "a drift explains the signal as well" in drifting.headline
    abrupt = summarize_states(found(np.repeat([0, 6], 30)))
    assert "no row is left out as transition" in " ".join(abrupt.findings)
    noise = summarize_states(found(np.zeros(60)))
    assert "No block of rows was found" in " ".join(noise.findings)


def test_large_evidence_is_averaged(smooth):
    long = found(np.repeat([0, 6], 400), windows=50)
    summary = summarize_states(long)
    assert summary.evidence.shape == (240, 240)
    assert summary.evidence.mean() == pytest.approx(long.coassociation.mean(), abs=0.01)


def test_figures_are_json_with_the_states_as_a_ribbon(smooth):
    figures = states_figures(summarize_states(smooth))
    assert set(figures) == {"signal", "evidence", "drift"}
    json.dumps(figures, allow_nan=False)
    ribbon = [shape for shape in figures["signal"]["layout"]["shapes"] if shape["y0"] > 1]
    assert len(ribbon) == len(smooth.intervals)


def test_the_page_escapes_the_users_text(hostile, tmp_path):
    case = found(np.repeat([0, 6], 20), hostile)
    text = render_states(summarize_states(case))
    assert "<img" not in text
    assert "<b>bold" not in text
    assert text.count("<script") == 3
    assert "Content-Security-Policy" in text
    json.loads(re.search(r'id="figure-data">(.*?)</script>', text)[1])
    assert write_states(case, tmp_path / "s.html").exists()
    assert case.report(tmp_path / "t.html").read_text() == text


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1200])
def test_in_a_browser(browser, screen, hostile, tmp_path, width):
    from selenium.webdriver.support.ui import WebDriverWait

    case = found(np.concatenate([np.zeros(30), np.linspace(0, 6, 12), np.full(30, 6.0)]), hostile)
    screen(width)
    browser.get(write_states(case, tmp_path / "s.html").as_uri())
    drawn = "return document.documentElement.classList.contains('all-drawn')"
    WebDriverWait(browser, PATIENCE).until(lambda b: b.execute_script(drawn))
    assert browser.execute_script("return document.querySelectorAll('[data-figure] .main-svg').length") >= 3
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.documentElement.scrollWidth - arguments[0]", width) <= 0
    assert browser.get_log("browser") == []
