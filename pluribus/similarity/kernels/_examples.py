"""The examples of online learning: objects with labels, chains of them, and pairs without labels."""

from collections.abc import Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from pluribus._engine import is_sized
from pluribus._kernels.proximal.online_steps import APART, LABELED, TOGETHER
from pluribus.constraints import Constraints
from pluribus.constraints._internal import as_constraints


class Chains(NamedTuple):
    """Rows of each chain: rows[pointers[e] : pointers[e + 1]]."""

    rows: np.ndarray
    pointers: np.ndarray


class Examples(NamedTuple):
    """What there is to learn from."""

    rows: np.ndarray
    pointers: np.ndarray
    kinds: np.ndarray
    weights: np.ndarray
    truth: np.ndarray  # of each object; -1 unknown
    classes: np.ndarray
    chained: bool

    @property
    def labeled(self) -> np.ndarray:
        """The examples with labels."""
        return np.flatnonzero(self.kinds == LABELED)

    @property
    def has_pairs(self) -> bool:
        """Whether there are pairs that labels do not decide."""
        return bool((self.kinds != LABELED).any())

    @property
    def mean_cost(self) -> float:
        """Λ of the hinge loss: the mean of the largest cost, the length of a chain or 1."""
        lengths = np.where(self.kinds == LABELED, np.diff(self.pointers), 1)
        return float((lengths * self.weights).mean())


def read_examples(n: int, y: Any, sequences: Any, constraints: Any) -> Examples:
    """Labels, sequences and constraints of n objects as examples; raises if they do not fit together."""
    y, chains = _read_labels(n, y, sequences)
    known = as_constraints(constraints, n)
    if y is not None:
        classes, codes = np.unique(y, return_inverse=True)
        known = known.merge(Constraints(n, labels=_names(y))) if constraints is not None else known
    elif (known.labels >= 0).any():
        classes, place = np.unique(known.classes, return_inverse=True)
        codes = np.where(known.labels >= 0, place[known.labels], -1)
    elif constraints is None:
        raise ValueError(
            "OnlineMultipleKernel requires y to be passed, but the target y is None. Give y, or labels in constraints; "
            "MultipleKernelKMeans learns without."
        )
    else:
        raise ValueError(
            "constraints has no labels, and y is None: pairs alone name no classes. Give y, or labels in constraints; "
            "MultipleKernelKMeans learns from pairs alone."
        )
    if len(classes) < 2:
        raise ValueError(f"y has only one class, {classes[0]!r}: the classifier needs samples of 2 or more.")
    truth = _spread(codes, known).astype(np.int64)
    if chains is not None and (truth < 0).any():
        raise ValueError("sequences need a label for every row: give y.")
    pairs, kinds, weights = _open_pairs(known, truth)
    rows, pointers = chains or Chains(np.flatnonzero(truth >= 0), np.arange((truth >= 0).sum() + 1))
    n_labeled = len(pointers) - 1
    return Examples(
        np.concatenate([rows, pairs.ravel()]).astype(np.int64),
        np.concatenate([pointers, pointers[-1] + 2 * np.arange(1, len(pairs) + 1)]).astype(np.int64),
        np.concatenate([np.full(n_labeled, LABELED), kinds]),
        np.concatenate([np.ones(n_labeled), weights]),
        truth,
        classes,
        chains is not None,
    )


def _read_labels(n: int, y: Any, sequences: Any) -> tuple[np.ndarray | None, Chains | None]:
    """Flat labels in the order of the rows, and the chains if there are any."""
    nested = isinstance(y, list | tuple) and len(y) > 0 and all(_is_sequence(labels) for labels in y)
    if nested and sequences is None:
        ends = np.cumsum([0, *map(len, y)])
        sequences = [range(start, stop) for start, stop in pairwise(ends)]
    chains = None if sequences is None else read_sequences(sequences, n)
    if nested and chains is not None:
        lengths = np.diff(chains.pointers)
        if len(y) != len(lengths):
            raise ValueError(f"y has {len(y)} label sequences, but there are {len(lengths)} sequences of rows.")
        for e, labels in enumerate(y):
            if len(labels) != lengths[e]:
                raise ValueError(f"y[{e}] has {len(labels)} labels, but sequence {e} has {lengths[e]} rows.")
        flat = np.concatenate([np.asarray(labels) for labels in y])
        y = np.empty_like(flat)
        y[chains.rows] = flat
    if y is None:
        return None, chains
    y = column_or_1d(y, warn=True)
    if len(y) != n:
        raise ValueError(f"y has {len(y)} labels, but X has {n} rows: inconsistent numbers of samples.")
    if y.dtype.kind in "OV" and not all(isinstance(label, str | Real) for label in y):
        raise ValueError("y has labels that are neither numbers nor texts, or are missing: give each row a label.")
    check_classification_targets(y)
    return y, chains


def _names(y: np.ndarray) -> np.ndarray:
    """Labels as names for Constraints, where -1 would mean that there is none."""
    names = y.astype(object)
    names[names == -1] = "class -1"
    return names


def _is_sequence(labels: Any) -> bool:
    return isinstance(labels, list | tuple) or (isinstance(labels, np.ndarray) and labels.ndim == 1)


def read_sequences(sequences: Any, n: int) -> Chains:
    """Chains of rows from a list of ranges, slices or arrays of row numbers, which have each row once."""
    if not is_sized(sequences) or not isinstance(sequences, Sequence | np.ndarray) or not len(sequences):
        raise ValueError("sequences must be a list of ranges of rows, such as [range(0, 5), range(5, 9)].")
    parts = []
    for e, rows in enumerate(sequences):
        part = np.arange(n)[rows] if isinstance(rows, slice) else np.asarray(rows)
        if part.ndim != 1 or not part.size or part.dtype.kind not in "iu":
            raise ValueError(f"sequences[{e}] must be a range or a list of row numbers, at least one.")
        parts.append(part)
    rows = np.concatenate(parts).astype(np.int64)
    if len(rows) != n or not np.array_equal(np.sort(rows), np.arange(n)):
        raise ValueError(f"sequences must hold each of the {n} rows of X once; they hold {len(rows)} row numbers.")
    return Chains(rows, np.cumsum([0, *map(len, parts)]))


def _spread(codes: np.ndarray, known: Constraints) -> np.ndarray:
    """Labels, also of objects that hard must-links or groups join to a labeled one."""
    chunk = known.closure().chunk_of
    of_chunk = np.full(chunk.max() + 1, -1)
    labeled = codes >= 0
    of_chunk[chunk[labeled]] = codes[labeled]
    return np.where(labeled, codes, of_chunk[chunk])


def _open_pairs(known: Constraints, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs that labels do not decide, their kinds and weights.

    Weights are log-odds w. A pair that is right with probability p counts p for the statement and 1 - p against it,
    2p - 1 = tanh(w / 2) in all; 1 if it is hard.
    """
    order = np.argsort(known.groups, kind="stable")
    order = order[known.groups[order] >= 0]
    neighbors = np.stack([order[:-1], order[1:]], axis=1)[np.diff(known.groups[order]) == 0]
    pairs = np.concatenate([known.must_link, neighbors, known.cannot_link]).reshape(-1, 2).astype(np.int64)
    kinds = np.repeat([TOGETHER, TOGETHER, APART], [len(known.must_link), len(neighbors), len(known.cannot_link)])
    given = np.concatenate([known.must_weight, np.full(len(neighbors), np.inf), known.cannot_weight])
    undecided = (truth[pairs] < 0).any(axis=1)
    return pairs[undecided], kinds[undecided], np.tanh(given[undecided] / 2)
