"""The base class of generators: from data to an ensemble."""

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
from pluribus.tables._internal import ArrayRows, check_scale, open_data, single_floats

_FORMAT = "members 2"  # of a store


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
            Numbers without missing values. float32 stays float32, float16 becomes float32, a sparse matrix stays
            sparse, and files and Dask collections (arrays or data frames) are not loaded: see
            `pluribus.tables.open_rows`.
        store : path, optional
            A directory for finished members (if centers are learned from a sample: the centers, and the labels of
            blocks of rows). A job that was interrupted at any point continues from there and gives the same ensemble.
            It needs an integer `random_state`, and is refused for other data, parameters, or code of a clusterer.
        constraints : Constraints, optional
            Constraints on the rows. All clusterers must support them: their ``fit_predict`` has an argument
            ``constraints``, as in ``pluribus.constrained``. A member that clusters some of the rows uses the
            constraints on these.
        sample_weight : array of shape (n,), optional
            Weight of each row: w counts as w copies, and 0 as none, but the row still gets labels. All clusterers must
            support it: "kmeans" does, and clusterers whose ``fit`` has an argument ``sample_weight``.

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
            if n > SAMPLED_ABOVE and not sp.issparse(X):  # the same for arrays and files, and without a copy
                data = (X if isinstance(X, Rows) else ArrayRows(X)).survey.digest
            try:
                job = fingerprint(_FORMAT, data, identity, *side_information.parts)
            except (TypeError, RecursionError) as error:
                raise ValueError(
                    f"a job with these parameters cannot be continued, because it would not be recognized ({error}): "
                    "leave out the store, or give clusterers whose parameters are numbers, text, arrays or functions"
                ) from error
            kept = TaskStore(store, job)
        return make_ensemble(
            X, members, side_information, n_jobs=self.n_jobs, verbose=self.verbose, store=kept, engine=cluster
        )

    def _checked(self, X: Any) -> Any:
        """Return a float array or csr matrix without missing values (not copied if it is one), or large Rows."""
        if isinstance(X, Rows):
            if X.shape[0] > SAMPLED_ABOVE:
                check_scale(X)
                return X
            X = X.take(np.arange(X.shape[0]))
        if hasattr(X, "to_numpy") and not hasattr(X, "iloc"):
            X = X.to_numpy()  # polars: scikit-learn would not see that it is float32
        X = single_floats(X)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], estimator=self, input_name="X")
        check_scale(X)
        # Clusterers need contiguous rows; large tables are copied block by block.
        return np.ascontiguousarray(X) if isinstance(X, np.ndarray) and X.shape[0] <= SAMPLED_ABOVE else X

    @abstractmethod
    def _plan(self, n: int, d: int, *, sparse: bool, random_state: Any) -> list[Member]:
        """Check the parameters against the shape of the data, and plan each member."""

    @abstractmethod
    def _identity(self, n: int, random_state: Any) -> Any:
        """Return everything that the members depend on besides the data; refuse if they are not repeatable."""


def check_repeatable(random_state: Any) -> None:
    """Refuse seeds that cannot be repeated."""
    if not isinstance(random_state, Integral):
        raise ValueError(
            f"random_state={random_state!r} cannot be repeated: a store needs an integer, so that missing members can "
            "be added later"
        )
