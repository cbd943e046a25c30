"""Weights of the members of an ensemble by how valid each of them is (WEACS)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from pluribus._engine import list_of, run_tasks
from pluribus.partitions import as_ensemble
from pluribus.tables._internal import check_features
from pluribus.validate._moments import moments_of
from pluribus.validate.criteria import CRITERIA, Sources
from pluribus.validate.sd_validity import spacing

WEACS = (
    "hubert",
    "dunn",
    "s_dbw",
    "calinski_harabasz",
    "silhouette",
    "maulik_bandyopadhyay",
    "xie_beni",
    "davies_bouldin",
    "sd",
    "point_symmetry",
)
_LEAST = 0.05  # no member is lost


def validity_weights(
    ensemble: Any,
    X: Any,
    criteria: str | Iterable[str] = WEACS,
    *,
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> np.ndarray:
    """Weights between 0.05 and 1 for the members of an ensemble, by indices of their validity on the data.

    Each index is computed for each member, on the objects that it covers, and scaled so that the best member has weight
    1 and the worst 0.05. The weight of a member is the mean over the indices: one index is SWEACS in the source, all
    ten are JWEACS. Give the weights to an ensemble, and combine it by evidence accumulation::

        weighted = Ensemble(ensemble, weights=validity_weights(ensemble, X))
        EvidenceAccumulation(k, normalize="count").fit(weighted)

    Weights help if members differ in quality, and hardly if all come from one clusterer.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
    X : array, sparse matrix or data frame of shape (n, d)
    criteria : name or names in ``CRITERIA`` of the level "data", default the ten of the source
    sample_size, random_state : see ``silhouette_index``
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    ndarray of shape (r,)
        Members for which an index is not defined, such as those with one cluster, have the least weight by it.

    References
    ----------
    Duarte, Fred, Lourenço and Rodrigues, "Weighting cluster ensembles in evidence accumulation clustering", EPIA 2005.

    Examples
    --------
    >>> from pluribus.validate import validity_weights
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> validity_weights([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]], X, "silhouette").tolist()
    [1.0, 0.05]
    """
    ensemble, X = as_ensemble(ensemble), check_features(X)
    names = [criteria] if isinstance(criteria, str) else list_of("criteria", criteria, "names of indices")
    usable = [name for name, found in CRITERIA.items() if found.level == "data" and found.function is not None]
    odd = [name for name in names if name not in usable]
    if odd or not names:
        raise ValueError(f"criteria must be some of {', '.join(usable)}; got {odd[0] if odd else 'none'!r}.")
    if X.shape[0] != ensemble.n_objects:
        raise ValueError(f"X has {X.shape[0]} rows, but the ensemble is of {ensemble.n_objects} objects.")
    finest = int(ensemble.n_clusters.argmax())

    def values(p: int) -> list[float]:
        labels = ensemble.labels[:, p]
        sources = Sources(X=X, missing="ignore", sample_size=sample_size, random_state=random_state, n_jobs=1)
        return [float(sources.value(CRITERIA[name], labels)) if _divides(labels) else np.nan for name in names]

    members = list(range(ensemble.n_partitions))
    found = np.array(run_tasks(values, members, n_jobs=n_jobs, description="indices", verbose=verbose))
    if "sd" in names and _divides(ensemble.labels[:, finest]):
        column = names.index("sd")
        found[:, column] = _with_spacing(found[:, column], ensemble, X, finest)
    signs = np.array([1 if CRITERIA[name].greater_is_better else -1 for name in names])
    return np.mean([_scaled(column) for column in (found * signs).T], axis=0)


def _divides(labels: np.ndarray) -> bool:
    """Whether there are two clusters, and an object that is not alone."""
    sizes = np.bincount(labels[labels >= 0])
    return len(sizes) > 1 and bool(sizes.max() > 1)


def _with_spacing(values: np.ndarray, ensemble: Any, X: Any, finest: int) -> np.ndarray:
    """The costs SD with the spacing of the finest member as the weight of the scatter, instead of 1."""
    weight = spacing(moments_of(ensemble.labels[:, finest], X, None, "ignore"))
    extra = [
        moments_of(column, X, None, "ignore").mean_scatter if _divides(column) else np.nan
        for column in ensemble.labels.T
    ]
    return values + (weight - 1) * np.array(extra) if np.isfinite(weight) else values


def _scaled(values: np.ndarray) -> np.ndarray:
    """From 0.05 for the worst to 1 for the best; infinite values are the best or worst, undefined ones the worst."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return np.where(values == np.inf, 1.0, _LEAST)
    low, high = finite.min(), finite.max()
    share = (np.clip(values, low, high) - low) / (high - low) if high > low else np.ones(len(values))
    share = np.where(values == np.inf, 1.0, np.where(np.isnan(values) | (values == -np.inf), 0.0, share))
    return _LEAST + (1 - _LEAST) * share
