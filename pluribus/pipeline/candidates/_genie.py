"""Genie on one Euclidean spanning tree, for several limits on the inequality of sizes.

Gagolewski, M., Bartoszuk, M. and Cena, A. (2016). Genie: a new, fast, and outlier-resistant hierarchical clustering
algorithm. Information Sciences 363, 8-23.
"""

import numpy as np

from pluribus._kernels.linkage.genie import genie_labels
from pluribus.pipeline.candidates._neighborhood import Tree

THRESHOLDS = (0.1, 0.3, 0.5, 0.7)


def genie(tree: Tree, n_clusters: int, threshold: float) -> np.ndarray:
    """The partition into clusters by Genie: single link, but if the Gini index of sizes is above the threshold, the
    next merge takes in one of the smallest clusters."""
    return genie_labels(tree.first, tree.second, n_clusters, threshold)
