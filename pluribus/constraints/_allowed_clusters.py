"""The clusters in which chunklets may be, where labels are clusters."""

import numpy as np
import numpy.typing as npt

from pluribus.constraints._cluster_contradictions import chunklet_labels
from pluribus.constraints.closure import Closure
from pluribus.constraints.constraints import Constraints


def allowed_clusters(constraints: Constraints, closure: Closure, k: int) -> npt.NDArray[np.bool_] | None:
    """Whether each chunklet (rows) may be in each of k clusters, the labels first; None if clusters have no labels.

    Clusters have labels if there are allowed labels or sizes of labels. Known labels alone only say what is together.

    Examples
    --------
    >>> from pluribus.constraints import Constraints
    >>> from pluribus.constraints._internal import allowed_clusters
    >>> known = Constraints(3, labels=["a", None, None], allowed={1: ["a", "b"]})
    >>> allowed_clusters(known, known.closure(), 3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    said = constraints._said
    if not said.names_clusters:
        return None
    is_bound, pairs = chunklet_labels(said, closure.chunk_of)
    may = np.repeat(~is_bound[:, None], k, axis=1)
    may[tuple(pairs.T)] = True
    return may
