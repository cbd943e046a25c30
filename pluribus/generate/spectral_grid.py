"""Ensembles by spectral clustering at a grid of widths and numbers of clusters."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from pluribus._engine import list_of, seeds
from pluribus.generate._base import BaseGenerator, check_repeatable
from pluribus.generate._k_rules import k_range
from pluribus.generate._members import Member
from pluribus.generate._perturbation import View
from pluribus.generate._spectral_widths import CUTS, MAX_ROWS, WidthCut

WIDTHS = tuple(round(0.1 * step, 1) for step in range(3, 31))  # of the source: 0.3, 0.4, … 3.0
_LEAST = 1e-100  # smaller widths, and inverse ones that are larger, have no squares


class SpectralGrid(BaseGenerator):
    """Cluster a small table spectrally, with every width of the kernel and every number of clusters of a grid.

    The similarity of two rows is exp(-d² / (2 width²)) for all pairs of rows. Nobody knows the right width, so the
    ensemble has members at many. The eigenvectors of a width are computed once and serve all members of that width: by
    default there are 28 decompositions for 280 members.

    All pairs of rows are held, and time grows with n³: it is for up to 5,000 rows. For more, use
    ``Generator("landmarks")``.

    Parameters
    ----------
    widths : sequence of float, optional
        Widths of the Gaussian kernel, by default 0.3, 0.4, … 3.0. The unit is the median distance of a row to its
        nearest neighbor, so that widths do not depend on the scale of the features.
    n_clusters : (int, int) or int, default=(2, 6)
        The smallest and the largest number of clusters: there are members with each number from one to the other.
    cuts : sequence of {"njw", "ncut"}, default=("njw", "ncut")
        "njw" is k-means on the directions of the rows of the eigenvectors (Ng, Jordan and Weiss), "ncut" the k-way
        normalized cut (Shi and Malik).
    random_state : int, RandomState, numpy Generator or None, default=None
        Decides where k-means starts.
    engine, n_jobs, verbose
        As for `Generator`.

    References
    ----------
    Ng, Jordan and Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.
    Shi and Malik, "Normalized cuts and image segmentation", IEEE TPAMI 22, 2000.
    Medina and Fred, "Clustering data with temporal evolution", CCIS 129, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.generate import SpectralGrid
    >>> grid = SpectralGrid(widths=[1, 2], n_clusters=(2, 3), random_state=0)
    >>> grid.n_members
    8
    >>> grid.generate(load_iris().data).names[:3]
    ('njw-0 k=2', 'njw-1 k=3', 'ncut-2 k=2')
    """

    _parameter_constraints: dict = {
        "widths": ["array-like", None],
        "n_clusters": [Integral, tuple, list],
        "cuts": [tuple, list],
        "random_state": ["random_state", np.random.Generator],
        "engine": "no_validation",
        "n_jobs": [Integral, None],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        widths: Sequence[float] | None = None,
        *,
        n_clusters: int | tuple[int, int] = (2, 6),
        cuts: Sequence[str] = CUTS,
        random_state: Any = None,
        engine: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.widths = widths
        self.n_clusters = n_clusters
        self.cuts = cuts
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def n_members(self) -> int:
        """Members for all widths, cuts and numbers of clusters."""
        return len(check_widths("widths", self.widths)) * len(check_cuts("cuts", self.cuts)) * len(self._numbers(2**31))

    def _numbers(self, n: int) -> range:
        """The numbers of clusters for n rows."""
        low, high = k_range(n, self.n_clusters)
        return range(low, high + 1)

    def _plan(self, n: int, d: int, *, sparse: bool, random_state: Any) -> list[Member]:
        self._validate_params()
        widths, cuts, numbers = check_widths("widths", self.widths), check_cuts("cuts", self.cuts), self._numbers(n)
        if sparse:
            raise ValueError("X is sparse, but SpectralGrid needs dense rows: give Generator('landmarks') instead.")
        if n > MAX_ROWS:
            raise ValueError(
                f"X has {n:,} rows, and SpectralGrid is for at most {MAX_ROWS:,}: give Generator('landmarks'), which "
                "clusters millions of rows spectrally."
            )
        plans = [(width, cut, k) for width in widths for cut in cuts for k in numbers]
        return [
            Member(WidthCut(width, cut, numbers[-1]), "average", k, k, View(n, d, None, seed, 0, seed))
            for (width, cut, k), seed in zip(plans, seeds(random_state, len(plans)), strict=True)
        ]

    def _identity(self, n: int, random_state: Any) -> Any:
        check_repeatable(random_state)
        numbers = self._numbers(n)
        return "SpectralGrid", [*check_widths("widths", self.widths)], list(self.cuts), list(numbers), random_state


def check_widths(name: str, widths: Any) -> tuple[float, ...]:
    """The widths as numbers; those of the source, if none are given."""
    if widths is None:
        return WIDTHS
    given = list_of(name, widths, "widths")
    numbers = [float(w) for w in given if isinstance(w, Real) and not isinstance(w, bool)]
    if not given or len(numbers) < len(given) or not all(_LEAST <= width <= 1 / _LEAST for width in numbers):
        raise ValueError(f"{name}={widths!r}: give one or more widths above 0, such as [0.5, 1, 2].")
    return tuple(numbers)


def check_cuts(name: str, cuts: Any) -> tuple[str, ...]:
    """The cuts, if all are known."""
    if isinstance(cuts, str) or not cuts or not all(isinstance(cut, str) and cut in CUTS for cut in cuts):
        raise ValueError(f"{name}={cuts!r}: give one or more of {', '.join(map(repr, CUTS))}.")
    return tuple(cuts)
