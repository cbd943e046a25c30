"""Checks of single arguments: an error says what was given and what is right."""

import math
from collections.abc import Collection, Iterable, Sized
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse


def whole_number(
    name: str, value: Any, least: int, most: int | None = None, *, error: type[ValueError] = ValueError
) -> int:
    """A whole number within a range; truth values and floats are refused.

    Examples
    --------
    >>> from pluribus._engine import whole_number
    >>> whole_number("n_pairs", 3, 0)
    3
    """
    allowed = isinstance(value, Integral) and not isinstance(value, bool)
    if not allowed or value < least or (most is not None and value > most):
        right = f"{least} or more" if most is None else f"from {least} to {most}"
        raise error(f"{name}={_shown(value)}: give a whole number, {right}.")
    return int(value)


def real_number(name: str, value: Any, low: float, high: float, *, error: type[ValueError] = ValueError) -> float:
    """A number within a range, both ends included.

    Examples
    --------
    >>> from pluribus._engine import real_number
    >>> real_number("noise", 0.1, 0, 1)
    0.1
    """
    try:  # as a float first: bounds beyond a float16 or float32 cannot be compared with one
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not low <= number <= high:
        raise error(f"{name}={_shown(value)}: give a number from {low:g} to {high:g}.")
    return number


def number_array(name: str, value: Any, *, error: type[ValueError] = ValueError) -> np.ndarray:
    """An array of float64, of any shape.

    Examples
    --------
    >>> from pluribus._engine import number_array
    >>> number_array("prices", [1, 2]).tolist()
    [1.0, 2.0]
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biufUSO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    raise error(f"{name}={_shown(value)}: give numbers.") from None


def only_numbers(name: str, X: Any) -> Any:
    """A matrix, dense or sparse, as it is; refuses one of dates, records or complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import only_numbers
    >>> only_numbers("X", np.eye(2)).shape
    (2, 2)
    """
    if X.dtype.kind not in "biuf":
        raise ValueError(f"{name} is of type {X.dtype}: give numbers.")
    return X


def is_one_of(value: Any, words: Collection[str]) -> bool:
    """Whether a value is one of these words; anything else is not, whatever its type.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import is_one_of
    >>> is_one_of("auto", ("auto", "exact")), is_one_of(np.zeros(3), ("auto", "exact"))
    (True, False)
    """
    return isinstance(value, str) and value in words


def list_of(name: str, value: Any, what: str, *, error: type[ValueError] = ValueError) -> list[Any]:
    """The items of a list or the like; a text is none.

    Examples
    --------
    >>> from pluribus._engine import list_of
    >>> list_of("names", ("a", "b"), "names")
    ['a', 'b']
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes) and not sparse.issparse(value):
        try:
            return list(value)
        except TypeError:  # arrays without a dimension
            pass
    raise error(f"{name}={_shown(value)}: give a list of {what}.")


def is_sized(value: Any) -> bool:
    """Whether it has items that can be counted; a text, a sparse matrix and an array without a dimension have none.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import is_sized
    >>> is_sized([1, 2]), is_sized("ab"), is_sized(np.array(7))
    (True, False, False)
    """
    counted = isinstance(value, Sized) and not isinstance(value, str | bytes) and not sparse.issparse(value)
    return counted and getattr(value, "ndim", 1) != 0


def plain_array(name: str, value: Any, *, error: type[ValueError] = ValueError) -> np.ndarray:
    """An array of any type and shape; an array, a memory map too, is returned as it is.

    Examples
    --------
    >>> from pluribus._engine import plain_array
    >>> plain_array("X", [[1, 2], [3, 4]]).shape
    (2, 2)
    """
    try:
        return np.asanyarray(value) if isinstance(value, np.memmap) else np.asarray(value)
    except ValueError:
        raise error(f"{name}={_shown(value)}: its parts are of different lengths.") from None


def check_summable(name: str, weights: np.ndarray, most: float = 1.8e19) -> None:
    """Refuse weights whose sum is above ``most``, by default the root of the largest number of single precision.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import check_summable
    >>> check_summable("sample_weight", np.array([1.0, 1e6]))
    """
    largest = float(np.abs(weights).max(initial=0))
    if not np.isfinite(largest):
        raise ValueError(f"{name} holds NaN or infinite values: give finite numbers.")
    if largest > most / max(len(weights), 1):
        raise ValueError(
            f"{name} has values as large as {largest:.3g}, whose products overflow when summed: scale them, for "
            "example divide by the largest."
        )


def _shown(value: Any) -> str:
    """A value for a message, without the contents of a large one."""
    shape = getattr(value, "shape", ())
    return f"({type(value).__name__} of shape {shape})" if shape else repr(value)[:200]
