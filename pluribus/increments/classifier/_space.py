"""What mixtures are fitted to: given features, an embedding of dissimilarities, or distances to prototypes."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from pluribus.increments.dissimilarity_embedding import DissimilarityEmbedding


@dataclass
class Space:
    """How an object becomes features: each step that is not None, in this order."""

    embedding: DissimilarityEmbedding | None = None
    n_dimensions: int | None = None  # of the embedding, that are kept
    objects: np.ndarray | None = None  # prototypes among the objects of fit
    centers: np.ndarray | None = None  # prototypes that are points

    def features(self, X: np.ndarray) -> np.ndarray:
        """The features of new objects, from features or dissimilarities."""
        if self.embedding is not None:
            X = self.embedding.transform(X)[:, : self.n_dimensions]
        if self.objects is not None:
            X = X[:, self.objects]
        if self.centers is not None:
            X = cdist(X, self.centers)
        return np.ascontiguousarray(X)


def feature_space(X: np.ndarray, prototypes: float | None) -> tuple[Space, np.ndarray]:
    """The space of given features, or of distances to prototypes in it, and the features of the objects."""
    return _with_prototypes(Space(), X, prototypes)


def embedded_space(
    D: np.ndarray, embedding: DissimilarityEmbedding, most: int | None, prototypes: float | None
) -> tuple[Space, np.ndarray]:
    """The first ``most`` dimensions of an embedding, or the distances to prototypes in it."""
    X = embedding.fit_transform(D)[:, :most]
    return _with_prototypes(Space(embedding, most), X, prototypes)


def dissimilarity_space(D: np.ndarray, prototypes: float) -> tuple[Space, np.ndarray]:
    """The given dissimilarities to some of the objects."""
    objects = scattered_objects(D, _number(prototypes, len(D)))
    return Space(objects=objects), np.ascontiguousarray(D[:, objects])


def _with_prototypes(space: Space, X: np.ndarray, prototypes: float | None) -> tuple[Space, np.ndarray]:
    X = np.ascontiguousarray(X)
    if prototypes is None:
        return space, X
    start = split_centers(X, _number(prototypes, len(X)))
    space.centers = KMeans(len(start), init=start, n_init=1).fit(X).cluster_centers_
    return space, cdist(X, space.centers)


def _number(share: float, n: int) -> int:
    return max(1, round(share * n))


def split_centers(X: np.ndarray, k: int) -> np.ndarray:
    """Centers of at most k groups by Var-Part (Su and Dy 2007): the group with the largest sum of squares is split at
    the mean of its most variable feature, until there are k groups or none has any spread.
    """
    groups, squares = [np.arange(len(X))], [_sum_of_squares(X)]
    while len(groups) < k:
        widest = int(np.argmax(squares))
        members = groups[widest]
        values = X[members, X[members].var(axis=0).argmax()]
        above = values > values.mean()
        if not above.any():
            break
        groups[widest : widest + 1] = members[~above], members[above]
        squares[widest : widest + 1] = _sum_of_squares(X[members[~above]]), _sum_of_squares(X[members[above]])
    return np.array([X[members].mean(axis=0) for members in groups])


def _sum_of_squares(X: np.ndarray) -> float:
    return float(((X - X.mean(axis=0)) ** 2).sum())


def scattered_objects(D: np.ndarray, k: int) -> np.ndarray:
    """At most k objects: the most central one, then the one farthest from those chosen, as long as there is one."""
    chosen = [int(D.sum(axis=1).argmin())]
    distance = D[chosen[0]].copy()
    while len(chosen) < k and distance.max() > 0:
        chosen.append(int(distance.argmax()))
        np.minimum(distance, D[chosen[-1]], out=distance)
    return np.array(chosen)
