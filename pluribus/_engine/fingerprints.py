"""A short name for data and parameters: the same parts, the same name."""

import hashlib
from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp


def fingerprint(*parts: Any) -> str:
    """Return the SHA-256 (hexadecimal) of arrays and parameters.

    Parts may be numbers, strings, bytes, None, arrays (also sparse), scikit-learn estimators, functions (by
    their name), and lists, tuples or dicts of these. The order of a dict's keys does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import fingerprint
    >>> fingerprint(np.arange(3), {"k": 2, "seed": 0}) == fingerprint(np.arange(3), {"seed": 0, "k": 2})
    True
    >>> fingerprint(np.arange(3)) == fingerprint(np.arange(4))
    False
    """
    digest = hashlib.sha256()
    _add(digest, parts)
    return digest.hexdigest()


def _add(digest: Any, part: Any) -> None:
    """Feed one part to the digest, after its kind and size, so that no two parts can run together."""
    if sp.issparse(part):
        part = part.tocsr()
        _open(digest, "sparse", part.shape)
        for array in (part.indptr, part.indices, part.data):
            _add(digest, array)
    elif isinstance(part, np.ndarray) and part.dtype != object:
        _open(digest, part.dtype.str, part.shape)
        digest.update(np.ascontiguousarray(part).view(np.uint8) if part.size else b"")
    elif isinstance(part, np.ndarray):
        _open(digest, "objects", part.shape)
        _add(digest, part.ravel().tolist())
    elif isinstance(part, str | bytes):
        raw = part.encode() if isinstance(part, str) else part
        _open(digest, type(part).__name__, len(raw))
        digest.update(raw)
    elif part is None or isinstance(part, Number | np.generic):
        _open(digest, "value", repr(part.item() if isinstance(part, np.generic) else part))
    elif isinstance(part, Mapping):
        _open(digest, "mapping", len(part))
        for key in sorted(part, key=str):
            _add(digest, key)
            _add(digest, part[key])
    elif isinstance(part, Sequence):
        _open(digest, "sequence", len(part))
        for item in part:
            _add(digest, item)
    elif hasattr(part, "get_params"):
        _open(digest, "estimator", f"{type(part).__module__}.{type(part).__qualname__}")
        _add(digest, part.get_params(deep=False))
    elif callable(part):
        _open(digest, "callable", f"{part.__module__}.{getattr(part, '__qualname__', type(part).__qualname__)}")
    else:
        raise TypeError(f"cannot take the fingerprint of a {type(part).__name__}: pass arrays, numbers or strings")


def _open(digest: Any, kind: str, size: Any) -> None:
    digest.update(f"\x00{kind}:{size}\x00".encode())
