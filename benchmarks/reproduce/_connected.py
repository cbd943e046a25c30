"""Connected clusters: the stand-in for chapter 12's authors, and Cora's papers and links."""

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from benchmarks._data import FOLDER

SIZES = (547, 722, 517)  # authors of theory, databases and machine learning
N_WORDS = 603
AUTHORS = ("k-means", "connected k-means, mean", "connected k-means, best", "Ward with links")
GRAPHS = (
    "k-means",
    "smoothed k-means",
    "Ward with links",
    "connected k-means",
    "connected k-means, smoothed",
    "NetScan, smoothed",
)


def authors(seed: int) -> tuple[np.ndarray, np.ndarray, sparse.csr_array]:
    """Texts with mixed topics, and a co-author graph with few links between communities."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), SIZES)
    n = len(y)
    background = rng.dirichlet(np.full(N_WORDS, 0.5))
    topics = np.zeros((3, N_WORDS))
    for topic in topics:
        topic[rng.choice(N_WORDS, 120, replace=False)] = rng.dirichlet(np.ones(120))
    counts = np.empty((n, N_WORDS))
    for v in range(n):
        theta = rng.dirichlet(1 + 2.5 * (np.arange(3) == y[v]))
        counts[v] = rng.multinomial(rng.poisson(50) + 5, 0.5 * background + 0.5 * theta @ topics)
    df = (counts > 0).sum(axis=0)
    X = counts[:, df > 0] * np.log(n / df[df > 0])
    edges = []
    for c in range(3):
        inside = np.flatnonzero(y == c)
        ends = [inside[0]]
        for v in inside[1:]:  # each new author joins one in proportion to links
            other = ends[rng.integers(len(ends))]
            edges.append((v, other))
            ends += [v, other]
        edges += [tuple(rng.choice(inside, 2, replace=False)) for _ in inside]
    edges += [tuple(rng.choice(n, 2, replace=False)) for _ in range(round(0.15 * n))]
    return X / np.linalg.norm(X, axis=1, keepdims=True), y, _links(np.array(edges), n)


def attributed(name: str) -> tuple[np.ndarray, np.ndarray, sparse.csr_array]:
    """The largest connected part of a graph: TF-IDF of words, classes, links; of football teams, whom they played."""
    with np.load(FOLDER / f"graph_{name.lower()}.npz") as z:
        y, edges = z["y"].astype(np.int64), z["edges"]
        graph = _links(edges, len(y))
        if "indptr" in z:
            words = sparse.csr_array((z["data"], z["indices"], z["indptr"]), shape=tuple(z["shape"]))
            X = words.toarray().astype(float)
        else:
            X = graph.toarray() + np.eye(len(y))
    part = connected_components(graph, directed=False)[1]
    largest = part == np.bincount(part).argmax()
    X, y, graph = X[largest], y[largest], sparse.csr_array(graph[largest][:, largest])
    df = (X > 0).sum(axis=0)
    X = X[:, df > 0] * np.log(len(y) / df[df > 0])
    return X / np.linalg.norm(X, axis=1, keepdims=True), y, graph


def score_authors(seed: int, quick: bool) -> dict[str, float]:
    """The share of authors in the right community, by the best matching."""
    from sklearn.cluster import KMeans

    from pluribus.relational import ConnectedKMeans

    X, y, graph = authors(seed)
    runs = 5 if quick else 20
    plain = [accuracy(y, KMeans(3, n_init=1, random_state=r).fit_predict(X)) for r in range(runs)]
    how = {"metric": "cosine", "init": "degree", "verbose": False}
    single = [
        accuracy(y, ConnectedKMeans(3, n_init=1, random_state=r, **how).fit(X, graph=graph).labels_)
        for r in range(runs)
    ]
    best = accuracy(y, ConnectedKMeans(3, n_init=5, random_state=0, **how).fit(X, graph=graph).labels_)
    return dict(zip(AUTHORS, (np.mean(plain), np.mean(single), best, accuracy(y, ward(X, graph, 3))), strict=True))


def score_graph(name: str, seed: int) -> dict[str, float]:
    """Normalized mutual information with the classes."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score as agreement

    from pluribus.relational import ConnectedKMeans, NetScan
    from pluribus.relational.connected._space import Space

    X, y, graph = attributed(name)
    k = len(np.unique(y))
    smooth = Space(X, graph, "cosine")
    smooth.smooth(2)
    how = {"metric": "cosine", "random_state": seed, "verbose": False}
    found = (
        KMeans(k, n_init=10, random_state=seed).fit_predict(X),
        KMeans(k, n_init=10, random_state=seed).fit_predict(smooth.X),
        ward(X, graph, k),
        ConnectedKMeans(k, **how).fit(X, graph=graph).labels_,
        ConnectedKMeans(k, smoothing=2, **how).fit(X, graph=graph).labels_,
        NetScan(k, **how).fit(smooth.X, graph=graph).labels_,
    )
    return {method: agreement(y, labels) for method, labels in zip(GRAPHS, found, strict=True)}


def ward(X: np.ndarray, graph: sparse.csr_array, k: int) -> np.ndarray:
    """scikit-learn's Ward linkage along the links."""
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(k, connectivity=sparse.csr_matrix(graph)).fit_predict(X)


def accuracy(y: np.ndarray, labels: np.ndarray) -> float:
    """The share of objects in the right class, by the best matching of clusters and classes."""
    table = np.zeros((labels.max() + 1, y.max() + 1))
    np.add.at(table, (labels, y), 1)
    return float(table[linear_sum_assignment(-table)].sum() / len(y))


def _links(edges: np.ndarray, n: int) -> sparse.csr_array:
    i, j = edges.T
    keep = i != j
    half = sparse.coo_array((np.ones(keep.sum()), (i[keep], j[keep])), shape=(n, n))
    both = sparse.csr_array(half + half.T)
    both.data[:] = 1
    return both
