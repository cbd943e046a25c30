"""The ladder: which number is preferred, which levels are on it, and what is kept of it."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from pluribus import EnsembleClusterer
from pluribus.compare import adjusted_rand_index
from pluribus.pipeline.candidates.k_ladder import KLadder, Rung, climb


class Best:
    def __init__(self, value):
        self.value, self.agreement, self.labels = value, value / 2, np.zeros(40, int)
        self.choice = type("Choice", (), {"names": ("a", "b", "c")})


class Levels:
    """Values by number of clusters, and nothing else."""

    def __init__(self, values, most=50):
        self.values, self.most = values, most
        self.ground = type("Ground", (), {"X": np.zeros((40, 2))})

    def best(self, k):
        return Best(self.values[k]) if k in self.values and k <= self.most else None

    def labels(self, k):
        return np.arange(40) % k


class Steps:
    def __init__(self, lifetimes, stability=None):
        self.lifetimes = np.array(lifetimes, float)
        self.stability = np.ones(len(lifetimes)) if stability is None else np.array(stability)

    @property
    def scores(self):
        return self.lifetimes * np.sqrt(np.arange(2, len(self.lifetimes) + 2)) * self.stability**4


class Structure:
    def __init__(self, *levels):
        pair = type("Level", (), {})
        self.levels = []
        for k, weakest in levels:
            level = pair()
            level.n_clusters, level.separation = k, np.array([weakest, 9, np.nan])
            self.levels.append(level)


def climbed(values, structure=None, steps=None, **how):
    return climb(Levels(values, **how), structure, steps, None)


def test_the_highest_score_is_preferred():
    ladder = climbed({2: 0.5, 3: 0.7, 4: 0.6})
    assert ladder.preferred == 3
    assert ladder.numbers.tolist() == [2, 3, 4]
    assert ladder.scores.tolist() == [0.5, 0.7, 0.6]
    assert ladder.agreement.tolist() == [0.25, 0.35, 0.3]
    assert ladder.sentence.startswith("3 clusters: 3 candidate partitions and the evidence speak most for this number")


def test_of_equal_scores_the_finest():
    assert climbed({2: 0.7, 3: 0.5, 4: 0.685}).preferred == 4
    assert climbed({2: 0.7, 3: 0.5, 4: 0.675}).preferred == 2


def test_lifetimes_count_but_not_without_end():
    values = {2: 0.5, 3: 0.6, 4: 0.2}
    steps = Steps([2.0, 0.0, 0.0])
    ladder = climbed(values, steps=steps)
    assert ladder.preferred == 2
    assert ladder.scores[0] == pytest.approx(0.5 + 0.05 * 2 * np.sqrt(2))
    assert climbed({2: 0.1, 3: 0.6, 4: 0.2}, steps=Steps([100.0, 0.0, 0.0])).scores[0] == pytest.approx(0.4)
    assert climbed({2: 0.5, 9: 0.4}, steps=Steps([-5.0])).scores[0] == 0.5


def test_valleys_ask_for_at_least_as_many_and_for_no_more_without_need():
    values = {2: 0.8, 3: 0.3, 4: 0.5, 5: 0.59, 6: 0.4}
    ladder = climbed(values, Structure((3, 2.0), (4, 1.0), (5, 0.9)))
    assert ladder.preferred == 4
    assert "separate 4 groups, each significantly, more than the 2 that candidates speak for." in ladder.sentence
    assert ladder.runner_up == 2
    finer = climbed(values | {6: 0.61}, Structure((4, 1.0)))
    assert finer.preferred == 5  # 4 is clearly below 6
    assert "speak for, and 5 clusters score clearly higher." in finer.sentence
    halves = Steps([0.0] * 5, [0.9, 0.9, 0.9, 0.9, 0.1])
    assert climbed(values | {5: 0.45, 6: 0.65}, Structure((4, 1.0)), halves).preferred == 4  # halves differ on 6
    assert climbed(values, Structure((4, 0.99))).preferred == 2
    assert climbed(values, Structure((7, 2.0))).preferred == 2  # there are no candidates for 7
    assert climbed({2: 0.5, 5: 0.7}, Structure((2, 2.0))).preferred == 5  # a finer one with a higher score stays


def test_a_number_on_which_halves_of_the_ensemble_differ_does_not_count():
    values = {2: 0.8, 3: 0.5, 4: 0.6, 5: 0.4}
    none = [0.0] * 4
    ladder = climbed(values, steps=Steps(none, [0.59, 0.9, 0.6, 0.9]))
    assert ladder.preferred == 4
    assert [rung.n_clusters for rung in ladder.rungs] == [4]
    assert "; 2 clusters score higher, but halves of the ensemble do not agree on them." in ladder.sentence
    close = climbed({2: 0.61, 3: 0.6}, steps=Steps([0.0, 0.0], [0.1, 0.9]))
    assert close.preferred == 3
    assert "score higher" in close.sentence
    assert ladder.scores.tolist() == list(values.values())  # they are kept as they are
    assert climbed(values, steps=Steps(none, [0.6, 0.9, 0.9, 0.9])).preferred == 2
    assert climbed(values, steps=Steps(none, [0.1, 0.2, 0.1, 0.2])).preferred == 2  # halves differ everywhere
    assert climbed(values, steps=Steps(none, [np.nan] * 4)).preferred == 2
    assert climbed({2: 0.5, 3: 0.6, 9: 0.7}, steps=Steps([0.0], [0.9])).preferred == 9  # not known beyond 2
    valleys = Structure((5, 2.0))
    near = values | {5: 0.6}
    assert climbed(near, valleys, Steps(none, [0.9, 0.9, 0.9, 0.1])).preferred == 5  # valleys speak for themselves
    few = {k: 0.5 - k / 100 for k in range(2, 51)} | {12: 0.9}
    assert climbed(few, steps=Steps([0.0] * 11, [0.9] * 10 + [0.5])).numbers[-1] == 20
    assert 13 not in climbed(few, steps=Steps([0.0] * 11, [0.9] * 10 + [0.5])).numbers


def test_valleys_do_not_decide_for_numbers_that_score_far_lower():
    valleys = Structure((4, 2.0))
    assert climbed({2: 0.8, 3: 0.7, 4: 0.4, 5: 0.49}, valleys).preferred == 2
    assert climbed({2: 0.8, 3: 0.7, 4: 0.4, 5: 0.51}, valleys).preferred == 5  # one is not far lower
    halves = Steps([0.0] * 3, [0.1, 0.9, 0.9])
    assert climbed({2: 0.8, 3: 0.5, 4: 0.4}, valleys, halves).preferred == 4  # halves differ on the best


def test_a_long_lifetime_outweighs_valleys():
    values = {2: 0.5, 4: 0.5}
    valleys = Structure((4, 2.0))
    assert climbed(values, valleys, Steps([3.6])).preferred == 2
    assert climbed(values, valleys, Steps([3.5])).preferred == 4
    assert climbed(values, valleys, Steps([3.6], [0.97])).preferred == 4


def test_more_numbers_are_tried_where_there_may_be_as_many():
    few = {k: 0.5 - k / 100 for k in range(2, 51)}
    assert climbed(few).numbers.tolist() == [*range(2, 13), 14, 16, 18, 20]
    several = few | {12: 0.9}
    assert climbed(several).numbers.tolist() == list(range(2, 21))
    many = few | {18: 0.9}
    assert climbed(many).numbers[-1] == 50
    assert climbed(many, most=30).numbers[-1] == 28
    assert 23 in climbed(few, Structure((23, 2.0))).numbers
    hinted = climbed(few | {15: 0.6}, Structure((2, 2.0), (12, 0.8)))  # 12 groups, not all of them significant
    assert (hinted.preferred, hinted.numbers.tolist()) == (15, list(range(2, 21)))
    assert 15 not in climbed(few | {15: 0.6}, Structure((2, 2.0), (11, 0.8))).numbers


def test_peaks_are_on_the_ladder():
    ladder = climbed({2: 0.6, 3: 0.5, 4: 0.7, 5: 0.55, 6: 0.56, 7: 0.1, 8: 0.3})
    assert [rung.n_clusters for rung in ladder.rungs] == [2, 4, 6]  # 8 is far below
    assert ladder.frame["preferred"].tolist() == [False, True, False]
    assert climbed({2: 0.6, 3: 0.5}).runner_up is None
    assert climbed({}) is None


def test_plain_values_and_back():
    ladder = climbed({2: 0.6, 3: 0.5, 4: 0.7})
    labels = np.stack([rung.labels for rung in ladder.rungs], axis=1)
    again = KLadder.from_json(json.loads(json.dumps(ladder.to_json())), labels)
    assert (again.preferred, again.sentence) == (ladder.preferred, ladder.sentence)
    assert [rung[:3] for rung in again.rungs] == [rung[:3] for rung in ladder.rungs]
    assert (again.rungs[1].labels == ladder.rungs[1].labels).all()
    stored = ladder.to_json()
    for wrong in ({"scores": [0.1]}, {"scores": [0.1, float("nan"), 0.2]}, {"rungs": stored["rungs"][:1]}):
        with pytest.raises(ValueError, match=r"ladder|finite"):
            KLadder.from_json(stored | wrong, labels)
    with pytest.raises(ValueError, match="labels of a level"):
        KLadder.from_json(stored, labels + 2)


def test_infinite_separation_can_be_kept():
    rung = Rung(2, 0.5, 0.5, np.inf, np.zeros(3, int))
    ladder = KLadder(np.array([2]), np.array([0.5]), np.array([0.5]), (rung,), 2, "")
    assert json.loads(json.dumps(ladder.to_json()))["rungs"][0][3] == 1e6


def test_three_wines():
    wine = load_wine()
    model = EnsembleClusterer(random_state=0, verbose=False).fit(StandardScaler().fit_transform(wine.data))
    assert model.n_clusters_ == 3 == model.k_ladder_.preferred
    assert adjusted_rand_index(wine.target, model.labels_) > 0.8
    assert (model.reproducibility_ > 0.7).all()
    preferred = next(rung for rung in model.k_ladder_.rungs if rung.n_clusters == 3)
    assert (preferred.labels == model.labels_).all()


def test_one_group_and_what_would_divide_it():
    X = np.random.default_rng(0).normal(size=(700, 5))
    model = EnsembleClusterer(random_state=0, verbose=False).fit(X)
    assert (model.verdict_, model.n_clusters_) == ("none", 1)
    assert model.labels_.tolist() == [0] * 700
    assert model.membership_.shape == (700, 1)
    assert (model.uncertainty_ == 0).all()
    assert model.cut(2).max() == 1
    divided = EnsembleClusterer(n_clusters=3, random_state=0, verbose=False).fit(X)
    assert divided.n_clusters_ == 3
    bounded = EnsembleClusterer(min_size=20, random_state=0, verbose=False).fit(X)
    assert bounded.n_clusters_ > 1


def test_cuts():
    X, y = make_blobs(300, centers=[[0, 0], [3, 3], [12, 0], [15, 3]], cluster_std=0.4, random_state=0)
    model = EnsembleClusterer(random_state=0, verbose=False).fit(X)
    assert adjusted_rand_index(model.cut(4), y) == 1
    assert adjusted_rand_index(model.cut(2), y // 2) == 1
    assert model.cut(1).max() == 0
    with pytest.raises(ValueError, match="there are candidates for 2 to"):
        model.cut(200)
    with pytest.raises(ValueError, match="n_clusters=0"):
        model.cut(0)
    with pytest.raises(ValueError, match="no other levels"):
        EnsembleClusterer(4, random_state=0, verbose=False).set_params(generator=None, n_clusters=4).fit(X).cut(2)


def test_texts_have_candidates_too():
    rng = np.random.default_rng(0)
    topics = np.repeat(np.arange(5), 60)
    words = rng.poisson(0.05, size=(300, 200)) + rng.poisson(0.8, size=(300, 200)) * (
        np.arange(200) // 40 == topics[:, None]
    )
    model = EnsembleClusterer(random_state=0, verbose=False).fit(sparse.csr_array(words.astype(float)))
    assert model.verdict_ == "clusters"
    assert model.n_clusters_ == 5
    assert adjusted_rand_index(model.labels_, topics) > 0.9


def test_words_without_topics_are_one_group():
    words = np.random.default_rng(0).poisson(0.3, size=(300, 200))
    model = EnsembleClusterer(random_state=0, verbose=False).fit(sparse.csr_array(words.astype(float)))
    assert (model.verdict_, model.n_clusters_) == ("none", 1)
    alone = EnsembleClusterer(candidates=None, random_state=0, verbose=False).fit(sparse.csr_array(words.astype(float)))
    assert alone.verdict_ is None  # there are no components to look at
