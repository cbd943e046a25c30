import json

import numpy as np
import plotly.graph_objects as go
import pytest

from pluribus.report import summarize
from pluribus.report._shared.palette import COLORS, color_of, symbol_of
from pluribus.report._shared.specification import plain
from pluribus.report.result._figures import figures


@pytest.mark.parametrize("options", [{}, {"with_linkage": False, "with_X": False}, {"k": 12, "r": 40, "n": 120}])
def test_every_figure_is_valid_plotly(make_case, options):
    drawn = figures(summarize(make_case(**options)))
    assert ("lifetimes" in drawn) == ("cuts" in drawn) == options.get("with_linkage", True)
    for figure in drawn.values():
        go.Figure(data=figure["data"], layout=figure["layout"])  # refuses unknown settings
        json.dumps(figure, allow_nan=False)


def test_clusters_beyond_the_colors_get_another_symbol():
    looks = [(color_of(c), symbol_of(c)) for c in range(70)]
    assert len(set(looks)) == 70
    assert {symbol for _, symbol in looks[: len(COLORS)]} == {"circle"}
    assert color_of(-1) not in COLORS


def test_the_chosen_number_of_clusters_stands_out(make_case):
    drawn = figures(summarize(make_case()))
    colors = drawn["lifetimes"]["data"][0]["marker"]["color"]
    assert [k for k, color in enumerate(colors, 1) if color == COLORS[0]] == [3]
    assert drawn["cuts"]["data"][2]["x"] == ["3"]


def test_larger_marks_are_more_uncertain_objects(make_case):
    case = make_case()
    for trace in figures(summarize(case))["map"]["data"]:
        uncertainty = [row[1] for row in trace["customdata"]]
        order = np.argsort(uncertainty)
        assert (np.diff(np.array(trace["marker"]["size"])[order]) >= -0.11).all()


def test_text_of_the_user_is_escaped_and_shortened(hostile):
    assert "<" not in plain(hostile)
    assert plain("a\n b") == "a b"
    assert plain("a long name of a member, 17", 12) == "a long…r, 17"


def test_few_members_are_named_many_are_not(make_case):
    few = figures(summarize(make_case(r=5)))["members"]
    assert any("p0 · k=3" in text for text in few["layout"]["yaxis"]["ticktext"])
    many = figures(summarize(make_case(r=40)))["members"]
    assert "ticktext" not in many["layout"]["yaxis"]
