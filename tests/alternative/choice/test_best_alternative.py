import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from alternative.shared import CROSS, CROSS_KNOWN
from benchmarks._alternative_families import drawn
from pluribus.alternative import BestAlternative, alternatives, by_name
from pluribus.alternative._shared.known import read_known
from pluribus.alternative.choice import best_alternative
from pluribus.alternative.choice._separation import Separation
from pluribus.compare import adjusted_rand_index, normalized_mutual_information_index

NUMBERS = [
    "condens", "condens, not centered", "residual-kmeans", "orthogonal-kmeans", "condens-gaussian",
    "condens-gaussian, not centered", "residual mixture", "ccib",
]  # fmt: skip
TIED = drawn("tied partitions", 0)


@pytest.fixture(scope="module")
def tied():
    k = len(np.unique(TIED.wanted))
    return BestAlternative(k, random_state=3, verbose=False).fit(TIED.X, known=TIED.known)


def test_the_candidate_with_the_highest_score_is_the_result(tied):
    assert list(tied.candidates_) == list(tied.scores_) == NUMBERS
    assert tied.failed_ == {}
    beyond = Separation(TIED.X, read_known(TIED.known, len(TIED.known)))
    assert tied.scores_ == {title: beyond.score(labels) for title, labels in tied.candidates_.items()}
    assert tied.scores_[tied.best_method_] == max(tied.scores_.values())
    assert tied.labels_.tolist() == tied.candidates_[tied.best_method_].tolist()
    assert tied.labels_.tolist() == tied.best_estimator_.labels_.tolist()
    assert tied.nmi_with_known_ == pytest.approx(normalized_mutual_information_index(tied.labels_, TIED.known))


def test_dependent_partitions_are_not_centered(tied):
    assert tied.best_method_ == "condens, not centered"
    assert adjusted_rand_index(tied.labels_, TIED.wanted) > 0.85
    assert adjusted_rand_index(tied.candidates_["condens"], TIED.wanted) < 0.7


def test_each_candidate_is_its_method_with_the_seed(tied):
    seed = tied.best_estimator_.random_state
    alone = by_name("condens-gaussian")(n_clusters=tied.n_clusters, center=False, random_state=seed, verbose=False).fit(
        TIED.X, known=TIED.known
    )
    assert tied.candidates_["condens-gaussian, not centered"].tolist() == alone.labels_.tolist()
    again = BestAlternative(tied.n_clusters, random_state=3, n_jobs=2, verbose=False).fit(TIED.X, known=TIED.known)
    assert again.scores_ == tied.scores_
    assert again.best_estimator_.n_jobs == 2


def test_the_choice_in_words(tied):
    others = sorted(score for title, score in tied.scores_.items() if title != tied.best_method_)
    assert tied.reasons_ == (
        "The partition by condens, not centered is taken: it separates best beyond what is known, "
        f"{max(tied.scores_.values()):.2f} ({others[0]:.2f} to {others[-1]:.2f} for the 7 others).",
    )


def test_of_equal_candidates_the_first_counts():
    rng = np.random.default_rng(0)
    X = np.repeat(CROSS * [1, 8], 10, axis=0) + rng.normal(scale=0.1, size=(40, 2))
    model = BestAlternative(2, random_state=0, verbose=False).fit(X, known=np.repeat(CROSS_KNOWN, 10))
    assert model.best_method_ == "condens"
    assert len({round(score, 9) for score in model.scores_.values()}) == 1
    assert adjusted_rand_index(model.labels_, np.repeat([0, 1, 0, 1], 10)) == 1


@pytest.mark.parametrize(
    ("X", "without", "more"),
    [
        (np.ones((9, 50)) * 0.5, [], []),
        (np.ones((9, 51)) * 0.5, ["residual mixture"], []),
        (np.ones((2001, 2)) * 0.5, ["ccib"], []),
        (np.ones((2000, 2)) * 0.5, [], []),
        (np.eye(9), [], ["condens-em"]),
        (sparse.csr_array(np.eye(9)), [title for title in NUMBERS if "gauss" in title or "mix" in title],
         ["condens-em"]),
        (sparse.csr_array(-np.eye(9)), [title for title in NUMBERS if "gauss" in title or "mix" in title], []),
        (np.ones((100_001, 2)) * 0.5, ["ccib", *(title for title in NUMBERS if "gauss" in title or "mix" in title)],
         []),
        (np.ones((100_000, 2)) * 0.5, ["ccib"], []),
    ],
    ids=["narrow", "wide", "long", "not long", "yes and no", "counts", "sparse numbers", "very long", "not very long"],
)  # fmt: skip
def test_the_candidates_suit_the_rows(X, without, more):
    assert set(best_alternative._candidates(X)) == {*NUMBERS, *more} - set(without)


def test_texts_are_clustered_as_counts():
    X, known, wanted = drawn("texts", 1)
    model = BestAlternative(len(np.unique(wanted)), random_state=0, verbose=False).fit(X, known=known)
    assert model.best_method_ == "ccib"
    assert (
        adjusted_rand_index(model.labels_, wanted)
        > 0.5
        > 0.1
        > adjusted_rand_index(model.candidates_["condens"], wanted)
    )
    assert "condens-em" in model.candidates_


def test_candidates_that_cannot_run_say_why():
    X = np.array([[0.0], [1], [10], [11], [0.1], [1.1], [10.1], [11.2]])
    model = BestAlternative(2, random_state=0, verbose=False).fit(X, known=[0, 0, 1, 1, 0, 0, 1, 1])
    assert list(model.failed_) == ["orthogonal-kmeans"]
    assert "explains all differences" in model.failed_["orthogonal-kmeans"]
    assert "orthogonal-kmeans" not in model.scores_
    assert model.labels_.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]


def test_if_none_can_run_the_first_says_why():
    with pytest.raises(ValueError, match="No method could run: "):
        BestAlternative(2, verbose=False).fit([[0.0], [0.0], [1.0], [1.0]], known=[0, 0, 1, 1])


def test_warnings_of_the_chosen_one_are_passed_on_once(monkeypatch):
    X, known = np.repeat(CROSS, 5, axis=0), np.repeat(CROSS_KNOWN, 5)
    monkeypatch.setattr(best_alternative, "_candidates", lambda X: {"residual-kmeans": ("residual-kmeans", {})})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = BestAlternative(3, random_state=0, verbose=False).fit(X, known=known)
    few = [one for one in said if "of 3 clusters have rows" in str(one.message)]
    assert [one.category for one in few] == [ConvergenceWarning]
    assert len(said) > len(few)  # k-means warned, too
    assert model.n_clusters_ == 2
    assert model.reasons_[0].endswith(f"{model.scores_['residual-kmeans']:.2f}.")


@pytest.mark.parametrize(("k", "message"), [(1, "n_clusters"), (True, "n_clusters"), (9, "more than")])
def test_wrong_numbers_of_clusters_are_refused(k, message):
    with pytest.raises(ValueError, match=message):
        BestAlternative(k, verbose=False).fit(CROSS, known=CROSS_KNOWN)


def test_the_front_has_the_methods_and_not_the_choice():
    found = alternatives(CROSS, CROSS_KNOWN, 2, n_starts=1, random_state=0, verbose=False)
    assert "best-alternative" not in {*found.failed, *(one.method for one in found.found)}
    named = alternatives(CROSS, CROSS_KNOWN, 2, methods=["best-alternative"], n_starts=1, random_state=0, verbose=False)
    assert "best-alternative" in {one.method for one in named.found}
