"""Seeds for independent tasks."""

from numbers import Integral
from typing import TypeAlias

import numpy as np

_MOST_SEEDS = 2**31 - 1
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None


def seeds(random_state: RandomState, n: int) -> list[int]:
    """Return `n` independent seeds, each fit for scikit-learn's `random_state`.

    A task that takes the seed of its own index gives the same result whichever worker runs it, and whenever.
    From an integer, the first seeds do not depend on `n`: asking for more only adds to the list.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        None draws fresh entropy from the system; a RandomState or Generator is advanced.
    n : int
        How many.

    Examples
    --------
    >>> from pluribus._engine import seeds
    >>> seeds(0, 3) == seeds(0, 5)[:3]
    True
    """
    if n > _MOST_SEEDS:
        raise ValueError(f"{n} independent runs are asked for, more than {_MOST_SEEDS:,}: use fewer.")
    return [int(child.generate_state(1)[0]) for child in _root(random_state).spawn(n)]


def _root(random_state: RandomState) -> np.random.SeedSequence:
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(0, 2**32, size=4, dtype=np.uint32).tolist())
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**32, size=4).tolist())
    if isinstance(random_state, Integral) and not isinstance(random_state, bool) and random_state >= 0:
        return np.random.SeedSequence(int(random_state))
    raise ValueError(
        f"random_state={random_state!r} is not a seed: give a non-negative integer, a numpy RandomState or "
        "Generator, or None"
    )
