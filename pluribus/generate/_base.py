"""What all generators share: from data to an ensemble."""

import os
from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from pluribus._engine import TaskStore, fingerprint
from pluribus.partitions import Ensemble

from ._members import Member, make_ensemble


class BaseGenerator(BaseEstimator, ABC):
    """Makes ensembles; a subclass plans the members."""

    random_state: Any
    n_jobs: int | None
    verbose: bool

    def generate(self, X: Any, store: str | os.PathLike[str] | None = None) -> Ensemble:
        """Cluster the rows of `X` many times.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Numbers without gaps. float32 stays float32, and a sparse matrix sparse.
        store : path, optional
            A directory that keeps each finished member. A job that was stopped, at any moment and in any way,
            continues there and gives the same ensemble. It needs an integer `random_state`, and is refused for
            other data or parameters.

        Returns
        -------
        Ensemble
            A column for each member, named like ``"kmeans-12 k=17"``.
        """
        if hasattr(X, "to_numpy") and not hasattr(X, "iloc"):
            X = X.to_numpy()  # polars: scikit-learn would not see that it is float32
        X = check_array(
            X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", estimator=self, input_name="X"
        )
        n, d = X.shape
        members = self._plan(n, d, sparse=not isinstance(X, np.ndarray), random_state=self.random_state)
        kept = None
        if store is not None:
            kept = TaskStore(store, fingerprint(X, self._identity(n, self.random_state)))
        return make_ensemble(X, members, n_jobs=self.n_jobs, verbose=self.verbose, store=kept)

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
