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


class _Links:
    """Objects that belong together, and the statement behind each step between them."""

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
        one, other = sorted((self.root(i), self.root(j)))
        self.parent[other] = one
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
        return list(dict.fromkeys(reversed(chain)))


def agree(
    statements: Iterable[Statement],
    cluster_now: Callable[[int], int],
    support: Callable[[Statement], float],
) -> Agreed:
    """Take statements one after the other; one that contradicts the earlier ones is left out and listed.

    Parameters
    ----------
    statements : Statement
    cluster_now : callable
        The cluster that a key stands for after merges.
    support : callable
        How far the data agrees with a statement: of a chain, the one with the least is proposed to be given up.
    """
    links = _Links()
    apart: list[tuple[int, int, int]] = []  # two objects, and the statement
    conflicts: list[Conflict] = []
    cluster_of: dict[int, tuple[int, int]] = {}  # of each root: the cluster, and the statement that says so
    by_id: dict[int, Statement] = {}
    anchor: dict[int, int] = {}  # an object of each cluster that was stated

    def contradiction(statement: Statement, chain: list[int]) -> None:
        every = [*dict.fromkeys([*chain, statement.id])]
        weakest = min(every, key=lambda number: (support(by_id[number]), -number))
        conflicts.append(Conflict(statement.id, tuple(every), weakest))

    def broken_by_joining(i: int, j: int) -> list[int] | None:
        """The chain of a cannot-link or of two clusters that forbids to join the chunks of two objects."""
        a, b = links.root(i), links.root(j)
        if a == b:
            return None
        for x, y, number in apart:
            if {links.root(x), links.root(y)} == {a, b}:
                ends = (x, y) if links.root(x) == a else (y, x)
                return [*links.chain(i, ends[0]), number, *links.chain(j, ends[1])]
        if a in cluster_of and b in cluster_of and cluster_of[a][0] != cluster_of[b][0]:
            return [cluster_of[a][1], *links.chain(i, i), cluster_of[b][1]]
        return None

    def join(i: int, j: int, number: int) -> None:
        a, b = links.root(i), links.root(j)
        known = cluster_of.pop(a, None) or cluster_of.get(b)
        cluster_of.pop(b, None)
        links.join(i, j, number)
        if known is not None:
            cluster_of[links.root(i)] = known

    for statement in statements:
        by_id[statement.id] = statement
        if statement.kind == "cannot":
            i, j = statement.items
            if links.root(i) == links.root(j):
                contradiction(statement, links.chain(i, j))
            else:
                apart.append((i, j, statement.id))
            continue
        if statement.kind == "must":
            pairs = [statement.items]
        else:
            key = cluster_now(statement.cluster or 0)
            first = anchor.setdefault(key, statement.items[0])
            pairs = [(first, item) for item in statement.items]
        for i, j in pairs:
            if i == j:
                continue
            chain = broken_by_joining(i, j)
            if chain is not None:
                contradiction(statement, chain)
                break
            join(i, j, statement.id)
        if statement.kind == "assign":
            cluster_of.setdefault(links.root(statement.items[0]), (cluster_now(statement.cluster or 0), statement.id))
    chunk_of = {i: links.root(i) for i in list(links.parent)}
    return Agreed(
        chunk_of, {root: key for root, (key, _) in cluster_of.items()}, [(i, j) for i, j, _ in apart], conflicts
    )
