"""Several alternatives to a known partition: how well each explains the data, and how new it is."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_array

from pluribus._engine import list_of, seeds, track, whole_number
from pluribus.alternative._registry import by_name, names
from pluribus.alternative._shared.criteria import explained_share
from pluribus.alternative._shared.known import read_known
from pluribus.compare import normalized_mutual_information_index
from pluribus.partitions._internal import number_by_size
from pluribus.tables._internal import check_scale, refuse_annotated, without_repeats

PLAIN = "kmeans, nothing known"
CHOICE = "best-alternative"  # chooses among the others
_CLOSE = 1e-9  # differences that are rounding


class Alternative(NamedTuple):
    """One partition: the method behind it, how well it explains the data and how new it is.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative import Alternative
    >>> Alternative("condens", 0, np.array([0, 1]), quality=0.4, novelty=0.9).novelty
    0.9
    """

    method: str
    start: int
    labels: np.ndarray
    quality: float  # share of the variance of X between the clusters
    novelty: float  # 1 - normalized mutual information with the known partition


@dataclass(frozen=True, eq=False)
class Alternatives:
    """What ``alternatives`` found.

    Attributes
    ----------
    found : tuple of Alternative
        All partitions that were made.
    front : tuple of Alternative
        Those to which no other is preferable: none is both newer and explains the data at least as well, or the other
        way around. The newest first.
    failed : dict
        Methods that could not run on these data, and why.

    Examples
    --------
    >>> from pluribus.alternative import alternatives
    >>> X = [[0, 0], [0, 3], [10, 0], [10, 3]] * 5
    >>> found = alternatives(X, [0, 0, 1, 1] * 5, 2, methods=["residual-kmeans"], random_state=0, verbose=False)
    >>> found.to_frame()[["method", "quality", "novelty"]].round(2).values.tolist()
    [['residual-kmeans', 0.08, 1.0], ['kmeans, nothing known', 0.92, 0.0]]
    """

    found: tuple[Alternative, ...]
    front: tuple[Alternative, ...]
    failed: Mapping[str, str]

    def to_frame(self) -> pd.DataFrame:
        """A row for each different partition on the front: method, start, quality and novelty."""
        return pd.DataFrame([one._asdict() for one in self.front]).drop(columns="labels")

    def plot(self) -> Any:
        """A figure (plotly): quality against novelty, all partitions and the front."""
        return import_module("pluribus.report").plot_alternatives(self)


def alternatives(
    X: Any,
    known: Any,
    n_clusters: int,
    *,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    n_starts: int = 3,
    random_state: Any = None,
    verbose: bool = True,
) -> Alternatives:
    """Find partitions that are new and explain the data, and keep those to which no other is preferable.

    A partition can be new because it is random, and explain the data because it is the known one. Each method makes
    another compromise. The front shows what can be had: quality is the share of the variance of X that lies between the
    clusters, novelty is 1 minus the normalized mutual information with the known partition. Plain k-means, which knows
    nothing, is the end of the front with the highest quality.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    known : sequence of n labels, or several of them; see :class:`ConditionalEnsemble`
    n_clusters : int
    methods : names, or mapping of titles to estimators, optional
        By default all of ``names()`` but "best-alternative", which chooses among these, and conditional ensembles
        without centering.
    n_starts : int
        Random starts of each method.
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    Alternatives

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.alternative import alternatives
    >>> iris = load_iris()
    >>> found = alternatives(iris.data, iris.target, 3, methods=["residual-kmeans"], n_starts=1, random_state=0)
    >>> [(one.method, round(one.quality, 2), round(one.novelty, 2)) for one in found.front]
    [('residual-kmeans', 0.13, 0.96), ('kmeans, nothing known', 0.88, 0.24)]
    """
    refuse_annotated(X)
    X = without_repeats(check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2))
    check_scale(X)
    n = X.shape[0]
    k = whole_number("n_clusters", n_clusters, 2, n)
    groups = read_known(known, n)
    starts = seeds(random_state, whole_number("n_starts", n_starts, 1))
    settings = _settings(methods, k)
    plain = KMeans(k, n_init=10)
    found, failed = [], {}
    tasks = [(*one, *start) for one in [*settings.items(), (PLAIN, plain)] for start in enumerate(starts)]
    for title, model, start, seed in track(tasks, "alternatives", verbose=verbose):
        if title in failed:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                given = {} if model is plain else {"known": groups.codes}
                labels = _started(model, seed).fit(X, **given).labels_
        except (ValueError, TypeError) as error:
            failed[title] = str(error)
            continue
        if labels.max() < 0:
            failed[title] = "It put no row into a cluster."
            continue
        labels = number_by_size(labels, int(labels.max()) + 1)
        found.append(Alternative(title, start, labels, explained_share(X, labels), _novelty(labels, groups.codes)))
    if {one.method for one in found} <= {PLAIN}:
        raise ValueError(f"No method could run: {next(iter(failed.values()))}")
    return Alternatives(tuple(found), _front(found), failed)


def _settings(methods: Any, k: int) -> dict[str, Any]:
    """Estimators by title."""
    if isinstance(methods, Mapping):
        wrong = [title for title, model in methods.items() if not hasattr(model, "fit") or isinstance(model, type)]
        if wrong or not methods:
            raise ValueError(f"methods has no estimator for {wrong[:1] or 'any title'}: give titles with estimators.")
        return {str(title): clone(model) for title, model in methods.items()}
    wanted = (
        [name for name in names() if name != CHOICE]
        if methods is None
        else list_of("methods", methods, "names of methods")
    )
    chosen = {str(name): by_name(name)(n_clusters=k) for name in wanted}
    if methods is None:
        chosen["condens, not centered"] = by_name("condens")(n_clusters=k, center=False)
    if not chosen:
        raise ValueError(f"methods is empty: give some of {', '.join(names())}.")
    return chosen


def _started(model: Any, seed: int) -> Any:
    own = model.get_params(deep=False)
    given = {name: value for name, value in (("random_state", seed), ("verbose", False)) if name in own}
    return clone(model).set_params(**given)


def _novelty(labels: np.ndarray, known: np.ndarray) -> float:
    both = (labels >= 0) & (known >= 0)
    if len(np.unique(known[both])) < 2:
        return 1.0  # nothing was known
    return 1 - normalized_mutual_information_index(labels[both], known[both])


def _front(found: list[Alternative]) -> tuple[Alternative, ...]:
    """From the newest down, each that explains more than all newer ones."""
    front: list[Alternative] = []
    for one in sorted(found, key=lambda one: (-round(one.novelty, 9), -one.quality)):
        if not front or one.quality > front[-1].quality + _CLOSE:
            front.append(one)
    return tuple(front)
