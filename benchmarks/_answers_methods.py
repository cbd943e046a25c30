"""The methods of ``answers``, each at its own defaults. Those of others import nothing of ours."""

import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import _answers_sets, _ensembles
from benchmarks._scores import rand_score
from benchmarks._worker import Task

Fit = Callable[[Any, int, int], np.ndarray]  # of X, number of clusters, seed

# Of the processor, for all runs of a method on a set; the first may take all, and others start only if they fit in.
SECONDS, SECONDS_IF_LARGE = 60, 300
LARGE, WIDE = 5000, 1000  # rows or columns from which a set is large
GIGABYTES = 8
MOST_BY_SILHOUETTE = 20
SILHOUETTE_ROWS = 10_000  # of a larger set, so many are drawn, as scikit-learn's sample_size does


def time_limit(n: int, d: int) -> int:
    """Seconds of the processor that a method has for a set of n rows and d columns."""
    return SECONDS_IF_LARGE if n >= LARGE or d >= WIDE else SECONDS


def answer(method: str, path: str, seeds: list[int]) -> Task:
    """Partitions of a set, one for each seed, by one thread, and how right they are."""
    fit = METHODS[method]
    data = _answers_sets.read(path)
    warnings.simplefilter("ignore")  # of convergence, or of a graph that falls apart: that is what is to be seen
    fit(np.random.default_rng(0).normal(size=(60, 3)), 3, 0)
    begun = time.process_time()
    resource.setrlimit(resource.RLIMIT_AS, (int(GIGABYTES * 1e9),) * 2)
    most = int(begun) + 2 + time_limit(*data.X.shape)
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))

    def work() -> list[dict[str, Any]]:
        from threadpoolctl import threadpool_limits

        runs: list[dict[str, Any]] = []
        with threadpool_limits(1):
            for seed in seeds:
                start, cpu_start = time.perf_counter(), time.process_time()
                labels = fit(data.X, data.k, seed)
                spent = time.process_time() - cpu_start
                runs.append({"seed": seed, "labels": labels, "seconds": time.perf_counter() - start})
                runs[-1]["cpu_seconds"] = spent
                if time.process_time() - begun + 1.2 * spent > time_limit(*data.X.shape):
                    break
        return runs

    def scored(runs: list[dict[str, Any]]) -> dict[str, Any]:
        return {"runs": [{**_scores(run.pop("labels"), data), **run} for run in runs]}

    return Task(work, scored)


def time_beside_ours(method: str, name: str) -> Task:
    """One fit of a set's first 10,000 rows, by one thread."""
    from threadpoolctl import threadpool_limits

    fit = METHODS[method]
    data = _answers_sets.load(name)
    X = data.X[:10_000]
    fit(X[:500], data.k, 0)

    def work() -> np.ndarray:
        with threadpool_limits(1):
            return fit(X, data.k, 0)

    return Task(work, lambda labels: _scores(labels, data._replace(y=data.y[:10_000], keep=data.keep[:10_000])))


def time_at(n: int) -> Task:
    """One fit of n rows of a known mixture, by one thread."""
    from threadpoolctl import threadpool_limits

    X, y = _ensembles.gaussian_mixture(n)
    k = len(np.unique(y))
    _ours(X[:500], k, 0)

    def work() -> np.ndarray:
        with threadpool_limits(1):
            return _ours(X, k, 0)

    return Task(work, rand_score(y))


def _scores(labels: np.ndarray, data: _answers_sets.Loaded) -> dict[str, Any]:
    from sklearn.metrics import normalized_mutual_info_score

    keep = data.keep
    by_entropy = {"nmi": "geometric", "nmi_max": "max"}
    return {
        "ari": _answers_sets.score(labels, data.y, keep),
        **{
            key: float(normalized_mutual_info_score(data.y[keep], labels[keep], average_method=mean))
            for key, mean in by_entropy.items()
        },
        "n_clusters": len(np.unique(labels[labels >= 0])),
        "left_out": float((labels < 0).mean()),
    }


def _dense(X: Any) -> np.ndarray:
    return X if isinstance(X, np.ndarray) else X.toarray()


def _ours(X: Any, k: int | None, seed: int) -> np.ndarray:
    from pluribus import EnsembleClusterer

    return EnsembleClusterer(n_clusters=k, random_state=seed, verbose=False).fit(X).labels_


def _ours_automatic(X: Any, k: int, seed: int) -> np.ndarray:
    return _ours(X, None, seed)


def _k_means(X: Any, k: int, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(k, random_state=seed).fit_predict(X)


def _k_means_10(X: Any, k: int, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def _by_silhouette(X: Any, k: int, seed: int) -> np.ndarray:
    """K-means at the number of clusters, 2 to 20, with the largest mean silhouette."""
    from sklearn.metrics import silhouette_score

    n = X.shape[0]
    candidates = [_k_means(X, each, seed) for each in range(2, min(MOST_BY_SILHOUETTE, n - 1) + 1)]
    rows = SILHOUETTE_ROWS if n > SILHOUETTE_ROWS else None
    return max(candidates, key=lambda labels: silhouette_score(X, labels, sample_size=rows, random_state=seed))


def _ward(X: Any, k: int, seed: int) -> np.ndarray:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(k).fit_predict(_dense(X))


def _average_link(X: Any, k: int, seed: int) -> np.ndarray:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(k, linkage="average").fit_predict(_dense(X))


def _mixture(X: Any, k: int, seed: int) -> np.ndarray:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(k, random_state=seed).fit_predict(_dense(X))


def _spectral(X: Any, k: int, seed: int) -> np.ndarray:
    from sklearn.cluster import SpectralClustering

    return SpectralClustering(k, random_state=seed).fit_predict(X)


def _hdbscan(X: Any, k: int, seed: int) -> np.ndarray:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=True).fit_predict(_dense(X))


def _genie(X: Any, k: int, seed: int) -> np.ndarray:
    from genieclust import Genie

    return Genie(n_clusters=k).fit_predict(_dense(X))


METHODS: dict[str, Fit] = {
    "ours": _ours,
    "ours, automatic k": _ours_automatic,
    "k-means": _k_means,
    "k-means, 10 starts": _k_means_10,
    "k-means, silhouette": _by_silhouette,
    "Ward": _ward,
    "average link": _average_link,
    "mixture": _mixture,
    "spectral": _spectral,
    "HDBSCAN": _hdbscan,
    "Genie": _genie,
}
