import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.estimator_checks import check_estimator

from pluribus import Constraints
from pluribus.constrained import FeedbackClusterer
from pluribus.constrained.feedback._term_mixture import Corpus, Separation, TermMixture, divergences, maximize, warp


def corpus(seed, n_terms=800, n_special=40, per_group=50):
    """Documents on two topics in two kinds, on a background of common terms."""
    rng = np.random.default_rng(seed)
    background = 1 / (1 + rng.permutation(n_terms))
    background /= background.sum()
    special = np.zeros((4, n_terms))
    for row, terms in zip(special, rng.permutation(n_terms)[: 4 * n_special].reshape(4, -1), strict=True):
        row[terms] = rng.dirichlet(np.ones(n_special))
    topic, kind = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], per_group, axis=1)
    p = 0.76 * background + 0.12 * special[topic] + 0.12 * special[2 + kind]
    lengths = 10 + rng.poisson(80, len(topic))
    X = [rng.multinomial(m, row / row.sum()) for m, row in zip(lengths, p, strict=True)]
    return sparse.csr_array(np.array(X)), topic, kind


def purity(y, labels):
    return sum(np.bincount(y[labels == c]).max() for c in np.unique(labels)) / len(y)


def model(k=2, **parameters):
    return FeedbackClusterer(k, random_state=0, verbose=False, **parameters)


def documents(n=30, n_terms=12, seed=0):
    return sparse.csr_array(np.random.default_rng(seed).poisson(0.8, (n, n_terms)))


def divergence(one, other, equal=False):
    one, other = (sparse.csr_array(np.atleast_2d(np.asarray(x, dtype=float))) for x in (one, other))
    return divergences(one, other, Separation(1.0, equal)).toarray()[0]


def test_posteriors_by_hand():
    mixture = TermMixture(np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([0.5, 0.5]), np.empty(0))
    for weights, expected in (([1, 1], 0.2), ([2, 1], 0.5), ([1, 0], 0.8)):
        scores = mixture.scores(np.array([[1, 2]]), np.array(weights))
        posterior = np.exp(scores) / np.exp(scores).sum()
        assert posterior[0, 0] == pytest.approx(expected)


def test_divergences_by_hand():
    assert divergence([3, 1], [1, 3]) == pytest.approx([0.226532, 0.226532], abs=1e-6)
    assert divergence([6, 0], [0, 2]) == pytest.approx([0.504703, 0.863046], abs=1e-6)
    assert divergence([3, 1], [1, 3], equal=True) == pytest.approx([0.226532, 0.226532], abs=1e-6)
    assert divergence([6, 0], [0, 2], equal=True) == pytest.approx([1.914157, -0.131077], abs=1e-6)
    assert divergence([3, 1, 0], [3, 1, 0]) == pytest.approx([0, 0, 0])
    assert divergence([0, 0], [0, 0]).tolist() == [0, 0]
    assert divergence([0, 0], [2, 1]) == pytest.approx([0, 0])


def test_divergences_are_positive_symmetric_and_sparse():
    X = documents(40).astype(float)
    there, back = divergences(X[:20], X[20:], Separation(1.0)), divergences(X[20:], X[:20], Separation(1.0))
    assert (there.data >= 0).all()
    assert there.toarray() == pytest.approx(back.toarray())
    assert there.nnz <= (X[:20] + X[20:]).nnz


def test_is_naive_bayes_of_weighted_counts():
    X, y = documents(), np.arange(30) % 3
    weights = np.random.default_rng(1).uniform(0.2, 3, 12)
    bayes = MultinomialNB(alpha=1.0).fit(X * weights, y)
    mixture = maximize(X, np.eye(3)[y], weights, 1.0)
    assert np.log(mixture.theta) == pytest.approx(bayes.feature_log_prob_)
    scores = mixture._replace(prior=np.full(3, 1 / 3)).scores(X, weights)
    posterior = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert posterior == pytest.approx(bayes.predict_proba(X * weights))


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_never_falls(seed):
    weights = np.random.default_rng(seed).uniform(0.1, 4, 12)
    corpus = Corpus(documents(seed=seed), np.ones(30), 1.0, 50, 0.0, np.arange(1), np.zeros((1, 3)))
    path = corpus.fit(3, weights, seed).path
    assert (np.diff(path) >= -1e-8).all()


def test_weights_stay_positive_with_mean_one():
    weights = warp(np.ones(5), np.array([1.0, -2, 0, 0.5, 0]), 10, 0.1)
    assert weights.mean() == pytest.approx(1)
    assert weights[0] > weights[3] > weights[2] == weights[4] > weights[1] > 0


def test_additive_steps_by_hand():
    weights = warp(np.array([1.0, 0.15, 1.0]), np.array([1.0, -2, 0]), 3, 0.1, additive=True)
    assert weights == pytest.approx([1.15, 0.001, 1.0])


def test_a_raw_m_step_counts_terms_without_weights():
    X, y = documents(), np.arange(30) % 3
    weights = np.random.default_rng(1).uniform(0.2, 3, 12)
    whole = Corpus(X, np.ones(30), 1.0, 50, 0.0, np.arange(1), np.zeros((1, 3)), raw=True)
    raw = whole.maximize(np.eye(3)[y], weights)
    assert np.log(raw.theta) == pytest.approx(MultinomialNB(alpha=1.0).fit(X, y).feature_log_prob_)
    weighted = whole._replace(raw=False).maximize(np.eye(3)[y], weights)
    assert np.abs(weighted.theta - raw.theta).max() > 0.01


@pytest.mark.parametrize("source", [dict(update="additive"), dict(mean="equal"), dict(m_step="raw")])
def test_the_forms_of_the_source_change_the_weights_their_own_way(source):
    X = np.array([[5, 0, 9, 0, 1], [5, 0, 0, 9, 0], [0, 9, 18, 0, 2], [0, 5, 0, 9, 0]])
    known = Constraints(4, cannot_link=[(0, 2)], cannot_weight=1)
    ours, theirs = (model(**how).fit(X, constraints=known) for how in ({}, source))
    assert (ours.labels_[0], theirs.labels_[0]) == (ours.labels_[1], theirs.labels_[1])
    assert np.abs(ours.term_probabilities_ - theirs.term_probabilities_).max() > 1e-3
    assert theirs.good(0).term_weights_.min() > 0


@pytest.mark.parametrize("target", ["topic", "kind"])
def test_a_few_counterexamples_choose_the_grouping(target):
    X, topic, kind = corpus(0)
    y = topic if target == "topic" else kind
    rng = np.random.default_rng(0)
    pairs = np.empty((0, 2), dtype=int)
    for _ in range(5):  # somebody looks, and says of two documents in one cluster that they belong apart
        told = Constraints(len(y), cannot_link=pairs, cannot_weight=np.ones(len(pairs)))
        found = model(n_init=3).fit(X, constraints=told)
        drawn = rng.integers(len(y), size=(500, 2))
        wrong = (found.labels_[drawn[:, 0]] == found.labels_[drawn[:, 1]]) & (y[drawn[:, 0]] != y[drawn[:, 1]])
        pairs = np.concatenate([pairs, drawn[wrong][:1]])
    assert purity(y, found.labels_) >= 0.95
    assert found.term_weights_.mean() == pytest.approx(1)
    assert (found.predict(X) == found.labels_).mean() > 0.98


def test_all_satisfied_changes_no_weight():
    X, _, _ = corpus(1, per_group=10)
    free = model().fit(X)
    first = np.flatnonzero(free.labels_ == 0)
    told = Constraints(40, must_link=[(first[0], first[1])], must_weight=1)
    bound = model().fit(X, constraints=told)
    assert (bound.term_weights_ == 1).all()
    assert (bound.n_rounds_, bound.violations_.count) == (0, 0)
    assert (bound.labels_ == free.labels_).all()


def test_hard_constraints_hold():
    X, topic, kind = corpus(2, per_group=10)
    rng = np.random.default_rng(0)
    pairs = rng.permutation(40)[:24].reshape(12, 2)
    same = topic[pairs[:, 0]] == kind[pairs[:, 1]]  # nonsense, on purpose, but it can be satisfied
    told = Constraints(40, must_link=pairs[same], cannot_link=pairs[~same])
    assert model(3).fit(X, constraints=told).violations_.count == 0
    by_labels = Constraints.from_labels(np.where(np.arange(40) % 4 == 0, topic, -1))
    assert model(2).fit(X, constraints=by_labels).violations_.count == 0


def test_twins_that_belong_apart():
    X = sparse.csr_array(np.array([[3, 0, 1], [3, 0, 1], [0, 4, 1], [0, 5, 0]]))
    told = Constraints(4, cannot_link=[(0, 1)], cannot_weight=1)
    with pytest.warns(UserWarning, match="do not differ in any term"):
        found = model().fit(X, constraints=told)
    assert (found.term_weights_ == 1).all()


def test_empty_documents_and_absent_terms():
    X = documents().tolil()
    X[3], X[:, 5] = 0, 0
    told = Constraints(30, cannot_link=[(3, 4), (0, 1)], cannot_weight=1)
    found = model().fit(X.tocsr(), constraints=told)
    assert np.isfinite(found.membership_).all()
    assert np.isfinite(found.term_weights_).all()
    assert found.membership_[3] == pytest.approx(found.cluster_weights_)
    assert model(1).fit(X.tocsr()).labels_.tolist() == [0] * 30


def test_dense_and_sparse_agree():
    X = documents()
    told = Constraints(30, cannot_link=[(0, 1), (2, 3)], cannot_weight=1)
    assert (
        model().fit(X, constraints=told).labels_ == model().fit(X.toarray().astype(float), constraints=told).labels_
    ).all()


def test_weights_of_documents_are_repetitions():
    X = documents(10)
    twice = sparse.vstack([X, X[:3]]).tocsr()
    weights = np.r_[[2.0] * 3, [1.0] * 7]
    resp = np.random.default_rng(0).dirichlet(np.ones(2), 10)
    one = maximize(X, resp * weights[:, None], np.ones(12), 1.0)
    other = maximize(twice, np.vstack([resp, resp[:3]]), np.ones(12), 1.0)
    assert one.theta == pytest.approx(other.theta)
    assert one.prior == pytest.approx(other.prior)


def test_bad_input():
    with pytest.raises(ValueError, match="Negative"):
        model().fit([[1, -1], [2, 0], [0, 1]])
    with pytest.raises(ValueError, match="n_clusters=4"):
        model(4).fit([[1, 1], [2, 0], [0, 1]])
    with pytest.raises(ValueError, match="smoothing"):
        model(smoothing=0).fit([[1, 1], [2, 0], [0, 1]])


def test_is_an_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = "the starts are drawn from the rows, and clusters numbered by how many they have"
        check_estimator(
            FeedbackClusterer(2, n_init=1, verbose=False),
            expected_failed_checks={
                "check_clustering": "its data are negative, for methods that take only counts too",
                "check_sample_weight_equivalence_on_dense_data": drawn,
                "check_sample_weight_equivalence_on_sparse_data": drawn,
            },
            on_fail="raise",
        )
