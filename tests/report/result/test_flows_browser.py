import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from helpers import PATIENCE
from pluribus.consensus import compare_methods
from pluribus.partitions import Ensemble

pytestmark = pytest.mark.browser

BOXES = """return [...document.querySelectorAll('.flow-plot')].map(plot => {
  const frame = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll('text')].map(t => t.getBoundingClientRect());
  const inside = texts.every(b => b.left >= frame.left - 1 && b.right <= frame.right + 1);
  const apart = texts.every((a, i) => texts.every((b, j) => i === j || a.right <= b.left || b.right <= a.left
    || a.bottom <= b.top + 3 || b.bottom <= a.top + 3));
  return {streams: plot.querySelectorAll('path.stream').length, texts: texts.length, inside, apart};
});"""


def test_flows_are_drawn_with_labels_that_can_be_read(show, screen, make_case):
    for width in (1200, 390):
        screen(width)
        page = show(make_case(n=300, k=9, r=12))
        drawn = page.execute_script(BOXES)
        assert len(drawn) == 4
        for plot in drawn:
            assert plot["streams"] >= 9
            assert plot["texts"] >= 18
            assert plot["inside"]
            assert plot["apart"]
        assert page.get_log("browser") == []


def test_any_member_can_be_chosen(show, make_case):
    page = show(make_case(r=12))
    select = Select(page.find_element(By.ID, "flow-member"))
    assert len(select.options) == 12
    before = page.find_element(By.ID, "flow-chosen").get_attribute("innerHTML")
    select.select_by_index(11)
    plot = page.find_element(By.ID, "flow-chosen")
    assert plot.get_attribute("innerHTML") != before
    last = page.find_elements(By.CSS_SELECTOR, ".flow-plot")[2]  # agrees least
    assert plot.get_attribute("innerHTML") == last.get_attribute("innerHTML")
    assert plot.get_attribute("aria-label") == last.get_attribute("aria-label")
    words = [element.text for element in page.find_elements(By.CLASS_NAME, "flow-words")]
    assert words[3] == words[2]


def test_flows_follow_the_width_of_the_window(show, screen, make_case):
    screen(1200)
    page = show(make_case())
    width = "return document.querySelector('.flow-plot svg').clientWidth"
    wide = page.execute_script(width)
    screen(390)
    WebDriverWait(page, PATIENCE).until(lambda p: p.execute_script(width) < wide / 2)
    svg = "return [...document.querySelectorAll('.flow-plot')].every(p => p.scrollWidth <= p.clientWidth)"
    assert page.execute_script(svg)


def test_hostile_labels_are_text_in_flows(show, plain_case, hostile):
    result = np.repeat([0, 1], 10)
    labels = np.array([hostile, "<img src=y onerror=window.hacked=1>"], dtype=object)[result]
    page = show(plain_case(Ensemble([labels, labels, np.roll(labels, 3), labels], names=[hostile, *"bcd"]), result))
    assert page.execute_script("return window.hacked") is None
    assert page.execute_script("return document.querySelectorAll('img').length") == 0
    assert "<img" in page.execute_script("return document.querySelector('.flow-plot').textContent")
    assert page.get_log("browser") == []


def test_the_table_of_methods(show, screen, make_case):
    case = make_case(n=60, r=6)
    compared = compare_methods(case.ensemble, 3, methods=["eac", "hbgf", "scec", "voting", "liftkm"], verbose=False)
    screen(390)
    page = show(make_case(n=60, r=6, methods=compared))
    assert page.execute_script("return document.querySelectorAll('#methods tbody tr').length") == 5
    assert page.execute_script("return document.querySelector('[data-figure=methods] .main-svg') !== null")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    assert page.get_log("browser") == []
