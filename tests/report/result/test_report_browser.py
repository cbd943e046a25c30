import json

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from helpers import PATIENCE

pytestmark = pytest.mark.browser

FIGURES = ["lifetimes", "cuts", "pairs", "map", "heat", "members"]


def requests(browser):
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("data:", "blob:"))]


def overflow(browser):
    return browser.execute_script("return document.documentElement.scrollWidth - arguments[0]", 390)


def test_renders_alone_and_without_complaint(show, make_case):
    page = show(make_case())
    drawn = page.execute_script(
        "return [...document.querySelectorAll('[data-figure]')]"
        ".filter(e => e.querySelector('.main-svg') && e.offsetHeight > 100).map(e => e.dataset.figure)"
    )
    assert sorted(drawn) == sorted(FIGURES)
    assert page.execute_script("return document.querySelectorAll('[data-figure=map] .point').length") == 90
    assert page.get_log("browser") == []
    assert [url for url in requests(page) if not url.startswith("file://")] == []


def test_every_figure_has_words_and_the_heat_map_names(show, make_case):
    page = show(make_case())
    assert page.execute_script(
        "return [...document.querySelectorAll('figure')].every(f => f.querySelector('[role=img]').ariaLabel"
        " && f.querySelector('figcaption').innerText.length > 50)"
    )
    text = page.execute_script("return document.querySelector('[data-figure=heat]').data[0].text[0][89]")
    first, second = text.split("<br>")
    assert first.startswith("tree ")
    assert "(cluster " in second


@pytest.mark.parametrize("options", [{}, {"n": 200, "k": 30, "r": 5}, {"with_X": False, "with_linkage": False}])
def test_fits_a_phone(show, screen, make_case, options):
    screen(390)
    page = show(make_case(**options))
    assert overflow(page) <= 0
    assert page.get_log("browser") == []


def test_hostile_text_does_not_run(show, screen, hostile_case, hostile):
    screen(390)
    page = show(hostile_case)
    assert page.execute_script("return window.hacked") is None
    assert page.execute_script("return document.querySelectorAll('img').length") == 0
    assert page.title.startswith(hostile)
    assert overflow(page) <= 0
    # Plotly too shows it as text, in labels and on pointing at an object.
    shown = page.execute_script("return document.querySelector('[data-figure=members]').textContent")
    assert "<b>bold</b>…" in shown  # long names are shortened in the middle
    page.execute_script(
        "Plotly.Fx.hover(document.querySelector('[data-figure=map]'), [{curveNumber: 0, pointNumber: 0}])"
    )
    hover = page.execute_script("return document.querySelector('[data-figure=map] .hoverlayer').textContent")
    assert "<b>bold</b></script><img src=x…" in hover
    assert page.execute_script("return window.hacked") is None
    assert page.get_log("browser") == []


def test_follows_the_theme_and_prints_in_light(show, browser, make_case):
    def color():
        return page.execute_script("return document.querySelector('[data-figure=lifetimes]')._fullLayout.font.color")

    page = show(make_case())
    light = color()
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    WebDriverWait(page, PATIENCE).until(lambda _: color() != light)
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    WebDriverWait(page, PATIENCE).until(lambda _: color() == light)


def test_folded_clusters_open_for_print(show, make_case):
    page = show(make_case(n=120, k=20, r=5))
    closed = "return document.querySelectorAll('details:not([open])').length"
    assert page.execute_script(closed) == 8
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert page.execute_script(closed) == 0
    page.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert page.execute_script(closed) == 8
