"""The numbers and texts of the page of resolved references, without their drawing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pluribus.relational import Resolution

SHOWN_MERGES, SHOWN_ENTITIES, SHOWN_MEMBERS, SHOWN_IN_MAP = 60, 40, 12, 150


@dataclass(frozen=True)
class Entities:
    """Resolved references, for their page.

    Attributes
    ----------
    title : str
    resolution : Resolution
    notes : sequence of str
    parameters, versions : mapping
    """

    title: str
    resolution: Resolution
    notes: Sequence[str] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


class Reference(NamedTuple):
    """One reference as it is shown."""

    id: str
    text: str
    certainty: float


class Merge(NamedTuple):
    """A merge that was made, or the next that was not."""

    made: bool
    similarity: float
    attributes: float
    overlap: float
    one: Reference
    other: Reference
    n_one: int
    n_other: int


class Entity(NamedTuple):
    """An entity and its references, the least certain first."""

    number: int
    size: int
    certainty: float
    members: list[Reference]


class Map(NamedTuple):
    """References of doubtful entities as a graph."""

    rows: np.ndarray  # (p,)
    x: np.ndarray  # (p,)
    y: np.ndarray
    within: np.ndarray  # (q, 2) pairs of one entity that were compared, by their places among the rows
    refused: np.ndarray  # (r, 2) merges that were not made
    together: np.ndarray  # (l, 2) references that occur in one link
    n_left_out: int


class EntitySummary(NamedTuple):
    """All that the page says."""

    n_references: int
    n_entities: int
    n_alone: int
    n_doubtful: int
    sizes: np.ndarray
    path: np.ndarray  # the lowest similarity so far, after each merge
    n_made: int
    with_links: bool
    merges: list[Merge]
    entities: list[Entity]
    map: Map


def summarize_entities(resolution: Resolution) -> EntitySummary:
    """Count, sort and choose what the page shows."""
    sizes = np.bincount(resolution.entities)
    tried = resolution.merges[resolution.merges["verdict"] != "first"]
    made = (tried["verdict"] == "made").to_numpy()
    return EntitySummary(
        len(resolution.ids),
        resolution.n_entities,
        int(np.count_nonzero(sizes == 1)),
        int(np.count_nonzero(resolution.certainty < 0.1)),
        sizes,
        np.minimum.accumulate(resolution.model.merges_["similarity"].to_numpy()),
        int(made.sum()),
        bool((tried["overlap"] > 0).any()) or len(tried) < len(resolution.merges),
        [_merge(resolution, row) for row in tried.head(SHOWN_MERGES).itertuples()],
        _entities(resolution, sizes),
        _map(resolution, tried),
    )


def _reference(resolution: Resolution, row: int) -> Reference:
    cells = [str(value) for value in resolution.frame.iloc[row] if value == value and value is not None and value != ""]
    return Reference(str(resolution.ids[row]), " · ".join(cells), float(resolution.certainty[row]))


def _merge(resolution: Resolution, row: Any) -> Merge:
    return Merge(
        row.verdict == "made",
        row.similarity,
        row.attributes,
        row.overlap,
        _reference(resolution, row.row_one),
        _reference(resolution, row.row_other),
        int(row.size_one),
        int(row.size_other),
    )


def _entities(resolution: Resolution, sizes: np.ndarray) -> list[Entity]:
    """Entities of several references, the least certain first."""
    lowest = np.full(len(sizes), np.inf)
    np.minimum.at(lowest, resolution.entities, resolution.certainty)
    several = np.flatnonzero(sizes > 1)
    chosen = several[np.argsort(lowest[several], kind="stable")][:SHOWN_ENTITIES]
    shown = []
    for number in chosen:
        rows = np.flatnonzero(resolution.entities == number)
        rows = rows[np.argsort(resolution.certainty[rows], kind="stable")][:SHOWN_MEMBERS]
        members = [_reference(resolution, int(row)) for row in rows]
        shown.append(Entity(int(number), int(sizes[number]), float(lowest[number]), members))
    return shown


def _map(resolution: Resolution, tried: pd.DataFrame) -> Map:
    """The entities of the most doubtful merges, each a circle of its references."""
    nearest = tried.head(SHOWN_MERGES)
    pairs = resolution.entities[nearest[["row_one", "row_other"]].to_numpy(dtype=np.int64)]
    order = list(dict.fromkeys(pairs.ravel().tolist()))
    rows: list[int] = []
    x, y = [], []
    across = max(int(np.ceil(np.sqrt(len(order)))), 1)
    for place, entity in enumerate(order):
        members = np.flatnonzero(resolution.entities == entity)[:SHOWN_MEMBERS]
        if len(rows) + len(members) > SHOWN_IN_MAP:
            break
        angle = 2 * np.pi * np.arange(len(members)) / len(members)
        radius = 0.0 if len(members) == 1 else 0.3
        x += (place % across + radius * np.cos(angle)).tolist()
        y += (-(place // across) + radius * np.sin(angle)).tolist()
        rows += members.tolist()
    shown = np.array(rows, dtype=np.int64)
    where = np.full(len(resolution.ids), -1)
    where[shown] = np.arange(len(shown))
    candidates = resolution.model.candidates_.pairs
    within = candidates[(where[candidates] >= 0).all(axis=1)]
    within = within[resolution.entities[within[:, 0]] == resolution.entities[within[:, 1]]]
    refused = nearest.loc[nearest["verdict"] == "not made", ["row_one", "row_other"]].to_numpy(dtype=np.int64)
    refused = refused[(where[refused] >= 0).all(axis=1)]
    linked = np.empty((0, 2), np.int64) if resolution.together is None else resolution.together
    linked = linked[(where[linked] >= 0).all(axis=1)]
    parts = (where[within], where[refused], where[linked])
    return Map(shown, np.array(x), np.array(y), *parts, len(resolution.ids) - len(shown))
