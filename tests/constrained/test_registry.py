"""Every public method of the room: its names, what it suits, and the declaration of its parameters."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from pluribus import constrained
from pluribus.constrained._registry import METHODS

PUBLIC = [thing for thing in (getattr(constrained, name) for name in constrained.__all__) if isinstance(thing, type)]
CLASSES = [thing for thing in PUBLIC if issubclass(thing, BaseEstimator)]


def test_the_names_of_the_field():
    known = {"cop-kmeans", "pckmeans", "mpckmeans", "seeded-kmeans", "constrained-kmeans", "size-constrained", "gmm"}
    assert known <= set(constrained.names())


@pytest.mark.parametrize("method", CLASSES)
def test_every_class_has_names_a_purpose_and_declared_parameters(method):
    assert method.known_as
    assert method.suits.endswith(".")
    assert "\n" not in method.suits
    parameters = set(inspect.signature(method).parameters)
    assert set(method._parameter_constraints) == parameters
    assert set(method().get_params()) == set(clone(method()).get_params()) == parameters


@pytest.mark.parametrize("name", constrained.names())
def test_a_name_makes_its_class_with_its_presets(name):
    (entry,) = (entry for entry in METHODS.entries() if entry.name == name)
    made = constrained.by_name(name.upper())()
    assert type(made) is entry.method
    assert entry.presets.items() <= made.get_params().items()
    assert METHODS.name_of(made) in entry.method.known_as


def test_unknown_names_are_refused():
    with pytest.raises(
        ValueError, match=r"No constrained method is called 'kmeans'; there are aggregate, .*size-constrained"
    ):
        constrained.by_name("kmeans")
    for wrong in (None, 5, np.zeros((1, 2, 2)), ["cop-kmeans"]):
        with pytest.raises(ValueError, match="No constrained method is called"):
            constrained.by_name(wrong)
