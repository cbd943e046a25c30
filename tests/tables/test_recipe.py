"""Recipes: new rows become features as the rows did from which the recipe was learned."""

import json
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from pluribus.tables import Recipe, TableError, as_table, prepare, read_table


def people(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "income": np.exp(rng.normal(10, 1, n)),
            "team": rng.choice(["red", "blue", "green"], n),
            "member": rng.choice([True, False], n),
            "joined": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )


@pytest.mark.parametrize("scale", ["standard", "robust", "none"])
def test_the_same_rows_give_the_same_features(scale):
    prepared = prepare(as_table(people()), scale=scale)
    again = prepared.recipe.apply(as_table(people()))
    np.testing.assert_array_equal(again, prepared.X)
    assert prepared.recipe.feature_names == prepared.feature_names


@pytest.mark.parametrize("part", [slice(0, 1), slice(3, 5), slice(0, 12)])
def test_few_rows_are_read_as_many_were(part):
    """Of one row nothing can be told about its columns: what they hold is known from before."""
    prepared = prepare(as_table(people()))
    shuffled = people()[["team", "joined", "income", "age", "member"]].assign(other="unused")[part]
    new = as_table(shuffled.reset_index(drop=True), least_rows=1)
    np.testing.assert_array_equal(prepared.recipe.apply(new), prepared.X[part])


def test_text_is_read_as_it_was(tmp_path):
    rows = ["when;size;name;ok"] + [f"{day:02d}.03.2021;{day},5;{'ab'[day % 2]};{day % 3 == 0}" for day in range(1, 29)]
    (tmp_path / "old.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "new.csv").write_text("\n".join([rows[0], rows[3]]) + "\n")
    prepared = prepare(read_table(tmp_path / "old.csv"))
    new = read_table(tmp_path / "new.csv", least_rows=1)
    np.testing.assert_allclose(prepared.recipe.apply(new), prepared.X[2:3])


def test_a_column_that_counts_rows_now_is_still_a_number():
    frame = pd.DataFrame({"size": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], "b": np.arange(12) ** 2})
    recipe = prepare(as_table(frame)).recipe
    counting = pd.DataFrame({"size": np.arange(12), "b": np.arange(12)})
    assert recipe.apply(as_table(counting)).shape == (12, 2)


def test_gaps_are_filled_with_what_was_learned():
    frame = people()
    prepared = prepare(as_table(frame), impute=True)
    new = frame[:2].copy().astype({"age": float})
    new.loc[0, "age"], new.loc[1, "team"] = np.nan, None
    found = prepared.recipe.apply(as_table(new))
    filled = frame[:2].copy().astype({"age": float})
    filled.loc[0, "age"] = frame["age"].median()
    filled.loc[1, "team"] = frame["team"].mode()[0]
    np.testing.assert_allclose(found, prepared.recipe.apply(as_table(filled)))
    with pytest.raises(TableError, match=r"missing or infinite values in 1 column: 'age' \(1\)"):
        prepare(as_table(frame)).recipe.apply(as_table(new.drop(columns="team").assign(team="red")))


def test_values_that_were_not_there_count_as_average():
    prepared = prepare(as_table(people()))
    new = people()[:3].assign(team=["red", "violet", "blue"])
    with pytest.warns(UserWarning, match=r"values of categories .*'team' \(1\)"):
        X = prepared.recipe.apply(as_table(new))
    places = [name.startswith("team=") for name in prepared.feature_names]
    assert (X[1, places] == 0).all()
    assert (X[0, places] != 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns=["age", "team"]), "no column 'age', 'team'"),
        (lambda frame: frame.assign(age="old"), "'age' of 'table' held numbers"),
        (lambda frame: frame.assign(member="maybe"), "held yes/no values"),
        (lambda frame: frame.assign(joined="soon"), "held dates"),
        (lambda frame: frame.assign(income=np.inf), "infinite"),
    ],
)
def test_refused(change, message):
    with pytest.raises(TableError, match=message):
        prepare(as_table(people())).recipe.apply(as_table(change(people())))


def test_json_gives_the_recipe_back():
    recipe = prepare(as_table(people()), scale="robust", impute=True).recipe
    again = Recipe.from_json(json.loads(json.dumps(recipe.to_json())))
    assert again == recipe


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored.update(dtype="object"),
        lambda stored: stored.update(columns=[]),
        lambda stored: stored["columns"][0].update(divisor=0.0),
        lambda stored: stored["columns"][0].update(divisor=float("nan")),
        lambda stored: stored["columns"][0].update(kind="code"),
        lambda stored: stored["columns"][0].update(centers=[0.0, 1.0]),
        lambda stored: stored["columns"][2].update(centers=[0.0] * 9),
        lambda stored: stored["columns"][0].pop("name"),
        lambda stored: stored["columns"][0].update(extra=1),
        lambda stored: stored.pop("columns"),
        lambda stored: stored.update(columns=3),
    ],
)
def test_a_damaged_recipe_is_refused(damage):
    stored = json.loads(json.dumps(prepare(as_table(people())).recipe.to_json()))
    damage(stored)
    with pytest.raises(TableError, match="damaged"):
        Recipe.from_json(stored)


def test_single_precision_stays():
    X = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)
    prepared = prepare(as_table(X))
    assert prepared.X.dtype == prepared.recipe.apply(as_table(X)).dtype == np.float32
    assert prepared.feature_names == ["x0", "x1", "x2"]


class TestAsTable:
    def test_ids(self):
        frame = pd.DataFrame({"ID": ["a", "b"], "x": [1, 2]})
        assert as_table(frame).ids.tolist() == ["a", "b"]
        assert as_table(frame).id_column == "ID"
        assert as_table(frame, id_column="x").ids.tolist() == ["1", "2"]
        assert not as_table(frame, ignore=["ID"]).named
        named = pd.DataFrame({"x": [1, 2]}, index=["p", "q"])
        assert as_table(named).ids.tolist() == ["p", "q"]
        assert not as_table(named.reset_index(drop=True)).named
        assert not as_table(pd.DataFrame({"x": [1, 2]}, index=[5, 5])).named

    def test_polars_and_arrays(self):
        polars = pytest.importorskip("polars")
        assert as_table(polars.DataFrame({"id": ["a", "b"], "x": [1.5, 2.5]})).frame["x"].tolist() == [1.5, 2.5]
        assert as_table([[1, 2], [3, 4]]).frame.columns.tolist() == ["x0", "x1"]

    @pytest.mark.parametrize(
        "data", [5, None, [1, 2, 3], "no such file.csv", np.zeros((2, 2, 2)), [["a"], ["b"]], [[1, 2], [3]]]
    )
    def test_refused(self, data):
        with pytest.raises(TableError):
            as_table(data)

    def test_a_file_with_ids_is_read_once(self, tmp_path, monkeypatch):
        module = sys.modules["pluribus.tables.read_table"]
        (tmp_path / "t.csv").write_text("id,x\n007,1\n008,2\n")
        reads = []
        reader = module.READERS[".csv"]
        monkeypatch.setitem(module.READERS, ".csv", lambda *a: reads.append(1) or reader(*a))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert as_table(tmp_path / "t.csv").ids.tolist() == ["007", "008"]
        assert len(reads) == 1
