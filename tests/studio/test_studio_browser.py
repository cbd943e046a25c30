"""A person's path through the studio, in a real browser."""

import json
import shutil
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from sklearn.datasets import make_blobs

pytestmark = pytest.mark.browser
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    X, _ = make_blobs(200, centers=[[0, 0], [6, 0], [3, 5]], random_state=1)
    frame = pd.DataFrame(X, columns=["wide", EVIL])
    frame.insert(0, "id", [f"{EVIL}{i}" if i == 0 else f"row {i}" for i in range(200)])
    frame.to_csv(folder / "points.csv", index=False)
    return folder


class Server:
    def __init__(self, folder):
        command = [sys.executable, "-m", "pluribus", "studio", "points.csv", "--k", "3", "--no-browser", "--quiet"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def server(folder):
    with Server(folder) as server:
        yield server


def wait(browser, script, what):
    for _ in range(600):
        value = browser.execute_script(f"return {script}")
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what}: {browser.find_element(By.ID, 'status').text}")


def opened(browser, address):
    browser.set_window_size(1280, 860)
    browser.get(address)
    wait(browser, "document.body.dataset.ready", "the page did not open")


def seq(browser):
    return browser.execute_script("return studio.state.seq")


def after(browser, number):
    wait(browser, f"studio.state.seq >= {number} && !studio.busy", f"event {number} did not come")


def labels(browser):
    return browser.execute_script("return [...studio.labels]")


def in_the_middle(browser, objects):
    """The object whose place on the screen is nearest to the mean of some objects."""
    places = np.array([on_screen(browser, each) for each in objects])
    return objects[int(((places - places.mean(axis=0)) ** 2).sum(axis=1).argmin())]


def on_screen(browser, item):
    x, y = browser.execute_script(
        f"return studioMap.toScreen(studioMap.positions[{2 * item}], studioMap.positions[{2 * item + 1}])"
    )
    box = browser.find_element(By.ID, "overlay").rect
    return x - box["width"] / 2, y - box["height"] / 2


def drag(browser, path, *, shift=False):
    surface = browser.find_element(By.ID, "overlay")
    actions = ActionChains(browser, duration=20)
    if shift:
        actions.key_down(Keys.SHIFT)
    x, y = path[0]
    actions.move_to_element_with_offset(surface, round(x), round(y)).click_and_hold()
    for x, y in path[1:]:
        actions.move_to_element_with_offset(surface, round(x), round(y))
    actions.release()
    if shift:
        actions.key_up(Keys.SHIFT)
    actions.perform()


def press(browser, text):
    for button in browser.find_elements(By.CSS_SELECTOR, "#panel button"):
        if button.text == text:
            button.click()
            return
    raise AssertionError(f"there is no button {text!r}")


def tab(browser, name):
    browser.find_element(By.CSS_SELECTOR, f"[data-panel={name}]").click()


def fill(browser, text):
    field = browser.find_element(By.ID, "answer")
    field.clear()
    field.send_keys(text, Keys.ENTER)


def test_a_whole_path(browser, folder, tmp_path):
    shutil.copy(folder / "points.csv", tmp_path)
    downloads = {"behavior": "allow", "downloadPath": str(tmp_path)}
    with Server(tmp_path) as server:
        opened(browser, server.address)
        browser.execute_cdp_cmd("Browser.setDownloadBehavior", downloads)
        first = labels(browser)
        assert len(set(first)) == 3

        # A lasso around one object and its neighborhood, and a cluster made of what is inside.
        x, y = on_screen(browser, 5)
        drag(
            browser,
            [(x - 30, y - 30), (x + 30, y - 30), (x + 30, y + 30), (x - 30, y + 30), (x - 30, y - 28)],
            shift=True,
        )
        chosen = browser.execute_script("return [...studio.selected]")
        assert 5 in chosen
        press(browser, "New cluster")
        fill(browser, "picked")
        after(browser, 1)
        assert "picked" in browser.find_element(By.ID, "panel").text or len(set(labels(browser))) == 4
        made = labels(browser)
        assert len({made[i] for i in chosen}) == 1

        # Undo brings the labels back, redo does it again.
        ActionChains(browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
        after(browser, 2)
        assert labels(browser) == first
        browser.find_element(By.ID, "redo").click()
        after(browser, 3)
        assert labels(browser) == made

        # Two objects of different clusters are said to belong together.
        one, other = made.index(0), made.index(1)
        browser.execute_script(f"studio.select([{one}, {other}])")
        press(browser, "Together (M)")
        after(browser, 4)
        now = labels(browser)
        assert now[one] == now[other]

        # An object is dragged onto another cluster and stays where it was put.
        item, target = now.index(2), in_the_middle(browser, [i for i, label in enumerate(now) if label == 1])
        browser.execute_script("studio.select([])")
        drag(browser, [on_screen(browser, item), on_screen(browser, target)])
        after(browser, 5)
        assert labels(browser)[item] == 1
        assert [pin[0] for pin in browser.execute_script("return studio.state.pins")] == [item]

        # Five questions, each another pair.
        tab(browser, "questions")
        asked = []
        for turn in range(5):
            wait(browser, "studio.asked && document.getElementById('same')", "no question")
            asked.append(tuple(browser.execute_script("return studio.asked.pair")))
            before = seq(browser)
            browser.find_element(By.ID, "different" if turn % 2 else "unsure").click()
            after(browser, before + 1)
            wait(
                browser,
                f"studio.asked && JSON.stringify(studio.asked.pair) !== '{json.dumps(asked[-1]).replace(' ', '')}'",
                "the next one",
            )
        assert len(set(asked)) == 5

        # A name with markup in it is text.
        tab(browser, "clusters")
        press(browser, "Rename")
        fill(browser, EVIL)
        after(browser, seq(browser))
        wait(browser, "studio.state.clusters.some((c) => c.name.includes('<img'))", "the name")
        assert EVIL in browser.find_element(By.ID, "panel").text
        assert not browser.find_elements(By.CSS_SELECTOR, "#panel img")

        for name in ("labels.csv", "session.json", "constraints.json", "map.png"):
            browser.execute_script(
                "const box = document.getElementById('export'); box.value = arguments[0];"
                "box.dispatchEvent(new Event('change'))",
                name,
            )
            for _ in range(300):
                if (tmp_path / name).exists():
                    break
                time.sleep(0.1)
            assert (tmp_path / name).stat().st_size > 100
        last = browser.execute_script("return studio.state"), labels(browser)
    exported = pd.read_csv(tmp_path / "labels.csv")
    assert len(exported) == 200
    assert exported["id"][0] == f"{EVIL}0"

    with Server(tmp_path) as server:  # after a kill, the same state
        opened(browser, server.address)
        assert (browser.execute_script("return studio.state"), labels(browser)) == last
    errors = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not [message for message in errors if "Content Security Policy" in message or "Uncaught" in message]


def test_two_tabs_see_each_other_and_a_slow_one_is_told(browser, server):
    opened(browser, server.address)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    try:
        opened(browser, server.address)
        number = seq(browser)
        browser.execute_script("studio.act('rename', {cluster: studio.state.clusters[0].key, name: 'from two'})")
        after(browser, number + 1)
        browser.switch_to.window(first)
        wait(browser, "studio.state.clusters[0].name === 'from two'", "news of the other tab")
    finally:
        for handle in browser.window_handles:
            if handle != first:
                browser.switch_to.window(handle)
                browser.close()
        browser.switch_to.window(first)


def test_the_keyboard_is_enough(browser, server):
    opened(browser, server.address)
    number = seq(browser)
    surface = browser.find_element(By.ID, "overlay")
    browser.execute_script("arguments[0].focus()", surface)
    ActionChains(browser).send_keys("n").perform()
    wait(browser, "studio.focus >= 0", "no object was chosen")
    item = browser.execute_script("return studio.focus")
    browser.execute_script("arguments[0].focus()", surface)
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT * 3).key_up(Keys.SHIFT).perform()
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    after(browser, number + 1)
    assert item in [pin[0] for pin in browser.execute_script("return studio.state.pins")]
    unnamed = browser.execute_script(
        "return [...document.querySelectorAll('button, select, input, canvas:not([aria-hidden])')].filter((e) =>"
        "!(e.textContent.trim() || e.ariaLabel || e.getAttribute('aria-label') || e.closest('label'))).length"
    )
    assert unnamed == 0


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_nothing_overflows(browser, server, width, theme):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": False},
    )
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
    browser.get(server.address)
    wait(browser, "document.body.dataset.ready", "the page did not open")
    assert browser.execute_script("return document.documentElement.dataset.theme") == theme
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    drawn = browser.execute_script(
        "studioMap.draw(); const gl = studioMap.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;"
        "const p = new Uint8Array(4 * w * h); gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);"
        "return p.filter((v, i) => i % 4 === 3 && v > 0).length"
    )
    assert drawn > 500


def test_a_wrong_token_opens_nothing(browser, server):
    browser.get(server.address[:-3] + "xyz")
    assert "token" in browser.find_element(By.TAG_NAME, "body").text
    assert not browser.find_elements(By.ID, "overlay")


def test_a_second_answer_is_not_taken_for_the_same_question(browser, server):
    opened(browser, server.address)
    tab(browser, "questions")
    wait(browser, "studio.asked && document.getElementById('same')", "no question")
    twice = "const done = arguments[0]; studio.reply('together').then(() => studio.reply('apart')).then(done)"
    before = seq(browser)
    browser.execute_async_script(twice)
    after(browser, before + 1)
    said = browser.execute_script("return studio.state.statements.at(-1).kind")
    assert (seq(browser), said) == (before + 1, "must")


def test_a_step_during_another_one_is_refused_aloud(browser, server):
    opened(browser, server.address)
    before = seq(browser)
    both = "const act = () => studio.act('answer', {one: 1, other: 2, answer: 'unsure'}); act(); return act()"
    assert browser.execute_script(both) is False
    assert "not finished yet" in browser.find_element(By.ID, "status").text
    after(browser, before + 1)
    assert seq(browser) == before + 1


def test_notes_are_shown(browser, server):
    opened(browser, server.address)
    browser.execute_script("studio.state.notes = ['Something to know.']; studio.show_panel('clusters')")
    assert "Something to know." in browser.find_element(By.ID, "panel").text
