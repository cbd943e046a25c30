"""Constraints drawn from known labels, for experiments."""

from typing import Any

import numpy as np

from pluribus._engine import RandomState, real_number, seeds, whole_number
from pluribus.constraints._statements import Indices, parse_names
from pluribus.constraints.constraints import Constraints
from pluribus.constraints.errors import ConstraintError


def random_pairs(y: Any, n_pairs: int, *, noise: float = 0.0, random_state: RandomState = None) -> Constraints:
    """Draw pairs of objects uniformly, with replacement; a pair drawn twice counts once.

    Parameters
    ----------
    y : sequence of length n
        The true label of each object; -1, None or NaN where unknown, and such objects are not drawn.
    n_pairs : int
    noise : float, default=0.0
        Probability, below 0.5, that a relation is told wrongly. With noise the pairs become soft, with the weight that
        this noise deserves, ``log((1 - noise) / noise)``: hard wrong pairs soon contradict each other. For hard ones,
        call :meth:`Constraints.flip` on a noise-free set.
    random_state : int, RandomState, Generator or None

    Examples
    --------
    >>> from pluribus.constraints import random_pairs
    >>> random_pairs(["a", "a", "b", "b"], 3, random_state=0)
    <Constraints: 4 objects, 2 cannot-links>
    """
    n_pairs = whole_number("n_pairs", n_pairs, 0, error=ConstraintError)
    codes, known = _known(y, 2)
    rng = np.random.default_rng(seeds(random_state, 1)[0])
    one = rng.integers(len(known), size=n_pairs)
    other = rng.integers(len(known) - 1, size=n_pairs)
    other += other >= one
    return _tell(codes, known[np.column_stack([one, other])], noise, rng)


def disjoint_pairs(y: Any, fraction: float, *, noise: float = 0.0, random_state: RandomState = None) -> Constraints:
    """Pair up a share of the objects, each in one pair at most; such pairs never contradict each other.

    Parameters
    ----------
    y, noise, random_state
        As in :func:`random_pairs`.
    fraction : float
        The share of the objects with a known label that is paired, from 0 to 1.

    Examples
    --------
    >>> from pluribus.constraints import disjoint_pairs
    >>> disjoint_pairs([0, 0, 1, 1, 2, 2], 0.7, random_state=0)
    <Constraints: 6 objects, 2 must-links>
    """
    fraction = real_number("fraction", fraction, 0, 1, error=ConstraintError)
    codes, known = _known(y, 2)
    rng = np.random.default_rng(seeds(random_state, 1)[0])
    n_pairs = int(fraction * len(known) / 2)
    return _tell(codes, rng.permutation(known)[: 2 * n_pairs].reshape(n_pairs, 2), noise, rng)


def teachers(
    y: Any, n_teachers: int, n_each: int, *, noise: float = 0.0, random_state: RandomState = None
) -> Constraints:
    """Let each of several teachers partition a few random objects: all pairs among them are told.

    Parameters
    ----------
    y, noise, random_state
        As in :func:`random_pairs`.
    n_teachers : int
    n_each : int
        How many objects each teacher sees.

    Examples
    --------
    >>> from pluribus.constraints import teachers
    >>> teachers([0, 0, 0, 1, 1, 1], n_teachers=1, n_each=4, random_state=0)
    <Constraints: 6 objects, 3 must-links, 3 cannot-links>
    """
    n_teachers = whole_number("n_teachers", n_teachers, 0, error=ConstraintError)
    n_each = whole_number("n_each", n_each, 2, error=ConstraintError)
    codes, known = _known(y, n_each)
    rng = np.random.default_rng(seeds(random_state, 1)[0])
    among = np.column_stack(np.triu_indices(n_each, k=1))
    told = [rng.choice(known, n_each, replace=False)[among] for _ in range(n_teachers)]
    return _tell(codes, np.concatenate([np.empty((0, 2), np.int64), *told]), noise, rng)


def _known(y: Any, at_least: int) -> tuple[Indices, Indices]:
    """The coded labels, and which objects have one."""
    codes, _ = parse_names(y, None, "y")
    known = np.flatnonzero(codes >= 0)
    if len(known) < at_least:
        raise ConstraintError(
            f"y has {len(known)} known labels, but at least {at_least} objects are needed to draw from"
        )
    return codes, known


def _tell(codes: Indices, pairs: Indices, noise: float, rng: np.random.Generator) -> Constraints:
    if real_number("noise", noise, 0, 0.5, error=ConstraintError) == 0.5:
        raise ConstraintError(f"noise={noise}: the probability of a wrong relation goes from 0 to below 0.5")
    together = codes[pairs[:, 0]] == codes[pairs[:, 1]]
    told = Constraints(len(codes), must_link=pairs[together], cannot_link=pairs[~together])
    return told.flip(noise, rng, soften=True)
