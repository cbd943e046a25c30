"""Which statements are likely wrong: those that the data, or the other statements, speak against."""

from typing import Any

import numpy as np
import pandas as pd
import sklearn
from scipy import sparse
from scipy.special import expit, logit

from pluribus.constraints._statements import Floats, Indices, log_odds
from pluribus.constraints.answers import Answers
from pluribus.constraints.constraints import Constraints
from pluribus.constraints.errors import ConstraintError

_CERTAINTY = float(log_odds(0.9))  # of hard pairs, since all of them come under suspicion here
_SCALE_NEIGHBOR = 7  # the distance to it is the scale of distances around an object
_SCALE_ROWS = 5_000  # among which it is sought
_SMALLEST_SCALE = 0.1  # of the usual one, for objects that many others equal
_LINKS = 64  # of each object, the surest, from which triangles are made


def suspects(constraints: Constraints, evidence: Any = None) -> pd.DataFrame:
    """Rank the pairs of some constraints by how much speaks against them.

    Two things may. The *data*: a must-link whose objects are never found together, a cannot-link whose objects always
    are. How evidence translates into odds is learned from the pairs themselves, by a logistic regression that a
    minority of wrong pairs does not turn around. The *other pairs*: two links i-k and k-j that imply the opposite, and
    longer cycles, of which the link that the rest supports least is to blame. All are log-odds, and add up.

    Hard pairs that contradict each other are refused by ``Constraints``: to find out which is wrong, give them a
    weight. Groups and labels are not judged.

    Parameters
    ----------
    constraints : Constraints
        Soft pairs start from their weight, hard ones as if 9 of 10 were right.
    evidence : CoAssociation, array or sparse matrix of shape (n, d), optional
        The co-association of an ensemble (or anything with a method ``pairs(i, j)`` that returns numbers from 0,
        apart, to 1, together), or the data: then the distance of two rows counts, in relation to the distances around
        them. By default only the other pairs are heard.

    Returns
    -------
    DataFrame
        A row for each pair, the most suspect first: ``one``, ``other``, ``type``, ``weight``; ``against_data`` and
        ``against_others``, the log-odds that speak against it (negative: for it); ``suspicion``, the probability that
        it is wrong.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.constraints import suspects
    >>> told = Constraints(4, [(0, 1), (1, 2), (0, 2), (2, 3)], [(0, 3), (1, 3)], must_weight=2, cannot_weight=2)
    >>> suspects(told).head(1)[["one", "other", "type"]]
       one  other       type
    0    2      3  must-link
    """
    if not isinstance(constraints, Constraints):
        raise ConstraintError(f"constraints must be a pluribus.Constraints, got {type(constraints).__name__}")
    pairs = np.concatenate([constraints.must_link, constraints.cannot_link])
    together = np.arange(len(pairs)) < len(constraints.must_link)
    weights = np.concatenate([constraints.must_weight, constraints.cannot_weight])
    belief = np.where(np.isinf(weights), _CERTAINTY, weights)
    against_data = against_others = np.zeros(len(pairs))
    if evidence is not None and len(pairs):
        odds = _odds_together(_nearness(pairs, evidence, constraints.n_objects), together)
        against_data = np.where(together, -odds, odds)
    if len(pairs):
        against_others = _against_others(pairs, together, belief - against_data)
    found = pd.DataFrame(
        {
            "one": pairs[:, 0],
            "other": pairs[:, 1],
            "type": np.where(together, "must-link", "cannot-link"),
            "weight": weights,
            "against_data": against_data,
            "against_others": against_others,
            "suspicion": expit(against_data + against_others - belief),
        }
    )
    return found.sort_values("suspicion", ascending=False, kind="stable", ignore_index=True)


def _nearness(pairs: Indices, evidence: Any, n: int) -> Floats:
    """A number for each pair that rises as the data say that they belong together."""
    one, other = pairs.T
    if hasattr(evidence, "pairs"):
        if evidence.shape[0] != n:
            raise ConstraintError(f"evidence is about {evidence.shape[0]} objects, but constraints about {n}")
        return logit(np.clip(evidence.pairs(one, other), 0.02, 0.98))
    if hasattr(evidence, "n_partitions"):
        raise ConstraintError("evidence is an Ensemble: give pluribus.evidence.CoAssociation(ensemble), or the data.")
    X = sklearn.utils.check_array(evidence, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
    if X.shape[0] != n:
        raise ConstraintError(f"evidence has {X.shape[0]} rows, but constraints are about {n} objects")
    objects, at = np.unique(pairs, return_inverse=True)
    some = X[:: -(-n // _SCALE_ROWS)]  # a share of the rows changes all scales alike
    neighbors = sklearn.neighbors.NearestNeighbors(n_neighbors=min(_SCALE_NEIGHBOR + 1, some.shape[0])).fit(some)
    scale = neighbors.kneighbors(X[objects])[0][:, -1]
    distance = sklearn.metrics.pairwise.paired_euclidean_distances(X[one], X[other])
    usual = scale[scale > 0] if (scale > 0).any() else np.append(distance[distance > 0], 1)
    scales = np.maximum(scale, _SMALLEST_SCALE * np.median(usual))[at.reshape(-1, 2)]
    return -np.log1p((distance / scales[:, 0]) * (distance / scales[:, 1]))


def _odds_together(nearness: Floats, together: np.ndarray) -> Floats:
    """Log-odds that two objects belong together, as the pairs themselves teach; 0 if they teach nonsense."""
    spread = nearness.std()
    standard = (nearness - nearness.mean()) / (spread if spread > 0 else 1)
    if together.all() or not together.any():
        return standard  # nothing to compare with: those far from the others are odd
    model = sklearn.linear_model.LogisticRegression().fit(standard[:, None], together)
    return model.decision_function(standard[:, None]) if model.coef_[0, 0] > 0 else np.zeros(len(nearness))


def _against_others(pairs: Indices, together: np.ndarray, belief: Floats) -> Floats:
    """What the other pairs say against each, as log-odds: triangles, then cycles of any length."""
    objects, at = np.unique(pairs, return_inverse=True)
    pairs = at.reshape(-1, 2)
    trust = np.clip(np.tanh(belief / 2), 0, None)  # right rather than wrong by so much
    must, cannot = (_links(pairs[kind], trust[kind], len(objects)) for kind in (together, ~together))
    one, other = pairs.T
    # i-k and k-j: both together says together; one together, the other apart says apart; both apart says nothing.
    says_together = _through_others(must, must, one, other)
    says_apart = _through_others(must, cannot, one, other) + _through_others(cannot, must, one, other)
    against = 2 * np.where(together, says_apart - says_together, says_together - says_apart)
    against += np.where(_frustrated(len(objects), pairs, together, belief - against), _CERTAINTY, 0)
    return against


def _links(pairs: Indices, trust: Floats, n: int) -> sparse.csr_array:
    """A symmetric matrix of trust; of objects with very many links, only the surest."""
    ends, others = np.concatenate([pairs, pairs[:, ::-1]]).T
    trust = np.tile(trust, 2)
    order = np.lexsort((-trust, ends))
    first = np.searchsorted(ends[order], np.arange(n))
    order = order[np.arange(len(order)) - first[ends[order]] < _LINKS]
    return sparse.coo_array((trust[order], (ends[order], others[order])), shape=(n, n)).tocsr()


def _through_others(first: sparse.csr_array, second: sparse.csr_array, one: Indices, other: Indices) -> Floats:
    """The summed trust in the paths of two links from one to the other."""
    return np.asarray(first[one].multiply(second[other]).sum(axis=1)).ravel()


def _frustrated(n: int, pairs: Indices, together: np.ndarray, belief: Floats) -> np.ndarray:
    """Which pairs are broken if all are accepted in the order of belief, unless what was accepted contradicts them."""
    accepted = Answers(n)
    broken = np.zeros(len(pairs), dtype=bool)
    for e in np.argsort(-belief, kind="stable"):
        i, j = pairs[e].tolist()
        said = "together" if together[e] else "apart"
        known = accepted.relation(i, j)
        if known is None:
            accepted.tell(i, j, said)
        broken[e] = known not in (None, said)
    return broken
