"""What all generators share: from data to an ensemble."""

import os
from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from pluribus._engine import EngineMixin, TaskStore, as_cluster, fingerprint
from pluribus.constraints import Constraints
from pluribus.generate._centers import SAMPLED_ABOVE
from pluribus.generate._members import Member, make_ensemble
from pluribus.generate._side_information import check_side_information
from pluribus.partitions import Ensemble
from pluribus.tables import Rows
from pluribus.tables._internal import ArrayRows, check_scale, open_data

_FORMAT = "members 2"  # of what a store keeps


class BaseGenerator(EngineMixin, BaseEstimator, ABC):
    """Makes ensembles; a subclass plans the members."""

    engine: Any
    random_state: Any
    n_jobs: int | None
    verbose: bool

    def generate(
        self,
        X: Any,
        store: str | os.PathLike[str] | None = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: Any = None,
    ) -> Ensemble:
        """Cluster the rows of `X` many times.

        Parameters
        ----------
        X : array, memory map, sparse matrix, data frame, Rows, or path of a Parquet or .npy file; shape (n, d)
            Numbers without gaps. float32 stays float32, a sparse matrix sparse, and what is in a file or in Dask (an
            array or a data frame) there: see `pluribus.tables.open_rows`.
        store : path, optional
            A directory that keeps each finished member (if centers are learned from a sample: these, and then the
            labels of so many rows at a time). A job that was stopped, at any moment and in any way,
            continues there and gives the same ensemble. It needs an integer `random_state`, and is refused for
            other data or parameters.
        constraints : Constraints, optional
            What is known about the rows. All clusterers must take it: their ``fit_predict`` has an argument
            ``constraints``, as those of ``pluribus.constrained`` have. A member that sees some of the rows keeps to
            what is known about these.
        sample_weight : array of shape (n,), optional
            How much each row counts: as so many copies of itself, 0 as none, though it gets labels. All clusterers
            must take it: "kmeans" does, and those whose ``fit`` has an argument ``sample_weight``.

        Returns
        -------
        Ensemble
            A column for each member, named like ``"kmeans-12 k=17"``.
        """
        cluster = as_cluster(self.engine)
        X = self._checked(open_data(X, cluster, self.verbose))
        n, d = X.shape
        members = self._plan(n, d, sparse=sp.issparse(X), random_state=self.random_state)
        side_information = check_side_information(constraints, sample_weight, members, n)
        kept = None
        if store is not None:
            identity = self._identity(n, self.random_state)
            data = X
            if n > SAMPLED_ABOVE and not sp.issparse(X):  # the same wherever the rows are, and without a copy
                data = (X if isinstance(X, Rows) else ArrayRows(X)).survey.digest
            kept = TaskStore(store, fingerprint(_FORMAT, data, identity, *side_information.parts))
        return make_ensemble(
            X, members, side_information, n_jobs=self.n_jobs, verbose=self.verbose, store=kept, engine=cluster
        )

    def _checked(self, X: Any) -> Any:
        """Return a float array or csr matrix without gaps, not copied if it is one already, or large Rows."""
        if isinstance(X, Rows):
            if X.shape[0] > SAMPLED_ABOVE:
                check_scale(X)
                return X
            X = X.take(np.arange(X.shape[0]))
        if hasattr(X, "to_numpy") and not hasattr(X, "iloc"):
            X = X.to_numpy()  # polars: scikit-learn would not see that it is float32
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], estimator=self, input_name="X")
        check_scale(X)
        # Clusterers count on rows that lie together; those of large tables are copied block by block.
        return np.ascontiguousarray(X) if isinstance(X, np.ndarray) and X.shape[0] <= SAMPLED_ABOVE else X

    @abstractmethod
    def _plan(self, n: int, d: int, *, sparse: bool, random_state: Any) -> list[Member]:
        """Check the parameters against the shape of the data, and plan each member."""

    @abstractmethod
    def _identity(self, n: int, random_state: Any) -> Any:
        """Return all that the members depend on besides the data; refuse if they cannot be made again."""


def check_repeatable(random_state: Any) -> None:
    """Refuse seeds that cannot be drawn a second time."""
    if not isinstance(random_state, Integral):
        raise ValueError(
            f"random_state={random_state!r} cannot be drawn again: a store needs an integer, so that the members "
            "that are still missing fit those that it keeps"
        )
