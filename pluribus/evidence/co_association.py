"""The co-association: pairwise evidence of an ensemble, in four forms behind one interface."""

from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import DaskCluster, as_cluster, is_one_of, number_array, real_number
from pluribus.evidence import _matrices
from pluribus.evidence._dask_nearest import nearest_by_dask
from pluribus.evidence._label_lists import Lists, lists_of
from pluribus.evidence._memory import check_limit, refuse_above
from pluribus.evidence._nearest import NEIGHBORS, nearest_by_labels
from pluribus.evidence._normalization import NORMALIZATIONS, normalized
from pluribus.evidence._products import multiply
from pluribus.evidence.unobserved_pairs import unobserved_pairs
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import check_index

_FORMS = ("auto", "operator", "sparse", "neighbors", "dense")
_DENSE_UP_TO = 2_000


class CoAssociation:
    """The share of partitions that put each two objects together, among those that cover both.

    c_ij = (weight of the partitions with i and j in one cluster) / (weight of the partitions that cover both). It is
    between 0 and 1, symmetric, and 1 on the diagonal. Pairs that no partition covers count as 0; ``n_unobserved_pairs``
    is their number. There are four forms with the same interface:

    - ``"operator"``: no matrix, O(n r) memory. Products cost O(n r) per column, because without missing labels
      C = H Hᵀ / r, with H the one-hot labels. With missing labels the ratio does not factor: rows are computed one by
      one and not stored, so each product takes as long as building the sparse form.
    - ``"sparse"``: all positive entries. It is small if partitions have many small clusters.
    - ``"neighbors"``: only the entries of each object and its ``n_neighbors`` nearest (by ``X`` if given, otherwise by
      evidence); these are exact, all others are 0. O(n p) memory.
    - ``"dense"``: an n × n array, for small n.

    Soft partitions enter by their labels of highest membership. Without missing labels C is positive semi-definite and
    1 - C is a pseudometric; with missing labels neither holds.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
    form : {"auto", "operator", "sparse", "neighbors", "dense"}
        "auto" is "neighbors" if ``n_neighbors`` or ``X`` is given; otherwise "dense" up to 2,000 objects, "sparse" if a
        sample of rows predicts less than half of ``memory_limit``, and "operator" in other cases.
    normalize : {"pairs", "count", "total"}
        The denominator: the weight of the partitions that cover both objects; their number, if weights are at most 1
        (WEACS: partitions of low weight lower all evidence); or the weight of all partitions, so that pairs that few
        partitions cover have little evidence.
    n_neighbors : int, default 30
        Neighbors of each object in the "neighbors" form; the union of both directions is stored.
    X : array of shape (n, d), optional
        Features by which to find neighbors.
    engine : "dask", the address of a scheduler, or a distributed.Client, optional
        A Dask cluster whose workers find the neighbors by evidence, with the same result; "dask" is the client in
        scope. It is for the "neighbors" form without ``X``; other forms are made in this process.
    n_jobs : int, optional
        Threads for matrices and products. The result does not depend on it.
    memory_limit : number of bytes, or text such as "4GB" or "50%" (of the free memory), default 2 GiB
        A larger form is refused before it is allocated; "neighbors" only if a limit is given.

    Attributes
    ----------
    ensemble : Ensemble or None
        None if made by ``from_matrix``. If ``normalize`` is not "pairs", clusters of one object stand for the rest of
        the denominator.
    form : str
        The form that "auto" chose, or the given one.
    shape : (n, n)

    Examples
    --------
    >>> from pluribus.evidence import CoAssociation
    >>> c = CoAssociation([[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]])
    >>> c
    CoAssociation(n_objects=4, form='dense', nnz=12)
    >>> c.to_dense()
    array([[1. , 1. , 0.5, 0. ],
           [1. , 1. , 0.5, 0. ],
           [0.5, 0.5, 1. , 0.5],
           [0. , 0. , 0.5, 1. ]])
    >>> (c @ [1, 1, 1, 1]).tolist()
    [2.5, 2.5, 2.5, 1.5]
    """

    def __init__(
        self,
        ensemble: Any,
        *,
        form: str = "auto",
        normalize: str = "pairs",
        n_neighbors: int | None = None,
        X: Any = None,
        engine: Any = None,
        n_jobs: int | None = None,
        memory_limit: float | str | None = None,
    ) -> None:
        if not is_one_of(form, _FORMS):
            raise ValueError(f"form must be one of {', '.join(_FORMS)}; got {form!r}.")
        if not is_one_of(normalize, NORMALIZATIONS):
            raise ValueError(f"normalize must be one of {', '.join(NORMALIZATIONS)}; got {normalize!r}.")
        limited = n_neighbors is not None or X is not None
        if limited and form not in ("auto", "neighbors"):
            raise ValueError(f"n_neighbors and X belong to form='neighbors'; got form={form!r}.")
        if n_neighbors is not None and not (isinstance(n_neighbors, Integral) and n_neighbors >= 1):
            raise ValueError(f"n_neighbors must be a whole number, at least 1; got {n_neighbors!r}.")
        n_neighbors = None if n_neighbors is None else int(n_neighbors)  # a short type overflows
        cluster = as_cluster(engine)
        if cluster is not None and (X is not None or (form != "neighbors" and n_neighbors is None)):
            given = f"form={form!r}" if X is None else "X"
            raise ValueError(
                f"engine is for form='neighbors' without X; got {given}. Other forms are computed in this process: "
                "leave out engine."
            )
        source = normalized(as_ensemble(ensemble), normalize)
        self.ensemble: Ensemble | None = source
        self.shape = (source.n_objects, source.n_objects)
        self.n_jobs = n_jobs
        self.memory_limit = check_limit(memory_limit)
        if form == "auto":
            form = "neighbors" if limited else self._choose_form()
        self.form = form
        self._matrix: Any = None  # an array, a CSR array, or None: the operator has none
        if form == "dense":
            self._matrix = self.to_dense()
        elif form == "sparse":
            self._matrix = self.to_sparse()
        elif form == "neighbors":
            if memory_limit is not None:
                self._refuse_neighbors(n_neighbors or NEIGHBORS)
            self._matrix = self._limit_neighbors(n_neighbors or NEIGHBORS, X, cluster)

    @classmethod
    def from_matrix(cls, C: Any) -> "CoAssociation":
        """Evidence from a symmetric matrix with entries in [0, 1], dense or sparse.

        Entries that a sparse matrix does not store are evidence 0, not missing.

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation.from_matrix([[1, 0.25], [0.25, 1]]).degrees().tolist()
        [1.25, 1.25]
        """
        self = cls.__new__(cls)
        self._matrix = _matrices.check_matrix(C)
        self.ensemble = None
        self.shape = self._matrix.shape
        self.form = "sparse" if sparse.issparse(self._matrix) else "dense"
        self.n_jobs = None
        self.memory_limit = check_limit(None)
        return self

    # -- size ----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"CoAssociation(n_objects={self.shape[0]}, form={self.form!r}, nnz={self.nnz})"

    @property
    def nnz(self) -> int:
        """Stored positive entries, both triangles and the diagonal; 0 for the operator, which stores none."""
        if self._matrix is None:
            return 0
        return self._matrix.nnz if sparse.issparse(self._matrix) else int(np.count_nonzero(self._matrix))

    @cached_property
    def n_unobserved_pairs(self) -> int:
        """The number of pairs that no partition covers, which count as 0; estimated for large irregular ensembles.

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, -1], [-1, 0, 0]]).n_unobserved_pairs
        1
        """
        return 0 if self.ensemble is None else unobserved_pairs(self.ensemble).n_pairs

    # -- products, rows and pairs --------------------------------------------------------------------------------

    def __matmul__(self, V: Any) -> np.ndarray:
        return self.matmat(V)

    def matmat(self, V: Any) -> np.ndarray:
        """The product C V with a vector (n,) or a matrix (n, k), also written ``c @ V``.

        Examples
        --------
        >>> import numpy as np
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, 1], [0, 1, 1]], form="operator").matmat(np.eye(3)).tolist()
        [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
        """
        V = number_array("The factor", V)
        n = self.shape[0]
        if V.ndim not in (1, 2) or V.shape[0] != n:
            raise ValueError(f"The factor must have {n} rows, one for each object; got shape {V.shape}.")
        if V.size and not np.abs(V).max() <= np.finfo(np.float64).max / n:
            raise ValueError("The factor has values that are not finite, or too large to be added up: scale it.")
        if self._matrix is not None:
            return np.asarray(self._matrix @ V)
        factor = np.ascontiguousarray(V.reshape(n, -1))
        return multiply(self._lists, factor, self.n_jobs).reshape(V.shape)

    def rows(self, index: Any) -> np.ndarray:
        """Some rows, dense: (len(index), n).

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, 1], [0, 1, 1]], form="operator").rows([1])
        array([[0.5, 1. , 0.5]])
        """
        index = check_index(index, self.shape[0])
        refuse_above(self.memory_limit, 8 * len(index) * self.shape[0], f"{len(index)} dense rows of evidence")
        if self._matrix is None:
            return _matrices.dense_matrix(self._lists, index, self.n_jobs)
        rows = self._matrix[index]
        return rows.toarray() if sparse.issparse(rows) else rows

    def pairs(self, i: Any, j: Any) -> np.ndarray:
        """The evidence of the pairs (i[t], j[t]), O(r) for each.

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, 1], [0, 1, 1]]).pairs([0, 0, 2], [1, 2, 2]).tolist()
        [0.5, 0.0, 1.0]
        """
        n = self.shape[0]
        i, j = check_index(i, n), check_index(j, n)
        if len(i) != len(j) and 1 not in (len(i), len(j)):
            raise ValueError(f"i and j are the two objects of each pair; got {len(i)} and {len(j)} of them.")
        i, j = np.broadcast_arrays(i, j)
        if self._matrix is not None:
            return np.asarray(self._matrix[i, j]).ravel()
        together, both = _matrices.sums_of_pairs(self._lists, i, j, self.n_jobs)
        return np.where(i == j, 1.0, np.divide(together, both, out=np.zeros(len(i)), where=both > 0))

    def submatrix(self, index: Any) -> np.ndarray:
        """The evidence among some objects, dense: (len(index), len(index)).

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, 1], [0, 1, 1]]).submatrix([1, 2]).tolist()
        [[1.0, 0.5], [0.5, 1.0]]
        """
        index = check_index(index, self.shape[0])
        m = len(index)
        refuse_above(self.memory_limit, 8 * m * m, f"The dense evidence among {m} objects")
        if self._matrix is not None:
            part = self._matrix[index][:, index]
            return part.toarray() if sparse.issparse(part) else part
        lists = lists_of(self._source.take_objects(index))
        return _matrices.dense_matrix(lists, np.arange(m), self.n_jobs)

    def degrees(self) -> np.ndarray:
        """The sum of each row.

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, 1], [0, 1, 1]]).degrees().tolist()
        [1.5, 2.0, 1.5]
        """
        return self @ np.ones(self.shape[0])

    def predict_nnz(self) -> int:
        """The number of positive entries of the matrix, predicted from 256 of its rows (exact up to 256 objects).

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, 1], [0, 1, 1]], form="operator").predict_nnz()
        7
        """
        return self.nnz if self.ensemble is None else _matrices.predict_nnz(self._lists)

    def to_sparse(self, min_count: float = 0) -> sparse.csr_array:
        """The positive entries as a CSR array; the stored array itself, if there is one.

        ``min_count`` leaves out pairs that are together in fewer partitions (or with less weight). For single link this
        loses no merge above that count.

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> c = CoAssociation([[0, 0, 1], [0, 0, 1], [0, 1, 1]])
        >>> c.to_sparse().nnz, c.to_sparse(min_count=2).nnz
        (7, 5)
        """
        held, min_count = self._matrix, real_number("min_count", min_count, -np.inf, np.inf)
        if min_count > 0 and self.ensemble is None:
            raise ValueError("min_count needs the counts of an ensemble, but a given matrix has only shares.")
        if sparse.issparse(held) and min_count <= 0:
            return held
        if self.form == "neighbors":
            return _matrices.drop_below(self._lists, held, self._in_counts(min_count), self.n_jobs)
        if self.ensemble is None:
            return sparse.csr_array(held)
        n_bytes = _matrices.BYTES_PER_ENTRY * self.predict_nnz()
        if min_count <= 0:
            refuse_above(self.memory_limit, n_bytes, f"The sparse evidence of {self.shape[0]} objects")
        return _matrices.sparse_matrix(self._lists, self._in_counts(min_count), self.n_jobs)

    def to_dense(self, dtype: Any = np.float64, *, missing: str = "zero") -> np.ndarray:
        """The n × n array; pairs that no partition covers are 0, or NaN if ``missing`` is "nan".

        Examples
        --------
        >>> from pluribus.evidence import CoAssociation
        >>> CoAssociation([[0, 0, 1], [0, 1, 1]]).to_dense("float32").dtype
        dtype('float32')
        >>> CoAssociation([[0, 0, -1], [-1, 0, 0]]).to_dense(missing="nan")
        array([[ 1.,  1., nan],
               [ 1.,  1.,  1.],
               [nan,  1.,  1.]])
        """
        if not is_one_of(missing, ("zero", "nan")):
            raise ValueError(f"missing must be 'zero' or 'nan'; got {missing!r}.")
        if missing == "nan":
            return _matrices.mark_unobserved(self.to_dense(dtype), self.ensemble)
        n = self.shape[0]
        dtype = np.dtype(dtype)
        refuse_above(self.memory_limit, dtype.itemsize * n * n, f"The dense evidence of {n} objects")
        if self._matrix is None:
            return _matrices.dense_matrix(self._lists, np.arange(n), self.n_jobs, dtype)
        held = self._matrix.toarray() if sparse.issparse(self._matrix) else self._matrix
        return held.astype(dtype)

    # -- computation ---------------------------------------------------------------------------------------------

    @property
    def _source(self) -> Ensemble:
        assert self.ensemble is not None  # evidence without an ensemble has a matrix
        return self.ensemble

    @cached_property
    def _lists(self) -> Lists:
        return lists_of(self._source)

    def _choose_form(self) -> str:
        n = self.shape[0]
        if n <= _DENSE_UP_TO and 8 * n * n <= self.memory_limit:
            return "dense"
        comfortable = _matrices.BYTES_PER_ENTRY * self.predict_nnz() <= self.memory_limit / 2
        return "sparse" if comfortable else "operator"

    def _limit_neighbors(self, n_neighbors: int, X: Any, cluster: DaskCluster | None) -> sparse.csr_array:
        n = self.shape[0]
        if X is not None:
            nearest = _matrices.nearest_by_features(X, n, n_neighbors, self.n_jobs)
        elif cluster is None or n == 1:
            nearest = nearest_by_labels(self._lists, n_neighbors, self.n_jobs)
        else:
            nearest = nearest_by_dask(self._lists, n_neighbors, cluster)
        return _matrices.neighbor_matrix(self._lists, nearest, self.n_jobs)

    def _refuse_neighbors(self, n_neighbors: int) -> None:
        n = self.shape[0]
        n_entries = min(n * (min(n_neighbors, n - 1) + 1), self.predict_nnz())  # one direction; the union has more
        refuse_above(
            self.memory_limit,
            _matrices.BYTES_PER_ENTRY * n_entries,
            f"The evidence of {n} objects and their neighbors",
            "fewer neighbors, or form='operator', which stores no matrix",
        )

    def _in_counts(self, min_count: float) -> float:
        """The threshold in units of the weights in the kernels, which are 0 and 1 if all weights are equal."""
        unit = self._source.weights.max() if self._lists.weights.dtype == np.int32 else 1.0
        return min_count / unit * (1 - 1e-12)  # the division may round up
