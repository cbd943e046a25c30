import numpy as np
import pytest

from pluribus._engine import seeds


def test_integer_seeds_are_reproducible_and_distinct():
    assert seeds(7, 50) == seeds(7, 50)
    assert len(set(seeds(7, 50))) == 50
    assert seeds(7, 50) != seeds(8, 50)


def test_more_members_only_add_seeds():
    assert seeds(3, 100)[:10] == seeds(3, 10)


def test_none_gives_fresh_entropy():
    assert seeds(None, 3) != seeds(None, 3)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_objects_are_advanced(make):
    source = make(0)
    first, second = seeds(source, 4), seeds(source, 4)
    assert first != second
    assert first == seeds(make(0), 4)


def test_seeds_fit_scikit_learn():
    assert all(isinstance(seed, int) and 0 <= seed < 2**32 for seed in seeds(np.int64(5), 20))


@pytest.mark.parametrize("bad", [-1, True, 1.5, "seed"])
def test_bad_seed_is_refused(bad):
    with pytest.raises(ValueError, match="random_state"):
        seeds(bad, 2)
