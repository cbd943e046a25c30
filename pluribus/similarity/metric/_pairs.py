"""Pairs that are apart: read from what is given, or drawn from names that differ."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import check_memory, check_summable, number_array
from pluribus.constraints import ConstraintError, Constraints
from pluribus.constraints._internal import as_constraints, parse_names, parse_pairs

_LABELED_PAIRS = 100_000  # drawn from known labels, at most
_BYTES = 56  # of a pair, while pairs are listed


class Apart(NamedTuple):
    """Pairs of rows that are apart, (m, 2), and their weights, (m,)."""

    pairs: np.ndarray
    weights: np.ndarray


def read_pairs(constraints: Any, pair_weight: Any, n: int, rng: np.random.Generator) -> Apart:
    """The pairs of a Constraints or of an (m, 2) array of rows, in their order; raises if there are none."""
    if isinstance(constraints, Constraints):
        if pair_weight is not None:
            raise ValueError(
                "pair_weight belongs to pairs that are given as an array: weights of a Constraints are its "
                "cannot_weight."
            )
        apart = _of_constraints(as_constraints(constraints, n), rng)
    else:
        pairs = parse_pairs(constraints, n, "cannot_link")
        alone = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if len(alone):
            i = int(pairs[alone[0], 0])
            raise ConstraintError(f"cannot_link row {alone[0]} is ({i}, {i}): a row cannot be apart from itself")
        apart = Apart(pairs, _weights(pair_weight, pairs))
    if not len(apart.pairs):
        raise ConstraintError(
            "cannot_link is empty: give pairs of rows that are apart, fit(X, constraints=[(0, 1), (0, 2)]), or names "
            "that differ, fit_names(X, names)."
        )
    if not apart.weights.any():
        raise ValueError("pair_weight is 0 for all pairs: give at least one pair a positive weight.")
    return apart


def _weights(pair_weight: Any, pairs: np.ndarray) -> np.ndarray:
    if pair_weight is None:
        return np.ones(len(pairs))
    weights = number_array("pair_weight", pair_weight)
    if weights.shape != (len(pairs),):
        raise ValueError(f"pair_weight has shape {weights.shape}: give one weight for each of the {len(pairs)} pairs.")
    check_summable("pair_weight", weights)
    if (weights < 0).any():
        c = int(np.flatnonzero(weights < 0)[0])
        i, j = pairs[c].tolist()
        raise ValueError(f"pair_weight[{c}], of the pair ({i}, {j}), is {weights[c]:g}: give 0 or more.")
    return weights


def _of_constraints(known: Constraints, rng: np.random.Generator) -> Apart:
    """Cannot-links, and pairs of different labels. A hard pair weighs as much as the heaviest soft one, or 1."""
    if len(known.must_link) or (known.groups >= 0).any():
        warnings.warn(
            "constraints hold must-links or groups, which this metric ignores: it is learned from cannot-links alone.",
            UserWarning,
            stacklevel=4,
        )
    soft = known.cannot_weight[np.isfinite(known.cannot_weight)]
    heaviest = float(soft.max(initial=0)) or 1.0
    labeled = pairs_of_names(known.labels, _LABELED_PAIRS, rng)
    weights = np.where(np.isfinite(known.cannot_weight), known.cannot_weight, heaviest)
    check_summable("cannot_weight", weights)
    return Apart(np.vstack([known.cannot_link, labeled]), np.concatenate([weights, np.full(len(labeled), heaviest)]))


def read_names(names: Any, n: int) -> np.ndarray:
    """A number for the name of each row, -1 where there is none."""
    return parse_names(names, n, "names")[0]


def pairs_of_names(codes: np.ndarray, max_pairs: int | None, rng: np.random.Generator) -> np.ndarray:
    """All pairs of rows whose codes differ, or ``max_pairs`` of them, drawn at random; -1 is no code.

    In rows sorted by code, a row makes a pair with each row after the last one of its code, so pairs can be numbered
    and drawn without listing them.
    """
    rows = np.argsort(codes, kind="stable")
    rows = rows[codes[rows] >= 0]
    last = np.searchsorted(codes[rows], codes[rows], side="right")
    ends = np.cumsum(len(rows) - last)
    total = int(ends[-1]) if len(ends) else 0
    if max_pairs is None or total <= max_pairs:
        check_memory(_BYTES * total, f"All {total:,} pairs of rows with different names", "max_pairs, such as 10_000")
        drawn = np.arange(total)
    else:
        drawn = np.sort(rng.choice(total, max_pairs, replace=False))
    one = np.searchsorted(ends, drawn, side="right")
    other = len(rows) - (ends[one] - drawn)
    return np.sort(np.column_stack([rows[one], rows[other]]), axis=1).astype(np.int64)
