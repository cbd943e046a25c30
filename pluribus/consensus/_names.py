"""Consensus functions by the names the field knows them by."""

from typing import Any

from pluribus.consensus._evidence_accumulation import EvidenceAccumulation
from pluribus.consensus._pairwise_probabilistic import PairwiseProbabilistic

_BY_NAME: dict[str, type[Any]] = {
    "eac": EvidenceAccumulation,
    "ppc": PairwiseProbabilistic,
}


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus import consensus
    >>> consensus.names()
    ['eac', 'ppc']
    """
    return sorted(_BY_NAME)


def by_name(name: str) -> type[Any]:
    """The consensus function of this name, as a class.

    Examples
    --------
    >>> from pluribus import consensus
    >>> consensus.by_name("EAC")
    <class 'pluribus.consensus._evidence_accumulation.EvidenceAccumulation'>
    """
    try:
        return _BY_NAME[name.lower()]
    except KeyError:
        raise ValueError(f"No consensus function is called {name!r}; there are {', '.join(names())}.") from None
