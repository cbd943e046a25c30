import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pluribus.cli._app import app
from pluribus.compare import adjusted_rand_index, compare_partitions, disagreement, edit_distance

SCRIPT = "<script>window.hacked=1</script>"


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def labels(tmp_path):
    """Three groups; b splits the second one and misplaces two objects."""
    a = np.repeat(["low", "middle", "high"], [10, 8, 6])
    b = np.repeat([3, 1, 7, 2], [10, 4, 4, 6])
    b[[0, 23]] = 2, 3
    frame = pd.DataFrame({"id": [f"o{i}" for i in range(24)], "a": a, "b": b})
    for name in "ab":
        frame[["id", name]].to_csv(tmp_path / f"{name}.csv", index=False)
    frame.to_csv(tmp_path / "both.csv", index=False)
    X = np.random.default_rng(0).normal(size=(24, 3)) + pd.factorize(a)[0][:, None] * 4
    data = pd.DataFrame(X, columns=["height", "width", "depth"])
    data.insert(0, "id", frame["id"])
    data.sample(frac=1, random_state=0).to_csv(tmp_path / "data.csv", index=False)
    return frame


def test_the_table_the_words_and_the_files(labels, tmp_path):
    result = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "adjusted Rand index" in text
    assert "B splits A's cluster middle into its clusters 1 (4 objects) and 7 (4 objects)." in text
    assert "75% of the objects are in clusters that match one to one; 6 objects would have to change" in text
    assert "Without --data there is no map" in text
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        ".pluribus",
        "compare.csv",
        "compare.html",
        "disagreement.csv",
    ]
    measures = pd.read_csv(tmp_path / "out" / "compare.csv", index_col="measure")
    assert measures.loc["adjusted_rand_index", "value"] == pytest.approx(adjusted_rand_index(labels["a"], labels["b"]))
    assert measures.loc["edit_distance", "value"] == edit_distance(labels["a"], labels["b"]) == 6
    assert not any("lift" in name for name in measures.index)
    objects = pd.read_csv(tmp_path / "out" / "disagreement.csv")
    found = disagreement(labels["a"], labels["b"])
    assert objects["id"].tolist() == labels["id"].tolist()
    assert objects["moved"].tolist() == found.moved.tolist()
    np.testing.assert_allclose(objects["share"], found.share, atol=1e-5)


def test_files_in_another_order_and_columns_of_one_file(labels, tmp_path):
    labels[["id", "b"]].sample(frac=1, random_state=1).to_csv(tmp_path / "b.csv", index=False)
    first = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--json")
    second = run("compare", f"{tmp_path}/both.csv:a", f"{tmp_path}/both.csv:b", "--json")
    assert first.exit_code == second.exit_code == 0, first.output + second.output
    assert json.loads(first.stdout)["measures"] == json.loads(second.stdout)["measures"]


def test_json_and_nothing_else(labels, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("compare", "a.csv", "b.csv", "--data", "data.csv", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["n_objects"] == 24
    assert told["n_clusters"] == [3, 4]
    assert np.sum(told["contingency"]["counts"]) == 24
    assert told["most_disputed"][0].keys() == {"id", "a", "b", "share", "moved"}
    assert {"lift_emd_distance", "cc_distance", "adco_distance"} < told["measures"].keys()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "b.csv", "both.csv", "data.csv"]
    assert run("compare", "a.csv", "b.csv", "--json", "--out", "out").exit_code == 0
    assert (tmp_path / "out" / "compare.html").exists()


def test_all_measures(labels, tmp_path):
    result = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--data", tmp_path / "data.csv", "--all", "--json")
    assert result.exit_code == 0, result.output
    data = pd.read_csv(tmp_path / "data.csv", index_col="id").loc[labels["id"]]
    X = (data - data.mean()) / data.std(ddof=0)
    expected = compare_partitions(labels["a"], labels["b"], X.to_numpy())
    assert json.loads(result.stdout)["measures"] == pytest.approx(expected)


def test_label_columns_of_the_data_are_not_data(labels, tmp_path):
    data = pd.read_csv(tmp_path / "data.csv").merge(labels[["id", "a"]], on="id")
    data.to_csv(tmp_path / "all.csv", index=False)
    alone = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--data", tmp_path / "data.csv", "--json")
    inside = run("compare", f"{tmp_path}/all.csv:a", tmp_path / "b.csv", "--data", tmp_path / "all.csv", "--json")
    assert inside.exit_code == 0, inside.output
    assert json.loads(inside.stdout)["measures"] == pytest.approx(json.loads(alone.stdout)["measures"])


def test_our_own_results(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + 8 * np.repeat([[0, 0], [1, 0], [0, 1]], 20, axis=0)
    pd.DataFrame(X, columns=["x", "y"]).to_csv(tmp_path / "data.csv", index=False)
    for k in (2, 3):
        options = ("--members", 8, "--k", k, "--quiet", "--out", tmp_path / str(k))
        assert run("cluster", tmp_path / "data.csv", *options).exit_code == 0
    files = (tmp_path / "2" / "labels.csv", tmp_path / "3" / "labels.csv")
    result = run("compare", *files, "--data", tmp_path / "data.csv", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["n_clusters"] == [2, 3]
    assert json.loads(result.stdout)["headline"] == "B divides A further"


def test_objects_that_are_not_everywhere_are_named(labels, tmp_path):
    labels[["id", "b"]].iloc[5:].to_csv(tmp_path / "b.csv", index=False)
    labels.loc[23, "a"] = None
    labels[["id", "a"]].to_csv(tmp_path / "a.csv", index=False)
    result = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "5 of 24 objects of a.csv are not in all files and do not count: 'o0', 'o1', 'o2' and 2 more" in text
    assert "1 of 19 objects have no label in A or B" in text
    assert "18 objects are in both" in text
    objects = pd.read_csv(tmp_path / "out" / "disagreement.csv", index_col="id")
    assert pd.isna(objects.loc["o23", "share"])
    assert pd.isna(objects.loc["o23", "moved"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("lengths", "different numbers of rows (a.csv: 24, b.csv: 20)"),
        ("no common id", "No id is in all files (a.csv: 'o0', 'o1', 'o2'; b.csv: 'x0', 'x1', 'x2', …)"),
        ("ids in one", "b.csv has none"),
        ("constant", "every object has the label 'same', and one cluster that holds all divides nothing"),
        ("no labels", "has no labels at all"),
        ("never both", "No object has a label in both A and B"),
        ("many columns", "has 2 columns, 'b', 'c': say which one holds the labels, such as"),
    ],
)
def test_what_is_refused(labels, tmp_path, change, words):
    b = labels[["id", "b"]]
    match change:
        case "lengths":
            labels[["a"]].to_csv(tmp_path / "a.csv", index=False)
            b = b[["b"]].head(20)
        case "no common id":
            b = b.assign(id=[f"x{i}" for i in range(24)])
        case "ids in one":
            b = b[["b"]]
        case "constant":
            b = b.assign(b="same")
        case "no labels":
            b = b.assign(b=-1)
        case "never both":
            labels["a"] = np.where(np.arange(24) < 12, labels["a"], "")
            labels[["id", "a"]].to_csv(tmp_path / "a.csv", index=False)
            b = b.assign(b=np.where(np.arange(24) < 12, -1, labels["b"]))
        case "many columns":
            b = b.assign(c=b["b"])
    b.to_csv(tmp_path / "b.csv", index=False)
    result = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_unknown_columns_files_and_holes_in_the_data(labels, tmp_path):
    unknown = run("compare", f"{tmp_path}/both.csv:c", f"{tmp_path}/both.csv:b")
    assert unknown.exit_code == 2
    assert "has no column 'c'. Its columns are 'a', 'b'." in " ".join(unknown.output.split())
    same = run("compare", f"{tmp_path}/both.csv:b", f"{tmp_path}/both.csv:b")
    assert same.exit_code == 2
    assert "the same column" in same.output
    assert run("compare", tmp_path / "a.csv", tmp_path / "nowhere.csv").exit_code == 2
    data = pd.read_csv(tmp_path / "data.csv")
    data.loc[3, "width"] = np.nan
    data.to_csv(tmp_path / "data.csv", index=False)
    files = (tmp_path / "a.csv", tmp_path / "b.csv", "--data", tmp_path / "data.csv")
    refused = run("compare", *files, "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert "width" in refused.output
    assert "--impute" in refused.output
    assert not (tmp_path / "out").exists()
    assert run("compare", *files, "--impute", "--json").exit_code == 0
    assert run("compare", *files, "--ignore", "width", "--json").exit_code == 0


def test_hostile_names_stay_text(labels, tmp_path):
    labels = labels.rename(columns={"a": f"a{SCRIPT}"})
    labels["id"] = [f"{SCRIPT}{i}" for i in range(24)]
    labels["b"] = labels["b"].astype(str) + SCRIPT
    path = tmp_path / "x<b>[red]y.csv"
    labels.to_csv(path, index=False)
    result = run("compare", f"{path}:a{SCRIPT}", f"{path}:b", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "x<b>[red]y.csv:b" in result.output
    page = (tmp_path / "out" / "compare.html").read_text()
    assert SCRIPT not in page
    assert "&lt;script&gt;window.hacked" in page
    assert "<b>[red]" not in page
