"""Users that know the true clusters, to measure how many moves a session needs."""

import math
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from pluribus._engine import is_one_of, real_number, whole_number
from pluribus.studio._events import CANVAS
from pluribus.studio._resolve import placed
from pluribus.studio.force_layout import ForceLayout
from pluribus.studio.session import Session

SELECTS = ("random", "farthest")
_CORNERS = ((120.0, 120.0), (880.0, 680.0), (880.0, 120.0), (120.0, 680.0))
_RADII = (450.0, 360.0)  # of the ellipse on which more than four clusters are


class Setting(NamedTuple):
    """What works for a simulated user."""

    select: str
    layout: bool
    clustering: bool


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "manual": Setting("random", False, False),
        "layout": Setting("random", True, False),
        "layout+FF": Setting("farthest", True, False),
        "clustering": Setting("random", True, True),
        "IVC": Setting("farthest", True, True),
    }
)


class SimulatedUser:
    """A user who knows the true clusters and drags one object after the other to where its cluster belongs.

    Each true cluster has an anchor on the map: a corner, or a place on an ellipse if there are more than four. The user
    drops an object near the anchor of its cluster and never moves it again.

    Parameters
    ----------
    y_true : sequence of n labels
    select : {"farthest", "random"}
        Which object comes next: the one farthest from its anchor, or any.
    jitter : float
        How far from the anchor a drop is, at most, along each axis.
    error : float
        The share of drops at a wrong anchor.
    seed : int

    Attributes
    ----------
    anchors : ndarray of shape (k, 2)

    References
    ----------
    desJardins, MacGlashan and Ferraioli, "Interactive visual clustering for relational data", in "Constrained
    Clustering", 2009.

    Examples
    --------
    >>> from pluribus.studio import Session, SimulatedUser
    >>> session = Session(features=[[0], [1], [2.5], [4.5], [7], [8]])
    >>> user = SimulatedUser([0, 0, 0, 0, 1, 1], seed=0)
    >>> for _ in range(4):
    ...     _ = user.step(session)
    >>> session.labels.tolist()
    [0, 0, 0, 0, 1, 1]
    """

    def __init__(
        self, y_true: Any, *, select: str = "farthest", jitter: float = 30.0, error: float = 0.0, seed: int = 0
    ) -> None:
        if not is_one_of(select, SELECTS):
            raise ValueError(f"select={select!r:.60}: give one of {', '.join(SELECTS)}.")
        labels = np.asarray(y_true)
        if labels.ndim != 1 or len(labels) < 2:
            raise ValueError(f"y_true must be the true labels of two or more objects; got shape {labels.shape}.")
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("y_true has NaN or infinite numbers: give a label for each object.")
        self.classes, self.y = np.unique(labels, return_inverse=True)
        self.select = select
        self.jitter = real_number("jitter", jitter, 0.0, 100.0)
        self.error = real_number("error", error, 0.0, 1.0)
        self.random = np.random.default_rng(whole_number("seed", seed, 0, 2**32 - 1))
        self.anchors = _anchors(len(self.classes))
        self.moved = np.zeros(len(self.y), bool)

    def step(self, session: Session) -> int:
        """Move one object, and return its number."""
        self._check(session)
        item = self.choose(placed(session.scene, session.state))
        self.place(session, item)
        return item

    def choose(self, positions: np.ndarray) -> int:
        """The object to move next; positions are those on the map now."""
        free = np.flatnonzero(~self.moved)
        if not len(free):
            raise ValueError("All objects were moved already.")
        if self.select == "random":
            return int(self.random.choice(free))
        apart = np.linalg.norm(positions[free] - self.anchors[self.y[free]], axis=1)
        return int(free[apart.argmax()])

    def place(self, session: Session, item: int) -> None:
        """Drag an object to the anchor of its cluster."""
        cluster, k = int(self.y[item]), len(self.classes)
        if self.error and k > 1 and self.random.random() < self.error:
            cluster = (cluster + 1 + int(self.random.integers(k - 1))) % k
        x, y = self.anchors[cluster] + self.random.uniform(-self.jitter, self.jitter, 2)
        self.moved[item] = True
        session.move(item, float(x), float(y))

    def on_screen(self, positions: np.ndarray) -> np.ndarray:
        """The true cluster to whose anchor each object is nearest."""
        return ((positions[:, None] - self.anchors) ** 2).sum(axis=2).argmin(axis=1)

    def _check(self, session: Session) -> None:
        if not isinstance(session, Session):
            raise ValueError(f"session is a {type(session).__name__}: give a Session.")
        if session.n_objects != len(self.y):
            raise ValueError(f"The user knows {len(self.y):,} objects, the session has {session.n_objects:,}.")
        if len(self.anchors) > 1:
            nearest = min(math.dist(a, b) for i, a in enumerate(self.anchors) for b in self.anchors[:i])
            if nearest < session.state.reach + 2 * self.jitter * math.sqrt(2):
                raise ValueError(
                    f"{len(self.anchors)} anchors are only {nearest:.0f} apart, too near for reach="
                    f"{session.state.reach:g} and jitter={self.jitter:g}: drops would join other clusters. "
                    "Give the session a smaller reach, or the user a smaller jitter."
                )


def run_simulation(
    session: Session,
    user: SimulatedUser,
    n_moves: int,
    *,
    edges: Any = (),
    layout: ForceLayout | None = ForceLayout(),  # noqa: B008 (it cannot change)
    clustering: bool = True,
) -> pd.DataFrame:
    """Let a simulated user move objects, and compare what the session shows with the truth after each move.

    Objects start at random places. With a layout, links and clusters pull them before the first and after each move.

    Parameters
    ----------
    session : Session
        A fresh one; the moves are added to it.
    user : SimulatedUser
    n_moves : int
        At most n, the number of objects.
    edges : array of shape (m, 2), optional
        Links between objects.
    layout : ForceLayout or None
        None lets everything lie where it is.
    clustering : bool
        Whether the clusters of the session pull their objects.

    Returns
    -------
    DataFrame
        A row for each move: ``move``, ``item``, ``ari_clusters`` (adjusted Rand index of the session's labels),
        ``ari_screen`` (of the nearest anchors), ``n_groups``, ``seconds``. Without clustering, ``ari_clusters`` is NaN.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.studio import Session, SimulatedUser, run_simulation
    >>> X, y = load_iris(return_X_y=True)
    >>> moves = run_simulation(Session(features=X), SimulatedUser(y, seed=0), 20)
    >>> round(float(moves["ari_clusters"].iloc[-1]), 2)
    1.0
    """
    if not isinstance(user, SimulatedUser):
        raise ValueError(f"user is a {type(user).__name__}: give a SimulatedUser.")
    user._check(session)
    n_moves = whole_number("n_moves", n_moves, 0, int((~user.moved).sum()))
    places = user.random.uniform(size=(session.n_objects, 2)) * CANVAS
    if layout is not None:
        places = layout.settle(places, edges)
    rows = []
    for move in range(1, n_moves + 1):
        started = time.perf_counter()
        item = user.choose(places)
        user.place(session, item)
        pins = session.state.pins
        places[list(pins)] = list(pins.values())
        if layout is not None:
            pulled = session.state.labels if clustering and len(session.keys) > 1 else None
            places = layout.settle(places, edges, clusters=pulled, pinned=list(pins))
        by_session = adjusted_rand_score(user.y, session.labels) if clustering else math.nan
        by_screen = adjusted_rand_score(user.y, user.on_screen(places))
        seconds = time.perf_counter() - started
        rows.append((move, item, by_session, by_screen, len(session.keys), seconds))
    return pd.DataFrame(rows, columns=["move", "item", "ari_clusters", "ari_screen", "n_groups", "seconds"])


def nearest_neighbor_edges(D: np.ndarray) -> np.ndarray:
    """Each object linked to its nearest other one, by distances of shape (n, n); each link once."""
    others = np.where(np.eye(len(D), dtype=bool), np.inf, D)
    pairs = np.stack([np.arange(len(D)), others.argmin(axis=1)], axis=1)
    return np.unique(np.sort(pairs, axis=1), axis=0)


def probabilistic_edges(
    y: np.ndarray, random: np.random.Generator, *, within: float = 0.2, between: float = 0.05
) -> np.ndarray:
    """Each pair linked with one probability if its objects are of one class, with another if they are not."""
    first, second = np.triu_indices(len(y), 1)
    probability = np.where(y[first] == y[second], within, between)
    return np.stack([first, second], axis=1)[random.random(len(first)) < probability]


def _anchors(k: int) -> np.ndarray:
    """A place for each cluster: in a corner each, or spread evenly along an ellipse."""
    if k <= len(_CORNERS):
        return np.array(_CORNERS[:k])
    angles = np.linspace(0, 2 * np.pi, 3601)
    ellipse = np.stack([_RADII[0] * np.cos(angles), _RADII[1] * np.sin(angles)], axis=1)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(ellipse, axis=0), axis=1))])
    at = np.interp(np.arange(k) / k * along[-1], along, angles)
    return np.array(CANVAS) / 2 + np.stack([_RADII[0] * np.cos(at), _RADII[1] * np.sin(at)], axis=1)
