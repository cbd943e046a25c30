import gc
import json
import warnings
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs

import pluribus
from pluribus._kernels.linkage.seeded_growth import grow_groups
from pluribus.compare import adjusted_rand_index
from pluribus.studio import EventError, Session, _resolve
from pluribus.studio._resolve import core_of
from pluribus.studio._views import overview

LINE = [[0], [1], [2.5], [4.5], [7], [8]]


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(150, centers=[[0, 0], [6, 0], [3, 6]], random_state=0)
    return pluribus.cluster(X, 3, seed=0, verbose=False), y


@pytest.fixture(scope="module")
def opinions():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    labels = [np.where(rng.uniform(size=60) < 0.2, rng.integers(0, 3, 60), truth) for _ in range(8)]
    return pluribus.combine(labels, k=3, verbose=False)


def snapshot(session):
    return session.labels.tolist(), session.confidence.tolist(), session.statements, dict(session.state.pins)


# -- pins alone, as in the source ------------------------------------------------------------------------------------


def test_nothing_happens_before_two_groups():
    session = Session(features=LINE)
    assert session.move(0, 100, 100).labels.tolist() == [0] * 6
    assert session.move(5, 900, 700).labels.tolist() == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("xs", "n_groups"), [((0, 200, 400), 1), ((0, 200, 430), 2), ((0, 227, 600), 3), ((0, 226.9, 600), 2)]
)
def test_pins_within_reach_are_one_group(xs, n_groups):
    session = Session(features=LINE)
    for item, x in zip((0, 3, 5), xs, strict=True):
        session.move(item, x, 0)
    assert len(set(session.labels)) == n_groups


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_the_order_of_moves_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, places = rng.normal(size=(15, 2)), rng.uniform(0, 800, (4, 2))
    one, other = Session(features=X), Session(features=X)
    for i in (0, 1, 2, 3):
        one.move(i, *places[i])
    for i in (2, 0, 3, 1):
        other.move(i, *places[i])
    assert adjusted_rand_index(one.labels, other.labels) == 1 or len(set(one.labels)) == 1


def test_when_all_objects_are_placed_right_the_labels_are():
    y = [0, 1, 0, 1, 1, 0]
    session = Session(features=LINE)
    for item, cluster in enumerate(y):
        session.move(item, 100 + 700 * cluster, 100)
    assert adjusted_rand_index(session.labels, y) == 1


def test_explicit_pairs_make_and_merge_groups():
    session = Session(features=LINE).cannot_link(0, 5)
    assert session.labels.tolist() == [0, 0, 0, 0, 1, 1]
    session.must_link(3, 5)
    assert session.labels.tolist() == [0, 0, 0, 1, 1, 1]


# -- from a clustering -----------------------------------------------------------------------------------------------


def test_without_statements_it_is_the_clustering(blobs):
    clustering, _ = blobs
    session = Session(clustering)
    assert adjusted_rand_index(session.labels, clustering.labels) == 1
    assert session.confidence == pytest.approx(1 - clustering.uncertainty)


def test_unclustered_objects_are_in_their_most_likely_cluster(blobs):
    clustering, _ = blobs
    labels = clustering.labels.copy()
    left = np.flatnonzero(labels == 2)[:7]
    labels[left] = -1
    session = Session(replace(clustering, labels=labels))
    assert session.state.labels.tolist() == clustering.labels.tolist()
    assert session.scene.notes == ("7 objects that were left unclustered (-1) are shown in their most likely cluster.",)


def test_a_statement_about_a_typical_object_moves_few_others(blobs):
    session = Session(blobs[0])
    before = session.state.labels.copy()
    typical = int(np.flatnonzero(before == session.keys[0])[session.confidence[before == session.keys[0]].argmax()])
    session.assign(typical, session.keys[1])
    moved = np.flatnonzero(session.state.labels != before)
    assert typical in moved
    assert len(moved) <= 5
    assert session.confidence[typical] == 1


def test_a_drop_joins_what_is_near_and_a_drop_far_from_all_starts_a_cluster(blobs):
    session = Session(blobs[0])
    labels, places = session.state.labels, session.scene.positions
    key = session.keys[1]
    other = int(np.flatnonzero(labels == session.keys[0])[0])
    x, y = np.median(places[labels == key], axis=0)
    assert session.would_join(other, x, y) == {"joins": [key]}
    assert session.move(other, x, y).state.labels[other] == key
    session.set_reach(1.0)
    assert session.would_join(other, 3, 797) == {"joins": []}
    n_before = len(session.keys)
    session.move(other, 3, 797)
    assert len(session.keys) == n_before + 1
    assert session.unpin(other).state.labels[other] == session.keys[0] or len(session.keys) == n_before


def test_cannot_link_moves_the_less_certain_object(blobs):
    session = Session(blobs[0])
    inside = np.flatnonzero(session.state.labels == session.keys[0])
    order = inside[np.argsort(session.confidence[inside])]
    sure, unsure = int(order[-1]), int(order[0])
    session.cannot_link(sure, unsure)
    assert session.state.labels[sure] == session.state.base[sure]
    assert session.state.labels[unsure] != session.state.labels[sure]


def test_groups_merges_splits_and_names(blobs):
    session = Session(blobs[0])
    a, b, c = session.keys
    session.rename(a, "the large one").merge(a, b)
    assert len(session.keys) == 2
    assert session.name_of(a) == "the large one"
    session.split(a, 2)
    assert len(session.keys) == 3
    assert adjusted_rand_index(session.labels, blobs[0].labels) > 0.9
    items = np.flatnonzero(session.state.labels == c)[:4]
    session.group(items, "four")
    assert set(session.to_frame()["name"][items]) == {"four"}
    n_before = len(session.keys)
    rest = np.flatnonzero(session.state.labels == c)
    session.recluster(rest, 3)
    assert len(session.keys) == n_before + 2
    assert (session.state.labels[items] == session.state.labels[items[0]]).all()


def test_another_number_of_clusters_keeps_names_and_statements(blobs):
    session = Session(blobs[0])
    key = session.keys[0]
    session.rename(key, "mine").cannot_link(*np.flatnonzero(session.state.labels == key)[:2].tolist())
    session.set_k(5)
    assert len(session.keys) >= 5
    assert session.name_of(key) == "mine"
    assert key in session.keys
    assert session.constraints.violations(session.labels).count == 0
    with pytest.raises(EventError, match="no partition into 99"):
        session.set_k(99)


@pytest.mark.parametrize("engine", ["ceac", "cop-kmeans", "pckmeans"])
def test_other_engines_follow_the_statements(blobs, engine):
    session = Session(blobs[0])
    a, b = (int(np.flatnonzero(session.state.labels == key)[0]) for key in session.keys[:2])
    session.must_link(a, b).set_engine(engine)
    assert session.labels[a] == session.labels[b]
    with pytest.raises(EventError, match="no engine 'nothing'"):
        session.set_engine("nothing")


@pytest.mark.parametrize("engine", ["ceac", "cop-kmeans", "mpckmeans"])
def test_engines_give_clusters_the_keys_that_objects_were_put_into(blobs, engine):
    session = Session(blobs[0])
    a, b, _ = session.keys
    inside = np.flatnonzero(session.state.labels == a)[:2].tolist()
    session.assign(inside[0], b).group([inside[1]]).set_engine(engine)
    check_statements(session)


def test_sparse_tables_of_one_column_have_a_tree():
    assert Session(features=csr_array(np.array(LINE))).cannot_link(0, 5).labels.tolist() == [0, 0, 0, 0, 1, 1]


def test_labels_alone_are_enough(opinions):
    session = Session(opinions)
    assert adjusted_rand_index(session.labels, opinions.labels) == 1
    pair = session.question()
    session.answer(*pair, "apart")
    assert session.labels[pair[0]] != session.labels[pair[1]]


# -- questions and suggestions ---------------------------------------------------------------------------------------


def test_no_question_comes_twice(opinions):
    session, asked = Session(opinions), set()
    truth = np.repeat([0, 1, 2], 20)
    for turn in range(30):
        pair = session.question()
        if pair is None:
            break
        assert pair not in asked
        asked.add(pair)
        session.answer(
            *pair, "unsure" if turn % 3 == 0 else "together" if truth[pair[0]] == truth[pair[1]] else "apart"
        )
    assert len(asked) > 5
    session.undo()
    assert session.question() == pair or session.question() in asked


def test_nothing_is_asked_that_follows_from_groups(opinions):
    session = Session(opinions)
    for cluster in range(3):
        session.group(np.arange(20) + 20 * cluster)
    assert session.question() is None


def test_suggestions_are_the_least_certain_ones(blobs):
    session = Session(blobs[0])
    first = session.suggest(3)
    assert first[0] == int(np.argmin(session.confidence))
    session.assign(first[0], session.keys[0])
    assert first[0] not in session.suggest(3)


def test_suggestions_do_not_follow_one_another(opinions):
    session = Session(opinions)
    chosen = session.suggest(8)
    for place, item in enumerate(chosen):
        assert not set(session.followers(item).tolist()) & set(chosen[place + 1 :])


# -- contradictions --------------------------------------------------------------------------------------------------


def test_a_contradiction_is_listed_with_its_chain_and_not_applied():
    session = Session(features=LINE).must_link(0, 1).must_link(1, 2).cannot_link(0, 2)
    (conflict,) = session.conflicts
    assert conflict.statement == 3
    assert set(conflict.chain) == {1, 2, 3}
    assert session.labels[0] == session.labels[2]
    session.unlink(1)
    assert session.conflicts == ()
    assert session.labels[0] != session.labels[2]


def test_the_statement_to_give_up_is_the_one_with_the_least_evidence(blobs):
    session = Session(blobs[0])
    a = np.flatnonzero(session.state.labels == session.keys[0])[:2].tolist()
    b = int(np.flatnonzero(session.state.labels == session.keys[1])[0])
    session.must_link(a[0], b).must_link(a[1], b).cannot_link(*a)
    (conflict,) = session.conflicts
    assert set(conflict.chain) == {1, 2, 3}
    assert conflict.give_up in (1, 2)  # no member puts objects of the two clusters together


def test_a_must_link_between_two_clusters_that_were_stated_is_a_conflict(blobs):
    session = Session(blobs[0])
    a, b = (int(np.flatnonzero(session.state.labels == key)[0]) for key in session.keys[:2])
    session.assign(a, session.keys[0]).assign(b, session.keys[1]).must_link(a, b)
    assert [conflict.statement for conflict in session.conflicts] == [3]
    assert set(session.conflicts[0].chain) == {1, 2, 3}
    session.constraints.check(3)  # what holds does not contradict itself


def test_an_object_that_is_linked_to_one_cluster_and_put_into_another_is_a_conflict(opinions):
    session = Session(opinions)
    one, other = session.keys[:2]
    session.assign(0, one).must_link(0, 1).assign(1, other)
    assert [(conflict.statement, set(conflict.chain)) for conflict in session.conflicts] == [(3, {1, 2, 3})]
    session.assign(2, other)  # the cluster itself is where it was
    assert session.state.labels[[0, 1, 2]].tolist() == [one, one, other]


def test_an_assignment_that_a_cannot_link_forbids_does_not_move_the_object_that_was_there_first(opinions):
    session = Session(opinions)
    key = session.keys[0]
    sure, unsure = int(session.confidence.argmax()), int(session.confidence.argmin())
    session.assign(unsure, key).cannot_link(unsure, sure).assign(sure, key)
    assert [(conflict.statement, set(conflict.chain)) for conflict in session.conflicts] == [(3, {1, 2, 3})]
    assert session.state.labels[unsure] == key != session.state.labels[sure]


def test_a_contradiction_of_one_object_leaves_the_others_of_the_statement_in_their_cluster(opinions):
    session = Session(opinions)
    one, other = session.keys[:2]
    session.assign(0, one).must_link(0, 1).must_link(2, 3).assign([1, 2], other)
    assert [conflict.statement for conflict in session.conflicts] == [4]
    assert session.state.labels[[0, 1, 2, 3]].tolist() == [one, one, other, other]


def test_a_cannot_link_between_pins_next_to_each_other_is_a_conflict():
    session = Session(features=LINE).move(0, 100, 100).move(1, 110, 100).move(5, 900, 700).cannot_link(0, 1)
    assert [(conflict.statement, conflict.chain) for conflict in session.conflicts] == [(4, (4,))]
    assert session.labels.tolist() == [0, 0, 0, 0, 1, 1]
    session.move(1, 100, 700)
    assert session.conflicts == ()
    assert session.labels[0] != session.labels[1]


def test_without_a_partition_groups_keep_their_keys_and_pins_make_the_clusters():
    session = Session(features=LINE).move(0, 100, 100).move(5, 900, 700).group([2, 3], "middle")
    assert set(session.to_frame()["name"][[2, 3]]) == {"middle"}
    for call in (lambda: session.assign(1, session.keys[0]), lambda: session.merge(*session.keys[:2])):
        with pytest.raises(EventError, match="pins make the clusters"):
            call()


# -- the log ---------------------------------------------------------------------------------------------------------


def random_events(session, rng, n):
    keys = lambda: [int(key) for key in session.keys]  # noqa: E731
    for _ in range(n):
        i, j = (int(x) for x in rng.choice(session.n_objects, 2, replace=False))
        what = rng.integers(0, 14)
        events = [
            ("move", {"items": [i, j], "x": float(rng.uniform(0, 1000)), "y": float(rng.uniform(0, 800))}),
            ("unpin", {"items": [i]}),
            ("link", {"one": i, "other": j, "kind": "must"}),
            ("link", {"one": i, "other": j, "kind": "cannot"}),
            ("group", {"items": [i, j]}),
            ("assign", {"items": [i], "cluster": keys()[0]}),
            ("merge", {"clusters": keys()[:2]}),
            ("split", {"cluster": keys()[0], "into": 2}),
            ("k", {"k": int(rng.integers(2, 6))}),
            ("undo", {}),
            ("redo", {}),
            ("assign", {"items": [i, j], "cluster": keys()[-1]}),
            ("recluster", {"items": [i, j], "into": 1}),
            ("unlink", {"statement": min((s.id for s in session.statements), default=1)}),
        ]
        try:
            session.do(events[what][0], **events[what][1])
        except EventError:
            continue
        check_statements(session)


def check_statements(session):
    """Whatever is not listed as a conflict holds, and conflicts are among the statements."""
    state = session.state
    conflicting = {conflict.statement for conflict in state.conflicts}
    assert len(state.labels) == session.n_objects
    assert state.labels.min() >= 0
    assert state.next_key > state.labels.max()
    assert ((session.confidence >= 0) & (session.confidence <= 1)).all()
    for statement in state.statements:
        labels = state.labels[list(statement.items)]
        if statement.id in conflicting:
            continue
        if statement.kind == "assign":
            assert (labels == state.current(statement.cluster)).all()
        else:
            assert (labels[0] == labels[1]) == (statement.kind == "must")
    ids = {statement.id for statement in state.statements}
    for conflict in state.conflicts:
        assert conflict.statement in conflict.chain
        assert conflict.give_up in conflict.chain
        assert set(conflict.chain) <= ids
    session.constraints.check(len(session.keys))  # what holds does not contradict itself


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
@pytest.mark.filterwarnings("ignore:The evidence is tied")
def test_what_is_not_listed_as_a_conflict_holds(opinions, seed):
    rng = np.random.default_rng(seed)
    few = pluribus.combine([rng.integers(0, 3, 10) for _ in range(3)], k=2, verbose=False)
    for session in (Session(opinions), Session(few), Session(features=rng.normal(size=(10, 2)))):
        random_events(session, rng, 25)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_export_and_replay_are_exact_and_undo_restores(blobs, seed):
    session, rng = Session(blobs[0]), np.random.default_rng(seed)
    random_events(session, rng, 25)
    exported = json.loads(json.dumps(session.export()))
    again = Session(blobs[0]).replay(exported)
    assert snapshot(again) == snapshot(session)
    assert again.export() == session.export()
    before = snapshot(session)
    i, j = (int(x) for x in rng.choice(150, 2, replace=False))
    session.cannot_link(i, j).undo()
    assert snapshot(session) == before
    session.redo().undo()
    assert snapshot(session) == before
    while session.depth[0]:
        session.undo()
    assert session.labels.tolist() == Session(blobs[0]).labels.tolist()


def test_states_that_are_not_kept_are_computed_again(blobs, monkeypatch):
    monkeypatch.setattr("pluribus.studio._history._KEPT_BYTES", 0)
    session, full = Session(blobs[0]), Session(blobs[0])
    for seed in range(3):
        random_events(session, np.random.default_rng(seed), 8)
    monkeypatch.setattr("pluribus.studio._history._KEPT_BYTES", 1e9)
    full.replay(session.export())
    for step in range(session.depth[0] + 1):
        assert session.state_at(step).labels.tolist() == full.state_at(step).labels.tolist()


def test_undo_at_the_start_and_redo_at_the_end_change_nothing():
    session = Session(features=LINE).undo().redo()
    assert session.labels.tolist() == [0] * 6
    assert session.depth == (0, 0)


def test_a_refused_event_leaves_no_trace(blobs):
    session = Session(blobs[0])
    before = session.export()
    for call in (
        lambda: session.assign([0], 999),
        lambda: session.do("link", one=0, other=0, kind="must"),
        lambda: session.unlink(7),
        lambda: session.split(session.keys[0], 51),
    ):
        with pytest.raises(EventError):
            call()
    assert session.export() == before


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        ("drag", {}),
        (3, {}),
        ("move", []),
        ("move", {"items": [0], "x": 1}),
        ("move", {"items": [0], "x": float("nan"), "y": 0}),
        ("move", {"items": [0], "x": float("inf"), "y": 0}),
        ("move", {"items": [], "x": 1, "y": 1}),
        ("move", {"items": [6], "x": 1, "y": 1}),
        ("move", {"items": [True], "x": 1, "y": 1}),
        ("move", {"items": "0", "x": 1, "y": 1}),
        ("move", {"items": [0], "x": 1, "y": 1, "path": "/"}),
        ("link", {"one": 0, "other": 1, "kind": "maybe"}),
        ("link", {"one": 0, "other": -1, "kind": "must"}),
        ("rename", {"cluster": 0, "name": ""}),
        ("rename", {"cluster": 0, "name": "x" * 81}),
        ("rename", {"cluster": 0, "name": 5}),
        ("merge", {"clusters": [0]}),
        ("merge", {"clusters": [0, 0]}),
        ("reach", {"reach": 0}),
        ("k", {"k": 2}),
        ("split", {"cluster": 0, "into": 2}),
    ],
)
def test_events_are_checked(kind, args):
    session = Session(features=LINE)
    with pytest.raises(EventError):
        session.take(kind, args)
    assert session.seq == 0


def test_what_a_move_joined_does_not_depend_on_a_later_map(blobs):
    session = Session(blobs[0])
    labels = session.state.labels
    x, y = np.median(session.scene.positions[labels == session.keys[1]], axis=0).tolist()
    item = int(np.flatnonzero(labels == session.keys[0])[0])
    session.move(item, x, y)
    after = session.labels.tolist()
    other = np.random.default_rng(0).uniform(0, 800, (150, 2))
    assert session.use_map(other).labels.tolist() == after
    again = Session(blobs[0], positions=other).replay(session.export())
    assert again.labels.tolist() == after
    with pytest.raises(EventError, match="no cluster 77"):
        session.take("move", {"items": [0], "x": 1, "y": 1, "joins": 77})


def test_places_outside_of_the_canvas_are_moved_to_its_rim():
    assert Session(features=LINE).move(0, -50, 10_000).state.pins == {0: (0.0, 800.0)}


def test_sessions_of_other_data_are_refused(blobs):
    session = Session(features=LINE).cannot_link(0, 5)
    exported = session.export()
    with pytest.raises(ValueError, match="other objects"):
        Session(features=LINE[:5]).replay(exported)
    with pytest.raises(ValueError, match="other objects"):
        Session(features=LINE, ids=list("abcdef")).replay(exported)
    with pytest.raises(ValueError, match="seed"):
        Session(features=LINE, seed=1).replay(exported)
    with pytest.raises(ValueError, match="no session"):
        Session(features=LINE).replay({"events": []})
    with pytest.raises(ValueError, match="damaged"):
        Session(features=LINE).replay(exported | {"events": [{"seq": 2, "type": "undo", "args": {}}]})
    with pytest.raises(EventError):
        Session(features=LINE).replay(exported | {"events": [{"seq": 1, "type": "eval", "args": {}}]})
    with pytest.raises(ValueError, match="events already"):
        session.replay(exported)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "Give one of"),
        ({"features": LINE, "distances": np.zeros((6, 6))}, "Give one of"),
        ({"features": [[1.0]]}, "two or more"),
        ({"features": LINE, "ids": ["a"] * 6}, "different texts"),
        ({"features": LINE, "positions": [[0, 0]]}, "positions must be 6"),
        ({"features": LINE, "reach": -1}, "reach"),
        ({"clustering": 3}, "what pluribus.cluster returns"),
    ],
)
def test_wrong_starts_are_refused(how, words):
    with pytest.raises(ValueError, match=words):
        Session(**how)


def test_objects_can_be_named_by_their_ids():
    session = Session(features=LINE, ids=list("abcdef")).cannot_link("a", "f")
    assert session.to_frame()["cluster"].tolist() == [0, 0, 0, 0, 1, 1]
    with pytest.raises(KeyError, match="'zz'"):
        session.must_link("a", "zz")


# -- deleting a statement is as if it had not been said --------------------------------------------------------------


def test_a_deleted_statement_is_undone_below_merges_and_splits(blobs):
    clustering, _ = blobs
    for later in ("merge", "split"):
        session = Session(clustering)
        a, b, c = session.keys
        item = int(np.flatnonzero(session.state.labels == a)[0])
        session.assign(item, b)
        if later == "merge":
            session.merge(b, c)
        else:
            session.split(b)
        assert session.state.labels[item] != a
        assert session.unlink(1).state.labels[item] == a, later
        assert session.statements == ()


def test_split_clusters_keep_their_pins_and_statements_in_step(blobs):
    session = Session(blobs[0])
    key = session.keys[0]
    inside = np.flatnonzero(session.state.labels == key).tolist()
    for item in inside[:6]:
        session.take("move", {"items": [item], "x": 10, "y": 10, "joins": key})
    session.must_link(inside[0], inside[1]).split(key, 3)
    assert sorted(session.state.pins) == inside[:6]
    stated = {item: said.cluster for said in session.statements if said.kind == "assign" for item in said.items}
    assert {item: int(session.state.labels[item]) for item in inside[:6]} == stated
    assert session.state.labels[inside[0]] == session.state.labels[inside[1]]
    assert session.conflicts == ()


def test_steps_that_make_no_sense_without_a_statement_are_skipped_and_listed(blobs):
    session = Session(blobs[0]).group([0, 1, 2], "mine")
    made = int(session.state.labels[0])
    session.assign(9, made).group([5, 6], "others")
    other = int(session.state.labels[5])
    session.unlink(1)
    assert session.state.skipped == (2,)
    assert session.state.labels[5] == session.state.labels[6] == other  # with the key that it had
    assert session.name_of(other) == "others"
    assert made not in session.keys
    assert session.undo().state.skipped == ()
    assert session.state.labels[9] == made


def test_deleting_brings_back_what_the_statement_replaced(blobs):
    session = Session(blobs[0]).must_link(0, 1).cannot_link(0, 1).unlink(2)
    assert [(said.id, said.kind) for said in session.statements] == [(1, "must")]


def without(session, fresh, number):
    """A session in which all was done that the first one did, but for one event and what makes no sense without it."""
    for event in session._history.done:
        if event.seq != number and event.type != "unlink":
            try:
                fresh.take(event.type, event.args)
            except EventError:
                fresh.undo()
    return fresh


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_session_without_a_statement_is_the_session_after_deleting_it(opinions, seed):
    rng, session = np.random.default_rng(seed), Session(opinions)
    for _ in range(12):
        i, j = (int(x) for x in rng.choice(60, 2, replace=False))
        what = rng.integers(4)
        if what == 3:
            session.merge(*session.keys[:2]) if len(session.keys) > 3 else session.split(session.keys[0])
        elif what == 2:
            session.assign([i, j], session.keys[0])
        else:
            session.do("link", one=i, other=j, kind="must" if what else "cannot")
    if not session.statements:
        return
    number = int(rng.choice([said.id for said in session.statements]))
    session.unlink(number)
    check_statements(session)
    if session.state.skipped or any(e.type == "split" for e in session._history.done):
        return  # keys of other clusters
    assert adjusted_rand_index(session.labels, without(session, Session(opinions), number).labels) == 1


def test_another_number_of_clusters_keeps_what_was_merged(blobs):
    session = Session(blobs[0])
    a, b, _ = session.keys
    item = int(np.flatnonzero(session.state.labels == a)[0])
    session.assign(item, b).merge(a, b).set_k(5)
    assert session.state.current(b) == a
    assert session.state.labels[item] == a


# -- what a statement moves ------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_to_say_what_is_so_already_moves_nothing(opinions, seed):
    session, rng = Session(opinions), np.random.default_rng(seed)
    before = session.state.labels.tolist()
    for i, j in rng.integers(0, 60, (8, 2)).tolist():
        if i != j:
            session.do("link", one=i, other=j, kind="must" if before[i] == before[j] else "cannot")
            session.assign(i, before[i])
    assert session.state.labels.tolist() == before


def test_a_moved_object_takes_along_its_own_cluster_only(opinions):
    for item in range(0, 60, 7):
        session = Session(opinions)
        before = session.state.labels
        target = session.keys[0] if before[item] != session.keys[0] else session.keys[1]
        now = session.assign(item, target).state.labels
        assert set(before[now != before]) <= {before[item]}


def test_an_object_that_no_cluster_can_take_has_one_of_its_own_that_keeps_its_key(blobs):
    session = Session(blobs[0])
    inside = [np.flatnonzero(session.state.labels == key) for key in session.keys]
    item = int(inside[0][0])
    for others in inside:
        session.cannot_link(item, int(others[1]))
    key = int(session.state.labels[item])
    assert key == 3
    session.rename(key, "odd").must_link(int(inside[1][2]), int(inside[1][3])).unlink(5)
    assert session.state.labels[item] == key
    assert session.name_of(key) == "odd"


def test_evidence_is_looked_up_once_however_many_objects_have_to_leave(blobs, monkeypatch):
    session, calls, real = Session(blobs[0]), [], _resolve.mean_evidence
    inside = np.flatnonzero(session.state.labels == session.keys[0])[:12].tolist()
    for other in inside[1:]:
        session.cannot_link(inside[0], other)
    monkeypatch.setattr(_resolve, "mean_evidence", lambda *args: calls.append(1) or real(*args))
    grown = []
    monkeypatch.setattr(_resolve, "grow_groups", lambda *args: grown.append(1) or grow_groups(*args))
    mates = np.flatnonzero(session.state.base == session.state.base[inside[0]])
    session.must_link(inside[0], int(mates[-1]))
    assert (len(calls), len(grown)) == (1, 1)


def test_cores_are_the_surer_half():
    labels, confidence = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0.1, 0.9, 0.5, 0.2, 0.4, 0.3, 0.1])
    everyone = np.ones(7, bool)
    assert np.flatnonzero(core_of(labels, confidence, everyone)).tolist() == [1, 2, 4, 5]
    assert np.flatnonzero(core_of(labels, confidence, everyone & (np.arange(7) != 1))).tolist() == [2, 4, 5]


# -- engines ---------------------------------------------------------------------------------------------------------


def test_every_engine_on_offer_takes_the_data(blobs):
    session = Session(blobs[0])
    assert not {"cdk-means", "feedback"} & set(session.engines)  # they need zeros and ones, or counts
    for engine in session.engines:
        session.set_engine(engine).undo()
    zeros_and_ones = Session(features=[[0, 1], [1, 0], [1, 1], [0, 0]])
    assert {"cdk-means", "feedback"} <= set(zeros_and_ones.engines)
    assert "cdk-means" not in Session(features=LINE).engines


def test_what_an_engine_does_not_follow_is_listed_and_exported(blobs):
    session = Session(blobs[0])
    a, b = (int(np.flatnonzero(session.state.labels == key)[0]) for key in session.keys[:2])
    session.must_link(a, b)
    assert session.unfollowed == ()
    session.set_engine("seeded-kmeans")
    assert session.unfollowed == (1,)
    assert session.conflicts == ()
    assert len(session.constraints.must_link) == 1


def test_splits_do_not_warn_of_ties():
    few = pluribus.combine([[0, 0, 0, 1, 1, 1]], k=2, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Session(few).split(0, 2)


def test_other_levels_do_not_keep_a_session_alive():
    X, _ = make_blobs(30, centers=2, random_state=0)
    session = Session(pluribus.cluster(X, 2, seed=0, verbose=False)).set_k(3)
    ladder = weakref.ref(session.scene.ladder)
    del session
    gc.collect()
    assert ladder() is None


def test_a_view_stays_as_it_is(blobs):
    session = Session(blobs[0]).group([0, 1])
    view = session.view()
    before = snapshot(view)
    session.undo().cannot_link(3, 4)
    assert (view.seq, snapshot(view)) == (1, before)


def test_a_cluster_of_its_own_is_left_if_it_becomes_forbidden(blobs):
    session = Session(blobs[0])
    inside = [np.flatnonzero(session.state.labels == key) for key in session.keys]
    item, other = int(inside[0][0]), int(inside[1][5])
    for others in inside:
        session.cannot_link(item, int(others[1]))
    session.assign(other, int(session.state.labels[item])).cannot_link(item, other)
    assert session.conflicts == ()
    assert session.state.labels[item] != session.state.labels[other]


def test_what_conflicts_is_not_called_unfollowed(opinions):
    session = Session(opinions).must_link(0, 1).cannot_link(0, 1 + 1).must_link(1, 2)
    assert [conflict.statement for conflict in session.conflicts] == [3]
    assert session.unfollowed == ()


def test_a_split_does_not_change_what_was_said_of_objects_that_are_elsewhere(opinions):
    session = Session(opinions)
    one, other = session.keys[:2]
    session.assign(0, one).must_link(0, 1).assign(1, other).split(one)
    said = {statement.id: statement.cluster for statement in session.statements}
    assert said[3] == other
    assert [conflict.statement for conflict in session.conflicts] == [3]


def test_the_page_shows_the_cluster_of_an_assignment_and_none_of_a_link(blobs):
    session = Session(blobs[0])
    first, second = session.keys[:2]
    items = np.flatnonzero(session.state.labels == first)[:3].tolist()
    session.must_link(items[0], items[1]).assign([items[2]], second)
    link, assignment = overview(session)["statements"]
    assert (link["cluster"], link["n_items"]) == (None, 2)
    assert (assignment["cluster"], assignment["items"]) == (second, [items[2]])
    session.merge(first, second)
    assert overview(session)["statements"][1]["cluster"] == first
