"""Checks of arguments that several functions of this room share."""

from typing import Any

import numpy as np


def n_dimensions(value: Any) -> int:
    """The number of axes of an array or of nested sequences; -1 if rows differ in length."""
    try:
        return np.ndim(value)
    except ValueError:
        return -1


def texts(name: str, value: Any, known: tuple[str, ...] | None = None) -> list[str]:
    """A list of texts, each of them known."""
    listed = list(value) if isinstance(value, list | tuple) else []
    if listed and all(isinstance(text, str) and (known is None or text in known) for text in listed):
        return listed
    right = "names" if known is None else ", ".join(map(repr, known))
    raise ValueError(f"{name}={value!r}: give a list of one or more of {right}.")
