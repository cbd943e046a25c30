"""Allowed labels, sizes and graphs as statements: how they are read, combined, checked and judged."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus import Constraints
from pluribus.constraints import ConstraintError, ContradictionError, InfeasibleError, _cluster_statements

LINE = [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_every_form_of_allowed_labels_says_the_same():
    by_object = Constraints(3, allowed={0: ["a", "b"], 2: ["b", "c"]})
    assert Constraints(3, allowed=[["a", "b"], None, ["b", "c"]]) == by_object
    assert Constraints(3, allowed=[{"a", "b"}, float("nan"), ("b", "c")]) == by_object
    assert by_object.classes.tolist() == ["a", "b", "c"]
    assert by_object.allowed.tolist() == [[0, 0], [0, 1], [2, 1], [2, 2]]
    of_columns = Constraints(2, allowed=np.array([[True, True, False], [False, True, True]]))
    assert of_columns.classes.tolist() == [0, 1, 2]
    assert of_columns.allowed.tolist() == [[0, 0], [0, 1], [1, 1], [1, 2]]
    frame = pd.DataFrame({"a": [True, False, False], "b": [True, True, True], "c": [False, True, True]})
    assert Constraints(3, allowed=frame[:3]).classes.tolist() == ["a", "b", "c"]


def test_booleans_are_not_read_object_by_object(monkeypatch):
    monkeypatch.setattr(_cluster_statements, "_label_set", None)
    may = np.tile([True, True, False], (1000, 1))
    known = Constraints(1000, allowed=may)
    assert known.classes.tolist() == [0, 1]
    assert known.allowed.tolist() == [[i, h] for i in range(1000) for h in range(2)]


def test_one_allowed_label_is_a_known_label():
    assert Constraints(2, allowed={0: ["a"]}) == Constraints(2, labels=["a", None])
    assert Constraints(2, labels=["a", None], allowed={0: ["b", "a"]}) == Constraints(2, labels=["a", None])


def test_sizes_of_every_cluster_and_of_labels():
    known = Constraints(9, labels=["a"] + [None] * 8, min_size={None: 2, "b": 4}, max_size=5)
    assert (known.min_size, known.max_size) == ({None: 2, "b": 4}, {None: 5})
    assert [bound.tolist() for bound in known.size_bounds(3)] == [[2, 4, 2], [5, 5, 5]]
    assert Constraints(9, min_size=0, max_size=20) == Constraints(9)  # these say nothing


def test_every_form_of_a_graph_says_the_same():
    links = Constraints(3, graph=[(1, 0), (1, 2), (0, 1)])
    matrix = np.array([[0, 2.0, 0], [2.0, 0, 1], [0, 1, 0]])
    assert links == Constraints(3, graph=matrix) == Constraints(3, graph=sparse.csr_array(matrix))
    assert links.graph.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    two = pd.DataFrame({"one": [1, 2], "other": [2, 3]})  # as many rows as columns, but no matrix
    assert Constraints(4, graph=two) == Constraints(4, graph=[(1, 2), (2, 3)])
    assert Constraints(3).graph is None
    assert Constraints(3, graph=[]).graph.nnz == 0
    assert Constraints(3, graph=[]) != Constraints(3)


def test_kinds_and_repr():
    known = Constraints(5, must_link=[(0, 1)], allowed={2: ["ab"] + ["c"]}, min_size=1, graph=LINE)
    assert known.kinds == ("pairs", "allowed labels", "sizes", "a graph")
    assert repr(known) == (
        "<Constraints: 5 objects, 1 must-link, allowed labels of 1 object, min_size 1, a graph of 4 links>"
    )
    assert Constraints(5).kinds == ()
    assert Constraints(5, labels=[0, 1, -1, -1, -1]).kinds == ("pairs",)
    assert Constraints(5, groups=[0, 0, -1, -1, -1]).kinds == ("pairs",)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"allowed": "ab"}, "mapping from objects"),
        ({"allowed": 3}, "mapping from objects"),
        ({"allowed": [["a", "b"]]}, "each of the 3 objects, got 1"),
        ({"allowed": {0: "ab"}}, "give a set or list of labels"),
        ({"allowed": {0: 1}}, "give a set or list of labels"),
        ({"allowed": {0: []}}, "allowed of object 0 is empty"),
        ({"allowed": np.array([[True], [False], [True]])}, "allowed of object 1 is empty"),
        ({"allowed": np.array([[1, 0], [1, 1], [0, 1]])}, "allowed is a table of int64: give booleans"),
        ({"allowed": pd.DataFrame({0: [True] * 3, -1: [True] * 3})}, "allowed has a column -1"),
        ({"allowed": {0: ["a", None]}}, "are no labels"),
        ({"allowed": {0: ["a", pd.NA]}}, "are no labels"),
        ({"allowed": {0: [-1, 2]}}, "are no labels"),
        ({"allowed": {0: [["a"], "b"]}}, "hashable"),
        ({"allowed": {3: ["a"]}}, "0 to 2"),
        ({"allowed": {-1: ["a"]}}, "0 to 2"),
        ({"allowed": {True: ["a"]}}, "0 to 2"),
        ({"min_size": 4}, "has 0 to 3"),
        ({"min_size": -1}, "has 0 to 3"),
        ({"max_size": 0}, "has 1 to 3"),
        ({"min_size": 1.5}, "give a number of objects"),
        ({"min_size": True}, "give a number of objects"),
        ({"max_size": [1, 2]}, "give a number of objects"),
        ({"max_size": {"a": "2"}}, "give a number of objects"),
        ({"max_size": {-1: 2}}, "max_size has the label -1"),
        ({"min_size": {None: 1, float("nan"): 2}}, "min_size has the label nan"),
        ({"min_size": 2, "max_size": 1}, "min_size=2 is above max_size=1"),
        ({"min_size": {"a": 3}, "max_size": 2}, "min_size=3 of label 'a' is above max_size=2"),
        ({"graph": [(0, 3)]}, "graph: .*3"),
        ({"graph": np.eye(4)}, "graph has 4 nodes, but there are 3"),
        ({"graph": "no such file.csv"}, "graph"),
    ],
)
def test_bad_statements_are_refused(said, message):
    with pytest.raises((ConstraintError, OSError), match=message):
        Constraints(3, **said)


def test_a_chain_of_must_links_without_a_common_label():
    with pytest.raises(ContradictionError, match="'a' or 'b'; 'c' or 'd'") as raised:
        Constraints(4, [(0, 1), (1, 2), (2, 3)], allowed={0: ["a", "b"], 2: ["c", "d"], 3: ["a", "c"]})
    assert (raised.value.chain, raised.value.links) == ((0, 1, 2), ("must-link", "must-link"))


def test_three_sets_of_which_each_two_meet():
    with pytest.raises(ContradictionError) as raised:
        Constraints(4, [(0, 1), (1, 2), (2, 3)], allowed={0: ["a", "b"], 1: ["b", "c"], 3: ["a", "c"]})
    assert raised.value.chain == (0, 1, 2, 3)
    assert raised.value.apart == "allowed labels 'a' or 'b'; 'b' or 'c'; 'a' or 'c'"


def test_known_and_allowed_labels_that_contradict():
    with pytest.raises(ContradictionError, match="object 1 is known to have the label 'a', but only 'b' or 'c'"):
        Constraints(2, labels=[None, "a"], allowed={1: ["b", "c"]})
    with pytest.raises(ContradictionError, match="group 'g'") as raised:
        Constraints(3, labels=["a", None, None], groups=["g", None, "g"], allowed={2: ["b", "c"]})
    assert raised.value.chain == (0, 2)


def test_must_links_across_the_parts_of_a_graph():
    with pytest.raises(ContradictionError, match="no path of the graph") as raised:
        Constraints(5, [(0, 1), (1, 4)], graph=[(0, 1), (1, 2), (3, 4)])
    assert raised.value.chain == (1, 4)


def test_merge_takes_the_tighter_statement():
    one = Constraints(5, allowed={0: ["a", "b"], 1: ["a", "b"]}, min_size=1, max_size={"a": 3}, graph=LINE)
    other = Constraints(5, allowed={0: ["c", "b", "a"], 2: ["b", "c"]}, min_size=2, max_size={"a": 4, "b": 2})
    both = one.merge(other)
    assert both == Constraints(
        5,
        allowed={0: ["a", "b"], 1: ["a", "b"], 2: ["b", "c"]},
        min_size=2,
        max_size={"a": 3, "b": 2},
        graph=LINE,
    )
    assert other.merge(one).graph is not None
    assert one.merge(one) == one
    assert one.merge(Constraints(5)) == Constraints(5).merge(one) == one


def test_merge_refuses_what_cannot_hold_together():
    with pytest.raises(ContradictionError, match="none by both"):
        Constraints(2, allowed={0: ["a", "b"]}).merge(Constraints(2, allowed={0: ["c", "d"]}))
    with pytest.raises(ContradictionError, match="object 0"):
        Constraints(2, labels=["a", None]).merge(Constraints(2, allowed={0: ["b", "c"]}))
    with pytest.raises(ConstraintError, match="above max_size"):
        Constraints(4, min_size=3).merge(Constraints(4, max_size=2))
    with pytest.raises(ConstraintError, match="the graphs differ"):
        Constraints(3, graph=[(0, 1)]).merge(Constraints(3, graph=[(1, 2)]))


def test_restrict_keeps_what_follows():
    known = Constraints(
        6, [(0, 1)], allowed={1: ["a", "b"], 4: ["b", "c"]}, min_size=3, max_size=4, graph=[*LINE, (4, 5)]
    )
    part = known.restrict([0, 2, 4, 5])
    assert part == Constraints(4, allowed={0: ["a", "b"], 2: ["b", "c"]}, min_size=1, graph=[(0, 1), (1, 2), (2, 3)])
    assert known.restrict(range(6)) == known
    turned = known.restrict([5, 4, 3, 2, 1, 0])
    assert turned.graph.toarray().tolist() == known.graph.toarray()[::-1, ::-1].tolist()


def test_restrict_refuses_to_link_very_many():
    star = Constraints(9000, graph=[(0, i) for i in range(1, 9000)])
    with pytest.raises(ConstraintError, match="join too many"):
        star.restrict(range(1, 9000))
    assert star.restrict(range(100)).graph.nnz == 2 * 99


def test_pickle_and_frozen_arrays():
    known = Constraints(5, allowed={0: ["a", "b"]}, min_size=1, graph=LINE)
    assert pickle.loads(pickle.dumps(known)) == known
    with pytest.raises(ValueError, match="read-only"):
        known.allowed[0] = 1


def test_violations_of_sizes_labels_and_graph():
    known = Constraints(5, min_size=2, max_size=3, graph=LINE)
    broken = known.violations(["x", "y", "x", "x", "x"])
    assert broken.wrong_sizes == (("x", 4), ("y", 1))
    assert broken.disconnected == ("x",)
    assert (broken.count, broken.n_hard) == (3, 3)
    assert "2 wrong sizes, 1 clusters not connected; 3 hard" in repr(broken)
    assert known.violations([0, 0, 1, 1, 1]).count == 0
    assert known.violations([0, 0, -1, 1, 1]).count == 0


def test_violations_match_labels_to_clusters():
    known = Constraints(5, labels=["a", None, None, None, None], allowed={1: ["a", "b"], 2: ["b", "c"], 3: ["c", "b"]})
    assert known.violations([7, 7, 8, 9, 9]).outside.tolist() == []
    assert known.violations([7, 7, 7, 9, 9]).outside.tolist() == [2]
    assert known.violations([7, 8, 8, 8, 9]).outside.tolist() == []
    assert known.violations([7, 7, -1, 7, 9]).outside.tolist() == [3]
    sized = Constraints(5, max_size={"a": 1}, min_size={"b": 3})
    assert sized.violations([0, 1, 1, 1, 2]).wrong_sizes == ()
    assert [size for _, size in sized.violations([0, 1, 1, 0, 2]).wrong_sizes] == [2]
    assert sized.violations([0] * 5).wrong_sizes == ()
    assert Constraints(5, min_size={"a": 2, "b": 1}).violations([0] * 5).wrong_sizes == (("b", 0),)


def test_a_known_label_has_the_cluster_of_its_objects():
    known = Constraints(3, labels=["a", None, None], allowed={1: ["b", "c"], 2: ["b", "c"]})
    assert known.violations([0, 0, 0]).outside.tolist() == [1, 2]  # they are more, but 0 is known to be "a"
    assert known.violations([0, 1, 1]).n_hard == known.violations([0, 1, 2]).n_hard == 0
    assert known.violations([-1, 0, 0]).n_hard == 0


@settings(max_examples=60)
@given(
    known=st.lists(st.sampled_from([None, None, "a", "b"]), min_size=4, max_size=4),
    allowed=st.dictionaries(st.integers(0, 3), st.sets(st.sampled_from("abc"), min_size=2, max_size=2)),
    clusters=st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
def test_no_violation_means_that_labels_can_be_put_to_clusters(known, allowed, clusters):
    allowed = {i: labels for i, labels in allowed.items() if known[i] is None}
    said = Constraints(4, labels=known, allowed=allowed)

    def fits(names):
        named = [names[cluster] for cluster in clusters]
        return all(label in (None, name) for label, name in zip(known, named, strict=True)) and all(
            named[i] in labels for i, labels in allowed.items()
        )

    possible = any(fits(names) for names in itertools.permutations("abcxyz", 3))
    assert (said.violations(clusters).n_hard == 0) == possible


def _kept(known: Constraints, labels: tuple[int, ...], k: int, allow_empty: bool, said: dict) -> bool:
    """By the words of the statements alone: labels are clusters, in the order of the classes."""
    sizes = np.bincount(labels, minlength=k)
    if not allow_empty and (sizes == 0).any():
        return False
    place = {name: at for at, name in enumerate(known.classes.tolist())}
    for i, allowed in said.get("allowed", {}).items():
        if labels[i] not in [place[name] for name in allowed]:
            return False
    for key, wrong in (("min_size", np.less), ("max_size", np.greater)):
        for name, bound in said.get(key, {}).items():
            at = sizes[sizes > 0] if name is None else sizes[[place[name]]]
            if wrong(at, bound).any():
                return False
    if any(labels[i] != labels[j] for i, j in said.get("must_link", [])):
        return False
    if any(labels[i] == labels[j] for i, j in said.get("cannot_link", [])):
        return False
    links = said.get("graph")
    if links is not None:
        for h in set(labels):
            members = {i for i, label in enumerate(labels) if label == h}
            reached, front = set(), {min(members)}
            while front:
                reached |= front
                front = {b for a, b in [*links, *[(j, i) for i, j in links]] if a in front and b in members} - reached
            if reached != members:
                return False
    return True


pairs_of = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1]), max_size=3)
names = st.sampled_from("abc")
statements = st.fixed_dictionaries(
    {},
    optional={
        "must_link": pairs_of,
        "cannot_link": pairs_of,
        "allowed": st.dictionaries(st.integers(0, 4), st.sets(names, min_size=1).map(sorted), max_size=3),
        "min_size": st.dictionaries(st.sampled_from([None, "a", "b"]), st.integers(1, 3), max_size=2),
        "max_size": st.dictionaries(st.sampled_from([None, "a", "b"]), st.integers(1, 4), max_size=2),
        "graph": st.lists(st.sampled_from([(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3)]), min_size=2, unique=True),
    },
)


@settings(max_examples=300, deadline=None)
@given(statements, st.integers(1, 3), st.booleans())
def test_check_agrees_with_all_partitions(said, k, allow_empty):
    try:
        known = Constraints(5, **said)
    except ContradictionError:
        possible = False
        for n_clusters in range(1, 6):
            loose = Constraints(5)
            classes = sorted({name for group in said.get("allowed", {}).values() for name in group})
            classes += [name for key in ("min_size", "max_size") for name in said.get(key, {}) if name is not None]
            loose = type("Named", (), {"classes": np.array(list(dict.fromkeys(classes)), dtype=object)})
            if len(loose.classes) > 4:
                return
            top = max(n_clusters, len(loose.classes))
            possible |= any(_kept(loose, each, top, True, said) for each in itertools.product(range(top), repeat=5))
        assert not possible
        return
    except ConstraintError:
        return  # a minimum above a maximum
    found = known.check(k, allow_empty=allow_empty)
    named = bool(known.kinds) and (
        "allowed labels" in known.kinds or any(x for x in (*known.min_size, *known.max_size))
    )
    possible = (not named or len(known.classes) <= k) and any(
        _kept(known, each, k, allow_empty, said) for each in itertools.product(range(k), repeat=5)
    )
    if not named and len(known.classes):  # which cluster has a known label does not matter
        unnamed = {key: value for key, value in said.items() if key != "allowed"}
        labels = known.labels
        possible = any(
            _kept(known, each, k, allow_empty, unnamed)
            and all(
                (each[i] == each[j]) == (labels[i] == labels[j])
                for i, j in itertools.combinations(np.flatnonzero(labels >= 0), 2)
            )
            for each in itertools.product(range(k), repeat=5)
        )
    if found.status == "feasible":
        assert possible
        assert known.violations(found.witness).count == 0
        assert allow_empty or len(set(found.witness.tolist())) == k
    elif found.status == "infeasible":
        assert not possible
    else:
        assert "a graph" in known.kinds  # all else is decided for so few objects


@pytest.mark.parametrize(
    ("said", "k", "reason"),
    [
        ({"min_size": 3}, 2, "ask for 6 objects, but there are 5"),
        ({"max_size": 2}, 2, "leave room for 4 objects, but there are 5"),
        ({"max_size": 2, "must_link": [(0, 1), (1, 2)]}, 3, "3 objects must be together, but the largest"),
        ({"allowed": {0: ["a", "b"], 1: ["c", "d"]}}, 3, "name 4 labels, more than k = 3"),
        ({"allowed": {i: ["a", "b"] for i in range(4)}, "min_size": {"c": 2}}, 3, "the label 'c' needs 2 objects"),
        ({"graph": [(0, 1), (2, 3)]}, 2, "the graph has 3 parts that are not linked, more than k = 2"),
        ({"graph": [(0, 1), (1, 2), (3, 4)], "cannot_link": [(0, 2)]}, 2, "needs 3 connected clusters"),
        ({"graph": LINE, "cannot_link": [(1, 2)], "must_link": [(1, 3)]}, 3, "leads through one that must be apart"),
        (
            {"allowed": {0: ["a", "b"], 1: ["a", "b"], 2: ["a", "b"]}, "cannot_link": [(0, 1), (1, 2), (0, 2)]},
            3,
            "proven",
        ),
    ],
)
def test_why_it_is_infeasible(said, k, reason):
    found = Constraints(5, **said).check(k, allow_empty=False)
    assert found.status == "infeasible"
    assert reason in found.reason
    with pytest.raises(InfeasibleError) as error:
        Constraints(5, **said).ensure_feasible(k, allow_empty=False)
    assert "objects []" not in str(error.value)
    with pytest.raises(InfeasibleError, match=reason[:20]):
        Constraints(5, **said).ensure_feasible(k, allow_empty=False)


def test_sizes_of_very_many_objects_are_quick_to_check():
    known = Constraints(200_000, min_size=50_000, allowed={i: ["a", "b"] for i in range(1000)})
    found = known.check(4, allow_empty=False)
    assert found.status == "feasible"
    assert np.bincount(found.witness).tolist() == [50_000] * 4


@pytest.mark.parametrize("k", [0, 7, 2**31, 2**70, 2.0, True])
def test_bounds_are_of_at_most_as_many_clusters_as_objects(k):
    with pytest.raises(ConstraintError, match="k="):
        Constraints(6, min_size=1).size_bounds(k)
