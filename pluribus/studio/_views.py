"""What the page shows of a session, as plain data."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.studio._events import CANVAS
from pluribus.studio._state import Statement
from pluribus.studio.session import Session

_SHOWN_ITEMS = 50  # of a statement
_TYPICAL = 3
_LINKS = 5_000  # that are drawn, at most
_COLUMNS = 40  # of an object
_TRAITS = 6
_SAMPLE = 20_000  # objects that profiles are computed from, at most


def overview(session: Session) -> dict[str, Any]:
    """The state of a session but for the labels, which are sent as numbers."""
    state, keys = session.state, session.keys
    labels, confidence = state.labels, state.confidence
    levels = () if session.scene.ladder is None else session.scene.ladder.levels
    undo, redo = session.depth
    conflicting = {conflict.statement for conflict in state.conflicts}
    return {
        "seq": session.seq,
        "n": session.n_objects,
        "title": session.scene.title,
        "notes": list(session.scene.notes),
        "canvas": list(CANVAS),
        "k": state.k,
        "levels": [levels[0], levels[-1]] if levels else None,
        "engine": state.engine,
        "engines": session.engines,
        "reach": state.reach,
        "undo": undo,
        "redo": redo,
        "clusters": [_cluster(session, key, labels, confidence) for key in keys],
        "statements": [
            {
                "id": statement.id,
                "kind": statement.kind,
                "items": list(statement.items[:_SHOWN_ITEMS]),
                "n_items": len(statement.items),
                "ids": session.scene.ids[list(statement.items[:2])].tolist(),
                "cluster": None if statement.cluster is None else state.current(statement.cluster),
                "origin": statement.origin,
                "state": _standing(session, statement, conflicting),
            }
            for statement in state.statements
        ],
        "skipped": len(state.skipped),
        "conflicts": [conflict._asdict() for conflict in state.conflicts],
        "pins": [[item, x, y] for item, (x, y) in state.pins.items()],
        "can_ask": session.scene.ladder is not None,
    }


def _standing(session: Session, statement: Statement, conflicting: set[int]) -> str:
    """How a statement fares: some engines count statements as preferences, and do not follow all of them."""
    if statement.id in conflicting:
        return "conflicting"
    return "holds" if session.state.follows(statement) else f"not followed by {session.state.engine}"


def _cluster(session: Session, key: int, labels: np.ndarray, confidence: np.ndarray) -> dict[str, Any]:
    inside = np.flatnonzero(labels == key)
    typical = inside[np.argsort(-confidence[inside], kind="stable")[:_TYPICAL]]
    center = session.scene.positions[inside].mean(axis=0)
    return {
        "key": key,
        "name": session.name_of(key),
        "size": len(inside),
        "confidence": float(confidence[inside].mean()),
        "pinned": sum(1 for pin in session.state.pins if labels[pin] == key),
        "typical": session.scene.ids[typical].tolist(),
        "center": center.astype(float).tolist(),
    }


def label_bytes(labels: np.ndarray, confidence: np.ndarray) -> bytes:
    """Keys of clusters as int32, then confidence as float32, both little-endian."""
    return labels.astype("<i4").tobytes() + confidence.astype("<f4").tobytes()


def shown_links(session: Session) -> np.ndarray:
    """Pairs of linked objects, a sample of them if there are many."""
    if session.scene.links is None:
        return np.empty((0, 2), np.int64)
    upper = sparse.triu(session.scene.links, 1).tocoo()
    pairs = np.column_stack([upper.row, upper.col])
    if len(pairs) <= _LINKS:
        return pairs
    return pairs[np.sort(np.random.default_rng(0).choice(len(pairs), _LINKS, replace=False))]


def objects(session: Session, items: list[int]) -> list[dict[str, Any]]:
    """Some objects for reading: id, cluster, confidence, and the columns of the table."""
    state, frame = session.state, session.scene.frame
    shown = []
    for item in items:
        values: dict[str, str] = {}
        if frame is not None:
            row = frame.iloc[item]
            values = {str(name): _text(row.iloc[place]) for place, name in enumerate(frame.columns[:_COLUMNS])}
        shown.append(
            {
                "item": item,
                "id": str(session.scene.ids[item]),
                "cluster": int(state.labels[item]),
                "confidence": float(state.confidence[item]),
                "pinned": item in state.pins,
                "values": values,
            }
        )
    return shown


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.6g}"
    return str(value)[:200]


def traits(session: Session, inside: np.ndarray) -> list[dict[str, Any]]:
    """What sets some objects apart from the others: columns in which their means differ, in standard deviations."""
    inside = np.asarray(inside, dtype=np.int64)
    outside = np.setdiff1d(np.arange(session.n_objects), inside)
    if not len(inside) or not len(outside):
        return []
    values, names = _numbers(session)
    if values is None:
        return []
    rng = np.random.default_rng(0)
    here, there = (values[np.sort(rng.choice(p, min(len(p), _SAMPLE), replace=False))] for p in (inside, outside))
    with np.errstate(all="ignore"):
        mean_here, mean_there = _mean(here), _mean(there)
        spread = np.sqrt((len(inside) * _variance(here) + len(outside) * _variance(there)) / session.n_objects)
        difference = np.nan_to_num((mean_here - mean_there) / np.where(spread > 0, spread, np.nan))
    strongest = np.argsort(-np.abs(difference), kind="stable")[:_TRAITS]
    return [
        {"column": names[j], "inside": float(mean_here[j]), "outside": float(mean_there[j]), "by": float(difference[j])}
        for j in strongest
        if abs(difference[j]) > 0.1
    ]


def _numbers(session: Session) -> tuple[Any, list[str]]:
    """The numeric columns of the table, or else the features that were clustered."""
    frame = session.scene.frame
    if frame is not None:
        numeric = frame.select_dtypes("number")
        if numeric.shape[1]:
            return numeric.to_numpy(dtype=np.float64, na_value=np.nan), [str(name) for name in numeric.columns]
    X = session.scene.features
    if X is None:
        return None, []
    names = session.scene.feature_names or tuple(f"column {j}" for j in range(X.shape[1]))
    return X, list(names)


def _mean(values: Any) -> np.ndarray:
    return np.asarray(values.mean(axis=0)).ravel() if sparse.issparse(values) else np.nanmean(values, axis=0)


def _variance(values: Any) -> np.ndarray:
    if sparse.issparse(values):
        return np.asarray(values.multiply(values).mean(axis=0)).ravel() - _mean(values) ** 2
    return np.nanvar(values, axis=0)
