import re
from html.parser import HTMLParser

import numpy as np
import pytest

from pluribus.report import render, summarize, write_report


class Page(HTMLParser):
    """Tags and attributes as a browser reads them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} runs {name}={value}"
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src"):
                self.links.append(value)


def test_written_whole(make_case, tmp_path):
    path = write_report(make_case(), tmp_path / "report.html")
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert path.stat().st_size < 8e6
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_nothing_is_left_behind_when_it_cannot_be_written(make_case, tmp_path, monkeypatch):
    def fail(self, *args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.write_text", fail)
    with pytest.raises(OSError, match="disk full"):
        write_report(make_case(), tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_sections_links_and_no_address_outside(make_case):
    page = Page(render(summarize(make_case())))
    assert len(page.ids) == len(set(page.ids))
    assert {"short", "number", "map", "evidence", "clusters", "members", "flows", "made"} <= set(page.ids)
    for link in page.links:
        assert link == "data:," or link.removeprefix("#") in page.ids


def test_a_policy_lets_only_our_scripts_run(make_case):
    text = render(summarize(make_case()))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src &#39;none&#39;" in policy or "default-src 'none'" in policy
    assert policy.count("sha256-") == 4
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]


def test_hostile_text_stays_text(hostile_case):
    text = render(summarize(hostile_case))
    page = Page(text)
    assert "img" not in page.tags
    assert "b" not in page.tags
    assert page.tags.count("script") == 7
    assert "{{ 7*7 }}" in text


def test_captions_say_when_it_is_a_sample(make_case):
    small = render(summarize(make_case()))
    assert "sample of" not in small.partition("<main>")[2].partition("</main>")[0]
    large = render(summarize(make_case(n=700, r=4)))
    assert re.search(r"A sample of \d+ of 700 objects, in which every cluster shows", large)


def test_ids_that_are_not_valid_unicode_can_be_written(make_case, tmp_path):
    case = make_case(n=20, ids=np.array(["\udc80bad"] * 20))
    assert write_report(case, tmp_path / "report.html").stat().st_size > 0
