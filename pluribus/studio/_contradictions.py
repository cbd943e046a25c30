"""Statements that can hold together: chunks of objects, what is apart, and the chains behind contradictions."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pluribus.studio._state import Conflict, Statement


class Agreed(NamedTuple):
    """What follows from the statements that hold: the chunk of each object, pairs of chunks apart, and conflicts."""

    chunk_of: dict[int, int]
    cluster_of: dict[int, int]  # the cluster that a chunk was put into
    apart: list[tuple[int, int]]  # pairs of objects, in the order they were stated
    conflicts: list[Conflict]

    @property
    def members(self) -> dict[int, list[int]]:
        """The objects of each chunk."""
        found: dict[int, list[int]] = {}
        for item, chunk in self.chunk_of.items():
            found.setdefault(chunk, []).append(item)
        return found


class _Links:
    """Objects that belong together, and the statement behind each step between them (0: none, they are near pins)."""

    def __init__(self) -> None:
        self.parent: dict[int, int] = {}
        self.steps: dict[int, list[tuple[int, int]]] = {}  # of each object: (neighbor, statement)

    def root(self, i: int) -> int:
        self.parent.setdefault(i, i)
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def join(self, i: int, j: int, statement: int) -> None:
        self.parent[self.root(j)] = self.root(i)
        self.steps.setdefault(i, []).append((j, statement))
        self.steps.setdefault(j, []).append((i, statement))

    def chain(self, i: int, j: int) -> list[int]:
        """The statements on the shortest way from i to j."""
        before: dict[int, tuple[int, int]] = {i: (i, 0)}
        queue = deque([i])
        while queue and j not in before:
            here = queue.popleft()
            for there, statement in self.steps.get(here, []):
                if there not in before:
                    before[there] = (here, statement)
                    queue.append(there)
        chain = []
        while j != i and j in before:
            j, statement = before[j]
            chain.append(statement)
        return [number for number in dict.fromkeys(reversed(chain)) if number]


def agree(
    statements: Iterable[Statement],
    cluster_now: Callable[[int], int],
    support: Callable[[Statement], float],
    near: Iterable[tuple[int, int]] = (),
) -> Agreed:
    """Take statements one after the other; one that contradicts the earlier ones is left out and listed.

    A cluster counts as one more object, which the objects that were put into it are together with. Of a statement about
    many objects, those that nothing contradicts are put into their cluster all the same.

    Parameters
    ----------
    statements : Statement
    cluster_now : callable
        The cluster that a key stands for after merges.
    support : callable
        How far the data agrees with a statement: of a chain, the one with the least is proposed to be given up.
    near : pairs of objects
        Objects that are together whatever is said: pins next to each other.
    """
    links = _Links()
    apart: list[tuple[int, int]] = []
    foes: dict[int, dict[int, tuple[int, int, int]]] = {}  # of each root: the roots apart from it, and who said so
    conflicts: list[Conflict] = []
    cluster_of: dict[int, int] = {}  # of each root
    by_id: dict[int, Statement] = {}

    def contradiction(statement: Statement, chain: list[int]) -> None:
        every = [*dict.fromkeys([*chain, statement.id])]
        weakest = min(every, key=lambda number: (support(by_id[number]), -number))
        conflicts.append(Conflict(statement.id, tuple(every), weakest))

    def separate(i: int, j: int, number: int) -> None:
        apart.append((i, j))
        a, b = links.root(i), links.root(j)
        foes.setdefault(a, {}).setdefault(b, (i, j, number))
        foes.setdefault(b, {}).setdefault(a, (j, i, number))

    def broken_by_joining(i: int, j: int) -> list[int] | None:
        """The chain of a cannot-link or of two clusters that forbids to join the chunks of two objects."""
        a, b = links.root(i), links.root(j)
        if b in foes.get(a, ()):
            one, other, number = foes[a][b]
            return [*links.chain(i, one), number, *links.chain(other, j)]
        if a != b and a in cluster_of and b in cluster_of:
            return [*links.chain(_node(cluster_of[a]), i), *links.chain(j, _node(cluster_of[b]))]
        return None

    def join(i: int, j: int, number: int) -> None:
        a, b = links.root(i), links.root(j)
        links.join(i, j, number)
        if a == b:
            return
        if b in cluster_of:
            cluster_of[a] = cluster_of.pop(b)
        for foe, said in foes.pop(b, {}).items():
            foes.setdefault(a, {}).setdefault(foe, said)
            one, other, number = foes[foe].pop(b)
            foes[foe].setdefault(a, (one, other, number))

    for i, j in near:
        join(i, j, 0)
    for statement in statements:
        by_id[statement.id] = statement
        if statement.kind == "cannot":
            i, j = statement.items
            if links.root(i) == links.root(j):
                contradiction(statement, links.chain(i, j))
            else:
                separate(i, j, statement.id)
            continue
        pairs = [statement.items]
        if statement.kind == "assign":
            key = cluster_now(statement.cluster or 0)
            cluster_of.setdefault(links.root(_node(key)), key)
            pairs = [(_node(key), item) for item in statement.items]
        broken = None
        for i, j in pairs:
            chain = broken_by_joining(i, j)
            if chain is None:
                join(i, j, statement.id)
            elif broken is None:
                broken = chain
        if broken is not None:
            contradiction(statement, broken)
    chunk_of = {i: links.root(i) for i in list(links.parent) if i >= 0}
    return Agreed(chunk_of, cluster_of, apart, conflicts)


def _node(key: int) -> int:
    """The number that stands for a cluster among those of the objects."""
    return -1 - key
