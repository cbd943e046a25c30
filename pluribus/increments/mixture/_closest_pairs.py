"""The closest objects of every two clusters, which are also those of the clusters' unions."""

import numpy as np
from scipy.spatial import cKDTree

from pluribus.increments._shared.dissimilarities import Dissimilarities, FeatureDissimilarities
from pluribus.increments._shared.nearest import FEW_FEATURES

_ALL_PAIRS = 5000  # objects up to which all pairs are looked at
_NUMBERS_IN_BLOCK = 2**21


class ClosestPairs:
    """Of any two clusters, the distance of their closest objects, and which these are.

    Clusters 0 … k - 1 are those of the start; each union gets the next number.
    """

    def __init__(self, objects: Dissimilarities, clusters: list[np.ndarray]) -> None:
        self.n_clusters = k = len(clusters)
        self.distance = np.full((2 * k - 1, 2 * k - 1), np.inf)
        self.nearest = np.full((2 * k - 1, 2 * k - 1), -1)  # the object of the first cluster that is closest
        by_tree = isinstance(objects, FeatureDissimilarities) and objects.X.shape[1] <= FEW_FEATURES
        if by_tree and objects.n > _ALL_PAIRS:
            self._search_trees(objects.X, clusters)  # type: ignore[attr-defined]
        else:
            self._look_at_all(objects, clusters)

    def unite(self, first: int, second: int) -> int:
        """The number of the union of two clusters, whose closest pairs are the closer ones of either."""
        new, old = self.n_clusters, slice(0, self.n_clusters)
        of_first = self.distance[first, old] <= self.distance[second, old]
        self.distance[new, old] = np.where(of_first, self.distance[first, old], self.distance[second, old])
        self.nearest[new, old] = np.where(of_first, self.nearest[first, old], self.nearest[second, old])
        self.nearest[old, new] = np.where(of_first, self.nearest[old, first], self.nearest[old, second])
        self.distance[old, new] = self.distance[new, old]
        self.n_clusters += 1
        return new

    def _put(self, i: int, j: int, distance: float, of_i: int, of_j: int) -> None:
        self.distance[i, j] = self.distance[j, i] = distance
        self.nearest[i, j], self.nearest[j, i] = of_i, of_j

    def _look_at_all(self, objects: Dissimilarities, clusters: list[np.ndarray]) -> None:
        for i, members in enumerate(clusters[:-1]):
            others = np.concatenate(clusters[i + 1 :])
            best, partner = np.full(len(others), np.inf), np.zeros(len(others), dtype=np.int64)
            block = max(1, _NUMBERS_IN_BLOCK // len(others))
            for rows in np.split(members, range(block, len(members), block)):
                distances = objects.between(rows, others)
                place = distances.argmin(axis=0)
                least = distances[place, np.arange(len(others))]
                closer = least < best
                best[closer], partner[closer] = least[closer], rows[place[closer]]
            ends = np.cumsum([len(cluster) for cluster in clusters[i + 1 :]])
            for j, (start, stop) in enumerate(zip(np.append(0, ends[:-1]), ends, strict=True), start=i + 1):
                at = start + int(best[start:stop].argmin())
                self._put(i, j, best[at], partner[at], others[at])

    def _search_trees(self, X: np.ndarray, clusters: list[np.ndarray]) -> None:
        trees = [cKDTree(X[members]) for members in clusters]
        centers = np.array([X[members].mean(axis=0) for members in clusters])
        for i in range(len(clusters)):
            for j in range(i + 1, len(clusters)):
                few, many = (i, j) if len(clusters[i]) <= len(clusters[j]) else (j, i)
                # A bound first: the object of the small cluster that is closest to the center of the large one.
                scout = X[clusters[few][trees[few].query(centers[many])[1]]]
                bound = np.nextafter(trees[many].query(scout)[0], np.inf)
                distance, place = trees[many].query(X[clusters[few]], distance_upper_bound=bound)
                at = int(distance.argmin())
                self._put(few, many, distance[at], clusters[few][at], clusters[many][place[at]])
