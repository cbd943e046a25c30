"""The benchmark on PenDigits, on data of a moment."""

import numpy as np

from benchmarks import _data, pendigits


def test_one_small_case(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 40)
    X = 10 * rng.normal(size=(10, 4))[y] + rng.normal(size=(400, 4))
    monkeypatch.setattr(_data, "load_raw", lambda name: _data.DataSet(X, y))
    members = {"clusterer": "landmarks", "n_members": 5, "n_clusters": (12, 16)}
    task = pendigits.ours(members, {"hbgf": ("hbgf", {})}, n_seeds=2, jobs=1, name="pendigits")
    figures = task.score(task.work())
    assert min(figures["hbgf"]["nmi"]) > 0.8
    assert all(len(figures[part]["cpu_seconds"]) == 2 for part in ("", "hbgf"))


def test_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(_data, "available", lambda name: False)
    assert list(pendigits.run(None, None)) == ["Not run: PenDigits is not here."]
