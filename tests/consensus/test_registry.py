import pytest
from sklearn.base import BaseEstimator

from pluribus import consensus
from pluribus.consensus._internal import bytes_needed, name_of
from pluribus.consensus._registry import METHODS, cost_of
from pluribus.consensus._shared.cost import Cost

PUBLIC = [thing for thing in (getattr(consensus, name) for name in consensus.__all__) if isinstance(thing, type)]
CLASSES = [thing for thing in PUBLIC if consensus.ConsensusMixin in thing.__mro__[1:]]


@pytest.mark.parametrize("method", CLASSES)
def test_every_class_says_its_names_what_it_suits_and_its_cost(method):
    assert method.known_as
    assert method.suits.endswith(".")
    assert "\n" not in method.suits
    if isinstance(method.cost, dict):
        assert method.cost.keys() == method.known_as.keys()
    else:
        assert isinstance(method.cost, Cost)


@pytest.mark.parametrize("name", consensus.names())
def test_a_name_makes_its_class_with_its_presets_and_is_found_again(name):
    (entry,) = (entry for entry in METHODS.entries() if entry.name == name)
    made = consensus.by_name(name.upper())(n_clusters=2)
    assert type(made) is entry.method
    assert entry.presets.items() <= made.get_params().items()
    assert name_of(made) == name


def test_unknown_names_are_refused_and_strangers_have_none():
    with pytest.raises(ValueError, match="No consensus function is called None"):
        consensus.by_name(None)
    with pytest.raises(ValueError, match=r"No consensus function is called 'nope'; there are acccs, .*voting\."):
        consensus.by_name("nope")
    assert name_of(BaseEstimator()) == ""
    assert cost_of("") == Cost()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("hbgf", 1_400), ("eac", 2_600), ("lwea", 248), ("lwgp", 1_400), ("ceac", 2_600), ("liftkm", 1_400)],
)
def test_memory_of_a_million_objects_in_50_partitions(name, expected):
    assert bytes_needed(name, 1_000_000, 50) / 1e6 == expected


def test_memory_follows_the_form_and_the_pairs():
    assert bytes_needed("eac", 1_000_000, 50, neighbors=True) == 1_900e6
    assert bytes_needed("ceac", 1_000_000, 50, neighbors=True) == 2_600e6  # it has no such form
    assert bytes_needed("penca", 1000, 10) == 1000 * (200 + 24 * 10)
    assert bytes_needed("penca", 1000, 10, 500) == 24 * 500**2 + 1000 * 200 + 24 * 10 * 500


def test_time_has_a_shortcut_or_a_sample():
    assert cost_of("eac").seconds_needed(10**6, 30, 8) == 60 + 30
    assert cost_of("lwsm").seconds_needed(10**6, 30, 8) == 40
    assert cost_of("medoid").seconds_needed(20_000, 60, 8) == 2
    assert cost_of("scec").seconds_needed(40_000, 30, 16) == 20
