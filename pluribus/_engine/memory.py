"""How much memory there is, how much a job may take, and both in words."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from pathlib import Path

import psutil

_SHARE = 0.7  # of what is free, by default
_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_CGROUP = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")

_budget: ContextVar[int | None] = ContextVar("memory_budget", default=None)


class MemoryLimitError(ValueError, MemoryError):
    """What is asked for would take more memory than is allowed; it was not allocated.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.evidence import CoAssociation, MemoryLimitError
    >>> try:
    ...     CoAssociation(np.zeros((100, 2), dtype=int), form="dense", memory_limit=10_000)
    ... except MemoryLimitError as error:
    ...     print(error)
    The dense evidence of 100 objects would take 80.0 kB, more than memory_limit = 10.0 kB. Use form='operator', which
    stores no matrix, or form='neighbors', or raise memory_limit.
    """


def free_memory() -> int:
    """Bytes that a job can take without swapping: what the machine has free, or the container is still allowed.

    Containers and jobs of a batch system are control groups of Linux, inside each other; the tightest counts.

    Examples
    --------
    >>> from pluribus._engine import free_memory
    >>> free_memory() > 0
    True
    """
    return min([psutil.virtual_memory().available, *_left_in_groups()])


def _left_in_groups() -> Iterator[int]:
    """What each control group of this process, and each that it is in, still allows."""
    try:
        own = re.search(r"^0::/?(.*)$", _OWN_GROUP.read_text(), re.MULTILINE)
    except OSError:
        return
    group = _CGROUP / own[1] if own else _CGROUP
    while group.is_relative_to(_CGROUP):
        try:
            allowed = int((group / "memory.max").read_text())
            used = int((group / "memory.current").read_text())
            cache = re.search(r"^inactive_file (\d+)$", (group / "memory.stat").read_text(), re.MULTILINE)
            yield max(allowed - used + (int(cache[1]) if cache else 0), 0)
        except (OSError, ValueError):  # not there, or without a limit ("max")
            pass
        group = group.parent


def given_limit() -> int | None:
    """The budget that was set around the work, if one was: what results may depend on, since it is the user's."""
    return _budget.get()


def memory_limit(given: float | str | None = None) -> int:
    """The bytes that a job may take.

    Parameters
    ----------
    given : number of bytes, text such as "4GB", "512 MiB" or "50%" (of what is free), or None
        None is the budget that was set around the work (see `memory_budget`), or 70 % of what is free.

    Examples
    --------
    >>> from pluribus._engine import memory_limit
    >>> memory_limit("4GB"), memory_limit("512 MiB"), memory_limit(1e6)
    (4000000000, 536870912, 1000000)
    """
    if given is None:
        return _budget.get() or int(_SHARE * free_memory())
    if isinstance(given, str):
        found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(?:(%)|([KMGT]I?)?B?)\s*", given.upper())
        if found:
            number, percent, unit = float(found[1]), found[2], found[3] or ""
            size = number / 100 * free_memory() if percent else number * _UNITS[unit]
            if size >= 1 and not (percent and number > 100):
                return int(size)
    elif isinstance(given, Real) and not isinstance(given, bool) and 1 <= given < float("inf"):
        return int(given)
    raise ValueError(
        f"memory limit {given!r}: give a number of bytes, a size such as '4GB' or '512MiB', or a share of the free "
        "memory such as '50%'."
    )


def check_memory(n_bytes: float, what: str, instead: str) -> None:
    """Raise if this many bytes are more than may be used, and say what to use instead.

    Examples
    --------
    >>> from pluribus._engine import MemoryLimitError, check_memory, memory_budget
    >>> with memory_budget("2GB"):
    ...     try:
    ...         check_memory(8e9, "A kernel between 31,623 objects", "fewer objects")
    ...     except MemoryLimitError as error:
    ...         print(error)
    A kernel between 31,623 objects would take 8.0 GB, more than the 2.0 GB that may be used: use fewer objects.
    """
    if n_bytes > memory_limit():
        raise MemoryLimitError(
            f"{what} would take {in_bytes(n_bytes)}, more than the {in_bytes(memory_limit())} that may be used: use "
            f"{instead}."
        )


@contextmanager
def memory_budget(limit: float | str | None) -> Iterator[int]:
    """Let all work inside keep to a limit; None leaves it as it is. Yields the limit in bytes.

    Examples
    --------
    >>> from pluribus._engine import memory_budget, memory_limit
    >>> with memory_budget("2GB"):
    ...     memory_limit()
    2000000000
    """
    token = _budget.set(_budget.get() if limit is None else memory_limit(limit))
    try:
        yield memory_limit()
    finally:
        _budget.reset(token)


def in_bytes(n_bytes: float) -> str:
    """A number of bytes in words.

    Examples
    --------
    >>> from pluribus._engine import in_bytes
    >>> in_bytes(12), in_bytes(3.2e9)
    ('12 bytes', '3.2 GB')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes:.0f} bytes"
