"""Small cases of the comparison of partitions at size."""

import gzip

import numpy as np
import pytest

from benchmarks import compare_speed
from benchmarks._worker import measure


@pytest.fixture
def images(tmp_path, monkeypatch):
    monkeypatch.setattr(compare_speed, "FASHION", tmp_path / "absent")
    path = str(tmp_path / "images.npz")
    measure(compare_speed.make, {"path": path, "n": 300})
    return path


def test_classical():
    for names in (False, True):
        assert measure(compare_speed.classical, {"n": 500, "k": 5, "names": names})["figures"]["n_measures"] == 19


def test_spatial(images):
    found = measure(compare_speed.lift_emd, {"path": images, "jobs": 1})["figures"]
    assert 0 < found["distance"] < 1.5
    assert found["standard_error"] == 0  # so few are exact
    assert (
        0
        < measure(compare_speed.cdistance_of_sample, {"path": images, "sample": 120, "jobs": 1})["figures"]["distance"]
        <= 1
    )


def test_reads_idx_files(tmp_path, monkeypatch):
    pixels, labels = np.arange(24, dtype=np.uint8), np.array([3, 1], dtype=np.uint8)
    header = bytes([0, 0, 8, 3]) + np.array([2, 3, 4], ">i4").tobytes()
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(header + pixels.tobytes()))
    header = bytes([0, 0, 8, 1]) + np.array([2], ">i4").tobytes()
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(header + labels.tobytes()))
    monkeypatch.setattr(compare_speed, "FASHION", tmp_path)
    X, y = compare_speed.images(10)
    assert X.shape == (2, 12)
    assert X[1, 0] == np.float32(12 / 255)
    assert y.tolist() == [3, 1]
