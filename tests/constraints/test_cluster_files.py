"""Allowed labels, sizes and graphs in CSV and JSON files."""

import json

import numpy as np
import pytest

from pluribus import Constraints
from pluribus.constraints import ConstraintError, ContradictionError

LINKS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
IDS = [f"x{i}" for i in range(6)]
EVERYTHING = Constraints(
    6,
    must_link=[(0, 1)],
    cannot_link=[(2, 3)],
    cannot_weight=2.5,
    groups=[None, None, None, None, "g", "g"],
    labels=["a", None, None, None, None, None],
    allowed={2: ["b", "a"], 3: ["c", "b"]},
    min_size={None: 1, "a": 2},
    max_size={None: 5, "d": 3},
    graph=LINKS,
)


@pytest.mark.parametrize("suffix", ["csv", "json"])
@pytest.mark.parametrize("ids", [None, IDS])
@pytest.mark.parametrize(
    "known",
    [
        EVERYTHING,
        Constraints(6),
        Constraints(6, min_size=2),
        Constraints(6, max_size={7: 3}, labels=[7, 8, -1, -1, -1, -1]),
        Constraints(6, allowed={1: [3, 1]}),
        Constraints(6, graph=LINKS),
        Constraints(6, graph=LINKS[:2]),  # an array of two links would be a matrix
        Constraints(6, labels=["a", None, None, None, None, "b"], groups=[1, 1, 2, 2, -1, -1]),
        Constraints(6, labels=[*np.array(["a", "b"]), None, None, None, None]),
    ],
)
def test_round_trip(tmp_path, known, suffix, ids):
    path = tmp_path / f"known.{suffix}"
    known.write(path, ids=ids)
    assert Constraints.read(path, 6, ids=ids) == known


def test_only_json_holds_a_graph_without_links(tmp_path):
    known = Constraints(3, graph=[])
    known.write(tmp_path / "known.json")
    assert Constraints.read(tmp_path / "known.json") == known
    with pytest.raises(ConstraintError, match="without links; write to .json"):
        known.write(tmp_path / "known.csv")
    assert not (tmp_path / "known.csv").exists()


@pytest.mark.parametrize("names", [["1", None], [1.5, None], ["a", 1], [" a", None], [True, None]])
def test_a_csv_file_refuses_names_that_it_would_change(tmp_path, names):
    with pytest.raises(ConstraintError, match="would not be read back"):
        Constraints(2, labels=names).write(tmp_path / "known.csv")


def test_names_that_are_no_text(tmp_path):
    with pytest.raises(ConstraintError, match="JSON holds numbers and strings"):
        Constraints(2, allowed={0: [("a", 1), ("b", 2)]}).write(tmp_path / "known.json")
    with pytest.raises(ConstraintError, match="but a label is inf"):
        Constraints(2, allowed={0: [float("inf"), 2]}).write(tmp_path / "known.json")


@pytest.mark.parametrize("more", [{}, {"allowed": {2: [False, True]}}])
def test_json_holds_truth_values(tmp_path, more):
    known = Constraints(3, labels=[True, False, None], **more)
    known.write(tmp_path / "known.json")
    assert Constraints.read(tmp_path / "known.json") == known


HOSTILE_JSON = [
    ({"allowed": {"0": ["a"]}}, "allowed must be a list, got dict"),
    ({"allowed": [[0, "ab"]]}, "must have a list of labels"),
    ({"allowed": [[0, []]]}, "must have a list of labels"),
    ({"allowed": [[0, [None]]]}, "must have a list of labels"),
    ({"allowed": [[0, [-1]]]}, "must have a list of labels"),
    ({"allowed": [[0, [float("inf")]]]}, "must have a list of labels"),
    ({"allowed": [[0, [["a"]]]]}, "must have a list of labels"),
    ({"allowed": [[0]]}, r"allowed\[0\] must be \[object, \[labels\]\]"),
    ({"allowed": [[9, ["a", "b"]]]}, r"allowed\[0\]: unknown object 9"),
    ({"allowed": [[0.5, ["a", "b"]]]}, "unknown object 0.5"),
    ({"allowed": [[0, ["a", "b"]], [0, ["b", "c"]]]}, "names an object twice"),
    ({"min_size": 3}, "min_size must be a list"),
    ({"min_size": [[None, 2.5]]}, "no number of objects"),
    ({"min_size": [[None, "2"]]}, "no number of objects"),
    ({"min_size": [[None, True]]}, "no number of objects"),
    ({"min_size": [[None, 1], [None, 2]]}, "names None twice"),
    ({"min_size": [[["a"], 1]]}, "no label"),
    ({"min_size": [[None, 10**30]]}, "has 0 to 3"),
    ({"max_size": [[None, -(10**30)]]}, "has 1 to 3"),
    ({"min_size": [["a", 3]], "max_size": [["a", 2]]}, "above max_size"),
    ({"graph": 5}, "graph must be a list"),
    ({"graph": [[0, 1, 2]]}, r"graph\[0\] must be \[one, other\]"),
    ({"graph": [[0, 99]]}, r"graph\[0\]: unknown object 99"),
    ({"graph": [[0, -1]]}, "unknown object -1"),
    ({"graphs": []}, "unknown entries: graphs"),
]


@pytest.mark.parametrize(("content", "message"), HOSTILE_JSON)
def test_hostile_json(tmp_path, content, message):
    path = tmp_path / "known.json"
    path.write_text(json.dumps({"n_objects": 3} | content))
    with pytest.raises(ConstraintError, match=message):
        Constraints.read(path)


HOSTILE_CSV = [
    ("0,,label", "row 2: an object without a name"),
    ("9,a,allowed", "unknown object '9'"),
    ("-1,a,label", "unknown object '-1'"),
    (",2.5,min-size", "row 2: min-size '2.5' is no number of objects"),
    (",-2,min-size", "no number of objects"),
    (",99999999999999999999,max-size", "no number of objects"),
    (",٣,max-size", "no number of objects"),
    (",x,max-size", "no number of objects"),
    (",4,min-size", "has 0 to 3"),
    (",1,min-size\n,2,min-size", "row 3: min-size of 'every cluster' is there twice"),
    ("a,1,min-size\na,2,min-size", "min-size of 'a' is there twice"),
    ("0,a,label\n0,b,label", "object 0 has two rows of type label"),
    ("0,7,graph-link", "unknown object '7'"),
    ("0,1,sizes", "type 'sizes' is neither"),
]


@pytest.mark.parametrize(("rows", "message"), HOSTILE_CSV)
def test_hostile_csv(tmp_path, rows, message):
    path = tmp_path / "known.csv"
    path.write_text(f"one,other,type\n{rows}\n")
    with pytest.raises(ConstraintError, match=message):
        Constraints.read(path, 3)


def test_only_pairs_have_weights(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("one,other,type,weight\n0,a,label,2\n")
    with pytest.raises(ConstraintError, match="row 2: only pairs have a weight"):
        Constraints.read(path, 3)


def test_a_kind_leaves_out_other_pairs_and_refuses_what_is_no_pair(tmp_path):
    path = tmp_path / "known.csv"
    Constraints(6, must_link=[(0, 1)], cannot_link=[(2, 3)]).write(path)
    assert Constraints.read(path, 6, kind="must-link") == Constraints(6, must_link=[(0, 1)])
    EVERYTHING.write(path)
    with pytest.raises(ConstraintError, match="row 4: type 'group' is no pair, and only pairs are taken here"):
        Constraints.read(path, 6, kind="must-link")


def test_types_are_read_in_any_spelling(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("one,other,type\n0,1,Graph_Link\n,2,MIN SIZE\n")
    assert Constraints.read(path, 2) == Constraints(2, min_size=2, graph=[(0, 1)])


def test_contradictions_are_named_by_id(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("one,other,type\nann,bob,must-link\nann,a,label\nbob,b,allowed\nbob,c,allowed\n")
    with pytest.raises(ContradictionError, match="'ann' –must-link– 'bob'"):
        Constraints.read(path, ids=["ann", "bob"])
