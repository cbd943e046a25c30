"""How much memory evidence may take: refuse before allocating, and say what to do instead."""

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
            f"{what} would take {_in_words(n_bytes)}, more than memory_limit = {_in_words(limit)}. Use "
            "form='operator', which holds no matrix, or form='neighbors', or raise memory_limit."
        )


def check_limit(memory_limit: float | None) -> float:
    """The limit in bytes."""
    if memory_limit is None:
        return DEFAULT_LIMIT
    if not memory_limit > 0:
        raise ValueError(f"memory_limit must be a positive number of bytes; got {memory_limit!r}.")
    return float(memory_limit)


def _in_words(n_bytes: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes:.0f} bytes"
