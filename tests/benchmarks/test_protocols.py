"""A small case of each protocol of the evidence accumulation papers: the methods of its tables, the same every time."""

import numpy as np
import pytest

from benchmarks import _data
from benchmarks.reproduce import acc, eac, embedding, penca, ppc, validation


def test_eac(monkeypatch):
    monkeypatch.setattr(eac, "N_MEMBERS", 10)
    for table in eac.tables(True):
        row = list(table.theirs)[-1]
        once = eac.score(table.title, row, 0, True)
        assert eac.score(table.title, row, 0, True) == once
        assert set(once) == set(table.methods)
        assert all(0 < value <= 1 for value in once.values())


def test_validation(monkeypatch):
    monkeypatch.setattr(validation, "N_MEMBERS", 10)
    for title in (validation.A, validation.B):
        found = validation.score(title, "iris", 0, True)
        assert set(found) == set(validation.METHODS)
        assert max(found.values()) == found["best"] > 0.5
    validation._candidates.cache_clear()


def test_acc(monkeypatch):
    monkeypatch.setattr(acc, "N_MEMBERS", 4)
    correlation, selected = (acc.score(title, "iris", 0, True) for title in (acc.CORRELATION, acc.SELECTED))
    assert set(correlation) == set(acc.MEASURES)
    assert all(-1 <= value <= 1 for value in correlation.values())
    assert max(selected.values()) == selected["best"] > 0.6
    right, measured = acc._measured("iris", 0)
    assert len(right) == 5 * 2 * 4
    assert selected["ACC"] == right[np.flatnonzero(measured["ACC"] == measured["ACC"].max())[-1]]
    for cached in (acc._measured, acc._ensemble, acc._weights):
        cached.cache_clear()


def test_ppc(monkeypatch):
    monkeypatch.setattr(_data, "load", lambda name: _two_blobs(["benign", "malignant"]))
    for cached in (ppc._ppc, ppc._ensemble):
        cached.cache_clear()
    found = [ppc.score("breast_w", row, 0, True) for row in ("E_KM", "E_All")]
    assert found[0] == dict.fromkeys(ppc.METHODS, 1.0)
    assert set(found[1]) == set(ppc.METHODS)
    members = [ppc._ensemble("breast_w", title, 0, True).n_partitions for title in (*ppc.ALGORITHMS, "E_All")]
    assert members == [11 * 5] * 4 + [4 * 11 * 5]  # 2 to 10 clusters, 15 and 20; 5 sub-samples of each
    entropy = ppc.score(ppc.ENTROPY, "E_KM", 0, True)
    assert set(entropy) == {"benign", "malignant"}
    assert all(0 <= value <= 1 for value in entropy.values())
    for cached in (ppc._ppc, ppc._ensemble):
        cached.cache_clear()


def test_penca(monkeypatch):
    monkeypatch.setattr(penca, "N_MEMBERS", 10)
    once = penca.score(penca.REAL, "iris", 0, True)
    penca._ensemble.cache_clear()
    assert penca.score(penca.REAL, "iris", 0, True) == once
    assert set(once) == set(penca.METHODS)
    assert all(0.4 < value <= 1 for value in once.values())
    assert set(penca.score(penca.NUMBER, "iris", 0, True).values()) <= {0.0, 1.0}
    penca._ensemble.cache_clear()


def test_embedding(monkeypatch):
    monkeypatch.setattr(embedding, "N_MEMBERS", 5)
    features, similarities = embedding._TABLES
    best, mean = (embedding.score(features, f"iris, {which}", 0, True) for which in ("best", "mean"))
    assert set(best) == set(mean) == {"EAC_F", *embedding.EMBEDDINGS}
    assert all(0.33 < mean[method] <= best[method] <= 1 for method in best)
    similar = embedding.score(similarities, "iris, best", 0, True)
    assert set(similar) == {"EAC", *embedding.EMBEDDINGS}
    for cached in (embedding._ensemble, embedding._accuracies):
        cached.cache_clear()


def test_separation_of_the_classes():
    X, y = _two_blobs([0, 1])
    assert embedding._n1(X, y) == 2 / len(y)  # the one edge between the blobs
    assert embedding._silhouette(X, y) > 0.95
    found = embedding.score(embedding.SEPARATION, "silhouette", 0, True)
    assert found["wine"] == pytest.approx(0.4368, abs=5e-5)


def _two_blobs(names):
    y = np.repeat([0, 1], 30)
    X = np.random.default_rng(0).normal(size=(60, 2)) + 30 * y[:, None]
    return _data.DataSet(X, np.array(names)[y])
