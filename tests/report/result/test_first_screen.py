import re

import numpy as np

from pluribus.report import render, summarize


def body_of(case):
    page = render(summarize(case))
    start = page.index("<header>")
    return page[start : page.index('<script type="application/json"')]


def test_headline_map_and_lines_come_first(laddered_case):
    body = body_of(laddered_case())
    places = [body.index(text) for text in ('class="headline"', 'id="map"', 'class="lines"', 'id="short"')]
    assert places == sorted(places)
    lines = body[body.index('class="lines"') : body.index('id="short"')]
    assert lines.count("<li>") == 4
    assert lines.count("membership 1.00 · found again 0.95") == 4
    assert lines.count("<strong>30 objects</strong>") == 4
    assert re.search("low width|low length", lines)


def test_many_clusters_are_not_all_on_the_first_screen(plain_case):
    result = np.repeat(np.arange(30), 4)
    body = body_of(plain_case([result] * 20, result))
    lines = body[body.index('class="lines"') : body.index('id="short"')]
    assert lines.count("<li>") == 12
    assert "18 smaller clusters more" in lines
    assert "found again" not in body


def test_title_first_screen_and_tables_name_the_same_numbers(laddered_case):
    labels = laddered_case().labels.copy()
    membership = np.eye(4)[labels]
    membership[:6] = [0.6, 0.4, 0, 0]
    summary = summarize(laddered_case(membership=membership, uncertainty=np.where(np.arange(120) < 6, 0.5, 0.0)))
    assert summary.n_clusters == len(summary.clusters) == 4
    assert summary.headline.startswith("4 clusters of 120 objects, mostly clear")
    assert summary.n_ambiguous == sum(cluster.n_ambiguous for cluster in summary.clusters) == 6
    assert [level.n_clusters for level in summary.ladder.levels if level.is_result] == [4]
    body = render(summary)
    assert "<dt>clusters</dt><dd>4</dd>" in body
    assert "<dt>clearly assigned</dt><dd>95%</dd>" in body


def test_one_group_has_a_whole_page(laddered_case):
    reason = "One group, no evidence of clusters: the density has one peak."
    one = np.zeros(120, int)
    case = laddered_case(
        labels=one, membership=np.ones((120, 1)), verdict="none", verdict_reason=reason, reproducibility=None
    )
    body = body_of(case)
    assert "One group: no evidence of clusters among 120 objects (the density has one peak)" in body
    for section in ("map", "short", "number", "evidence", "made"):
        assert f'<section id="{section}">' in body
    for section in ("clusters", "members", "flows"):
        assert f'id="{section}"' not in body
        assert f'href="#{section}"' not in body
    assert "clearly assigned" not in body
    assert "next best" not in body
    assert "1 (result)" in body
    names = set(re.findall('data-figure="([^"]+)"', body))
    assert names == {"map", "heat", "scores"}


def test_one_group_without_a_ladder(plain_case):
    body = body_of(plain_case([[0, 0, 1]] * 2, [0, 0, 0]))
    assert "One cluster: the result does not divide the objects" in body
    assert set(re.findall('data-figure="([^"]+)"', body)) == {"map", "heat"}


def test_links_of_the_contents_lead_somewhere(laddered_case, make_case):
    for case in (laddered_case(), make_case()):
        body = body_of(case)
        for target in re.findall('href="?#([^" >]+)', body):
            assert f'id="{target}"' in body
