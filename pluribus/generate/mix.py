"""Mixes of generators."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from pluribus._engine import seeds
from pluribus.generate._base import BaseGenerator, check_repeatable
from pluribus.generate._members import Member
from pluribus.generate.generator import Generator


class Mix(BaseGenerator):
    """The members of several generators in one ensemble; made by `mix`.

    Parameters
    ----------
    generators : sequence of generators
        The members are in this order. The `engine`, `n_jobs` and `verbose` of the generators are ignored.
    random_state : int, RandomState, numpy Generator or None, default=None
        If given, the seeds of all generators are derived from it; otherwise each uses its own.
    engine, n_jobs, verbose
        As for `Generator`.

    Examples
    --------
    >>> from pluribus.generate import Generator, Mix
    >>> Mix([Generator(n_members=30), Generator("spectral", n_members=10)]).n_members
    40
    """

    _parameter_constraints: dict = {
        "generators": [tuple, list],
        "random_state": ["random_state", np.random.Generator],
        "engine": "no_validation",
        "n_jobs": [Integral, None],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        generators: "Sequence[Generator | Mix]",
        *,
        random_state: Any = None,
        engine: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.generators = generators
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def n_members(self) -> int:
        """Members of all generators together."""
        return sum(generator.n_members for generator in self.generators)

    def _plan(self, n: int, d: int, *, sparse: bool, random_state: Any) -> list[Member]:
        self._validate_params()
        for generator in self.generators:
            if not isinstance(generator, BaseGenerator):
                raise ValueError(f"{generator!r} is not a generator: mix takes Generator(...) and mix(...) only")
        if not self.generators:
            raise ValueError("mix needs at least one generator")
        return [
            member
            for generator, seed in self._seeded(random_state)
            for member in generator._plan(n, d, sparse=sparse, random_state=seed)
        ]

    def _identity(self, n: int, random_state: Any) -> Any:
        if random_state is not None:
            check_repeatable(random_state)
        return "Mix", [
            (generator.n_members, generator._identity(n, seed)) for generator, seed in self._seeded(random_state)
        ]

    def _seeded(self, random_state: Any) -> "list[tuple[Generator | Mix, Any]]":
        """Return each generator with its seed."""
        if random_state is None:
            return [(generator, generator.random_state) for generator in self.generators]
        return list(zip(self.generators, seeds(random_state, len(self.generators)), strict=True))


def mix(
    *generators: Generator | Mix,
    random_state: Any = None,
    engine: Any = None,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> Mix:
    """Combine generators into one that makes the members of all.

    Different clusterers, and members on different features, make different errors. A mix is therefore more robust than
    more members of one kind.

    Parameters
    ----------
    *generators : Generator or Mix
        The members are in this order. The `engine`, `n_jobs` and `verbose` of the generators are ignored.
    random_state, engine, n_jobs, verbose
        See `Mix`.

    Returns
    -------
    Mix
        With the interface of a `Generator`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.generate import Generator, mix
    >>> both = mix(
    ...     Generator("kmeans", n_members=3, n_clusters=8),
    ...     Generator("agglomerative", linkage="single", n_members=2, n_clusters=5, subsample=0.9),
    ...     random_state=0,
    ... )
    >>> both.generate(load_iris().data).names
    ('kmeans-0 k=8', 'kmeans-1 k=8', 'kmeans-2 k=8', 'single-link-3 k=5', 'single-link-4 k=5')
    """
    return Mix(generators, random_state=random_state, engine=engine, n_jobs=n_jobs, verbose=verbose)
