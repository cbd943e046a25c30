"""The network of chunklets: sums over labels against enumeration, and labels that hold."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus import Constraints
from pluribus.constrained.mixtures import _elimination_plan
from pluribus.constrained.mixtures._chunklet_network import Network, Sampling, softmax
from pluribus.constraints import log_odds

P, Q = [0.8, 0.2], [0.4, 0.6]
SURE = float(log_odds(0.9))


def network(constraints, k):
    return Network(constraints.closure(), k, constraints.check(k).witness)


def enumerate_all(net, U):
    """Marginals, log-sum, agreement of the edges and the best total, one labeling after the other."""
    L, k = U.shape
    marginals, same, total, best = np.zeros((L, k)), np.zeros(len(net.edges)), 0.0, -np.inf
    for labeling in itertools.product(range(k), repeat=L):
        z = np.array(labeling)
        agree = z[net.edges[:, 0]] == z[net.edges[:, 1]]
        score = U[np.arange(L), z].sum() + net.strength[agree].sum()
        weight = np.exp(score)
        total += weight
        marginals[np.arange(L), z] += weight
        same += weight * agree
        best = max(best, score)
    return marginals / total, np.log(total), same / total, best


def score_of(net, U, z):
    agree = z[net.edges[:, 0]] == z[net.edges[:, 1]]
    return U[np.arange(len(z)), z].sum() + net.strength[agree].sum()


@st.composite
def networks(draw, trees=False):
    """Networks of up to seven chunklets with soft and hard edges that k labels can satisfy, and potentials."""
    L, k = draw(st.integers(3, 7)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if trees:
        pairs = np.array([(rng.integers(i), i) for i in range(1, L)])
    else:
        n_pairs = rng.integers(1, 9)
        pairs = np.array([rng.choice(L, 2, replace=False) for _ in range(n_pairs)])
    together = rng.random(len(pairs)) < 0.4
    weight = rng.exponential(2, len(pairs))
    weight[~together & (rng.random(len(pairs)) < 0.5)] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = Constraints(
            L,
            must_link=pairs[together],
            must_weight=weight[together],
            cannot_link=pairs[~together],
            cannot_weight=weight[~together],
        )
    if known.check(k).status != "feasible":
        known = Constraints(L, must_link=[(0, 1)], must_weight=1.0)
    return network(known, k), rng.normal(0, draw(st.sampled_from([1.0, 5.0, 300.0])), (L, k))


@given(networks())
def test_sums_are_those_of_enumeration(case):
    net, U = case
    U = np.clip(U, -80, 80)  # what enumeration without logarithms can do
    marginals, log_sum, same, _ = enumerate_all(net, U - U.max(axis=1, keepdims=True))
    found = net.infer(U)
    assert found.marginals == pytest.approx(marginals, abs=1e-9)
    assert found.log_sums.sum() == pytest.approx(log_sum + U.max(axis=1).sum(), abs=1e-8)
    assert found.same == pytest.approx(same, abs=1e-9)


@given(networks())
def test_joint_labels_are_the_best_ones(case):
    net, U = case
    z = net.decode(U, np.tile(np.eye(U.shape[1])[0], (len(U), 1)))  # marginals that break every hard link
    best = enumerate_all_best(net, U)
    hard = net.edges[: net.n_hard]
    assert (z[hard[:, 0]] != z[hard[:, 1]]).all()
    broken = np.isin(net.component, net.component[hard[:, 0]])
    if broken.all():
        assert score_of(net, U, z) == pytest.approx(best, abs=1e-8)


def enumerate_all_best(net, U):
    L, k = U.shape
    return max(score_of(net, U, np.array(z)) for z in itertools.product(range(k), repeat=L))


@given(networks(trees=True))
def test_messages_are_exact_on_trees(case):
    net, U = case
    exact = net.infer(U)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_elimination_plan, "_LARGEST_TABLE", 1)
        loopy = _again(net)
    assert loopy.report()["exact"] == 0
    found = loopy.infer(U)
    assert found.marginals == pytest.approx(exact.marginals, abs=1e-4)
    assert found.log_sums == pytest.approx(exact.log_sums, abs=1e-3)
    assert found.same == pytest.approx(exact.same, abs=1e-4)


def _again(net):
    """The same network, planned again."""
    hard, soft = net.edges[: net.n_hard], net.edges[net.n_hard :]
    values = net.strength[net.n_hard :]
    known = Constraints(
        len(net.component),
        must_link=soft[values > 0],
        must_weight=values[values > 0],
        cannot_link=np.concatenate([hard, soft[values < 0]]),
        cannot_weight=np.concatenate([np.full(len(hard), np.inf), -values[values < 0]]),
    )
    return network(known, net.n_clusters)


@given(networks())
def test_labels_of_loopy_components_hold(case):
    net, U = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_elimination_plan, "_LARGEST_TABLE", 1)
        loopy = _again(net)
    z = loopy.decode(U, np.tile(np.eye(U.shape[1])[0], (len(U), 1)))
    hard = loopy.edges[: loopy.n_hard]
    assert (z[hard[:, 0]] != z[hard[:, 1]]).all()


@given(networks())
def test_mean_field_is_a_lower_bound(case):
    net, U = case
    U = U / 10
    found = net.infer(U, "mean-field", exact=False)
    assert found.log_sums.sum() <= net.infer(U).log_sums.sum() + 1e-6
    assert found.marginals.sum(axis=1) == pytest.approx(1)
    assert np.isfinite(found.marginals).all()


@pytest.mark.parametrize(
    ("links", "one", "other"),
    [
        (dict(must_link=[(0, 1)], must_weight=SURE), 84 / 113, 74 / 113),
        (dict(cannot_link=[(0, 1)], cannot_weight=SURE), 116 / 137, 26 / 137),
        (dict(cannot_link=[(0, 1)]), 6 / 7, 1 / 7),
        (dict(must_link=[(0, 1)], must_weight=1e6), 8 / 11, 8 / 11),
        (dict(cannot_link=[(0, 1)], cannot_weight=1e6), 6 / 7, 1 / 7),
    ],
)
def test_pair(links, one, other):
    found = network(Constraints(2, **links), 2).infer(np.log([P, Q]))
    assert found.marginals[:, 0] == pytest.approx([one, other])


@pytest.mark.parametrize(
    ("links", "one", "other"),
    [
        (dict(must_link=[(0, 1)], must_weight=SURE), 0.943161, 0.823753),
        (dict(cannot_link=[(0, 1)], cannot_weight=SURE), 0.961937, 0.080511),
    ],
)
def test_mean_field_of_a_pair_is_too_sure(links, one, other):
    found = network(Constraints(2, **links), 2).infer(np.log([P, Q]), "mean-field", exact=False)
    assert found.marginals[:, 0] == pytest.approx([one, other], abs=2e-6)


def test_chain_of_three():
    known = Constraints(3, must_link=[(0, 1)], must_weight=1.0, cannot_link=[(1, 2)], cannot_weight=1.0)
    U = np.log([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    exact, approximate = (network(known, 2).infer(U, "mean-field", exact=exact) for exact in (True, False))
    assert exact.marginals[:, 0] == pytest.approx([0.920919, 0.793406, 0.150413], abs=1e-6)
    assert approximate.marginals[:, 0] == pytest.approx([0.946861, 0.841508, 0.112116], abs=2e-6)


@pytest.mark.parametrize(("links", "z"), [([(0, 1)], 0.62), ([(0, 1), (1, 2)], 0.4), ([(0, 1), (1, 2), (0, 2)], 0.18)])
def test_normalizers(links, z):
    net = network(Constraints(3, cannot_link=links), 3)
    found = net.infer(np.tile(np.log([0.5, 0.3, 0.2]), (3, 1)))
    assert np.exp(found.log_sums.sum()) == pytest.approx(z)
    if len(links) == 2:
        assert found.marginals[1] == pytest.approx([0.3125, 0.3675, 0.32])
        assert found.marginals[0] == pytest.approx([0.4625, 0.3075, 0.23])


def test_pair_whose_most_probable_labels_break_the_link():
    net = network(Constraints(3, cannot_link=[(0, 1)]), 3)
    U = np.log([[0.5, 0.3, 0.2]] * 3)
    found = net.infer(U)
    assert found.marginals[:2] == pytest.approx(np.array([[0.403226, 0.338710, 0.258065]] * 2), abs=1e-6)
    assert sorted(net.decode(U, found.marginals)[:2].tolist()) == [0, 1]


@pytest.mark.parametrize(("m", "k"), [(3, 3), (4, 6), (7, 7)])
def test_all_different(m, k):
    rng = np.random.default_rng(m)
    net = network(Constraints(k, cannot_link=list(itertools.combinations(range(m), 2))), k)
    assert len(net.different) == 1
    U = rng.normal(0, 4, (k, k))
    marginals, total = np.zeros((m, k)), 0.0
    for labels in itertools.permutations(range(k), m):
        weight = np.exp(U[np.arange(m), labels].sum())
        total += weight
        marginals[np.arange(m), labels] += weight
    found = net.infer(U)
    assert found.marginals[:m] == pytest.approx(marginals / total)
    assert found.log_sums[0] == pytest.approx(np.log(total))
    best = max(itertools.permutations(range(k), m), key=lambda z: U[np.arange(m), z].sum())
    assert net.decode(U, np.tile(np.eye(k)[0], (k, 1)))[:m].tolist() == list(best)


def test_twelve_that_all_differ():
    k = 12
    net = network(Constraints(k, cannot_link=list(itertools.combinations(range(k), 2))), k)
    found = net.infer(np.zeros((k, k)))
    assert found.marginals == pytest.approx(np.full((k, k), 1 / k))
    assert found.log_sums[0] == pytest.approx(np.log(np.arange(1, k + 1)).sum())


def test_gibbs_comes_near_the_exact_sums():
    rng = np.random.default_rng(0)
    known = Constraints.from_matrix([[0, 1.2, 0, -0.7, 0], [0, 0, 0.8, 0, 0], [0, 0, 0, 1.5, 0], [0] * 5, [0] * 5])
    net, U = network(known, 3), rng.normal(0, 1, (5, 3))
    exact = net.infer(U)
    found = net.infer(U, "gibbs", exact=False, sampling=Sampling(100, 20_000, np.random.default_rng(1)))
    assert found.marginals == pytest.approx(exact.marginals, abs=0.02)
    assert found.same == pytest.approx(exact.same, abs=0.02)


def test_gibbs_moves_where_as_many_as_labels_must_differ():
    """None of them could move alone. A tail hangs on them, and a soft pair."""
    known = Constraints(
        6, cannot_link=[(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)], must_link=[(4, 5), (0, 3)], must_weight=[1.0, 0.5]
    )
    net, U = network(known, 3), np.random.default_rng(0).normal(0, 1, (6, 3))
    exact = net.infer(U)
    found = net.infer(U, "gibbs", exact=False, sampling=Sampling(100, 20_000, np.random.default_rng(1)))
    assert found.marginals == pytest.approx(exact.marginals, abs=0.02)
    assert found.same == pytest.approx(exact.same, abs=0.02)


def test_gibbs_samples_only_what_has_no_exact_sum():
    known = Constraints(3, cannot_link=[(0, 1), (0, 2), (1, 2)])
    U = np.random.default_rng(0).normal(0, 1, (3, 3))
    exact = network(known, 3).infer(U)
    found = network(known, 3).infer(U, "gibbs", sampling=Sampling(0, 1, np.random.default_rng(1)))
    assert (found.marginals == exact.marginals).all()


def test_ignored_links_of_loopy_components():
    pairs = [*itertools.combinations(range(4), 2), (0, 4), (5, 6)]
    known = Constraints(7, cannot_link=pairs)
    U = np.random.default_rng(0).normal(0, 1, (7, 4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_elimination_plan, "_LARGEST_TABLE", 64)
        net = network(known, 4)
    assert net.report() == {"alone": 0, "exact": 2, "loopy": 5}
    found, exact = net.infer(U, "ignore"), network(known, 4).infer(U)
    assert (found.marginals[:5] == softmax(U)[0][:5]).all()
    assert found.marginals[5:] == pytest.approx(exact.marginals[5:])


def test_gibbs_never_breaks_a_hard_link():
    known = Constraints(3, cannot_link=[(0, 1), (1, 2)])
    U = np.log([[0.98, 0.01, 0.01]] * 3)
    found = network(known, 3).infer(U, "gibbs", exact=False, sampling=Sampling(10, 2000, np.random.default_rng(1)))
    assert (found.same == 0).all()
    assert found.marginals == pytest.approx(network(known, 3).infer(U).marginals, abs=0.05)


def test_potentials_of_any_size():
    """Large chunklets have posteriors beyond the range of floats: forced apart, the one that loses less gives way."""
    known = Constraints(3, cannot_link=[(0, 1)])
    found = network(known, 3).infer(np.array([[0.0, -5000.0, -6000.0], [0.0, -4000.0, -9000.0], [0.0, 0.0, 0.0]]))
    assert found.marginals[0] == pytest.approx([1, 0, 0])
    assert found.marginals[1] == pytest.approx([0, 1, 0])
    assert found.log_sums[0] == pytest.approx(-4000)


def test_softmax():
    probability, log_sum = softmax(np.array([[1000.0, 1000.0], [-1000.0, -2000.0]]))
    assert probability.tolist() == [[0.5, 0.5], [1, 0]]
    assert log_sum == pytest.approx([1000 + np.log(2), -1000])
