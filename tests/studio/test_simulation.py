import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from pluribus.studio import ForceLayout, Session, SimulatedUser, run_simulation
from pluribus.studio.simulation import SETTINGS, nearest_neighbor_edges, probabilistic_edges

LINE = [[0], [1], [2.5], [4.5], [7], [8]]


def iris(run, per_class=33):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(run)
    keep = np.concatenate([rng.choice(np.flatnonzero(y == c), per_class, replace=False) for c in range(3)])
    return X[keep], y[keep]


def at_10_moves(setting, runs):
    how = SETTINGS[setting]
    found = []
    for run in range(runs):
        X, y = iris(run)
        moves = run_simulation(
            Session(features=X),
            SimulatedUser(y, select=how.select, seed=run),
            10,
            edges=nearest_neighbor_edges(cdist(X, X)),
            layout=ForceLayout() if how.layout else None,
            clustering=how.clustering,
        )
        found.append(moves.iloc[-1]["ari_clusters" if how.clustering else "ari_screen"])
    return np.mean(found)


def test_the_iris_line():
    ivc, clustering = at_10_moves("IVC", 20), at_10_moves("clustering", 20)
    assert ivc >= 0.90
    assert 0.65 <= clustering <= 0.88
    assert ivc - clustering >= 0.1


def test_the_order_of_the_settings_on_iris():
    manual, layout, ff, clustering, ivc = (at_10_moves(name, 5) for name in SETTINGS)
    assert manual < layout < ff < clustering < ivc
    assert manual < 0.05
    assert ivc >= 0.90


@pytest.mark.parametrize(("k", "expected"), [(2, 888), (3, 708), (4, 618)])
def test_expected_number_of_probabilistic_edges(k, expected):
    y = np.arange(120) % k
    rng = np.random.default_rng(k)
    drawn = [probabilistic_edges(y, rng) for _ in range(100)]
    assert np.mean([len(edges) for edges in drawn]) == pytest.approx(expected, rel=0.02)
    edges = np.concatenate(drawn)
    assert (edges[:, 0] < edges[:, 1]).all()
    same = np.mean(y[edges[:, 0]] == y[edges[:, 1]])
    pairs = k * (120 // k) * (120 // k - 1) / 2
    assert same == pytest.approx(0.2 * pairs / expected, abs=0.02)


@pytest.mark.parametrize("n", [2, 7, 40])
def test_nearest_neighbor_edges(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    D = cdist(X, X)
    edges = nearest_neighbor_edges(D)
    assert n / 2 <= len(edges) <= n
    nearest = [min((D[i, j], j) for j in range(n) if j != i)[1] for i in range(n)]
    assert {tuple(edge) for edge in edges.tolist()} == {tuple(sorted(pair)) for pair in enumerate(nearest)}


def test_all_objects_in_their_place_are_right():
    y = np.array([0, 0, 1, 0, 1, 1])
    moves = run_simulation(Session(features=LINE), SimulatedUser(y, select="random"), 6)
    assert moves["ari_clusters"].iloc[-1] == 1
    assert moves["ari_screen"].iloc[-1] == 1
    assert sorted(moves["item"]) == list(range(6))
    assert moves["move"].tolist() == [1, 2, 3, 4, 5, 6]
    assert moves["n_groups"].iloc[-1] == 2


def test_the_farthest_object_comes_first():
    user = SimulatedUser([0, 0, 1, 1])
    here = np.array([[120, 120], [900, 700], [120, 120], [600, 500]], dtype=float)
    assert user.choose(here) == 1
    session = Session(features=LINE[:4], positions=here)
    assert user.step(session) == 1
    assert np.abs(np.array(session.state.pins[1]) - (120, 120)).max() <= 30
    assert user.step(session) == 2
    assert user.on_screen(here).tolist() == [0, 1, 0, 1]


def test_the_same_seed_makes_the_same_moves_and_without_clustering_there_are_no_clusters():
    X, y = iris(0, 8)

    def run(**how):
        frame = run_simulation(Session(features=X), SimulatedUser(y, select="random", seed=3), 6, **how)
        return frame.drop(columns="seconds")

    assert run().equals(run())
    alone = run(clustering=False, layout=None)
    assert alone["ari_clusters"].isna().all()
    assert not alone["item"].equals(
        run_simulation(Session(features=X), SimulatedUser(y, select="random", seed=4), 6)["item"]
    )


def test_errors_go_to_a_wrong_anchor():
    user = SimulatedUser([0, 0, 1, 1, 2, 2], error=1.0, seed=1)
    session = Session(features=LINE)
    for item in range(6):
        user.place(session, item)
        nearest = np.linalg.norm(user.anchors - session.state.pins[item], axis=1).argmin()
        assert nearest != user.y[item]


@pytest.mark.parametrize("k", [1, 2, 4, 5, 7])
def test_anchors_are_far_enough_apart(k):
    user = SimulatedUser(np.arange(2 * k) % k, jitter=10)
    assert len(user.anchors) == k
    assert (user.anchors >= 30).all()
    assert (user.anchors <= (970, 770)).all()
    user.step(Session(features=np.arange(2 * k)[:, None], reach=227))


def test_too_many_clusters_are_refused():
    user = SimulatedUser(np.arange(24) % 12)
    with pytest.raises(ValueError, match="smaller reach"):
        user.step(Session(features=np.arange(24)[:, None]))
    user.step(Session(features=np.arange(24)[:, None], reach=80))


@pytest.mark.parametrize(
    ("labels", "how", "word"),
    [
        ([0], {}, "two or more"),
        ([[0, 1]], {}, "shape"),
        ([0.0, np.nan], {}, "NaN"),
        ([0, 1], {"select": "nearest"}, "select"),
        ([0, 1], {"jitter": -1}, "jitter"),
        ([0, 1], {"error": 2}, "error"),
        ([0, 1], {"seed": -1}, "seed"),
    ],
)
def test_bad_users(labels, how, word):
    with pytest.raises(ValueError, match=word):
        SimulatedUser(labels, **how)


def test_bad_runs():
    session, user = Session(features=LINE), SimulatedUser([0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="n_moves"):
        run_simulation(session, user, 7)
    with pytest.raises(ValueError, match="6 objects"):
        run_simulation(Session(features=LINE[:5]), user, 2)
    with pytest.raises(ValueError, match="SimulatedUser"):
        run_simulation(session, "me", 2)
    with pytest.raises(ValueError, match="Session"):
        run_simulation("here", user, 2)
    run_simulation(session, user, 6)
    with pytest.raises(ValueError, match="moved already"):
        user.step(session)
