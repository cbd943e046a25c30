"""MeanFieldMixture(model="multinomial"): counts, against sums over all labelings."""

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp
from scipy.stats import multinomial
from sklearn.base import clone

from pluribus import Constraints
from pluribus.constrained import MeanFieldMixture
from pluribus.constrained.mixtures._multinomials import log_probabilities, term_shares

SHARES = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
WEIGHTS = np.array([0.6, 0.4])
COUNTS = np.array([[4, 1, 0], [2, 2, 2], [0, 1, 3], [1, 0, 1], [3, 3, 1], [0, 0, 2]])
KNOWN = Constraints(
    6,
    must_link=[(0, 1), (3, 4)],
    cannot_link=[(1, 2), (2, 5)],
    must_weight=[np.inf, 1.5],
    cannot_weight=[np.inf, 0.7],
)


def _model(**more) -> MeanFieldMixture:
    return MeanFieldMixture(
        2,
        model="multinomial",
        eta=1,
        weights="fixed",
        weights_init=WEIGHTS,
        n_init=1,
        random_state=0,
        verbose=False,
        **more,
    )


def _by_enumeration(shares: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Posteriors of the labels, and log p(X, constraints), over all 2^6 labelings."""
    log_density = np.array([[multinomial.logpmf(row, row.sum(), share) for share in shares] for row in COUNTS])
    logs, labelings = [], list(itertools.product(range(2), repeat=6))
    for labels in labelings:
        value = sum(np.log(weights[label]) + log_density[i, label] for i, label in enumerate(labels))
        if labels[0] != labels[1] or labels[1] == labels[2]:
            value = -np.inf
        value += 1.5 * (labels[3] == labels[4]) - 0.7 * (labels[2] == labels[5])
        logs.append(value)
    total = logsumexp(logs)
    posterior = np.exp(np.array(logs) - total)
    marginals = np.array([[posterior[[z[i] == h for z in labelings]].sum() for h in range(2)] for i in range(6)])
    return marginals, float(total)


def test_log_probabilities_are_those_of_scipy():
    expected = np.array([[multinomial.logpmf(row, row.sum(), share) for share in SHARES] for row in COUNTS])
    for rows in (COUNTS, sparse.csr_array(COUNTS), COUNTS.astype(np.float32)):
        np.testing.assert_allclose(log_probabilities(rows, SHARES), expected, rtol=1e-6)
    zero = np.array([[1.0, 0.0, 0.0]])
    assert log_probabilities(np.array([[3, 0, 0], [2, 1, 0]]), zero).ravel().tolist() == [0, -np.inf]


def test_shares_are_smoothed_means():
    resp = np.array([[1, 0], [0.5, 0.5], [0, 1], [0, 1], [0, 1], [0, 1.0]])
    counts = resp.T @ COUNTS
    np.testing.assert_allclose(term_shares(COUNTS, resp, 0), counts / counts.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(
        term_shares(sparse.csr_array(COUNTS), resp, 0.5), (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)
    )
    assert term_shares(np.zeros((2, 4)), np.ones((2, 1)), 0).tolist() == [[0.25] * 4]


@pytest.mark.parametrize("as_given", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_one_iteration_equals_the_sum_over_all_labelings(as_given):
    model = _model(means_init=SHARES, smoothing=0.2, max_iter=1, tol=0)
    with pytest.warns(UserWarning, match="did not converge"):
        model.fit(as_given(COUNTS), constraints=KNOWN)
    before, log_likelihood = _by_enumeration(SHARES, WEIGHTS)
    assert model.objective_[0] == pytest.approx(log_likelihood + 0.2 * np.log(SHARES).sum())
    counts = before.T @ COUNTS + 0.2
    shares = counts / counts.sum(axis=1, keepdims=True)
    order = [0, 1] if np.allclose(model.means_, shares) else [1, 0]
    np.testing.assert_allclose(model.means_, shares[order], rtol=1e-7)
    after, log_likelihood = _by_enumeration(shares, WEIGHTS)
    np.testing.assert_allclose(model.membership_, after[:, order], atol=1e-8)
    assert model.objective_[1] == pytest.approx(log_likelihood + 0.2 * np.log(shares).sum())


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_never_falls(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.5, (40, 6))
    known = Constraints(40, must_link=[(0, 1), (2, 3)], cannot_link=[(1, 2), (5, 6)], cannot_weight=[np.inf, 2.0])
    model = MeanFieldMixture(3, model="multinomial", eta=5, n_init=2, random_state=seed, verbose=False, tol=1e-7)
    path = model.fit(counts, constraints=known).objective_
    assert np.diff(path).min() >= -1e-9 * abs(path[-1])
    assert model.violations_.n_hard == 0


def test_eta_replicates_constrained_rows():
    """Four rows, one cluster: the shares are those of the rows, constrained ones three times."""
    known = Constraints(4, must_link=[(2, 3)])
    counts = np.array([[1, 0], [3, 1], [0, 2], [1, 4]])
    model = MeanFieldMixture(1, model="multinomial", eta=3, smoothing=0, n_init=1, random_state=0, verbose=False)
    total = counts[:2].sum(axis=0) + 3 * counts[2:].sum(axis=0)
    np.testing.assert_allclose(model.fit(counts, constraints=known).means_, [total / total.sum()])


def test_documents_of_two_topics_are_told_apart_whatever_their_length():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 60)
    topics = np.array([[0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]])
    lengths = rng.integers(15, 200, 120)
    counts = np.array([rng.multinomial(length, topics[label]) for length, label in zip(lengths, truth, strict=True)])
    model = MeanFieldMixture(2, model="multinomial", random_state=0, verbose=False).fit(sparse.csr_array(counts))
    agree = (model.labels_ == truth).mean()
    assert max(agree, 1 - agree) > 0.97
    assert model.predict(counts[:3]).tolist() == model.labels_[:3].tolist()
    np.testing.assert_allclose(model.predict_proba(counts).sum(axis=1), 1)
    np.testing.assert_allclose(model.means_.sum(axis=1), 1)


def test_sparse_rows_stay_sparse():
    """100,000 columns, of which a dense copy would take 1.6 GB."""
    rows = sparse.random_array((2000, 100_000), density=2e-5, rng=np.random.default_rng(0), format="csr")
    rows.data = np.ceil(5 * rows.data)
    rows = sparse.csr_array(
        rows + sparse.csr_array((np.ones(2000), (np.arange(2000), np.repeat([0, 1], 1000))), rows.shape)
    )
    tracemalloc.start()
    model = MeanFieldMixture(2, model="multinomial", n_init=2, random_state=0, verbose=False).fit(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
    assert model.means_.shape == (2, 100_000)


@pytest.mark.parametrize(
    ("counts", "more", "message"),
    [
        ([[1, -1], [2, 0]], {}, "negative numbers, such as -1"),
        ([[1, 1], [2, 0]], {"precisions_init": np.ones((2, 2))}, "no precisions"),
        ([[1, 1], [2, 0]], {"means_init": [[0.5, 0.6], [0.5, 0.5]]}, "shares with the sum 1"),
        ([[1, 1], [2, 0]], {"means_init": [[1, 0], [0.5, 0.5]]}, "positive shares"),
        ([[1, 1], [2, 0]], {"smoothing": -1}, "smoothing"),
    ],
)
def test_bad_input(counts, more, message):
    with pytest.raises(ValueError, match=message):
        MeanFieldMixture(2, model="multinomial", verbose=False, **more).fit(counts)
    with pytest.raises(ValueError, match="model"):
        MeanFieldMixture(2, model="poisson").fit(counts)


def test_rows_of_zeros_and_one_row():
    model = MeanFieldMixture(1, model="multinomial", n_init=1, verbose=False)
    assert model.fit([[0, 0], [1, 2]]).labels_.tolist() == [0, 0]
    assert model.fit([[1, 2]]).labels_.tolist() == [0]
    with pytest.raises(ValueError, match="negative"):
        model.predict([[-1, 2]])


def test_what_no_cluster_makes_possible_without_smoothing():
    counts, apart = [[5, 0], [5, 0], [0, 5], [0, 5]], Constraints(4, cannot_link=[(0, 1)])
    model = MeanFieldMixture(2, model="multinomial", smoothing=0, eta=1, n_init=1, random_state=0, verbose=False)
    with pytest.raises(ValueError, match="no labels that keep the constraints are possible.*positive smoothing"):
        model.fit(counts, constraints=apart)
    smooth = clone(model).set_params(smoothing=0.01).fit(counts, constraints=apart)
    assert smooth.labels_[0] != smooth.labels_[1]
    model.fit([[5, 0, 0], [4, 0, 0], [0, 5, 0]])
    for ask in (model.predict, model.predict_proba, model.score_samples):
        with pytest.raises(ValueError, match="row 1 of X is impossible in all clusters"):
            ask([[1, 0, 0], [0, 0, 1]])
