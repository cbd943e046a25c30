"""The labels that categories start from."""

from typing import Any

import numpy as np

from pluribus._engine import plain_array
from pluribus.constraints import Constraints
from pluribus.constraints._internal import as_constraints
from pluribus.partitions._internal import encode_labels


def known_labels(y: Any, constraints: Constraints | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The classes, sorted, and the number of the class of each document, -1 if it has none."""
    if y is not None and constraints is not None:
        raise ValueError("y and constraints both give labels: give one of them.")
    if constraints is not None:
        classes, codes = _of_constraints(as_constraints(constraints, n))
    elif y is not None:
        codes, classes = encode_labels(y if hasattr(y, "__iter__") else plain_array("y", y), "y")
    else:
        raise ValueError(
            "CategorySegmentation requires y to be passed, but the target y is None: give the label of each document, "
            "-1 or None where there is none, or constraints=Constraints(n, labels=…)."
        )
    if len(codes) != n:
        raise ValueError(f"y has {len(codes)} labels, but X has {n} rows: give a label, or None, for each.")
    if len(classes) < 2:
        raise ValueError(
            f"The labels have {len(classes)} class{'' if len(classes) == 1 else 'es'}, without documents that have no "
            "label (-1, None): give at least two."
        )
    order = _sorted(classes)
    return classes[order], np.append(np.argsort(order), -1)[codes]


def _of_constraints(constraints: Constraints) -> tuple[np.ndarray, np.ndarray]:
    if len(constraints.must_link) or len(constraints.cannot_link) or (constraints.groups >= 0).any():
        raise ValueError(
            "CategorySegmentation uses known labels only, but the constraints have pairs or groups: give "
            "Constraints(n, labels=…), or use another method."
        )
    return constraints.classes, constraints.labels


def _sorted(classes: np.ndarray) -> np.ndarray:
    """An order of the classes that does not depend on which document comes first."""
    try:
        return np.array(sorted(range(len(classes)), key=classes.__getitem__))
    except TypeError:  # labels of several types
        return np.array(sorted(range(len(classes)), key=lambda c: (type(classes[c]).__name__, repr(classes[c]))))
