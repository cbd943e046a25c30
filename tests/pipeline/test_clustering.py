"""What can be done with a result."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import pluribus
from pluribus.pipeline._internal import figures_of


@pytest.fixture(scope="module")
def result(blobs_frame):
    return pluribus.cluster(blobs_frame[0], 3, members=12, verbose=False)


def test_the_frame_has_all_objects(result, blobs_frame):
    frame = result.to_frame()
    assert frame["id"].tolist() == blobs_frame[0]["id"].tolist()
    np.testing.assert_array_equal(frame["cluster"], result.labels)
    np.testing.assert_allclose(frame.filter(like="membership_"), result.membership)
    own = result.membership[np.arange(90), result.labels]
    np.testing.assert_allclose(frame["membership"], own)


def test_summary_and_clusters(result):
    assert result.clusters["size"].tolist() == [30, 30, 30]
    assert result.clusters["share"].sum() == pytest.approx(1)
    text = result.summary()
    assert text.startswith("3 clusters of 90 objects, ")
    assert all(reason in text for reason in result.reasons)
    assert repr(result).startswith("Clustering(3 clusters of 90 objects")


def test_new_rows_are_prepared_as_the_old_ones_were(result, blobs_frame):
    frame, _ = blobs_frame
    features = result.features
    vote = KNeighborsClassifier(5, weights="distance").fit(features, result.labels)
    new = frame.sample(20, random_state=0).assign(a=lambda f: f["a"] + 0.3)
    X = result.recipe.apply(pluribus.tables.as_table(new))
    np.testing.assert_array_equal(result.predict(new), vote.predict(X))
    proba = result.predict_proba(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(proba.argmax(axis=1), result.predict(new))
    np.testing.assert_allclose(result.predict_proba(frame), result.membership, atol=1e-12)
    one = result.predict(frame[5:6])
    assert one.tolist() == [result.labels[5]]
    with pytest.raises(ValueError, match="no column 'b'"):
        result.predict(frame.drop(columns="b"))


def test_ids_of_new_rows_may_repeat(result, blobs_frame):
    frame, _ = blobs_frame
    np.testing.assert_array_equal(result.predict(frame.assign(id="visitor")), result.predict(frame))


def test_figures_count_the_objects_in_clusters(blobs_frame):
    X = np.vstack([blobs_frame[0][["a", "b", "c"]], [[4.5, 4.5, 0], [30, 30, 0]]])
    result = pluribus.cluster(X, 3, members=12, noise=True, verbose=False)
    inside = result.labels >= 0
    assert not inside.all()
    assert result.mean_uncertainty == pytest.approx(result.uncertainty[inside].mean())
    assert figures_of(result)["figures"]["mean_uncertainty"] == pytest.approx(result.mean_uncertainty, abs=1e-6)


def test_memberships_of_new_rows_by_definition(result, blobs_frame):
    frame, _ = blobs_frame
    new = frame[:4].assign(a=lambda f: f["a"] + 1)
    X = result.recipe.apply(pluribus.tables.as_table(new))
    for row, found in zip(X, result.predict_proba(new), strict=True):
        distance = np.linalg.norm(result.features - row, axis=1)
        nearest = np.argsort(distance)[:5]
        weight = 1 / distance[nearest]
        np.testing.assert_allclose(found, weight @ result.membership[nearest] / weight.sum())


def test_the_view_in_notebooks_escapes_everything(blobs_frame, tmp_path):
    path = tmp_path / "<b>x.csv"
    blobs_frame[0].to_csv(path, index=False)
    card = pluribus.cluster(path, 3, members=5, verbose=False)._repr_html_()
    assert "<b>x" not in card
    assert "&lt;b&gt;x.csv" in card


def test_figures(result):
    for name in ("map", "evidence", "k", "sizes", "profiles"):
        figure = getattr(result.plot, name)()
        assert type(figure).__name__ == "Figure"
        assert figure.data
    assert sum(len(trace.x) for trace in result.plot.map().data) == 90
    assert list(result.plot.sizes().data[0].y) == [30, 30, 30]
    profile = result.plot.profiles().data[0]
    assert set(profile.y) <= {"a", "b", "c", "team = red", "team = blue"}
    assert np.abs(np.asarray(profile.z, dtype=float)).max() > 0.5


def test_profiles_of_a_single_cluster_are_empty():
    X = np.random.default_rng(0).normal(size=(20, 2))
    assert len(pluribus.cluster(X, k=1, members=3, verbose=False).plot.profiles().data[0].y) == 0


def test_figures_that_need_what_is_not_there():
    labels = pluribus.combine([[0, 0, 1, 1], [0, 0, 1, 1]], 2, method="voting", verbose=False)
    with pytest.raises(ValueError, match="no features"):
        labels.plot.profiles()
    with pytest.raises(ValueError, match="Leave k out"):
        labels.plot.k()


def test_the_report_is_written(result, tmp_path):
    path = result.report(tmp_path / "r.html")
    page = path.read_text()
    assert "<h1>table</h1>" in page
    assert "3 clusters" in page
    assert str(result.parameters["method"]) in page


def test_a_second_opinion_is_asked_once(blobs_frame):
    found = pluribus.cluster(blobs_frame[0], method="lwea", members=12, verbose=False)
    opinion, silence = found.k_opinion
    assert opinion.n_clusters >= 2
    assert silence == ""
    assert found.k_opinion is found.k_opinion
    assert pluribus.cluster(blobs_frame[0], 3, members=5, verbose=False).k_opinion == (None, "")


def test_a_ladder_needs_no_second_opinion(blobs_frame, tmp_path):
    found = pluribus.cluster(blobs_frame[0], members=12, verbose=False)
    assert found.k_opinion == (None, "")
    assert found.k_chosen_by == "most support by candidate partitions, evidence and density"
    assert found.ladder.preferred == found.n_clusters == len(found.reproducibility)
    again = pluribus.load(found.save(tmp_path / "result.pluribus"))
    assert again.ladder.frame.equals(found.ladder.frame)
    np.testing.assert_array_equal(again.reproducibility, found.reproducibility)
    for rung in found.ladder.rungs:
        np.testing.assert_array_equal(again.cut(rung.n_clusters), rung.labels)
    assert found.cut(1).max() == 0
    with pytest.raises(ValueError, match="levels are"):
        found.cut(29)
    with pytest.raises(ValueError, match="no other levels"):
        pluribus.cluster(blobs_frame[0], 3, members=5, verbose=False).cut(2)


def test_many_clusters(tmp_path):
    labels = np.arange(120) // 2
    result = pluribus.combine([labels, labels], 60, verbose=False)
    assert "… and 45 smaller clusters." in result.summary()
    assert not [c for c in result.to_frame() if c.startswith("membership_")]
    assert "… and 45 smaller clusters" in result._repr_html_()
    assert isinstance(result.to_frame(), pd.DataFrame)


def test_an_array_with_other_columns_is_refused(blobs_frame):
    X = blobs_frame[0][["a", "b", "c"]].to_numpy()
    found = pluribus.cluster(np.column_stack([X, np.ones(90)]), 3, members=5, verbose=False)
    assert len(found.predict(np.column_stack([X, np.ones(90)]))) == 90  # the constant column is no feature
    for columns in (X, np.column_stack([X, X])):
        with pytest.raises(ValueError, match="columns, but 4 were clustered"):
            found.predict(columns)


def test_memory_that_is_free_does_not_hold_the_libraries_again(blobs_frame, monkeypatch):
    monkeypatch.setattr("pluribus._engine.memory.free_memory", lambda: 300_000_000)
    assert pluribus.cluster(blobs_frame[0], 3, members=5, verbose=False).n_clusters == 3
