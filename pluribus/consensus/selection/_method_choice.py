"""Which of several consensus partitions to prefer, and how much that choice means."""

from dataclasses import dataclass

import numpy as np

_TIED = 0.01  # of normalized mutual information: less than that tells nothing
_SAME = 0.95  # adjusted Rand index from which two partitions are nearly the same
_ALIKE = 0.8  # mean adjusted Rand index below which the methods differ on the whole
_LITTLE = 0.3  # normalized mutual information with the members that is little


@dataclass(frozen=True)
class Choice:
    """The preferred method, those that are as good by the rule, and what to think of it, in words."""

    preferred: str
    tied: tuple[str, ...]
    verdict: str


def choose(names: list[str], n_clusters: np.ndarray, nmi: np.ndarray, between: np.ndarray, asked: int) -> Choice:
    """Prefer, among the partitions with the number of clusters asked for, the one that tells most about the members.

    Those whose mean normalized mutual information with the members is within 0.01 of the highest count as tied; of
    them the one most like the other candidates is taken, by mean adjusted Rand index; then the first by name. Time
    plays no part, so that the same ensemble and seed give the same choice.

    Parameters
    ----------
    names : list of m names
    n_clusters : array of m integers
    nmi : array of m numbers
        Mean normalized mutual information with the members.
    between : array of shape (m, m)
        Adjusted Rand indices between the partitions.
    asked : int
        The number of clusters asked for. If no partition has it, all are candidates.

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
        "Agreement with the members rewards what is like the members: it does not show which partition is true.",
    ]
    return Choice(names[preferred], tuple(names[j] for j in tied), " ".join(parts))


def _mean_with_others(between: np.ndarray) -> np.ndarray:
    """Of each row, the mean without the diagonal; 0 if there is nothing else."""
    m = len(between)
    return (between.sum(axis=1) - between.diagonal()) / max(m - 1, 1)


def _candidates_in_words(names: list[str], n_clusters: np.ndarray, eligible: np.ndarray, asked: int):
    if not len(eligible):
        yield (
            f"No method gave the {asked} clusters asked for, so all are compared, though values for different numbers "
            "of clusters cannot be compared fairly."
        )
        return
    others = [f"{name} ({k})" for name, k in zip(names, n_clusters, strict=True) if k != asked]
    if others:
        verb = "has" if len(others) == 1 else "have"
        yield (
            f"{in_words(others)} {verb} another number of clusters than the {asked} asked for; such values cannot be "
            "compared fairly, so the choice is among the rest."
        )


def _standing_in_words(
    names: list[str], nmi: np.ndarray, between: np.ndarray, candidates: np.ndarray, tied: np.ndarray, preferred: int
) -> str:
    """How far the preferred one is ahead, and whether that matters."""
    name = names[preferred]
    if len(candidates) == 1:
        return f"{name} is the only candidate: there was nothing to choose from."
    lowest = float(between[np.ix_(candidates, candidates)].min())
    if lowest >= _SAME:
        return f"All {len(candidates)} candidates give {_alike(lowest)}: the choice hardly matters."
    rivals = [j for j in tied if j != preferred]
    if not rivals:
        runner_up = max((j for j in candidates if j != preferred), key=lambda j: (nmi[j], between[preferred, j]))
        gap = f"{nmi[preferred] - nmi[runner_up]:.3f}"
        ahead = f"{name} agrees best with the members, ahead of {names[runner_up]} by {gap}"
        if between[preferred, runner_up] >= _SAME:
            return f"{ahead}; the two are nearly the same partition, so that hardly matters."
        return f"{ahead}, and the two differ (adjusted Rand index {between[preferred, runner_up]:.2f}): look at both."
    lowest = float(between[np.ix_(tied, tied)].min())
    all_tied = in_words([names[j] for j in tied])
    if lowest >= _SAME:
        return (
            f"{all_tied} are nearly tied and give {_alike(lowest)}: among them the choice hardly matters. The others "
            "differ."
        )
    apart = [names[j] for j in rivals if between[preferred, j] < _SAME]
    if not apart:  # all like the preferred one, though not all like each other
        return f"{all_tied} are nearly tied, and each is nearly the same partition as {name}."
    return (
        f"{all_tied} agree with the members equally well, but they are not the same partition: from {name}, "
        f"{in_words(apart)} {'differs' if len(apart) == 1 else 'differ'} (adjusted Rand index down to "
        f"{min(between[preferred, j] for j in rivals):.2f}). These figures cannot decide between them; look at each, "
        "and decide by what you know of the objects."
    )


def _doubts_in_words(nmi: float, between: np.ndarray):
    """What should make the reader careful."""
    mean = float(_mean_with_others(between).mean())
    if len(between) > 1 and mean < _ALIKE:
        yield (
            f"On the whole the methods differ (mean adjusted Rand index between them {mean:.2f}): look before you rely "
            "on any of them."
        )
    if nmi < _LITTLE:
        yield (
            f"Even the preferred one agrees little with the members (normalized mutual information {nmi:.2f}): they "
            "may have little in common."
        )


def _alike(lowest: float) -> str:
    """Partitions whose adjusted Rand indices are at least this, in words."""
    if lowest > 1 - 1e-9:
        return "the same partition"
    return f"nearly the same partition (adjusted Rand index at least {np.floor(100 * lowest) / 100:.2f})"


def in_words(names: list[str]) -> str:
    """Names as a sentence lists them.

    Examples
    --------
    >>> from pluribus.consensus.selection._method_choice import in_words
    >>> in_words(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
