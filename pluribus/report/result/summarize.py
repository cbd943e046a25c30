"""From a case to the numbers of its report. Nothing here draws."""

from collections.abc import Callable

import numpy as np

from pluribus.compare import adjusted_rand_index, normalized_mutual_information_index
from pluribus.pipeline import Clustering
from pluribus.pipeline._internal import finer_level, headline, is_ambiguous, runner_up
from pluribus.report._shared.object_map import object_map
from pluribus.report.result._constraint_costs import known_table
from pluribus.report.result._evidence_views import cuts, heat_map, pair_evidence
from pluribus.report.result._flows import flows
from pluribus.report.result._levels import ladder_view
from pluribus.report.result._merges import merge_view
from pluribus.report.result._other_than import other_partitions
from pluribus.report.result._profiles import profiles
from pluribus.report.result.case import Case
from pluribus.report.result.summary import (
    ClusterSummary,
    Example,
    Lifetimes,
    MemberAgreement,
    MethodRow,
    MethodTable,
    Summary,
)

Measure = Callable[[np.ndarray, np.ndarray], float]

_EXAMPLES = 5
_LIFETIMES = 20


def summarize(case: Case | Clustering) -> Summary:
    """Compute what the report shows: plain arrays and words, the same for the same case.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, summarize
    >>> summary = summarize(
    ...     Case(
    ...         title="four objects",
    ...         ensemble=Ensemble([[0, 0, 1, 1], [0, 0, 0, 1]]),
    ...         labels=np.array([0, 0, 1, 1]),
    ...         membership=np.array([[0.8, 0.2], [0.8, 0.2], [0.45, 0.55], [0, 1]]),
    ...         uncertainty=np.array([0.7, 0.7, 0.99, 0]),
    ...         ids=np.array(["a", "b", "c", "d"]),
    ...     )
    ... )
    >>> summary.n_ambiguous, [example.id for example in summary.clusters[1].ambiguous]
    (1, ['c'])
    >>> summary.members.ari.round(2)
    array([1., 0.])
    """
    if isinstance(case, Clustering):
        case = Case.of(case)
    own, next_best, other = runner_up(case.labels, case.membership, case.n_clusters)
    clustered = case.labels >= 0
    ambiguous = is_ambiguous(own, other, case.uncertainty) & clustered
    agreement = _agreement(case)
    on_map = object_map(case, next_best)
    clusters = _clusters(case, ambiguous, own, next_best)
    return Summary(
        title=case.title,
        method=case.method,
        k_chosen_by=case.k_chosen_by,
        headline=headline(
            n_objects=len(case.labels),
            sizes=np.array([cluster.size for cluster in clusters]),
            n_members=case.ensemble.n_partitions,
            given=case.k_chosen_by == "given",
            verdict=case.verdict,
            reason=case.verdict_reason,
            share_clear=1 - ambiguous.sum() / max(1, clustered.sum()),
            reproducibility=case.reproducibility,
            ladder=case.ladder,
        ),
        verdict=case.verdict,
        verdict_reason=case.verdict_reason,
        finer=finer_level(case.n_clusters, case.ladder),
        n_objects=len(case.labels),
        n_members=case.ensemble.n_partitions,
        n_clusters=case.n_clusters,
        n_unclustered=int((~clustered).sum()),
        n_ambiguous=int(ambiguous.sum()),
        mean_uncertainty=float(case.uncertainty[clustered].mean()) if clustered.any() else 0.0,
        between=_most_ambiguous_pair(case, ambiguous, next_best),
        ladder=None if on_map.objects is None else ladder_view(case, on_map.objects),
        lifetimes=_lifetimes(case),
        cuts=cuts(case),
        pairs=pair_evidence(case) if case.n_clusters > 1 else None,
        heat=heat_map(case),
        map=on_map,
        clusters=clusters,
        has_features=case.X is not None or case.frame is not None,
        members=agreement,
        flows=flows(case, agreement),
        methods=_methods(case),
        k_indices=case.k_indices,
        known=None if case.known is None else known_table(case.known, case.labels, case.ensemble, case.ids),
        other_than=other_partitions(case),
        merges=merge_view(case.merges, case.labels),
        combined=case.combined,
        parameters=_as_text(case.parameters, case.seed),
        versions={str(name): str(version) for name, version in case.versions.items()},
        notes=tuple(str(note) for note in case.notes),
    )


def _most_ambiguous_pair(case: Case, ambiguous: np.ndarray, next_best: np.ndarray) -> tuple[int, int, int] | None:
    """The two clusters with the most ambiguous objects between them."""
    if not ambiguous.any():
        return None
    pair = np.sort(np.column_stack([case.labels[ambiguous], next_best[ambiguous]]), axis=1)
    pairs, counts = np.unique(pair, axis=0, return_counts=True)
    most = counts.argmax()
    return int(pairs[most, 0]), int(pairs[most, 1]), int(counts[most])


def _lifetimes(case: Case) -> Lifetimes | None:
    """Lifetimes for k = 1 … 20, or for 20 values around a larger choice."""
    if case.lifetimes is None:
        return None
    value = np.nan_to_num(np.asarray(case.lifetimes, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    first = 1 if case.n_clusters <= _LIFETIMES else case.n_clusters - _LIFETIMES // 2
    k = np.arange(first, min(first + _LIFETIMES, len(value)))
    return Lifetimes(k=k, value=value[k], chosen=case.n_clusters) if len(k) else None


def _clusters(case: Case, ambiguous: np.ndarray, own: np.ndarray, next_best: np.ndarray) -> tuple[ClusterSummary, ...]:
    def examples(objects: np.ndarray) -> tuple[Example, ...]:
        return tuple(Example(str(case.ids[i]), float(case.uncertainty[i]), int(next_best[i])) for i in objects)

    by_uncertainty = np.lexsort((_distance_to_center(case), -own, case.uncertainty, case.labels))
    sizes = np.bincount(case.labels[case.labels >= 0], minlength=case.n_clusters)
    stops = np.cumsum(sizes) + (len(case.labels) - sizes.sum())
    traits = profiles(case)
    out = []
    for c, (stop, size) in enumerate(zip(stops, sizes, strict=True)):
        members = by_uncertainty[stop - size : stop]
        unsure = members[::-1][:_EXAMPLES]
        out.append(
            ClusterSummary(
                number=c,
                size=int(size),
                share=float(size / len(case.labels)),
                uncertainty=float(case.uncertainty[members].mean()) if size else 0.0,
                membership=float(own[members].mean()) if size else 0.0,
                reproducibility=np.nan if case.reproducibility is None else float(case.reproducibility[c]),
                n_ambiguous=int(ambiguous[members].sum()),
                traits=traits[c],
                typical=examples(members[:_EXAMPLES]),
                ambiguous=examples(unsure[case.uncertainty[unsure] > 0]),
            )
        )
    return tuple(out)


def _distance_to_center(case: Case) -> np.ndarray:
    """Distance to the mean of the own cluster, which tells equally certain objects apart; 0 without features."""
    distance = np.zeros(len(case.labels))
    if case.X is not None:
        for c in range(case.n_clusters):
            members = np.flatnonzero(case.labels == c)
            if len(members):
                X = case.X[members]
                distance[members] = np.square(X - X.mean(axis=0)).sum(axis=1)
    return distance


def _agreement(case: Case) -> MemberAgreement:
    members = case.ensemble.labels.T
    return MemberAgreement(
        names=tuple(case.ensemble.names),
        k=np.asarray(case.ensemble.n_clusters),
        ari=np.array([_agree(adjusted_rand_index, member, case.labels) for member in members]),
        nmi=np.array([_agree(normalized_mutual_information_index, member, case.labels) for member in members]),
        covered=np.array([np.mean(member >= 0) for member in members]),
    )


def _agree(index: Measure, member: np.ndarray, labels: np.ndarray) -> float:
    """Agreement over the objects that both cover; 0 if there are none."""
    both = (member >= 0) & (labels >= 0)
    return index(member, labels) if both.any() else 0.0


def _methods(case: Case) -> MethodTable | None:
    compared = case.methods
    if compared is None:
        return None
    figures = ("name", "n_clusters", "seconds", "nmi_members", "ari_members", "ari_methods", "problem")
    rows = tuple(
        MethodRow(**{name: getattr(run, name) for name in figures}, standing=compared.standing(run))
        for run in compared.runs
    )
    return MethodTable(rows, compared.agreement, compared.preferred, compared.verdict)


def _as_text(parameters, seed: int | None) -> dict[str, str]:
    text = {str(name): str(value) for name, value in parameters.items()}
    return text | {"seed": "none: a new one at each run" if seed is None else str(seed)}
