"""A clustering -> the one that somebody has in mind: a session of statements, and the page to make them in."""

from pluribus.studio._events import EventError
from pluribus.studio.force_layout import ForceLayout
from pluribus.studio.open_studio import open_studio
from pluribus.studio.seeded_single_link import Grown, seeded_single_link
from pluribus.studio.session import Session
from pluribus.studio.simulation import SimulatedUser, run_simulation

__all__ = [
    "EventError",
    "ForceLayout",
    "Grown",
    "Session",
    "SimulatedUser",
    "open_studio",
    "run_simulation",
    "seeded_single_link",
]
