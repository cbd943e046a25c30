"""A map that keeps neighbors together, by a package for that if one is installed."""

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD

from pluribus.studio._scene import MOST_LINKED, on_canvas
from pluribus.studio.session import Session

_COMPONENTS = 50  # of the features, at most
_MOST = 200_000  # objects


def neighbor_map(session: Session) -> np.ndarray | None:
    """Places on the canvas by t-SNE (openTSNE) or UMAP (umap-learn); None without these, or if it would not help."""
    X = session.scene.features
    if session.scene.links is not None and session.n_objects <= MOST_LINKED:
        return None  # its map is that of its links
    if X is None or X.shape[1] <= 2 or not 50 <= session.n_objects <= _MOST:
        return None
    rows = _reduced(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if find_spec("openTSNE") is not None:
            return on_canvas(np.asarray(import_module("openTSNE").TSNE(random_state=session.seed, n_jobs=1).fit(rows)))
        if find_spec("umap") is not None:
            return on_canvas(import_module("umap").UMAP(random_state=session.seed, n_jobs=1).fit_transform(rows))
    return None


def _reduced(X: Any) -> np.ndarray:
    k = min(_COMPONENTS, *X.shape) - 1
    if sparse.issparse(X):
        return TruncatedSVD(k, random_state=0).fit_transform(X)
    return PCA(k, random_state=0).fit_transform(X) if X.shape[1] > _COMPONENTS else np.asarray(X)
