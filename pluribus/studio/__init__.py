"""A clustering -> the one that somebody has in mind: a session of statements, and the page to make them in."""

from pluribus.studio._events import EventError
from pluribus.studio.open_studio import open_studio
from pluribus.studio.seeded_single_link import Grown, seeded_single_link
from pluribus.studio.session import Session

__all__ = [
    "EventError",
    "Grown",
    "Session",
    "open_studio",
    "seeded_single_link",
]
