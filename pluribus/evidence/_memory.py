"""How much memory evidence may take: refuse before allocating, and say what to do instead."""

from pluribus._engine import MemoryLimitError, given_limit, in_bytes

DEFAULT_LIMIT = 2 * 2**30


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
        return min(DEFAULT_LIMIT, given_limit() or DEFAULT_LIMIT)
    if not memory_limit > 0:
        raise ValueError(f"memory_limit must be a positive number of bytes; got {memory_limit!r}.")
    return float(memory_limit)
