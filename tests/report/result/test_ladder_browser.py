import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from helpers import PATIENCE

pytestmark = pytest.mark.browser

TRACES = "return document.querySelector('[data-figure=map]').data.map(t => [t.name, t.x.length, t.marker.color])"


def test_a_level_is_one_click_away(show, screen, laddered_case):
    screen(1280)
    page = show(laddered_case())
    result = page.execute_script(TRACES)
    assert [name for name, _, _ in result] == [f"cluster {c}" for c in range(4)]
    buttons = page.find_elements(By.CSS_SELECTOR, ".levels button")
    assert [button.text for button in buttons] == ["1", "2 (next best)", "4 (result)", "8"]
    assert buttons[2].get_attribute("aria-pressed") == "true"
    buttons[3].click()
    WebDriverWait(page, PATIENCE).until(lambda _: len(page.execute_script(TRACES)) == 8)
    assert [n for _, n, _ in page.execute_script(TRACES)] == [15] * 8
    assert page.find_element(By.ID, "level-shown").text == "The map shows 8 clusters, not the result."
    assert buttons[2].get_attribute("aria-pressed") == "false"
    # the colors stay if the theme changes
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    assert len(page.execute_script(TRACES)) == 8
    buttons[2].click()
    WebDriverWait(page, PATIENCE).until(lambda _: page.execute_script(TRACES) == result)
    assert page.find_element(By.ID, "level-shown").text == ""
    assert page.get_log("browser") == []


def test_the_tree_is_drawn_and_can_be_clicked(show, screen, laddered_case):
    for width in (1200, 390):
        screen(width)
        page = show(laddered_case())
        plot = page.find_element(By.ID, "ladder-plot")
        assert len(plot.find_elements(By.CSS_SELECTOR, "path.stream")) == 2 + 4 + 8
        assert [text.text for text in plot.find_elements(By.CSS_SELECTOR, ".heading")] == ["1", "2", "4 ✓", "8"]
        inside = page.execute_script(
            "const f = arguments[0].getBoundingClientRect(); return [...arguments[0].querySelectorAll('text')]"
            ".every(t => t.getBoundingClientRect().right <= f.right + 1)",
            plot,
        )
        assert inside
        page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", plot)
        plot.find_elements(By.CSS_SELECTOR, ".heading")[1].click()
        WebDriverWait(page, PATIENCE).until(lambda _: len(page.execute_script(TRACES)) == 2)  # noqa: B023
        assert page.execute_script("return document.documentElement.scrollWidth - window.innerWidth") <= 0
        assert page.get_log("browser") == []


def test_the_first_screen_holds_headline_map_and_lines(show, screen, laddered_case):
    screen(1280)
    page = show(laddered_case())
    for selector in (".headline", "[data-figure=map]", ".lines li:last-child", ".levels"):
        bottom = page.execute_script(
            "return document.querySelector(arguments[0]).getBoundingClientRect().bottom", selector
        )
        assert bottom <= 800, selector
