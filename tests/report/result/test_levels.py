import numpy as np
import pytest

from pluribus.report import render, summarize
from pluribus.report.result._figures import figures
from pluribus.report.result._ladder_figures import ladder_data


def test_levels_from_one_group_to_the_finest(laddered_case):
    ladder = summarize(laddered_case()).ladder
    assert [level.n_clusters for level in ladder.levels] == [1, 2, 4, 8]
    assert [level.is_result for level in ladder.levels] == [False, False, True, False]
    assert [level.is_next for level in ladder.levels] == [False, True, False, False]
    assert ladder.levels[2].words == "0 splits into 0 and 1; 1 splits into 2 and 3."
    assert ladder.levels[3].words.endswith("2 splits into 4 and 5; 1 more split.")
    assert [cluster.parent for cluster in ladder.levels[3].clusters] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [cluster.held for cluster in ladder.levels[3].clusters] == [15] * 8
    assert sum(cluster.size for cluster in ladder.levels[1].clusters) == 120


def test_the_parent_holds_most_objects(laddered_case):
    case = laddered_case()
    finest = case.ladder.rungs[2].labels.copy()
    finest[30:36] = 0  # cluster 0 reaches over into another coarse one
    ladder = case.ladder.with_labels(8, finest)
    first = summarize(laddered_case(ladder=ladder)).ladder.levels[3].clusters[0]
    assert (first.number, first.size, first.parent, first.held) == (0, 21, 0, 15)


def test_siblings_stand_side_by_side(laddered_case):
    case = laddered_case()
    mixed = np.array([0, 4, 1, 5, 2, 6, 3, 7])[case.ladder.rungs[2].labels]
    clusters = summarize(laddered_case(ladder=case.ladder.with_labels(8, mixed))).ladder.levels[3].clusters
    assert [cluster.number for cluster in clusters] == [0, 4, 1, 5, 2, 6, 3, 7]


def test_the_result_is_a_level_even_if_the_ladder_has_other_labels(laddered_case, plain_case):
    labels = laddered_case().labels.copy()
    labels[:5] = -1
    membership = np.eye(4)[np.maximum(labels, 0)]
    ladder = summarize(laddered_case(labels=labels, membership=membership)).ladder
    assert sum(cluster.size for cluster in ladder.levels[2].clusters) == 115
    three = np.arange(120) * 3 // 120
    case = plain_case([three] * 9, three, ladder=laddered_case().ladder)
    assert [level.n_clusters for level in summarize(case).ladder.levels] == [1, 2, 3, 4, 8]


def test_no_ladder(plain_case):
    summary = summarize(plain_case([[0, 0, 1]] * 2, [0, 0, 1]))
    assert summary.ladder is None
    assert ladder_data(None, summary.map.labels) is None
    assert "ladder-plot" not in render(summary).split("<script", 1)[0]


def test_one_level_is_a_sentence(laddered_case):
    ladder = laddered_case().ladder
    alone = type(ladder)(ladder.numbers, ladder.scores, ladder.agreement, ladder.rungs[1:2], 4, "4 clusters.")
    page = render(summarize(laddered_case(ladder=alone)))
    body = page[: page.index('<script type="application/json"')]
    assert "the ladder has one level" in body
    assert 'id="ladder-plot"' not in body
    assert "<button" not in body


def test_labels_are_in_the_order_in_which_the_map_draws(laddered_case):
    case = laddered_case()
    labels = np.where(np.arange(120) % 17 == 0, -1, case.labels)[::-1].copy()
    case = laddered_case(labels=labels, membership=np.eye(4)[np.maximum(labels, 0)])
    summary = summarize(case)
    drawn = [point[0] for trace in figures(summary)["map"]["data"] for point in trace["customdata"]]
    number = {str(name): i for i, name in enumerate(case.ids)}
    for level, source in zip(
        ladder_data(summary.ladder, summary.map.labels)["levels"][1:2], case.ladder.rungs, strict=False
    ):
        assert level["labels"] == [int(source.labels[number[name]]) for name in drawn]


def test_separation_and_scores_are_shown_for_every_level(laddered_case):
    page = render(summarize(laddered_case(separation=(np.nan, 1e6, 1.25))))
    for text in ("∞", "1.25", "–", "4 clusters: they fit best."):
        assert text in page
    assert page.count('data-level="') >= 8


def test_wrong_ladders_and_reproducibilities(laddered_case, plain_case):
    with pytest.raises(ValueError, match="a level of the ladder has 120 labels, but there are 3 objects"):
        plain_case([[0, 0, 1]] * 2, [0, 0, 1], ladder=laddered_case().ladder)
    with pytest.raises(ValueError, match="reproducibility has 3 numbers, but labels name 4 clusters"):
        laddered_case(reproducibility=np.ones(3))
