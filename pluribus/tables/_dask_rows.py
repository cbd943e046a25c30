"""The rows of a dask array or data frame, which stay where Dask has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pluribus._engine import computed
from pluribus.tables.errors import TableError, more
from pluribus.tables.rows import BLOCK, Rows, scaled

if TYPE_CHECKING:
    from distributed import Client

CHUNK = 2**25  # bytes
MOST = 64  # blocks in a chunk
_NUMBERS = "fiub"  # kinds of types


class DaskRows(Rows):
    """Rows in the chunks of a dask array; read here in parts, or by the workers that have them."""

    def __init__(self, source: Any, client: Client | None = None) -> None:
        self.client = client
        array, self.names = _as_array(source)
        blocks = CHUNK // (BLOCK * array.shape[1] * array.dtype.itemsize)
        self.portion = BLOCK * min(max(blocks, 1), MOST)
        array = array.rechunk({0: self.portion, 1: -1}).map_blocks(np.ascontiguousarray, dtype=array.dtype)
        self.array = array if client is None else client.persist(array)
        self.shape = array.shape
        self.dtype = array.dtype

    def on(self, client: Client) -> DaskRows:
        """The same rows, in the memory of a cluster's workers."""
        if self.client is client:
            return self
        found = DaskRows(self.array, client)
        found.names = self.names
        if "survey" in self.__dict__:
            found.survey = self.survey
        return found

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Gather some of the rows."""
        return self._computed(self.array[rows])

    def blocks(self, size: int) -> Iterator[tuple[int, np.ndarray]]:
        """Gather all rows, a block at a time."""
        for start in range(0, self.shape[0], size):
            yield start, self._computed(self.array[start : start + size])

    def piece(self, rows: range | np.ndarray) -> Any:
        """A future of the rows, which a task waits for."""
        assert self.client is not None
        which = slice(rows.start, rows.stop) if isinstance(rows, range) else rows
        return self.client.compute(self.array[which])

    def standardized(self) -> Rows:
        """Scaled where the chunks are."""
        plain: Any = super().standardized()
        how = {"mean": plain.mean, "divisor": plain.divisor}
        found = DaskRows(self.array.map_blocks(scaled, dtype=self.dtype, **how), self.client)
        found.names = self.names
        return found

    def _computed(self, collection: Any) -> Any:
        return collection.compute() if self.client is None else computed(self.client, collection)


def _as_array(source: Any) -> tuple[Any, tuple[str, ...]]:
    """A dask array of known shape, and the names of its columns."""
    import dask.array as da

    if not isinstance(source, da.Array):
        if not hasattr(source, "_meta") or not hasattr(source, "columns"):
            raise TableError(f"{type(source).__name__} is no table: give a dask array or data frame.")
        others = [f"'{name}' ({kind})" for name, kind in source.dtypes.items() if kind.kind not in _NUMBERS]
        if others:
            raise TableError(f"The dask data frame has columns without numbers: {more(others)}. Leave them out.")
        single = all(kind in (np.float32, np.float16) for kind in source.dtypes)
        array = source.astype(np.float32 if single else np.float64).to_dask_array(lengths=True)
        return array, tuple(map(str, source.columns))
    if source.ndim != 2 or 0 in source.shape:
        raise TableError(f"A dask array of shape {source.shape} is no table: give rows and columns, at least one each.")
    if source.dtype.kind not in _NUMBERS:
        raise TableError(f"The dask array holds {source.dtype}: give numbers.")
    if np.isnan(source.shape).any():
        source = source.copy().compute_chunk_sizes()
    single = source.dtype in (np.float32, np.float16)
    return source.astype(np.float32 if single else np.float64), tuple(f"x{j}" for j in range(source.shape[1]))
