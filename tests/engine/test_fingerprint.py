import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

from pluribus._engine import fingerprint

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((X,), (X.astype(np.float32),)),
        ((X,), (X.reshape(3, 4),)),
        ((X,), (X + 1e-12,)),
        (("ab", "c"), ("a", "bc")),
        ((1,), ("1",)),
        ((1,), (1.0,)),
        ((["a"], "b"), ("a", ["b"])),
        ((None,), ("None",)),
        (({"k": 1},), ({"k": 2},)),
        ((KMeans(3),), (KMeans(4),)),
        ((sp.csr_matrix(X),), (X,)),
        ((np.array(["a", None], dtype=object),), (np.array(["a", "b"], dtype=object),)),
        ((len,), (sum,)),
    ],
)
def test_different_parts_differ(a, b):
    assert fingerprint(*a) != fingerprint(*b)


def test_layout_in_memory_does_not_matter():
    assert fingerprint(X) == fingerprint(np.asfortranarray(X))
    assert fingerprint(X[::2]) == fingerprint(X[::2].copy())
    assert fingerprint(sp.csr_matrix(X)) == fingerprint(sp.csc_matrix(X))


def test_empty_array_and_numpy_scalars():
    assert fingerprint(np.empty((0, 2))) != fingerprint(np.empty((0, 3)))
    assert fingerprint(np.int64(3)) == fingerprint(3)


def test_unknown_kind_is_refused():
    with pytest.raises(TypeError, match="object"):
        fingerprint(object())
