"""How long a consensus function may take, and how much memory, so that nobody waits an hour by surprise."""

from typing import NamedTuple

from pluribus.consensus.linkage.locally_weighted import LINKED


class Effort(NamedTuple):
    """Seconds on one core for 20,000 distinct objects, 30 partitions and 8 clusters, and the powers by which they grow.

    Rough: single runs on made ensembles of 2,000 to 100,000 objects, all with 30 partitions and 8 clusters. Where a run
    did not end within two minutes (eac, hgpa, penca) or was refused (cspa), the figure is carried on from smaller
    ones by the power given. Growth with partitions and clusters was not measured: it is taken to be in proportion.
    """

    seconds: float
    objects: float = 1
    partitions: float = 1
    limited: float = float("inf")  # seconds for each object and partition beyond a minute, where it takes a short cut


_EFFORT = {
    "acccs": Effort(100, objects=2),
    "ceac": Effort(35, objects=2),
    "cspa": Effort(49, objects=2),
    "eac": Effort(17, objects=2, limited=1e-6),
    "embedding": Effort(2),
    "hbgf": Effort(1.5),
    "hgpa": Effort(36, objects=1.5),
    "lwea": Effort(40, objects=2),
    "lwgp": Effort(3),
    "lwsm": Effort(40, objects=2),
    "mcla": Effort(4),
    "medoid": Effort(0.5, partitions=2),
    "mmec": Effort(7),
    "penca": Effort(500, objects=2),
    "ppc": Effort(9),
    "qmi": Effort(4),
    "scec": Effort(5),
    "voting": Effort(0.2),
}
_UNKNOWN_EFFORT = Effort(10, objects=2)
_MOST_SECONDS = 300
_PAIR_BYTES = {"cspa": 26, "penca": 24}  # for each two distinct objects
# For each object, and for each label of each object that differs from the others.
_OBJECT_BYTES = (200, 24)  # the most that any method took that is not named below
_ALL_PAIRS_BYTES = (200, 48)
_NEIGHBOR_BYTES = (200, 34)
_MOST_BYTES = 2e9


def too_much(name: str, n_distinct: int, n_partitions: int, n_clusters: int) -> str:
    """What a method may cost at this size, in words, if it is more than 5 minutes or 2 GB; else nothing.

    Examples
    --------
    >>> from pluribus.consensus._shared.cost import too_much
    >>> too_much("ceac", 200_000, 30, 8), too_much("cspa", 50_000, 30, 8), too_much("eac", 200_000, 30, 8)
    ('58 minutes', '65 GB of memory', '')
    """
    memory = _PAIR_BYTES.get(name, 0) * n_distinct**2
    if memory > _MOST_BYTES:
        return f"{memory / 1e9:,.0f} GB of memory"
    effort = _EFFORT.get(name, _UNKNOWN_EFFORT)
    linked = min(n_distinct, LINKED) if name in ("lwea", "lwsm") else n_distinct
    growth = (linked / 20_000) ** effort.objects * (n_partitions / 30) ** effort.partitions
    seconds = effort.seconds * growth * max(n_clusters / 8, 1)
    seconds = min(seconds, 60 + effort.limited * n_distinct * n_partitions)
    if seconds <= _MOST_SECONDS:
        return ""
    return f"{seconds / 60:,.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"


def bytes_needed(
    name: str, n_objects: int, n_partitions: int, n_distinct: int | None = None, *, neighbors: bool = False
) -> float:
    """What a method takes of memory beyond the labels and its result, at most.

    Measured on ensembles of 50,000 to 1,000,000 objects in 20 and 50 partitions. ``n_distinct`` objects differ; by
    default all do, but methods that hold something for each two of them are then taken to hold nothing. ``neighbors``:
    evidence accumulation along the strongest pairs.

    Examples
    --------
    >>> from pluribus.consensus._shared.cost import bytes_needed
    >>> f"{bytes_needed('hbgf', 1_000_000, 50) / 1e9:.1f} GB"
    '1.4 GB'
    >>> f"{bytes_needed('cspa', 50_000, 50, 50_000) / 1e9:.1f} GB"
    '65.1 GB'
    """
    fixed, of_label = _OBJECT_BYTES
    if name in ("eac", "ceac", "lwea", "lwsm"):
        fixed, of_label = _NEIGHBOR_BYTES if neighbors else _ALL_PAIRS_BYTES
    pairs = _PAIR_BYTES.get(name, 0) * float(n_distinct or 0) ** 2
    return pairs + n_objects * fixed + of_label * n_partitions * (n_distinct or n_objects)
