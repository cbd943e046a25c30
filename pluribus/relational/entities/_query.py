"""The references around some: what must be looked at to resolve them."""

from collections.abc import Callable

import numpy as np

from pluribus.relational.entities._inputs import Candidates, Hypergraph


def around(
    seeds: np.ndarray, edges: Hypergraph, candidates_of: Callable[[np.ndarray], Candidates], level: int
) -> tuple[np.ndarray, Candidates]:
    """The references around some, sorted, and the candidate pairs of these, by their places among them.

    The seeds and their candidates are extended ``level`` times: by the references in their links, and the candidates
    of these.
    """
    inside = np.zeros(edges.of.shape[0], bool)
    new = seeds
    for step in range(level + 1):
        if step:
            near = edges.of[np.flatnonzero(inside)].sum(axis=0).nonzero()[0]
            new = np.flatnonzero((edges.members[near].sum(axis=0) > 0) & ~inside)
            if not len(new):
                break
        inside[new] = True
        inside[candidates_of(new).pairs.ravel()] = True
    chosen = np.flatnonzero(inside)
    found = candidates_of(chosen)
    kept = inside[found.pairs].all(axis=1)
    return chosen, Candidates(np.searchsorted(chosen, found.pairs[kept]), found.similarity[kept])
