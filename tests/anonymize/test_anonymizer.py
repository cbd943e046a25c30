import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from pluribus.anonymize import Anonymizer, check_published
from pluribus.constraints import InfeasibleError
from pluribus.tables import Table, TableError


def anonymized(frame, k, quasi=None, **parameters):
    model = Anonymizer(k, random_state=0, verbose=False, **parameters)
    return model, model.fit_transform(frame, quasi)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": rng.integers(18, 90, n).astype(float),
            "place": rng.choice([f"P{i}" for i in range(55)], n),
            "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, n), unit="D"),
            "smoker": rng.random(n) < 0.3,
            "job": np.array(["nurse", "baker", None])[rng.integers(0, 3, n)],
            "country": "x",
            "diagnosis": rng.choice(list("abcd"), n, p=[0.6, 0.2, 0.1, 0.1]),
        },
        index=[f"id{i}" for i in range(n)],
    )
    frame.iloc[:9, 1] = np.nan
    return frame


def test_nothing_is_lost_where_rows_repeat():
    frame = pd.DataFrame(np.repeat(np.random.default_rng(0).normal(size=(7, 3)), 4, axis=0), columns=list("abc"))
    model = anonymized(frame.sample(frac=1, random_state=0), 4)[0]
    assert model.information_loss_ == pytest.approx(0, abs=1e-9)
    assert len(model.group_sizes_) == 7


@pytest.mark.parametrize("generalize", ["mean", "range", "median"])
@pytest.mark.parametrize(
    ("diversity", "l", "holds"),
    [
        (None, None, lambda counts: True),
        ("distinct", 3, lambda counts: len(counts) >= 3),
        ("entropy", 1.8, lambda counts: -(counts / sum(counts) * np.log(counts / sum(counts))).sum() >= np.log(1.8)),
        ("recursive", 2, lambda counts: counts[0] < 2 * sum(counts[1:])),
    ],
)
def test_the_published_table_from_scratch(people, generalize, diversity, l, holds):  # noqa: E741
    if generalize != "mean" and diversity not in (None, "entropy"):
        return  # the groups are the same for all
    more = {} if diversity is None else {"diversity": diversity, "l": l}
    model, published = anonymized(people, 4, sensitive="diagnosis", generalize=generalize, **more)
    assert list(published) == ["age", "place", "born", "smoker", "job", "country", "diagnosis"]
    assert published["diagnosis"].tolist() == people["diagnosis"].tolist()
    assert published.index.tolist() == list(range(len(people)))  # names of rows are not published
    rows = [repr(row) for row in published.drop(columns="diagnosis").to_numpy().tolist()]
    for row in set(rows):
        inside = [value for value, other in zip(published["diagnosis"], rows, strict=True) if other == row]
        assert len(inside) >= 4
        assert holds(np.sort(np.unique(inside, return_counts=True)[1])[::-1])
    assert 0 < model.information_loss_ < 100
    assert model.report_.class_sizes.sum() == len(people) == model.group_sizes_.sum()
    assert model.report_.dropped == {"name": "nearly every value is different, like a name or free text"}
    assert "no guarantee against background knowledge" in model.report_.warning


def test_the_values_of_a_group():
    frame = pd.DataFrame(
        {
            "age": [1, 2, 6, 50, 51, 58],
            "town": ["b", "a", "b", None, None, None],
            "day": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-05"] * 2),
            "job": ["=x", "y", "y", "y", "y", "y"],
        }
    )
    told = {generalize: anonymized(frame, 3, generalize=generalize)[1] for generalize in ("mean", "median", "range")}
    assert told["mean"]["age"].tolist() == [3, 3, 3, 53, 53, 53]
    assert told["median"]["age"].tolist() == [2, 2, 2, 51, 51, 51]
    assert told["range"]["age"].tolist() == ["[1, 6]"] * 3 + ["[50, 58]"] * 3
    assert told["mean"]["town"].tolist() == ["b"] * 3 + [None] * 3
    assert told["range"]["town"].tolist() == ["{a, b}"] * 3 + [None] * 3
    assert told["mean"]["day"].dt.strftime("%F").tolist() == ["2020-01-03"] * 6
    assert told["range"]["day"].tolist() == ["[2020-01-01, 2020-01-05]"] * 6
    assert told["range"]["job"].tolist() == ["{=x, y}"] * 3 + ["{y}"] * 3


def test_the_report_of_columns():
    frame = pd.DataFrame({"age": [1, 2, 6, 50, 51, 58], "town": list("aabccc"), "same": 7})
    model, published = anonymized(frame, 3)
    age, town, same = model.report_.columns
    assert age.loss == pytest.approx(100 * (14 + 38) / ((frame["age"] - 28) ** 2).sum())
    assert age.how_far == "2.667 on average, at most 4 in 9 of 10 rows"  # not the largest: that tells an extreme
    assert (town.kind, town.published_as) == ("category", "most frequent value")
    assert town.how_far == "16.7% of the values are others"
    assert np.isnan(same.loss)
    assert published["same"].tolist() == [7] * 6


def test_nothing_is_published_beside_the_values_of_the_rows():
    towns = pd.Categorical(["Rome"] * 6, categories=["Rome", "a town that no row has"])
    frame = pd.DataFrame({"age": [1, 2, 6, 50, 51, 58], "town": towns, "illness": list("aaabca")})
    model, published = anonymized(frame, 3, sensitive="illness")
    assert published["town"].cat.categories.tolist() == ["Rome"]
    (note,) = [note for note in model.report_.notes if "only one value" in note]
    assert note.startswith("'illness' has only one value in 1 of 2 classes")


def test_values_keep_their_meaning():
    frame = pd.DataFrame(
        {
            "size": [1e308, 1e308, -1e308, -1e308],
            "when": pd.to_datetime(["2020-01-01 05:00", "2020-01-01 07:00"] * 2).tz_localize("America/New_York"),
            "jobs": ["a, b", "a, b", "a", "b"],
            "exact": [1234567.891234, 1234567.891236, 0, 0],
        }
    )
    twice = pd.concat([frame, frame], ignore_index=True)
    means, ranges = (anonymized(twice, 4, generalize=how)[1][:4] for how in ("mean", "range"))
    assert means["size"].tolist() == pytest.approx([1e308, 1e308, -1e308, -1e308])  # the sums are no floats
    assert means["when"].tolist() == [pd.Timestamp("2020-01-01 06:00", tz="America/New_York")] * 4
    assert ranges["when"][0] == "[2020-01-01 05:00:00, 2020-01-01 07:00:00]"
    assert ranges["jobs"].tolist() == ['{"a, b"}'] * 2 + ["{a, b}"] * 2
    assert ranges["exact"][0] == "[1234567.891234, 1234567.891236]"


def test_columns_that_are_named_by_numbers():
    frame = pd.DataFrame([[1, "a"], [2, "b"], [8, "a"], [9, "b"]])
    model, published = anonymized(frame, 2, [0], sensitive=1, l=2)
    assert published["0"].tolist() == [1.5, 1.5, 8.5, 8.5]
    assert model.report_.diversity.attribute == "1"


def test_columns_that_are_not_named_are_published_as_they_are(people):
    people = people.assign(income=np.random.default_rng(0).normal(size=len(people)))
    model, published = anonymized(people, 5, ["age", "born"])
    assert model.quasi_identifiers_ == ["age", "born"]
    assert published["place"].tolist() == people["place"].tolist()
    assert "name" not in published
    assert any("'income' has a different value in every row" in note for note in model.report_.notes)
    assert (check_published(published, ["age", "born"]).sizes >= 5).all()


def test_identifiers_are_left_out():
    n = 40
    frame = pd.DataFrame({"patient_id": np.arange(n) * 7, "row": np.arange(n), "x": np.random.default_rng(0).random(n)})
    model, published = anonymized(frame, 4)
    assert list(published) == ["x"]
    assert set(model.report_.dropped) == {"patient_id", "row"}


def test_a_table_that_was_read():
    table = Table(pd.DataFrame({"x": [1.0, 2, 8, 9]}), np.array(list("abcd")), "t")
    assert anonymized(table, 2)[1]["x"].tolist() == [1.5, 1.5, 8.5, 8.5]


# edges


def test_k_of_one_changes_nothing():
    frame = pd.DataFrame({"x": [1, 2, 3], "y": list("abb")})
    with pytest.warns(UserWarning, match="nothing is anonymous"):
        model, published = anonymized(frame, 1)
    pd.testing.assert_frame_equal(published, frame)
    assert model.information_loss_ == 0


def test_a_row_alone_is_not_always_diverse():
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "s": list("aabb")})
    published = anonymized(frame, 1, sensitive="s", l=1, diversity="recursive", recursive_m=0.9)[1]
    assert check_published(published, "x", "s", "recursive").diversity.max() < 0.9


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [5] * 6}),
        pd.DataFrame({"x": [5] * 6, "y": list("aabbcc")}),
        pd.DataFrame({"x": [1e300, -1e300, 1, 2, 3, 4], "y": [1e-300, 0, 0, 0, 1, 2]}),
        pd.DataFrame({"x": [np.nan] * 6, "y": [1, 2, 3, 4, 5, 6]}),
        pd.DataFrame({"x": [np.inf, 1, 2, 3, 4, 5], "y": [True, False] * 3}),
    ],
)
@pytest.mark.parametrize("k", [2, 3, 5, 6])
def test_constant_missing_and_huge_values(frame, k):
    model, published = anonymized(frame, k)
    assert check_published(published, list(frame)).sizes.min() >= k
    assert 0 <= model.information_loss_ <= 100


@pytest.mark.parametrize(
    ("parameters", "quasi", "error", "words"),
    [
        ({"k": 0}, None, ValueError, "whole number of rows, 1 or more"),
        ({"k": 2.5}, None, ValueError, "whole number of rows, 1 or more"),
        ({"k": 7}, None, ValueError, "the table has 6 rows"),
        ({"k": 2, "l": 2}, None, ValueError, "give its name as sensitive"),
        ({"k": 2, "sensitive": "s", "l": 0}, None, ValueError, "from 1 to 6"),
        ({"k": 2, "sensitive": "s", "l": 4}, None, InfeasibleError, "distinct"),
        ({"k": 2, "sensitive": "s", "l": 2.9, "diversity": "entropy"}, None, InfeasibleError, "entropy"),
        ({"k": 2, "sensitive": "gaps", "l": 2}, None, TableError, "missing in 1 rows"),
        ({"k": 2, "sensitive": "s", "l": np.inf}, None, ValueError, "from 1 to 6"),
        ({"k": 2, "sensitive": "lists"}, None, TableError, "'lists' cannot be published"),
        ({"k": 2, "sensitive": "z"}, None, TableError, "no column 'z'"),
        ({"k": 2}, ["x", "z"], TableError, "no column 'z'"),
        ({"k": 2, "sensitive": "s"}, ["x", "s"], TableError, "sensitive and among the quasi-identifiers"),
        ({"k": 2, "generalize": "max"}, None, ValueError, "mean, median, range"),
        ({"k": 2, "diversity": "much"}, None, ValueError, "distinct, entropy, recursive"),
    ],
)
def test_bad_input(parameters, quasi, error, words):
    frame = pd.DataFrame({"x": range(6), "s": list("aabbbc"), "gaps": ["u", None, "v", "u", "v", "u"]})
    if parameters.get("sensitive") == "lists":
        frame["lists"] = [[1]] * 6
    with pytest.raises(error, match=words):
        Anonymizer(**parameters).fit_transform(frame, quasi)


def test_tables_that_cannot_be_published():
    with pytest.raises(TableError, match=r"pandas\.DataFrame"):
        Anonymizer().fit_transform(np.zeros((9, 2)))
    with pytest.raises(TableError, match="no rows"):
        Anonymizer(2).fit_transform(pd.DataFrame({"x": []}))
    with pytest.raises(TableError, match="same name"):
        Anonymizer(2).fit_transform(pd.DataFrame(np.zeros((4, 2)), columns=["x", "x"]))
    with pytest.raises(TableError, match="no quasi-identifier"):
        Anonymizer(2).fit_transform(pd.DataFrame({"name": [f"n{i}" for i in range(9)]}))
    with pytest.raises(TableError, match="'x' cannot be published"):
        Anonymizer(2).fit_transform(pd.DataFrame({"x": [[1], [2], [3]]}))


def test_tables_that_cannot_be_checked():
    table = pd.DataFrame({"age": [1, 1, 2, 2], "s": list("abcd")})
    for arguments, words in (
        ((table.to_numpy(), ["age"]), "pandas.DataFrame"),
        ((table[:0], ["age"]), "rows"),
        ((table, []), "quasi_identifiers is empty"),
        ((table, ["age", "town"]), "quasi_identifiers: the table has no column 'town'"),
        ((table, [["age"], "s"]), "quasi_identifiers: the table has no column '.'age'.'"),
        ((table, [(["age"],)]), "quasi_identifiers: the table has no column"),
        ((table, 5), "quasi_identifiers=5: give a list of names of columns"),
        ((table, np.array(5)), "give a list of names"),
        ((table, "age", None, np.zeros(2)), "distinct, entropy, recursive"),
        ((table, "age", np.zeros(2)), "sensitive: the table has no column"),
        ((table, "age", "t"), "sensitive: the table has no column 't'"),
        ((table, "age", "s", "much"), "distinct, entropy, recursive"),
        ((table.set_axis(["age", "age"], axis=1), "age"), "same name"),
    ):
        with pytest.raises(ValueError, match=words):
            check_published(*arguments)


def test_quasi_identifiers_are_names():
    with pytest.raises(TableError, match="quasi_identifiers=5: give a list of names of columns"):
        Anonymizer(2).fit_transform(pd.DataFrame({"x": [1, 2, 3]}), 5)


def test_it_is_an_estimator():
    model = Anonymizer(7, sensitive="s", l=2)
    assert clone(model).get_params() == model.get_params()
