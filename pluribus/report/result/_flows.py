"""How the clusters of each member flow into those of the result, from contingency tables alone."""

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from pluribus.partitions._internal import contingency_of_codes
from pluribus.report._shared.flow_words import Streams, in_words, shortened
from pluribus.report.result.case import Case
from pluribus.report.result.summary import Box, Flows, MemberAgreement, MemberFlow

_MEMBERS = 301  # at most so many are drawn; odd, so that the middle one is among them
_ALONE = 20  # clusters, of either side, that show one by one; the smaller ones are grouped
_FINE = 0.02  # where there are more, only those with this share of the objects do
_THIN = 0.01  # flows with a smaller share of the objects are left out, unless they are the main stream of a cluster


def flows(case: Case, agreement: MemberAgreement) -> Flows:
    """The flows of all members, or of 301 spread over the range of agreement, best first.

    Clusters of the result stand in the same order in all figures, those next to each other that the members mix.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, summarize
    >>> labels = np.array([0, 0, 1, 1])
    >>> members = Ensemble([labels, ["x", "x", "x", "y"]])
    >>> case = Case("t", members, labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")))
    >>> member = summarize(case).flows.members[1]
    >>> [(member.sources[s].name, member.targets[t].name, n) for s, t, n in member.streams]
    [('x', '0', 2), ('x', '1', 1), ('y', '1', 1)]
    """
    by_agreement = np.argsort(-agreement.ari, kind="stable")
    r = len(by_agreement)
    drawn = by_agreement[np.unique(np.linspace(0, r - 1, min(r, _MEMBERS)).round().astype(int))]
    k = case.n_clusters
    sizes = np.bincount(case.labels[case.labels >= 0], minlength=k)
    alone = _alone(sizes)
    column = np.full(k, len(alone))
    column[alone] = np.arange(len(alone))
    grouped = [_grouped(case, int(p), column) for p in drawn]
    n_columns = len(alone) + (len(alone) < k)
    rest = f"{k - len(alone):,} {'smaller ' if len(alone) else ''}clusters"
    names = [*map(str, alone), rest][:n_columns]
    clusters = [*alone.tolist(), -1][:n_columns]
    order = _side_by_side([table for table, *_ in grouped], n_columns)
    members = tuple(
        _member(case, agreement, int(p), *group, order, names, clusters)
        for p, group in zip(drawn, grouped, strict=True)
    )
    return Flows(members=members, n_members=r, featured=_featured(agreement.ari[drawn]))


def _featured(ari: np.ndarray) -> tuple[tuple[str, int], ...]:
    """Which of the members, sorted by agreement, to show first, and what they stand for."""
    last = len(ari) - 1
    if ari[0] - ari[-1] < 1e-9:
        return (("One of the members, which all agree equally well" if last else "The only member", 0),)
    if last < 2:
        return ("Agrees most", 0), ("Agrees least", last)
    return ("Agrees most", 0), ("Typical", (last + 1) // 2), ("Agrees least", last)


def _alone(sizes: np.ndarray) -> np.ndarray:
    """Clusters that show one by one: all, if they are few; else the largest, if they are large at all."""
    if len(sizes) <= _ALONE:
        return np.arange(len(sizes))
    largest = np.argsort(-sizes, kind="stable")[:_ALONE]
    return np.sort(largest[sizes[largest] >= _FINE * sizes.sum()])


def _grouped(case: Case, p: int, column: np.ndarray) -> tuple[np.ndarray, list[str], str, int]:
    """A member's table with small clusters grouped, the names of its rows, all in words, and how many were grouped."""
    k_member, k = int(case.ensemble.n_clusters[p]), len(column)
    table = contingency_of_codes(case.ensemble.labels[:, p], case.labels, k_member, k, sparse=True)
    counts = sparse.coo_array(table)
    n_columns = int(column.max(initial=-1)) + 1
    names = [shortened(label) for label in case.ensemble.classes[p]]
    streams = Streams.of(counts)
    words = in_words(streams, names, float(np.mean(case.ensemble.labels[:, p] >= 0)))
    alone = _alone(streams.sizes)
    rest = np.setdiff1d(np.flatnonzero(streams.sizes), alone)
    # Small clusters are grouped by where most of their objects go.
    goal = column[streams.main[rest]]
    goals, group = np.unique(goal, return_inverse=True)
    row = np.full(k_member, -1)
    row[alone] = np.arange(len(alone))
    row[rest] = len(alone) + group
    small = np.zeros((len(alone) + len(goals), n_columns), dtype=np.int64)
    np.add.at(small, (row[counts.row], column[counts.col]), counts.data)
    shown = [names[i] for i in alone]
    shown += [f"{n:,} smaller" if len(alone) else f"{n:,} clusters" for n in np.bincount(group, minlength=len(goals))]
    return small, shown, words, len(rest)


def _side_by_side(tables: list[np.ndarray], n_columns: int) -> np.ndarray:
    """An order of the result's clusters in which those are neighbors that the members put together."""
    if n_columns < 3:
        return np.arange(n_columns)
    together = np.zeros((n_columns, n_columns))
    for table in tables:
        shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
        together += table.T @ shares
    together /= np.maximum(together.sum(axis=1, keepdims=True), 1e-300)
    mixed = (together + together.T) / 2
    apart = squareform(1 - np.clip(mixed, 0, 1), checks=False)
    order = leaves_list(linkage(apart, "average", optimal_ordering=True))
    return order if order[0] <= order[-1] else order[::-1]


def _member(
    case: Case,
    agreement: MemberAgreement,
    p: int,
    table: np.ndarray,
    names: list[str],
    words: str,
    n_grouped: int,
    order: np.ndarray,
    target_names: list[str],
    clusters: list[int],
) -> MemberFlow:
    """Boxes and streams in the order in which they are drawn."""
    table = table[:, order]
    targets_used = np.flatnonzero(table.sum(axis=0))
    table = table[:, targets_used]
    sizes, n = table.sum(axis=1), int(table.sum())
    # A cluster stands at the height of where its objects go, so that few streams cross.
    middle = np.cumsum(table.sum(axis=0)) - table.sum(axis=0) / 2
    height = table @ middle / np.maximum(sizes, 1)
    rows = np.lexsort((np.arange(len(sizes)), height))
    rows = rows[sizes[rows] > 0]
    table, sizes = table[rows], sizes[rows]
    shown = (table > 0) & ((table >= _THIN * n) | (table == table.max(axis=1, keepdims=True, initial=0)))
    streams = tuple((int(s), int(t), int(table[s, t])) for s, t in zip(*np.nonzero(shown), strict=True))
    targets = order[targets_used]
    return MemberFlow(
        name=agreement.names[p],
        k=int(agreement.k[p]),
        ari=float(agreement.ari[p]),
        nmi=float(agreement.nmi[p]),
        words=words,
        sources=tuple(Box(names[i], int(size)) for i, size in zip(rows, sizes, strict=True)),
        targets=tuple(Box(target_names[t], int(table[:, j].sum()), clusters[t]) for j, t in enumerate(targets)),
        streams=streams,
        hidden=float(1 - table[shown].sum() / n) if n else 0.0,
        grouped=bool(n_grouped),
    )
