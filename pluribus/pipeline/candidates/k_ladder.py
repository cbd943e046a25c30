"""Which numbers of clusters are good ones: the ladder of levels, and the one that is preferred."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pluribus.pipeline.candidates._levels import FIRST, Best, Levels
from pluribus.validate import Structure, cluster_separation

_BETWEEN, _BEYOND = (13, 15, 17, 19), (22, 25, 28, 32, 36, 40, 45, 50)  # if there may be as many clusters
_SEVERAL, _MANY = 12, 16  # clusters, from which on there may be as many
_SHARE, _MOST = 0.05, 6.0  # of lifetime × √k × stability⁴ in a score, and the most that it counts
_TIE = 0.02  # scores this close are equal: the finest of them is preferred
_LONG, _STABLE = 3.6, 0.98  # a lifetime that no finer level outweighs, if halves of the ensemble agree as well
_FOUND_AGAIN = 0.6  # adjusted Rand index of halves of the ensemble: a number below it is not preferred
_CLEARLY = 0.1  # by which a number that is finer than valleys separate has to be better than coarser ones
_FAR_BELOW = 0.3  # by which all numbers as fine as valleys separate may be below the best: then valleys do not decide
_NEARLY = 0.15  # by which a level of the ladder may be below the best
_RUNGS = 6


class Rung(NamedTuple):
    """A level of the ladder.

    Attributes
    ----------
    n_clusters : int
    score : float
        Of the best candidate for this number.
    agreement : float
        The mean adjusted Rand index of that candidate with the others.
    separation : float
        The least depth of a valley of the density that separates one of its clusters, over what chance makes: from 1 on
        each cluster is significant by itself. NaN if it was not asked.
    labels : ndarray of shape (n,)
        Clusters are numbered from the largest.
    """

    n_clusters: int
    score: float
    agreement: float
    separation: float
    labels: np.ndarray


@dataclass(frozen=True, eq=False)
class KLadder:
    """Numbers of clusters, how good each is, and the levels that are worth a look.

    Attributes
    ----------
    numbers : ndarray
        Numbers of clusters that were tried.
    scores : ndarray
        For each: the value of the best candidate (see ``Choice``), plus 0.05 of lifetime × √k × stability⁴, which
        counts up to 6.
    agreement : ndarray
        For each: the mean adjusted Rand index of the best candidate with the others.
    rungs : tuple of Rung
        The levels, from the coarsest: numbers whose neighbors have no higher score, unless far below the best, and the
        preferred one.
    preferred : int
        The number with the highest score, among those on which halves of the ensemble agree (adjusted Rand index from
        0.6); of scores within 0.02 of it, the finest. If valleys of the density separate more groups, each
        significantly: the coarsest number that is at least as fine, unless finer ones are better by more than 0.1.
        Valleys do not decide if all numbers that are as fine are below the best by more than 0.3, or if the evidence
        falls 36-fold at a coarser number that halves of the ensemble reproduce (from 0.98).
    sentence : str
        The preference in words.
    """

    numbers: np.ndarray
    scores: np.ndarray
    agreement: np.ndarray
    rungs: tuple[Rung, ...]
    preferred: int
    sentence: str

    @property
    def runner_up(self) -> int | None:
        """The next best level of the ladder; None if there is no other."""
        others = [rung for rung in self.rungs if rung.n_clusters != self.preferred]
        return max(others, key=lambda rung: rung.score).n_clusters if others else None

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each level of the ladder."""
        rows = [rung[:4] for rung in self.rungs]
        table = pd.DataFrame(rows, columns=["n_clusters", "score", "agreement", "separation"])
        return table.assign(preferred=table["n_clusters"] == self.preferred)

    def with_labels(self, n_clusters: int, labels: np.ndarray) -> "KLadder":
        """The same ladder, with other labels at one level."""
        rungs = tuple(r._replace(labels=labels) if r.n_clusters == n_clusters else r for r in self.rungs)
        return KLadder(self.numbers, self.scores, self.agreement, rungs, self.preferred, self.sentence)

    def to_json(self) -> dict[str, Any]:
        """Plain values without the labels, which ``from_json`` reads."""
        return {
            "numbers": self.numbers.tolist(),
            "scores": self.scores.tolist(),
            "agreement": self.agreement.tolist(),
            "rungs": [[rung.n_clusters, rung.score, rung.agreement, _or_none(rung.separation)] for rung in self.rungs],
            "preferred": self.preferred,
            "sentence": self.sentence,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], labels: np.ndarray) -> "KLadder":
        """A ladder from plain values and the labels of its levels, (n, levels); a ValueError if they do not fit."""
        numbers, scores, agreement = (np.array(stored[key], float) for key in ("numbers", "scores", "agreement"))
        if not numbers.shape == scores.shape == agreement.shape or numbers.ndim != 1 or not np.isfinite(scores).all():
            raise ValueError("numbers, scores and agreement of a ladder must be finite numbers, one each.")
        rungs = list(stored["rungs"])
        if labels.ndim != 2 or labels.shape[1] != len(rungs):
            raise ValueError(f"a ladder of {len(rungs)} levels has labels of shape {labels.shape}.")
        made = []
        for column, (k, score, agrees, separation) in zip(labels.T, rungs, strict=True):
            if column.min(initial=0) < -1 or column.max(initial=-1) >= int(k):
                raise ValueError(f"labels of a level of {int(k)} clusters must be -1 to {int(k) - 1}.")
            apart = np.nan if separation is None else float(separation)
            made.append(Rung(int(k), float(score), float(agrees), apart, column))
        return cls(
            numbers.astype(int), scores, agreement, tuple(made), int(stored["preferred"]), str(stored["sentence"])
        )


def climb(levels: Levels, structure: Structure | None, k_stability: Any, n_jobs: int | None) -> KLadder | None:
    """Try numbers of clusters, and prefer one; None if no number has candidates.

    Parameters
    ----------
    levels : Levels
    structure : Structure or None
        Of the linked objects: the groups that valleys of the density separate.
    k_stability : KStability
        Lifetime and stability of each number in the evidence.
    n_jobs : int, optional
    """
    tried = _tried(levels, FIRST)
    if not tried:
        return None
    by_valleys = structure.levels if structure else ()
    hinted = max((level.n_clusters for level in by_valleys), default=0)
    separated = max((level.n_clusters for level in by_valleys if np.nanmin(level.separation) >= 1), default=0)
    separated = min(separated, levels.most)
    tried |= _tried(levels, (separated,))
    for least, more in ((_SEVERAL, _BETWEEN), (_MANY, _BEYOND)):
        numbers, scores = _scored(tried, k_stability)
        if max(_finest(numbers, scores, k_stability, 0), hinted) >= least:
            tried |= _tried(levels, more)
    numbers, scores = _scored(tried, k_stability)
    known = _of_halves(numbers, scores, k_stability)
    preferred = agreed = _finest(numbers, scores, k_stability, _TIE)
    if separated > agreed and numbers[-1] >= separated and not _long_lived(k_stability, agreed):
        fine = numbers >= separated
        counted = np.where(numbers == separated, scores, known)[fine]  # valleys speak for themselves
        if counted.max() >= known.max() - _FAR_BELOW:
            preferred = int(numbers[fine][counted >= counted.max() - _CLEARLY].min())
    rungs = tuple(_rung(levels, k, tried[k], s, n_jobs) for k, s in _on_ladder(numbers, scores, known, preferred))
    agreement = np.array([tried[k].agreement for k in numbers])
    ladder = KLadder(numbers, scores, agreement, rungs, preferred, "")
    highest = int(np.argmax(scores))
    unlike = int(numbers[highest]) if known[highest] < scores[highest] - _TIE else None
    sentence = _sentence(ladder, agreed, separated, unlike, tried[preferred])
    return KLadder(numbers, scores, agreement, rungs, preferred, sentence)


def _tried(levels: Levels, numbers: Any) -> dict[int, Best]:
    found = {k: levels.best(k) for k in numbers}
    return {k: best for k, best in found.items() if best is not None}


def _scored(tried: dict[int, Best], k_stability: Any) -> tuple[np.ndarray, np.ndarray]:
    """The numbers that were tried, in order, and their scores."""
    numbers = np.array(sorted(tried))
    return numbers, np.array([tried[k].value + _SHARE * min(_MOST, _by_evidence(k_stability, k)) for k in numbers])


def _by_evidence(k_stability: Any, k: int) -> float:
    """lifetime × √k × stability⁴ of a number of clusters; 0 where it is not known."""
    scores = () if k_stability is None else k_stability.scores
    return float(max(scores[k - 2], 0)) if k - 2 < len(scores) else 0.0


def _of_halves(numbers: np.ndarray, scores: np.ndarray, k_stability: Any) -> np.ndarray:
    """The scores of the numbers on which halves of the ensemble agree, -inf for others; all if there is none."""
    stability = np.full(len(numbers), np.nan)
    if k_stability is not None:
        inside = numbers - 2 < len(k_stability.stability)
        stability[inside] = k_stability.stability[numbers[inside] - 2]
    unlike = stability < _FOUND_AGAIN  # where it is not known, the score decides
    return scores if unlike.all() else np.where(unlike, -np.inf, scores)


def _finest(numbers: np.ndarray, scores: np.ndarray, k_stability: Any, tie: float) -> int:
    """The finest of the numbers with the highest score, on which halves of the ensemble agree."""
    known = _of_halves(numbers, scores, k_stability)
    return int(numbers[known >= known.max() - tie].max())


def _long_lived(k_stability: Any, k: int) -> bool:
    if k_stability is None or k - 2 >= len(k_stability.lifetimes):
        return False
    return bool(k_stability.lifetimes[k - 2] >= _LONG and k_stability.stability[k - 2] >= _STABLE)


def _on_ladder(numbers: np.ndarray, scores: np.ndarray, known: np.ndarray, preferred: int) -> list[tuple[int, float]]:
    """The levels that are worth a look: peaks of the score that are not far below the best, and the preferred one.

    Scores are ``known`` where halves of the ensemble agree.
    """
    before, after = np.append(-np.inf, known[:-1]), np.append(known[1:], -np.inf)
    peaks = (known >= before) & (known > after) & (known >= known.max() - _NEARLY) & (numbers != preferred)
    found = np.flatnonzero(peaks)
    kept = found[np.argsort(-scores[found], kind="stable")][: _RUNGS - 1]
    places = np.sort(np.append(kept, np.flatnonzero(numbers == preferred)))
    return [(int(numbers[place]), float(scores[place])) for place in places]


def _rung(levels: Levels, k: int, best: Best, score: float, n_jobs: int | None) -> Rung:
    assert levels.ground is not None
    depths = cluster_separation(levels.ground.X, best.labels, n_jobs=n_jobs)
    known = depths[~np.isnan(depths)]
    labels = levels.labels(k)
    assert labels is not None
    return Rung(k, score, best.agreement, float(known.min()) if len(known) else np.nan, labels)


def _sentence(ladder: KLadder, agreed: int, separated: int, unlike: int | None, best: Best) -> str:
    """Why this number, and what is next."""
    k, n_others = ladder.preferred, len(best.choice.names) - 1
    if k == agreed:
        why = f"{n_others + 1} candidate partitions and the evidence speak most for this number; the best agrees with "
        why += f"the others at {best.agreement:.2f} (mean adjusted Rand index)"
    else:
        why = f"valleys of the density separate {separated} groups, each significantly, more than the {agreed} that "
        why += f"candidates speak for{'' if k == separated else f', and {k} clusters score clearly higher'}"
    if unlike is not None:
        why += f"; {unlike} clusters score higher, but halves of the ensemble do not agree on them"
    other = ladder.runner_up
    return f"{k} clusters: {why}.{'' if other is None else f' Next best: {other}.'}"


def _or_none(value: float) -> float | None:
    """A number for JSON, which has no infinity."""
    return None if np.isnan(value) else float(min(value, 1e6))
