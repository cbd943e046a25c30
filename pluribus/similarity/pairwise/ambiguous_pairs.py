"""Asking about the rows of which a classifier is least sure (MIN, MAX, COM)."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import is_one_of
from pluribus.constraints import Answers, ConstraintError
from pluribus.constraints._internal import check_answers, parse_names
from pluribus.similarity.pairwise._ambiguity import ambiguity, kernel_between, representatives, squared_norms

_MOST_COMPARED = 1_000  # tracks that "com" compares with each other: the most ambiguous ones


class AmbiguousPairs:
    """Choose pairs whose answers help a :class:`PairwiseKernelClassifier` most.

    A row is ambiguous if even its best class has a high loss, and a track is as ambiguous as its most ambiguous row.
    The next question is about the most ambiguous unlabeled track that was asked about least, and

    - "min": the nearest labeled track, by the distance in the kernel's space;
    - "max": the farthest labeled track;
    - "com": another unlabeled track; the two have the highest sum of ambiguities, minus their kernel.

    The question names one row of each track, the one nearest to the mean of its track. Fit again with the answers when
    there are some. Prefer "min". A track that is together with a labeled one is not asked about again.

    Parameters
    ----------
    model : PairwiseKernelClassifier
        Fitted; labels alone will do.
    X : array, sparse matrix or data frame of shape (n, d)
        The rows that it was fitted to.
    strategy : {"min", "max", "com"}
    tracks : sequence of length n, optional
        Rows of one track are known to be of one class (:func:`track_constraints`); -1, None or NaN where there is none.
        Without it, each row is a track of its own.

    Attributes
    ----------
    n_objects : int
    ambiguity : ndarray of shape (n,)
        The loss of each row's best class, and for rows of a track the largest of these.

    References
    ----------
    Yan, Zhang, Yang and Hauptmann, "A discriminative learning framework with pairwise constraints for video object
    classification", IEEE TPAMI 28(4), 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.constraints import ask
    >>> from pluribus.similarity import AmbiguousPairs, PairwiseKernelClassifier
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = [-1] * 150
    >>> for row in (0, 50, 100):
    ...     y[row] = int(truth[row])
    >>> model = PairwiseKernelClassifier(verbose=False).fit(X, y)
    >>> known = ask(AmbiguousPairs(model, X), oracle=truth, n_questions=12)
    >>> known
    <Constraints: 150 objects, 9 must-links, 3 cannot-links>
    >>> print(round(model.score(X, truth), 2), round(model.fit(X, y, constraints=known).score(X, truth), 2))
    0.9 0.98
    """

    def __init__(
        self, model: Any, X: Any, *, strategy: Literal["min", "max", "com"] = "min", tracks: Any = None
    ) -> None:
        if not hasattr(model, "decision_function") or not hasattr(model, "lam"):
            raise ConstraintError(f"model must be a PairwiseKernelClassifier, got {type(model).__name__}")
        check_is_fitted(model)
        if not is_one_of(strategy, ("min", "max", "com")):
            raise ConstraintError(f"strategy={strategy!r}: choose 'min', 'max' or 'com'")
        X = model._checked(X, reset=False)
        self.n_objects = X.shape[0]
        if self.n_objects != model.n_samples_fit_:
            raise ConstraintError(
                f"X has {self.n_objects} rows, but the model was fitted to {model.n_samples_fit_}: give the same rows"
            )
        self.strategy = strategy
        of_row = ambiguity(model._scores(X), model.loss)
        self._track = _every_row_in_a_track(tracks, self.n_objects)
        n_tracks = int(self._track.max()) + 1
        of_track = np.full(n_tracks, -np.inf)
        np.maximum.at(of_track, self._track, of_row)
        self.ambiguity = of_track[self._track]
        self._row = representatives(X, self._track, model.kernel == "precomputed")
        is_labeled = np.zeros(n_tracks, dtype=bool)
        is_labeled[self._track[model.labeled_]] = True
        self._labeled = np.flatnonzero(is_labeled)
        unlabeled = np.flatnonzero(~is_labeled)
        self._unlabeled = unlabeled[np.argsort(-of_track[unlabeled], kind="stable")]
        self._of_track = of_track
        self._X, self._model = X, model
        self._own_kernel = squared_norms(X, self._row[self._labeled], model)

    def next_pair(self, answers: Answers) -> tuple[int, int] | None:
        """The pair to ask about next: an ambiguous row, and one to compare it with."""
        check_answers(answers, self.n_objects)
        rows = np.array([row for answer in answers.given for row in (answer.one, answer.other)], dtype=np.int64)
        n_asked = np.bincount(self._track[rows], minlength=len(self._of_track))
        candidates = self._candidates_com(n_asked) if self.strategy == "com" else self._candidates(n_asked, answers)
        for one, other in candidates:
            pair = int(self._row[one]), int(self._row[other])
            if answers.relation(*pair) is None:
                return pair
        return None

    def _candidates(self, n_asked: np.ndarray, answers: Answers) -> Iterator[tuple[int, int]]:
        """Unlabeled tracks that were asked about least, then the most ambiguous, with labeled ones by distance."""
        for track in self._unlabeled[np.argsort(n_asked[self._unlabeled], kind="stable")].tolist():
            if n_asked[track] and self._is_settled(track, answers):
                continue
            kernel = self._kernel([track], self._labeled)[0]
            distance = self._own_kernel - 2 * kernel  # K_hh - 2 K_Gh; K_GG is the same for all h
            for place in np.argsort(distance if self.strategy == "min" else -distance, kind="stable").tolist():
                yield track, int(self._labeled[place])

    def _kernel(self, one: Any, other: Any) -> np.ndarray:
        """The kernel between the rows that stand for tracks."""
        return kernel_between(self._X, self._row[one], self._row[other], self._model)

    def _is_settled(self, track: int, answers: Answers) -> bool:
        return any(
            answers.relation(int(self._row[track]), int(self._row[other])) == "together"
            for other in self._labeled.tolist()
        )

    def _candidates_com(self, n_asked: np.ndarray) -> Iterator[tuple[int, int]]:
        """Pairs of unlabeled tracks that were asked about least, then by ambiguity and kernel."""
        tracks = self._unlabeled[:_MOST_COMPARED]
        if len(tracks) < 2:
            return
        one, other = np.triu_indices(len(tracks), 1)
        loss = self._of_track[tracks]
        score = loss[one] + loss[other] - self._kernel(tracks, tracks)[one, other]
        asked = n_asked[tracks]
        for place in np.lexsort((-score, asked[one] + asked[other])).tolist():
            yield int(tracks[one[place]]), int(tracks[other[place]])


def _every_row_in_a_track(tracks: Any, n: int) -> np.ndarray:
    """The number of each row's track; rows without one are tracks of their own."""
    if tracks is None:
        return np.arange(n)
    track, names = parse_names(tracks, n, "tracks")
    alone = track < 0
    return np.where(alone, len(names) + np.cumsum(alone) - 1, track)
