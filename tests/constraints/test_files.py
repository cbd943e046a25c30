"""CSV and JSON, by index and by id."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pluribus.constraints import ConstraintError, Constraints, ContradictionError

IDS = ["ann", "bob", "eve", "joe"]


def write(tmp_path, text, name="pairs.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.filterwarnings("ignore:.*speaks against a hard one")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), by_id=st.booleans())
def test_json_round_trip(tmp_path, known, data, by_id):
    _, said = data.draw(known)
    ids = [f"object {i}" for i in range(said.n_objects)] if by_id else None
    said.write(tmp_path / "known.json", ids=ids)
    assert Constraints.read(tmp_path / "known.json", ids=ids) == said


@pytest.mark.parametrize("ids", [None, IDS, [10, 20, 30, 40], ["a,b", 'c"d', "é", " x y"]])
def test_csv_round_trip(tmp_path, ids):
    said = Constraints(4, [(0, 1), (1, 2)], [(0, 3)], must_weight=[0.1 + 0.2, None], cannot_weight=None)
    if ids is not None:
        ids = [str(x).strip() for x in ids]
    said.write(tmp_path / "pairs.csv", ids=ids)
    assert Constraints.read(tmp_path / "pairs.csv", None if ids else 4, ids=ids) == said
    assert [p.name for p in tmp_path.iterdir()] == ["pairs.csv"]


def test_no_pairs_round_trip(tmp_path):
    Constraints(3).write(tmp_path / "none.csv")
    assert Constraints.read(tmp_path / "none.csv", 3) == Constraints(3)


def test_json_by_id_follows_the_objects_to_another_order(tmp_path):
    said = Constraints(4, [(0, 1)], labels=["x", None, None, "y"])
    said.write(tmp_path / "known.json", ids=IDS)
    back = Constraints.read(tmp_path / "known.json", ids=IDS[::-1])
    assert back.must_link.tolist() == [[2, 3]]
    assert back.labels.tolist() == [0, -1, -1, 1]
    assert back.classes.tolist() == ["y", "x"]


def test_json_by_index_knows_its_number_of_objects(tmp_path):
    Constraints(4, [(0, 1)]).write(tmp_path / "known.json")
    assert Constraints.read(tmp_path / "known.json").n_objects == 4
    assert Constraints.read(tmp_path / "known.json", ids=IDS).must_link.tolist() == [[0, 1]]
    with pytest.raises(ConstraintError, match="about 4 objects, but n_objects=5"):
        Constraints.read(tmp_path / "known.json", 5)


def test_json_by_hand(tmp_path):
    path = write(tmp_path, '{"must_link": [["ann", "bob", null], ["bob", "eve", 2]], "cannot_link": []}', "k.json")
    said = Constraints.read(path, ids=IDS)
    assert said == Constraints(4, [(0, 1), (1, 2)], must_weight=[None, 2])


@pytest.mark.parametrize(
    "text",
    [
        "a,b,type,weight\nann,bob,must-link,\neve,joe,cannot-link,1.5\n",
        "\ufefftype;weight;from;to\nML;inf;ann;bob\n\nCL; 1.5 ;eve;joe\n",
        'weight\tone\tother\ttype\r\n\t"ann"\tbob\tMust_Link\r\n1.5\teve\tjoe\tcannot link\r\n',
    ],
)
def test_csv_with_named_columns_and_any_delimiter(tmp_path, text):
    said = Constraints.read(write(tmp_path, text), ids=IDS)
    assert said == Constraints(4, [(0, 1)], [(2, 3)], cannot_weight=[1.5])


@pytest.mark.parametrize("text", ["0,1\n2,3\n", "left,right\n0,1\n2,3\n", "0 , 1\n\n3,2"])
def test_csv_of_two_columns_with_and_without_titles(tmp_path, text):
    assert Constraints.read(write(tmp_path, text), 4, kind="must-link") == Constraints(4, [(0, 1), (2, 3)])
    assert Constraints.read(write(tmp_path, text), 4, kind="cannot-link") == Constraints(4, None, [(0, 1), (2, 3)])


def test_a_contradiction_is_told_with_ids(tmp_path):
    path = write(tmp_path, "a,b,type\nann,bob,ml\nbob,eve,ml\neve,ann,cl\n")
    with pytest.raises(ContradictionError, match="'ann' –must-link– 'bob' –must-link– 'eve'") as info:
        Constraints.read(path, ids=IDS)
    assert info.value.chain == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("a,b,type\nann,bob,ml\nann,zoe,cl\n", "row 3: unknown object 'zoe'; no object has this id"),
        ("ann,zoe\n", "row 1: unknown object 'zoe'"),
        ("a,b\nann,bob\n", "no type column: say kind="),
        ("anm,bop\nann,bob\n", "row 1: 'anm', 'bop' are neither objects nor titles"),
        ("a,b,type\nann,bob,near\n", "row 2: type 'near' is neither"),
        ("a,b,type,weight\nann,bob,ml,heavy\n", "row 2: weight 'heavy' is not a positive number"),
        ("a,b,type,weight\nann,bob,ml,-1\n", "row 2: weight '-1'"),
        ("a,b,type\nann,bob,ml\nann,ann,cl\n", "row 3: an object cannot be apart from itself"),
        ("a,b,type\nann,bob\n", "row 2: 2 cells, but 3 in the first row"),
        ("a,type\nann,ml\n", "two columns of objects"),
        ("ann\nbob\n", "two columns of objects"),
        ("ann,bob,ml\nann,eve,ml\n", "two columns of objects"),
        ("a,b,type,type\nann,bob,ml,ml\n", "each once"),
    ],
)
def test_bad_csv_names_the_row(tmp_path, text, message):
    with pytest.raises(ConstraintError, match=message):
        Constraints.read(write(tmp_path, text), ids=IDS)


@pytest.mark.parametrize("cell", ["4", "-1", "1.5", "bob", ""])
def test_bad_index_in_csv(tmp_path, cell):
    path = write(tmp_path, f"a,b,type\n0,1,ml\n2,{cell},ml\n")
    with pytest.raises(ConstraintError, match=f"row 3: unknown object '{cell}'; the indices of 4 objects"):
        Constraints.read(path, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "must be a JSON object"),
        ('{"must-link": []}', "unknown entries: must-link"),
        ('{"must_link": {"a": "b"}}', "must_link must be a list"),
        ('{"must_link": [["ann"]]}', r"must_link\[0\] must be \[one, other\]"),
        ('{"must_link": [["ann", "bob"], ["ann", "zoe"]]}', r"must_link\[1\]: unknown object 'zoe'"),
        ('{"labels": [["ann", 1], ["ann", 2]]}', "labels names an object twice"),
        ('{"labels": [["ann", [1]]]}', "labels must be hashable"),
        ('{"must_link": [["ann", "bob", -2]]}', r"must_weight\[0\] is -2"),
        ('{"by": "name"}', "by"),
        ('{"n_objects": 3}', "3 objects"),
        ('{"n_objects": "four"}', "n_objects"),
    ],
)
def test_bad_json(tmp_path, text, message):
    with pytest.raises(ConstraintError, match=message):
        Constraints.read(write(tmp_path, text, "known.json"), ids=IDS)


def test_one_kind_of_a_file_that_says_what_each_pair_is(tmp_path):
    path = write(tmp_path, "a,b,type\n0,1,ml\n1,2,cannot-link\n0,3,unsure\n")
    assert Constraints.read(path, 4) == Constraints(4, [(0, 1)], [(1, 2)])
    assert Constraints.read(path, 4, kind="must-link") == Constraints(4, [(0, 1)])
    assert Constraints.read(path, 4, kind="cannot-link") == Constraints(4, None, [(1, 2)])


def test_other_bad_calls(tmp_path):
    path = write(tmp_path, "a,b\n0,1\n")
    with pytest.raises(ConstraintError, match="give n_objects"):
        Constraints.read(path, kind="must-link")
    with pytest.raises(ConstraintError, match="'ann' is there twice"):
        Constraints.read(path, ids=["ann", "ann"], kind="must-link")
    with pytest.raises(ConstraintError, match="about 4 objects, but n_objects=3"):
        Constraints.read(path, 3, ids=IDS, kind="must-link")
    with pytest.raises(ConstraintError, match="neither must-link nor cannot-link"):
        Constraints.read(path, 3, kind="near")
    with pytest.raises(ConstraintError, match=r"\.csv or \.json"):
        Constraints.read(tmp_path / "pairs.txt", 3)
    with pytest.raises(ConstraintError, match="kind is for CSV"):
        Constraints.read(write(tmp_path, "{}", "k.json"), 3, kind="must-link")
    with pytest.raises(FileNotFoundError):
        Constraints.read(tmp_path / "missing.csv", 3)
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConstraintError, match="not UTF-8"):
        Constraints.read(tmp_path / "binary.csv", 3)
    Constraints(4, [(0, 1)]).write(tmp_path / "id.json", ids=IDS)
    with pytest.raises(ConstraintError, match="by id: give ids"):
        Constraints.read(tmp_path / "id.json")


def test_nothing_is_written_if_something_cannot_be(tmp_path):
    with pytest.raises(ConstraintError, match=r"would not be read back from a CSV file; write to \.json"):
        Constraints(2, labels=["1", "b"], groups=["1", "2"]).write(tmp_path / "known.csv")
    with pytest.raises(ConstraintError, match=r"labels has .*'a', 1"):
        Constraints(2, labels=[("a", 1), None]).write(tmp_path / "known.json")
    with pytest.raises(ConstraintError, match=r"\.csv or \.json"):
        Constraints(2).write(tmp_path / "known.xlsx")
    with pytest.raises(ConstraintError, match="objects"):
        Constraints(2).write(tmp_path / "known.json", ids=["a"])
    assert list(tmp_path.iterdir()) == []


def test_json_is_plain(tmp_path):
    Constraints(3, [(0, 1)], must_weight=[np.float32(2)], groups=np.array([7, 7, -1])).write(tmp_path / "known.json")
    content = json.loads((tmp_path / "known.json").read_text())
    assert content["must_link"] == [[0, 1, 2.0]]
    assert content["groups"] == [[0, 7], [1, 7]]
