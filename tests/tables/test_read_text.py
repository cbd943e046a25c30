"""Delimited text: dialects, headers, encodings."""

import codecs
import gzip
import string

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pluribus.tables import TableError, _text, read_table

DELIMITERS = [",", ";", "\t", "|", " "]


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def values(table):
    return {str(name): table.frame[name].tolist() for name in table.frame}


# Numbers, and texts that hold every delimiter, quotes and newlines but cannot be taken for something else.
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(alphabet=string.ascii_letters + "_é", min_size=1)
TEXTS = st.text(alphabet=st.sampled_from("abcé ,;\t|\"'\n.:"), max_size=8).map(lambda text: f"q{text}z")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    delimiter=st.sampled_from(DELIMITERS),
    rows=st.lists(st.tuples(NUMBERS, TEXTS, st.integers(-(2**53), 2**53)), min_size=2, max_size=12),
    names=st.lists(NAMES, min_size=3, max_size=3, unique=True),
)
def test_round_trip_of_any_delimiter(write, delimiter, rows, names):
    if delimiter == " ":  # tabs are spaces there
        rows = [(number, text.replace("\t", "_"), integer) for number, text, integer in rows]
    frame = pd.DataFrame(rows, columns=names)
    table = read_table(write(frame.to_csv(sep=delimiter, index=False)))
    assert [str(name) for name in table.frame] == names
    for name in names:
        assert table.frame[name].tolist() == frame[name].tolist()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    delimiter=st.sampled_from([";", "\t", "|"]),
    X=st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 3), min_size=2, max_size=10),
    header=st.booleans(),
)
def test_round_trip_of_decimal_commas(write, delimiter, X, header):
    X = np.array(X) + 0.0
    X[0] = [0.5, -1.25, 3.75]  # at least one that cannot be a thousands separator
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    table = read_table(write(frame.to_csv(sep=delimiter, decimal=",", index=False, header=header)))
    np.testing.assert_array_equal(table.frame.to_numpy(dtype=float), X)
    assert any("decimal" in note for note in table.notes)
    assert list(table.frame) == (["a", "b", "c"] if header else ["x0", "x1", "x2"])


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(write, delimiter, end):
    lines = [["a", "b"], ["1.5", "red"], ["2.5", "blue"]]
    table = read_table(write(end.join(delimiter.join(line) for line in lines) + end, "data.txt"))
    assert values(table) == {"a": [1.5, 2.5], "b": ["red", "blue"]}
    assert table.ids.tolist() == ["0", "1"]
    assert table.name == "data"


def test_aligned_with_spaces_and_tabs(write):
    table = read_table(write('  a    b  "c d"\n 1.0  \t2  "x  y"\n10.5  -3  z \n', "data.txt"))
    assert values(table) == {"a": [1.0, 10.5], "b": [2, -3], "c d": ["x  y", "z"]}


def test_spaces_inside_cells_do_not_delimit(write):
    table = read_table(write("city,n\nNew York,1.5\nLos Angeles,2.5\nRome,3.5\n"))
    assert values(table) == {"city": ["New York", "Los Angeles", "Rome"], "n": [1.5, 2.5, 3.5]}
    single = read_table(write("name\nNew York\nLos Angeles\n"))
    assert values(single) == {"name": ["New York", "Los Angeles"]}


def test_delimiters_inside_quotes(write):
    table = read_table(write('who,say\nann,"a;b;c, ""d"""\nbob,"x\ny"\n'))
    assert values(table) == {"who": ["ann", "bob"], "say": ['a;b;c, "d"', "x\ny"]}


def test_thousands_are_not_taken_for_decimals(write):
    table = read_table(write("a\tb\n1,234\t1\n5,678\t2\n", "data.tsv"))
    assert table.decimal == "."
    assert table.frame["a"].tolist() == ["1,234", "5,678"]


def test_decimal_points_in_a_semicolon_file(write):
    assert values(read_table(write("a;b\n1.5;2\n2.5;3\n"))) == {"a": [1.5, 2.5], "b": [2, 3]}


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_utf8(write, mark):
    table = read_table(write(mark + "größe,ort\n1,Köln\n2,Zürich\n".encode()))
    assert values(table) == {"größe": [1, 2], "ort": ["Köln", "Zürich"]}
    assert table.notes == ()


def test_latin1_with_a_note(write):
    table = read_table(write("größe;ort\n1,5;Köln\n2;Zürich\n".encode("latin-1")))
    assert values(table) == {"größe": [1.5, 2], "ort": ["Köln", "Zürich"]}
    assert any("Latin-1" in note for note in table.notes)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16(write, encoding):
    mark = codecs.BOM_UTF16_LE if encoding == "utf-16-le" else codecs.BOM_UTF16_BE
    table = read_table(write(mark + "ä\tb\n1\t2\n3\t4\n".encode(encoding), "data.txt"))
    assert values(table) == {"ä": [1, 3], "b": [2, 4]}


def test_gzip(write):
    path = write(gzip.compress(b"a,b\n1,2\n3,4\n"), "flowers.csv.gz")
    assert values(read_table(path)) == {"a": [1, 3], "b": [2, 4]}
    assert read_table(path).name == "flowers"


class TestHeader:
    def test_numbers_only(self, write):
        table = read_table(write("1,2\n3,4\n5,6\n"))
        assert values(table) == {"x0": [1, 3, 5], "x1": [2, 4, 6]}
        assert any("no line of column names" in note for note in table.notes)

    def test_missing_cells_do_not_make_a_header(self, write):
        assert values(read_table(write("1,2,NA\n3,4,5\n5,6,7\n")))["x1"] == [2, 4, 6]

    def test_a_fraction_names_no_column(self, write):
        table = read_table(write("5.1,3.5,setosa\n7.0,3.2,versicolor\n6.3,3.3,virginica\n", "iris.data"))
        assert len(table.frame) == 3

    def test_texts_that_come_again_are_data(self, write):
        table = read_table(write("39, State-gov, 77516\n50, Private, 83311\n38, State-gov, 215646\n"))
        assert list(table.frame) == ["x0", "x1", "x2"]

    def test_years_are_names(self, write):
        table = read_table(write("country,2001,2002\nfr,1,2\nit,3,4\n"))
        assert list(table.frame) == ["country", "2001", "2002"]
        assert any("though it holds numbers" in note for note in table.notes)

    @pytest.mark.parametrize("index", [True, False])
    def test_column_numbers_of_pandas(self, write, index):
        frame = pd.DataFrame(np.arange(6).reshape(3, 2) + 0.5)
        table = read_table(write(frame.to_csv(index=index)))
        np.testing.assert_array_equal(table.frame.to_numpy(), frame.to_numpy())
        assert table.ids.tolist() == ["0", "1", "2"]

    def test_whole_numbers_below_column_numbers_are_data(self, write):
        assert len(read_table(write("0,1\n1,0\n1,1\n")).frame) == 3

    def test_row_names(self, write):
        table = read_table(write('"","a"\n"r1",1\n"r2",2\n'))
        assert table.ids.tolist() == ["r1", "r2"]
        assert list(table.frame) == ["a"]
        assert any("names of the rows" in note for note in table.notes)

    def test_row_names_that_repeat_are_dropped(self, write):
        table = read_table(write(",a\nr,1\nr,2\n"))
        assert table.ids.tolist() == ["0", "1"]
        assert any("repeat" in note for note in table.notes)

    def test_columns_without_a_name(self, write):
        table = read_table(write("a,,\n1,2,\n3,4,\n"))
        assert list(table.frame) == ["a", "x1", "x2"]
        assert any("without a name" in note for note in table.notes)

    def test_spaces_around_names(self, write):
        assert list(read_table(write("a, b \n1, 2\n3, 4\n")).frame) == ["a", "b"]


class TestIds:
    def test_stay_as_they_are_written(self, write):
        table = read_table(write("id,a\n007,1\n08,2\n1e3,3\n"), id_column="id")
        assert table.ids.tolist() == ["007", "08", "1e3"]
        assert list(table.frame) == ["a"]

    def test_ignore(self, write):
        table = read_table(write("id,a,b\nu,1,2\nv,3,4\n"), id_column="id", ignore=["b", "id"])
        assert values(table) == {"a": [1, 3]}
        assert values(read_table(write("id,a,b\nu,1,2\nv,3,4\n"), ignore="id")) == {"a": [1, 3], "b": [2, 4]}

    def test_wins_over_row_names(self, write):
        table = read_table(write(",key,a\nr,u,1\ns,v,2\n"), id_column="key")
        assert table.ids.tolist() == ["u", "v"]
        assert list(table.frame) == ["a"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("id,a\nu,1\nv,2\nu,3\nw,4\nw,5\n", "duplicate ids: 'u', 'w'"),
            ("id,a\nu,1\n,2\n", r"1 row without an id in column 'id' \(the first is data row 2\)"),
            ("name,a\nu,1\nv,2\n", "no column 'id' to take the ids from. Its columns are 'name', 'a'"),
            ("id,a\n" + "u" * 2000 + ",1\nv,2\n", "up to 2,000 characters"),
        ],
    )
    def test_refused(self, write, text, message):
        with pytest.raises(TableError, match=message):
            read_table(write(text), id_column="id")

    def test_unknown_column_to_ignore(self, write):
        with pytest.raises(TableError, match=r"no column 'z', which .* Its columns are 'a', 'b'"):
            read_table(write("a,b\n1,2\n3,4\n"), ignore=["a", "z"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\r\n ", "is empty"),
        (codecs.BOM_UTF8, "is empty"),
        (b"a,b\n", "has no rows of data"),
        (b"a,b\n1,2\n", "has one row of data"),
        (b"1,2\n", "has one row of data"),
        (b"a,b,a\n1,2,3\n4,5,6\n", "more than one column named 'a'"),
        (
            b"a,b\n1,2\n3,4,5\n6,7\n",
            "line 3: 3 cells where the line of column names has 2. The line begins '3,4,5'",
        ),
        (b"a,b\n1,2\n3\n6,7\n", "line 3: 1 cell where the line of column names has 2"),
        (b"1;2\n3;4\n5;6;7\n", "line 3: 3 cells where the first line has 2"),
        (b'a,b\n1,"x\ny"\n2\n', "line 4: 1 cell"),
        (b"a b c\n1 0.5 0.25 3\n2 1.5 1.25 4\n", "line 2: 4 cells where the line of column names has 3"),
        (b'a,b\n1,"x\n2,y\n', "line 2: a quote is opened and never closed"),
        (b"PAR1\0\0\0", "not text"),
        (codecs.BOM_UTF16_LE + b"a", "damaged UTF-16"),
    ],
)
def test_bad_text(write, content, message):
    with pytest.raises(TableError, match=message):
        read_table(write(content))


@pytest.fixture
def small_blocks(monkeypatch):
    """The sample and several blocks fit into files that are quick to read."""
    monkeypatch.setattr(_text, "BLOCK", 1 << 16)
    monkeypatch.setattr(_text, "SAMPLE", 1 << 15)


def test_ragged_line_far_down_a_large_file(write, small_blocks):
    lines = ["a,b"] + ["1,2"] * 60_000
    lines[50_000] = "1,2,3"
    with pytest.raises(TableError, match="line 50,001: 3 cells"):
        read_table(write("\n".join(lines)))


def test_types_that_change_far_down_a_large_file(write, small_blocks):
    lines = ["a,b"] + ["1,2"] * 60_000
    lines[-1] = "1.5,x"
    table = read_table(write("\n".join(lines)))
    assert table.frame["a"].iloc[-1] == 1.5
    assert table.frame["b"].iloc[[0, -1]].tolist() == ["2", "x"]


def test_lines_longer_than_a_block(write, small_blocks):
    long = "q" * 300_000
    table = read_table(write("a,b\n" + "1,z\n" * 20_000 + f"2,{long}\n3,y\n"))
    assert table.frame["b"].iloc[-2:].tolist() == [long, "y"]


def test_long_header(write, small_blocks):
    X = np.arange(3000).reshape(3, 1000) / 7
    names = [f"{'measurement':>100}{j}" for j in range(1000)]
    table = read_table(write(pd.DataFrame(X, columns=names).to_csv(index=False)))
    np.testing.assert_array_equal(table.frame.to_numpy(), X)


def test_long_cells_in_the_sample(write, small_blocks):
    long = "q" * 25_000
    table = read_table(write(f'a,b\n1,{long}\n2,5" pipe\n'))
    assert table.frame["b"].tolist() == [long, '5" pipe']
    with pytest.raises(TableError, match="line 3: 3 cells"):
        read_table(write(f"a,b\n1,{long}\n2,x,y\n3,z\n"))
    with pytest.raises(TableError, match="line 3: a quote is opened"):
        read_table(write('a,b\n1,z\n2,"x\n' + "3,y\n" * 25_000))


def test_inch_marks_are_no_quotes(write):
    table = read_table(write('a,b\n1,5" pipe\n2,"6 inch"\n'))
    assert table.frame["b"].tolist() == ['5" pipe', "6 inch"]


def test_damaged_gzip(write):
    whole = gzip.compress(b"a,b\n1,2\n3,4\n")
    for content in (b"a,b\n1,2\n", whole[:-9], whole[:12] + b"\xff\xff" + whole[14:]):
        with pytest.raises(TableError, match="not a gzip file that can be read"):
            read_table(write(content, "data.csv.gz"))
