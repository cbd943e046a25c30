import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus.studio import ForceLayout
from pluribus.studio._events import CANVAS
from pluribus.studio._scene import map_of_links


def slow_forces(places, edges, centers, c=2e-5, own=4e-5, length=50.0):
    """The two laws, pair by pair."""
    force = np.zeros_like(places)
    for i, here in enumerate(places):
        for j, there in enumerate(places):
            if i != j:
                force[i] += (here - there) / max(np.linalg.norm(here - there), 1) ** 3
    springs = [(i, places[j], c) for i, j in edges] + [(j, places[i], c) for i, j in edges]
    springs += [(i, center, own) for i, center in centers.items()]
    for i, there, stiffness in springs:
        distance = np.linalg.norm(there - places[i])
        force[i] += stiffness * (there - places[i]) / distance * (distance - length)
    return force


def test_repulsion_is_the_inverse_square():
    force = ForceLayout().forces([[10, 20], [13, 20]])
    assert force.tolist() == pytest.approx(np.array([[-1 / 9, 0], [1 / 9, 0]]))


@pytest.mark.parametrize(("distance", "expected"), [(150, 2e-3), (10, -8e-4)])
def test_a_spring_pulls_if_long_and_pushes_if_short(distance, expected):
    force = ForceLayout(repulsion=0).forces([[100, 300], [100, 300 + distance]], [[0, 1]])
    assert force == pytest.approx(np.array([[0, expected], [0, -expected]]))


@pytest.mark.parametrize(("stiffness", "distance"), [(2e-5, 62.7131417), (4e-5, 57.5486560)])
def test_two_linked_objects_settle_where_spring_and_repulsion_balance(stiffness, distance):
    layout = ForceLayout(stiffness=stiffness, tolerance=1e-9, max_iter=5000)
    assert np.abs(layout.forces([[100, 100], [100 + distance, 100]], [[0, 1]])).max() < 1e-9
    for start in (3, 300):
        places = layout.settle([[100, 400], [100 + start, 400]], [[0, 1]])
        assert np.linalg.norm(places[1] - places[0]) == pytest.approx(distance, abs=1e-5)


def test_a_cluster_pulls_its_objects_to_where_its_pins_are():
    places = np.array([[100.0, 100], [200, 100], [900, 700], [500, 500]])
    layout = ForceLayout()
    force = layout.forces(places, clusters=np.array([7, 7, 7, -1]), pinned=[0, 1])
    center = np.array([150.0, 100])
    assert force == pytest.approx(slow_forces(places, [], {0: center, 1: center, 2: center}))
    after = layout.settle(places, clusters=np.array([7, 7, 7, -1]), pinned=[0, 1])
    assert after[:2].tolist() == places[:2].tolist()
    assert np.linalg.norm(after[2] - center) < 80
    assert np.linalg.norm(after[3] - places[3]) < 30


def test_a_cluster_without_pins_pulls_nothing():
    places = [[100, 100], [200, 100], [900, 700]]
    layout = ForceLayout()
    clustered = layout.forces(places, clusters=np.array([0, 1, 1]), pinned=[0])
    assert clustered[1:].tolist() == layout.forces(places)[1:].tolist()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 14), st.booleans())
def test_laws(seed, n, coincident):
    rng = np.random.default_rng(seed)
    places = rng.uniform(size=(n, 2)) * CANVAS
    edges = rng.integers(0, n, (n, 2))
    distinct = sorted({tuple(sorted(pair)) for pair in edges.tolist() if pair[0] != pair[1]})
    layout = ForceLayout(max_iter=60)
    assert layout.forces(places, edges) == pytest.approx(slow_forces(places, distinct, {}), abs=1e-12)
    if coincident:
        places[: n // 2] = places[0]
    assert layout.forces(places, edges).sum(axis=0) == pytest.approx([0, 0], abs=1e-9)
    pinned = rng.permutation(n)[: n // 3]
    clusters = rng.integers(-1, 3, n)
    after = layout.settle(places, edges, clusters=clusters, pinned=pinned)
    assert after[pinned].tolist() == places[pinned].tolist()
    assert np.isfinite(after).all()
    assert (after >= 0).all()
    assert (after <= CANVAS).all()
    assert after.tolist() == layout.settle(places, edges, clusters=clusters, pinned=pinned).tolist()


def test_objects_at_one_place_come_apart():
    places = ForceLayout().settle(np.full((12, 2), 400.0))
    apart = np.linalg.norm(places[:, None] - places, axis=2)[np.triu_indices(12, 1)]
    assert apart.min() > 1


def test_the_first_move_is_at_most_20_and_a_half_and_gravity_pulls_to_the_middle():
    once = ForceLayout(max_iter=1, repulsion=0, gravity=1.0).settle([[0, 400], [1000, 400]])
    assert once.tolist() == [[20.5, 400], [979.5, 400]]
    later = ForceLayout(max_iter=2, repulsion=0, gravity=1.0).settle([[0, 400]])
    assert later.tolist() == [[20.5 + 10.5, 400]]
    all_the_way = ForceLayout(gravity=1e-4, repulsion=0).settle([[0, 0]])
    assert all_the_way[0] == pytest.approx([500, 400], abs=0.5)


def test_it_stops_when_nothing_moves():
    linked = [[100, 100], [162.7131417, 100]]
    assert ForceLayout(max_iter=10**8).settle(linked, [[0, 1]]) == pytest.approx(np.array(linked), abs=1e-3)


def test_one_object_stays_and_the_input_does_too():
    given = np.array([[1200.0, -5.0]])
    assert ForceLayout().settle(given).tolist() == [[1000, 0]]
    assert given.tolist() == [[1200, -5]]


@pytest.mark.parametrize(
    ("positions", "more", "word"),
    [
        ([[0, np.nan]], {}, "NaN"),
        ([[0, 1, 2]], {}, "shape"),
        ([], {}, "shape"),
        ([["a", "b"]], {}, "numbers"),
        ([[0, 1], [2, 3]], {"edges": [[0, 2]]}, "edges"),
        ([[0, 1], [2, 3]], {"edges": [0, 1]}, "edges"),
        ([[0, 1], [2, 3]], {"edges": [[0.5, 1]]}, "edges"),
        ([[0, 1], [2, 3]], {"pinned": [-1]}, "pinned"),
        ([[0, 1], [2, 3]], {"clusters": [0]}, "clusters"),
        ([[0, 1], [2, 3]], {"clusters": [0.0, 1.0]}, "clusters"),
    ],
)
def test_bad_input(positions, more, word):
    with pytest.raises(ValueError, match=word):
        ForceLayout().settle(positions, **more)


@pytest.mark.parametrize("how", [{"repulsion": -1}, {"length": np.nan}, {"max_iter": 1.5}, {"stiffness": "1"}])
def test_bad_settings(how):
    with pytest.raises(ValueError, match=next(iter(how))):
        ForceLayout(**how)


def test_linked_objects_are_near_each_other_on_the_first_map():
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], 30)
    linked = rng.random((60, 60)) < np.where(side[:, None] == side, 0.3, 0.01)
    links = sparse.csr_array(np.triu(linked, 1).astype(float))
    places = map_of_links(links + links.T, rng.uniform(size=(60, 2)) * CANVAS)
    assert places.shape == (60, 2)
    assert (places >= 0).all()
    assert (places <= CANVAS).all()
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    assert apart[side[:, None] == side].mean() < 0.6 * apart[side[:, None] != side].mean()
