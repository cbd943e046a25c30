"""The verbs of a session: what a user can do, each an event of the log."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from pluribus._engine import list_of, whole_number
from pluribus.studio._events import EventError


class Gestures(ABC):
    """What a user can do. Objects are given by their ids or by their numbers; all methods return the session."""

    _index: dict[str, int]  # the number of each id

    @abstractmethod
    def do(self, type: str, **args: Any) -> Self:
        """Take an event by its name."""

    def move(self, items: Any, x: float, y: float) -> Self:
        """Put objects at a place on the map and pin them there; they join what is near, or start a cluster."""
        return self.do("move", items=self._items(items), x=x, y=y)

    def unpin(self, items: Any) -> Self:
        """Let pinned objects go."""
        return self.do("unpin", items=self._items(items))

    def must_link(self, one: Any, other: Any) -> Self:
        """Say that two objects belong together."""
        return self.do("link", one=self._item(one), other=self._item(other), kind="must")

    def cannot_link(self, one: Any, other: Any) -> Self:
        """Say that two objects do not belong together."""
        return self.do("link", one=self._item(one), other=self._item(other), kind="cannot")

    def unlink(self, statement: int) -> Self:
        """Take a statement back, by its id."""
        return self.do("unlink", statement=statement)

    def group(self, items: Any, name: str | None = None) -> Self:
        """Make a new cluster of some objects, for instance of those within a lasso."""
        named = {} if name is None else {"name": name}
        return self.do("group", items=self._items(items), **named)

    def assign(self, items: Any, cluster: int) -> Self:
        """Put objects into a cluster, by its key."""
        return self.do("assign", items=self._items(items), cluster=cluster)

    def merge(self, *clusters: int) -> Self:
        """Make one cluster of several, which keeps the key of the first."""
        return self.do("merge", clusters=list(clusters))

    def split(self, cluster: int, into: int = 2) -> Self:
        """Split a cluster; its largest part keeps its key."""
        return self.do("split", cluster=cluster, into=into)

    def recluster(self, items: Any, into: int) -> Self:
        """Cluster a selection again, and nothing else."""
        return self.do("recluster", items=self._items(items), into=into)

    def rename(self, cluster: int, name: str) -> Self:
        """Name a cluster."""
        return self.do("rename", cluster=cluster, name=name)

    def answer(self, one: Any, other: Any, answer: str) -> Self:
        """Answer a question: "together", "apart" or "unsure"."""
        return self.do("answer", one=self._item(one), other=self._item(other), answer=answer)

    def set_k(self, k: int) -> Self:
        """Start from another number of clusters; what was said still holds."""
        return self.do("k", k=k)

    def set_reach(self, reach: float) -> Self:
        """Change how near a drop joins others."""
        return self.do("reach", reach=reach)

    def set_engine(self, engine: str) -> Self:
        """Let a method of the library follow the statements: "tree", "ceac", "cop-kmeans" and others (``engines``)."""
        return self.do("engine", engine=engine)

    def undo(self) -> Self:
        """Take the last event back; at the start nothing happens."""
        return self.do("undo")

    def redo(self) -> Self:
        """Do again what was undone last; if there is nothing, nothing happens."""
        return self.do("redo")

    def _item(self, item: Any) -> int:
        if isinstance(item, str):
            if item not in self._index:
                raise KeyError(f"There is no object with the id {item!r:.60}.")
            return self._index[item]
        return whole_number("item", item, 0, len(self._index) - 1, error=EventError)

    def _items(self, items: Any) -> list[int]:
        if isinstance(items, str | int | np.integer):
            return [self._item(items)]
        return [self._item(item) for item in list_of("items", items, "objects", error=EventError)]
