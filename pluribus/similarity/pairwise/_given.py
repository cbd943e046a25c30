"""What is given to ``fit``: known labels, and pairs with weights."""

import warnings
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight

from pluribus._engine import check_summable
from pluribus.constraints import Constraints


class Labels(NamedTuple):
    """The labeled rows, the code of the class of each, and the classes."""

    rows: np.ndarray
    codes: np.ndarray
    classes: np.ndarray


class Pairs(NamedTuple):
    """Pairs of rows: (m, 2), whether each is a must-link, and weights."""

    rows: np.ndarray
    same: np.ndarray
    weight: np.ndarray


def known_labels(y: Any, n: int, labeled: Any, constraints: Constraints) -> Labels:
    """The labels of y and of the constraints; -1, None and NaN in y mean unlabeled, unless a mask says more."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: give labels, -1 for unlabeled rows.")
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "V":
        raise ValueError(f"y holds records of type {y.dtype}: give one number or text for each row.")
    if len(y) != n:
        check_consistent_length(np.empty(n), y)
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    missing = pd.isna(y)
    minus_one = np.zeros(n, dtype=bool)
    if y.dtype.kind not in "USb":
        minus_one[~missing] = y[~missing] == -1
    known = ~(missing | minus_one) if labeled is None else _mask(labeled, missing, n)
    rows = np.flatnonzero(known)
    if labeled is None and minus_one.any() and len(rows) and (y[rows] == 1).all():
        raise ValueError(
            "y holds only -1 and 1. Is -1 a class, or does it mark unlabeled rows? If it is a class, give the mask "
            "labeled=..., for example np.ones(len(y), dtype=bool), or use other codes, such as 0 and 1."
        )
    rows, names = _with_stated(rows, y[rows], constraints)
    if not len(rows):
        raise ValueError("No row is labeled: PairwiseKernelClassifier needs at least one labeled example per class.")
    try:
        classes, codes = np.unique(names, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"labels of different kinds, such as numbers and texts, are not classes: {error}") from None
    classes = np.array(classes.tolist()) if classes.dtype.kind == "O" else classes
    if (kind := type_of_target(classes[codes])).startswith("continuous"):
        raise ValueError(f"Unknown label type: {kind}. Labels are whole numbers or texts, with -1 for unlabeled rows.")
    if len(classes) < 2:
        raise ValueError(
            f"All labeled rows are of one class, {classes[0]!r}: a classifier needs at least one labeled example of "
            "each of two classes."
        )
    return Labels(rows, codes.astype(np.int64), classes)


def _mask(labeled: Any, missing: np.ndarray, n: int) -> np.ndarray:
    mask = np.asarray(labeled)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"labeled must be a mask of {n} truth values, one for each row; got {mask.dtype} of shape {mask.shape}."
        )
    if (mask & missing).any():
        row = int(np.flatnonzero(mask & missing)[0])
        raise ValueError(f"labeled says that row {row} is labeled, but its label in y is missing.")
    return mask


def _with_stated(rows: np.ndarray, names: np.ndarray, constraints: Constraints) -> tuple[np.ndarray, np.ndarray]:
    """Add the labels that the constraints hold; they must not differ from those of y."""
    stated = np.flatnonzero(constraints.labels >= 0)
    if not len(stated):
        return rows, names
    label = np.empty(constraints.n_objects, dtype=object)
    label[stated] = constraints.classes[constraints.labels[stated]].tolist()
    both = np.isin(rows, stated)
    for row, name in zip(rows[both].tolist(), names[both].tolist(), strict=True):
        if label[row] != name:
            raise ValueError(
                f"Row {row} has the label {name!r} in y, and {label[row]!r} in the constraints: correct one of them."
            )
    label[rows] = names.tolist()
    everything = np.union1d(rows, stated)
    return everything, label[everything]


def label_weights(sample_weight: Any, X: Any, labels: Labels, class_weight: Any) -> np.ndarray:
    """The weight of each label: that of its row, times that of its class if a dictionary gives it."""
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)[labels.rows]
    check_summable("sample_weight", weight)
    if not isinstance(class_weight, dict):
        return weight
    names = labels.classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    if unknown:
        raise ValueError(f"class_weight has a weight for {unknown[0]!r}, which is not a class of y.")
    factors = [class_weight.get(name, 1.0) for name in names]
    if not all(isinstance(factor, Real) and 0 <= float(factor) <= 1e12 for factor in factors):
        raise ValueError(f"class_weight={class_weight}: weights are numbers, 0 or more.")
    return weight * np.array(factors, dtype=np.float64)[labels.codes]


def balanced(weight: np.ndarray, is_positive: np.ndarray) -> np.ndarray:
    """The weights, with the same total for positive and negative labels."""
    total = np.array([weight[~is_positive].sum(), weight[is_positive].sum()])
    return weight * (total.sum() / (2 * np.where(total > 0, total, 1)))[is_positive.astype(int)]


def stated_pairs(constraints: Constraints, labels: Labels) -> Pairs:
    """Must-links, cannot-links, and groups as must-links to their first row; hard ones have the weight 1."""
    groups = constraints.groups
    members = np.flatnonzero(groups >= 0)
    _, first = np.unique(groups[members], return_index=True)
    in_groups = np.column_stack([members[first][groups[members]], members])
    in_groups = in_groups[in_groups[:, 0] != in_groups[:, 1]]
    rows = np.concatenate([constraints.must_link, in_groups, constraints.cannot_link])
    n_same = len(rows) - len(constraints.cannot_link)
    weight = np.concatenate([constraints.must_weight, np.ones(len(in_groups)), constraints.cannot_weight])
    pairs = Pairs(rows, np.arange(len(rows)) < n_same, np.where(np.isinf(weight), 1.0, weight))
    _warn_of_conflicts(pairs, labels, constraints.n_objects)
    return pairs


def _warn_of_conflicts(pairs: Pairs, labels: Labels, n: int) -> None:
    """Say how many pairs are stated with both signs, and how many contradict labels."""
    codes = pairs.rows.min(axis=1) * n + pairs.rows.max(axis=1)
    both = np.intersect1d(codes[pairs.same], codes[~pairs.same])
    if len(both):
        one, other = divmod(int(both[0]), n)
        warnings.warn(
            f"{_counted(len(both))} stated as must-link and as cannot-link, the first is ({one}, {other}): the two "
            "statements pull against each other by their weights.",
            stacklevel=4,
        )
    label = np.full(n, -1)
    label[labels.rows] = labels.codes
    one_label, other_label = label[pairs.rows].T
    known = (one_label >= 0) & (other_label >= 0)
    against = np.flatnonzero(known & (pairs.same != (one_label == other_label)))
    if len(against):
        one, other = pairs.rows[against[0]].tolist()
        relation = "a must-link between two classes" if pairs.same[against[0]] else "a cannot-link within a class"
        warnings.warn(
            f"{_counted(len(against))} against the known labels, the first is ({one}, {other}), {relation}: labels and "
            "pairs pull against each other by their weights.",
            stacklevel=4,
        )


def _counted(n: int) -> str:
    return "1 pair is" if n == 1 else f"{n} pairs are"
