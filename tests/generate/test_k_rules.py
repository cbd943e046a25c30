import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.generate._internal import k_range

# n: (sqrt), (linear), from the source's table; n=600 and the lower bound of n=2000 are misprints there.
TABLE = {
    150: ((6, 12), (3, 8)),
    178: ((7, 13), (4, 9)),
    200: ((7, 14), (4, 10)),
    232: ((8, 15), (5, 12)),
    250: ((8, 16), (5, 13)),
    351: ((9, 19), (7, 18)),
    384: ((10, 20), (8, 19)),
    450: ((11, 21), (9, 23)),
    683: ((13, 26), (14, 34)),
    768: ((14, 28), (15, 38)),
    1000: ((16, 32), (20, 50)),
    4000: ((32, 63), (80, 200)),
    7797: ((44, 88), (156, 390)),
}


@pytest.mark.parametrize("n", TABLE)
def test_published_ranges(n):
    assert (k_range(n, "sqrt"), k_range(n, "linear")) == TABLE[n]


def test_sqrt_or_50_and_auto():
    assert k_range(400, "sqrt-or-50") == (10, 30)
    assert k_range(400, "auto") == (25, 45)
    assert k_range(2500, "sqrt-or-50") == k_range(2500, "auto") == (50, 70)
    assert k_range(100_000, "sqrt-or-50") == (2000, 2020)
    assert k_range(100_000, "auto") == (317, 337)
    assert k_range(1_000_000) == (1000, 1020)


def test_coarse():
    few = {1: (1, 1), 2: (2, 2), 10: (2, 2), 24: (2, 6), 100: (4, 25), 240: (10, 60), 480: (20, 60), 10**6: (20, 60)}
    assert {n: k_range(n, "coarse") for n in few} == few


@pytest.mark.parametrize(
    ("n", "expected"), [(1, (1, 1)), (2, (2, 2)), (3, (2, 2)), (4, (2, 2)), (60, (15, 15)), (150, (25, 37))]
)
def test_few_rows(n, expected):
    assert k_range(n, "auto") == expected


@given(st.integers(1, 10**7), st.sampled_from(["auto", "sqrt", "linear", "sqrt-or-50", "coarse"]))
def test_rules_stay_within_what_the_rows_allow(n, rule):
    k_min, k_max = k_range(n, rule)
    assert min(2, n) <= k_min <= k_max <= max(n - 1, min(2, n))


def test_own_numbers_are_clipped():
    assert k_range(5, 3) == (3, 3)
    assert k_range(5, 8) == (5, 5)
    assert k_range(5, (1, 30)) == (1, 4)
    assert k_range(5, (10, 30)) == (4, 4)
    assert k_range(100, lambda n: (n // 10, n // 5)) == (10, 20)
    assert k_range(100, lambda n: 7) == (7, 7)


@pytest.mark.parametrize("rule", [0, -1, True, 2.5, (3,), (3, 2), (0, 5), (2.0, 3), "square", lambda n: (0, 1), None])
def test_bad_rules(rule):
    with pytest.raises(ValueError, match="n_clusters"):
        k_range(100, rule)


@pytest.mark.parametrize("n", [0, -3, 2.5])
def test_bad_number_of_rows(n):
    with pytest.raises(ValueError, match="n="):
        k_range(n, "auto")
