"""Memberships that estimate the chance that an object is in the right cluster."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, logit

from pluribus.partitions._internal import contingency_of_codes
from pluribus.pipeline.candidates._choice import Choice
from pluribus.pipeline.candidates._pool import OWN, Pool

# Logistic regression on data with known classes: constant, evidence, vote, agreement of the pool.
_CONSTANT, _EVIDENCE, _VOTE, _AGREEMENT = -0.93, 0.32, 0.42, 1.76
_CLIP = 0.01


def calibrated(evidence: np.ndarray, pool: Pool, choice: Choice) -> np.ndarray:
    """The memberships in the clusters of the chosen candidate, (n, k).

    That of the own cluster is calibrated by the evidence for it, by the share of the other candidates that agree on
    the object, and by how far the candidates agree altogether. The rest goes to the other clusters in proportion to
    their evidence.

    Parameters
    ----------
    evidence : array of shape (n, k)
        Mean evidence of each object for the clusters of the chosen candidate, rows with the sum 1.
    pool : Pool
    choice : Choice
        Among the candidates of the pool.
    """
    labels = pool.labels[choice.chosen]
    everyone = np.arange(len(labels))
    voters = np.flatnonzero(np.array(pool.names) != OWN)  # it is one of the merges
    agreement = choice.between[choice.chosen, voters].mean()
    own = _own_membership(evidence[everyone, labels], votes(labels, pool.labels[voters]), agreement)
    others = evidence.astype(np.float64)
    others[everyone, labels] = 0
    nothing = others.sum(axis=1) <= 0
    others[nothing] = 1
    others[everyone, labels] = 0
    membership = others * ((1 - own) / others.sum(axis=1))[:, None]
    membership[everyone, labels] = own
    return membership


def votes(labels: np.ndarray, voters: np.ndarray) -> np.ndarray:
    """The share of partitions that give each object its label, their clusters renamed for the greatest overlap."""
    n_clusters = int(max(labels.max(), voters.max())) + 1
    total = np.zeros(len(labels))
    for voter in voters:
        table = contingency_of_codes(voter, labels, n_clusters, n_clusters)
        renamed = linear_sum_assignment(table, maximize=True)[1]
        total += renamed[voter] == labels
    return total / len(voters)


def _own_membership(evidence: np.ndarray, vote: np.ndarray, agreement: float) -> np.ndarray:
    """The chance that an object is right."""
    parts = _EVIDENCE * _log_odds(evidence) + _VOTE * _log_odds(vote)
    return expit(_CONSTANT + parts + _AGREEMENT * agreement)


def _log_odds(share: np.ndarray) -> np.ndarray:
    return logit(np.clip(share.astype(np.float64), _CLIP, 1 - _CLIP))
