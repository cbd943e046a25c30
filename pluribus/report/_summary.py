"""What the report says, as plain numbers and words: the hand-over from ``summarize`` to the drawing."""

from dataclasses import dataclass

import numpy as np


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
    n_ambiguous: int
    traits: tuple[Trait, ...]
    typical: tuple[Example, ...]
    ambiguous: tuple[Example, ...]


@dataclass(frozen=True, eq=False)
class MemberAgreement:
    """How well each member of the ensemble agrees with the result (adjusted Rand index)."""

    names: tuple[str, ...]
    k: np.ndarray
    ari: np.ndarray
    covered: np.ndarray


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
    n_objects: int
    n_members: int
    n_clusters: int
    n_unclustered: int
    n_ambiguous: int
    mean_uncertainty: float
    between: tuple[int, int, int] | None  # two clusters and the ambiguous objects between them
    lifetimes: Lifetimes | None
    cuts: Cuts | None
    pairs: PairEvidence | None
    heat: HeatMap
    map: ObjectMap
    clusters: tuple[ClusterSummary, ...]
    has_features: bool
    members: MemberAgreement
    parameters: dict[str, str]
    versions: dict[str, str]
    notes: tuple[str, ...]

    @property
    def share_clear(self) -> float:
        """Share of the clustered objects that are not ambiguous."""
        return 1 - self.n_ambiguous / max(1, self.n_objects - self.n_unclustered)

    @property
    def largest(self) -> int:
        """Size of the largest cluster."""
        return max((cluster.size for cluster in self.clusters), default=0)

    @property
    def members_are_finer(self) -> bool:
        """Whether the members divide the objects much further than the result does."""
        return bool(np.median(self.members.k) > 1.5 * self.n_clusters)
