"""Which pairs are asked about: by hand, in all kernels, and with answers."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

from pluribus.constraints import Answers, Constraints, ask, questions, random_pairs
from pluribus.similarity import AmbiguousPairs, PairwiseKernelClassifier, majority_vote

LINE = np.array([[0.0], [10], [4.4], [5.2], [8.5], [1]])
Y = [0, 1, -1, -1, -1, -1]


def fitted(X=LINE, y=Y, **parameters):
    return PairwiseKernelClassifier(**{"gamma": 0.05, "verbose": False, "random_state": 0} | parameters).fit(X, y)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("min", [(3, 1), (2, 0), (4, 1), (5, 0)]),
        ("max", [(3, 0), (2, 1), (4, 0), (5, 1)]),
    ],
)
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_ambiguous_rows_with_near_or_far_labels(strategy, expected, loss):
    model = fitted(loss=loss)
    selector = AmbiguousPairs(model, LINE, strategy=strategy)
    best = np.abs(model.decision_function(LINE))
    loss_of = np.logaddexp(0, -best) if loss == "logistic" else np.maximum(0, 1 - best)
    np.testing.assert_allclose(selector.ambiguity, loss_of)
    asked = [(q.one, q.other) for q in _all_unsure(selector, 4)]
    assert asked == expected


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_the_best_of_several_classes_decides(loss):
    model = fitted(y=[0, 1, 2, -1, -1, -1], loss=loss)
    best = model.decision_function(LINE).max(axis=1)
    loss_of = np.logaddexp(0, -best) if loss == "logistic" else np.maximum(0, 1 - best)
    np.testing.assert_allclose(AmbiguousPairs(model, LINE).ambiguity, loss_of)


def _all_unsure(selector, n_questions):
    for question in questions(selector, n_questions):
        question.answer("unsure")
        yield question


def test_ambiguous_rows_with_each_other():
    model = fitted()
    selector = AmbiguousPairs(model, LINE, strategy="com")
    first = next(questions(selector, 1))
    K, loss = rbf_kernel(LINE, gamma=0.05), selector.ambiguity
    scores = {(i, j): loss[i] + loss[j] - K[i, j] for i in range(2, 6) for j in range(i + 1, 6)}
    assert tuple(sorted(first[:2])) == max(scores, key=scores.get)
    asked = [set(question[:2]) for question in _all_unsure(selector, 6)]
    assert asked[0].isdisjoint(asked[1])  # all are asked about once before any is asked about twice
    assert len({frozenset(pair) for pair in asked}) == 6
    assert selector.next_pair(_answered(6, asked)) is None


def _answered(n, pairs):
    answers = Answers(n)
    for one, other in pairs:
        answers.tell(one, other, "unsure")
    return answers


def test_rows_that_found_their_class_are_not_asked_about_again():
    truth = [0, 1, 0, 1, 1, 0]
    known = ask(AmbiguousPairs(fitted(), LINE), oracle=truth)
    assert known.must_link.tolist() == [[0, 2], [0, 5], [1, 3], [1, 4]]
    assert len(known.cannot_link) == 0
    far = ask(AmbiguousPairs(fitted(), LINE, strategy="max"), oracle=truth)
    assert len(far.cannot_link) == 4  # first the wrong label of each
    assert len(far.must_link) == 4


def test_known_labels_spare_questions():
    """What follows from the labels and the answers before is not asked."""
    X = np.vstack([LINE, [[0.5]]])
    y = [0, 1, -1, -1, -1, -1, 0]
    answers = Answers(7, Constraints(7, labels=y))
    known = ask(AmbiguousPairs(fitted(X, y), X, strategy="max"), oracle=[0, 1, 0, 1, 1, 0, 0], answers=answers)
    assert len(answers) <= 8
    np.testing.assert_array_equal(known.closure().chunk_of[[2, 5]], known.closure().chunk_of[[0, 0]])


def test_tracks_are_asked_about_by_the_row_nearest_to_their_mean():
    X = np.array([[0.0], [10], [4.0], [5], [5.8], [8], [9]])
    tracks = [None, None, "a", "a", "a", "b", "b"]
    model = fitted(X, [0, 1] + [-1] * 5)
    selector = AmbiguousPairs(model, X, tracks=tracks)
    of_row = np.logaddexp(0, -np.abs(model.decision_function(X)))
    assert selector.ambiguity[2:5].tolist() == [of_row[2:5].max()] * 3
    assert selector.ambiguity[5:].tolist() == [of_row[5:].max()] * 2
    asked = [q[:2] for q in _all_unsure(selector, 2)]
    assert [one for one, _ in asked] == [3, 5]


@pytest.mark.parametrize("strategy", ["min", "max", "com"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
def test_kernels_and_forms_of_the_rows(kernel, strategy):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) + np.repeat([0, 2], 10)[:, None]
    y = np.where(np.arange(20) % 7 == 0, np.repeat([0, 1], 10), -1)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=0.05)
    forms = [K] if kernel == "precomputed" else [X, sparse.csr_array(X)]
    for rows in forms:
        selector = AmbiguousPairs(fitted(rows, y, kernel=kernel), rows, strategy=strategy)
        loss, labeled = selector.ambiguity, np.flatnonzero(y >= 0)
        (one, other, _), *_ = _all_unsure(selector, 1)
        if strategy == "com":
            score = loss[:, None] + loss - K
            score[labeled], score[:, labeled] = -np.inf, -np.inf
            np.fill_diagonal(score, -np.inf)
            assert score[one, other] == pytest.approx(score.max())
        else:
            assert loss[one] == loss[y < 0].max()
            distance = np.diag(K)[labeled] - 2 * K[one, labeled]
            assert other == labeled[distance.argmin() if strategy == "min" else distance.argmax()]


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
def test_one_row_stands_for_a_track_in_all_kernels(kernel):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(21, 3))
    tracks = rng.integers(0, 5, 21)
    K = X @ X.T  # as a precomputed kernel, it has the same means
    rows = K if kernel == "precomputed" else X
    y = np.where(tracks == 0, 0, np.where(tracks == 1, 1, -1))
    selectors = [AmbiguousPairs(fitted(rows, y, kernel=kernel), rows, tracks=tracks)]
    if kernel != "precomputed":
        selectors.append(AmbiguousPairs(fitted(rows, y, kernel=kernel), sparse.csr_array(rows), tracks=tracks))
    for selector in selectors:
        for one, other, _ in _all_unsure(selector, 3):
            for row in (one, other):
                own = np.flatnonzero(tracks == tracks[row])
                assert row == own[np.square(X[own] - X[own].mean(axis=0)).sum(axis=1).argmin()]


def test_answers_help():
    X, truth = load_digits(n_class=5, return_X_y=True)
    X, truth = X[:300] / 16, truth[:300]
    y = np.full(300, -1)
    for digit in range(5):
        y[np.flatnonzero(truth == digit)[:1]] = digit
    model = PairwiseKernelClassifier(gamma=0.08, verbose=False).fit(X, y)
    known = ask(AmbiguousPairs(model, X), truth, n_questions=30)
    drawn = random_pairs(truth, 30, random_state=0)
    without = model.score(X, truth)
    by_chance = model.fit(X, y, constraints=drawn).score(X, truth)
    asked = model.fit(X, y, constraints=known).score(X, truth)
    assert asked > max(without, by_chance)
    assert majority_vote(model.predict(X), np.arange(300)).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: AmbiguousPairs(PairwiseKernelClassifier(), LINE), NotFittedError, "not fitted"),
        (lambda: AmbiguousPairs(LogisticRegression(), LINE), ValueError, "must be a PairwiseKernelClassifier"),
        (lambda: AmbiguousPairs(None, LINE), ValueError, "must be a PairwiseKernelClassifier"),
        (lambda: AmbiguousPairs(fitted(), LINE[:3]), ValueError, "give the same rows"),
        (lambda: AmbiguousPairs(fitted(), LINE, strategy="near"), ValueError, "choose 'min', 'max' or 'com'"),
        (lambda: AmbiguousPairs(fitted(), LINE, tracks=[0]), ValueError, "tracks needs one entry"),
        (lambda: AmbiguousPairs(fitted(), LINE).next_pair(Answers(3)), ValueError, "about 3 objects"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_without_unlabeled_rows_there_is_nothing_to_ask():
    for strategy in ("min", "max", "com"):
        selector = AmbiguousPairs(fitted(y=[0, 1, 0, 1, 1, 0]), LINE, strategy=strategy)
        assert selector.next_pair(Answers(6)) is None
