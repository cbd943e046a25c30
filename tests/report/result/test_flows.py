import json
import re

import numpy as np
import pytest

from pluribus.consensus import compare_methods, correspondence
from pluribus.partitions import Ensemble
from pluribus.report import render, summarize
from pluribus.report._shared.page import as_json
from pluribus.report.result._flow_figures import flow_data, flow_note


def embedded(page, name="flow-data"):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', page)[1])


def test_the_streams_are_the_correspondence(make_case):
    case = make_case(missing=0.2)
    flows = summarize(case).flows
    assert len(flows.members) == 25
    for member in flows.members:
        labels = case.ensemble.labels[:, case.ensemble.names.index(member.name)]
        both = labels >= 0
        shares = correspondence(labels[both], case.labels[both])
        clusters = list(dict.fromkeys(case.labels[both]))
        classes = [str(c) for c in case.ensemble.classes[case.ensemble.names.index(member.name)]]
        order = list(dict.fromkeys(labels[both]))
        for source, target, n in member.streams:
            box = member.sources[source]
            row, column = order.index(classes.index(box.name)), clusters.index(member.targets[target].cluster)
            assert n / box.size == pytest.approx(shares[row, column])
        assert sum(box.size for box in member.sources) == sum(box.size for box in member.targets) == both.sum()


def test_members_are_sorted_and_the_first_the_middle_and_the_last_are_shown(make_case):
    summary = summarize(make_case(r=25))
    ari = [member.ari for member in summary.flows.members]
    assert ari == sorted(ari, reverse=True)
    assert [position for _, position in summary.flows.featured] == [0, 12, 24]
    assert summary.flows.others[:3] == [1, 2, 3]
    assert summary.members.by_agreement[0] == summary.members.names.index(summary.flows.members[0].name)


def test_thin_streams_are_left_out_but_no_cluster_is(plain_case):
    result = np.repeat([0, 1], [500, 500])
    member = result.copy()
    member[:4] = 1  # 0.4% astray
    member[-3:] = 2  # a small cluster of its own
    case = plain_case([member, result], result)
    flow = summarize(case).flows.members[1]
    drawn = {(flow.sources[s].name, flow.targets[t].name): n for s, t, n in flow.streams}
    assert drawn == {("0", "0"): 496, ("1", "1"): 497, ("2", "1"): 3}
    assert flow.hidden == pytest.approx(0.004)
    assert "less than 1% are not drawn: together 0.4% of the objects" in flow_note(flow)


def test_streams_do_not_cross_where_they_need_not(plain_case):
    result = np.repeat(np.arange(6), 20)
    shuffled = np.array([4, 0, 5, 2, 1, 3])[result]
    flow = summarize(plain_case([shuffled], result)).flows.members[0]
    assert [(s, t) for s, t, _ in flow.streams] == [(i, i) for i in range(6)]


def test_clusters_that_members_mix_stand_side_by_side(plain_case):
    result = np.repeat(np.arange(4), 25)
    mixed = np.array([0, 1, 2, 0])[result]  # 0 and 3 together
    flow = summarize(plain_case([mixed, mixed, result], result)).flows.members[0]
    order = [box.cluster for box in flow.targets]
    assert abs(order.index(0) - order.index(3)) == 1


@pytest.mark.parametrize("k_member", [300, 60, 21])
def test_many_clusters_are_grouped(plain_case, k_member):
    rng = np.random.default_rng(0)
    result = rng.integers(0, 40, 4000)
    member = rng.integers(0, k_member, 4000)
    member[:2000] = 0
    flow = summarize(plain_case([member, result], result)).flows.members[1]
    assert len(flow.sources) <= 41
    assert len(flow.targets) <= 21
    assert sum(box.size for box in flow.sources) == 4000
    assert len(flow.streams) <= 41 * 21
    assert any("smaller" in box.name for box in flow.sources)
    assert "Small clusters are grouped" in flow_note(flow)


def test_clusters_of_the_result_that_are_all_small_stand_as_one(plain_case):
    result = np.arange(6000) % 60
    flow = summarize(plain_case([result, result // 2], result)).flows.members[0]
    assert [box.name for box in flow.targets] == ["60 clusters"]
    large = np.where(np.arange(6000) < 3000, 60, result)
    flow = summarize(plain_case([large], large)).flows.members[0]
    assert {box.name for box in flow.targets} == {"60", "60 smaller clusters"}


def test_two_hundred_members_and_the_page_does_not_grow_with_objects(plain_case):
    rng = np.random.default_rng(0)

    def size(n):
        result = np.arange(n) % 5
        members = [np.where(rng.random(n) < 0.3, rng.integers(0, 12, n), result) for _ in range(200)]
        page = render(summarize(plain_case(members, result)))
        data = embedded(page)
        assert len(data) == 200
        return len(json.dumps(data))

    small, large = size(500), size(2500)
    assert large < 1.3 * small < 600_000


def test_of_very_many_members_some_can_be_chosen(plain_case):
    rng = np.random.default_rng(0)
    result = np.arange(20) % 2
    case = plain_case([np.where(rng.random(20) < p / 800, 1 - result, result) for p in range(400)], result)
    summary = summarize(case)
    assert len(summary.flows.members) == 301
    ari = np.sort(summary.members.ari)
    assert summary.flows.members[0].ari == ari[-1]
    assert summary.flows.members[-1].ari == ari[0]
    page = render(summary)
    assert "301 of 400 members can be chosen" in page
    assert "The first 300 of 400 members" in page


def test_labels_of_the_user_stay_text(plain_case, hostile):
    result = np.repeat([0, 1], 10)
    labels = np.array([hostile, "</script><img src=x>"], dtype=object)[result]
    case = plain_case(Ensemble([labels, labels[::-1]], names=[hostile, "b"]), result)
    page = render(summarize(case))
    assert "<img" not in page.partition("<main>")[2]
    assert embedded(page)[0]["name"] == hostile
    assert "<" not in as_json(flow_data(summarize(case).flows))


EDGES = {
    "three objects": ([[0, 0, 1], [0, 1, 1]], [0, 0, 1], 2),
    "one member": ([[0, 0, 1, 1]], [0, 0, 1, 1], 1),
    "all equal": ([[0, 0, 1, 1]] * 5, [0, 0, 1, 1], 1),
    "two members": ([[0, 0, 1, 1], [0, 1, 1, 1]], [0, 0, 1, 1], 2),
    "nothing clustered": ([[0, 0, 1]], [-1, -1, -1], 1),
    "nothing in common": ([[0, 0, -1, -1], [-1, -1, 0, 1]], [0, 0, -1, -1], 2),
    "each object alone": ([np.arange(50)] * 2, np.arange(50), 1),
}


@pytest.mark.parametrize("edge", EDGES)
def test_edges(plain_case, edge):
    members, result, n_featured = EDGES[edge]
    summary = summarize(plain_case(members, result))
    assert len(summary.flows.featured) == n_featured
    page = render(summary)
    drawn = n_featured + bool(summary.flows.others)
    assert page.count('class="flow"') == (0 if summary.n_clusters == 1 else drawn)
    assert len(embedded(page)) == len(members)


def test_methods_are_shown_if_they_were_compared(plain_case):
    result = np.repeat([0, 1, 2], 8)
    members = [result, np.roll(result, 1), np.roll(result, -1)]
    assert summarize(plain_case(members, result)).methods is None
    compared = compare_methods(members, 3, methods=["eac", "scec", "liftkm"], verbose=False)
    summary = summarize(plain_case(members, result, methods=compared))
    page = render(summary)
    assert sorted(row.name for row in summary.methods.rows) == ["eac", "liftkm", "scec"]
    assert "it needs the data in addition to the labels" in page
    assert compared.verdict in page.replace("&#39;", "'")
    figure = embedded(page, "figure-data")["methods"]
    assert figure["data"][0]["x"] == [run.name for run in compared.completed]
    alone = compare_methods(members, 3, methods=["eac"], verbose=False)
    assert "methods" not in embedded(render(summarize(plain_case(members, result, methods=alone))), "figure-data")
