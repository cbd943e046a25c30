"""Saved results: exact, and nothing in a file is believed."""

import io
import json
import pickle
import shutil
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import pluribus
from pluribus.pipeline import ArchiveError


@pytest.fixture(scope="module")
def saved(blobs_frame, tmp_path_factory):
    result = pluribus.cluster(blobs_frame[0], members=12, must_link=[("row 0", "row 1")], impute=True, verbose=False)
    return result, result.save(tmp_path_factory.mktemp("saved") / "blobs.pluribus")


def test_everything_comes_back(saved, tmp_path, blobs_frame):
    result, path = saved
    again = pluribus.load(path)
    for name in ("labels", "membership", "uncertainty", "ids", "linkage", "k_support", "features"):
        before, after = getattr(result, name), getattr(again, name)
        assert (before is None) == (after is None), name
        if before is not None:
            np.testing.assert_array_equal(after, before, err_msg=name)
    for name in (
        "title",
        "method",
        "reasons",
        "notes",
        "k_chosen_by",
        "verdict",
        "feature_names",
        "recipe",
        "id_column",
        "seconds",
    ):
        assert getattr(again, name) == getattr(result, name), name
    pd.testing.assert_frame_equal(again.frame, result.frame)
    pd.testing.assert_frame_equal(again.ensemble.to_frame(), result.ensemble.to_frame())
    assert again.constraints == result.constraints
    new = blobs_frame[0].assign(a=lambda f: f["a"] + 0.5)
    np.testing.assert_array_equal(again.predict(new), result.predict(new))
    np.testing.assert_array_equal(again.predict_proba(new), result.predict_proba(new))
    before, after = result.report(tmp_path / "a.html").read_text(), again.report(tmp_path / "b.html").read_text()
    assert after == before


def test_the_vote_on_k_comes_back(blobs_frame, tmp_path):
    result = pluribus.cluster(blobs_frame[0], method="eac", members=12, verbose=False)
    again = pluribus.load(result.save(tmp_path / "r.pluribus"))
    assert again.k_choice.sentence == result.k_choice.sentence
    pd.testing.assert_frame_equal(again.k_choice.frame, result.k_choice.frame, check_dtype=False)
    assert again.report(tmp_path / "a.html").read_text() == result.report(tmp_path / "b.html").read_text()


def test_sparse_rows_come_back(blobs_frame, tmp_path):
    X = sparse.csr_array(np.abs(blobs_frame[0][["a", "b", "c"]].to_numpy()))
    result = pluribus.cluster(X, 3, members=8, verbose=False)
    again = pluribus.load(result.save(tmp_path / "r.pluribus"))
    np.testing.assert_array_equal(again.predict(X), result.predict(X))


def test_a_directory_of_results(saved, tmp_path):
    shutil.copy(saved[1], tmp_path / "model.pluribus")
    assert pluribus.load(tmp_path).n_clusters == saved[0].n_clusters


@pytest.mark.parametrize("content", [b"", b"no", b"PK\x05\x06" + bytes(18), pickle.dumps({"a": 1})])
def test_what_is_no_result_is_refused(tmp_path, content):
    (tmp_path / "x.pluribus").write_bytes(content)
    with pytest.raises(ArchiveError):
        pluribus.load(tmp_path / "x.pluribus")
    with pytest.raises(ArchiveError, match="does not exist"):
        pluribus.load(tmp_path / "nothing.pluribus")
    with pytest.raises(ArchiveError, match="does not exist"):
        pluribus.load(tmp_path)


def changed(source, target, **documents):
    """A copy of a saved result with other contents of some of its documents; None leaves one out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            key = name.replace(".", "_")
            content = documents.get(key, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return target


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def described(path, **changes):
    with zipfile.ZipFile(path) as file:
        return json.dumps(json.loads(file.read("clustering.json")) | changes).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("labels_npy", lambda r, p: npy(r.labels[:5])),
        ("labels_npy", lambda r, p: npy(r.labels + 50)),
        ("labels_npy", lambda r, p: npy(r.labels.astype(float))),
        ("labels_npy", lambda r, p: npy(np.array([{"code": 1}], dtype=object))),
        ("labels_npy", lambda r, p: npy(np.full(90, -2))),
        ("labels_npy", lambda r, p: None),
        ("labels_npy", lambda r, p: npy(r.labels)[:60]),
        ("membership_npy", lambda r, p: npy(r.membership * 2)),
        ("membership_npy", lambda r, p: npy(np.full_like(r.membership, np.nan))),
        ("membership_npy", lambda r, p: npy(r.membership.T)),
        ("uncertainty_npy", lambda r, p: npy(r.uncertainty[:, None])),
        ("uncertainty_npy", lambda r, p: npy(r.uncertainty * np.inf)),
        ("uncertainty_npy", lambda r, p: npy(r.uncertainty - 1e100)),
        ("uncertainty_npy", lambda r, p: npy(r.uncertainty + 1.1)),
        ("ids_npy", lambda r, p: npy(np.arange(90))),
        ("kept_index_npy", lambda r, p: npy(np.arange(90) + 1)),
        ("kept_index_npy", lambda r, p: npy(np.arange(0))),
        ("kept_labels_npy", lambda r, p: npy(np.full(90, 99))),
        ("kept_rows_npy", lambda r, p: npy(np.zeros((90, 2)))),
        ("kept_rows_npy", lambda r, p: npy(np.zeros((3, 4)))),
        ("ensemble_npz", lambda r, p: b"no"),
        ("ensemble_npz", lambda r, p: None),
        ("frame_parquet", lambda r, p: b"no"),
        ("constraints_json", lambda r, p: b'{"must_link": [[0, 900]]}'),
        ("clustering_json", lambda r, p: b"{"),
        ("clustering_json", lambda r, p: b"[1]"),
        ("clustering_json", lambda r, p: described(p, format=99)),
        ("clustering_json", lambda r, p: described(p, n_objects=10**9)),
        ("clustering_json", lambda r, p: described(p, n_objects="many")),
        ("clustering_json", lambda r, p: described(p, recipe={"columns": []})),
        ("clustering_json", lambda r, p: described(p, reasons=5)),
        ("clustering_json", lambda r, p: described(p, verdict="certainly")),
        ("clustering_json", lambda r, p: described(p, verdict=["none"])),
        ("clustering_json", lambda r, p: described(p, parameters=5)),
        ("clustering_json", lambda r, p: described(p, sparse_width=3)),
    ],
)
def test_a_damaged_file_is_refused(saved, tmp_path, name, content):
    result, path = saved
    broken = changed(path, tmp_path / "x.pluribus", **{name: content(result, path)})
    with pytest.raises(ValueError, match=r"x\.pluribus|recipe") as caught:
        pluribus.load(broken)
    assert not isinstance(caught.value, UnicodeError)


def test_a_header_that_claims_more_than_is_there(saved, tmp_path):
    """An array of 800 GB by its header is refused before memory is asked for."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (90, 10**9)})
    broken = changed(saved[1], tmp_path / "x.pluribus", membership_npy=header.getvalue())
    with pytest.raises(ArchiveError, match="membership is float64 of shape"):
        pluribus.load(broken)


def test_a_result_is_written_whole_or_not_at_all(saved, tmp_path, monkeypatch):
    result, _ = saved
    (tmp_path / "r.pluribus").write_text("old")
    monkeypatch.setattr("pluribus.pipeline._archive._documents", lambda result: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        result.save(tmp_path / "r.pluribus")
    assert [path.name for path in tmp_path.iterdir()] == ["r.pluribus"]
    assert (tmp_path / "r.pluribus").read_text() == "old"
