"""Several kernels on the same objects: checked, evaluated and normalized, block by block."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.extmath import row_norms

from pluribus._engine import check_memory
from pluribus.similarity.kernels._base_kernels import read_kernels
from pluribus.tables._internal import check_new_scale, check_scale, refuse_annotated

_FLOATS = [np.float64, np.float32]
_ROWS = 256  # at once, for self-similarities of a function
_EVALUATED = 3  # matrices while a kernel is evaluated and scaled
_SPLINE_BYTES = 3.0  # for each value of the matrix, while 5 % of them are found and packed
_PROBE = 200  # objects among which a negative eigenvalue is looked for
_NEGATIVE = 1e-6  # an eigenvalue below minus this share of the largest is no rounding error


def as_blocks(X: Any, kernels: Any) -> list[Any] | None:
    """The blocks of X, if X is a list of matrices or tables; None if it is one table."""
    if isinstance(X, np.ndarray) and X.ndim == 3 and kernels == "precomputed":
        return list(X)
    if isinstance(X, list | tuple) and (not len(X) or all(_is_matrix(block) for block in X)):
        return list(X)
    return None


def _is_matrix(block: Any) -> bool:
    return sparse.issparse(block) or isinstance(block, pd.DataFrame) or np.ndim(block) == 2


class KernelSet:
    """Kernels and the rows they were fitted on.

    Parameters
    ----------
    kernels
        As a user gives them.
    normalize : bool
        Scale each kernel to k(x, x) = 1.
    X
        A table for all kernels, checked already, or a list of blocks, one for each kernel.
    """

    def __init__(self, kernels: Any, normalize: bool, X: Any) -> None:
        blocks = as_blocks(X, kernels)
        if blocks is not None and not blocks:
            raise ValueError("X is an empty list: give at least one kernel matrix or table.")
        self.normalize = normalize
        self.several = blocks is not None
        self.kernels = read_kernels(kernels, None if blocks is None else len(blocks))
        self.rows = [self._checked(m, block, check_scale) for m, block in enumerate(self._spread(X, blocks))]
        self.functions: list[Callable[[Any, Any], Any] | None] = [
            kernel.fitted(rows) if kernel.fitted else kernel.function
            for kernel, rows in zip(self.kernels, self.rows, strict=True)
        ]
        self.widths = [rows.shape[1] for rows in self.rows]
        self.n = self.rows[0].shape[0]
        for m, rows in enumerate(self.rows):
            if rows.shape[0] != self.n:
                raise ValueError(f"X[{m}] has {rows.shape[0]} rows, but X[0] has {self.n}: all must have the same.")
            if self.kernels[m].form == "precomputed":
                self._check_square(m, rows)
        self.scales = [self._checked_scale(m, rows) for m, rows in enumerate(self.rows)]

    def __len__(self) -> int:
        return len(self.kernels)

    @property
    def names(self) -> list[str]:
        """A name for each kernel, with a number where it occurs several times."""
        names = [kernel.name for kernel in self.kernels]
        return [name if names.count(name) == 1 else f"{name} {m}" for m, name in enumerate(names)]

    def _spread(self, X: Any, blocks: list[Any] | None) -> Sequence[Any]:
        """A block for each kernel: its own, or the one table."""
        if blocks is None:
            return [X] * len(self.kernels)
        if len(blocks) != len(self.kernels):
            raise ValueError(f"X has {len(blocks)} blocks, but there are {len(self.kernels)} kernels: give one each.")
        return blocks

    def _what(self, m: int) -> str:
        return f"X[{m}] (kernel {self.kernels[m].name!r})" if self.several else f"X (kernel {self.kernels[m].name!r})"

    def _checked(self, m: int, block: Any, check_numbers: Callable[[Any], None]) -> Any:
        """Finite numbers, dense or CSR with sorted columns."""
        refuse_annotated(block)
        try:
            block = check_array(block, accept_sparse="csr", dtype=_FLOATS, order="C", input_name="X")
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self._what(m)}: {error}") from None
        if self.kernels[m].form != "precomputed":
            check_numbers(block)
        if sparse.issparse(block):
            block = sparse.csr_array(block)
            if not block.has_canonical_format:
                block = block.copy()  # the user's matrix stays as it is
                block.sum_duplicates()
        return block

    def _check_square(self, m: int, K: Any) -> None:
        if K.shape[0] != K.shape[1]:
            raise ValueError(f"{self._what(m)} must be square, one row for each object; got shape {K.shape}.")
        largest = float(abs(K).max())
        tolerance = (1e-8 if K.dtype == np.float64 else 1e-5) * largest
        if sparse.issparse(K):
            symmetric = abs(K - K.T).max() <= tolerance
        else:
            symmetric = all(
                np.abs(K[s : s + _ROWS] - K[:, s : s + _ROWS].T).max() <= tolerance for s in range(0, len(K), _ROWS)
            )
        if not symmetric:
            raise ValueError(f"{self._what(m)} must be symmetric: average it with its transpose if that is meant.")

    def _checked_scale(self, m: int, rows: Any) -> np.ndarray | None:
        """1 / √k(x, x) of the objects of fit."""
        if not self.normalize:
            return None
        diagonal = self._diagonal(m, rows)
        if not (diagonal > 0).all():
            bad = int(np.flatnonzero(~(diagonal > 0))[0])
            raise ValueError(
                f"{self._what(m)}: object {bad} has the similarity {diagonal[bad]:g} with itself, so it cannot be "
                "scaled to 1. Leave the object or the kernel out, or set normalize=False."
            )
        return 1 / np.sqrt(diagonal)

    def _diagonal(self, m: int, rows: Any) -> np.ndarray:
        """k(x, x) of rows; of a precomputed kernel, its diagonal."""
        kernel, function = self.kernels[m], self.functions[m]
        if kernel.form == "precomputed":
            return rows.diagonal().astype(np.float64)
        if kernel.form == "features":
            return row_norms(rows, squared=True).astype(np.float64)
        if kernel.fitted is not None:
            return np.ones(rows.shape[0])
        parts = [rows[s : s + _ROWS] for s in range(0, rows.shape[0], _ROWS)]
        return np.concatenate([self._values(m, function, part, part).diagonal() for part in parts])

    def _values(self, m: int, function: Any, A: Any, B: Any) -> Any:
        """The values of a function, if they have the right shape and are finite."""
        try:
            with nullcontext() if self.kernels[m].of_user else np.errstate(over="ignore", invalid="ignore"):
                K = function(A, B)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self._what(m)}: the kernel failed: {error}") from error
        if not sparse.issparse(K):
            K = np.asarray(K)
        if K.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"{self._what(m)}: the kernel of {A.shape[0]} and {B.shape[0]} rows must have the shape "
                f"{(A.shape[0], B.shape[0])}, got {K.shape}."
            )
        if K.dtype.kind not in "fiub" or not np.isfinite(K.data if sparse.issparse(K) else K).all():
            raise ValueError(f"{self._what(m)}: the kernel has values that are not finite numbers.")
        return K

    @property
    def dtype(self) -> Any:
        """The type that holds the values of all kernels."""
        return np.result_type(*(rows.dtype for rows in self.rows))

    def may_be_dense(self, m: int) -> bool:
        """Whether block m is dense, or may be; a function of a user may return a sparse matrix for sparse rows."""
        kernel, rows = self.kernels[m], self.rows[m]
        if kernel.name == "spline":
            return False
        return not sparse.issparse(rows) or (kernel.form == "kernel" and not kernel.of_user)

    def check_memory(self, n_classes: int = 0) -> None:
        """Raise if the blocks of all kernels, while they are made, and the scores of classes do not fit into memory.

        A kernel that is being evaluated takes up to three more matrices in double precision. That of "spline" has about
        5 % of the values, with their columns and places.
        """
        itemsize, square = self.dtype.itemsize, float(self.n) ** 2
        is_matrix = [kernel.form != "features" for kernel in self.kernels]
        columns = [self.n if is_kernel else width for is_kernel, width in zip(is_matrix, self.widths, strict=True)]
        dense = sum(float(self.n) * width for m, width in enumerate(columns) if self.may_be_dense(m))
        n_dense = sum(self.may_be_dense(m) and is_kernel for m, is_kernel in enumerate(is_matrix))
        n_splines = sum(kernel.name == "spline" for kernel in self.kernels)
        size = itemsize * dense + 8 * _EVALUATED * square * (n_dense > 0) + _SPLINE_BYTES * n_splines * square
        size += 2 * 8 * n_classes * sum(columns)  # scores and dual coefficients
        check_memory(
            size,
            f"{len(self)} kernels between {self.n:,} objects",
            "float32, sparse kernels such as 'spline', or features of each kernel (sklearn.kernel_approximation) as "
            "'linear' blocks",
        )

    def block(self, m: int) -> Any:
        """Features, or kernel values between all objects of fit; normalized."""
        rows, scale = self.rows[m], self.scales[m]
        if self.kernels[m].form == "features":
            return _scaled(rows, scale, None)
        K = rows if self.kernels[m].form == "precomputed" else self._values(m, self.functions[m], rows, rows)
        self._warn_indefinite(m, K)
        return _scaled(K, scale, scale)

    def _warn_indefinite(self, m: int, K: Any) -> None:
        if self.kernels[m].name == "gaussian":
            return
        some = np.unique(np.linspace(0, self.n - 1, min(self.n, _PROBE)).astype(int))
        part = K[some][:, some]
        part = np.asarray(part.toarray() if sparse.issparse(part) else part, dtype=np.float64)
        values = np.linalg.eigvalsh((part + part.T) / 2)
        if values[0] < -_NEGATIVE * max(values[-1], 0):
            warnings.warn(
                f"{self._what(m)} is not positive semidefinite (an eigenvalue of {values[0]:.3g}): its weight may mean "
                "little, and learning may fail.",
                stacklevel=5,
            )

    def read_new(self, X: Any) -> list[Any]:
        """New rows for each kernel; of precomputed kernels, their values with the objects of fit."""
        blocks = as_blocks(X, "precomputed")
        if self.several != (blocks is not None):
            raise ValueError(f"X must be {'a list of blocks' if self.several else 'one table'}, as it was in fit.")
        new = [self._checked(m, block, check_new_scale) for m, block in enumerate(self._spread(X, blocks))]
        for m, rows in enumerate(new):
            if rows.shape[1] != self.widths[m]:
                values = "one for each object of fit" if self.kernels[m].form == "precomputed" else "as in fit"
                raise ValueError(f"{self._what(m)} has {rows.shape[1]} columns, but needs {self.widths[m]}, {values}.")
            if rows.shape[0] != new[0].shape[0]:
                raise ValueError(f"X[{m}] has {rows.shape[0]} rows, but X[0] has {new[0].shape[0]}.")
        return new

    def between(self, m: int, new: Any, others: Any = None, diagonal: Any = None) -> Any:
        """Features of new rows; or kernel values between them and others, by default the objects of fit."""
        kernel, scale = self.kernels[m], self.scales[m]
        left = self._new_scale(m, new, diagonal)
        if kernel.form == "features":
            features = _scaled(new, left, None)
            if others is None:
                return features
            return features @ _scaled(others, self._new_scale(m, others, None), None).T
        if kernel.form == "precomputed":
            return _scaled(new, left, scale)
        if others is None:
            return _scaled(self._values(m, self.functions[m], new, self.rows[m]), left, scale)
        return _scaled(self._values(m, self.functions[m], new, others), left, self._new_scale(m, others, None))

    def _new_scale(self, m: int, new: Any, diagonal: Any) -> np.ndarray | None:
        """1 / √k(x, x) of new rows; 0 for rows that are similar to nothing."""
        scale = self.scales[m]
        if scale is None:
            return None
        if self.kernels[m].form != "precomputed":
            own = self._diagonal(m, new)
        elif diagonal is not None:
            own = diagonal
        elif np.ptp(scale) <= 1e-6 * scale.max():
            return np.full(new.shape[0], scale[0])
        else:
            raise ValueError(
                f"{self._what(m)} was scaled to 1 on its diagonal in fit, so new rows need their own k(x, x): give "
                "diagonals, a list of arrays, one for each kernel, or scale the kernels and set normalize=False."
            )
        return np.where(own > 0, 1 / np.sqrt(np.where(own > 0, own, 1)), 0)


def _scaled(K: Any, left: np.ndarray | None, right: np.ndarray | None) -> Any:
    """diag(left) K diag(right) in floating point, of the type of K."""
    if K.dtype not in _FLOATS:
        K = K.astype(np.float64)
    dtype = K.dtype
    if sparse.issparse(K):
        K = sparse.csr_array(K)
        if left is not None:
            K = sparse.diags_array(left.astype(dtype)) @ K
        if right is not None:
            K = K @ sparse.diags_array(right.astype(dtype))
        K = sparse.csr_array(K)
        K.sort_indices()
        return K
    if left is not None:
        K = K * left[:, None].astype(dtype)
    if right is not None:
        K = np.multiply(K, right.astype(dtype), out=K if left is not None else None)
    return K
