import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import pluribus
from pluribus.cli._app import app
from pluribus.compare import adjusted_rand_index


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    site, kind = rng.integers(0, 2, 120), rng.integers(0, 3, 120)
    frame = pd.DataFrame({"shift": 9.0 * site, "size": 4.0 * kind, "length": 4.0 * kind})
    frame += rng.normal(scale=0.3, size=frame.shape)
    frame.insert(0, "id", [f"r{i}" for i in range(120)])
    return frame, np.array(["north", "south"])[site], kind


@pytest.mark.parametrize("method", [None, "residual-kmeans", "orthogonal-kmeans", "condens-gaussian"])
def test_the_result_is_the_other_partition(case, method):
    frame, site, kind = case
    result = pluribus.cluster(frame, 3, other_than=site, method=method, verbose=False)
    assert adjusted_rand_index(result.labels, kind) == pytest.approx(1)
    assert result.other_than["known"].tolist() == site.tolist()
    assert any("In common with 'known': normalized mutual information 0.0" in reason for reason in result.reasons)


def test_by_default_the_best_of_the_methods_is_taken(case):
    frame, site, _ = case
    result = pluribus.cluster(frame, 3, other_than=site, verbose=False)
    assert result.method == "BestAlternative"
    assert sum("is taken: it separates best beyond what is known" in reason for reason in result.reasons) == 1


@pytest.mark.parametrize(("chosen", "words"), [("condens", "10 starts"), ("ccib", "10 runs of the same method, each")])
def test_further_runs_repeat_the_chosen_method(case, monkeypatch, chosen, words):
    from pluribus.alternative import ConditionalBottleneck, ConditionalEnsemble
    from pluribus.alternative.choice import best_alternative

    frame, site, _ = case
    monkeypatch.setattr(best_alternative, "_candidates", lambda X: {chosen: (chosen, {})})
    fits = {"condens": 0, "ccib": 0}
    for name, made in (("condens", ConditionalEnsemble), ("ccib", ConditionalBottleneck)):

        def counted(self, *given, name=name, fit=made.fit, **how):
            fits[name] += 1
            return fit(self, *given, **how)

        monkeypatch.setattr(made, "fit", counted)
    result = pluribus.cluster(frame, 3, other_than=site, verbose=False)
    assert fits == {"condens": 0, "ccib": 0} | {chosen: 11}
    assert any(words in reason for reason in result.reasons)


def test_numbers_of_clusters_are_tried_with_one_method(case, monkeypatch):
    from pluribus.alternative import BestAlternative

    tried, fit = [], BestAlternative.fit

    def counted(self, *given, **how):
        tried.append(self.n_clusters)
        return fit(self, *given, **how)

    monkeypatch.setattr(BestAlternative, "fit", counted)
    assert pluribus.cluster(case[0], other_than=case[1], verbose=False).n_clusters == 3
    assert tried == [3]


def test_the_number_of_clusters_is_found(case):
    frame, site, _ = case
    result = pluribus.cluster(frame, other_than=site, verbose=False)
    assert result.n_clusters == 3
    assert "silhouette" in result.k_chosen_by


def test_labels_by_id_file_mapping_and_several(case, tmp_path):
    frame, site, kind = case
    path = tmp_path / "known.csv"
    labels = pd.DataFrame({"id": frame["id"], "site": site, "extra": kind})[::-1]
    labels.to_csv(path, index=False)
    expected = pluribus.cluster(frame, 3, other_than=site, verbose=False).labels.tolist()
    by_id = dict(zip(frame["id"], site, strict=True))
    for given in (f"{path}:site", by_id, pd.Series(by_id), list(site), [by_id]):
        assert pluribus.cluster(frame, 3, other_than=given, verbose=False).labels.tolist() == expected
    both = pluribus.cluster(frame, 2, other_than=path, method="residual-kmeans", verbose=False)
    assert both.other_than.columns.tolist() == ["known: site", "known: extra"]
    del by_id["r0"]
    part = pluribus.cluster(frame, 3, other_than=by_id | {"stranger": "north"}, verbose=False)
    assert part.other_than["known"][0] is None
    assert any("1 of 120 objects are not in the data" in note for note in part.notes)


@pytest.mark.parametrize("names", [range(120), [f"r{i}" for i in range(120)]], ids=["numbers", "names"])
def test_series_and_data_frames_in_another_order_are_read_by_their_index(case, names):
    frame, site, kind = case
    rows = frame.drop(columns="id").set_index(pd.Index(names))
    known = pd.DataFrame({"site": site, "kind": kind}, index=rows.index)[::-1]
    how = dict(method="residual-kmeans", verbose=False)
    assert pluribus.cluster(rows, 2, other_than=known["site"], **how).other_than["known"].tolist() == site.tolist()
    found = pluribus.cluster(rows, 2, other_than=known, **how).other_than
    assert found["site"].tolist() == site.tolist()
    assert found["kind"].tolist() == kind.astype(str).tolist()


def test_it_is_saved_loaded_and_reported(case, tmp_path):
    frame, site, _ = case
    result = pluribus.cluster(
        frame, 3, other_than={"<b>": "x"} | dict(zip(frame["id"], site, strict=True)), verbose=False
    )
    loaded = pluribus.load(result.save(tmp_path / "model.pluribus"))
    pd.testing.assert_frame_equal(loaded.other_than, result.other_than, check_dtype=False)
    page = loaded.report(tmp_path / "report.html").read_text()
    assert 'id="other-than"' in page
    assert "It says something else." in page
    assert "<td>north</td>" in page


def test_the_command(case, tmp_path, monkeypatch):
    frame, site, kind = case
    monkeypatch.chdir(tmp_path)
    frame.to_csv("data.csv", index=False)
    pd.DataFrame({"id": frame["id"], "site": site}).to_csv("known.csv", index=False)
    command = [
        "cluster",
        "data.csv",
        "--k",
        "3",
        "--other-than",
        "known.csv",
        "--method",
        "residual-kmeans",
        "--out",
        "out",
    ]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    assert adjusted_rand_index(pd.read_csv("out/labels.csv")["cluster"], kind) == pytest.approx(1)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"other_than": np.zeros(5)}, "5 labels, but there are 120"),
        ({"other_than": {"stranger": 1}}, "none of its 1 objects is in the data"),
        ({"other_than": []}, "other_than"),
        ({"other_than": 3}, "give a file of labels"),
        ({"other_than": [None] * 120}, "has no label for any row"),
        ({"method": "condens"}, "needs the partition that is known: give other_than"),
        ({"other_than": np.zeros(120), "method": "eac"}, "does not look for another partition"),
        ({"other_than": np.arange(120) % 2, "k": 1}, "2 clusters or more"),
        ({"other_than": np.arange(120) % 2, "must_link": [("r0", "r1")]}, "takes no pairs"),
        ({"other_than": np.arange(120) % 2, "members": 5}, "has no use for members"),
        ({"other_than": np.arange(120) % 2, "method": "condens-em"}, "scale='none'"),
        ({"other_than": np.arange(120) % 2, "connected": True}, "do not go together"),
    ],
)
def test_wrong_requests_are_refused(case, how, message):
    with pytest.raises((ValueError, OSError), match=message):
        pluribus.cluster(case[0], **{"k": 3, "verbose": False} | how)


def test_the_labels_of_a_result_are_called_by_its_folder(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    files = [tmp_path / "first" / "labels.csv", tmp_path / "site.csv"]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        pd.DataFrame({"cluster": rng.integers(0, 2, 30)}).to_csv(file, index=False)
    result = pluribus.cluster(X, k=2, other_than=[str(file) for file in files], verbose=False)
    assert result.other_than.columns.tolist() == ["first", "site"]
