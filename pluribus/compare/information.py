"""Indices that count bits (nats): what one partition tells about the other.

For soft partitions they go by the contingency table of the memberships, Σ_x u_xi v_xj: an object is drawn, then a
cluster for it from each of its rows. How unsure a membership is counts as not told, also against itself.
"""

from typing import Any, Literal

import numpy as np

from pluribus._engine import is_one_of
from pluribus._kernels.labels.expected_information import expected_information
from pluribus.compare._overlap import Overlap, any_overlap, hard_overlap

Average = Literal["geometric", "arithmetic", "max", "min"]


def _entropy(sizes: np.ndarray, n: int) -> float:
    sizes = sizes[sizes > 0]
    return float((sizes / n * (np.log(n) - np.log(sizes))).sum())


def _terms(a: Any, b: Any) -> tuple[Overlap, float, float, float]:
    """The overlap, the mutual information, and both entropies."""
    overlap = any_overlap(a, b)
    n = overlap.n
    share = overlap.shared / n
    # Logarithms of integers are subtracted, not of their quotient, so that equal partitions give exactly the entropy.
    log_ratio = np.log(overlap.shared) + np.log(n) - np.log(overlap.a[overlap.row]) - np.log(overlap.b[overlap.column])
    information = max(float((share * log_ratio).sum()), 0.0)
    return overlap, information, _entropy(overlap.a, n), _entropy(overlap.b, n)


def _mean(x: float, y: float, average: Average) -> float:
    match average if isinstance(average, str) else None:
        case "geometric":
            return float(np.sqrt(x * y))
        case "arithmetic":
            return (x + y) / 2
        case "max":
            return max(x, y)
        case "min":
            return min(x, y)
    raise ValueError(f"average must be geometric, arithmetic, max or min; got {average!r}.")


def mutual_information_index(a: Any, b: Any) -> float:
    """What one partition tells about the other, in nats.

    Examples
    --------
    >>> from pluribus.compare import mutual_information_index
    >>> round(mutual_information_index([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.693147
    """
    return _terms(a, b)[1]


def normalized_mutual_information_index(a: Any, b: Any, *, average: Average = "geometric") -> float:
    """Mutual information over a mean of both entropies, 0 to 1: geometric (Strehl and Ghosh), arithmetic, max or min.

    Two partitions of one cluster each are equal: 1. If only one has a single cluster it is 0.

    Examples
    --------
    >>> from pluribus.compare import normalized_mutual_information_index
    >>> round(normalized_mutual_information_index([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.816497
    """
    overlap, information, entropy_a, entropy_b = _terms(a, b)
    entropy = _mean(entropy_a, entropy_b, average)
    if (overlap.a > 0).sum() == 1 or (overlap.b > 0).sum() == 1:
        return float((overlap.a > 0).sum() == (overlap.b > 0).sum())
    return min(information / entropy, 1.0)


def adjusted_mutual_information_index(a: Any, b: Any, *, average: Average = "arithmetic") -> float:
    """Mutual information corrected for chance: 1 if equal, about 0 for independent partitions.

    A partition into one cluster, or into clusters of one object each, shares the same information with all partitions
    of the same sizes: it is all chance, and the index is 0, unless the two partitions are equal.

    Examples
    --------
    >>> from pluribus.compare import adjusted_mutual_information_index
    >>> round(adjusted_mutual_information_index([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.571429
    """
    overlap, information, entropy_a, entropy_b = _terms(hard_overlap(a, b, "adjusted_mutual_information_index"), None)
    entropy = _mean(entropy_a, entropy_b, average)
    if len(overlap.shared) == (overlap.a > 0).sum() == (overlap.b > 0).sum():
        return 1.0  # each cluster meets one cluster only: equal
    if any((sizes > 0).sum() == 1 or sizes.max() == 1 for sizes in (overlap.a, overlap.b)):
        return 0.0  # the information is the expected one: 0/0 if average="min"
    expected = _expected(overlap)
    below = entropy - expected
    epsilon = np.finfo(float).eps
    below = min(below, -epsilon) if below < 0 else max(below, epsilon)
    return float((information - expected) / below)


def _expected(overlap: Overlap) -> float:
    """Expected mutual information of random partitions with these cluster sizes."""
    sizes_a, sizes_b = (np.unique(sizes[sizes > 0], return_counts=True) for sizes in (overlap.a, overlap.b))
    return float(expected_information(*sizes_a, *sizes_b, overlap.n))


def variation_of_information_distance(a: Any, b: Any) -> float:
    """What is left to be told about each partition by the other, in nats. A metric.

    Examples
    --------
    >>> from pluribus.compare import variation_of_information_distance
    >>> round(variation_of_information_distance([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.346574
    """
    _, information, entropy_a, entropy_b = _terms(a, b)
    distance = entropy_a + entropy_b - 2 * information
    return distance if distance > 1e-12 else 0.0


def normalized_variation_of_information_distance(a: Any, b: Any, *, by: Literal["log n", "joint"] = "log n") -> float:
    """Variation of information, 0 to 1: over log n, its largest value, or over the joint entropy.

    Examples
    --------
    >>> from pluribus.compare import normalized_variation_of_information_distance
    >>> round(normalized_variation_of_information_distance([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.25
    """
    overlap, information, entropy_a, entropy_b = _terms(a, b)
    if not is_one_of(by, ("log n", "joint")):
        raise ValueError(f"by must be 'log n' or 'joint'; got {by!r}.")
    largest = float(np.log(overlap.n)) if by == "log n" else entropy_a + entropy_b - information
    distance = variation_of_information_distance(overlap, None)
    return min(distance / largest, 1.0) if largest > 0 else 0.0


def homogeneity_index(a: Any, b: Any) -> float:
    """Whether each cluster of ``b`` holds one class of ``a`` only: the share of a's entropy that b tells.

    It is 1 if a has none.

    Examples
    --------
    >>> from pluribus.compare import homogeneity_index
    >>> round(homogeneity_index([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    1.0
    """
    _, information, entropy_a, _ = _terms(a, b)
    return min(information / entropy_a, 1.0) if entropy_a > 0 else 1.0


def completeness_index(a: Any, b: Any) -> float:
    """Whether each class of ``a`` is in one cluster of ``b`` only: the share of b's entropy that a tells.

    It is 1 if b has none.

    Examples
    --------
    >>> from pluribus.compare import completeness_index
    >>> round(completeness_index([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.666667
    """
    _, information, _, entropy_b = _terms(a, b)
    return min(information / entropy_b, 1.0) if entropy_b > 0 else 1.0


def v_measure_index(a: Any, b: Any) -> float:
    """Harmonic mean of homogeneity and completeness.

    Examples
    --------
    >>> from pluribus.compare import v_measure_index
    >>> round(v_measure_index([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    overlap = any_overlap(a, b)
    h, c = homogeneity_index(overlap, None), completeness_index(overlap, None)
    return 2 * h * c / (h + c) if h + c > 0 else 0.0
