"""Methods over data and constraints by the names the field knows them by."""

from collections.abc import Callable
from functools import partial
from typing import Any

from pluribus.constrained.conditions.aggregate_kmeans import AggregateConstrainedKMeans
from pluribus.constrained.feedback.feedback_clusterer import FeedbackClusterer
from pluribus.constrained.mixtures.gaussian_mixture import ConstrainedGaussianMixture
from pluribus.constrained.mixtures.mean_field_mixture import MeanFieldMixture
from pluribus.constrained.mixtures.penalized_mixture import PenalizedMixture
from pluribus.constrained.pairs.cop_kmeans import CopKMeans
from pluribus.constrained.pairs.metric_pairwise_kmeans import MetricPairwiseKMeans
from pluribus.constrained.pairs.pairwise_kmeans import PairwiseKMeans
from pluribus.constrained.pairs.seeded_kmeans import SeededKMeans
from pluribus.constrained.sizes.balanced_kmeans import BalancedKMeans
from pluribus.constrained.sizes.frequency_sensitive import FrequencySensitiveKMeans
from pluribus.constrained.sizes.size_constrained_kmeans import SizeConstrainedKMeans

_BY_NAME: dict[str, Callable[..., Any]] = {
    "aggregate": AggregateConstrainedKMeans,
    "balanced": BalancedKMeans,
    "constrained-kmeans": partial(SeededKMeans, fixed=True),
    "cop-kmeans": CopKMeans,
    "feedback": FeedbackClusterer,
    "frequency-sensitive": FrequencySensitiveKMeans,
    "gmm": ConstrainedGaussianMixture,
    "mean-field": MeanFieldMixture,
    "mpckmeans": MetricPairwiseKMeans,
    "pckmeans": PairwiseKMeans,
    "penalized": PenalizedMixture,
    "ppc-mixture": PenalizedMixture,
    "seeded-kmeans": partial(SeededKMeans, fixed=False),
    "size-constrained": SizeConstrainedKMeans,
}


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus import constrained
    >>> "cop-kmeans" in constrained.names()
    True
    """
    return sorted(_BY_NAME)


def by_name(name: str) -> Callable[..., Any]:
    """The method of this name: what makes one, given its parameters.

    Examples
    --------
    >>> from pluribus import constrained
    >>> constrained.by_name("COP-KMeans")(n_clusters=3)
    CopKMeans(n_clusters=3)
    """
    try:
        return _BY_NAME[name.lower()]
    except KeyError:
        raise ValueError(f"No constrained method is called {name!r}; there are {', '.join(names())}.") from None
