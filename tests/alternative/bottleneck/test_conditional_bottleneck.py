"""The coordinated conditional information bottleneck, against exact examples, brute force and slow oracles."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from alternative.shared import purity as precision
from alternative.shared import same_partition as same
from alternative.shared import two_partitions
from pluribus import alternative
from pluribus.alternative import ConditionalBottleneck

# Four texts: features (a0, a1, b0, b1). A is known, B is wanted.
SQUARE = np.array([[0.5, 0, 0.5, 0], [0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0], [0, 0.5, 0, 0.5]])
A, B, XOR = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]


def drawn(n_draws, mixing, k, seed, n=300):
    return two_partitions(k, n_draws, mixing, seed, n)


class TestTheSquare:
    def test_the_wanted_partition_is_found(self):
        for coordination in ("auto", 0.3, 0.01):
            model = ConditionalBottleneck(2, likelihood="multinomial", coordination=coordination).fit(SQUARE, known=A)
            assert model.labels_.tolist() == B
            assert model.information_["I(C;F|Z)"] == pytest.approx(0.5)
            assert model.information_["I(C;F)"] == pytest.approx(0.5)
            assert model.information_["I(C;X)"] == pytest.approx(1)
            assert model.information_["I(C;Z)"] == pytest.approx(0, abs=1e-12)
            assert model.critical_coordination_ == np.inf  # both partitions tell as much

    @pytest.mark.parametrize(("coordination", "beta"), [(0.3, 1 / 0.65), (1.0, 1.0), (0.0, 2.0)])
    def test_first_critical_point(self, coordination, beta):
        model = ConditionalBottleneck(2, likelihood="multinomial", coordination=coordination).fit(SQUARE, known=A)
        assert 1 / model.critical_temperature_ == pytest.approx(beta)

    def test_nothing_known_is_the_plain_bottleneck(self):
        X, _, _ = drawn(100, 1, 2, 0)
        plain = ConditionalBottleneck(2).fit(X)
        constant = ConditionalBottleneck(2).fit(X, known=np.zeros(len(X)))
        weighted = ConditionalBottleneck(2, coordination=0.5).fit(X)
        assert plain.labels_.tolist() == constant.labels_.tolist() == weighted.labels_.tolist()
        assert weighted.objective_[-1] == pytest.approx(1.5 * plain.objective_[-1])
        assert plain.coordination_ == 0
        assert plain.nmi_with_known_ == 0


class TestAgainstBruteForce:
    @pytest.mark.parametrize("likelihood", ["multinomial", "gaussian", "bernoulli"])
    @pytest.mark.parametrize("method", ["annealing", "sequential", "hard"])
    def test_no_labeling_is_better_and_most_starts_reach_the_best(self, likelihood, method):
        reached = 0
        for seed in range(3):
            rng = np.random.default_rng(seed)
            X = rng.integers(0, 2 if likelihood == "bernoulli" else 6, (8, 4)).astype(float)
            X[:, 0] += 1 if likelihood == "multinomial" else 0
            known = np.arange(8) % 2
            best = max(
                objective(X, known, np.array(labels), 0.3, likelihood)
                for labels in itertools.product((0,), *[(0, 1)] * 7)
            )
            model = ConditionalBottleneck(
                2, likelihood=likelihood, coordination=0.3, method=method, n_init=20, random_state=0
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                labels = model.fit(X, known=known).labels_
            value = objective(X, known, labels, 0.3, likelihood)
            assert model.objective_[-1] == pytest.approx(value)
            assert value <= best + 1e-9
            reached += value >= best - 1e-9
        assert reached >= {"sequential": 3, "annealing": 1, "hard": 0}[method]

    @pytest.mark.parametrize("likelihood", ["multinomial", "gaussian", "bernoulli"])
    def test_no_single_move_improves_the_result(self, likelihood):
        rng = np.random.default_rng(1)
        X = rng.integers(0, 2, (40, 6)) if likelihood == "bernoulli" else rng.poisson(3, (40, 6)) + 1
        known = rng.integers(0, 3, 40)
        model = ConditionalBottleneck(3, likelihood=likelihood, coordination=0.2).fit(X, known=known)
        best = objective(X, known, model.labels_, 0.2, likelihood)
        first = {}
        for i, row in enumerate(np.column_stack([X, known]).tolist()):
            first.setdefault(tuple(row), []).append(i)
        for rows in first.values():  # equal rows move together
            for c in range(3):
                moved = model.labels_.copy()
                moved[rows] = c
                assert objective(X, known, moved, 0.2, likelihood) <= best + 1e-9


class TestTheSynthetic:
    @pytest.mark.parametrize(
        ("draws", "mixing", "k", "least"), [(20, 1, 2, 0.9), (100, 0.5, 2, 0.92), (20, 1, 3, 0.78)]
    )
    def test_finds_the_wanted_partition(self, draws, mixing, k, least):
        found = []
        for seed in range(2):
            X, known, wanted = drawn(draws, mixing, k, seed, n=400)
            model = ConditionalBottleneck(k).fit(X, known=known)
            found.append((precision(model.labels_, wanted), precision(model.labels_, known)))
        wanted, known = np.mean(found, axis=0)
        assert wanted >= least
        assert known <= 1 / k + 0.08

    def test_a_large_weight_returns_the_known_groups_with_a_warning(self):
        X, known, wanted = drawn(100, 0.5, 2, 0)
        with pytest.warns(UserWarning, match="resemble the known groups"):
            model = ConditionalBottleneck(2, coordination=1.0).fit(X, known=known)
        assert precision(model.labels_, known) > 0.95
        free = ConditionalBottleneck(2).fit(X, known=known)
        assert precision(free.labels_, wanted) > 0.9
        assert free.coordination_ < free.critical_coordination_
        assert free.coordination_path_.shape == (5, 2)

    def test_the_objective_never_falls_at_a_fixed_temperature(self):
        for likelihood in ("multinomial", "gaussian"):
            X, known, _ = drawn(20, 1, 4, 0)
            model = ConditionalBottleneck(4, likelihood=likelihood, coordination=0.1).fit(X, known=known)
            steps, same_temperature = np.diff(model.objective_), np.diff(model.temperatures_) == 0
            assert same_temperature.sum() > 100
            assert steps[same_temperature].min() > -1e-10 * np.abs(model.objective_).max()
            assert (np.diff(model.temperatures_) <= 0).all()
            assert model.n_iter_ == len(model.objective_) == len(model.temperatures_)

    def test_unequal_lengths_and_weights_keep_the_ascent(self):
        rng = np.random.default_rng(0)
        X = rng.poisson(rng.gamma(1, 3, (80, 1)) * rng.gamma(1, 1, (80, 12))) + 1.0 * (np.arange(12) == 0)
        known = rng.integers(0, 2, 80)
        for weights in (None, X.sum(axis=1)):
            model = ConditionalBottleneck(3, likelihood="multinomial", coordination=0.3)
            model.fit(X, known=known, sample_weight=weights)
            steps = np.diff(model.objective_)[np.diff(model.temperatures_) == 0]
            assert steps.min() > -1e-12

    def test_three_partitions_of_which_two_are_known(self):
        rng = np.random.default_rng(3)
        labels = [rng.integers(0, 3, 300) for _ in range(3)]
        chance = [
            np.where(j % 3 == own, 0.95, 0.05) for own, d in zip(labels, (8, 8, 6), strict=True) for j in range(d)
        ]
        X = (rng.random((300, 22)) < np.column_stack(chance)).astype(float)
        listed = ConditionalBottleneck(3, coordination=1.0).fit(X, known=labels[:2])
        table = ConditionalBottleneck(3, coordination=1.0).fit(X, known=np.column_stack(labels[:2]))
        assert listed.likelihood_ == "bernoulli"
        assert listed.labels_.tolist() == table.labels_.tolist()
        assert precision(listed.labels_, labels[2]) > 0.85


class TestSymmetry:
    def test_codes_and_order_do_not_matter(self):
        X, known, _ = drawn(50, 1, 3, 1, n=150)
        model = ConditionalBottleneck(3, coordination=0.1)
        labels = model.fit(X, known=known).labels_
        renamed = model.fit(X, known=np.array(["c", "a", "b"])[known]).labels_
        assert labels.tolist() == renamed.tolist()
        order = np.random.default_rng(0).permutation(len(X))
        shuffled = model.fit(X[order], known=known[order]).labels_
        assert same(shuffled, labels[order])

    def test_sparse_and_dense_rows_agree(self):
        X, known, _ = drawn(50, 1, 3, 2, n=150)
        X = np.column_stack([X, np.zeros(len(X))])  # a feature that never occurs
        for likelihood in ("multinomial", "gaussian"):
            dense = ConditionalBottleneck(3, likelihood=likelihood, coordination=0.1).fit(X, known=known)
            packed = ConditionalBottleneck(3, likelihood=likelihood, coordination=0.1)
            packed.fit(sparse.csr_matrix(X), known=known)
            assert same(dense.labels_, packed.labels_)
            assert packed.objective_[-1] == pytest.approx(dense.objective_[-1])
            assert (packed.predict(sparse.csr_array(X), known) == packed.labels_).mean() > 0.97

    def test_sparse_answers_agree_with_dense_ones(self):
        rng = np.random.default_rng(0)
        X, known = (rng.random((60, 9)) < 0.3).astype(float), rng.integers(0, 2, 60)
        X[:30, 0] = 1
        dense = ConditionalBottleneck(2, likelihood="bernoulli", coordination=0.3).fit(X, known=known)
        packed = ConditionalBottleneck(2, likelihood="bernoulli", coordination=0.3).fit(
            sparse.csr_array(X), known=known
        )
        assert packed.objective_[-1] == pytest.approx(dense.objective_[-1])
        expanded = ConditionalBottleneck(2, likelihood="multinomial", coordination=0.3)
        expanded.fit(np.column_stack([X, 1 - X]), known=known)
        assert expanded.objective_[-1] == pytest.approx(dense.objective_[-1])
        assert expanded.critical_temperature_ == pytest.approx(dense.critical_temperature_)

    def test_equal_rows_are_together(self):
        X, known, _ = drawn(5, 1, 2, 0)
        model = ConditionalBottleneck(2).fit(X, known=known)
        table = pd.DataFrame(np.column_stack([X, known])).assign(label=model.labels_, sure=model.membership_[:, 0])
        groups = table.groupby([0, 1, 2, 3, 4])
        assert (groups["label"].nunique() == 1).all()
        assert groups["sure"].agg(np.ptp).max() == 0

    def test_a_row_of_weight_two_counts_as_two(self):
        X, known, _ = drawn(20, 1, 2, 0, n=60)
        twice = ConditionalBottleneck(2).fit(np.vstack([X, X[:20]]), known=np.append(known, known[:20]))
        weighted = ConditionalBottleneck(2).fit(X, known=known, sample_weight=1.0 + (np.arange(60) < 20))
        assert twice.objective_[-1] == pytest.approx(weighted.objective_[-1])
        assert same(twice.labels_[:60], weighted.labels_)

    @pytest.mark.parametrize("method", ["sequential", "hard"])
    def test_threads_do_not_matter_and_seeds_decide(self, method):
        X, known, _ = drawn(20, 1, 3, 0)
        one, two = (
            ConditionalBottleneck(3, method=method, random_state=3, n_jobs=n).fit(X, known=known) for n in (1, 2)
        )
        assert one.labels_.tolist() == two.labels_.tolist()


class TestResult:
    def test_memberships(self):
        X, known, wanted = drawn(20, 1, 2, 0)
        model = ConditionalBottleneck(2).fit(X, known=known)
        assert np.allclose(model.membership_.sum(axis=1), 1)
        assert (model.membership_.argmax(axis=1) == model.labels_).all()
        assert ((model.uncertainty_ >= 0) & (model.uncertainty_ <= 1)).all()
        right = same_class(model.labels_, wanted)
        sure = model.membership_.max(axis=1)
        assert sure.mean() == pytest.approx(right.mean(), abs=0.06)  # calibrated

    def test_annealing_stops_at_the_information_that_is_allowed(self):
        X, known, _ = drawn(20, 1, 2, 0)
        model = ConditionalBottleneck(2, max_information=0.5).fit(X, known=known)
        assert 0.5 <= model.information_["I(C;X)"] < 0.9
        assert model.temperatures_[-1] > 0
        assert 0.1 < model.uncertainty_.mean() < 0.95

    def test_the_information_that_is_allowed_is_in_bits(self):
        X = np.random.default_rng(0).normal(size=(80, 2))
        model = ConditionalBottleneck(2, max_information=0.4, cooling=1.02, coordination=0.3)
        assert 0.4 <= model.fit(X, known=np.arange(80) % 2).information_["I(C;X)"] < 0.5  # 0.4 nats are 0.58 bits

    def test_new_rows(self):
        X, known, _ = drawn(50, 1, 2, 0)
        model = ConditionalBottleneck(2).fit(X[:200], known=known[:200])
        new, theirs, wanted = drawn(50, 1, 2, 1)
        labels = model.predict(new, known=theirs)
        assert precision(labels, wanted) > 0.95
        assert precision(model.predict(new), wanted) > 0.9
        unknown = model.predict(new, known=["never seen"] * len(new))
        assert unknown.tolist() == model.predict(new).tolist()
        again = pickle.loads(pickle.dumps(model))
        assert again.predict(new, known=theirs).tolist() == labels.tolist()

    def test_rows_without_a_label_are_a_group(self):
        X, known, _ = drawn(50, 1, 2, 0)
        named = np.where(known == 0, "a", None)
        model = ConditionalBottleneck(2).fit(X, known=list(named))
        assert model.labels_.tolist() == ConditionalBottleneck(2).fit(X, known=known).labels_.tolist()
        assert (model.predict(X, known=list(named)) == model.labels_).mean() > 0.97
        assert model._known_of(["a", None, "new"], X[:3]).tolist() == [0, 1, -1]

    def test_labels_that_read_the_same_are_two_groups(self):
        X, known, _ = drawn(50, 1, 2, 0)
        named = [1 if group else "1" for group in known]
        model = ConditionalBottleneck(2).fit(X, known=named)
        assert model.labels_.tolist() == ConditionalBottleneck(2).fit(X, known=known).labels_.tolist()
        number = {label: code for code, label in enumerate(dict.fromkeys(named))}
        assert model._known_of([1, "1", 1, 2], X[:4]).tolist() == [number[1], number["1"], number[1], -1]

    def test_information_identities(self):
        X, known, _ = drawn(20, 1, 3, 0, n=120)
        bits = ConditionalBottleneck(3, coordination=0.3).fit(X, known=known).information_
        assert bits["I(C;X)"] == pytest.approx(bits["H(C)"])
        assert 0 <= bits["I(C;F|Z)"] <= bits["H(C)"] - bits["I(C;Z)"] + 1e-12
        assert bits["H(Z)"] <= np.log2(3) + 1e-12

    @pytest.mark.parametrize("method", ["annealing", "sequential", "hard"])
    def test_one_cluster_tells_nothing(self, method):
        X, known, _ = drawn(20, 1, 2, 0, n=30)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            model = ConditionalBottleneck(1, method=method).fit(X, known=known)
        assert model.labels_.tolist() == [0] * 30
        assert model.membership_.tolist() == [[1.0]] * 30
        told = [model.information_[name] for name in ("I(C;F|Z)", "I(C;F)", "I(C;X)", "I(C;Z)", "H(C)")]
        assert told == pytest.approx([0] * 5, abs=1e-12)
        assert min(told) >= 0

    def test_numbers_of_any_size(self):
        X = 1e13 * np.array([[-3.2], [0.6], [-0.6]])
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            model = ConditionalBottleneck(3, coordination=2.0).fit(X)
        assert sorted(model.labels_.tolist()) == [0, 1, 2]
        assert model.membership_.max(axis=1) == pytest.approx([1, 1, 1])

    def test_found_by_name(self):
        assert isinstance(alternative.by_name("ccib")(3), ConditionalBottleneck)
        assert alternative.by_name("seq-ccib")(3).method == "sequential"

    def test_scikit_learn_conventions(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_estimator(ConditionalBottleneck(2))


class TestLikelihoodByItself:
    def test_kinds_of_data(self):
        rng = np.random.default_rng(0)
        known = np.arange(30) % 2

        def kind(X):
            return ConditionalBottleneck(2, coordination=0.3).fit(X, known=known).likelihood_

        counts = rng.poisson(1, (30, 5)) * 1.0
        counts[:, 0] = 1
        assert kind(rng.normal(size=(30, 3))) == "gaussian"
        assert kind((counts > 1) * 1.0) == "bernoulli"
        assert kind(sparse.csr_array(np.column_stack([counts, np.zeros((30, 9))]))) == "multinomial"
        assert kind(drawn(20, 1, 2, 0, n=30)[0]) == "multinomial"  # equal totals
        assert kind(rng.integers(20, 90, (30, 3))) == "gaussian"


class TestBadInput:
    X = np.abs(np.random.default_rng(0).normal(size=(12, 3)))
    known = np.arange(12) % 2

    @pytest.mark.parametrize(
        ("parameters", "known", "message"),
        [
            ({"n_clusters": 13}, known, "n_clusters=13 is more than"),
            ({"n_clusters": 0}, known, "n_clusters"),
            ({"coordination": -1}, known, "coordination"),
            ({"cooling": 1.0}, known, "cooling"),
            ({"likelihood": "poisson"}, known, "likelihood"),
            ({}, known[:5], "5 labels, but X has 12 rows"),
            ({"likelihood": "bernoulli"}, known, "0 or 1"),
            ({"knowledge": "categorical"}, np.linspace(0, 1, 12), "not whole numbers"),
            ({}, np.arange(12), "no information is left within the known groups"),
            ({"knowledge": "continuous"}, ["a"] * 12, "must hold numbers"),
            ({"knowledge": "continuous"}, np.zeros((5, 2)), "shape"),
            ({"knowledge": "continuous"}, np.full(12, np.nan), "NaN"),
            ({"knowledge": "continuous"}, np.repeat([0.0, 1e308], 6), "known has values as large as 1e\\+308"),
            ({"method": "sequential"}, np.linspace(0, 1, 12), "needs known groups"),
        ],
    )
    def test_refused(self, parameters, known, message):
        with pytest.raises(ValueError, match=message):
            ConditionalBottleneck(**parameters).fit(self.X, known=known)

    def test_counts(self):
        with pytest.raises(ValueError, match="Negative values in data"):
            ConditionalBottleneck(2, likelihood="multinomial").fit(-self.X, known=self.known)
        with pytest.raises(ValueError, match="row 3 of X is all zero"):
            ConditionalBottleneck(2, likelihood="multinomial").fit(
                self.X * (np.arange(12) != 3)[:, None], known=self.known
            )

    def test_many_numbers_that_may_be_labels(self):
        with pytest.raises(ValueError, match="knowledge='continuous'"):
            ConditionalBottleneck(2).fit(np.random.default_rng(0).normal(size=(60, 2)), known=np.arange(60.0))

    def test_weights(self):
        with pytest.raises(ValueError, match="non-zero"):
            ConditionalBottleneck(2).fit(self.X, known=self.known, sample_weight=np.zeros(12))
        with pytest.raises(ValueError, match="[Nn]egative"):
            ConditionalBottleneck(2).fit(self.X, known=self.known, sample_weight=-np.ones(12))

    def test_small_groups_are_reported(self):
        with pytest.warns(UserWarning, match="1 of 2 known groups have fewer than n_clusters=3 rows"):
            ConditionalBottleneck(3, coordination=0.3).fit(self.X, known=[0] * 10 + [1] * 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            ConditionalBottleneck(2, coordination=0.01).fit(self.X, known=[0] * 10 + [1] * 2)  # as many as clusters

    def test_fewer_distinct_rows_than_clusters(self):
        X = np.repeat([[1.0, 0], [0, 1]], 5, axis=0)
        with pytest.warns(ConvergenceWarning, match="only 2 of 4 clusters"):
            model = ConditionalBottleneck(4).fit(X)
        assert model.n_clusters_ == 2
        assert same(model.labels_, np.repeat([0, 1], 5))

    def test_equal_rows_are_one_cluster(self):
        with pytest.warns(ConvergenceWarning, match="only 1 of 2"):
            assert ConditionalBottleneck(2).fit(np.ones((5, 2))).labels_.tolist() == [0] * 5

    @pytest.mark.parametrize("likelihood", ["multinomial", "gaussian", "bernoulli"])
    def test_equal_rows_with_known_variables_are_one_cluster(self, likelihood):
        model = ConditionalBottleneck(2, likelihood=likelihood)
        with pytest.warns(ConvergenceWarning, match="only 1 of 2"), np.errstate(all="raise", under="ignore"):
            model.fit(np.ones((6, 2)), known=np.linspace(0, 1, 6))
        assert model.labels_.tolist() == [0] * 6


def same_class(labels, classes):
    table = pd.crosstab(labels, classes)
    return table.idxmax(axis=1).to_numpy()[labels] == classes


def objective(X, known, labels, coordination, likelihood):
    """I(C;F|Z) + λ I(C;F) in bits by its definition, for uniform weights."""
    X = np.asarray(X, dtype=float)
    if likelihood == "gaussian":
        cells = [labels == c for c in set(labels.tolist())]
        groups = [known == z for z in set(known.tolist())]

        def left(parts):
            return sum(((X[rows] - X[rows].mean(axis=0)) ** 2).sum() for rows in parts if rows.any())

        both = [c & z for c in cells for z in groups]
        within, overall = left(groups) - left(both), left([labels >= 0]) - left(cells)
        return (within + coordination * overall) / (2 * len(X) * np.log(2))
    if likelihood == "bernoulli":
        X = np.column_stack([X, 1 - X])
    shares = X / X.sum(axis=1, keepdims=True) / len(X)

    def entropy(*parts):
        codes = sum(part * 100**i for i, part in enumerate(parts)) + np.zeros(len(X), dtype=int)
        masses = np.array([shares[codes == code].sum(axis=0) for code in set(codes.tolist())])
        sizes = masses.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.nansum(masses * np.log2(masses / sizes))

    return entropy(known) - entropy(labels, known) + coordination * (entropy() - entropy(labels))
