"""The clusters before the first merge: must-links, then pairs that are alike together with their co-references."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus._kernels.graphs.bootstrap import join_pairs, supported
from pluribus.relational.entities._inputs import Candidates, Hypergraph, Known


class FirstClusters(NamedTuple):
    """Clusters, and what made them."""

    first: np.ndarray  # (n,) the smallest reference of each one's cluster
    joined: np.ndarray  # (b,) candidates that the bootstrap joined
    n_refused: int  # that a cannot-link kept apart


def first_clusters(
    candidates: Candidates,
    links: Hypergraph,
    known: Known,
    boot_similarity: float | None,
    boot_links: int,
    distinct: bool,
) -> FirstClusters:
    """Join must-links, and candidates as similar as ``boot_similarity`` with ``boot_links`` pairs of co-references."""
    n, apart = len(known.group), known.apart
    if distinct:
        _check_links(links.pairs, known.group)
        apart = np.concatenate([apart, links.pairs])
    chosen = np.empty(0, np.int64)
    if boot_similarity is not None:
        chosen = _chosen(candidates, links, boot_similarity, boot_links, n)
    must = np.column_stack([known.group, np.arange(n)])
    root, refused = join_pairs(n, np.concatenate([must, candidates.pairs[chosen]]), apart)
    smallest = np.full(n, n, np.int64)
    np.minimum.at(smallest, root, np.arange(n))
    refused = refused[n:]
    return FirstClusters(smallest[root], chosen[~refused], int(np.count_nonzero(refused)))


def _chosen(candidates: Candidates, links: Hypergraph, least: float, needed: int, n: int) -> np.ndarray:
    """The candidates that the bootstrap joins, the most similar first."""
    strong = np.flatnonzero(candidates.similarity >= least - 1e-12)
    if needed > 0:
        alike, near = _graph(candidates.pairs[strong], n), _graph(links.pairs, n)
        pointers = alike.indptr.astype(np.int64), alike.indices.astype(np.int64)
        neighbors = near.indptr.astype(np.int64), near.indices.astype(np.int64)
        strong = strong[supported(candidates.pairs[strong], *pointers, *neighbors, min(needed, n))]
    return strong[np.argsort(-candidates.similarity[strong], kind="stable")]


def _graph(pairs: np.ndarray, n: int) -> sparse.csr_array:
    one, other = pairs.T
    ones = np.ones(2 * len(pairs), np.int8)
    return sparse.csr_array((ones, (np.append(one, other), np.append(other, one))), shape=(n, n))


def _check_links(pairs: np.ndarray, group: np.ndarray) -> None:
    """Refuse must-links between references of one link."""
    wrong = np.flatnonzero(group[pairs[:, 0]] == group[pairs[:, 1]])
    if len(wrong):
        i, j = pairs[wrong[0]]
        raise ValueError(
            f"constraints put references {i} and {j} together, but they occur in one link, whose references are "
            "different entities: remove the must-link, or set distinct=False."
        )
