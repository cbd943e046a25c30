"""Other denominators of the evidence, as ensembles whose share of covering partitions is what was asked for."""

import numpy as np

from pluribus.partitions import Ensemble

NORMALIZATIONS = ("pairs", "count", "total")


def normalized(ensemble: Ensemble, normalize: str) -> Ensemble:
    """An ensemble whose evidence has the denominator ``normalize``.

    A partition that covers objects but puts each of them alone adds to denominators only:

    - "pairs" leaves the ensemble as it is: the weight of the partitions that cover both objects.
    - "count" is the number of partitions that cover both, whatever they weigh: each partition of weight w gets a copy
      of weight 1 - w in which every object is alone.
    - "total" is the weight of all partitions: objects that a partition does not cover are alone in it.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.evidence._normalization import normalized
    >>> normalized(Ensemble([[0, 0, -1, -1], [0, 0, 0, 0]]), "total").labels.T.tolist()
    [[0, 0, 1, 2], [0, 0, 0, 0]]
    """
    if normalize == "total":
        return _alone_if_missing(ensemble)
    if normalize == "count":
        return _with_rest_of_weights(ensemble)
    return ensemble


def _alone_if_missing(ensemble: Ensemble) -> Ensemble:
    if not ensemble.has_missing:
        return ensemble
    missing = ensemble.labels < 0
    own = ensemble.n_clusters + np.cumsum(missing, axis=0) - 1  # codes after those of the partition's clusters
    labels = np.where(missing, own, ensemble.labels)
    return Ensemble(labels, weights=ensemble.weights, names=ensemble.names, ids=ensemble.ids)


def _with_rest_of_weights(ensemble: Ensemble) -> Ensemble:
    rest = 1 - ensemble.weights
    if rest.min() < 0:
        raise ValueError(
            f"normalize='count' needs weights between 0 and 1, but the largest is {ensemble.weights.max():g}. Divide "
            "the weights by it."
        )
    if not rest.any():
        return ensemble
    alone = np.arange(ensemble.n_objects)[:, None]
    if not ensemble.has_missing:  # one partition of singletons has the weight of all
        return Ensemble.concat([ensemble, Ensemble(alone, weights=[rest.sum()], ids=ensemble.ids)])
    lacking = np.flatnonzero(rest)
    labels = np.where(ensemble.labels[:, lacking] >= 0, alone, -1)
    return Ensemble.concat([ensemble, Ensemble(labels, weights=rest[lacking], ids=ensemble.ids)])
