"""Reading what the user said into canonical arrays: pairs, their weights, and names given to objects."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from pluribus._engine import is_sized, number_array, plain_array
from pluribus.constraints.errors import ConstraintError

Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def log_odds(certainty: npt.ArrayLike) -> Floats:
    """Weight of a relation that is right with this probability: log(p / (1 - p)).

    1 gives infinity, a hard constraint; 0.5 gives 0, no information. Below 0.5 the weight is negative: the opposite
    relation is more likely, which :meth:`Constraints.from_matrix` understands.

    Examples
    --------
    >>> from pluribus.constraints import log_odds
    >>> log_odds([0.5, 0.8, 1.0]).round(3).tolist()
    [0.0, 1.386, inf]
    """
    p = number_array("certainty", certainty, error=ConstraintError)
    if not np.all((p >= 0) & (p <= 1)):
        raise ConstraintError(f"a certainty is a probability from 0 to 1, got {certainty!r}")
    with np.errstate(divide="ignore"):
        return np.log(p) - np.log1p(-p)


def parse_pairs(pairs: Any, n: int, name: str) -> Indices:
    """Return the pairs as an (m, 2) integer array with every index checked."""
    if pairs is None:
        return np.empty((0, 2), np.int64)
    if sparse.issparse(pairs):
        raise ConstraintError(f"{name} is a matrix: give a signed matrix to Constraints.from_matrix")
    try:
        array = np.asarray(pairs if hasattr(pairs, "__array__") else list(pairs))
    except (TypeError, ValueError) as error:
        raise ConstraintError(f"{name} must be pairs of indices, such as [(0, 1), (4, 2)]: {error}") from None
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ConstraintError(
            f"{name} must be pairs of indices, of shape (m, 2), got shape {array.shape}; "
            "a signed matrix goes to Constraints.from_matrix"
        )
    if array.dtype.kind not in "iuf":
        raise ConstraintError(
            f"{name} must hold integer indices, got {array.dtype} such as {array.flat[0]!r}; "
            "pairs of ids are read from a file with Constraints.read(path, ids=ids)"
        )
    bad = ~((array >= 0) & (array < n)).all(axis=1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ConstraintError(
            f"{name} row {row} is {tuple(array[row].tolist())}, but the indices of {n} objects go from 0 to {n - 1}"
        )
    result = array.astype(np.int64)
    broken = (result != array).any(axis=1)
    if broken.any():
        row = int(np.flatnonzero(broken)[0])
        raise ConstraintError(f"{name} row {row} is {tuple(array[row].tolist())}: indices must be whole numbers")
    return result


def parse_weights(weights: Any, n_pairs: int, name: str) -> Floats:
    """Return one positive weight for each pair; None, for all or for one, is infinite: hard."""
    if weights is None:
        return np.full(n_pairs, np.inf)
    try:
        array = np.array(weights, dtype=object)
        array[np.equal(array, cast(Any, None))] = np.inf
        result = array.astype(np.float64)
    except (TypeError, ValueError):
        raise ConstraintError(f"{name} must be numbers (or None for hard), got {weights!r}") from None
    if result.ndim == 0:
        result = np.full(n_pairs, float(result))
    if result.shape != (n_pairs,):
        raise ConstraintError(f"{name} needs one weight for each of the {n_pairs} pairs, got shape {result.shape}")
    bad = ~(result > 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ConstraintError(
            f"{name}[{row}] is {result[row]}: a weight is positive, and infinite or None for a hard constraint. "
            "Leave out a pair that says nothing; a negative weight is the opposite relation"
        )
    return result


def pair_codes(pairs: Indices, n: int) -> Indices:
    """One number for each unordered pair of n things; divmod by n gives the pair back."""
    return pairs.min(axis=1) * n + pairs.max(axis=1)


def canonical_pairs(pairs: Indices, weights: Floats, n: int) -> tuple[Indices, Floats]:
    """Order each pair and the list of them; repeated pairs become one, their weights added (hard stays hard)."""
    codes, inverse = np.unique(pair_codes(pairs, n), return_inverse=True)
    total = np.bincount(inverse, weights=weights, minlength=len(codes))
    return np.column_stack(np.divmod(codes, n)), total.astype(np.float64)


def parse_names(values: Any, n: int | None, name: str) -> tuple[Indices, npt.NDArray[Any]]:
    """Code groups or labels of any hashable kind as 0, 1, … by first appearance; -1, None and NaN are unknown.

    Returns the codes and the original name of each code. Without n, any number of them, but not None.
    """
    if values is None and n is not None:
        return np.full(n, -1, np.int64), np.empty(0, dtype=object)
    array = _as_array(values, name)
    if array.ndim != 1 or n not in (None, len(array)):
        objects = "each object" if n is None else f"each of the {n} objects"
        raise ConstraintError(f"{name} needs one entry for {objects}, got shape {array.shape}")
    if array.dtype.kind == "O":
        try:
            array[pd.isna(array)] = None
            array[np.equal(array, -1)] = None
        except (TypeError, ValueError):  # of records too
            raise ConstraintError(f"{name} holds arrays or records: give one number or text for each object") from None
    elif array.dtype.kind == "f":
        array = np.where(array == -1, np.nan, array)
    try:
        codes, names = pd.factorize(array)
    except TypeError as error:
        raise ConstraintError(f"{name} must be hashable (numbers, strings, …): {error}") from None
    if pd.api.types.infer_dtype(names) in ("floating", "mixed-integer-float"):
        names = names.astype(np.float64)
    if names.dtype.kind == "f" and np.all((names == np.floor(names)) & (np.abs(names) < 2**63)):
        names = names.astype(np.int64)  # integers that became floats beside a NaN
    if array.dtype.kind == "i" and (names == -1).any():
        unknown = int(np.flatnonzero(names == -1)[0])
        codes = np.where(codes == unknown, -1, codes - (codes > unknown))
        names = np.delete(names, unknown)
    return codes.astype(np.int64), np.asarray(names)


def _as_array(values: Any, name: str) -> npt.NDArray[Any]:
    """A fresh array, of objects where the values are not plain numbers or booleans."""
    if hasattr(values, "__array__"):
        array = np.array(values)
        kept = array.astype(array.dtype.newbyteorder("=")) if array.dtype.kind in "iufb" else array.astype(object)
        return kept  # pandas reads no other order of bytes
    if not is_sized(values):
        raise ConstraintError(f"{name} must be a sequence with one entry for each object, got {values!r}")
    return np.fromiter(values, dtype=object, count=len(values))


def signed_pairs(matrix: Any) -> tuple[int, Indices, Floats]:
    """Return n, the unordered pairs of a square matrix that are not zero, and their values."""
    if not sparse.issparse(matrix):
        matrix = plain_array("matrix", matrix, error=ConstraintError)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "iufb":
        raise ConstraintError(
            f"a signed matrix has one row and one column for each object, and numbers; got shape {matrix.shape} "
            f"of {matrix.dtype}"
        )
    n = matrix.shape[0]
    entries = sparse.coo_array(matrix, dtype=np.float64)
    entries.sum_duplicates()
    said = entries.data != 0
    pairs, values = np.column_stack([entries.row, entries.col])[said].astype(np.int64), entries.data[said]
    if np.isnan(values).any():
        i, j = pairs[np.flatnonzero(np.isnan(values))[0]]
        raise ConstraintError(f"the matrix is NaN at ({i}, {j}); use 0 for 'not known'")
    codes, first, inverse = np.unique(pair_codes(pairs, n), return_index=True, return_inverse=True)
    differ = np.flatnonzero(values != values[first][inverse])
    if len(differ):
        i, j = pairs[differ[0]]
        raise ConstraintError(
            f"the matrix says one thing at ({i}, {j}) and another at ({j}, {i}). Each unordered pair counts once: "
            "give one triangle, or a symmetric matrix"
        )
    return n, np.column_stack(np.divmod(codes, n)), values[first]
