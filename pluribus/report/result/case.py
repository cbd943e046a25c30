"""The case that a report is about: a result with all that led to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus.consensus import MethodComparison
from pluribus.constraints import Constraints
from pluribus.partitions import Ensemble
from pluribus.pipeline import Clustering, MergeRecord
from pluribus.pipeline._internal import RUNNING, KLadder, verdict_reason
from pluribus.report.result.k_indices import KIndices, k_indices


@dataclass(frozen=True, eq=False)
class Case:
    """A consensus partition, the ensemble it came from, and what is known about the objects.

    Nothing is fitted again: the report shows what is in here.

    Parameters
    ----------
    title : str
        What was clustered, for instance the file's name.
    ensemble : Ensemble
    labels : array of n integers
        The result: clusters numbered from 0, -1 = not clustered.
    membership : array of shape (n, k)
    uncertainty : array of n numbers from 0 to 1
    ids : array of n strings
    linkage : array of shape (n - 1, 4), optional
        The dendrogram of the objects in SciPy's format.
    lifetimes : array, optional
        At index k, how long the cut into k clusters lasts, or what else speaks for k.
    method : str
        The consensus function, in words.
    k_chosen_by : str
        How the number of clusters was found, in words: "highest lifetime", "given".
    verdict : {"clusters", "undecided", "none", ""}
        Whether there are clusters at all; empty if that was not asked.
    verdict_reason : str
        The sentence behind the verdict.
    ladder : KLadder, optional
        The numbers of clusters that are worth a look.
    reproducibility : array of n_clusters numbers, optional
        How well each cluster is found again in other samples, 0 to 1.
    X : array of shape (n, d), optional
        The features that were clustered.
    feature_names : sequence of d strings
    frame : data frame of n rows, optional
        The original columns, for the profiles of the clusters.
    notes : sequence of str
        Choices made on the way, and warnings.
    methods : MethodComparison, optional
        Other consensus functions on the same ensemble, if they were compared.
    k_indices : KIndices, optional
        Indices for each number of clusters, if it was to be found.
    known : Constraints, optional
        What was known about the objects.
    merges : MergeRecord, optional
        The merges of the method, if it tests them.
    coordinates : array of shape (n, 2), optional
        Where to draw the objects, if not by the features.
    graph : csr_array of shape (n, n), optional
        Links between the objects, which the map draws.
    other_than : data frame, optional
        Known partitions that the result is to differ from, a column for each.
    combined : bool, default=True
        Whether the result was made from the ensemble; else the ensemble is only what it is held against.
    parameters, versions : mappings
    seed : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case
    >>> case = Case(
    ...     title="four objects",
    ...     ensemble=Ensemble([[0, 0, 1, 1], [0, 0, 0, 1]]),
    ...     labels=np.array([0, 0, 1, 1]),
    ...     membership=np.array([[0.8, 0.2], [0.8, 0.2], [0.4, 0.6], [0, 1]]),
    ...     uncertainty=np.array([0.7, 0.7, 0.9, 0]),
    ...     ids=np.array(["a", "b", "c", "d"]),
    ... )
    >>> case.n_clusters
    2
    """

    title: str
    ensemble: Ensemble
    labels: np.ndarray
    membership: np.ndarray
    uncertainty: np.ndarray
    ids: np.ndarray
    linkage: np.ndarray | None = None
    lifetimes: np.ndarray | None = None
    method: str = "consensus"
    k_chosen_by: str = "given"
    verdict: str = ""
    verdict_reason: str = ""
    ladder: KLadder | None = None
    reproducibility: np.ndarray | None = None
    X: np.ndarray | None = None
    feature_names: Sequence[str] = ()
    frame: pd.DataFrame | None = None
    notes: Sequence[str] = ()
    methods: MethodComparison | None = None
    k_indices: KIndices | None = None
    known: Constraints | None = None
    merges: MergeRecord | None = None
    coordinates: np.ndarray | None = None
    graph: sparse.csr_array | None = None
    other_than: pd.DataFrame | None = None
    combined: bool = True
    parameters: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = self.ensemble.n_objects
        for name in ("labels", "membership", "uncertainty", "ids", "X", "frame", "coordinates", "other_than"):
            value = getattr(self, name)
            if value is not None and len(value) != n:
                raise ValueError(
                    f"{name} has {len(value)} rows, but the ensemble has {n} objects; give one row for each object."
                )
        if np.ndim(self.membership) != 2 or self.membership.shape[1] < self.n_clusters:
            raise ValueError(
                f"membership has shape {np.shape(self.membership)}, but labels name {self.n_clusters} clusters; "
                "give one column for each cluster."
            )
        if self.linkage is not None and np.shape(self.linkage) != (n - 1, 4):
            raise ValueError(
                f"linkage has shape {np.shape(self.linkage)}; the dendrogram of {n} objects has shape ({n - 1}, 4)."
            )
        if self.reproducibility is not None and len(self.reproducibility) != self.n_clusters:
            raise ValueError(
                f"reproducibility has {len(self.reproducibility)} numbers, but labels name {self.n_clusters} clusters; "
                "give one for each cluster."
            )
        for rung in () if self.ladder is None else self.ladder.rungs:
            if len(rung.labels) != n:
                raise ValueError(f"a level of the ladder has {len(rung.labels)} labels, but there are {n} objects.")
        if self.X is not None and len(self.feature_names) not in (0, self.X.shape[1]):
            raise ValueError(f"feature_names has {len(self.feature_names)} names, but X has {self.X.shape[1]} columns.")

    @classmethod
    def of(cls, result: Clustering) -> "Case":
        """The case of a result of ``pluribus.cluster`` or ``pluribus.combine``.

        Examples
        --------
        >>> import pluribus
        >>> from pluribus.report import Case
        >>> Case.of(pluribus.combine([[0, 0, 1, 1], [0, 0, 1, 1]], verbose=False)).n_clusters
        2
        """
        opinion, silence = result.k_opinion
        return cls(
            title=result.title,
            ensemble=result.ensemble,
            labels=result.labels,
            membership=result.membership,
            uncertainty=result.uncertainty,
            ids=result.ids,
            linkage=result.linkage,
            lifetimes=result.k_support if result.ladder is None else None,
            method=result.method,
            k_chosen_by=result.k_chosen_by,
            verdict=result.verdict,
            verdict_reason=verdict_reason(result.reasons),
            ladder=result.ladder,
            reproducibility=None if result.reproducibility is None else result.reproducibility[: result.n_clusters],
            X=result.features if isinstance(result.features, np.ndarray) else None,
            feature_names=result.feature_names,
            frame=result.frame,
            notes=[*result.notes, *([silence] if silence else [])],
            methods=result.methods,
            k_indices=None if opinion is None else k_indices(opinion, result.n_clusters),
            known=result.constraints,
            merges=result.merges,
            coordinates=result.coordinates,
            graph=result.graph,
            other_than=result.other_than,
            combined=result.combined,
            parameters=_stated(result.parameters),
            seed=result.parameters.get("seed"),
            versions=result.versions,
        )

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the result."""
        return int(np.max(self.labels, initial=-1)) + 1


def _stated(parameters: Mapping[str, object]) -> dict[str, object]:
    """The options that a result depends on; those that were not given are left out."""
    left_out = (*RUNNING, "seed")
    return {
        name: value for name, value in parameters.items() if name not in left_out and value not in (None, False, [])
    }
