"""The summary in plain words: how many, how sure, where it is ambiguous, what to do next."""

from dataclasses import dataclass

import numpy as np

from pluribus.report._shared.specification import on_one_line
from pluribus.report.result.summary import ClusterSummary, Cuts, Summary, Trait
from pluribus.validate import CRITERIA

_FEW_MEMBERS = 20
_CLOSE_LIFETIME = 0.7
_POOR_AGREEMENT = 0.4
_POORLY_FOUND = 0.6  # Jaccard index
_TRAITS_IN_A_LINE = 3


@dataclass(frozen=True)
class Wording:
    """The summary in plain words."""

    headline: str
    findings: tuple[str, ...]
    next_steps: tuple[str, ...]


def percent(share: float) -> str:
    """A share for reading: whole percent, more digits only where they matter.

    Examples
    --------
    >>> from pluribus.report._shared.words import percent
    >>> [percent(x) for x in (0, 0.0004, 0.004, 0.123, 0.998, 1)]
    ['0%', '<0.1%', '0.4%', '12%', '99.8%', '100%']
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share:.1%}" if 0 < share < 0.01 or 0.99 < share < 1 else f"{share:.0%}"


def count(n: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> from pluribus.report._shared.words import count
    >>> count(1, "cluster"), count(1200, "object")
    ('1 cluster', '1,200 objects')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def index_title(name: str) -> str:
    """The name of an index for reading.

    Examples
    --------
    >>> from pluribus.report._shared.words import index_title
    >>> index_title("similarity_davies_bouldin"), index_title("description_length")
    ('similarity Davies-Bouldin', 'description length')
    """
    return CRITERIA[name].title


def describe(summary: Summary) -> Wording:
    """Put a summary into words.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, summarize
    >>> from pluribus.report._shared.words import describe
    >>> labels = np.array([0, 0, 1, 1])
    >>> case = Case("t", Ensemble([labels] * 30), labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")))
    >>> describe(summarize(case)).headline
    '2 clusters of 4 objects, clearly assigned'
    """
    return Wording(summary.headline, tuple(_findings(summary)), tuple(_next_steps(summary)))


def in_a_line(cluster: ClusterSummary) -> str:
    """What sets a cluster apart, in a line: its strongest traits, or its most typical objects.

    Examples
    --------
    >>> from pluribus.report._shared.words import in_a_line
    >>> from pluribus.report.result.summary import ClusterSummary, Trait
    >>> traits = Trait("color", "red", 0.8, 0.1, 1.7), Trait("age", None, 20.0, 40.0, -1.2)
    >>> in_a_line(ClusterSummary(0, 5, 0.5, 0.1, 0.9, 0.95, 0, traits, (), ()))
    'color = red (80%, others 10%), low age'
    """
    if cluster.traits:
        return ", ".join(_trait(trait) for trait in cluster.traits[:_TRAITS_IN_A_LINE])
    named = ", ".join(on_one_line(example.id, 30) for example in cluster.typical[:_TRAITS_IN_A_LINE])
    return f"such as {named}" if named else ""


def _trait(trait: Trait) -> str:
    feature = on_one_line(trait.feature, 40)
    if trait.category is not None:
        shares = f"{percent(trait.inside)}, others {percent(trait.outside)}"
        return f"{feature} = {on_one_line(trait.category, 30)} ({shares})"
    return f"{'high' if trait.difference > 0 else 'low'} {feature}"


def _findings(s: Summary):
    low, high = s.members.k.min(), s.members.k.max()
    k_range = f"with {low} clusters" if low == high else f"with {low} to {high} clusters"
    each = "" if s.n_members == 1 else " each"
    result = f"into {count(s.n_clusters, 'cluster')} (number of clusters: {s.k_chosen_by})"
    members = f"{count(s.n_members, 'partition')} of {count(s.n_objects, 'object')}, {k_range}{each}"
    if s.combined:
        yield f"{s.method} combined {members}, {result}."
    else:
        yield f"{s.method} divided {count(s.n_objects, 'object')} {result}. It is held against {members}."
    if s.verdict_reason:
        yield s.verdict_reason
    n_clustered = s.n_objects - s.n_unclustered
    if s.n_unclustered:
        yield f"{count(s.n_unclustered, 'object')} ({percent(s.n_unclustered / s.n_objects)}) belong to no cluster."
    if s.n_clusters > 1 and s.n_members > 1:
        if s.n_ambiguous == 0:
            yield "For every object the evidence points clearly to one cluster."
        else:
            yield (
                f"For {n_clustered - s.n_ambiguous:,} of {count(n_clustered, 'object')} ({percent(s.share_clear)}) the "
                f"evidence points clearly to one cluster. The other {s.n_ambiguous:,} "
                f"{'is' if s.n_ambiguous == 1 else 'are'} ambiguous: another cluster has at least half as much "
                "support as their own, or their uncertainty is at least 0.9."
            )
        if s.between and s.between[2] > max(2, s.n_ambiguous / 2):
            a, b, n = s.between
            share = "all" if n == s.n_ambiguous else f"{n:,} of {s.n_ambiguous:,}"
            yield f"Most of the ambiguity is between clusters {a} and {b} ({share})."
    yield from _found_again(s)
    if s.finer is not None:
        yield (
            f"Each of {s.finer} clusters is significant, too: the clusters of the result divide further. The "
            "ladder below shows how."
        )
    if s.n_clusters > 1:
        by_size = sorted(s.clusters, key=lambda c: c.size)
        smallest, largest = by_size[0], by_size[-1]
        yield (
            f"The largest cluster holds {percent(largest.share)} of the objects, the smallest "
            f"{count(smallest.size, 'object')} ({percent(smallest.share)})."
        )
    if s.n_members > 1 and s.n_clusters > 1:
        yield (
            f"A member agrees with the result at an adjusted Rand index of {np.mean(s.members.ari):.2f} on average "
            "(1 = identical, 0 = as by chance)."
            + (" It cannot be high here: the members divide the clusters further." if s.members_are_finer else "")
        )


def _found_again(s: Summary):
    """How well other samples find the clusters again."""
    known = [cluster for cluster in s.clusters if cluster.reproducibility == cluster.reproducibility]
    if not known or s.n_clusters < 2:
        return
    found = [cluster.reproducibility for cluster in known]
    low, high = f"{min(found):.2f}", f"{max(found):.2f}"
    between = low if low == high else f"{low} to {high}"
    yield f"Other samples find the clusters again with a mean Jaccard index of {between} (1 = the same objects)."
    if poor := [str(cluster.number) for cluster in known if cluster.reproducibility < _POORLY_FOUND]:
        some = ", ".join(poor[:8]) + (", …" if len(poor) > 8 else "")
        yield f"{'Cluster' if len(poor) == 1 else 'Clusters'} {some} may be an accident of this sample (below 0.6)."


def _next_steps(s: Summary):
    if s.n_members == 1:
        yield (
            "There is one partition only, so the uncertainties say nothing. Combine several: other methods, other "
            "starts, samples of the rows."
        )
    elif s.n_members < _FEW_MEMBERS and s.combined:
        yield f"Evidence from {s.n_members} partitions is coarse. With more of them the uncertainties get finer."
    if s.n_clusters == 1 and s.verdict == "none":
        yield (
            "Treat the objects as one group. More rows, or other columns, may show clusters that are not seen here. "
            "If you need parts of similar objects all the same, give the number of clusters."
        )
    if s.n_clusters > 1 and s.verdict in ("none", "undecided"):
        yield (
            "Do not take these clusters for kinds of objects. They may still serve to divide the objects into parts of "
            "similar ones. More rows, or other columns, may show clusters that are not seen here."
        )
    if s.n_ambiguous and s.n_members > 1:
        yield (
            "Look at the most ambiguous objects, named under each cluster, before you rely on their labels; or keep "
            "the uncertainty beside the label in what you do next."
        )
    other = next((level.n_clusters for level in s.ladder.levels if level.is_next), None) if s.ladder else None
    if other is not None:
        yield f"Also look at {other} clusters, the next best number: one click below the map."
    rival = close_rival(s)
    if rival:
        yield (
            f"Also look at k = {rival}: in the dendrogram it lasts longer than k = {s.n_clusters}, or nearly as long. "
            "Ask for it and compare the two reports."
        )
    if s.n_clusters > 1 and one_lasts_longest(s):
        yield (
            "No division at all (k = 1) lasts longest in the dendrogram. Do not rely on these clusters before you have "
            "seen them confirmed: by their profiles, by other data, or by what you know."
        )
    if s.n_clusters > 1 and s.ladder is None and s.k_indices is not None and s.k_indices.preferred != s.n_clusters:
        yield (
            f"Indices of validity prefer {count(s.k_indices.preferred, 'cluster')}: ask for that number and compare "
            "the two reports."
        )
    small = [c for c in s.clusters if c.size <= s.n_objects / (10 * s.n_clusters)]
    if small and s.n_clusters > 1:
        names = ", ".join(str(c.number) for c in small[:8]) + (", …" if len(small) > 8 else "")
        yield (
            f"Check the very small {'cluster' if len(small) == 1 else 'clusters'} {names}: outliers, errors in the "
            "data, or a rare kind?"
        )
    poor = np.mean(s.members.ari) < _POOR_AGREEMENT and not s.members_are_finer
    if s.n_members > 1 and s.n_clusters > 1 and poor:
        yield (
            "The members agree little with the result: the objects may not form clear groups, or a few columns may "
            "hide them."
        )
    if s.n_clusters > 1:
        yield (
            "Give each cluster a name: read its profile and its most typical objects."
            if s.has_features
            else "Give each cluster a name: look at its most typical objects."
        )


def close_rival(summary: Summary) -> int | None:
    """The number of clusters that lasts nearly as long as the chosen one, if any.

    Not beyond the number of clusters of the coarsest member: there, lifetimes follow how the members were made.
    """
    lifetimes = summary.lifetimes
    if lifetimes is None or lifetimes.chosen not in lifetimes.k:
        return None
    chosen = lifetimes.value[lifetimes.k == lifetimes.chosen][0]
    too_fine = lifetimes.k > max(summary.members.k.min(), lifetimes.chosen + 1)
    others = np.where((lifetimes.k == lifetimes.chosen) | (lifetimes.k < 2) | too_fine, -1, lifetimes.value)
    best = others.argmax()
    return int(lifetimes.k[best]) if others[best] > 0 and others[best] >= _CLOSE_LIFETIME * chosen else None


def one_lasts_longest(summary: Summary) -> bool:
    """Whether the objects stay together in one cluster for longer than in any other number of clusters."""
    lifetimes = summary.lifetimes
    return lifetimes is not None and lifetimes.k[0] == 1 and lifetimes.value.argmax() == 0 < lifetimes.value[0]


def longest_lifetimes(summary: Summary) -> str:
    """The three numbers of clusters that last longest."""
    lifetimes = summary.lifetimes
    if lifetimes is None:
        return "none"
    longest = [j for j in np.argsort(-lifetimes.value, kind="stable")[:3] if lifetimes.value[j] > 0]
    return ", ".join(f"k = {lifetimes.k[j]} ({lifetimes.value[j]:.3f})" for j in longest) or "none"


def ambiguity_around(cuts: Cuts) -> str:
    """The share of ambiguous objects for the chosen number of clusters and its neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.report.result.summary import Cuts
    >>> from pluribus.report._shared.words import ambiguity_around
    >>> ambiguity_around(Cuts(np.arange(2, 6), np.zeros((4, 5)), np.array([0, 0.01, 0.012, 0.2]), 4, 100))
    '1% at k = 3, 1% at k = 4, 20% at k = 5'
    """
    near = np.flatnonzero(np.abs(cuts.k - cuts.chosen) <= 1)
    return ", ".join(f"{percent(cuts.ambiguous[j])} at k = {cuts.k[j]}" for j in near)
