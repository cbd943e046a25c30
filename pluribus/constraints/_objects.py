"""How a file speaks of the objects."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pluribus._engine import list_of, whole_number
from pluribus.constraints._statements import Indices
from pluribus.constraints.errors import ConstraintError


class Objects:
    """How a file speaks of the objects: by id where `ids` are given, else by index."""

    def __init__(self, path: Path, n_objects: int | None, ids: Any):
        self.path = path
        self.n_objects = n_objects
        if n_objects is not None:
            self.n_objects = whole_number("n_objects", n_objects, 1, error=ConstraintError)
        names = None if ids is None else list_of("ids", ids, "ids, one for each object", error=ConstraintError)
        self.ids = None if names is None else pd.Index([str(x) for x in names], dtype=object)
        if self.ids is None:
            return
        if not self.ids.is_unique:
            twice = self.ids[self.ids.duplicated()][0]
            raise ConstraintError(f"ids must differ from each other, but {twice!r} is there twice")
        self.agree_on(len(self.ids))

    @property
    def count(self) -> int:
        """The number of objects, which somebody must have said."""
        if self.n_objects is None:
            raise ConstraintError(
                f"{self.path} does not say how many objects there are: give n_objects if it speaks of indices, else ids"
            )
        return self.n_objects

    def text(self) -> str:
        """What the file says."""
        try:
            return self.path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise ConstraintError(f"{self.path} is not UTF-8 text: {error}") from None

    def agree_on(self, n_objects: int) -> None:
        """Take this number of objects, unless another one was given."""
        if self.n_objects not in (None, n_objects):
            raise ConstraintError(f"{self.path}: it is about {n_objects} objects, but n_objects={self.n_objects}")
        self.n_objects = n_objects

    def name(self, i: int) -> str:
        """What errors call object i."""
        return str(i) if self.ids is None else repr(self.ids[i])

    def refer(self, indices: Indices) -> list[Any]:
        """What a file calls these objects."""
        return indices.tolist() if self.ids is None else self.ids[indices].tolist()

    def knows(self, cell: str) -> bool:
        """Whether this cell looks like one of the objects, and not like the title of a column."""
        return cell.lstrip("-").isdecimal() if self.ids is None else cell in self.ids

    def locate(self, cells: Sequence[Any], places: Sequence[str]) -> Indices:
        """Return the index of each object, or say in which place of the file an object is not known."""
        if self.ids is not None:
            found = self.ids.get_indexer(pd.Index([str(cell) for cell in cells], dtype=object))
            why = "no object has this id"
        else:
            numbers = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
            fine = (numbers >= 0) & (numbers < self.count) & (numbers == np.floor(numbers))
            found = np.where(fine, numbers, -1)
            why = f"the indices of {self.count} objects go from 0 to {self.count - 1}; to use ids, give ids"
        if (found < 0).any():
            at = int(np.flatnonzero(found < 0)[0])
            unknown = list(dict.fromkeys(str(cells[t]) for t in np.flatnonzero(found < 0).tolist()))
            more = f" ({len(unknown)} in all: {', '.join(map(repr, unknown[:5]))}{', …' if len(unknown) > 5 else ''})"
            raise ConstraintError(
                f"{self.path} {places[at]}: unknown object {cells[at]!r}{more if len(unknown) > 1 else ''}; {why}"
            )
        return found.astype(np.int64)
