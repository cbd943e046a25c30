"""Memberships that estimate the chance that an object is in the right cluster."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, logit

from pluribus.partitions._internal import contingency_of_codes

# Logistic regressions on data with known classes: constant, evidence, and the vote where there is one.
_CONSTANT, _EVIDENCE, _VOTE = 0.04, 0.37, 0.33
_CONSTANT_ALONE, _EVIDENCE_ALONE = 0.33, 0.50
_CLIP = 0.001


def calibrated(evidence: np.ndarray, labels: np.ndarray, voted: np.ndarray, vote: np.ndarray) -> np.ndarray:
    """Memberships, (n, k): that in the own cluster estimates the chance that an object is right.

    It is calibrated by the evidence for that cluster and, for objects that candidates voted on, by the share of
    candidates that agree. The rest goes to the other clusters in proportion to their evidence.

    Parameters
    ----------
    evidence : array of shape (n, k)
        Mean evidence of each object for the clusters, rows with the sum 1.
    labels : array of shape (n,)
    voted : array of shape (m,)
        The objects that were voted on.
    vote : array of shape (m,)
        The share of candidates that agree with their labels.
    """
    everyone = np.arange(len(labels))
    odds = _log_odds(evidence[everyone, labels])
    own = expit(_CONSTANT_ALONE + _EVIDENCE_ALONE * odds)
    own[voted] = expit(_CONSTANT + _EVIDENCE * odds[voted] + _VOTE * _log_odds(vote))
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


def _log_odds(share: np.ndarray) -> np.ndarray:
    return logit(np.clip(share.astype(np.float64), _CLIP, 1 - _CLIP))
