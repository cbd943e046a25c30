"""Consensus by re-labeling and voting: Hungarian voting, and voting-merging."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import track
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.label_rows import LabelRows, nonempty_clusters
from pluribus.consensus.voting._voting_merging import Ballot, match_clusters, merge_clusters
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import encode_labels, order_by_size


class VotingConsensus(ConsensusMixin, BaseEstimator):
    """Rename the clusters of each partition after those of a reference, then let the partitions vote on each object.

    "hungarian" matches the clusters of each partition one to one to those of the reference, with the largest overlap.
    If a partition has more clusters than the reference, the remaining ones take the name of largest overlap. The label
    with the most votes wins, and the shares of the votes are the memberships.

    "merging" matches each partition in turn to the votes cast so far, starting with the reference, over as many
    clusters as the largest partition has. It repeats this until no partition can improve its agreement with the others.
    Clusters that share the votes of their objects are merged, the closest first, until no two are close (``threshold``)
    or ``n_clusters`` are left.

    Prefer it if all partitions have about the clusters of the result (bagging, repeated runs, several annotators), and
    if you want to see which partition voted for what. It is not for ensembles of many small clusters, whose names
    cannot be matched; use ``EvidenceAccumulation`` there.

    Parameters
    ----------
    n_clusters : int, optional
        The default is the number of the reference ("hungarian") or the number left at the threshold ("merging"). For
        "hungarian", the reference is chosen among the partitions with this number of clusters.
    strategy : {"hungarian", "merging"}
    reference : int, str or sequence of n labels, optional
        A partition by its position or name, or labels of the objects, which then do not vote (as in BagClust1, where
        the partitions are clusterings of bootstrap samples). The default is the partition with the highest mean
        normalized mutual information with the others.
    threshold : float
        For "merging" without ``n_clusters``: two clusters are merged if the objects of one give more than this share of
        their votes to the other.
    max_iter : int
        For "merging": the largest number of rounds.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest. Ties go to the cluster with more votes in total.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Weighted share of the votes for each cluster.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    correspondences_ : tuple of r arrays of shape (k_p, n_clusters_)
        1 for the consensus cluster that a cluster of a partition votes for; a row of zeros if it has no vote.
    reference_ : str or None
        Name of the partition that was the reference; None if labels were given.
    objective_ : ndarray
        For "merging": the mean agreement of two partitions on an object, after each round.

    References
    ----------
    Dudoit and Fridlyand, "Bagging to improve the accuracy of a clustering procedure", Bioinformatics 19, 2003.
    Dimitriadou, Weingessel and Hornik, "Voting-merging: an ensemble method for clustering", ICANN 2001.

    Examples
    --------
    >>> from pluribus.consensus import VotingConsensus
    >>> labels = [[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 2, 2, 2]]
    >>> voting = VotingConsensus().fit(labels)
    >>> voting.labels_.tolist()
    [0, 0, 0, 1, 1, 2, 2]
    >>> voting.membership_[2].round(3).tolist()
    [0.667, 0.333, 0.0]
    >>> voting.correspondences_[1].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> VotingConsensus(2, strategy="merging").fit(labels).labels_.tolist()
    [1, 1, 1, 0, 0, 0, 0]
    """

    known_as = {"voting": {}}
    suits = "Repeated runs or annotators that look for the same clusters."
    cost = Cost(seconds=0.2, objects=1)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "strategy": [StrOptions({"hungarian", "merging"})],
        "reference": [Integral, str, "array-like", None],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        strategy: str = "hungarian",
        reference: Any = None,
        threshold: float = 0.2,
        max_iter: int = 20,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.strategy = strategy
        self.reference = reference
        self.threshold = threshold
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "VotingConsensus":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        if self.n_clusters is not None and self.n_clusters > ensemble.n_objects:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of objects, {ensemble.n_objects}.")
        rows = LabelRows(ensemble, self.n_jobs)
        voters = self._find_voters(ensemble)
        reference, named = self._name_clusters(ensemble, rows, voters)
        self.reference_ = None if reference is None else ensemble.names[reference]
        if self.strategy == "hungarian":
            correspondence = _match_to_reference(ensemble, rows, voters, named)
        else:
            correspondence = self._vote_and_merge(ensemble, rows, voters, reference, named)
        return self._count(ensemble, rows, correspondence)

    def _find_voters(self, ensemble: Ensemble) -> np.ndarray:
        """The partitions that vote. One with a single cluster would only enlarge the cluster it is matched to."""
        counted = ensemble.weights > 0
        silent = counted & (ensemble.n_clusters == 1)
        if self.n_clusters == 1 or not silent.any() or not (counted & ~silent).any():
            return np.flatnonzero(counted)
        names = ", ".join(ensemble.names[p] for p in np.flatnonzero(silent)[:5])
        warnings.warn(
            f"{silent.sum()} partitions have a single cluster and do not vote: {names}.", UserWarning, stacklevel=3
        )
        return np.flatnonzero(counted & ~silent)

    def _name_clusters(self, ensemble: Ensemble, rows: LabelRows, voters: np.ndarray) -> tuple[int | None, np.ndarray]:
        """The position of the reference (None for labels), and the objects of each row in each of its clusters."""
        if self.reference is None:
            if self.strategy == "hungarian" and self.n_clusters == 1:
                return None, rows.counts[:, None]
            reference = self._most_central(ensemble, rows, voters)
        elif isinstance(self.reference, str | Integral):
            reference = ensemble._position(self.reference)  # type: ignore[arg-type]
        else:
            return None, self._given_labels(rows)
        self._check_reference(int(ensemble.n_clusters[reference]), f"the reference {ensemble.names[reference]!r}")
        part = rows.partition(reference)
        return reference, part.look_up(np.eye(part.n_clusters[0])) * rows.counts[:, None]

    def _given_labels(self, rows: LabelRows) -> np.ndarray:
        codes, classes = encode_labels(self.reference, "reference")
        if len(codes) != len(rows.inverse):
            raise ValueError(f"reference has {len(codes)} labels, but there are {len(rows.inverse)} objects.")
        self._check_reference(len(classes), "the reference")
        seen = codes >= 0
        cell = rows.inverse[seen] * len(classes) + codes[seen]
        return np.bincount(cell, minlength=rows.n * len(classes)).reshape(rows.n, -1).astype(float)

    def _check_reference(self, k: int, name: str) -> None:
        if self.strategy == "hungarian" and self.n_clusters not in (None, k):
            raise ValueError(
                f"n_clusters={self.n_clusters}, but {name} has {k} clusters. Leave out n_clusters, give another "
                "reference, or use strategy='merging'."
            )

    def _most_central(self, ensemble: Ensemble, rows: LabelRows, voters: np.ndarray) -> int:
        """The partition with the highest mean normalized mutual information with the others."""
        candidates = voters
        if self.strategy == "hungarian" and self.n_clusters is not None:
            candidates = voters[ensemble.n_clusters[voters] == self.n_clusters]
            if not candidates.size:
                raise ValueError(
                    f"No partition has n_clusters={self.n_clusters} clusters, so none can be the reference; they have "
                    f"{np.unique(ensemble.n_clusters).tolist()}. Give reference=labels of {self.n_clusters} clusters, "
                    "or use strategy='merging'."
                )
        if len(candidates) == 1:
            return int(candidates[0])
        weights = np.where(np.isin(np.arange(len(ensemble)), voters), ensemble.weights, 0)
        scores = []
        for p in track(candidates.tolist(), "choosing the reference", verbose=self.verbose):
            others = np.where(np.arange(len(ensemble)) == p, 0, weights)
            scores.append((_nmi_with_each(rows, p) * others).sum() / others.sum())
        return int(candidates[np.argmax(scores)])

    def _vote_and_merge(
        self, ensemble: Ensemble, rows: LabelRows, voters: np.ndarray, reference: int | None, named: np.ndarray
    ) -> np.ndarray:
        largest = int(ensemble.n_clusters[voters].max())
        if self.n_clusters is not None and self.n_clusters > largest:
            raise ValueError(
                f"n_clusters={self.n_clusters}, but no partition has more than {largest} clusters, and merging only "
                "reduces their number."
            )
        ballot = Ballot(ensemble, rows, voters, reference, named)
        ballot.vote_in_turn()
        agreement = [ballot.agreement()]
        for _ in track(range(self.max_iter), "voting", verbose=self.verbose):
            if not ballot.go_round():
                break
            agreement.append(ballot.agreement())
        self.objective_ = np.array(agreement)
        ballot.check_all_voted()
        number = merge_clusters(ballot.shares(), rows.counts, self.n_clusters, self.threshold)
        return ballot.correspondence @ np.eye(number.max() + 1)[number]

    def _count(self, ensemble: Ensemble, rows: LabelRows, correspondence: np.ndarray) -> "VotingConsensus":
        """Count the votes. Columns are sorted by their total votes, so that ties go to the largest."""
        votes = rows.look_up(rows.weights[:, None] * correspondence)
        popular = np.argsort(-(rows.counts[:, None] * votes).sum(axis=0), kind="stable")
        votes, correspondence = votes[:, popular], correspondence[:, popular]
        labels = votes.argmax(axis=1)[rows.inverse]
        n_without = int((rows.counts * (votes.sum(axis=1) == 0)).sum())
        if n_without:
            warnings.warn(
                f"{n_without} objects got no vote, because their clusters share no object with the reference. They are "
                "assigned to the largest cluster, with uncertainty 1.",
                UserWarning,
                stacklevel=3,
            )
        held = nonempty_clusters(labels, votes.shape[1])
        labels = np.searchsorted(held, labels)
        membership = normalize_rows(votes[:, held])[rows.inverse]
        columns = held[order_by_size(labels, len(held))]
        self.correspondences_ = tuple(np.split(correspondence[:, columns], rows.offsets[1:-1]))
        return self._finish(ensemble, labels, membership)


def _match_to_reference(ensemble: Ensemble, rows: LabelRows, voters: np.ndarray, named: np.ndarray) -> np.ndarray:
    """The new name of each of the q clusters, one-hot (q, k)."""
    k = named.shape[1]
    (overlap,) = rows.over_blocks(lambda start, stop: (rows.sum_by(named[start:stop], start, stop),), k)
    correspondence = np.zeros_like(overlap)
    for p in voters:
        own = slice(rows.offsets[p], rows.offsets[p + 1])
        if not overlap[own].any():
            raise ValueError(
                f"Partition {ensemble.names[p]!r} has no object in common with the reference, so its clusters cannot "
                "be matched. Choose a reference that covers more objects, or use strategy='merging'."
            )
        correspondence[own] = match_clusters(overlap[own], np.zeros(k, dtype=bool))
    return correspondence


def _nmi_with_each(rows: LabelRows, p: int) -> np.ndarray:
    """Normalized mutual information (geometric mean) of partition p with each, over the objects both cover."""
    part = rows.partition(p)
    each_cluster = np.eye(part.n_clusters[0])

    def count(start: int, stop: int) -> tuple[np.ndarray]:
        members = part.look_up(each_cluster, start, stop) * rows.counts[start:stop, None]
        return (rows.sum_by(members, start, stop),)

    (joint,) = rows.over_blocks(count, len(each_cluster))
    n_common = rows.by_partition(joint).sum(axis=1)
    joint /= np.maximum(rows.spread(n_common), 1)[:, None]
    theirs = rows.by_partition(_minus_p_log_p(joint.sum(axis=1)))
    ours = _minus_p_log_p(rows.by_partition(joint)).sum(axis=1)
    information = theirs + ours - rows.by_partition(_minus_p_log_p(joint).sum(axis=1))
    certain = theirs * ours < 1e-24
    return np.where(certain, 0, information / np.sqrt(np.where(certain, 1, theirs * ours)))


def _minus_p_log_p(p: np.ndarray) -> np.ndarray:
    return -p * np.log(p, out=np.zeros_like(p), where=p > 0)
