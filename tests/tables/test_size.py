import gzip

import numpy as np
import pandas as pd
import pytest

from pluribus._engine import MemoryLimitError, memory_budget
from pluribus.tables import _size, read_table
from pluribus.tables._size import needed_bytes

N = 20_000
FRAME = pd.DataFrame(np.arange(3 * N).reshape(N, 3) % 10, columns=list("abc"))


def write(path):
    text = FRAME.to_csv(index=False)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif path.suffix == ".npz":
        np.savez_compressed(path, X=FRAME.to_numpy(dtype=float))
    elif path.suffix == ".txt":
        path.write_text(text.replace(",", " "))
    else:
        path.write_text(text)


@pytest.mark.parametrize("name", ["X.csv", "X.txt", "X.csv.gz", "X.npz"])
def test_what_would_not_fit_is_refused_before_it_is_read(name, tmp_path):
    path = tmp_path / name
    write(path)
    numbers = 3 * N * 8
    assert 3 * numbers < needed_bytes(path) < 6 * numbers
    with memory_budget(2 * numbers), pytest.raises(MemoryLimitError, match=r"to read, more than.*Parquet"):
        read_table(path)
    with memory_budget(6 * numbers):
        assert read_table(path).frame.shape == (N, 3)


def test_gzip_tells_its_size_but_for_multiples_of_4_gb(tmp_path):
    path = tmp_path / "X.gz"
    path.write_bytes(bytes(5000) + (100).to_bytes(4, "little"))
    assert _size._unpacked(path, 5004) == 2**32 + 100


@pytest.mark.parametrize("name", ["none.csv", "bad.npz", "bad.csv.gz", "empty.csv", "X.parquet"])
def test_others_are_left_to_the_reader(name, tmp_path):
    if name != "none.csv":
        (tmp_path / name).write_bytes(b"" if name == "empty.csv" else b"no such thing")
    assert needed_bytes(tmp_path / name) == 0
