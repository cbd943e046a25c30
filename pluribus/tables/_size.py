"""What reading a file whole would take of memory, told before it is read."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from pathlib import Path

from pluribus._engine import MemoryLimitError, in_bytes, memory_limit

SAMPLE = 1 << 16  # bytes of text that the width of cells is told from
CELL = 32  # bytes that a cell of text takes as a number, in the four forms that it has on its way to a matrix
COPIES = 4  # of an array, on the same way
_DELIMITERS = b",;\t|"


def refuse_too_large(path: Path) -> None:
    """Refuse a text or NPZ file that would take more memory than is allowed."""
    size, limit = needed_bytes(path), memory_limit()
    if size > limit:
        raise MemoryLimitError(
            f"'{path}' would take about {in_bytes(size)} of memory to read, more than the {in_bytes(limit)} allowed. "
            "Convert it to Parquet, which is smaller, and of which numbers are read in parts; use fewer columns; or "
            "raise the memory limit."
        )


def needed_bytes(path: Path) -> float:
    """About what reading a text or NPZ file and making a matrix of it takes; 0 for files of other kinds."""
    try:
        if path.suffix.lower() == ".npz":
            with zipfile.ZipFile(path) as file:
                return COPIES * float(sum(array.file_size for array in file.infolist()))
        if path.suffix.lower() in (".parquet", ".pq"):
            return 0
        size = path.stat().st_size
        if path.suffix.lower() == ".gz":
            size = _unpacked(path, size)
            with gzip.open(path) as file:
                sample = file.read(SAMPLE)
        else:
            with path.open("rb") as file:
                sample = file.read(SAMPLE)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error):
        return 0  # the reader says what is wrong
    n_delimiters = max(sample.count(bytes([mark])) for mark in _DELIMITERS) or sample.count(b" ")
    n_cells = n_delimiters + sample.count(b"\n")
    return size * (1 + CELL * n_cells / max(len(sample), 1))


def _unpacked(path: Path, packed: int) -> int:
    """The size of what is in a gzip file: its last four bytes, which leave out multiples of 4 GB."""
    with path.open("rb") as file:
        file.seek(-4, 2)
        size = int.from_bytes(file.read(4), "little")
    while size < packed - 1024:
        size += 2**32
    return size
