"""How much time and memory a consensus function may take."""

from typing import NamedTuple

_OBJECT_BYTES = 200  # for each object, whatever the method
_MOST_SECONDS, _MOST_BYTES = 300, 2e9
_REFERENCE = (20_000, 30, 8)  # distinct objects, partitions and clusters for which seconds are given


class Cost(NamedTuple):
    """What a consensus function takes; the defaults are for a method of which nothing is known.

    The seconds are rough: single runs on one core with generated ensembles of 2,000 to 100,000 objects, all with 30
    partitions and 8 clusters. Where a run did not end within two minutes (EAC, HGPA, PEnCA) or was refused (CSPA), the
    figure is extrapolated from smaller ones by the power given. Growth with the number of partitions and clusters was
    not measured: time is assumed to be proportional to both, unless a power of the partitions is given. Memory was
    measured on ensembles of 50,000 to 1,000,000 objects in 20 and 50 partitions.

    Attributes
    ----------
    seconds : float
        For 20,000 distinct objects, 30 partitions and 8 clusters.
    objects, partitions : float
        The powers of their numbers with which the seconds grow.
    sample : float
        The number of objects from which on the seconds, and the bytes for labels, stay the same, because only a sample
        is compared pair by pair.
    shortcut : float
        Seconds per object and partition beyond the first minute, if the method then takes a shortcut.
    pair_bytes : float
        Bytes for each pair of distinct objects.
    label_bytes : float
        Bytes for each label of each distinct object; the default is the most that any method took without pairs.
    neighbor_label_bytes : float or None
        The same if only the strongest pairs of each object are used; None if the method has no such form.

    Examples
    --------
    >>> from pluribus.consensus._shared.cost import Cost
    >>> Cost(seconds=35, objects=2).too_much(200_000, 30, 8)
    '58 minutes'
    >>> Cost(seconds=49, objects=2, pair_bytes=26).too_much(50_000, 30, 8)
    '65 GB of memory'
    """

    seconds: float = 10
    objects: float = 2
    partitions: float = 1
    sample: float = float("inf")
    shortcut: float = float("inf")
    pair_bytes: float = 0
    label_bytes: float = 24
    neighbor_label_bytes: float | None = None

    @property
    def in_words(self) -> str:
        """The time on one core at the reference size, and how it grows.

        Examples
        --------
        >>> from pluribus.consensus._shared.cost import Cost
        >>> Cost(seconds=17, objects=2, shortcut=1e-6).in_words
        '17 s for 20,000 objects, grows with n² until a shortcut after 1 minute'
        """
        return f"{self.seconds:g} s for {_REFERENCE[0]:,} objects, grows with {self.growth}"

    @property
    def growth(self) -> str:
        """How the time grows with the number of objects n, in words."""
        power = {1.0: "n", 2.0: "n²"}.get(self.objects, f"n^{self.objects:g}")
        if self.shortcut < float("inf"):
            return f"{power} until a shortcut after 1 minute"
        return f"{power} up to {self.sample:,.0f} objects" if self.sample < float("inf") else power

    def seconds_needed(self, n_distinct: int, n_partitions: int, n_clusters: int) -> float:
        """About how long the method runs on one core."""
        n, r, k = _REFERENCE
        growth = (min(n_distinct, self.sample) / n) ** self.objects * (n_partitions / r) ** self.partitions
        seconds = self.seconds * growth * max(n_clusters / k, 1)
        return min(seconds, 60 + self.shortcut * n_distinct * n_partitions)

    def bytes_needed(
        self, n_objects: int, n_partitions: int, n_distinct: int | None = None, *, neighbors: bool = False
    ) -> float:
        """The memory used at most, besides the labels and the result.

        ``n_distinct`` objects differ; by default all do, but then no bytes are counted for their pairs. ``neighbors``:
        only the strongest pairs of each object are used.

        Examples
        --------
        >>> from pluribus.consensus._shared.cost import Cost
        >>> f"{Cost().bytes_needed(1_000_000, 50) / 1e9:.1f} GB"
        '1.4 GB'
        """
        label_bytes = self.label_bytes
        if neighbors and self.neighbor_label_bytes is not None:
            label_bytes = self.neighbor_label_bytes
        pairs = self.pair_bytes * float(n_distinct or 0) ** 2
        linked = min(n_distinct or n_objects, self.sample)
        return pairs + n_objects * _OBJECT_BYTES + label_bytes * n_partitions * linked

    def too_much(self, n_distinct: int, n_partitions: int, n_clusters: int) -> str:
        """The cost at this size in words, if it is more than 5 minutes or 2 GB for pairs; otherwise empty."""
        memory = self.pair_bytes * n_distinct**2
        if memory > _MOST_BYTES:
            return f"{memory / 1e9:,.0f} GB of memory"
        seconds = self.seconds_needed(n_distinct, n_partitions, n_clusters)
        if seconds <= _MOST_SECONDS:
            return ""
        return f"{seconds / 60:,.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"
