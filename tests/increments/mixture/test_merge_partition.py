"""Merging against an oracle that follows the definitions, and the exact values of the sources."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.stats import chi2
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

from pluribus.compare import adjusted_rand_index
from pluribus.increments import (
    DegenerateIncrementsError,
    IncrementsDistribution,
    dissimilarity_increments,
    merge_partition,
)
from pluribus.increments._shared.description import Unit
from pluribus.increments._shared.dissimilarities import FeatureDissimilarities, GivenDissimilarities
from pluribus.increments.mixture import _closest_pairs
from pluribus.increments.mixture._closest_pairs import ClosestPairs
from pluribus.increments.mixture._criteria import LikelihoodRatio
from pluribus.increments.mixture._parts import Link, NearestIncrements, Part, TreeIncrements
from pluribus.validate import description_length_cost

LINE = np.array([0.0, 1, 3, 7, 100, 101, 103, 107])[:, None]
HALVES = [0] * 4 + [1] * 4


class Given:
    """Increments that are given, in place of those of objects."""

    def part(self, increments, start):
        law = IncrementsDistribution.fit(increments)
        likelihood = law.logpdf(increments).sum()
        members = np.arange(start, start + len(increments))
        return Part(members, np.zeros(len(members)), 0.0, np.asarray(increments), law.scale, likelihood)

    def of_union(self, one, other, link):
        return np.concatenate([one.increments, other.increments])

    def log_likelihood(self, increments):
        return self.part(increments, 0).log_likelihood


@pytest.mark.parametrize(
    ("second", "T", "p", "separate", "merged"),
    [
        ([10.0, 12, 8, 10], 8.7958513956, 0.0030191631, 19.3400703, 22.6982752),
        ([2.0, 1, 2, 1], 0, 1, 11.8604235, 10.8207027),
    ],
)
def test_statistics_by_hand(second, T, p, separate, merged):
    increments = Given()
    one, other, link = increments.part([1.0, 2, 1, 2], 0), increments.part(second, 4), Link(1.0, 0, 4)
    assert one.log_likelihood == pytest.approx(-4.8904909732, abs=1e-9)
    for pair in ((one, other), (other, one)):
        by_length = LikelihoodRatio(increments, None, None).test(*pair, link)
        assert by_length.statistic == pytest.approx(T, abs=1e-8)
        assert by_length.threshold == pytest.approx(np.log(8))
        assert by_length.passed == (merged < separate)
        for alpha in (p / 2, 2 * p):
            if alpha < 1:
                by_test = LikelihoodRatio(increments, None, alpha).test(*pair, link)
                assert by_test.statistic == pytest.approx(T, abs=1e-8)
                assert by_test.passed == (p >= alpha)  # the corrected direction
                assert chi2.sf(by_test.statistic, 1) == pytest.approx(p, abs=1e-8)
    union = increments.of_union(one, other, link)
    found = -one.log_likelihood - other.log_likelihood + np.log(8), -increments.log_likelihood(union) + np.log(8) / 2
    assert found == pytest.approx((separate, merged), abs=1e-6)


@pytest.mark.parametrize("scale", [1, 1000, 1e-4])
@pytest.mark.parametrize("by", ["X", "distances"])
def test_two_groups_far_apart(by, scale):
    given_data = {"X": scale * LINE} if by == "X" else {"distances": squareform(pdist(scale * LINE))}
    plain = merge_partition(HALVES, **given_data, criterion="mdl")
    assert plain.n_clusters == 1  # nearest-neighbor increments do not see where clusters are
    assert plain.mean_increments == pytest.approx(1.5 * scale)
    assert plain.merges.statistic[0] == pytest.approx(0, abs=1e-9)
    guarded = merge_partition(HALVES, **given_data, criterion="mdl", isolation=7)
    assert guarded.labels.tolist() == HALVES
    assert guarded.merges.gap[0] == pytest.approx(92 / 1.5)  # the other one is 89 / 1.5
    assert merge_partition(HALVES, **given_data, criterion="mdl", isolation=60).n_clusters == 2  # both count
    assert merge_partition(HALVES, **given_data, criterion="mdl", isolation=62).n_clusters == 1
    gdid = merge_partition(HALVES, **given_data)
    assert gdid.labels.tolist() == HALVES
    assert gdid.merges.statistic[0] == pytest.approx(-11.7213828230 - 1.5366983012, abs=1e-8)


def partition(seed, n=90, k=9, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.2, 1], (n, 1)) + 4 * rng.integers(0, 3, (n, 1))
    return X, KMeans(k, n_init=1, random_state=seed).fit_predict(X)


class Slowly:
    """Clusters as sets of objects; everything is computed from the objects each time."""

    def __init__(self, X, labels, isolation, model):
        self.X, self.D, self.isolation, self.model = X, cdist(X, X), isolation, model
        self.clusters = [np.flatnonzero(labels == c) for c in dict.fromkeys(labels)]

    def order(self, one, other, order):
        if order == "single-link":
            return self.D[np.ix_(one, other)].min()
        d = self.X.shape[1]
        pooled = 0
        for members in (one, other):
            a = (d + 1) / (len(members) + d + 1)
            S = np.cov(self.X[members].T, bias=True).reshape(d, d) if len(members) > 1 else np.zeros((d, d))
            S = (1 - a) * S + a * 0.01 * np.trace(np.cov(self.X.T, bias=True).reshape(d, d)) / d * np.eye(d)
            pooled = pooled + len(members) * S / (len(one) + len(other))
        apart = self.X[one].mean(axis=0) - self.X[other].mean(axis=0)
        return apart @ np.linalg.inv(pooled) @ apart

    def likelihood(self, members):
        w = dissimilarity_increments(self.X[members])
        return IncrementsDistribution.fit(w, model=self.model).logpdf(w).sum()

    def gap(self, one, other):
        between = self.D[np.ix_(one, other)]
        i, j = np.unravel_index(between.argmin(), between.shape)
        ratios = []
        for members, end in ((one, one[i]), (other, other[j])):
            if len(members) >= 3:
                nearest = min(self.D[end, m] for m in members if m != end)
                mean = dissimilarity_increments(self.X[members]).mean()
                ratios.append(abs(between.min() - nearest) / mean)
        return max(ratios, default=np.nan)

    def passes(self, one, other, criterion, alpha):
        if len(one) < 3 and len(other) < 3:
            return True
        if min(len(one), len(other)) < 3:
            return self.gap(one, other) <= (7 if self.isolation is None else self.isolation)
        both = np.union1d(one, other)
        T = max(0, 2 * (self.likelihood(one) + self.likelihood(other) - self.likelihood(both)))
        if self.isolation is not None and self.gap(one, other) > self.isolation:
            return False
        return np.log(len(both)) > T if criterion == "mdl" else chi2.sf(T, 1) >= alpha

    def in_order(self, criterion, alpha, order, least):
        clusters, tested = list(self.clusters), set()
        n_tests = 0
        while len(clusters) > least:
            pairs = [
                (self.order(a, b, order), i, j)
                for (i, a), (j, b) in combinations(enumerate(clusters), 2)
                if (tuple(a), tuple(b)) not in tested
            ]
            if not pairs:
                break
            _, i, j = min(pairs)
            n_tests += 1
            if self.passes(clusters[i], clusters[j], criterion, alpha):
                both = np.union1d(clusters[i], clusters[j])
                clusters = [c for place, c in enumerate(clusters) if place not in (i, j)] + [both]
            else:
                tested.add((tuple(clusters[i]), tuple(clusters[j])))
        return clusters, n_tests

    def best_first(self, least, exactly=False):
        clusters = list(self.clusters)
        while len(clusters) > least:
            candidates = []
            for i, j in combinations(range(len(clusters)), 2):
                merged = [c for place, c in enumerate(clusters) if place not in (i, j)]
                merged.append(np.union1d(clusters[i], clusters[j]))
                candidates.append((self.length(merged), i, j, merged))
            best = min(candidates, key=lambda candidate: candidate[0])
            if best[0] >= self.length(clusters) and not exactly:
                break
            clusters = best[3]
        return clusters

    def length(self, clusters):
        labels = np.empty(len(self.X), dtype=int)
        for number, members in enumerate(clusters):
            labels[members] = number
        return description_length_cost(labels, self.X, model=self.model)


def as_labels(clusters, n):
    labels = np.empty(n, dtype=int)
    for number, members in enumerate(clusters):
        labels[members] = number
    return labels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("order", ["mahalanobis", "single-link"])
@pytest.mark.parametrize(("criterion", "isolation"), [("mdl", None), ("mdl", 4), ("lrt", None), ("lrt", 7)])
def test_merging_in_order_by_definition(criterion, isolation, order, seed):
    X, labels = partition(seed, k=[5, 8, 11, 22][seed])
    model = "did" if seed % 2 else "exponential"
    for least in (1, 3):
        slow, n_tests = Slowly(X, labels, isolation, model).in_order(criterion, 0.05, order, least)
        fast = merge_partition(
            labels, X, criterion=criterion, isolation=isolation, order=order, min_clusters=least, model=model
        )
        assert fast.n_clusters == len(slow)
        assert adjusted_rand_index(fast.labels, as_labels(slow, len(X))) == 1
        assert len(fast.merges) == n_tests
        assert fast.merges.accepted.sum() == labels.max() + 1 - len(slow)
        assert not fast.merges.forced.any()


@pytest.mark.parametrize("model", ["did", "exponential"])
@pytest.mark.parametrize("seed", range(4))
def test_merging_by_description_length_by_definition(seed, model):
    X, labels = partition(seed, n=60, k=[5, 7, 9, 13][seed], d=1 + seed)
    slow = Slowly(X, labels, None, model)
    for parameters, wanted in (
        ({}, slow.best_first(1)),
        ({"min_clusters": 4}, slow.best_first(4)),
        ({"n_clusters": 1}, slow.best_first(1, exactly=True)),
    ):
        fast = merge_partition(labels, X, model=model, **parameters)
        assert adjusted_rand_index(fast.labels, as_labels(wanted, len(X))) == 1
        gain = description_length_cost(labels, X, model=model) - description_length_cost(fast.labels, X, model=model)
        assert fast.merges.statistic[fast.merges.accepted].sum() == pytest.approx(gain)
    same = merge_partition(labels, distances=cdist(X, X), model=model)
    assert (same.labels == merge_partition(labels, X, model=model).labels).all()


@pytest.mark.parametrize("seed", range(10))
def test_far_unions_have_the_increments_of_all_their_objects(seed):
    """The short cut for parts that are far apart, at distances around those where it starts to hold."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    n_far = 0
    for size in (1, 2, 3, 17):
        for apart in (0, 1, 2, 3, 4, 6, 20):
            rows = np.concatenate([X[:size], X[20:] + [apart, 0]])
            objects, members = FeatureDissimilarities(rows), (np.arange(size), np.arange(size, len(rows)))
            pairs = ClosestPairs(objects, list(members))
            link = Link(pairs.distance[0, 1], pairs.nearest[0, 1], pairs.nearest[1, 0])
            for kind in (TreeIncrements(objects, "did", Unit.of(objects)), NearestIncrements(objects, "did")):
                one, other = map(kind.part, members)
                far = kind.bridged(one, other, link)
                if far is not None:
                    n_far += 1
                    whole = kind.part(np.arange(len(rows))).increments
                    np.testing.assert_allclose(np.sort(far), np.sort(whole), atol=1e-12)
    assert n_far > 8


@pytest.mark.parametrize("d", [1, 2, 9])
def test_closest_pairs(d, monkeypatch):
    rng = np.random.default_rng(d)
    X, labels = rng.normal(size=(200, d)), rng.integers(0, 6, 200)
    clusters = [np.flatnonzero(labels == c) for c in range(6)]
    monkeypatch.setattr(_closest_pairs, "_NUMBERS_IN_BLOCK", 500)
    by_blocks = ClosestPairs(FeatureDissimilarities(X), clusters)
    by_matrix = ClosestPairs(GivenDissimilarities(cdist(X, X)), clusters)
    monkeypatch.setattr(_closest_pairs, "_ALL_PAIRS", 0)
    by_trees = ClosestPairs(FeatureDissimilarities(X), clusters)
    for pairs in (by_blocks, by_matrix, by_trees):
        assert pairs.unite(0, 3) == 6
        assert pairs.unite(6, 5) == 7
        both = [*clusters, np.union1d(clusters[0], clusters[3]), np.concatenate([clusters[c] for c in (0, 3, 5)])]
        for i, j in [(1, 2), (2, 1), (4, 5), (1, 6), (6, 4), (7, 1), (2, 7)]:
            between = cdist(X[both[i]], X[both[j]])
            assert pairs.distance[i, j] == pytest.approx(between.min())
            at = pairs.nearest[i, j], pairs.nearest[j, i]
            assert at[0] in both[i]
            assert at[1] in both[j]
            assert cdist(X[[at[0]]], X[[at[1]]])[0, 0] == pytest.approx(between.min())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(["gdid", "mdl", "lrt"]), st.sampled_from([None, 7.0]), st.integers(1, 4))
def test_results_are_unions_and_do_not_depend_on_units(seed, criterion, isolation, least):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(40, 2)), rng.integers(0, 7, 40)
    parameters = {"criterion": criterion, "isolation": isolation, "min_clusters": least, "order": "mahalanobis"}
    merged = merge_partition(labels, X, **parameters)
    assert merged.n_clusters == len(np.unique(merged.labels)) >= min(least, len(np.unique(labels)))
    assert (np.diff(np.bincount(merged.labels)) <= 0).all()
    for cluster in np.unique(labels):
        assert len(np.unique(merged.labels[labels == cluster])) == 1
    first_seen = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    assert (merged.cluster_of[[first_seen[label] for label in labels]] == merged.labels).all()
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    for other in (1000 * X, X + 7, X @ turn, 1e-3 * X):
        assert (merge_partition(labels, other, **parameters).labels == merged.labels).all()
    names = np.array(list("gfedcba"))[labels]
    assert (merge_partition(names, X, **parameters).labels == merged.labels).all()


def test_a_number_of_clusters_is_reached_whatever_the_tests_say():
    X, labels = partition(0)
    for criterion in ("gdid", "mdl", "lrt"):
        free = merge_partition(labels, X, criterion=criterion, isolation=3)
        for k in range(1, 10):
            merged = merge_partition(labels, X, criterion=criterion, isolation=3, n_clusters=k)
            assert merged.n_clusters == k
            forced = merged.merges[merged.merges.forced]
            assert len(forced) >= max(0, free.n_clusters - k) if k < free.n_clusters else forced.empty
            assert forced.accepted.all()
            statistic, threshold = merged.merges.statistic, merged.merges.threshold
            passed = (statistic > 0 if criterion == "gdid" else statistic < threshold) & ~(merged.merges.gap > 3)
            assert not (passed & merged.merges.forced).any()


def test_forced_merges_take_pairs_that_are_not_isolated_first():
    X = np.concatenate([LINE, LINE[:4] + 9])  # the last four between the halves, near the first
    merged = merge_partition([0] * 4 + [1] * 4 + [2] * 4, X, criterion="mdl", isolation=0.1, n_clusters=2)
    row = merged.merges[merged.merges.forced].iloc[0]
    assert row.gap == merged.merges.gap.min()


def test_one_or_two_objects():
    X = np.array([0.0, 1, 3, 7, 9, 30, 60])[:, None]
    labels = [0, 0, 0, 0, 1, 2, 3]
    merged = merge_partition(labels, X, criterion="mdl")
    near = merged.merges.iloc[0]
    assert (near.first, near.second, near.accepted) == (0, 1, True)
    assert near.statistic == pytest.approx((4 - 2) / 1.5)  # a gap: |d(7, 9) - d(7, 3)|
    assert near.threshold == 7
    assert merged.labels.tolist() == [0, 0, 0, 0, 0, 1, 1]  # two objects alone join each other
    assert np.isnan(merged.mean_increments[1])
    assert np.isnan(merged.merges.statistic[merged.merges.accepted].iloc[-1])
    assert merge_partition(labels, X, criterion="mdl", isolation=0.5).labels.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert merge_partition(range(7), X).n_clusters >= 1


def test_the_level_is_chosen_by_the_description():
    for seed in range(3):
        X, labels = partition(seed, k=14)
        best = merge_partition(labels, X, criterion="lrt", alpha="auto")
        levels = {a: merge_partition(labels, X, criterion="lrt", alpha=a) for a in (0.01, 0.05, 0.1, 0.15)}
        lengths = {a: description_length_cost(merged.labels, X) for a, merged in levels.items()}
        assert best.alpha == min(lengths, key=lengths.get)
        assert (best.labels == levels[best.alpha].labels).all()
        counts = [merged.n_clusters for merged in levels.values()]
        assert merge_partition(labels, X, criterion="mdl").n_clusters <= counts[1]
    assert levels[0.05].alpha == 0.05
    assert merge_partition(labels, X).alpha is None


def test_large_data():
    X, y = make_moons(8000, noise=0.05, random_state=0)
    start = KMeans(20, n_init=1, random_state=0).fit_predict(X)
    merged = merge_partition(start, X)
    assert merged.n_clusters == 2
    assert adjusted_rand_index(merged.labels, y) > 0.99


def test_it_warns():
    X, labels = partition(0)
    with pytest.warns(UserWarning, match="fewer than n_clusters=2"):
        assert merge_partition(np.zeros(90), X, n_clusters=np.uint8(2)).n_clusters == 1
    with pytest.warns(UserWarning, match="nothing to merge"):
        assert merge_partition(np.zeros(90), X).n_clusters == 1
    with pytest.warns(UserWarning, match="9 clusters, fewer than n_clusters=12"):
        assert merge_partition(labels, X, n_clusters=12).n_clusters == 9
    with pytest.warns(UserWarning, match="increments are exactly 0"):
        merge_partition(labels, X.round(), criterion="mdl")


@pytest.mark.parametrize(
    ("labels", "parameters", "message"),
    [
        (HALVES[:-1], {}, "7 labels, but there are 8 objects"),
        ([-1, *HALVES[1:]], {}, "missing .* for 1 objects"),
        (HALVES, {"X": None}, "Give either X"),
        (HALVES, {"distances": np.zeros((8, 8))}, "both"),
        (HALVES, {"X": None, "distances": np.zeros((8, 7))}, "square"),
        (HALVES, {"X": None, "distances": cdist(LINE, LINE), "order": "mahalanobis"}, "needs X"),
        (HALVES, {"X": [[np.nan]] * 8}, "NaN"),
        (HALVES, {"criterion": "dip"}, "criterion"),
        (HALVES, {"alpha": 0}, "alpha"),
        (HALVES, {"alpha": 1.0}, "alpha"),
        (HALVES, {"isolation": -1}, "isolation"),
        (HALVES, {"isolation": True}, "isolation=True is not a number"),
        (HALVES, {"n_clusters": 0}, "n_clusters"),
        (HALVES, {"n_clusters": 1, "min_clusters": 2}, "n_clusters=1 is less than min_clusters=2"),
        (HALVES, {"model": "gamma"}, "model"),
        (HALVES, {"order": "ward"}, "order"),
    ],
)
def test_bad_input(labels, parameters, message):
    with pytest.raises(ValueError, match=message):
        merge_partition(labels, **{"X": LINE, **parameters})


def test_too_many_clusters():
    with pytest.raises(ValueError, match="2000 clusters"):
        merge_partition(range(2000), np.arange(2000.0)[:, None])


@pytest.mark.parametrize("criterion", ["gdid", "mdl"])
def test_equal_objects(criterion):
    with pytest.raises(DegenerateIncrementsError):
        merge_partition(HALVES, np.ones((8, 2)), criterion=criterion)
