"""Arrays that are read back from a file: each is checked against what it must look like before it is used."""

import math
import tokenize
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from pluribus._engine.memory import in_bytes, memory_limit

# Errors of zipfile and numpy for an archive that is cut, altered, encrypted, or something else.
DAMAGED = (EOFError, ValueError, KeyError, TypeError, OverflowError, zipfile.BadZipFile, zlib.error, RuntimeError)

_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ArrayError(ValueError):
    """An array in a file does not look as it must."""


@dataclass(frozen=True)
class ArraySpec:
    """What an array must look like.

    Parameters
    ----------
    dtype : str or dtype
        One type, or letters of kinds: "i" (int), "u" (unsigned int), "f" (float), "U" (text). Any byte order is read.
    shape : tuple of int, range or None
        The length of each axis: exact, within a range, or any.
    least, below : int, optional
        All values are at least the first and below the second.
    finite : bool
        Refuse NaN and infinities.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import ArraySpec
    >>> spec = ArraySpec("i", (3,), least=-1, below=2)
    >>> spec.problem(np.array([0, 1, -1]))
    >>> spec.problem(np.array([0, 1, 2]))
    'has values of 2 or more'
    >>> spec.problem(np.array([0.0, 0.5, 1.0]))
    'is float64 of shape (3,), not i of shape (3,)'
    """

    dtype: str | np.dtype
    shape: tuple[int | range | None, ...]
    least: int | None = None
    below: int | None = None
    finite: bool = True

    def fits(self, dtype: np.dtype, shape: tuple[int, ...]) -> bool:
        """Whether an array of this type and shape is right, as far as that decides."""
        return (
            self._is_of(dtype.newbyteorder("=")) and len(shape) == len(self.shape) and all(map(_has, self.shape, shape))
        )

    def problem(self, values: np.ndarray) -> str | None:
        """What is wrong with an array; None if nothing is."""
        if not self.fits(values.dtype, values.shape):
            return f"is {values.dtype} of shape {values.shape}, not {self._words()}"
        if self.finite and values.dtype.kind == "f" and not np.isfinite(values).all():
            return "has values that are not finite"
        if not holds_text(values):
            return "has characters that are none"
        if self.least is not None and values.size and values.min() < self.least:
            return f"has values below {self.least}"
        if self.below is not None and values.size and values.max() >= self.below:
            return f"has values of {self.below} or more"
        return None

    def read(self, file: zipfile.ZipFile, name: str) -> np.ndarray:
        """Read the array ``name`` of an npz file, if it is like this.

        Its header is checked before memory is allocated: against this, and against the size of the file.
        """
        info = file.getinfo(f"{name}.npy")
        if info.compress_type not in _COMPRESSIONS:
            raise ArrayError(f"{name} is compressed by a method that numpy does not use")
        with file.open(info) as stream:
            dtype, shape = _header(stream)
            size = math.prod(shape) * dtype.itemsize
            if not self.fits(dtype, shape):
                raise ArrayError(f"{name} is {dtype} of shape {shape}, not {self._words()}")
            if stream.tell() + size != info.file_size:
                raise ArrayError(f"{name} is {dtype} of shape {shape}, but has {info.file_size:,} bytes")
            if size > memory_limit():
                raise ArrayError(f"{name} takes {in_bytes(size)}, more than the {in_bytes(memory_limit())} allowed")
        with file.open(info) as stream:
            values = np.lib.format.read_array(stream, allow_pickle=False)
        problem = self.problem(values)
        if problem:
            raise ArrayError(f"{name} {problem}")
        return values.astype(values.dtype.newbyteorder("="), copy=False)

    def _is_of(self, dtype: np.dtype) -> bool:
        if not isinstance(self.dtype, str):
            return dtype == self.dtype.newbyteorder("=")
        return dtype.kind in self.dtype and (dtype.kind != "f" or dtype.itemsize in (4, 8))  # compiled loops take these

    def _words(self) -> str:
        return f"{self.dtype} of shape {self.shape}"


def holds_text(values: np.ndarray) -> bool:
    """Whether an array of text has nothing but characters; True for arrays of other types.

    A tampered file may have code points that do not exist, of which Python makes no text.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import holds_text
    >>> holds_text(np.array(["a", "π"])), holds_text(np.array([0x110000], np.uint32).view("U1"))
    (True, False)
    """
    if values.dtype.kind != "U" or not values.size or not values.dtype.itemsize:
        return True
    points = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="), copy=False)).view(np.uint32)
    return bool(((points < 0xD800) | ((points > 0xDFFF) & (points <= 0x10FFFF))).all())


def check_claims(path: Path) -> None:
    """Refuse an npz file with an array that claims to be larger or smaller than it is, before memory is allocated."""
    with zipfile.ZipFile(path) as file:
        for info in file.infolist():
            if not info.filename.endswith(".npy"):
                continue
            with file.open(info) as stream:
                dtype, shape = _header(stream)
                if not dtype.hasobject and stream.tell() + math.prod(shape) * dtype.itemsize != info.file_size:
                    name = info.filename.removesuffix(".npy")
                    raise ArrayError(f"{name} claims to be {dtype} of shape {shape}, but has {info.file_size:,} bytes")


def _has(wanted: int | range | None, length: int) -> bool:
    if wanted is None:
        return length >= 0
    return length in wanted if isinstance(wanted, range) else length == wanted


def _header(stream: IO[bytes]) -> tuple[np.dtype, tuple[int, ...]]:
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
    except (SyntaxError, tokenize.TokenError) as error:
        raise ArrayError("a header cannot be read") from error
    return dtype, shape
