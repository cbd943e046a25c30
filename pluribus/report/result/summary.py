"""What the report says, as plain numbers and words: the hand-over from ``summarize`` to the drawing."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pluribus.report.result._constraint_costs import KnownTable
from pluribus.report.result._merges import MergeView
from pluribus.report.result.k_indices import KIndices


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """How long each number of clusters lasts in the dendrogram."""

    k: np.ndarray
    value: np.ndarray
    chosen: int


@dataclass(frozen=True, eq=False)
class Cuts:
    """How decided the evidence is when the dendrogram is cut into k clusters.

    The margin of an object is its mean evidence for its own cluster minus that for the next best one;
    ``quantiles`` holds the 5, 25, 50, 75 and 95 % points of the margins for each k.
    """

    k: np.ndarray
    quantiles: np.ndarray
    ambiguous: np.ndarray
    chosen: int
    n_sampled: int


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """Distribution of the evidence over pairs of objects, in the same and in different clusters of the result."""

    edges: np.ndarray
    same: np.ndarray
    different: np.ndarray
    undecided: float
    n_sampled: int


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Evidence between objects in dendrogram order, in whole percent (-1 = never clustered in the same member)."""

    percent: np.ndarray
    labels: np.ndarray
    ids: np.ndarray
    sampled: bool
    order: str


@dataclass(frozen=True, eq=False)
class ObjectMap:
    """The objects in two dimensions."""

    x: np.ndarray
    y: np.ndarray
    labels: np.ndarray
    uncertainty: np.ndarray
    next_best: np.ndarray
    ids: np.ndarray
    axes: tuple[str, str]
    basis: str
    sampled: bool
    links: np.ndarray | None = None  # (m, 2) places of linked objects, if clusters are connected
    n_links: int = 0  # between these objects, drawn or not
    objects: np.ndarray | None = None  # their numbers in the case


class LevelCluster(NamedTuple):
    """A cluster of a level: the cluster of the next coarser level that holds most of it, and how much."""

    number: int
    size: int
    parent: int
    held: int


@dataclass(frozen=True, eq=False)
class Level:
    """A level of the ladder; ``shown`` are the labels of the objects on the map."""

    n_clusters: int
    score: float
    agreement: float
    separation: float
    is_result: bool
    is_next: bool
    clusters: tuple[LevelCluster, ...]
    words: str
    shown: np.ndarray


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels from one group to the finest, and the score of each number of clusters that was tried."""

    levels: tuple[Level, ...]
    numbers: np.ndarray
    scores: np.ndarray
    sentence: str

    @property
    def is_tree(self) -> bool:
        """Whether there is more to see than one group and the result."""
        return sum(level.n_clusters > 1 for level in self.levels) > 1


@dataclass(frozen=True)
class Trait:
    """A feature or category in which a cluster differs from the rest, in standard deviations."""

    feature: str
    category: str | None
    inside: float
    outside: float
    difference: float


@dataclass(frozen=True)
class Example:
    """An object named in the report; ``next_best`` is the runner-up cluster, -1 if there is none."""

    id: str
    uncertainty: float
    next_best: int


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster: how large, how sure, what it is like."""

    number: int
    size: int
    share: float
    uncertainty: float
    membership: float  # mean, in this cluster
    reproducibility: float  # NaN if it is not known
    n_ambiguous: int
    traits: tuple[Trait, ...]
    typical: tuple[Example, ...]
    ambiguous: tuple[Example, ...]


@dataclass(frozen=True, eq=False)
class MemberAgreement:
    """How well each member agrees with the result: adjusted Rand index and normalized mutual information."""

    names: tuple[str, ...]
    k: np.ndarray
    ari: np.ndarray
    nmi: np.ndarray
    covered: np.ndarray

    @property
    def by_agreement(self) -> list[int]:
        """The members, those that agree best first."""
        return np.argsort(-self.ari, kind="stable").tolist()


class Box(NamedTuple):
    """One cluster at a side of a figure of flows, or several small ones; ``cluster`` is that of the result, or -1."""

    name: str
    size: int
    cluster: int = -1


@dataclass(frozen=True)
class MemberFlow:
    """Where the objects of a member's clusters go, top to bottom; ``streams`` are (source, target, objects)."""

    name: str
    k: int
    ari: float
    nmi: float
    words: str
    sources: tuple[Box, ...]
    targets: tuple[Box, ...]
    streams: tuple[tuple[int, int, int], ...]
    hidden: float  # share of the objects in streams too thin to show
    grouped: bool = False  # whether some sources are several small clusters


@dataclass(frozen=True)
class Flows:
    """The flows of the members, best agreement first; ``featured`` are positions in ``members``, with a heading."""

    members: tuple[MemberFlow, ...]
    n_members: int
    featured: tuple[tuple[str, int], ...]

    @property
    def others(self) -> list[int]:
        """Positions of the members that are not featured."""
        return [p for p in range(len(self.members)) if p not in {position for _, position in self.featured}]


class KnownGroup(NamedTuple):
    """A group of a known partition: its size, its objects in each cluster, and the features that set it apart."""

    name: str
    size: int
    counts: tuple[int, ...]
    traits: tuple[Trait, ...]


class KnownPartition(NamedTuple):
    """A known partition next to the result."""

    name: str
    nmi: float
    ari: float
    n_groups: int
    n_missing: int
    groups: tuple[KnownGroup, ...]  # the largest
    clusters: tuple[int, ...]  # columns of the cross table
    n_left_out: int  # clusters without a column


@dataclass(frozen=True)
class MethodRow:
    """One consensus function on the ensemble."""

    name: str
    n_clusters: int
    seconds: float
    nmi_members: float
    ari_members: float
    ari_methods: float
    standing: str
    problem: str


@dataclass(frozen=True, eq=False)
class MethodTable:
    """Consensus functions side by side; ``agreement`` between those without a problem, in the order of ``rows``."""

    rows: tuple[MethodRow, ...]
    agreement: np.ndarray
    preferred: str
    verdict: str


@dataclass(frozen=True, eq=False)
class Summary:
    """All that the report shows. See :func:`pluribus.report.summarize`.

    Examples
    --------
    >>> from dataclasses import fields
    >>> from pluribus.report import Summary
    >>> [f.name for f in fields(Summary)][:3]
    ['title', 'method', 'k_chosen_by']
    """

    title: str
    method: str
    k_chosen_by: str
    headline: str
    verdict: str
    verdict_reason: str
    finer: int | None  # a finer level of which every cluster is significant
    n_objects: int
    n_members: int
    n_clusters: int
    n_unclustered: int
    n_ambiguous: int
    mean_uncertainty: float
    between: tuple[int, int, int] | None  # two clusters and the ambiguous objects between them
    ladder: Ladder | None
    lifetimes: Lifetimes | None
    cuts: Cuts | None
    pairs: PairEvidence | None
    heat: HeatMap
    map: ObjectMap
    clusters: tuple[ClusterSummary, ...]
    has_features: bool
    members: MemberAgreement
    flows: Flows
    methods: MethodTable | None
    k_indices: KIndices | None
    known: KnownTable | None
    other_than: tuple[KnownPartition, ...]
    merges: MergeView | None
    combined: bool
    parameters: dict[str, str]
    versions: dict[str, str]
    notes: tuple[str, ...]

    @property
    def share_clear(self) -> float:
        """Share of the clustered objects that are not ambiguous."""
        return 1 - self.n_ambiguous / max(1, self.n_objects - self.n_unclustered)

    @property
    def reproduced(self) -> bool:
        """Whether it is known how well clusters are found again."""
        return any(cluster.reproducibility == cluster.reproducibility for cluster in self.clusters)

    @property
    def largest(self) -> int:
        """Size of the largest cluster."""
        return max((cluster.size for cluster in self.clusters), default=0)

    @property
    def members_are_finer(self) -> bool:
        """Whether the members divide the objects much further than the result does."""
        return bool(np.median(self.members.k) > 1.5 * self.n_clusters)
