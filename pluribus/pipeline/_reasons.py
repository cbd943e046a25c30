"""The choices that were made by default, in sentences."""

from typing import Any

from pluribus.consensus import LocallyWeightedConsensus
from pluribus.pipeline._defaults import MOST_MEMBERS

BY_COSINE = "Rows are compared by the cosine: each was divided by its length."


def reasons(model: Any, generator: Any) -> list[str]:
    """What a fitted ``EnsembleClusterer`` chose by default, and why."""
    sentences = [BY_COSINE] if model.metric == "cosine" else []
    if model.generator is None:
        sentences.append(f"{len(model.ensemble_)} members by {_kind(generator)}.")
        if generator.clusterer == "landmarks" and model.n_members is None and generator.n_members > MOST_MEMBERS:
            sentences.append(f"Halves of the first {MOST_MEMBERS} members disagreed, so there are more.")
    if model.consensus is None:
        weighted = isinstance(model.consensus_, LocallyWeightedConsensus)
        sentences.append(
            "Clusters are weighted by how consistently the other members reproduce them (LWSM)."
            if weighted
            else "Average link on the co-association: objects that are often in one cluster belong together (EAC)."
        )
    if model.structure_ is not None:
        sentences.append(model.structure_.sentence)
    if model.n_clusters is None and not (model.n_clusters_ == 1 and model.verdict_ == "none"):
        if model.k_ladder_ is not None:
            sentences.append(model.k_ladder_.sentence)
        elif model.k_choice_ is not None:
            sentences.append(model.k_choice_.sentence)
        elif hasattr(model.consensus_, "k_stability_"):
            sentences.append(model.consensus_.k_stability_.sentence)
    if model.choice_ is not None:
        sentences.append(model.choice_.sentence)
    elif hasattr(model.consensus_, "last_merges_") and model.n_clusters_ > 1:
        sentences.append(model.consensus_.last_merges_.sentence)
    return sentences


def _kind(generator: Any) -> str:
    """The members of a default generator, and why they suit."""
    if generator.clusterer == "landmarks":
        seen = f", each on {generator.subspace:.0%} of the features" if generator.subspace < 1 else ""
        return f"spectral clustering through landmarks{seen}: they follow clusters of any shape"
    if generator.n_clusters == "auto":
        return "k-means with many clusters: their pieces make up clusters of any shape"
    return "k-means with about as many clusters as the result: the consensus function matches them to it"
