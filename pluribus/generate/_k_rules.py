"""How many clusters a member has: fixed, from a range, or by a rule that grows with the number of rows."""

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
    """Return the smallest and the largest number of clusters that a rule gives a member of `n` rows.

    Members of an ensemble are best finer than the clusters sought: they *split*, and the consensus *merges*. A
    small cluster seldom straddles two natural ones, whatever their shape, and evidence from small clusters is
    sparse. The rules let k grow with n so that clusters stay small:

    - ``"sqrt"``: from √n / 2 to √n.
    - ``"linear"``: from n / 50 to n / 20, clusters of 20 to 50 rows whatever n. Clustering costs O(n²) a member.
    - ``"sqrt-or-50"``: from the larger of √n / 2 and n / 50, up to 20 more.
    - ``"auto"``: the same, but starting from 25 at least and from √n at most, and with 4 rows in a cluster on
      average at least. Fewer could not split the clusters of a small table. Above 2,500 rows k grows with √n
      and a member costs O(n^1.5), so that a million rows stay practical (k of 1,000 instead of 20,000).
    - ``"coarse"``: from 20 to 60, for members through landmarks; of small tables, from n / 24 to n / 4.

    Parameters
    ----------
    n : int
        Number of rows that a member clusters.
    rule : int, (int, int), str or callable
        A fixed k, a range, the name of a rule, or a function of n that returns a range.

    Returns
    -------
    k_min, k_max : int
        Clipped to what n rows allow: a fixed k to n, a range to n - 1 (n single rows tell nothing), and a named
        rule to 2 at least.

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
    """Return the range as asked for, before `n` rows limit it."""
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
