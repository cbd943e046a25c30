import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.temporal._blocks import Limits, removed_rows, segments_of

GAPS = st.integers(1, 3)
SEEDS = st.integers(0, 2**32 - 1)


def obeys(block, limits):
    sizes = np.bincount(segments_of(block, limits.n)[segments_of(block, limits.n) >= 0], minlength=limits.n_gaps + 1)
    gaps = [last - first + 1 for first, last in zip(block[::2], block[1::2], strict=True)]
    return len(sizes) == limits.n_gaps + 1 and min(sizes) >= limits.least and min(gaps) >= 1 and (
        removed_rows(block) <= limits.most_removed
    )  # fmt: skip


@given(GAPS, st.integers(20, 200), SEEDS)
def test_drawn_solutions_obey_the_guards(n_gaps, n, seed):
    limits = Limits.of(n, n_gaps, 0.1, 0.5)
    assert obeys(limits.drawn(np.random.default_rng(seed)), limits)


@given(GAPS, st.integers(20, 200), SEEDS)
def test_mended_solutions_obey_the_guards_and_good_ones_stay(n_gaps, n, seed):
    rng = np.random.default_rng(seed)
    limits = Limits.of(n, n_gaps, 0.1, 0.4)
    assert obeys(limits.mended(rng.integers(-5, n + 5, 2 * n_gaps).tolist()), limits)
    good = limits.drawn(rng)
    assert limits.mended(list(good)) == good
    assert limits.allows(good)


def test_segments():
    assert segments_of((2, 3), 6).tolist() == [0, 0, -1, -1, 1, 1]
    assert segments_of((2, 1), 4).tolist() == [0, 0, 1, 1]
    assert segments_of((1, 1, 3, 3), 5).tolist() == [0, -1, 1, -1, 2]


def test_impossible_guards():
    with pytest.raises(ValueError, match="X has 6 rows, but 2 segments of at least 3 rows and 1 removed need 7"):
        Limits.of(6, 1, 0.1, 0.6)
    assert Limits.of(7, 1, 0.1, 0.6).most_removed == 1
    with pytest.raises(ValueError, match="max_removed=0.0 of 50 rows"):
        Limits.of(50, 1, 0.1, 0.0)
