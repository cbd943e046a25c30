"""From columns to a matrix."""

import decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.tables import Table, TableError, prepare, read_table


def table(frame, **options):
    frame = pd.DataFrame(frame)
    return Table(frame, np.arange(len(frame)).astype(str), "data", **options)


def says(prepared, *words):
    return any(all(word in note for word in words) for note in prepared.notes)


class TestScale:
    X = np.random.default_rng(0).lognormal(size=(500, 3)) * [1, 10, 1000]

    def test_standard(self):
        X = prepare(table(self.X)).X
        np.testing.assert_allclose(X, (self.X - self.X.mean(0)) / self.X.std(0))
        assert X.flags.c_contiguous

    def test_robust(self):
        X = prepare(table(self.X), scale="robust").X
        np.testing.assert_allclose(np.median(X, axis=0), 0, atol=1e-12)
        low, high = np.percentile(X, [25, 75], axis=0)
        np.testing.assert_allclose(high - low, 1.349, atol=1e-3)

    def test_robust_without_a_range(self):
        prepared = prepare(table({"a": [0.0] * 9 + [1.0], "b": np.arange(10) / 3}), scale="robust")
        np.testing.assert_allclose(prepared.X[:, 0].std(), 1)
        assert says(prepared, "variance 1 instead", "'a'")

    def test_none(self):
        X = prepare(table(self.X), scale="none").X
        np.testing.assert_array_equal(X, self.X)
        assert not np.shares_memory(X, self.X)

    def test_unknown(self):
        with pytest.raises(TableError, match="scale is 'max'. Choose one of 'standard', 'robust', 'none'"):
            prepare(table(self.X), scale="max")

    def test_float32_only_if_all_are(self):
        single = self.X.astype(np.float32)
        prepared = prepare(table(single))
        assert prepared.X.dtype == np.float32
        np.testing.assert_allclose(prepared.X, prepare(table(self.X)).X, rtol=1e-4, atol=1e-5)
        assert prepare(table({"a": single[:, 0], "b": self.X[:, 0]})).X.dtype == np.float64

    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=20).filter(
            lambda values: min(values) < max(values)
        ),
        st.sampled_from(["standard", "robust"]),
    )
    def test_always_finite(self, values, scale):
        prepared = prepare(table({"a": values}), scale=scale)
        assert np.isfinite(prepared.X).all()
        order = np.argsort(values, kind="stable")
        assert (np.diff(prepared.X[order, 0]) >= 0).all()

    @pytest.mark.parametrize("scale", ["standard", "robust", "none"])
    def test_row_order_does_not_matter(self, scale):
        frame = pd.DataFrame({"a": self.X[:, 0], "b": np.where(self.X[:, 1] > 9, "x", "y")})
        order = np.random.default_rng(1).permutation(len(frame))
        whole = prepare(table(frame), scale=scale).X
        np.testing.assert_allclose(prepare(table(frame.iloc[order]), scale=scale).X, whole[order], atol=1e-12)


class TestCategories:
    @pytest.mark.parametrize("shares", [[0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5], [0.05] * 20])
    def test_weigh_as_much_as_one_number(self, shares):
        counts = np.round(np.array(shares) * 1000).astype(int)
        values = np.repeat([f"v{j:02d}" for j in range(len(shares))], counts)
        prepared = prepare(table({"c": values}))
        np.testing.assert_allclose(prepared.X.var(axis=0).sum(), 1)
        np.testing.assert_allclose(prepared.X.mean(axis=0), 0, atol=1e-12)
        distinct = np.unique(prepared.X.round(9), axis=0)
        assert len(distinct) == len(shares)
        gaps = np.linalg.norm(distinct[:, None] - distinct[None], axis=2)[np.triu_indices(len(shares), 1)]
        np.testing.assert_allclose(gaps, gaps[0])

    def test_names_and_notes(self):
        frame = {"c": ["b", "a", " b", "c", "a", "a"], "d": ["no", "yes"] * 3}
        prepared = prepare(table(frame), scale="none")
        assert prepared.feature_names == ["c=a", "c=b", "c=c", "d=yes"]
        assert prepared.X[:, 1].tolist() == [1, 0, 1, 0, 0, 0]
        assert prepared.X[:, 3].tolist() == [0, 1] * 3
        assert says(prepared, "2 categories", "'c' (3 values)", "'d' (2 values)")
        assert prepared.frame["c"].tolist() == ["b", "a", "b", "c", "a", "a"]

    @pytest.mark.parametrize("kind", [object, "string", "category", None])
    def test_every_kind_of_text(self, kind):
        series = pd.Series(["x", "y", None, "x", "x", "y"], dtype=kind)
        prepared = prepare(table({"c": series}), scale="none", impute=True)
        assert prepared.X[:, 0].tolist() == [0, 1, 0, 0, 0, 1]

    def test_unused_categories_do_not_count(self):
        series = pd.Categorical(["x", "y", "x"], categories=["x", "y", "z"])
        assert prepare(table({"c": series})).feature_names == ["c=y"]

    def test_free_text_is_dropped(self):
        prepared = prepare(table({"a": np.arange(100) / 7, "t": [f"text {i}" for i in range(100)]}))
        assert prepared.feature_names == ["a"]
        assert says(prepared, "Dropped 't'", "different")

    def test_too_many_values(self):
        prepared = prepare(table({"a": np.arange(300) / 7, "t": [f"text {i % 60}" for i in range(300)]}))
        assert says(prepared, "Dropped 't'", "60 different texts")


class TestBooleans:
    @pytest.mark.parametrize(
        "values",
        [
            [True, False, True],
            pd.array([True, False, True], dtype="boolean"),
            pd.Series([True, False, True], dtype=object),
            ["TRUE", "false", "True "],
        ],
    )
    def test_coded_0_and_1(self, values):
        prepared = prepare(table({"b": values}), scale="none")
        assert prepared.X[:, 0].tolist() == [1, 0, 1]
        assert prepared.feature_names == ["b"]
        assert prepared.frame["b"].tolist() == [True, False, True]
        np.testing.assert_allclose(prepare(table({"b": values})).X.std(), 1)

    def test_missing(self, tmp_path):
        (tmp_path / "data.csv").write_text("b,c\ntrue,1.5\nfalse,2\n,3\ntrue,4\n")
        prepared = prepare(read_table(tmp_path / "data.csv"), scale="none", impute=True)
        assert prepared.X[:, 0].tolist() == [1, 0, 1, 1]


class TestDates:
    def test_become_days(self, tmp_path):
        text = "d,t\n2024-01-01,00:00:30\n2024-01-03,01:00:00\n1970-01-01,00:00:00\n"
        (tmp_path / "data.csv").write_text(text)
        prepared = prepare(read_table(tmp_path / "data.csv"), scale="none")
        assert prepared.X[:, 0].tolist() == [19723, 19725, 0]
        assert prepared.X[:, 1].tolist() == [30, 3600, 0]
        assert prepared.frame["d"].dt.year.tolist() == [2024, 2024, 1970]
        assert says(prepared, "1 date", "days", "'d'")

    @pytest.mark.parametrize(
        ("cells", "order"),
        [
            (["31.12.2023", "01.02.2024", "02.02.2024"], "day.month.year"),
            (["2023/12/31 ", "2024/02/01 ", "2024/02/02"], ""),
            (["12/31/2023", "02/01/2024", "02/02/2024"], "month/day/year"),
            (["31/12/2023", "01/02/2024", "02/02/2024"], "day/month/year"),
            (["31-12-2023 12:00", "01-02-2024 12:00", "02-02-2024 12:00"], "day-month-year"),
        ],
    )
    def test_other_ways_to_write_them(self, cells, order):
        prepared = prepare(table({"d": cells}), scale="none")
        np.testing.assert_allclose(np.diff(prepared.X[:, 0]), [32, 1])
        assert says(prepared, f"read as {order}") == bool(order)

    def test_with_time_zone_and_gaps(self):
        days = pd.to_datetime(["2024-01-01", None, "2024-01-03", "2024-01-05"]).tz_localize("Europe/Paris")
        prepared = prepare(table({"d": days}), impute=True)
        assert prepared.frame["d"].iloc[1] == pd.Timestamp("2024-01-02 23:00")
        with pytest.raises(TableError, match=r"'d' \(1 missing\)"):
            prepare(table({"d": days}))

    def test_bad_cell(self):
        with pytest.raises(TableError, match=r"dates written day\.month\.year.*'soon' \(data row 7\)"):
            prepare(table({"d": ["31.12.2023"] * 6 + ["soon"] + ["30.12.2023"] * 6}))


class TestBadCells:
    @pytest.mark.parametrize("cell", ["12,5", "abc", "1.2.3", "5 kg", "1,234", "12%"])
    def test_are_named(self, cell):
        cells = [str(i / 4) for i in range(20)]
        cells[6] = cell
        with pytest.raises(TableError) as caught:
            prepare(table({"a": cells, "b": range(20)}))
        assert str(caught.value) == (
            "'data' has cells that cannot be read. Column 'a' should hold numbers with a decimal point, "
            f"but 1 cell cannot be read so: '{cell}' (data row 7). "
            "Correct these cells (or empty them, and impute), or ignore the column."
        )

    def test_numbers_with_separators_are_not_guessed(self):
        with pytest.raises(TableError, match=r"20 cells .*: '1,000' \(data row 1\), .* and 17 more\."):
            prepare(table({"a": [f"{i},000" for i in range(1, 21)]}))

    def test_points_in_a_file_with_decimal_commas(self, tmp_path):
        (tmp_path / "data.csv").write_text("a;b\n" + "0,5;1,5\n" * 10 + "0,7;2.500\n")
        with pytest.raises(TableError, match=r"'b' .* decimal comma.*'2\.500' \(data row 11\)"):
            prepare(read_table(tmp_path / "data.csv"))

    @pytest.mark.parametrize("marker", ["n/a", "?", "", "NA", "-", "None", "unknown", " ? ", "#DIV/0!"])
    def test_missing_markers_are_none(self, tmp_path, marker):
        (tmp_path / "data.csv").write_text("a;b\n" + f"1,5;x\n2,5;y\n{marker};x\n4,0;y\n")
        data = read_table(tmp_path / "data.csv")
        with pytest.raises(TableError, match=r"'a' \(1 missing\)\. .*--impute"):
            prepare(data)
        assert prepare(data, impute=True, scale="none").X[:, 0].tolist() == [1.5, 2.5, 2.5, 4]

    def test_fewer_numbers_make_a_category(self):
        prepared = prepare(table({"a": ["1", "2", "many", "many", "1", "2"]}))
        assert prepared.feature_names == ["a=1", "a=2", "a=many"]

    def test_a_column_of_none_and_a_number(self):
        assert prepare(table({"a": ["none", "5", "none", "none"]})).feature_names == ["a=none"]

    def test_decimal_objects(self):
        values = [decimal.Decimal("1.5"), decimal.Decimal("2.5"), None]
        assert prepare(table({"a": values}), scale="none", impute=True).X[:, 0].tolist() == [1.5, 2.5, 2]


class TestGaps:
    frame = pd.DataFrame({"a": [1, np.nan, 3, np.inf], "b": [1.0, 2, 3, 4], "c": ["x", None, "x", "y"]})

    def test_error(self):
        with pytest.raises(TableError) as caught:
            prepare(table(self.frame))
        assert "in 2 columns: 'a' (1 missing, 1 infinite), 'c' (1 missing)." in str(caught.value)
        assert "--impute" in str(caught.value)

    def test_impute(self):
        prepared = prepare(table(self.frame), impute=True, scale="none")
        assert prepared.X.tolist() == [[1, 1, 0], [2, 2, 0], [3, 3, 0], [2, 4, 1]]
        assert says(prepared, "Filled 3 missing", "'a' (2), 'c' (1)")
        assert prepared.frame["c"].tolist() == ["x", "x", "x", "y"]
        assert np.isnan(self.frame["a"][1])  # the table itself stays as it is

    def test_impute_with_nothing_to_fill(self):
        assert not says(prepare(table({"b": [1.0, 2]}), impute=True), "Filled")

    @pytest.mark.parametrize("kind", ["Int64", "Float64", "int64[pyarrow]", "float32"])
    def test_kinds_of_numbers(self, kind):
        series = pd.Series([1, 2, None, 6], dtype=kind)
        assert prepare(table({"a": series}), impute=True, scale="none").X[:, 0].tolist() == [1, 2, 2, 6]

    @pytest.mark.parametrize("values", [[np.nan] * 3, [None] * 3, ["", "?", "NA"], [np.inf] * 3])
    @pytest.mark.parametrize("impute", [True, False])
    def test_columns_without_values_are_dropped(self, values, impute):
        prepared = prepare(table({"a": values, "b": [1.0, 2, 3]}), impute=impute)
        assert prepared.feature_names == ["b"]
        assert says(prepared, "Dropped 'a'", "no values")


class TestNothingToClusterBy:
    def test_constant_columns_are_dropped_with_a_warning(self):
        prepared = prepare(table({"a": [1, 1, 1], "b": [1.0, 2, 3], "c": ["x"] * 3, "d": [True] * 3}))
        assert prepared.feature_names == ["b"]
        assert says(prepared, "Warning", "3 constant columns", "'a', 'c', 'd'")

    def test_all_constant(self):
        with pytest.raises(TableError, match=r"to cluster by\. Warning: .* 2 constant columns.*'a', 'b'"):
            prepare(table({"a": [1, 1], "b": ["x", "x"]}))

    def test_no_columns(self, tmp_path):
        (tmp_path / "data.csv").write_text("id\nu\nv\n")
        with pytest.raises(TableError, match="no column to cluster by. It has only ids"):
            prepare(read_table(tmp_path / "data.csv", id_column="id"))

    def test_only_free_text(self):
        with pytest.raises(TableError, match="no column to cluster by. Dropped 't'"):
            prepare(table({"t": [f"text {i}" for i in range(9)]}))

    def test_one_number_is_enough(self):
        assert prepare(table({"a": [1.0, 5.0]})).X.tolist() == [[-1], [1]]

    def test_counters_and_identifiers(self):
        rng = np.random.default_rng(0)
        frame = {"n": range(1, 21), "customer_id": rng.permutation(10**6)[:20], "a": rng.integers(0, 9, 20)}
        prepared = prepare(table(frame))
        assert prepared.feature_names == ["a"]
        assert says(prepared, "'n'", "counts the rows")
        assert says(prepared, "--id customer_id")

    def test_complex_numbers_and_periods(self):
        frame = {"z": [1j, 2j], "p": pd.period_range("2024", periods=2, freq="D"), "a": [1.0, 2]}
        assert prepare(table(frame)).feature_names == ["a"]


class TestTable:
    def test_refuses(self):
        frame = pd.DataFrame({"a": [1, 2]})
        with pytest.raises(TableError, match="2 rows but 1 ids"):
            Table(frame, np.array(["u"]), "data")
        with pytest.raises(TableError, match="more than one column named 'a'"):
            Table(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), np.array(["u", "v"]), "data")

    def test_is_a_value_error(self):
        assert issubclass(TableError, ValueError)


@pytest.mark.parametrize("impute", [True, False])
def test_what_comes_out_fits_together(impute):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "n": rng.normal(size=50),
            "i": rng.integers(0, 100, 50),
            "c": rng.choice(list("abc"), 50),
            "b": rng.random(50) > 0.5,
            "d": pd.date_range("2024-01-01", periods=50, freq="D")[rng.permutation(50)],
        }
    )
    prepared = prepare(table(frame), impute=impute)
    assert prepared.X.shape == (50, len(prepared.feature_names)) == (50, 7)
    assert prepared.feature_names == ["n", "i", "c=a", "c=b", "c=c", "b", "d"]
    assert list(prepared.frame) == list(frame)
    for name in frame:
        assert prepared.frame[name].tolist() == frame[name].tolist()
    assert repr(prepared) == "Prepared(50 rows, 7 features)"
