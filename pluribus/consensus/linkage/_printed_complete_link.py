"""Complete link with constraints as distances, as its source prints it: constraints may be broken."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from pluribus.consensus._shared.constrained_linkages import Linked, chunk_evidence, follow_must_links
from pluribus.consensus._shared.dendrogram import cut_at, cut_into
from pluribus.constraints import Constraints
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble


def printed_complete_link(
    evidence: Ensemble | CoAssociation, constraints: Constraints, n_clusters: int | None, threshold: float | None
) -> Linked:
    """Distances 0 for must-links, shortest paths, and more than the largest distance for cannot-links.

    The shortest paths are those through objects that must be together: all others are no shorter if no label is
    missing. The merges are those of single objects.
    """
    source = evidence if isinstance(evidence, CoAssociation) else CoAssociation(evidence, form="operator")
    closure = constraints.closure()
    most, _ = chunk_evidence(source, constraints)
    follow_must_links(most, closure)
    np.fill_diagonal(most, 1)
    distances = np.clip(1 - most, 0, None)[closure.chunk_of][:, closure.chunk_of]
    one, other = constraints.cannot_link[~np.isfinite(constraints.cannot_weight)].T
    distances[one, other] = distances[other, one] = distances.max() + 1
    tree = linkage(squareform(distances, checks=False), "complete") if len(distances) > 1 else np.empty((0, 4))
    labels = cut_at(tree, float(threshold or 0)) if n_clusters is None else cut_into(tree, n_clusters)
    return Linked(pd.factorize(labels)[0].astype(np.int64), tree[: len(labels) - 1 - labels.max()])
