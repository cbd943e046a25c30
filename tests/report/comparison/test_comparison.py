import json
import re

import numpy as np
import pytest

from helpers import PATIENCE
from pluribus import Ensemble
from pluribus.compare import compare_partitions
from pluribus.report import Comparison, summarize_comparison, write_comparison
from pluribus.report._internal import describe_comparison
from pluribus.report.comparison._figures import comparison_figures
from pluribus.report.comparison.measures import MEASURES
from pluribus.report.comparison.page import render_comparison


def compared(a, b, **more):
    return Comparison("two", Ensemble([a, b]), compare_partitions(a, b), **more)


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 120)
    b = np.where(rng.random(120) < 0.2, rng.integers(0, 5, 120), (a + 1) % 4)
    return a, b


def test_every_measure_has_words(pair):
    X = np.random.default_rng(1).normal(size=(120, 2))
    assert compare_partitions(*pair, X).keys() == MEASURES.keys()


def test_partners_stand_on_the_diagonal(pair):
    table = summarize_comparison(compared(*pair)).crossing
    assert table.counts.sum() == 120
    partners = [table.counts[i].argmax() for i in range(4)]
    assert partners == sorted(partners)
    assert table.counts[range(4), partners].sum() == 120 - compared(*pair).n_moved


def test_many_clusters_stand_together():
    rng = np.random.default_rng(0)
    table = summarize_comparison(compared(rng.integers(0, 80, 400), rng.integers(0, 50, 400))).crossing
    assert table.counts.shape == (31, 31)
    assert table.counts.sum() == 400
    assert table.names[0][-1] == "50 smaller"


@pytest.mark.parametrize(
    ("a", "b", "headline", "words"),
    [
        ([0, 0, 1, 1], ["x", "x", "y", "y"], "A and B are the same partition", "every object stays"),
        ([0, 0, 0, 1, 1, 1], [0, 1, 1, 2, 3, 3], "B divides A further", "B splits A's cluster 0 into"),
        ([0, 1, 1, 2, 3, 3], [0, 0, 0, 1, 1, 1], "A divides B further", "B unites A's clusters 1"),
        ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1] * 2, "A and B divide the objects differently", "Torn between"),
    ],
)
def test_words(a, b, headline, words):
    told = describe_comparison(summarize_comparison(compared(a, b)))
    assert told.headline == headline
    assert words in " ".join(told.findings)


def test_objects_in_one_only_do_not_count():
    summary = summarize_comparison(compared([0, 0, 1, 1, None], [0, 0, 1, None, 1], X=np.eye(5)))
    assert summary.n_compared == 3
    assert summary.histogram.sum() == 3
    assert comparison_figures(summary)["map"]["data"][0]["name"] == "in one only"


def test_the_map_marks_what_differs(pair):
    X = np.random.default_rng(1).normal(size=(120, 3))
    case = compared(*pair, X=X)
    traces = comparison_figures(summarize_comparison(case))["map"]["data"]
    different = next(trace for trace in traces if trace["name"].startswith("different"))
    assert len(different["x"]) == case.n_moved
    assert sum(len(trace["x"]) for trace in traces if trace["x"] != [None]) == 120


def test_bad_input(pair):
    with pytest.raises(ValueError, match="two partitions; 3"):
        Comparison("t", Ensemble([pair[0]] * 3), {})
    with pytest.raises(ValueError, match="X has 5 rows"):
        compared(*pair, X=np.eye(5))


def test_page_without_data_and_with_hostile_text(pair, hostile, tmp_path):
    a, b = pair
    names = [f"{hostile}{side}" for side in "ab"]
    labels = [[f"{hostile}{label}" for label in side] for side in (a, b)]
    ids = np.array([f"{hostile}{i}" for i in range(120)])
    case = Comparison(
        hostile, Ensemble(labels, names=names, ids=ids), compare_partitions(a, b), notes=(hostile,),
        parameters={hostile: hostile},
    )  # fmt: skip
    text = render_comparison(summarize_comparison(case))
    assert "<img" not in text
    assert "<b>bold" not in text
    assert text.count("<script") == 3
    assert "A map is not possible from labels alone" in text
    json.loads(re.search(r'id="figure-data">(.*?)</script>', text)[1])
    assert [p.name for p in (write_comparison(case, tmp_path / "c.html"), *tmp_path.iterdir())] == ["c.html"] * 2


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1200])
def test_in_a_browser(browser, screen, pair, hostile, tmp_path, width):
    from selenium.webdriver.support.ui import WebDriverWait

    a, b = pair
    labels = [[f"{hostile}{label}" for label in side] for side in (a, b)]
    X = np.random.default_rng(1).normal(size=(120, 3))
    case = Comparison(hostile, Ensemble(labels, names=[hostile, "b"]), compare_partitions(a, b, X), X=X)
    screen(width)
    browser.get(write_comparison(case, tmp_path / "c.html").as_uri())
    drawn = "return document.documentElement.classList.contains('all-drawn')"
    WebDriverWait(browser, PATIENCE).until(lambda b: b.execute_script(drawn))
    assert browser.execute_script("return document.querySelectorAll('[data-figure] .main-svg').length") >= 3
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.documentElement.scrollWidth - arguments[0]", width) <= 0
    assert browser.get_log("browser") == []
