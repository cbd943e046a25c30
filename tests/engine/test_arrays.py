import io
import zipfile

import numpy as np
import pytest

from pluribus._engine import ArrayError, ArraySpec, memory_budget


def archive(**arrays):
    """An open npz file."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return zipfile.ZipFile(file)


@pytest.mark.parametrize(
    ("spec", "right", "wrong"),
    [
        (ArraySpec("i", (3,)), np.arange(3), [np.arange(4), np.arange(3.0), np.ones(3, "u4"), np.ones((3, 1), int)]),
        (ArraySpec("iu", (range(1, 3),)), np.arange(2), [np.arange(0), np.arange(3)]),
        (ArraySpec("i", (None,), least=-1, below=3), np.array([-1, 2]), [np.array([-2]), np.array([0, 3])]),
        (ArraySpec("i", (None,), least=-1, below=3), np.array([], dtype=int), [np.array([])]),
        (ArraySpec("f", (None,)), np.ones(1), [np.array([np.nan]), np.array([-np.inf]), np.ones(1, np.float16)]),
        (ArraySpec("f", (None,), finite=False), np.array([np.nan]), [np.array([None])]),
        (ArraySpec(np.dtype("f4"), ()), np.array(1, "f4"), [np.array(1.0), np.array(1), np.ones(1, "f4")]),
        (ArraySpec("U", (1,)), np.array(["a"]), [np.array([b"a"]), np.array(["a"], dtype=object)]),
    ],
)
def test_only_what_fits_is_read(spec, right, wrong):
    assert spec.problem(right) is None
    for dtype in (right.dtype, right.dtype.newbyteorder(">")):
        again = spec.read(archive(a=right.astype(dtype)), "a")
        np.testing.assert_array_equal(again, right)
        assert again.dtype == right.dtype
    for array in wrong:
        assert spec.problem(array) is not None
        with pytest.raises(ArrayError, match="^a "):
            spec.read(archive(a=array), "a")


def test_more_than_the_memory_is_refused():
    small = archive(a=np.zeros(10**6))  # 8 MB of zeros, compressed
    with memory_budget("1MB"), pytest.raises(ArrayError, match=r"a takes 8\.0 MB, more than the 1\.0 MB allowed"):
        ArraySpec("f", (None,)).read(small, "a")


@pytest.mark.parametrize("shape", [(10**12,), (-1,), (0, 10**12), (2**40, 2**40)])
def test_a_header_is_not_believed(shape):
    header, file = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("a.npy", header.getvalue())
    try:
        found = ArraySpec("f", (None,) * len(shape)).read(zipfile.ZipFile(file), "a")
    except ArrayError:
        found = np.empty(0)
    assert found.size == 0


def test_methods_of_compression_that_numpy_does_not_use_are_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_BZIP2) as opened:
        opened.writestr("a.npy", bytes(1000))
    with pytest.raises(ArrayError, match="compressed"):
        ArraySpec("f", (None,)).read(zipfile.ZipFile(file), "a")
