import sys
from types import ModuleType

import pytest
from sklearn.base import BaseEstimator

from pluribus._engine import Registry


class Seeded(BaseEstimator):
    """Seeds, kept or not.

    More on seeds.
    """

    known_as = {"kept": {"fixed": True}, "free": {"fixed": False}}

    def __init__(self, fixed=None):
        self.fixed = fixed


class Plain(BaseEstimator):
    """Nothing special."""

    known_as = {"plain": {}, "a-plain": {}}


class Unnamed(Plain):
    """Inherits from a method, and has no name of its own."""


@pytest.fixture
def methods(monkeypatch):
    room = ModuleType("a_room")
    room.__all__ = ["Plain", "Seeded", "Unnamed", "names"]
    room.Plain, room.Seeded, room.Unnamed, room.Hidden, room.names = Plain, Seeded, Unnamed, Seeded, len
    monkeypatch.setitem(sys.modules, "a_room", room)
    return Registry("a_room")


def test_names_are_those_of_the_public_classes(methods):
    assert methods.names() == ["a-plain", "free", "kept", "plain"]


def test_make_presets_the_parameters(methods):
    assert methods.make("plain") is Plain
    assert methods.make("Kept")().fixed is True
    assert methods.make("free")(fixed=3).fixed == 3
    with pytest.raises(ValueError, match="No method is called 'unnamed'; there are a-plain, free, kept, plain"):
        methods.make("unnamed")


def test_name_of_goes_by_class_and_presets(methods):
    assert [methods.name_of(Seeded(fixed)) for fixed in (True, False, None)] == ["kept", "free", "free"]
    assert methods.name_of(Plain()) == "a-plain"
    assert methods.name_of(Unnamed()) == ""
    assert methods.name_of("plain") == ""


def test_entries_carry_the_first_line_of_the_docstring(methods):
    assert [(entry.name, entry.method, entry.summary) for entry in methods.entries()][1:3] == [
        ("free", Seeded, "Seeds, kept or not."),
        ("kept", Seeded, "Seeds, kept or not."),
    ]
