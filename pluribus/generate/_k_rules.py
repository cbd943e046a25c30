"""The number of clusters of a member: fixed, from a range, or by a rule that grows with the number of rows."""

from collections.abc import Callable
from math import ceil, floor, sqrt
from numbers import Integral
from typing import TypeAlias

KRule: TypeAlias = int | tuple[int, int] | str | Callable[[int], tuple[int, int]]


def _sqrt(n: int) -> tuple[int, int]:
    # The source prints ceilings, but its table of k is rounded half up.
    return _round_half_up(sqrt(n) / 2), _round_half_up(sqrt(n))


def _linear(n: int) -> tuple[int, int]:
    return _round_half_up(n / 50), _round_half_up(n / 20)


def _sqrt_or_50(n: int) -> tuple[int, int]:
    k_min = max(ceil(sqrt(n) / 2), ceil(n / 50))
    return k_min, k_min + 20


def _auto(n: int) -> tuple[int, int]:
    k_min = max(25, min(_sqrt_or_50(n)[0], ceil(sqrt(n))))
    k_most = n // 4
    return min(k_min, k_most), min(k_min + 20, k_most)


def _coarse(n: int) -> tuple[int, int]:
    return min(20, n // 24), min(60, n // 4)


RULES: dict[str, Callable[[int], tuple[int, int]]] = {
    "auto": _auto,
    "sqrt": _sqrt,
    "linear": _linear,
    "sqrt-or-50": _sqrt_or_50,
    "coarse": _coarse,
}


def k_range(n: int, rule: KRule = "auto") -> tuple[int, int]:
    """Return the smallest and the largest number of clusters of a rule for a member of `n` rows.

    Members of an ensemble should be finer than the clusters of the result: members *split*, and the consensus *merges*.
    A small cluster seldom overlaps two natural ones, whatever their shape, and the evidence of small clusters is
    sparse. The rules let k grow with n so that clusters stay small:

    - ``"sqrt"``: from √n / 2 to √n.
    - ``"linear"``: from n / 50 to n / 20, which is clusters of 20 to 50 rows for any n. A member costs O(n²).
    - ``"sqrt-or-50"``: from the larger of √n / 2 and n / 50, up to 20 more.
    - ``"auto"``: the same, but starting from at least 25 and at most √n, and with at least 4 rows per cluster on
      average. Fewer clusters could not split the clusters of a small table. Above 2,500 rows k grows with √n and a
      member costs O(n^1.5), so that a million rows are practical (k of 1,000 instead of 20,000).
    - ``"coarse"``: from 20 to 60, for landmark members; from n / 24 to n / 4 for small tables.

    Parameters
    ----------
    n : int
        Number of rows that a member clusters.
    rule : int, (int, int), str or callable
        A fixed k, a range, the name of a rule, or a function of n that returns a range.

    Returns
    -------
    k_min, k_max : int
        Limited by the number of rows: a fixed k to at most n, a range to at most n - 1 (n singletons carry no
        information), and a named rule to at least 2.

    References
    ----------
    A. Lourenço, A. Fred, A. K. Jain, "On the scalability of evidence accumulation clustering", ICPR 2010.

    Examples
    --------
    >>> from pluribus.generate._internal import k_range
    >>> k_range(150, "sqrt"), k_range(150, "linear"), k_range(150, "auto")
    ((6, 12), (3, 8), (25, 37))
    >>> k_range(1_000_000, "auto")
    (1000, 1020)
    >>> k_range(10, (5, 30))
    (5, 9)
    """
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n={n!r} is not a number of rows: give an integer of at least 1")
    k_min, k_max = requested_range(n, rule)
    if isinstance(rule, Integral):
        return min(k_min, n), min(k_max, n)
    lowest = min(2, n) if isinstance(rule, str) else 1
    highest = max(n - 1, min(2, n))
    return min(max(k_min, lowest), highest), min(max(k_max, lowest), highest)


def requested_range(n: int, rule: KRule) -> tuple[int, int]:
    """Return the requested range, before `n` rows limit it."""
    if isinstance(rule, str):
        if rule not in RULES:
            raise ValueError(f"n_clusters={rule!r} is not a rule: choose from {', '.join(map(repr, RULES))}")
        return RULES[rule](n)
    given = rule(n) if callable(rule) else rule
    bounds = (given, given) if isinstance(given, Integral) and not isinstance(given, bool) else given
    if (
        not isinstance(bounds, tuple | list)
        or len(bounds) != 2
        or not all(isinstance(bound, Integral) and not isinstance(bound, bool) for bound in bounds)
        or not 1 <= bounds[0] <= bounds[1]
    ):
        source = f"n_clusters gave {given!r} for {n} rows" if callable(rule) else f"n_clusters={rule!r}"
        raise ValueError(
            f"{source}: give an integer of at least 1, a pair (k_min, k_max) with 1 <= k_min <= k_max, or one "
            f"of the rules {', '.join(map(repr, RULES))}"
        )
    return int(bounds[0]), int(bounds[1])


def _round_half_up(value: float) -> int:
    return floor(value + 0.5)
