"""The vote: each criterion for its best, and what to say about it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pluribus.validate.criteria import Criterion

_TIE = 1e-9  # of the best value, or of 1 if that is less


@dataclass(frozen=True)
class Vote:
    """What the criteria say.

    Attributes
    ----------
    winner : int
        Place of the winner among the candidates.
    votes : ndarray
        Of each candidate; criteria whose best is shared split theirs.
    best : dict of criterion name -> list of places
        For whom each voted; empty if it is not defined for any candidate.
    tied : list of places
        Those with as many votes as the winner, which is one of them.
    undecided : list of places
        Of these, the ones that the first criterion finds as good.
    """

    winner: int
    votes: np.ndarray
    best: dict[str, list[int]]
    tied: list[int]
    undecided: list[int]


def vote(values: pd.DataFrame, criteria: list[Criterion]) -> Vote:
    """Each criterion gives one vote to the candidate it finds best, in equal parts if several are.

    Most votes win. Of those with equally many, the one that the criterion named first finds better; then the first.

    Examples
    --------
    >>> import pandas as pd
    >>> from pluribus.validate import CRITERIA
    >>> from pluribus.validate._vote import vote
    >>> values = pd.DataFrame({"silhouette": [0.5, 0.6, 0.1], "davies_bouldin": [0.3, 0.9, 0.8]})
    >>> found = vote(values, [CRITERIA["silhouette"], CRITERIA["davies_bouldin"]])
    >>> found.winner, found.votes.tolist(), found.tied
    (1, [1.0, 1.0, 0.0], [0, 1])
    """
    m = len(values)
    votes = np.zeros(m)
    best: dict[str, list[int]] = {}
    for criterion in criteria:
        score = _score(values, criterion)
        defined = ~np.isnan(score)
        best[criterion.name] = []
        if defined.any():
            near = _near(score, score[defined].max())
            best[criterion.name] = np.flatnonzero(near).tolist()
            votes[near] += 1 / near.sum()
    tied = np.flatnonzero(votes >= votes.max() - 1e-9).tolist()
    first = np.nan_to_num(_score(values, criteria[0]), nan=-np.inf)
    near = _near(first, first[tied].max())
    undecided = [place for place in tied if near[place]]
    return Vote(undecided[0], votes, best, tied, undecided)


def _near(score: np.ndarray, top: float) -> np.ndarray:
    """Which are as good as the best, but for rounding."""
    return score >= top - _TIE * max(abs(top), 1.0) if np.isfinite(top) else score == top


def _score(values: pd.DataFrame, criterion: Criterion) -> np.ndarray:
    """The values, turned so that more is better."""
    column = values[criterion.name].to_numpy(dtype=float)
    return column if criterion.greater_is_better else -column


def in_words(found: Vote, criteria: list[Criterion], names: list[str]) -> str:
    """Why the winner won: who voted for it and who did not, and how a tie was decided."""
    name = names[found.winner]
    if len(names) == 1:
        return f"{name} is the only candidate: there was nothing to choose from."
    voting = [criterion for criterion in criteria if found.best[criterion.name]]
    if not voting:
        return f"No criterion is defined for any candidate; {name} is just the first."
    for_it = [criterion for criterion in voting if found.winner in found.best[criterion.name]]
    clauses = []
    alone = all(len(found.best[criterion.name]) == 1 for criterion in for_it)
    if len(for_it) == len(voting) > 1 and alone:
        clauses.append(f"{name}: all {len(voting)} criteria find it best")
    else:
        what = _listed([_reason(criterion, found) for criterion in for_it])
        share = f", {len(for_it)} of {len(voting)} criteria" if len(voting) > 1 else ""
        clauses.append(f"{name}: best by {what}{share}")
    others = [
        f"{criterion.title} prefers {_listed([names[place] for place in found.best[criterion.name]][:5])}"
        for criterion in voting
        if found.winner not in found.best[criterion.name]
    ]
    if others:
        clauses.append(f"but {_listed(others)}")
    if len(found.tied) > 1:
        rivals = [names[place] for place in found.tied if place != found.winner]
        decided = len(found.undecided) == 1
        how = f"{criteria[0].title} finds {name} best of these" if decided else f"{name} is just the first of them"
        clauses.append(f"{_listed(rivals[:5])} {'has' if len(rivals) == 1 else 'have'} as many votes, and {how}")
    return "; ".join(clauses) + "."


def _reason(criterion: Criterion, found: Vote) -> str:
    equal = len(found.best[criterion.name]) - 1
    return f"{criterion.title} ({criterion.asks}{f'; {equal} more as good' if equal else ''})"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
