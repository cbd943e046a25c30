"""What the methods for an alternative partition share: checks of their input, and the shape of their result."""

import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from pluribus.alternative._shared.known import Known, read_known
from pluribus.compare import normalized_mutual_information_index
from pluribus.partitions._internal import number_by_size
from pluribus.tables._internal import check_scale, refuse_annotated, without_repeats


class Given(NamedTuple):
    """The input of ``fit``, checked."""

    X: Any  # (n, d), dense or csr, float64 or float32
    known: Known


class AlternativeMixin(ClusterMixin):
    """Mixin for estimators that find another partition than a known one: ``fit(X, known=labels)``, then ``labels_``.

    Examples
    --------
    >>> from pluribus.alternative import AlternativeMixin, ConditionalEnsemble
    >>> issubclass(ConditionalEnsemble, AlternativeMixin)
    True
    """

    known_as: ClassVar[dict[str, dict[str, Any]]]  # the names of the method, and the parameters that each presets
    suits: ClassVar[str]  # what the method is for
    n_clusters: int
    labels_: np.ndarray
    n_clusters_: int

    def fit_predict(self, X: Any, y: Any = None, *, known: Any = None) -> np.ndarray:
        """Find the partition, and return the cluster of each row; the parameters are those of ``fit``."""
        return self.fit(X, known=known).labels_

    def _check_given(self, X: Any, known: Any) -> Given:
        """The input of ``fit``; raises if it or a parameter is wrong."""
        X = self._check_rows(X)
        return Given(X, read_known(known, X.shape[0]))

    def _check_rows(self, X: Any) -> Any:
        """The rows to cluster; raises if they or a parameter are wrong."""
        self._validate_params()
        if isinstance(self.n_clusters, bool | np.bool_):
            raise ValueError(f"n_clusters={self.n_clusters} is not a number: give the number of clusters.")
        refuse_annotated(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        X = without_repeats(X)
        check_scale(X)
        n = X.shape[0]
        if self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the n_samples={n} rows: use fewer clusters.")
        return X

    def _finish(self, known: Known, labels: np.ndarray) -> None:
        """Set the result: clusters numbered from the largest, -1 stays."""
        clustered = labels >= 0
        used, codes = np.unique(labels[clustered], return_inverse=True)
        coded = np.full(len(labels), -1, dtype=np.int64)
        coded[clustered] = codes
        self.n_clusters_ = len(used)
        self.labels_ = number_by_size(coded, self.n_clusters_).astype(np.int32)
        both = clustered & (known.codes >= 0)
        shared = normalized_mutual_information_index(self.labels_[both], known.codes[both]) if both.any() else 0.0
        self.nmi_with_known_ = float(shared) if known.n_groups > 1 else 0.0
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"only {self.n_clusters_} of {self.n_clusters} clusters have rows: the rows differ too little for "
                f"more. Use n_clusters={max(self.n_clusters_, 2)}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
