import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

from pluribus.constraints import Constraints


@st.composite
def _known(draw, max_objects=9, max_classes=4):
    """Truth, and hard and soft constraints of every kind of which the hard ones agree with it."""
    n = draw(st.integers(1, max_objects))
    y = np.array(draw(st.lists(st.integers(0, max_classes - 1), min_size=n, max_size=n)))
    index = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(index, index).filter(lambda p: p[0] != p[1]), max_size=12)) if n > 1 else []
    weights = draw(st.lists(st.sampled_from([None, None, 0.5, 2.0]), min_size=len(pairs), max_size=len(pairs)))
    must, cannot, must_weight, cannot_weight = [], [], [], []
    for (i, j), weight in zip(pairs, weights, strict=True):
        together = y[i] == y[j] if weight is None else draw(st.booleans())
        (must if together else cannot).append((i, j))
        (must_weight if together else cannot_weight).append(weight)
    mask = st.lists(st.sampled_from([True, False, False]), min_size=n, max_size=n)
    groups = [f"g{c}" if seen else None for c, seen in zip(y, draw(mask), strict=True)]
    labels = [int(c) + 5 if seen else -1 for c, seen in zip(y, draw(mask), strict=True)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*speaks against a hard one")
        said = Constraints(
            n, must, cannot, must_weight=must_weight, cannot_weight=cannot_weight, groups=groups, labels=labels
        )
    return y, said


@pytest.fixture(scope="session")
def known():
    """A strategy: draw (truth, constraints) from it."""
    return _known()
