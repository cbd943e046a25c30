"""How much memory evidence may take: refuse before allocating, and say what to do instead."""

from pluribus._engine import in_bytes
from pluribus._engine import memory_limit as allowed

DEFAULT_LIMIT = 2 * 2**30


class MemoryLimitError(ValueError, MemoryError):
    """A matrix of evidence would be larger than ``memory_limit``; nothing was allocated.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.evidence import CoAssociation, MemoryLimitError
    >>> try:
    ...     CoAssociation(np.zeros((100, 2), dtype=int), form="dense", memory_limit=10_000)
    ... except MemoryLimitError as error:
    ...     print(error)
    The dense evidence of 100 objects would take 80.0 kB, more than memory_limit = 10.0 kB. Use form='operator', which
    holds no matrix, or form='neighbors', or raise memory_limit.
    """


def refuse_above(limit: float, n_bytes: float, what: str) -> None:
    """Raise if ``what`` would take more than the limit."""
    if n_bytes > limit:
        raise MemoryLimitError(
            f"{what} would take {in_bytes(n_bytes)}, more than memory_limit = {in_bytes(limit)}. Use "
            "form='operator', which holds no matrix, or form='neighbors', or raise memory_limit."
        )


def check_limit(memory_limit: float | None) -> float:
    """The limit in bytes."""
    if memory_limit is None:
        return min(DEFAULT_LIMIT, allowed())
    if not memory_limit > 0:
        raise ValueError(f"memory_limit must be a positive number of bytes; got {memory_limit!r}.")
    return float(memory_limit)
