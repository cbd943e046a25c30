"""The indices by name: what each looks at, which way is better, and where it is fair."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from pluribus._engine import list_of
from pluribus.increments import DegenerateIncrementsError
from pluribus.partitions import Ensemble
from pluribus.validate._sampling import SmallSampleError
from pluribus.validate.agreement import average_consistency_index, average_mutual_information_index
from pluribus.validate.davies_bouldin import calinski_harabasz_index, davies_bouldin_cost
from pluribus.validate.density import dbcv_index
from pluribus.validate.description_length import description_length_cost
from pluribus.validate.dunn import dunn_index
from pluribus.validate.estimate import Estimate
from pluribus.validate.hubert import hubert_index
from pluribus.validate.maulik_bandyopadhyay import maulik_bandyopadhyay_index
from pluribus.validate.neighbor_density import neighbor_density_index
from pluribus.validate.point_symmetry import point_symmetry_cost
from pluribus.validate.s_dbw import s_dbw_cost
from pluribus.validate.sd_validity import sd_cost
from pluribus.validate.silhouette import silhouette_index
from pluribus.validate.xie_beni import xie_beni_cost

Level = Literal["data", "similarity", "ensemble", "dendrogram"]


@dataclass(frozen=True)
class Criterion:
    """An index, as ``choose_partition`` and ``choose_k`` use it.

    Attributes
    ----------
    name : str
    level : {"data", "similarity", "ensemble", "dendrogram"}
        What a partition is held against: features or distances, pairwise similarities, the members of an ensemble, or
        the dendrogram of the evidence (in ``choose_k`` only).
    function : callable or None
        Of ``pluribus.validate``; None for what ``choose_k`` reads off for all k at once.
    greater_is_better : bool
    fair_across_k : bool
        Whether partitions with different numbers of clusters can be compared by it.
    asks : str
        What it asks, in words.
    cost : str
        Time, for n objects, d features, r members and k clusters.

    Examples
    --------
    >>> from pluribus.validate import CRITERIA
    >>> CRITERIA["davies_bouldin"].greater_is_better, CRITERIA["consistency"].fair_across_k
    (False, False)
    """

    name: str
    level: Level
    function: Callable[..., float] | None
    greater_is_better: bool
    fair_across_k: bool
    asks: str
    cost: str
    sampled: bool = False  # whether the function takes sample_size and random_state
    threads: bool = True  # whether it takes n_jobs
    features: bool = False  # whether distances are not enough for it
    noise: bool = False  # whether objects in no cluster are noise to it, which counts

    @property
    def title(self) -> str:
        """Its name for reading.

        Examples
        --------
        >>> from pluribus.validate import CRITERIA
        >>> CRITERIA["similarity_davies_bouldin"].title, CRITERIA["description_length"].title
        ('similarity Davies-Bouldin', 'description length')
        """
        title = self.name
        if title == "s_dbw":
            return "S_Dbw"
        for word, proper in _PROPER.items():
            title = title.replace(word, proper)
        return title.replace("_", " ")


_PROPER = {
    "davies_bouldin": "Davies-Bouldin",
    "calinski_harabasz": "Calinski-Harabasz",
    "dunn": "Dunn",
    "dbcv": "DBCV",
    "hubert": "Hubert",
    "maulik_bandyopadhyay": "Maulik-Bandyopadhyay",
    "sd": "SD",
    "xie_beni": "Xie-Beni",
}
_SAMPLED = "O(n² d) up to 5,000 objects, then a sample"

CRITERIA: dict[str, Criterion] = {
    criterion.name: criterion
    for criterion in (
        Criterion(
            "silhouette", "data", silhouette_index, True, True,
            "objects are nearer to their own cluster than to the next", _SAMPLED, sampled=True,
        ),
        Criterion(
            "dunn", "data", dunn_index, True, True,
            "the narrowest gap between clusters is wide against the widest cluster", _SAMPLED, sampled=True,
        ),
        Criterion(
            "davies_bouldin", "data", davies_bouldin_cost, False, True,
            "clusters are small against the distance of their centers", "O(n d)",
        ),
        Criterion(
            "calinski_harabasz", "data", calinski_harabasz_index, True, True,
            "centers vary more than objects around them", "O(n d)",
        ),
        Criterion(
            "hubert", "data", hubert_index, True, True,
            "objects are as far apart as the centers of their clusters", _SAMPLED, sampled=True,
        ),
        Criterion(
            "maulik_bandyopadhyay", "data", maulik_bandyopadhyay_index, True, True,
            "few compact clusters with one center far away", "O(n d)",
        ),
        Criterion(
            "xie_beni", "data", xie_beni_cost, False, True,
            "clusters are compact against the two closest centers", "O(n d)",
        ),
        Criterion(
            "s_dbw", "data", s_dbw_cost, False, True,
            "clusters are compact, and few objects lie between them", "O(n k d)", threads=False, features=True,
        ),
        Criterion(
            "sd", "data", sd_cost, False, False,
            "clusters are compact, and centers lie evenly apart", "O(n d)", threads=False, features=True,
        ),
        Criterion(
            "point_symmetry", "data", point_symmetry_cost, False, True,
            "clusters are symmetric around their centers", _SAMPLED, sampled=True, threads=False, features=True,
        ),
        Criterion(
            "description_length", "data", description_length_cost, False, True,
            "distances vary smoothly inside clusters, whatever their shape", _SAMPLED, sampled=True, threads=False,
        ),
        Criterion(
            "dbcv", "data", dbcv_index, True, True,
            "clusters are dense inside and sparse between, whatever their shape", _SAMPLED, sampled=True, threads=False,
            features=True, noise=True,
        ),
        Criterion(
            "neighbor_density", "data", neighbor_density_index, True, False,
            "neighborhoods are dense, for clusters of these sizes", "O(n² d) up to 5,000 objects, then O(1000 n d)",
            sampled=True,
        ),
        Criterion(
            "similarity_silhouette", "similarity", silhouette_index, True, False,
            "the evidence is stronger within clusters than to the next", "O(n r k)", sampled=True,
        ),
        Criterion(
            "similarity_dunn", "similarity", partial(dunn_index, within="bottleneck"), True, True,
            "the weakest link that holds a cluster together is strong", "O(n²) up to 5,000 objects, then a sample",
            sampled=True,
        ),
        Criterion(
            "similarity_davies_bouldin", "similarity", partial(davies_bouldin_cost, between="mean"), False, False,
            "there is little evidence between clusters", "O(n r k)", sampled=True,
        ),
        Criterion(
            "similarity_neighbor_density", "similarity", neighbor_density_index, True, False,
            "neighborhoods of evidence are dense, for clusters of these sizes",
            "O(n²) up to 5,000 objects, then O(1000 n)", sampled=True,
        ),
        Criterion(
            "consistency", "ensemble", average_consistency_index, True, False,
            "clusters of the members lie inside clusters", "O(n r)", threads=False,
        ),
        Criterion(
            "mutual_information", "ensemble", average_mutual_information_index, True, False,
            "the partition tells much about the members", "O(n r)", threads=False,
        ),
        Criterion(
            "lifetime", "dendrogram", None, True, True,
            "the evidence between clusters falls most before the next merge", "O(1)",
        ),
        Criterion(
            "ambiguous_pairs", "data", None, False, True,
            "clusterings of sub-samples into so many clusters agree", "30 runs of k-means",
        ),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Sources:
    """What partitions are held against, and how."""

    X: Any = None
    distances: Any = None
    similarity: Any = None
    ensemble: Ensemble | None = None
    missing: str = "error"
    sample_size: int | str | None = "auto"
    random_state: int = 0
    n_jobs: int | None = None

    @property
    def levels(self) -> set[str]:
        """The levels for which there is something; "features" if that of the data has them."""
        found = set()
        if self.X is not None or self.distances is not None:
            found.add("data")
        if self.X is not None:
            found.add("features")
        if self.similarity is not None or self.ensemble is not None:
            found.add("similarity")
        if self.ensemble is not None:
            found.add("ensemble")
        return found

    def value(self, criterion: Criterion, labels: np.ndarray) -> Estimate:
        """The index of a partition; nan where it is not defined."""
        counts = criterion.noise and self.missing != "error"
        options: dict[str, Any] = {"missing": "noise" if counts else self.missing}
        if criterion.level == "data":
            options |= {"X": self.X, "distances": self.distances}
        elif criterion.level == "similarity":
            options["similarity"] = self.similarity if self.similarity is not None else self.ensemble
        else:
            options["ensemble"] = self.ensemble
        if criterion.sampled:
            options |= {"sample_size": self.sample_size, "random_state": self.random_state}
        if criterion.threads:
            options["n_jobs"] = self.n_jobs
        assert criterion.function is not None
        try:
            found = criterion.function(labels, **options)
        except (DegenerateIncrementsError, SmallSampleError):
            return Estimate(np.nan)
        return found if isinstance(found, Estimate) else Estimate(found)


def checked_criteria(criteria: Iterable[str], levels: set[str], *, of_k: bool) -> list[Criterion]:
    """Criteria by their names, if what they look at is there."""
    alone = isinstance(criteria, str)
    names = [criteria] if alone else list_of("criteria", criteria, "names, or None for the default")
    if not names:
        raise ValueError("criteria is empty: name at least one, or give None for the default.")
    for name in names:
        if not isinstance(name, str) or name not in CRITERIA:
            raise ValueError(f"No criterion is called {name!r}; there are {', '.join(CRITERIA)}.")
        found = CRITERIA[name]
        if found.function is None and not of_k:
            raise ValueError(f"{name!r} is about numbers of clusters, not about partitions: it is for choose_k.")
        if found.level not in levels:
            needed = {"data": "X or distances", "similarity": "an ensemble or similarity"}.get(
                found.level, "an ensemble"
            )
            raise ValueError(f"{name!r} needs {needed}, which is not given.")
        if found.features and "features" not in levels:
            raise ValueError(f"{name!r} needs X: distances do not tell the number of dimensions.")
    return [CRITERIA[name] for name in dict.fromkeys(names)]
