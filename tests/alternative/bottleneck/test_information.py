"""The parts of the bottleneck: information, one update, critical points, single moves, known variables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus.alternative import ConditionalBottleneck
from pluribus.alternative._shared.annealing import _alive, _split, anneal, critical, information_with_rows, update
from pluribus.alternative._shared.bottleneck import (
    Cooling,
    _filled,
    by_annealing,
    distinct_rows,
    objective_of,
    one_hot,
)
from pluribus.alternative._shared.families import BERNOULLI, FAMILIES, GAUSSIAN, MULTINOMIAL, family_of, prepare_rows
from pluribus.alternative._shared.group_scores import GroupScores
from pluribus.alternative._shared.information_moves import move_until_stable
from pluribus.alternative._shared.plain_bottleneck import PlainBottleneck
from pluribus.alternative.bottleneck._linear_scores import LinearScores
from pluribus.alternative.bottleneck._result import _variance_left

SQUARE = np.array([[0.5, 0, 0.5, 0], [0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0], [0, 0.5, 0, 0.5]])
KNOWN = np.array([0, 0, 1, 1])


def square():
    return GroupScores(SQUARE, KNOWN, np.full(4, 0.25), MULTINOMIAL)


def random_data(name, seed=0, n=30, d=5, n_groups=3, packed=False, even=False):
    rng = np.random.default_rng(seed)
    X = {
        "multinomial": rng.poisson(2, (n, d)) + 1.0 * (np.arange(d) == 0),
        "gaussian": rng.normal(size=(n, d)),
        "bernoulli": (rng.random((n, d)) < 0.4) * 1.0,
    }[name]
    groups, weights = rng.integers(0, n_groups, n), rng.random(n) + 0.1
    weights = np.ones(n) if even else weights
    rows = prepare_rows(sparse.csr_array(X) if packed else X, FAMILIES[name])
    return GroupScores(rows, groups, weights / weights.sum(), FAMILIES[name])


@pytest.mark.parametrize(
    ("labels", "within", "overall", "rows"),
    [([0, 1, 0, 1], 0.5, 0.5, 1), ([0, 0, 1, 1], 0, 0.5, 1), ([0, 1, 1, 0], 0.5, 0, 1), ([0, 1, 2, 3], 0.5, 1, 2)],
)
def test_information_of_the_square(labels, within, overall, rows):
    q = np.eye(4)[labels]
    assert np.array(square().informations(q)) / np.log(2) == pytest.approx([within, overall], abs=1e-12)
    assert information_with_rows(q, np.full(4, 0.25)) / np.log(2) == pytest.approx(rows)


def test_one_update_of_the_square():
    data, half = square(), np.array([0.6, 0.4, 0.6, 0.4])
    q = np.column_stack([half, 1 - half])
    assert np.array(data.informations(q)) / np.log(2) == pytest.approx([0.0145247] * 2, abs=1e-7)
    assert information_with_rows(q, data.weights) / np.log(2) == pytest.approx(0.0290494, abs=1e-7)
    new, objective = update(q, data.scores(q, 0.3), data.weights, 4.0)
    assert new[0, 0] == pytest.approx(0.7415824, abs=1e-7)
    constant = data.entropies @ (1, 0.3)
    assert (objective + constant) / np.log(2) == pytest.approx(1.3 * 0.0145247 - 0.0290494 / 4, abs=1e-7)


def test_eigenvalues_of_the_square():
    product = square().fluctuations(np.ones(4), 0.3)
    matrix = np.column_stack([product(row) for row in np.eye(4)])
    assert np.linalg.eigvalsh(matrix) == pytest.approx([0, 0.15, 0.5, 0.65], abs=1e-12)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("packed", [False, True])
def test_clusters_are_stable_above_the_critical_temperature_alone(name, packed):
    data = random_data(name, packed=packed)
    value, direction = critical(data, np.ones(data.n), 0.3)
    for factor, grows in ((0.97, False), (1.03, True)):
        shift = 1e-5 * direction / np.abs(direction).max()
        q = np.column_stack([0.5 + shift, 0.5 - shift])
        new, _ = update(q, data.scores(q, 0.3), data.weights, factor / value)
        assert (np.abs(new[:, 0] - 0.5).max() > np.abs(shift).max()) == grows


@pytest.mark.parametrize("name", FAMILIES)
def test_critical_points_of_many_rows_agree_with_those_of_few(name):
    few = random_data(name, n=40)
    many = GroupScores(
        np.vstack([few.rows.X] * 3), np.tile(few.rows.groups, 3), np.tile(few.weights, 3) / 3, few.family
    )
    assert critical(many, np.ones(120), 0.3)[0] == pytest.approx(critical(few, np.ones(40), 0.3)[0], rel=1e-3)


@pytest.mark.parametrize("name", FAMILIES)
def test_moves_never_lower_the_objective(name):
    data = random_data(name, n=60)
    labels = np.random.default_rng(1).integers(0, 3, 60)

    def value(labels):
        within, overall = data.informations(one_hot(labels, 3))
        return within + 0.3 * overall

    values = [value(labels)]
    for _ in range(4):
        labels, _ = move_until_stable(data, labels, 3, 0.3, 0, max_iter=1)
        values.append(value(labels))
    assert np.diff(values).min() >= -1e-12
    assert values[-1] > values[0]
    assert len(set(labels.tolist())) == 3


@given(
    seed=st.integers(0, 10_000),
    name=st.sampled_from(sorted(FAMILIES)),
    packed=st.booleans(),
    k=st.integers(1, 4),
    coordination=st.sampled_from([0.0, 0.3, 2.0]),
)
@settings(max_examples=40, deadline=None)
def test_stable_labels_are_a_local_optimum(seed, name, packed, k, coordination):
    data = random_data(name, seed, n=12, n_groups=2, packed=packed)
    labels = np.random.default_rng(seed).permutation(np.arange(12) % k)

    def value(labels):
        within, overall = data.informations(one_hot(labels, k))
        return within + coordination * overall

    found, stable = move_until_stable(data, labels, k, coordination, seed)
    assert stable
    assert value(found) >= value(labels) - 1e-12
    assert len(set(found.tolist())) == k
    for row in range(12):
        if (found == found[row]).sum() > 1:
            for c in range(k):
                assert value(np.where(np.arange(12) == row, c, found)) <= value(found) + 1e-9


def test_a_pass_moves_each_row_to_its_best_cluster():
    """Against a slow pass that computes the whole objective for each row and cluster."""
    for name in FAMILIES:
        for packed, even in ((False, False), (True, False), (True, True)):
            data = random_data(name, 5, n=25, packed=packed, even=even)
            labels = np.random.default_rng(1).integers(0, 3, 25)
            expected = labels.copy()
            for row in np.random.default_rng(7).permutation(25):
                moved = [np.where(np.arange(25) == row, c, expected) for c in range(3)]
                values = [np.array(data.informations(one_hot(one, 3))) @ (1, 0.3) for one in moved]
                expected = moved[int(np.argmax(values))]
            assert move_until_stable(data, labels, 3, 0.3, 7, max_iter=1)[0].tolist() == expected.tolist()


def test_clusters_in_proportion_are_one():
    weights, half = np.full(4, 0.25), np.array([0.1, 0.2, 0.3, 0.2])
    q = np.column_stack([half, 1 - 3 * half, 2 * half])  # the first and the last are the same cluster
    assert _alive(q, weights) == pytest.approx(np.column_stack([3 * half, 1 - 3 * half]))
    dead = np.column_stack([half, 1 - half, np.zeros(4)])
    assert _alive(dead, weights) == pytest.approx(dead[:, :2])


def test_the_best_of_several_orders_counts():
    data = random_data("multinomial", 2, n=60, d=12)
    cooled = anneal(data, 4, 0.3).q.argmax(axis=1)
    ends = [move_until_stable(data, cooled, 4, 0.3, seed)[0] for seed in range(5)]
    values = [objective_of(data, one_hot(labels, 4), 0.3) for labels in ends]
    assert max(values) > values[0]
    assert by_annealing(data, 4, 0.3, Cooling()).objective[-1] == pytest.approx(max(values))


def test_an_empty_cluster_takes_the_row_that_is_explained_worst():
    scores = np.array([[0.0, -1, -9], [-5, -9, -9], [-9, -7, -9]])
    labels = np.array([0, 0, 1])  # the last row fits worst, but is alone
    assert _filled(labels, scores, 3).tolist() == [0, 2, 1]


def test_a_cluster_without_rows_in_a_group_looks_there_as_it_does_elsewhere():
    data = random_data("gaussian", n=10, n_groups=2)
    q = one_hot((data.rows.groups == 0) * 1, 2)
    profiles = data.profiles(q)
    for group in (0, 1):
        absent = 0 if group == 0 else 1
        within = profiles.within[data.rows.group_of == group, absent]
        assert within == pytest.approx(profiles.overall[:, absent])


def test_sparse_zeros_and_ones_are_counts():
    X = np.eye(4)
    assert family_of(X) is BERNOULLI
    assert family_of(sparse.csr_array(X)) is MULTINOMIAL


def test_sparse_weights_are_counts_and_dense_ones_are_numbers():
    X = 0.3 * np.eye(4)
    assert family_of(X) is GAUSSIAN
    assert family_of(sparse.csr_array(X)) is MULTINOMIAL
    assert family_of(sparse.csr_array(-X)) is GAUSSIAN
    assert family_of(sparse.csr_array(X + 0.1 + np.diag(np.arange(4.0)))) is GAUSSIAN  # few zeros
    assert family_of(sparse.csr_array(np.diag([0.3, 0.0, 0.3, 0.3]))) is GAUSSIAN  # a row of zeros


def test_variance_left_within_clusters_and_groups():
    data = random_data("gaussian", n=20, n_groups=2)
    labels = np.arange(20) % 3
    left = 0.0
    for cell in {*zip(labels.tolist(), data.rows.groups.tolist(), strict=True)}:
        inside = (labels == cell[0]) & (data.rows.groups == cell[1])
        rows, w = data.rows.X[inside], data.weights[inside]
        left += (w @ (rows - w @ rows / w.sum()) ** 2).sum()
    assert _variance_left(data, one_hot(labels, 3)) == pytest.approx(left / data.d)


def test_a_cluster_splits_along_the_direction_in_which_it_is_unstable():
    """The largest eigenvalue of the hand example, (1 + λ) / 2, belongs to the wanted partition."""
    q = _split(square(), np.ones((4, 1)), 0.3, beta=1.6, n_clusters=2)
    assert q.shape == (4, 2)
    assert q.sum(axis=1) == pytest.approx(np.ones(4))
    first = q[:, 0] > q[:, 1]
    assert first[0] == first[2] != first[1] == first[3]


def test_the_most_unstable_cluster_splits_first():
    X = np.array([[0.0, 0], [0, 1], [0, 2], [9, 0], [9, 5], [9, 10]])
    q = np.repeat(np.eye(2), 3, axis=0)
    for rows in (slice(None), slice(None, None, -1)):  # whichever cluster comes first
        data = GroupScores(X[rows], np.zeros(6, dtype=np.int64), np.full(6, 1 / 6), GAUSSIAN)
        split = _split(data, q.copy(), 0.0, beta=100.0, n_clusters=3)
        whole = split[rows][:3]
        assert sorted(whole[0]) == [0, 0, 1]


def test_novelty():
    data = square()
    for labels, novelty in (([0, 1, 0, 1], 0.5), ([0, 0, 1, 1], 0), ([0, 1, 1, 0], 0)):
        assert data.novelty(np.eye(2)[labels]) == pytest.approx(novelty, abs=1e-12)


def test_distinct_rows():
    X = np.array([[1.0, 2], [3, 4], [1, 2], [1, 2]])
    for rows in (X, sparse.csr_array(X)):
        first, inverse = distinct_rows(rows, np.array([0, 0, 0, 1]))
        assert len(first) == 3
        assert inverse[0] == inverse[2] != inverse[3]


@pytest.mark.parametrize("family", [GAUSSIAN, MULTINOMIAL])
def test_regression_on_indicators_is_the_same_as_groups(family):
    data = random_data(family.name, n=40, n_groups=2)
    q = np.random.default_rng(3).dirichlet(np.ones(2), 40)
    linear = LinearScores(data.rows.X, data.rows.groups[:, None] * 1.0, data.weights, family)
    tolerance = 1e-6 if family is GAUSSIAN else 2e-3  # a ridge, and five steps
    assert linear.informations(q) == pytest.approx(data.informations(q), rel=50 * tolerance, abs=tolerance)
    assert linear.known_information() == pytest.approx(data.known_information(), rel=50 * tolerance)
    assert linear.novelty(q) == pytest.approx(data.novelty(q), rel=50 * tolerance, abs=tolerance)
    assert critical(linear, np.ones(40), 0.3)[0] == pytest.approx(critical(data, np.ones(40), 0.3)[0], rel=0.05)
    packed = LinearScores(sparse.csr_array(data.rows.X), data.rows.groups[:, None] * 1.0, data.weights, family)
    assert packed.scores(q, 0.3) == pytest.approx(linear.scores(q, 0.3))


@pytest.mark.parametrize("name", ["gaussian", "bernoulli", "multinomial"])
def test_known_variables(name):
    rng = np.random.default_rng(0)
    n, d = 120, 10
    variables, wanted = rng.normal(size=(n, 2)), rng.integers(0, 2, n)
    drift, sign = variables @ rng.normal(size=(2, d)), np.where(np.arange(d) < d // 2, 1, -1)
    predictor = drift + np.outer(2 * wanted - 1, sign) * 0.7
    if name == "gaussian":
        X = 3 * predictor + rng.normal(size=predictor.shape)
    elif name == "bernoulli":
        X = (rng.random(predictor.shape) < 1 / (1 + np.exp(-2 * predictor))) * 1.0
    else:
        X = np.array([rng.multinomial(60, row / row.sum()) for row in np.exp(predictor)])
    weight = "auto" if name == "gaussian" else 0.3
    model = ConditionalBottleneck(2, likelihood=name, coordination=weight, cooling=1.3).fit(X, known=variables)
    agreement = (model.labels_ == wanted).mean()
    assert max(agreement, 1 - agreement) > 0.85
    assert (model.predict(X, known=variables) == model.labels_).mean() > 0.9
    assert np.isnan(model.information_["I(C;Z)"])
    if name == "gaussian":
        steps = np.diff(model.objective_)[np.diff(model.temperatures_) == 0]
        assert steps.min() > -1e-6 * np.abs(model.objective_).max()
    with pytest.raises(ValueError, match="1 variables, but fit had 2"):
        model.predict(X, known=variables[:, 0])


def test_plain_bottleneck():
    rng = np.random.default_rng(0)
    wanted = np.arange(60) % 3
    X = np.array([rng.multinomial(50, np.roll([0.7, 0.1, 0.1, 0.1], 1)[np.roll(np.arange(4), c)]) for c in wanted])
    for rows in (X, sparse.csr_array(X)):
        model = PlainBottleneck(3).fit(rows)
        assert len({(a, b) for a, b in zip(model.labels_.tolist(), wanted.tolist(), strict=True)}) == 3
        assert (model.predict(rows) == model.labels_).all()


def test_answers_need_no_expansion():
    data = random_data("bernoulli", n=25)
    X = np.column_stack([data.rows.X, 1 - data.rows.X])
    expanded = GroupScores(prepare_rows(X, MULTINOMIAL), data.rows.groups, data.weights, MULTINOMIAL)
    q = np.random.default_rng(0).dirichlet(np.ones(3), 25)
    assert data.informations(q) == pytest.approx(expanded.informations(q))
    ours, theirs = data.scores(q, 0.3), expanded.scores(q, 0.3)
    assert ours - ours[:, :1] == pytest.approx(theirs - theirs[:, :1])  # up to a constant
    assert data.family is BERNOULLI
