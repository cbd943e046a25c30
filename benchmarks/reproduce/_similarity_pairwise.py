"""Labels and pairs (chapter 17 of the book): a spiral whose ends have no labels, and tracks of digits.

The video of the source is not public, and its spiral is a drawing without figures. Both have a stand-in here, with the
protocol of the source. "Theirs" are figures of an independent implementation on these stand-ins.
"""

from typing import Any

import numpy as np

from benchmarks.reproduce._published import Published

SPIRAL, BY_LABELS, BY_METHOD = "Spiral", "Tracks, CPKLR by labels per class", "Tracks, 2 labels per class"
METHODS = ("KLR", "RCA+KLR", "CPKLR", "CPSVM", "NPKLR")
PAIRS = ("none", "temporal", "active", "both", "both, MAX", "both, COM", "both, 8 questions")
TABLES = (SPIRAL, BY_LABELS, BY_METHOD)
QUESTIONS = 20  # each about one of the most ambiguous test tracks
_GAMMA = 0.08  # of the source, for the tracks


def tables(quick: bool) -> list[Published]:
    """Accuracy on the spiral; error on the tracks."""
    error = "share of test images in tracks with a wrong label by majority vote"
    labels = {
        "1 label": (0.302, 0.250, 0.148, 0.126, 0.207, None, None),
        "2 labels": (0.172, 0.122, 0.062, 0.040, 0.119, None, 0.109),
        "5 labels": (0.088, 0.075, 0.028, 0.031, None, None, None),
    }
    methods = {
        "temporal": (0.172, None, 0.122, None, 0.249),
        "active": (0.172, None, 0.062, None, 0.240),
        "both": (0.172, None, 0.040, None, 0.303),
    }
    spiral_pairs = {"4 pairs": (0.771, 0.801, 0.953, 0.972, 0.971)}
    return [
        Published(SPIRAL, "accuracy on unlabeled points", True, METHODS, spiral_pairs),
        Published(BY_LABELS, error, False, PAIRS, labels, f"{QUESTIONS} questions, nearest labeled track (MIN) unless "
                  "the column says otherwise.", PAIRS[-1:]),
        Published(BY_METHOD, error, False, METHODS, methods, "The video of the source: KLR .18, NPKLR with 20 pairs of "
                  "both kinds .06."),
    ]  # fmt: skip


def n_runs(quick: bool) -> int:
    """Draws of labels: of the spiral and of the tracks."""
    return 2 if quick else 20


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """One draw of one row."""
    if table == SPIRAL:
        return score_spiral(run)
    if table == BY_LABELS:
        tracks = DigitTracks(run, int(row.split()[0]))
        return {pairs: tracks.error("CPKLR", pairs) for pairs in PAIRS}
    tracks = DigitTracks(run, 2)
    return {method: tracks.error(method, row) for method in METHODS}


def score_spiral(seed: int) -> dict[str, float]:
    """Accuracy of each method on the points without a label."""
    from pluribus import Constraints

    X, truth, y, must_link = spiral(seed)
    test, known = y < 0, Constraints(len(X), must_link=must_link)
    return {
        method: float(np.mean(_fitted(method, X, y, known, gamma=20).predict(X[test]) == truth[test]))
        for method in METHODS
    }


def spiral(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Two arms, 40 labels of each on the inner part, and 4 must-links to the ends."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [201, 199])
    t = np.concatenate([np.linspace(0.25, 3 * np.pi, 201), np.linspace(0.25, 3 * np.pi, 199)])
    radius, angle = t / (3 * np.pi), t + np.pi * (truth == 0)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    y, must_link = np.full(400, -1), []
    for arm in (1, 0):
        own = truth == arm
        y[rng.choice(np.flatnonzero(own & (radius <= 0.8)), 40, replace=False)] = arm
        end = np.flatnonzero(own & (radius > 0.85))
        for place in (len(end) // 4, 3 * len(end) // 4):
            inner = int(rng.choice(np.flatnonzero(own & (radius > 0.6) & (radius <= 0.8))))
            must_link.append((inner, int(end[place])))
    return X, truth, y, must_link


class DigitTracks:
    """Tracks of similar digits, 0 to 5: the labels are from the first half of the tracks, the other half is the test.

    A track has five or six images: a random one, and those of its class that are nearest to it. Its mean is a row, too:
    the track is linked to it, and questions name it.
    """

    def __init__(self, seed: int, n_labels: int) -> None:
        from pluribus.similarity import PairwiseKernelClassifier

        images, digit, tracks = _digit_tracks(seed)
        rng = np.random.default_rng([seed, n_labels])
        pool = np.concatenate(tracks[:31])
        labeled = np.concatenate([rng.choice(pool[digit[pool] == c], n_labels, replace=False) for c in range(6)])
        track_of = np.zeros(len(digit), dtype=np.int64)
        track_of[pool] = np.repeat(np.arange(31), [len(track) for track in tracks[:31]])
        test = tracks[31:]
        members = np.concatenate(test)
        sizes = [len(track) for track in test]
        means = np.array([images[track].mean(axis=0) for track in test])
        self.X = np.vstack([images[labeled], images[members], means])
        self.truth = np.concatenate([digit[labeled], digit[members], [digit[track[0]] for track in test]])
        self.y = np.where(np.arange(len(self.X)) < len(labeled), self.truth, -1)
        self.track = np.concatenate([32 + track_of[labeled], np.repeat(np.arange(32), sizes), np.arange(32)])
        self.test = np.arange(len(labeled), len(labeled) + len(members))
        self.mean = self.test[-1] + 1 + np.arange(32)  # the row of each test track's mean
        self.model = PairwiseKernelClassifier(gamma=_GAMMA, verbose=False).fit(self.X, self.y)

    def error(self, method: str, pairs: str) -> float:
        """The share of test images whose track gets a wrong label."""
        from pluribus.similarity import majority_vote

        model = _fitted(method, self.X, self.y, self._known(pairs), gamma=_GAMMA)
        voted = majority_vote(model.predict(self.X[self.test]), self.track[self.test])
        return float(np.mean(voted != self.truth[self.test]))

    def _known(self, pairs: str) -> Any:
        """What is known of the most ambiguous test tracks: that each is one object, and answers about them."""
        from pluribus import Constraints
        from pluribus.constraints import ask
        from pluribus.similarity import AmbiguousPairs

        strategy = pairs[-3:].lower() if pairs.endswith(("MAX", "COM")) else "min"
        n_questions = 8 if "8" in pairs else QUESTIONS
        selector = AmbiguousPairs(self.model, self.X, strategy=strategy, tracks=self.track)
        known = Constraints(len(self.X))
        if pairs.startswith(("temporal", "both")):
            chosen = np.argsort(-selector.ambiguity[self.mean], kind="stable")[:n_questions]
            rows = self.test[np.isin(self.track[self.test], chosen)]
            known = Constraints(len(self.X), must_link=np.column_stack([rows, self.mean[self.track[rows]]]))
        if pairs.startswith(("active", "both")):
            known = known.merge(ask(selector, self.truth, n_questions))
        return known


def _digit_tracks(seed: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """The images, their digits, and 63 tracks with 363 images in all, in random order."""
    from sklearn.datasets import load_digits

    images, digit = load_digits(n_class=6, return_X_y=True)
    images = images / 16
    rng = np.random.default_rng(seed)
    free = np.ones(len(digit), dtype=bool)
    tracks = []
    for number, size in enumerate(rng.permutation(np.repeat([5, 6], [15, 48])).tolist()):
        own = np.flatnonzero(free & (digit == number % 6))
        distance = np.square(images[own] - images[rng.choice(own)]).sum(axis=1)
        tracks.append(own[np.argsort(distance, kind="stable")[:size]])
        free[tracks[-1]] = False
    return images, digit, [tracks[at] for at in rng.permutation(63)]


def _fitted(method: str, X: np.ndarray, y: np.ndarray, known: Any, gamma: float) -> Any:
    """A method of the source; the first two are kernel logistic regression on the labels alone."""
    from pluribus.similarity import PairwiseKernelClassifier, by_name

    if method in ("KLR", "RCA+KLR"):
        model = PairwiseKernelClassifier(gamma=gamma, verbose=False)
        return model.fit(X, y) if method == "KLR" else _Whitened(model, X, y, known)
    return by_name(method)(gamma=gamma, random_state=0, verbose=False).fit(X, y, constraints=known)


class _Whitened:
    """Relevant component analysis: features in which must-linked rows differ equally in all directions, then KLR."""

    def __init__(self, model: Any, X: np.ndarray, y: np.ndarray, known: Any) -> None:
        closure = known.closure()
        chunk = closure.chunk_of
        mean = np.array([X[chunk == c].mean(axis=0) for c in range(chunk.max() + 1)])
        linked = (np.bincount(chunk) > 1)[chunk]
        apart = (X - mean[chunk])[linked]
        within = apart.T @ apart / max(len(apart), 1) + 1e-3 * np.eye(X.shape[1])
        values, vectors = np.linalg.eigh(within)
        scale = np.exp(-np.log(values).mean() / 2)  # keeps volumes, so that gamma means the same
        self.map = vectors / np.sqrt(values) @ vectors.T / scale
        self.model = model.fit(X @ self.map, y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(X @ self.map)
