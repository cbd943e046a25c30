"""The memory limit of evidence: larger forms are refused before they are allocated."""

from pluribus._engine import MemoryLimitError, given_limit, in_bytes, memory_limit

DEFAULT_LIMIT = 2 * 2**30
_OTHER_FORMS = "form='operator', which stores no matrix, or form='neighbors'"


def refuse_above(limit: float, n_bytes: float, what: str, instead: str = _OTHER_FORMS) -> None:
    """Raise if ``what`` would take more than the limit."""
    if n_bytes > limit:
        raise MemoryLimitError(
            f"{what} would take {in_bytes(n_bytes)}, more than memory_limit = {in_bytes(limit)}. Use "
            f"{instead}, or raise memory_limit."
        )


def check_limit(given: float | str | None) -> float:
    """The limit in bytes."""
    if given is None:
        return min(DEFAULT_LIMIT, given_limit() or DEFAULT_LIMIT)
    return float(memory_limit(given))
