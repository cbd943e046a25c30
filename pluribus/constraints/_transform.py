"""New sets of constraints from old ones: a part of the objects, wrong relations, two sets united."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pluribus._engine import plain_array
from pluribus.constraints._cluster_contradictions import chunklet_labels
from pluribus.constraints._cluster_statements import AboutClusters, as_names, canonical, canonical_links, intersected
from pluribus.constraints._stated_arrays import Statements, symmetric
from pluribus.constraints._statements import Floats, Indices, canonical_pairs, pair_codes, parse_names
from pluribus.constraints.closure import Closure, close, collect_chunklets
from pluribus.constraints.errors import ConstraintError, contradiction

_MOST_BRIDGED = 50_000_000  # links through objects that are left out


def restrict(said: Statements, closure: Closure, idx: Any) -> Statements:
    """Keep what is said within the chosen objects, and add hard links for what only others' links entailed."""
    chosen = _parse_choice(idx, said.n_objects)
    n = len(chosen)
    position = np.full(said.n_objects, -1)
    position[chosen] = np.arange(n)
    chunks, first_of_chunk = np.unique(closure.chunk_of[chosen], return_index=True)
    first = np.full(closure.n_chunks, -1)
    first[chunks] = first_of_chunk
    labels, classes, about = _about_chosen(said, closure, chosen, first, position)
    kept = Statements(
        n,
        *_within(said.must_link, said.must_weight, position, n),
        *_within(said.cannot_link, said.cannot_weight, position, n),
        *_recode(said.groups[chosen], said.group_names),
        labels,
        classes,
        about,
    )
    part = close(kept, collect_chunklets(kept))
    # Chunklets that fell apart: link the first objects of their parts in a row.
    firsts = part.representatives[np.argsort(closure.chunk_of[chosen][part.representatives], kind="stable")]
    whole = closure.chunk_of[chosen][firsts]
    same = whole[1:] == whole[:-1]
    links = np.column_stack([firsts[:-1][same], firsts[1:][same]])
    # Chunklets that must be apart, by the first chosen object of each: add what is no longer said.
    needed = first[closure.told_apart]
    still = first[closure.chunk_of[chosen][part.representatives[part.told_apart]]]
    missing = np.setdiff1d(pair_codes(needed[(needed >= 0).all(axis=1)], n), pair_codes(still, n))
    return kept._replace(
        **_pairs_with(kept, "must", links), **_pairs_with(kept, "cannot", np.column_stack(np.divmod(missing, n)))
    )


def _kept_labels(said: Statements, closure: Closure, chosen: Indices, first: Indices) -> Indices:
    """The known labels of the chosen objects; a chunklet whose labeled objects were not chosen hands its label on."""
    label_of_chunk = np.full(closure.n_chunks, -1)
    labeled = said.one_of_each_class
    label_of_chunk[closure.chunk_of[labeled]] = said.labels[labeled]
    labels = said.labels[chosen]
    label_of_chunk[closure.chunk_of[chosen[labels >= 0]]] = -1
    lost = np.flatnonzero((label_of_chunk >= 0) & (first >= 0))
    labels[first[lost]] = label_of_chunk[lost]
    return labels


def _about_chosen(
    said: Statements, closure: Closure, chosen: Indices, first: Indices, position: Indices
) -> tuple[Indices, npt.NDArray[Any], AboutClusters]:
    """Labels, and what follows for some objects from what is said about clusters."""
    n, n_left_out = len(chosen), said.n_objects - len(chosen)
    _, of_chunks = chunklet_labels(said, closure.chunk_of)
    left_out = said.about.allowed[position[said.about.allowed[:, 0]] < 0, 0]
    restricted = np.unique(closure.chunk_of[left_out])
    of_chunks = of_chunks[np.isin(of_chunks[:, 0], restricted) & (first[of_chunks[:, 0]] >= 0)]
    heirs = np.column_stack([first[of_chunks[:, 0]], of_chunks[:, 1]])  # the first chosen object of each chunklet
    own = np.column_stack([position[said.about.allowed[:, 0]], said.about.allowed[:, 1]])
    own = own[(own[:, 0] >= 0) & ~np.isin(own[:, 0], heirs[:, 0])]
    allowed = np.unique(np.concatenate([own, heirs]), axis=0)
    sizes = np.column_stack([np.maximum(said.about.sizes[:, 0] - n_left_out, 0), np.minimum(said.about.sizes[:, 1], n)])
    about = AboutClusters(allowed, sizes, _graph_among(said, chosen, position))
    return canonical(n, _kept_labels(said, closure, chosen, first), said.classes, about)


def _graph_among(said: Statements, chosen: Indices, position: Indices) -> Indices | None:
    """Links among the chosen objects, also through others: a connected cluster may go through these."""
    links, n = said.about.graph, len(chosen)
    if links is None:
        return None
    one, other = position[links].T
    direct = np.column_stack([one, other])[(one >= 0) & (other >= 0)]
    outside = links[(one < 0) & (other < 0)]
    _, part = connected_components(symmetric(outside, np.ones(len(outside)), said.n_objects), directed=False)
    across = links[(one >= 0) != (other >= 0)]
    ends = np.where(position[across[:, :1]] >= 0, across, across[:, ::-1])  # the chosen one first
    bridges = sparse.coo_array((np.ones(len(ends)), (position[ends[:, 0]], part[ends[:, 1]])), (n, said.n_objects))
    if (np.bincount(part[ends[:, 1]], minlength=1).astype(float) ** 2).sum() > _MOST_BRIDGED:
        raise ConstraintError(
            "the objects that are left out join too many others in the graph: choose more of the objects, or leave out "
            "the graph"
        )
    through = sparse.triu(bridges.tocsr() @ bridges.T, k=1).tocoo()
    return canonical_links(np.concatenate([direct, np.column_stack([through.row, through.col])]), n)


def flip(said: Statements, q: float, rng: np.random.Generator, weight: float | None) -> Statements:
    """Exchange must-link and cannot-link of each pair with probability q; give all this weight, if any."""
    pairs = np.concatenate([said.must_link, said.cannot_link])
    weights = np.concatenate([said.must_weight, said.cannot_weight])
    if weight is not None:
        weights = np.full(len(pairs), weight)
    together = np.arange(len(pairs)) < len(said.must_link)
    together = together ^ (rng.random(len(pairs)) < q)
    must, must_weight = canonical_pairs(pairs[together], weights[together], said.n_objects)
    cannot, cannot_weight = canonical_pairs(pairs[~together], weights[~together], said.n_objects)
    return said._replace(must_link=must, must_weight=must_weight, cannot_link=cannot, cannot_weight=cannot_weight)


def merge(one: Statements, other: Statements) -> Statements:
    """Unite two sets about the same objects."""
    if one.n_objects != other.n_objects:
        raise ConstraintError(
            f"cannot merge constraints on {one.n_objects} objects with constraints on {other.n_objects} objects"
        )
    groups, group_names = _merge_groups(one, other)
    labels, classes, about = _merge_labels(one, other)
    return Statements(
        one.n_objects,
        *_united(one.must_link, one.must_weight, other.must_link, other.must_weight, one.n_objects),
        *_united(one.cannot_link, one.cannot_weight, other.cannot_link, other.cannot_weight, one.n_objects),
        groups,
        group_names,
        labels,
        classes,
        about,
    )


def _parse_choice(idx: Any, n: int) -> Indices:
    chosen = plain_array("idx", idx, error=ConstraintError)
    if chosen.dtype == bool and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or chosen.size == 0 or chosen.dtype.kind not in "iu":
        raise ConstraintError(f"idx must be indices or a mask of {n} booleans, at least one object; got {idx!r}")
    if chosen.min() < 0 or chosen.max() >= n:
        raise ConstraintError(f"idx goes from {chosen.min()} to {chosen.max()}, but there are {n} objects")
    if len(np.unique(chosen)) < len(chosen):
        raise ConstraintError("idx names an object twice; choose each object once")
    return chosen.astype(np.int64)


def _within(pairs: Indices, weights: Floats, position: Indices, n: int) -> tuple[Indices, Floats]:
    moved = position[pairs]
    inside = (moved >= 0).all(axis=1)
    return canonical_pairs(moved[inside], weights[inside], n)


def _recode(codes: Indices, names: npt.NDArray[Any]) -> tuple[Indices, npt.NDArray[Any]]:
    """Number the names that are left by first appearance."""
    known = codes >= 0
    result = np.full(len(codes), -1, np.int64)
    result[known], used = pd.factorize(codes[known])
    return result, names[used]


def _pairs_with(said: Statements, kind: str, pairs: Indices) -> dict[str, Any]:
    """The pairs of this kind with more hard ones added."""
    old, weights = (said.must_link, said.must_weight) if kind == "must" else (said.cannot_link, said.cannot_weight)
    new, new_weights = _united(old, weights, pairs, np.full(len(pairs), np.inf), said.n_objects)
    return {f"{kind}_link": new, f"{kind}_weight": new_weights}


def _united(pairs: Indices, weights: Floats, more: Indices, more_weights: Floats, n: int) -> tuple[Indices, Floats]:
    return canonical_pairs(np.concatenate([pairs, more]), np.concatenate([weights, more_weights]), n)


def _merge_groups(one: Statements, other: Statements) -> tuple[Indices, npt.NDArray[Any]]:
    """Groups of either set, united where they share an object; the names of the first set, if only one speaks."""
    if not len(other.group_names) or not len(one.group_names):
        giver = one if len(one.group_names) else other
        return giver.groups, giver.group_names
    n, n_one = one.n_objects, len(one.group_names)
    mine, theirs = np.flatnonzero(one.groups >= 0), np.flatnonzero(other.groups >= 0)
    rows = np.concatenate([mine, theirs])
    columns = n + np.concatenate([one.groups[mine], n_one + other.groups[theirs]])
    size = n + n_one + len(other.group_names)
    graph = sparse.coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size, size))
    component = connected_components(graph.tocsr(), directed=False)[1][:n]
    grouped = (one.groups >= 0) | (other.groups >= 0)
    groups = np.full(n, -1, np.int64)
    groups[grouped], found = pd.factorize(component[grouped])
    return groups, np.arange(len(found))


def _merge_labels(one: Statements, other: Statements) -> tuple[Indices, npt.NDArray[Any], AboutClusters]:
    mine, theirs = _named(one.labels, one.classes), _named(other.labels, other.classes)
    known = (one.labels >= 0) & (other.labels >= 0)
    clash = np.flatnonzero(known & (mine != theirs))
    if len(clash):
        i = int(clash[0])
        raise contradiction((i, i), [i], [], f"labels {mine[i]!r} and {theirs[i]!r}")
    labels, names = parse_names(np.where(one.labels >= 0, mine, theirs), one.n_objects, "labels")
    names = as_names(list(dict.fromkeys([*names.tolist(), *one.classes.tolist(), *other.classes.tolist()])))
    about = intersected(_about_with(one, names), _about_with(other, names))
    return canonical(one.n_objects, labels, names, about)


def _about_with(said: Statements, names: npt.NDArray[Any]) -> AboutClusters:
    """What is said about clusters, with labels numbered as in `names`."""
    place = {name: at for at, name in enumerate(names.tolist())}
    number = np.array([place[name] for name in said.classes.tolist()], dtype=np.int64)
    about = AboutClusters.nothing(said.n_objects, len(names))
    about.sizes[0] = said.about.sizes[0]
    about.sizes[1 + number] = said.about.sizes[1:]
    allowed = np.column_stack([said.about.allowed[:, 0], number[said.about.allowed[:, 1]]])
    return AboutClusters(allowed, about.sizes, said.about.graph)


def _named(codes: Indices, names: npt.NDArray[Any]) -> npt.NDArray[Any]:
    result = np.full(len(codes), None, dtype=object)
    known = names[codes[codes >= 0]].tolist()
    result[codes >= 0] = np.fromiter(known, dtype=object, count=len(known))  # one entry each, also of tuples
    return result
