import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

from benchmarks import _data, neighbor_evidence
from benchmarks._worker import measure
from pluribus.consensus.linkage import _graph_groups
from pluribus.evidence import _nearest


def test_accuracy_leaves_noise_out(monkeypatch, tmp_path):
    for module, limit in ((_nearest, "EXACT_UP_TO"), (_graph_groups, "EXACT_PAIRS")):
        monkeypatch.setattr(module, limit, getattr(module, limit))  # put back what the benchmark sets
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    monkeypatch.setattr(neighbor_evidence, "N_MEMBERS", 30)
    X, y = make_blobs(200, centers=[[0, 0], [30, 0], [0, 30]], random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(label=y + 1)
    frame.loc[::40, "label"] = 0
    frame.to_csv(tmp_path / "chameleon_t7_10k.csv.gz", index=False)
    assert neighbor_evidence._small_sets() == ["chameleon_t7_10k"]
    assert np.unique(neighbor_evidence.read("chameleon_t7_10k")[1]).size == 4
    found = measure(neighbor_evidence.accuracy, {"name": "chameleon_t7_10k", "n_ensembles": 1, "jobs": 1})["figures"]
    assert list(found) == [f"{link}, {form}" for link in ("single", "average") for form in ("operator", "neighbors")]
    assert found["single, operator"] == found["single, neighbors"] == [1.0]
