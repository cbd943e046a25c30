"""The map: the objects in two dimensions."""

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA

from pluribus.partitions._internal import stratified_sample
from pluribus.report._shared.links import LAID_OUT, NODES, layout, linked_sample, links_among
from pluribus.report._shared.sampling import spread_sample
from pluribus.report.result.case import Case
from pluribus.report.result.summary import ObjectMap

_SHOWN = 5000
_FLAT = 0.5  # share of the variance that two components hold, if distances on the map say something
_LINE = 0.01  # share of the second one, if objects do not lie on a line
_FITTED = 20_000  # principal axes of this many objects are those of all, for the eye


def object_map(case: Case, next_best: np.ndarray) -> ObjectMap:
    """Principal components of the features, given coordinates, or principal components of the ensemble's labels.

    Linked objects are drawn with their links. The links place them too, if there are no features, or if two components
    hold less than half of their variance, or one all of it.
    """
    links: np.ndarray | None = None
    n_links = 0
    fitted = stratified_sample(case.labels, _FITTED)
    flat = case.X is not None or case.coordinates is not None
    if case.X is not None and case.graph is not None:
        flat = _is_flat(np.asarray(case.X[fitted]))
    if case.graph is None:
        shown = spread_sample(case.labels, case.uncertainty, _SHOWN)
    else:
        shown = linked_sample(case.graph, case.labels, NODES if flat else LAID_OUT)
        links, n_links = links_among(case.graph, shown)
    if links is not None and not flat:
        basis, axes = "links", ("", "")
        xy = layout(links, case.labels[shown])
    elif case.X is not None:
        basis = "features"
        xy, axes = principal_components(np.asarray(case.X[fitted]), np.asarray(case.X[shown]))
    elif case.coordinates is not None:
        basis = "distances"
        xy, axes = np.asarray(case.coordinates[shown]), ("principal coordinate 1", "principal coordinate 2")
    else:
        basis = "labels"
        take = case.ensemble.take_objects
        xy, axes = principal_components(take(fitted).one_hot(), take(shown).one_hot())
    return ObjectMap(
        x=xy[:, 0],
        y=xy[:, 1],
        labels=case.labels[shown],
        uncertainty=case.uncertainty[shown],
        next_best=next_best[shown],
        ids=case.ids[shown],
        axes=axes,
        basis=basis,
        sampled=len(shown) < len(case.labels),
        links=links,
        n_links=n_links,
        objects=shown,
    )


def _is_flat(X: np.ndarray) -> bool:
    """Whether two components hold half of the variance, and not one alone all of it."""
    if min(X.shape) < 2:
        return False
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = PCA(2, random_state=0).fit(X).explained_variance_ratio_
    return bool(shares.sum() >= _FLAT and shares[1] > _LINE)


def principal_components(fitted, shown) -> tuple[np.ndarray, tuple[str, str]]:
    """First two principal components, zeros where there are fewer, and what each stands for."""
    n_components = min(2, *fitted.shape)
    solver = "auto"
    if sparse.issparse(fitted):
        if min(fitted.shape) <= 50:
            fitted, shown = fitted.toarray(), shown.toarray()
        else:
            solver = "arpack"
    xy = np.zeros((shown.shape[0], 2))
    shares = np.zeros(2)
    pca = PCA(n_components, svd_solver=solver, random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # all columns constant: no variance to share out
        xy[:, :n_components] = pca.fit(fitted).transform(shown)
    shares[:n_components] = np.nan_to_num(pca.explained_variance_ratio_)
    first, second = (f"component {j + 1} ({share:.0%} of the variance)" for j, share in enumerate(shares))
    return xy, (first, second)
