"""Both forms of both rules against the slow, obvious one, which computes everything again from the distances."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from pluribus.increments import IncrementsDistribution, IncrementsHierarchy
from pluribus.increments._shared.dissimilarities import FeatureDissimilarities, GivenDissimilarities
from pluribus.increments.hierarchy import _near_lists
from pluribus.increments.hierarchy._agglomeration import Agglomeration
from pluribus.increments.hierarchy.increments_hierarchy import _least_mean, _table

KAPPA = {"did": 1.886953496, "exponential": 1.0}


def increments_in(D, members):
    """The nearest-neighbor increments inside a cluster; infinite ones do not count."""
    out = []
    if len(members) < 3:
        return np.array(out)
    for i in members:
        j = min((k for k in members if k != i), key=lambda k: (D[i, k], k))
        k = min((k for k in members if k not in (i, j)), key=lambda k: (D[j, k], k))
        if math.isfinite(D[j, k]):
            out.append(abs(D[i, j] - D[j, k]))
    return np.array(out)


def log_likelihood(w, mean, model):
    return float(IncrementsDistribution(mean, model=model).logpdf(w).sum())


def message_length(w, model, floor=0.0):
    """DL of section 3.3."""
    fit = log_likelihood(w, max(w.mean(), floor), model)
    return (1 - math.log(12)) / 2 + 0.5 * math.log(len(w) * KAPPA[model]) - fit


def spanning_tree(D):
    """The edges (i, j) of the minimum spanning tree, ties by the lower and the higher number."""
    n, edges = len(D), []
    part = list(range(n))
    for d, i, j in sorted((D[a, b], a, b) for a in range(n) for b in range(a + 1, n)):
        if part[i] != part[j]:
            edges.append((d, i, j))
            part = [part[i] if p == part[j] else p for p in part]
    return edges


def isolate(
    D,
    rule="did",
    *,
    min_size=6,
    tail_factor=7.0,
    criterion="lrt",
    alpha=1e-3,
    small_rule="gap",
    isolation=4.0,
    small_clusters="width",
    model="did",
    floor,
    tree=False,
):
    """The clusters {node: members}, isolated nodes, and the tests (first, second, distance, outcome, statistic)."""
    n = len(D)
    clusters = {i: [i] for i in range(n)}
    gaps = {i: [] for i in range(n)}
    isolated, rejected, tests = set(), set(), []
    edges = spanning_tree(D) if tree else None

    def nearest(x, members):
        return min(D[x, k] for k in members if k != x)

    def mean(w):
        return max(float(np.mean(w)), floor)

    def closest():
        """All untested pairs, each with its closest objects."""
        live = [c for c in clusters if c not in isolated]
        if tree:
            of = {x: c for c, members in clusters.items() for x in members}
            for d, x, y in edges:
                a, b = (of[x], x), (of[y], y)
                if a[0] != b[0] and a[0] in live and b[0] in live:
                    (a, x), (b, y) = sorted([a, b])
                    yield d, a, b, x, y
            return
        for a in live:
            for b in live:
                if a < b:
                    d, low, high = min((D[x, y], min(x, y), max(x, y)) for x in clusters[a] for y in clusters[b])
                    yield d, a, b, *((low, high) if low in clusters[a] else (high, low))

    while True:
        untested = [p for p in closest() if (p[1], p[2]) not in rejected and math.isfinite(p[0])]
        if not untested:
            return clusters, isolated, tests
        d, a, b, x, y = min(untested)
        one, other = clusters[a], clusters[b]
        union = sorted(one + other)
        gap = {c: abs(d - nearest(z, clusters[c])) if len(clusters[c]) > 1 else None for c, z in ((a, x), (b, y))}
        statistic = math.nan
        new_gaps = gaps[a] + gaps[b] + [g for g in gap.values() if g is not None]
        if rule == "aglo":
            out, ratios = [], []
            for c in (a, b):
                size = len(clusters[c])
                if not gaps[c] or size < 2 or (small_clusters == "min_size" and size < min_size):
                    continue
                mu = mean(gaps[c])
                if small_clusters == "width":
                    mu *= 1 + 20 * (1 - 1 / (1 + math.exp(-0.4 * (size - 10))))
                ratios.append(gap[c] / mu)
                if gap[c] >= isolation * mu:
                    out.append(c)
            statistic = max(ratios, default=math.nan)
            names = {(): "merge", (a,): "isolate-first", (b,): "isolate-second", (a, b): "isolate-both"}
            outcome = names[tuple(out)]
        elif len(one) < min_size and len(other) < min_size:
            outcome = "merge"
        elif len(one) < min_size or len(other) < min_size:
            small, large = (a, b) if len(one) < min_size else (b, a)
            value = gap[large] if small_rule == "gap" else 0.0
            if len(clusters[small]) >= 3:
                value = float(np.mean(increments_in(D, clusters[small])))
            lam = mean(increments_in(D, clusters[large]))
            statistic = value / lam
            outcome = "small-merge" if value < tail_factor * lam else "small-reject"
        else:
            w = {a: increments_in(D, one), b: increments_in(D, other)}
            lam = {c: mean(w[c]) for c in (a, b)}
            tail = [c for c in (a, b) if gap[c] > tail_factor * lam[c]]
            if tail:
                offender = max(tail, key=lambda c: (gap[c], -c))
                outcome = "isolate-first" if offender == a else "isolate-second"
                statistic = gap[offender] / lam[offender]
            elif criterion is None:
                outcome, statistic = "merge", max(gap[c] / lam[c] for c in (a, b))
            else:
                both = increments_in(D, union)
                if criterion == "mml":
                    apart = message_length(w[a], model, floor) + message_length(w[b], model, floor)
                    statistic = message_length(both, model, floor) - apart
                    accepted = statistic <= 0
                else:
                    apart = sum(log_likelihood(w[c], lam[c], model) for c in (a, b))
                    statistic = 2 * (apart - log_likelihood(both, mean(both), model))
                    if criterion == "bic":
                        accepted = statistic <= math.log(len(both))
                    else:
                        accepted = chi2.sf(max(0, statistic), 1) >= alpha
                outcome = "merge" if accepted else "reject"
        tests.append((a, b, d, outcome, statistic))
        if "merge" in outcome:
            node = n + sum("merge" in t[3] for t in tests) - 1
            del clusters[a], clusters[b]
            clusters[node], gaps[node] = union, new_gaps
        elif "isolate" in outcome:
            isolated |= {"isolate-first": {a}, "isolate-second": {b}, "isolate-both": {a, b}}[outcome]
        else:
            rejected.add((a, b))


def distances_of(X):
    """Summed in the order of the features, as the kernels do, so that ties are the same."""
    squared = np.zeros((len(X), len(X)))
    for feature in X.T:
        squared += (feature[:, None] - feature) ** 2
    return np.sqrt(squared)


def example(seed):
    """Objects of many kinds: spread, on lattices, with duplicates, and given by distances that are not a metric."""
    rng = np.random.default_rng(seed)
    n, kind = int(rng.integers(8, 40)), seed % 7
    if kind < 5:
        X = (
            rng.normal(size=(n, 2)),
            rng.integers(0, 6, (n, 2)).astype(float),
            np.concatenate([rng.normal(size=(n // 2, 2)), rng.normal([4, 0], 0.2, size=(n - n // 2, 2))]),
            np.arange(n)[:, None] + 3.0 * (np.arange(n) > n // 2)[:, None],
            rng.normal(size=(4, 3))[rng.integers(0, 4, n)],
        )[kind]
        return FeatureDissimilarities(X), distances_of(X)
    D = rng.exponential(size=(n, n)) if kind == 5 else rng.integers(1, 8, (n, n)).astype(float)
    D = np.minimum(D, D.T)
    if seed % 4 == 0:
        far = np.triu(rng.random((n, n)) < 0.4, 1)
        D[far | far.T] = np.inf
    np.fill_diagonal(D, 0)
    return GivenDissimilarities(D), D


def parameters(seed):
    rng = np.random.default_rng(seed)
    return {
        "rule": ("did", "aglo")[seed % 2],
        "min_size": int(rng.choice([3, 4, 6])),
        "tail_factor": float(rng.choice([1.5, 3, 7])),
        "criterion": (None, "lrt", "bic", "mml")[rng.integers(4)],
        "alpha": float(rng.choice([1e-3, 0.3])),
        "small_rule": ("gap", "mean")[rng.integers(2)],
        "model": ("did", "exponential")[rng.integers(2)],
        "small_clusters": ("width", "min_size")[rng.integers(2)],
        "isolation": float(rng.choice([1, 2, 3, 4])),
    }


@pytest.mark.parametrize("form", ["all", "tree"])
@pytest.mark.parametrize("start", range(0, 160, 20))
def test_every_test_is_that_of_the_slow_form(form, start, monkeypatch):
    for seed in range(start, start + 20):
        objects, D = example(seed)
        chosen = parameters(seed)
        monkeypatch.setattr(_near_lists, "_LENGTH", (2, 4, 16)[seed % 3])
        monkeypatch.setattr(_near_lists, "_ALL_PAIRS", (0, 10**6)[seed % 2])
        agglomeration = Agglomeration(objects, exact=form == "all")
        floor = _least_mean(agglomeration.lists.distances[:, 0])
        rules = IncrementsHierarchy(**chosen)._rules(floor, chosen["isolation"])
        outcome = agglomeration.run(rules, growth=0.0)
        clusters, isolated, tests = isolate(D, **chosen, floor=floor, tree=form == "tree")
        found = _table(outcome)
        assert list(zip(found["first"], found["second"], found["outcome"], strict=True)) == [
            (first, second, result) for first, second, _, result, _ in tests
        ], seed
        assert found["distance"].tolist() == [test[2] for test in tests]
        np.testing.assert_allclose(found["statistic"], [test[4] for test in tests], rtol=1e-7, atol=1e-7)
        groups = {tuple(np.flatnonzero(outcome.labels == k)): outcome.isolated[k] for k in range(len(outcome.isolated))}
        assert groups == {tuple(members): node in isolated for node, members in clusters.items()}


def test_all_outcomes_are_seen():
    seen = set()
    for seed in range(160):
        D = example(seed)[1]
        if len(D) < 25:
            seen |= {test[3] for test in isolate(D, **parameters(seed), floor=1e-9)[2]}
    assert seen >= {"merge", "small-merge", "small-reject", "isolate-first", "isolate-second", "isolate-both", "reject"}


def test_message_lengths():
    one, two = np.array([1.0, 2, 1, 2]), np.array([10.0, 12, 8, 10])
    assert message_length(one, "did") == pytest.approx(5.1586666, abs=1e-7)
    assert message_length(two, "did") == pytest.approx(12.6383135, abs=1e-7)
    assert message_length(np.concatenate([one, two]), "did") == pytest.approx(22.2733037, abs=1e-7)
    assert message_length(np.tile([1.0, 2], 4), "did") == pytest.approx(10.3957312, abs=1e-7)
