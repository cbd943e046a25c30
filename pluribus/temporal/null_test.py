"""Are there states, or does the series only drift?"""

import os
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from pluribus._engine import ArraySpec, TaskStore, fingerprint, real_number, run_tasks, seeds, whole_number
from pluribus.tables._internal import check_scale
from pluribus.temporal._blocks import Block, Limits, removed_rows
from pluribus.temporal._drift import Drift
from pluribus.temporal._evaluation import Evaluation, Goal
from pluribus.temporal._members import GridMembers
from pluribus.temporal._rows import OrderedRows
from pluribus.temporal._searches import grid_starts

_MOST_ROWS = 80  # more are averaged
_STEPS = 12  # of the grid
_MEMBERS = 20
_NUMBERS = tuple(range(2, 7))
# What the removal of all rows would cost. The contrast of states falls little with the removed rows, that of a drift
# rises: with 0.5, states of five kinds were 5 to 10 standard deviations from drifts, with 0 up to 3.
_PENALTY = 0.5
LEAST_ROWS = 12


@dataclass(frozen=True, eq=False)
class NullTest:
    """Whether a series has states, or only drifts.

    Attributes
    ----------
    p_value : float
        The share of drifting series without states whose states look at least as clean, with the series itself counted
        among them.
    statistic : float
        The highest contrast - 0.5 * (share of removed rows) over all blocks to remove. The contrast is the mean
        evidence of two rows of one segment, minus that of two rows of different segments.
    contrast, fitness, removed : float
        The contrast, the fitness F, and the share of removed rows of that block.
    surrogates : ndarray of shape (n_surrogates, 4)
        Statistic, contrast, fitness and share of removed rows of each drifting series.
    n_averaged : int
        Consecutive rows that were averaged into one.
    level : float
    """

    p_value: float
    statistic: float
    contrast: float
    fitness: float
    removed: float
    surrogates: np.ndarray
    n_averaged: int
    level: float

    @property
    def states(self) -> bool:
        """Whether a drift alone would hardly look like this."""
        return self.p_value <= self.level

    @property
    def verdict(self) -> str:
        """The result in plain words."""
        n = len(self.surrogates)
        as_clean = round(self.p_value * (n + 1)) - 1
        of_them = f"{as_clean:,} of {n:,} series that only drift look at least as clean (p = {self.p_value:.3g})"
        if self.states:
            return f"There is evidence of distinct states: {of_them}."
        return f"There is no evidence of distinct states: {of_them}. A steady drift explains the series as well."


def null_test(
    X: Any,
    *,
    n_surrogates: int = 99,
    level: float = 0.05,
    standardize: bool = True,
    checkpoint: str | os.PathLike[str] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> NullTest:
    """Test whether a series has distinct states, or only drifts.

    Removing the middle of any drifting series leaves two clean groups, so a high fitness of `TransitionSearch` is not
    evidence of states. This test compares the series with others that drift from the same start to the same end in a
    straight line, with the same noise (its rows are drawn from the series, and it remembers the row before as much).
    The statistic is high if the evidence keeps each state together and the states apart, and few rows need to be
    removed for that. F itself tells little here: with some rows removed it is close to 1 for drifts and for states.

    More than 80 rows are averaged in groups of consecutive rows first: states last for many rows, and means of them
    show more. The ensemble has 20 k-means members, also if the search uses another one.

    Drift is a straight line here. A series that changes quickly at some time and slowly at others is in between, and
    can be called states. So can noise whose memory is longer than what a first-order autoregression describes.

    Parameters
    ----------
    X : array of shape (n, p)
        Rows in the order of time; 12 at least.
    n_surrogates : int, default=99
        Drifting series to compare with. The smallest p-value is 1 / (n_surrogates + 1).
    level : float, default=0.05
        The p-value up to which ``states`` is true.
    standardize : bool, default=True
        Scale each feature to variance 1.
    checkpoint : path, optional
        A directory for finished series; a test that was stopped continues from there. It needs an integer
        `random_state`.
    random_state : int, RandomState, numpy Generator or None
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Returns
    -------
    NullTest

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.temporal import null_test
    >>> rng = np.random.default_rng(0)
    >>> jump = np.repeat([0.0, 3.0], 20)[:, None] + 0.3 * rng.normal(size=(40, 2))
    >>> null_test(jump, n_surrogates=19, random_state=0).states
    True
    >>> drift = np.linspace(0, 3, 40)[:, None] + 0.3 * rng.normal(size=(40, 2))
    >>> null_test(drift, n_surrogates=19, random_state=0).states
    False
    """
    X = check_array(X, dtype=np.float64, ensure_min_samples=LEAST_ROWS, input_name="X")
    check_scale(X)
    n_surrogates = whole_number("n_surrogates", n_surrogates, 1, 1_000_000)
    level = real_number("level", level, 0, 1)
    if not isinstance(standardize, bool | np.bool_):
        raise ValueError(f"standardize={standardize!r}: give True or False.")
    own = _own_seeds(random_state, n_surrogates, checkpoint)
    n_averaged = -(-len(X) // _MOST_ROWS)
    rows = _averaged(X, n_averaged)
    found = _search(rows, standardize, own[0])
    drift = Drift.of(rows, *found.block)

    def of_surrogate(seed: int) -> np.ndarray:
        series = drift.drawn(np.random.default_rng([2, seed]))
        return np.array(_search(series, standardize, own[0])[:4])

    store = None
    if checkpoint is not None:
        store = TaskStore(checkpoint, fingerprint("null test 1", X, bool(standardize), int(random_state)))
    surrogates = np.array(
        run_tasks(
            of_surrogate,
            own[1:],
            n_jobs=n_jobs,
            description="drifting series to compare with",
            verbose=bool(verbose),
            store=store,
            expected=lambda _: ArraySpec("f", (4,)),
        )
    )
    as_clean = int(np.count_nonzero(surrogates[:, 0] >= found.statistic - 1e-9))
    p_value = (1 + as_clean) / (1 + n_surrogates)
    return NullTest(p_value, *found[:4], surrogates, n_averaged, level)


def _own_seeds(random_state: Any, n_surrogates: int, checkpoint: Any) -> list[int]:
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise ValueError(f"checkpoint={checkpoint!r}: give the path of a directory.")
    if checkpoint is not None and not isinstance(random_state, Integral):
        raise ValueError(f"random_state={random_state!r} cannot be repeated: a checkpoint needs an integer.")
    return seeds(random_state, n_surrogates + 1)


def _averaged(X: np.ndarray, size: int) -> np.ndarray:
    """Means of consecutive rows; a rest shorter than the others is left out."""
    n = len(X) // size
    return X[: n * size].reshape(n, size, X.shape[1]).mean(axis=1)


class _Found(NamedTuple):
    """The block whose removal leaves the clearest contrast; see `NullTest`."""

    statistic: float
    contrast: float
    fitness: float
    removed: float
    block: Block


def _search(X: np.ndarray, standardize: bool, seed: int) -> _Found:
    """The highest statistic over the changes without a block, and over the blocks of a coarse grid."""
    n = len(X)
    limits = Limits.of(n, 1, 0.1, 0.6)
    rows = OrderedRows(X, standardize=standardize)
    numbers = [k for k in _NUMBERS if k <= n - limits.most_removed]
    evaluation = Evaluation(rows, GridMembers(rows, (), (), numbers, _MEMBERS, seed), Goal(0.1, 1.0, 0.0))
    step = max(1, n // _STEPS)
    blocks: list[Block] = [(start, start - 1) for start in range(limits.least, n - limits.least + 1)]
    contrasts = evaluation.contrasts(blocks)
    for length in range(step, limits.most_removed + 1, step):
        of_length = [(start, start + length - 1) for start in grid_starts(n, length, limits.least, step)]
        blocks += of_length
        contrasts += [evaluation.contrasts([block])[0] for block in of_length]
    statistics = np.array(contrasts) - _PENALTY * np.array([removed_rows(block) for block in blocks]) / n
    best = int(statistics.argmax())
    fitness = evaluation.fitness(blocks[best]).total
    return _Found(float(statistics[best]), contrasts[best], fitness, removed_rows(blocks[best]) / n, blocks[best])
