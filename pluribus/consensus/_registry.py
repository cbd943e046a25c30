"""Consensus functions by the names the field knows them by."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.base import clone

from pluribus.consensus.embedding.embedded_evidence import EmbeddedEvidence
from pluribus.consensus.embedding.lifted_consensus import LiftedConsensus
from pluribus.consensus.graph_cuts.bipartite_partitioning import BipartitePartitioning
from pluribus.consensus.graph_cuts.hypergraph_partitioning import HypergraphPartitioning
from pluribus.consensus.graph_cuts.meta_clustering import MetaClustering
from pluribus.consensus.graph_cuts.similarity_partitioning import SimilarityPartitioning
from pluribus.consensus.linkage.constrained_evidence import ConstrainedEvidenceAccumulation
from pluribus.consensus.linkage.evidence_accumulation import EvidenceAccumulation
from pluribus.consensus.linkage.locally_weighted import LocallyWeightedConsensus
from pluribus.consensus.soft.dyadic_aspect import DyadicAspect
from pluribus.consensus.soft.mixture import MixtureConsensus
from pluribus.consensus.soft.mutual_information import MutualInformationConsensus
from pluribus.consensus.soft.pairwise_probabilistic import PairwiseProbabilistic
from pluribus.consensus.soft.soft_correspondence import SoftCorrespondence
from pluribus.consensus.voting.constrained_consistency import ConstrainedConsistency
from pluribus.consensus.voting.medoid import MedoidPartition
from pluribus.consensus.voting.voting import VotingConsensus

_BY_NAME: dict[str, Callable[..., Any]] = {
    "acccs": ConstrainedConsistency,
    "ceac": ConstrainedEvidenceAccumulation,
    "cspa": SimilarityPartitioning,
    "eac": EvidenceAccumulation,
    "embedding": EmbeddedEvidence,
    "hbgf": BipartitePartitioning,
    "hgpa": HypergraphPartitioning,
    "lifthac": partial(LiftedConsensus, clusterer="hac"),
    "liftkm": partial(LiftedConsensus, clusterer="kmeans"),
    "lwea": partial(LocallyWeightedConsensus, extraction="linkage"),
    "lwgp": partial(LocallyWeightedConsensus, extraction="graph"),
    "lwsm": partial(LocallyWeightedConsensus, extraction="stable"),
    "mcla": MetaClustering,
    "medoid": MedoidPartition,
    "mmec": MixtureConsensus,
    "penca": DyadicAspect,
    "ppc": PairwiseProbabilistic,
    "qmi": MutualInformationConsensus,
    "scec": SoftCorrespondence,
    "voting": VotingConsensus,
}


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus import consensus
    >>> consensus.names()
    ['acccs', 'ceac', 'cspa', 'eac', 'embedding', 'hbgf', 'hgpa', 'lifthac', 'liftkm', 'lwea', 'lwgp', 'lwsm', 'mcla',
     'medoid', 'mmec', 'penca', 'ppc', 'qmi', 'scec', 'voting']
    """
    return sorted(_BY_NAME)


def by_name(name: str) -> Callable[..., Any]:
    """The consensus function of this name: what makes one, given its parameters.

    Examples
    --------
    >>> from pluribus import consensus
    >>> consensus.by_name("EAC")(n_clusters=3)
    EvidenceAccumulation(n_clusters=3)
    """
    try:
        return _BY_NAME[name.lower()]
    except KeyError:
        raise ValueError(f"No consensus function is called {name!r}; there are {', '.join(names())}.") from None


def name_of(consensus: Any) -> str:
    """The name of a consensus function, as far as its class tells; empty for what is none of ours.

    Examples
    --------
    >>> from pluribus.consensus import PairwiseProbabilistic
    >>> from pluribus.consensus._registry import name_of
    >>> name_of(PairwiseProbabilistic(3))
    'ppc'
    """
    classes = ((name, getattr(make, "func", make)) for name, make in _BY_NAME.items())
    return next((name for name, made in classes if made is type(consensus)), "")


def configured(consensus: Any, *, n_clusters: int | None, random_state: int, verbose: bool) -> Any:
    """A consensus function, given or by name, with these parameters where it has them.

    What is given is copied. Its own random state is kept if it has one, and its number of clusters if none is given.

    Examples
    --------
    >>> from pluribus.consensus._internal import configured
    >>> configured("scec", n_clusters=3, random_state=0, verbose=False)
    SoftCorrespondence(n_clusters=3, random_state=0, verbose=False)
    """
    function = by_name(consensus)() if isinstance(consensus, str) else clone(consensus)
    own = function.get_params(deep=False)
    if n_clusters is not None:
        function.set_params(n_clusters=n_clusters)
    if "random_state" in own and own["random_state"] is None:
        function.set_params(random_state=random_state)
    if "verbose" in own:
        function.set_params(verbose=verbose)
    return function
