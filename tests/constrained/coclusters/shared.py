"""The table of the source, and slow ways to compute what the methods compute."""

from itertools import combinations

import numpy as np

SOURCE = np.array([[int(cell) for cell in f"{row:05}"] for row in (10110, 1001, 10110, 110, 11001, 1001, 1)])
# Its concepts without the two trivial ones, by extent: rows and columns, counted from 1 as in the source.
CONCEPTS = [
    ({1, 3}, {1, 3, 4}),
    ({1, 3, 4}, {3, 4}),
    ({1, 3, 5}, {1}),
    ({2, 5, 6}, {2, 5}),
    ({2, 5, 6, 7}, {5}),
    ({5}, {1, 2, 5}),
]


def sets_of(patterns, start=0):
    """Patterns as pairs of sets."""
    sides = patterns.rows.toarray() > 0, patterns.columns.toarray() > 0
    return [tuple(set((np.flatnonzero(side) + start).tolist()) for side in both) for both in zip(*sides, strict=True)]


def all_concepts(X, min_rows=1, min_columns=1):
    """Close every set of columns."""
    X, found = np.asarray(X) > 0, set()
    for size in range(X.shape[1] + 1):
        for chosen in combinations(range(X.shape[1]), size):
            rows = X[:, list(chosen)].all(axis=1)
            columns = X[rows].all(axis=0)
            if rows.sum() >= min_rows and columns.sum() >= min_columns:
                found.add((frozenset(np.flatnonzero(rows).tolist()), frozenset(np.flatnonzero(columns).tolist())))
    return found


def distance(t, tau):
    """One side of the distance of a pattern and a centroid, as the source writes it."""
    shared = sum(t_i + tau_i for t_i, tau_i in zip(t, tau, strict=True) if t_i * tau_i != 0) / 2
    return 1 - shared / (sum(t) / 2 + sum(tau) / 2)


def cdk_means(T, G, first, cannot_link=(), max_iter=100):
    """CDK-means over patterns with rows T and columns G, one pattern after another; cannot-links of elements."""
    both = np.hstack([T, G]).astype(float)
    m, k = T.shape[1], len(first)
    centroids, objective = both[list(first)], []
    for _ in range(max_iter):
        labels, total, has = [], 0.0, [set() for _ in range(k)]
        for b in both:
            away = [(distance(b[:m], c[:m]) + distance(b[m:], c[m:])) / 2 for c in centroids]
            members = set(np.flatnonzero(b).tolist())
            for cluster in sorted(range(k), key=lambda c: (away[c], c)):
                if not any(
                    (x in members and y in has[cluster]) or (y in members and x in has[cluster]) for x, y in cannot_link
                ):
                    labels.append(cluster)
                    has[cluster] |= members
                    total += away[cluster]
                    break
            else:
                labels.append(-1)
        objective.append(total)
        new = [both[np.array(labels) == c].mean(axis=0) if c in labels else centroids[c] for c in range(k)]
        if np.array_equal(new, centroids):
            break
        centroids = np.array(new)
    return np.array(labels), centroids[:, :m], centroids[:, m:], objective
