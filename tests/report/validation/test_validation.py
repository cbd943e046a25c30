import json
import re

import numpy as np
import pandas as pd
import pytest

from helpers import PATIENCE
from pluribus import Ensemble
from pluribus.report import Validation, render, summarize, summarize_validation, write_validation
from pluribus.report._internal import k_indices
from pluribus.report.validation._figures import validation_figures
from pluribus.report.validation.page import render_validation, validation_headline
from pluribus.report.validation.validation import indices
from pluribus.validate import choose_k, choose_partition, silhouette_index


@pytest.fixture
def make():
    """Three groups, and candidates of them: right, united, at random."""

    def make(n=90, names=("right", "united", "random"), with_X=True, with_ensemble=True, **more):
        rng = np.random.default_rng(0)
        truth = np.sort(rng.integers(0, 3, n))
        X = rng.normal(size=(n, 3)) + 5 * np.eye(3)[truth]
        candidates = Ensemble([truth, np.minimum(truth, 1), rng.integers(0, 3, n)], names=list(names))
        members = Ensemble([np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), truth) for _ in range(8)])
        X, members = X if with_X else None, members if with_ensemble else None
        criteria = None if with_X else ["similarity_dunn"]
        choice = choose_partition(candidates, X, ensemble=members, criteria=criteria)
        return Validation("t", candidates, choice, X=X, ensemble=members, **more)

    return make


def test_ranking_and_headline(make):
    summary = summarize_validation(make())
    assert summary.candidates[0] == summary.chosen == "right"
    assert sorted(summary.votes.tolist(), reverse=True) == summary.votes.tolist()
    assert validation_headline(summary) == "right is best by all indices"


def test_silhouettes_are_those_of_the_objects(make):
    case = make()
    found = summarize_validation(case).silhouettes[0]
    everyone = np.concatenate(found.values)
    assert everyone.mean() == pytest.approx(silhouette_index(case.candidates.labels[:, 0], case.X))
    assert found.mean == pytest.approx(everyone.mean())


def test_silhouettes_of_evidence(make):
    case = make(with_X=False)
    summary = summarize_validation(case)
    assert summary.silhouettes_of == "evidence"
    expected = silhouette_index(case.candidates.labels[:, 0], similarity=case.ensemble)
    assert summary.silhouettes[0].mean == pytest.approx(expected)


def test_figures_by_k_if_that_differs(make):
    figures = validation_figures(summarize_validation(make()))
    assert figures["index-silhouette"]["layout"]["xaxis"]["title"]["text"] == "number of clusters"
    assert sorted(figures["index-silhouette"]["data"][0]["x"]) == [2, 3, 3]


def test_hostile_names(make, hostile, tmp_path):
    case = make(names=[f"{hostile}{i}" for i in range(3)], notes=(hostile,), parameters={hostile: hostile})
    text = render_validation(summarize_validation(case))
    assert "<img" not in text
    assert "<b>bold" not in text
    assert text.count("<script") == 3
    json.loads(re.search(r'id="figure-data">(.*?)</script>', text)[1])
    assert write_validation(case, tmp_path / "v.html").exists()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1200])
def test_in_a_browser(browser, screen, make, hostile, tmp_path, width):
    from selenium.webdriver.support.ui import WebDriverWait

    case = make(names=[f"{hostile}{i}" for i in range(3)])
    screen(width)
    browser.get(write_validation(case, tmp_path / "v.html").as_uri())
    drawn = "return document.documentElement.classList.contains('all-drawn')"
    WebDriverWait(browser, PATIENCE).until(lambda b: b.execute_script(drawn))
    count = "return [...document.querySelectorAll('[data-figure]')].filter(e => e.querySelector('.main-svg')).length"
    assert browser.execute_script(count) == len(validation_figures(summarize_validation(case)))
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.documentElement.scrollWidth - arguments[0]", width) <= 0
    assert browser.get_log("browser") == []


def test_report_shows_the_indices_by_k(make_case):
    case = make_case()
    found = k_indices(choose_k(case.X, ensemble=case.ensemble, verbose=False), case.n_clusters)
    assert [index.criterion.name for index in found.indices] == ["lifetime", "silhouette"]
    text = render(summarize(make_case(k_indices=found)))
    assert "What the indices say of each number" in text
    assert 'data-figure="k-silhouette"' in text
    assert "What the indices say" not in render(summarize(case))


def test_no_indices_by_k_where_there_is_no_choice():
    assert k_indices(choose_k(Ensemble([[0, 1, 1]])), 2) is None
    assert k_indices(choose_k(Ensemble([[0, 0, 0, 0]])), 1) is None


def test_of_many_numbers_those_are_shown_that_matter():
    labels = np.repeat(np.arange(40), 5)
    found = k_indices(choose_k(Ensemble([labels, labels, labels, labels // 2, labels // 10]), verbose=False), 40)
    assert found.preferred == 40
    assert found.k.tolist() == [*range(2, 13), *range(28, 41)]
    assert len(found.indices[1].value) == len(found.k)


@pytest.mark.filterwarnings("error")
def test_an_index_that_is_infinite_or_undefined_for_all():
    """Dunn's index is infinite for the candidate whose clusters are points; NaN for all says nothing."""
    frame = pd.DataFrame(
        {
            "criterion": ["dunn"] * 2 + ["silhouette"] * 2,
            "candidate": ["a", "b"] * 2,
            "value": [np.inf, 3.0, np.nan, np.nan],
            "n_sampled": np.nan,
            "low": np.nan,
            "high": np.nan,
        }
    )
    dunn, silhouette = indices(frame, ["a", "b"], {"dunn"})
    assert dunn.best.tolist() == [True, False]
    assert silhouette.best.tolist() == [False, False]
