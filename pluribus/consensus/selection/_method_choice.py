"""The choice among consensus partitions, and how much it matters."""

from dataclasses import dataclass

import numpy as np

_TIED = 0.01  # difference of normalized mutual information that does not matter
_SAME = 0.95  # adjusted Rand index above which two partitions are nearly the same
_ALIKE = 0.8  # mean adjusted Rand index below which the methods disagree overall
_LITTLE = 0.3  # low normalized mutual information with the members


@dataclass(frozen=True)
class Choice:
    """The preferred method, the methods tied with it, and a verdict in words."""

    preferred: str
    tied: tuple[str, ...]
    verdict: str


def choose(names: list[str], n_clusters: np.ndarray, nmi: np.ndarray, between: np.ndarray, asked: int) -> Choice:
    """Prefer the partition with the requested number of clusters that agrees best with the members.

    Partitions whose mean normalized mutual information with the members is within 0.01 of the highest are tied. Ties go
    to the highest mean adjusted Rand index with the other candidates, then to the first name. Time is not considered,
    so the same ensemble and seed give the same choice.

    Parameters
    ----------
    names : list of m names
    n_clusters : array of m integers
    nmi : array of m numbers
        Mean normalized mutual information with the members.
    between : array of shape (m, m)
        Adjusted Rand indices between the partitions.
    asked : int
        The requested number of clusters. If no partition has it, all are candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.consensus.selection._method_choice import choose
    >>> between = np.array([[1, 0.99, 0.5], [0.99, 1, 0.5], [0.5, 0.5, 1]])
    >>> choose(["a", "b", "c"], np.array([3, 3, 3]), np.array([0.7, 0.701, 0.6]), between, 3).tied
    ('a', 'b')
    """
    eligible = np.flatnonzero(n_clusters == asked)
    candidates = eligible if len(eligible) else np.arange(len(names))
    tied = candidates[nmi[candidates] >= nmi[candidates].max() - _TIED]
    support = _mean_with_others(between[np.ix_(candidates, candidates)])[np.isin(candidates, tied)]
    best = min(range(len(tied)), key=lambda j: (-round(float(support[j]), 9), names[tied[j]]))
    preferred = int(tied[best])
    parts = [
        *_candidates_in_words(names, n_clusters, eligible, asked),
        _standing_in_words(names, nmi, between, candidates, tied, preferred),
        *_doubts_in_words(nmi[preferred], between[np.ix_(candidates, candidates)]),
        "Agreement with the members rewards similarity to them: it does not show which partition is true.",
    ]
    return Choice(names[preferred], tuple(names[j] for j in tied), " ".join(parts))


def _mean_with_others(between: np.ndarray) -> np.ndarray:
    """The mean of each row without the diagonal; 0 for a single partition."""
    m = len(between)
    return (between.sum(axis=1) - between.diagonal()) / max(m - 1, 1)


def _candidates_in_words(names: list[str], n_clusters: np.ndarray, eligible: np.ndarray, asked: int):
    if not len(eligible):
        yield (
            f"No method found the requested {asked} clusters, so all are compared, although values for different "
            "numbers of clusters are not comparable."
        )
        return
    others = [f"{name} ({k})" for name, k in zip(names, n_clusters, strict=True) if k != asked]
    if others:
        verb = "has" if len(others) == 1 else "have"
        yield (
            f"{in_words(others)} {verb} another number of clusters than the requested {asked}; their values are not "
            "comparable, so the choice is among the rest."
        )


def _standing_in_words(
    names: list[str], nmi: np.ndarray, between: np.ndarray, candidates: np.ndarray, tied: np.ndarray, preferred: int
) -> str:
    """The lead of the preferred method, and whether it matters."""
    name = names[preferred]
    if len(candidates) == 1:
        return f"{name} is the only candidate."
    lowest = float(between[np.ix_(candidates, candidates)].min())
    if lowest >= _SAME:
        return f"All {len(candidates)} candidates give {_alike(lowest)}: the choice hardly matters."
    rivals = [j for j in tied if j != preferred]
    if not rivals:
        runner_up = max((j for j in candidates if j != preferred), key=lambda j: (nmi[j], between[preferred, j]))
        gap = f"{nmi[preferred] - nmi[runner_up]:.3f}"
        ahead = f"{name} agrees best with the members, ahead of {names[runner_up]} by {gap}"
        if between[preferred, runner_up] >= _SAME:
            return f"{ahead}; the two are nearly the same partition, so the choice hardly matters."
        return f"{ahead}, and the two differ (adjusted Rand index {between[preferred, runner_up]:.2f}): look at both."
    lowest = float(between[np.ix_(tied, tied)].min())
    all_tied = in_words([names[j] for j in tied])
    if lowest >= _SAME:
        return (
            f"{all_tied} are nearly tied and give {_alike(lowest)}: the choice among them hardly matters. The others "
            "differ."
        )
    apart = [names[j] for j in rivals if between[preferred, j] < _SAME]
    if not apart:  # all similar to the preferred one, but not all to each other
        return f"{all_tied} are nearly tied, and each is nearly the same partition as {name}."
    return (
        f"{all_tied} agree with the members equally well, but they are not the same partition: from {name}, "
        f"{in_words(apart)} {'differs' if len(apart) == 1 else 'differ'} (adjusted Rand index down to "
        f"{min(between[preferred, j] for j in rivals):.2f}). These figures cannot decide between them: look at each, "
        "and decide by what you know about the objects."
    )


def _doubts_in_words(nmi: float, between: np.ndarray):
    """Reasons for caution."""
    mean = float(_mean_with_others(between).mean())
    if len(between) > 1 and mean < _ALIKE:
        yield (
            f"Overall the methods disagree (mean adjusted Rand index between them {mean:.2f}): inspect the partitions "
            "before you rely on one."
        )
    if nmi < _LITTLE:
        yield (
            f"Even the preferred method agrees little with the members (normalized mutual information {nmi:.2f}): the "
            "members may have little in common."
        )


def _alike(lowest: float) -> str:
    """The similarity of partitions with at least this adjusted Rand index, in words."""
    if lowest > 1 - 1e-9:
        return "the same partition"
    return f"nearly the same partition (adjusted Rand index at least {np.floor(100 * lowest) / 100:.2f})"


def in_words(names: list[str]) -> str:
    """Names as a list in a sentence.

    Examples
    --------
    >>> from pluribus.consensus.selection._method_choice import in_words
    >>> in_words(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
