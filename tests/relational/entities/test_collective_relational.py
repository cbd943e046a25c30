"""Collective entity resolution: the chapter's running example, a naive oracle, what must always hold, bad input."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone

from pluribus import Constraints
from pluribus._kernels.graphs.joined_after import joined_after
from pluribus.relational import CollectiveRelational, by_name, names
from pluribus.relational.entities import _path
from pluribus.relational.entities._inputs import Candidates
from pluribus.relational.entities._path import (
    Path,
    agreement_within_blocks,
    steadiest_stretch,
    threshold_without_labels,
)

NAMES = ["W.Wang", "C.Chen", "A.Ansari", "W.Wang", "A.Ansari", "L.Li", "C.Chen", "W.Wang", "W.W.Wang", "A.Ansari"]
PAPERS = [[0, 1, 2], [3, 4], [5, 6, 7], [8, 9]]
TRUTH = [0, 2, 1, 0, 1, 3, 4, 5, 0, 1]
ONE_ANSARI = Constraints(10, must_link=[(2, 4), (4, 9)])


def _alike(one, other):
    return 1.0 if one == other else 0.8 if one.split(".")[-1] == other.split(".")[-1] else 0.0


CANDIDATES = [(i, j, s) for i in range(10) for j in range(i + 1, 10) if (s := _alike(NAMES[i], NAMES[j])) > 0]


def chapter(alpha=0.5, constraints=None, **parameters):
    model = CollectiveRelational(alpha, linkage="max", boot_similarity=None, verbose=False, **parameters)
    return model.fit(NAMES, links=PAPERS, candidates=CANDIDATES, constraints=constraints)


def steps(model):
    return [(round(m.similarity, 4), m.a, m.b, m.merged) for m in model.merges_.itertuples()]


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


class TestRunningExample:
    def test_attributes_alone(self):
        model = by_name("er-attributes")(verbose=False).fit(NAMES, candidates=CANDIDATES)
        pairs, closure = model.precision_recall_curve(TRUTH, closure=False), model.precision_recall_curve(TRUTH)
        np.testing.assert_allclose(pairs.thresholds, [np.inf, 1, 0.8])
        np.testing.assert_allclose(pairs.f1, [0, 8 / 13, 0.75])
        np.testing.assert_allclose(closure.f1, [0, 8 / 13, 0.75])
        assert len(model.pairs_at(0.8)) == 10
        assert len(model.pairs_at(1)) == 7

    def test_pairwise_with_links(self):
        model = by_name("er-pairwise")(verbose=False).fit(NAMES, links=PAPERS, candidates=CANDIDATES)
        pairs, values = model.candidates_
        found = dict(zip(map(tuple, pairs.tolist()), values, strict=True))
        expected = {
            (0, 3): 0.875, (0, 7): 0.75, (0, 8): 0.775, (1, 6): 0.75, (2, 4): 0.875,
            (2, 9): 0.8, (3, 7): 0.5, (3, 8): 0.9, (4, 9): 0.9, (7, 8): 0.4,
        }  # fmt: skip
        assert found.keys() == expected.keys()
        for pair, value in expected.items():
            assert found[pair] == pytest.approx(value)
        curve = model.precision_recall_curve(TRUTH, closure=False)
        assert curve.f1.max() == 1
        assert curve.thresholds[curve.f1 == 1].tolist() == pytest.approx([0.775])

    def test_collective_without_first_clusters(self):
        model = chapter()
        assert steps(model) == [
            (0.5, 0, 3, 10), (0.75, 2, 4, 11), (0.5, 1, 6, 12),
            (0.6667, 7, 10, 13), (0.5, 9, 11, 14), (0.5667, 8, 13, 15),
        ]  # fmt: skip
        assert model.precision_recall_curve(TRUTH).f1.max() < 1

    @pytest.mark.parametrize(
        ("alpha", "expected", "low", "high"),
        [
            (0.5, [(0.9, 3, 8, 10), (0.75, 0, 10, 11), (0.5, 1, 6, 12), (0.6667, 7, 11, 13)], 0.5, 0.75),
            (0.75, [(0.95, 3, 8, 10), (0.625, 0, 10, 11), (0.25, 1, 6, 12), (0.5, 7, 11, 13)], 0.25, 0.625),
        ],
    )
    def test_one_ansari(self, alpha, expected, low, high):
        model = chapter(alpha, ONE_ANSARI)
        assert steps(model) == expected
        for threshold in (low + 0.01, high):
            assert same_partition(model.labels_at(threshold).tolist(), TRUTH)
        assert not same_partition(model.labels_at(low).tolist(), TRUTH)
        assert not same_partition(model.labels_at(high + 0.01).tolist(), TRUTH)
        assert low < model.threshold_ <= high  # without labels

    def test_too_little_weight_of_links(self):
        model = chapter(0.25, ONE_ANSARI)
        assert steps(model) == [(0.875, 0, 3, 10), (0.75, 1, 6, 11), (0.8333, 7, 10, 12), (0.6833, 8, 12, 13)]
        assert model.precision_recall_curve(TRUTH).f1.max() < 1

    def test_first_similarities(self):
        model = chapter(constraints=ONE_ANSARI)
        assert model.merges_.loc[0, ["attributes", "overlap"]].tolist() == [0.8, 1.0]
        assert model.merges_.loc[1, ["i", "j"]].tolist() == [0, 3]

    def test_the_bootstrap_needs_support(self):
        model = CollectiveRelational(linkage="max", verbose=False).fit(NAMES, links=PAPERS, candidates=CANDIDATES)
        # (0, 3) and (2, 4) support each other, so do (0, 7) and (1, 6); no other equal pair has equal company
        assert model.bootstrap_.pairs.tolist() == [[0, 3], [0, 7], [1, 6], [2, 4]]


def naive(first, links, candidates, apart, alpha, linkage, overlap, distinct):
    """Recompute everything after each merge, and take the largest."""
    n = len(first)
    times = np.zeros((n, n), int)
    for link in links:
        for x in set(link):
            for y in set(link) - {x}:
                times[x, y] += 1
    clusters = {c: set(np.flatnonzero(first == c).tolist()) for c in np.unique(first).tolist()}
    similarity = {(i, j): s for i, j, s in candidates}
    merges = []
    while True:
        near = {
            a: {b: t for b in clusters if b != a and (t := sum(times[x, y] for x in clusters[a] for y in clusters[b]))}
            for a in clusters
        }
        best = None
        for a in clusters:
            for b in clusters:
                pairs = [(min(x, y), max(x, y)) for x in clusters[a] for y in clusters[b]]
                values = [similarity[pair] for pair in pairs if pair in similarity]
                if a >= b or not values or (distinct and b in near[a]) or apart.intersection(pairs):
                    continue
                total = (1 - alpha) * {"max": max(values), "min": min(values), "mean": sum(values) / len(pairs)}[
                    linkage
                ]
                total += alpha * _overlap(near, a, b, overlap)
                best = min(best or (0, 0, 0), (-round(total * 1e12) - 1, a, b))
        if best is None:
            return merges
        value, a, b = best
        clusters[n + len(merges)] = clusters.pop(a) | clusters.pop(b)
        merges.append(((-value - 1) / 1e12, a, b, n + len(merges)))


def _overlap(near, a, b, overlap):
    one, other = ({k: v for k, v in near[c].items() if k not in (a, b)} for c in (a, b))
    both, every = one.keys() & other.keys(), one.keys() | other.keys()
    if overlap == "common":
        return min(len(both) / 10, 1)
    if overlap == "jaccard":
        weight = dict.fromkeys(every, 1)
    elif overlap == "adar":
        weight = {k: 1 / np.log(1 + len(near[k])) for k in every}
    else:
        total = sum(max(one.get(k, 0), other.get(k, 0)) for k in every)
        return sum(min(one[k], other[k]) for k in both) / total if total else 0
    return sum(weight[k] for k in both) / sum(weight.values()) if every else 0


def random_case(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 19))
    links = [rng.choice(n, rng.integers(1, min(n, 5) + 1)).tolist() for _ in range(rng.integers(0, 2 * n))]
    value = (lambda: int(rng.integers(1, 6)) / 5) if seed % 2 else rng.random  # ties, or none
    candidates = [(i, j, float(value())) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.4]
    apart = {(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.05}
    return n, links, candidates, apart


@pytest.mark.parametrize("overlap", ["jaccard", "jaccard_multiset", "adar", "common"])
def test_the_heap_merges_as_the_naive_way(overlap):
    for seed in range(50):  # of each of four overlaps: 200 hypergraphs
        n, links, candidates, apart = random_case(seed)
        alpha, linkage = (0, 0.25, 0.5, 0.75, 1)[seed % 5], ("max", "mean", "min")[seed % 3]
        distinct = bool(seed % 7 % 2)
        model = CollectiveRelational(
            alpha,
            linkage=linkage,
            overlap=overlap,
            distinct=distinct,
            boot_similarity=0.8,
            boot_links=seed % 4,
            verbose=False,
        ).fit(
            list(map(str, range(n))),
            links=links,
            candidates=np.reshape(candidates, (-1, 3)),
            constraints=Constraints(n, cannot_link=sorted(apart)),
        )
        expected = naive(model.first_labels_, links, candidates, apart, alpha, linkage, overlap, distinct)
        assert model.merges_[["a", "b", "merged"]].to_numpy().tolist() == [list(merge[1:]) for merge in expected], seed
        np.testing.assert_allclose(model.merges_["similarity"], [merge[0] for merge in expected], atol=3e-12)


@given(st.integers(0, 10**6))
def test_what_always_holds(seed):
    n, links, candidates, apart = random_case(seed)
    rows = np.reshape(candidates, (-1, 3))
    constraints = Constraints(n, cannot_link=sorted(apart))
    model = CollectiveRelational(boot_similarity=0.6, verbose=False)
    model.fit(list(map(str, range(n))), links=links, candidates=rows, constraints=constraints)
    everything = model.labels_at(-1)
    assert constraints.violations(everything).count == 0
    for link in links:
        assert len(set(everything[list(set(link))])) == len(set(link))
    assert same_partition(model.labels_at(1.1).tolist(), model.first_labels_.tolist())
    assert (
        (model.merges_[["similarity", "attributes", "overlap"]] >= 0)
        & (model.merges_[["similarity", "attributes", "overlap"]] <= 1)
    ).all(axis=None)
    sizes = np.bincount(model.labels_)
    assert (np.diff(sizes) <= 0).all()


@given(st.integers(0, 10**6), st.floats(0.05, 0.95))
def test_without_links_and_by_the_largest_it_is_single_link(seed, threshold):
    n, _, candidates, _ = random_case(seed)
    rows = np.reshape(candidates, (-1, 3))
    strong = rows[rows[:, 2] >= threshold]
    graph = sparse.coo_array((np.ones(len(strong)), strong[:, :2].astype(int).T), shape=(n, n))
    expected = connected_components(graph, directed=False)[1]
    texts = list(map(str, range(n)))
    model = CollectiveRelational(linkage="max", verbose=False).fit(texts, candidates=rows)
    assert same_partition(model.labels_at(threshold).tolist(), expected.tolist())
    # no link is a list of links too: then attributes count half
    halved = CollectiveRelational(linkage="max", verbose=False).fit(texts, links=[], candidates=rows)
    assert same_partition(halved.labels_at(threshold / 2).tolist(), expected.tolist())


@given(st.integers(0, 10**6))
def test_other_row_numbers_rename_the_entities(seed):
    n, links, candidates, _ = random_case(2 * (seed // 2))  # no ties
    order = np.random.default_rng(seed).permutation(n)
    place = np.argsort(order)  # where each reference went
    model = CollectiveRelational(threshold=0.4, boot_similarity=None, verbose=False)
    rows = np.reshape(candidates, (-1, 3))
    moved = np.column_stack([place[rows[:, :2].astype(int)], rows[:, 2]])
    here = model.fit(list(map(str, range(n))), links=links, candidates=rows).labels_
    there = (
        clone(model)
        .fit(list(map(str, range(n))), links=[place[link].tolist() for link in links], candidates=moved)
        .labels_
    )
    # equal similarities (overlap alone) may be taken in another order: compare where there are none
    if len(set(model.merges_["similarity"])) == len(model.merges_):
        assert same_partition(here.tolist(), there[place].tolist())


@given(st.integers(0, 10**6))
def test_the_curve_counts_pairs(seed):
    n, links, candidates, _ = random_case(seed)
    rng = np.random.default_rng(seed)
    truth = rng.integers(-1, 4, n)
    model = CollectiveRelational(boot_similarity=0.8, boot_links=0, verbose=False)
    model.fit(list(map(str, range(n))), links=links, candidates=np.reshape(candidates, (-1, 3)))
    curve = model.precision_recall_curve(truth)
    counted = [(i, j) for i in range(n) for j in range(i) if truth[i] >= 0 and truth[j] >= 0]
    for threshold, precision, recall, f1 in zip(*curve, strict=True):
        labels = model.labels_at(min(threshold, 2))
        together = sum(labels[i] == labels[j] for i, j in counted)
        right = sum(labels[i] == labels[j] and truth[i] == truth[j] for i, j in counted)
        true = sum(truth[i] == truth[j] for i, j in counted)
        assert precision == pytest.approx(right / together if together else 1)
        assert recall == pytest.approx(right / true if true else 1)
        assert f1 == pytest.approx(2 * right / (together + true) if together + true else 1)


def test_the_threshold_lies_where_the_clusters_change_least():
    rng = np.random.default_rng(0)
    same, other = 0.8 + 0.1 * rng.random(60), 0.2 + 0.2 * rng.random(60)
    pairs = np.arange(240).reshape(120, 2)
    model = CollectiveRelational(verbose=False).fit(
        [str(i) for i in range(240)], candidates=np.column_stack([pairs, np.append(same, other)])
    )
    assert 0.4 < model.threshold_ < 0.8
    assert model.n_clusters_ == 240 - 60
    assert CollectiveRelational(verbose=False).fit(["a", "b"], candidates=[(0, 1, 0.9)]).threshold_ == 0.5


def test_the_threshold_lies_above_merges_of_large_clusters():
    """Merges are denser from 0.5 to 0.8 than below 0.4, but those below join entities of ten."""
    within = np.arange(200).reshape(20, 10)
    rows = [(i, j, 0.8 + 0.01 * (i % 10)) for one in within for i, j in itertools.combinations(one, 2)]
    rows += [(200 + 2 * t, 201 + 2 * t, 0.5 + 0.015 * t) for t in range(20)]
    for t in range(0, 20, 2):
        rows += [(i, j, 0.4 - 0.02 * t) for i in within[t] for j in within[t + 1]]
    model = CollectiveRelational(verbose=False).fit([str(i) for i in range(240)], candidates=rows)
    assert 0.4 < model.threshold_ < 0.8
    levels = model._path.lowest
    k = round(np.sqrt(len(levels)))
    together = [sum(s * (s - 1) // 2 for s in np.bincount(model._path.labels_after(t + 1))) for t in range(len(levels))]
    steadiness = [(levels[t] - levels[t + k]) / np.log(together[t + k] / together[t]) for t in range(len(levels) - k)]
    at = k - 1 + int(np.argmax(np.round(steadiness[k - 1 :], 9)))
    assert model.threshold_ == pytest.approx((levels[at] + levels[at + k]) / 2)


def random_path(seed):
    rng = np.random.default_rng(seed)
    n = 24
    pairs = np.array([p for p in itertools.combinations(range(n), 2) if p[0] // 8 == p[1] // 8 and rng.random() < 0.5])
    rows = np.column_stack([pairs, rng.integers(1, 20, len(pairs)) / 20])
    links = [sorted(rng.choice(n, 3, replace=False).tolist()) for _ in range(6)]
    return CollectiveRelational(boot_similarity=0.9, verbose=False).fit(
        [str(i) for i in range(n)], links=links, candidates=rows
    )


@pytest.mark.parametrize("seed", range(5))
def test_agreement_is_a_correlation_within_blocks(seed):
    model = random_path(seed)
    path, (pairs, similarity) = model._path, model.candidates_
    graph = sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(24, 24))
    block = connected_components(graph, directed=False)[1][pairs[:, 0]]
    expected, held = [], []
    for t in range(len(path.similarity) + 1):
        labels = path.labels_after(t)
        together = (labels[pairs[:, 0]] == labels[pairs[:, 1]]).astype(float)
        same = joined_after(24, path.first, path.ids[:, :2], pairs) <= t
        assert (same == together).all()
        held.append(
            sum(same[block == one].sum() for one in np.unique(block) if np.ptp(similarity[block == one]) > 1e-9)
        )
        similar = similarity.copy()
        for one in np.unique(block):
            for values in (together, similar):
                values[block == one] -= values[block == one].mean()
        spread = np.sqrt((together**2).sum())
        more = 0 < t < len(path.lowest) and path.lowest[t] == path.lowest[t - 1]
        expected.append(0.0 if more or spread < 1e-9 else (together * similar).sum() / spread)
    agreement, n_together = agreement_within_blocks(path, model.candidates_)
    assert agreement == pytest.approx(np.array(expected), abs=1e-8)
    assert n_together.tolist() == held


def test_blocks_that_are_all_similar_do_not_set_the_threshold():
    """200 pairs of names that are almost equal, and 12 blocks of longer records that never are."""
    rng = np.random.default_rng(0)
    rows = [(2 * t, 2 * t + 1, 0.95 + 0.05 * rng.random()) for t in range(200)]
    for start in range(400, 400 + 12 * 8, 8):
        for i, j in itertools.combinations(range(8), 2):
            rows.append((start + i, start + j, (0.3 if i // 4 == j // 4 else 0.02) + 0.1 * rng.random()))
    model = CollectiveRelational(verbose=False).fit([str(i) for i in range(496)], candidates=rows)
    assert steadiest_stretch(model._path, 0.02) > 0.4
    assert 0.12 < model.threshold_ < 0.4
    assert model.n_clusters_ == 200 + 12 * 2
    # neither rule looks below the floor, however well clusters there agree
    for floor in (0.32, 0.35, 0.5):
        assert threshold_without_labels(model._path, model.candidates_, floor) >= floor


def test_the_most_similar_merges_are_no_stretch():
    """One large first cluster, and nine merges of two: of √9 merges, the first three span the most."""
    first = np.append(np.zeros(20, np.int64), np.arange(20, 38))
    similarity = np.array([1.0, 0.6, 0.59, 0.58, 0.57, 0.56, 0.3, 0.29, 0.28])
    pairs = np.arange(20, 38).reshape(9, 2)
    path = Path(first, similarity, np.column_stack([pairs, 38 + np.arange(9)]))
    assert steadiest_stretch(path, 0.0) == pytest.approx((0.56 + 0.28) / 2)


@pytest.mark.parametrize(("held", "expected"), [(3, 0.75), (4, 0.95)])
def test_the_best_agreement_above_the_floor_counts_if_it_holds_over_three_times_as_many(held, expected, monkeypatch):
    agreement, together = np.array([0.0, 0.1, 0.5, 0.2, 0.9]), np.array([held, held, 10, 11, 20])
    monkeypatch.setattr(_path, "agreement_within_blocks", lambda *_: (agreement, together))
    monkeypatch.setattr(_path, "steadiest_stretch", lambda *_: 0.95)
    path = Path(np.arange(5), np.array([0.9, 0.8, 0.7, 0.1]), np.zeros((4, 3), np.int64))
    nothing = Candidates(np.empty((0, 2), np.int64), np.empty(0))
    assert threshold_without_labels(path, nothing, 0.5) == pytest.approx(expected)


def test_blocks_do_not_replace_a_threshold_that_holds_a_third_of_their_candidates():
    """The last merge agrees better than the first two, but three candidates in four are together before it."""
    path = Path(np.arange(6), np.array([0.9, 0.8, 0.1]), np.array([[0, 1, 6], [2, 3, 7], [4, 5, 8]]))
    pairs = np.array([[0, 1], [2, 3], [4, 5], [0, 2], [2, 4]])
    candidates = Candidates(pairs, np.array([0.9, 0.8, 0.7, 0.0, 0.0]))
    agreement, together = agreement_within_blocks(path, candidates)
    assert agreement.argmax() == 3
    assert together.tolist() == [0, 1, 2, 3]
    assert threshold_without_labels(path, candidates, 0.0) == steadiest_stretch(path, 0.0)


class TestBootstrap:
    def test_support_is_matched_one_to_one(self):
        # 0 and 1 are alike; both co-references of 0 (2, 3) are like the only one of 1 (4)
        rows = [(0, 1, 1.0), (2, 4, 1.0), (3, 4, 1.0)]
        links = [[0, 2], [0, 3], [1, 4]]
        for needed, expected in ((1, [[0, 1], [2, 4], [3, 4]]), (2, [])):
            model = CollectiveRelational(boot_links=needed, distinct=False, verbose=False)
            model.fit(list("abcde"), links=links, candidates=rows)
            assert model.bootstrap_.pairs.tolist() == expected

    def test_an_alternating_path_is_found(self):
        # 2 is like 4 and 5, 3 is like 4 only: 2 must leave 4 to 3
        rows = [(0, 1, 1.0), (2, 4, 1.0), (2, 5, 1.0), (3, 4, 1.0)]
        model = CollectiveRelational(boot_links=2, verbose=False)
        model.fit(list("abcdef"), links=[[0, 2, 3], [1, 4, 5]], candidates=rows)
        assert [0, 1] in model.bootstrap_.pairs.tolist()

    def test_a_common_co_reference_is_support(self):
        model = CollectiveRelational(verbose=False).fit(list("aab"), links=[[0, 2], [1, 2]], candidates=[(0, 1, 1.0)])
        assert model.labels_.tolist() == [0, 0, 1]

    def test_a_chain_does_not_join_references_of_one_link(self):
        # 0 ~ 2 ~ 1, but 0 and 1 are in one link
        model = CollectiveRelational(boot_links=0, verbose=False)
        model.fit(list("abc"), links=[[0, 1]], candidates=[(0, 2, 1.0), (1, 2, 1.0)])
        assert model.n_bootstrap_refused_ == 1
        assert model.bootstrap_.pairs.tolist() == [[0, 2]]
        assert model.labels_at(-1).tolist() == [0, 1, 0]


def test_a_link_that_is_listed_twice_counts_once_but_for_multisets():
    rows, links = [(0, 1, 0.5)], [[0, 2], [0, 2], [1, 2], [0, 3]]
    by = {
        overlap: CollectiveRelational(overlap=overlap, verbose=False).fit(list("abcd"), links=links, candidates=rows)
        for overlap in ("jaccard", "jaccard_multiset")
    }
    assert by["jaccard"].merges_["overlap"].tolist() == [1 / 2]
    assert by["jaccard_multiset"].merges_["overlap"].tolist() == [1 / 3]


class TestReferences:
    def test_forms_of_references(self):
        texts = ["Ann Lee", "Anne Lee", "Bob Ray"]
        expected = CollectiveRelational(verbose=False).fit(texts).labels_.tolist()
        for form in (np.array(texts), pd.Series(texts, index=[5, 6, 7]), pd.DataFrame({"who": texts}), tuple(texts)):
            assert CollectiveRelational(verbose=False).fit(form).labels_.tolist() == expected

    def test_similarities_alone(self):
        matrix = sparse.coo_array(([0.9, 0.9, 1.0], ([0, 1, 2], [1, 0, 2])), shape=(3, 3))
        model = CollectiveRelational(threshold=0.5, verbose=False).fit(matrix)
        assert model.labels_.tolist() == [0, 0, 1]
        assert model.candidates_.pairs.tolist() == [[0, 1]]

    def test_forms_of_links(self):
        incidence = sparse.csr_array((np.ones(10), (np.repeat(range(4), [3, 2, 3, 2]), np.arange(10))), shape=(4, 10))
        frame = pd.DataFrame({"paper": list("aaabbcccdd"), "reference": range(10)})
        for links in (incidence, frame, [tuple(p) for p in PAPERS], [np.array(p) for p in PAPERS]):
            model = CollectiveRelational(linkage="max", boot_similarity=None, verbose=False)
            assert steps(model.fit(NAMES, links=links, candidates=CANDIDATES)) == steps(chapter())

    @pytest.mark.parametrize("n", [0, 1])
    def test_nothing_to_merge(self, n):
        model = CollectiveRelational(verbose=False).fit(["x"] * n, links=[[0]] * n)
        assert model.labels_.tolist() == [0] * n
        assert model.n_clusters_ == n
        assert model.labels_at(0).tolist() == [0] * n
        assert len(model.merges_) == 0

    def test_columns_are_weighted_by_how_rare_their_values_are(self):
        rng = np.random.default_rng(0)
        n = 40
        frame = pd.DataFrame({"phone": [f"{x:07d}" for x in rng.integers(10**7, size=n)], "city": ["springfield"] * n})
        frame.loc[1, "phone"] = frame.loc[0, "phone"]
        model = CollectiveRelational(threshold=0.9, verbose=False).fit(frame)
        assert model.labels_[0] == model.labels_[1] == 0
        assert model.n_clusters_ == n - 1

    def test_missing_values_and_numbers(self):
        frame = pd.DataFrame({"name": ["Ann Lee", None, "ANN LEE", np.nan], "zip": [12345.0, 777, 12345, np.nan]})
        model = CollectiveRelational(threshold=0.99, verbose=False).fit(frame)
        assert model.labels_.tolist() == [0, 1, 0, 2]


class TestOneName:
    def test_as_the_whole_run(self):
        model = chapter(constraints=None, threshold=0.6)
        whole = clone(model).fit(NAMES, links=PAPERS, candidates=CANDIDATES)
        found = model.resolve_name("w wang", NAMES, links=PAPERS, candidates=CANDIDATES)
        assert found.references.tolist() == [0, 3, 7]
        assert found.n_compared == 10
        assert same_partition(found.labels.tolist(), whole.labels_[[0, 3, 7]].tolist())

    def test_levels_reach_further(self):
        chain = ["ann", "bob", "bob", "cid", "cid", "dan"]
        links = [[0, 1], [2, 3], [4, 5]]
        model = CollectiveRelational(verbose=False)
        sizes = [model.resolve_name("Ann", chain, links=links, level=level).n_compared for level in range(4)]
        assert sizes == [1, 3, 5, 6]

    @pytest.mark.parametrize("blocking", ["canopies", "names", "neighborhood"])
    @pytest.mark.parametrize("similarity", ["ngrams", "soft_tfidf"])
    def test_every_blocking(self, blocking, similarity):
        model = CollectiveRelational(threshold=0.4, blocking=blocking, similarity=similarity, verbose=False)
        found = model.resolve_name("A Ansari", [name.replace(".", " ") for name in NAMES], links=PAPERS)
        assert found.references.tolist() == [2, 4, 9]

    def test_bad_input(self):
        model = CollectiveRelational(verbose=False)
        with pytest.raises(ValueError, match="No reference is called 'zoe'"):
            model.resolve_name("zoe", NAMES)
        with pytest.raises(ValueError, match="name=3"):
            model.resolve_name(3, NAMES)
        with pytest.raises(ValueError, match="level=-1"):
            model.resolve_name("w wang", NAMES, level=-1)
        with pytest.raises(ValueError, match="have no names"):
            model.resolve_name("w wang", sparse.eye_array(3))


class TestBadInput:
    @pytest.mark.parametrize(
        ("candidates", "message"),
        [
            ([(0, 1, 1.5)], "not from 0 to 1"),
            ([(0, 1, np.nan)], "not from 0 to 1"),
            ([(0, 10, 0.5)], "not from 0 to 9"),
            ([(-1, 1, 0.5)], "not from 0 to 9"),
            ([(2, 2, 0.5)], "paired with itself"),
            ([(0, 1, 0.5), (1, 0, 0.6)], r"pair \(0, 1\) twice, with 0.5 and 0.6"),
            ([(0.5, 1, 0.5)], "no row numbers"),
            ([(0, 1)], r"shape \(1, 2\)"),
            ("word", "candidates"),
            (sparse.eye_array(3), "3 × 3, but there are 10"),
        ],
    )
    def test_candidates(self, candidates, message):
        with pytest.raises(ValueError, match=message):
            CollectiveRelational(verbose=False).fit(NAMES, candidates=candidates)

    def test_repeated_candidates_with_one_value_are_one(self):
        model = CollectiveRelational(verbose=False).fit(NAMES, candidates=[(0, 1, 0.5), (1, 0, 0.5)])
        assert model.candidates_.pairs.tolist() == [[0, 1]]

    @pytest.mark.parametrize(
        ("links", "message"),
        [
            ([[0, 10]], "10.0 where a row number from 0 to 9"),
            ([[0, -1]], "row number from 0 to 9"),
            ([[0, 0.5]], "row number from 0 to 9"),
            ([0, 1], "at place 0"),
            ("papers", "type str"),
            ([["a", "b"]], "something else than row numbers"),
            ([[1 + 0j, 0j]], "something else than row numbers"),
            (np.array([[1 + 0j, 0j]]), "something else than row numbers"),
            (sparse.eye_array(3), "3 columns, but there are 10 references"),
            (pd.DataFrame({"a": [1]}), "1 columns"),
        ],
    )
    def test_links(self, links, message):
        with pytest.raises(ValueError, match=message):
            CollectiveRelational(verbose=False).fit(NAMES, links=links, candidates=CANDIDATES)

    @pytest.mark.parametrize(
        ("references", "message"),
        [
            ("one text", "type str"),
            (5, "type int"),
            ([["a"], ["b"]], "list in column"),
            (pd.DataFrame(index=range(3)), "no columns"),
            (sparse.eye_array(2, 3), "square"),
            (2 * sparse.coo_array(([1.0], ([0], [1])), shape=(2, 2)), "not from 0 to 1"),
        ],
    )
    def test_references(self, references, message):
        with pytest.raises(ValueError, match=message):
            CollectiveRelational(verbose=False).fit(references)

    def test_both_a_matrix_and_candidates(self):
        with pytest.raises(ValueError, match="give one of them"):
            CollectiveRelational(verbose=False).fit(sparse.eye_array(3), candidates=[(0, 1, 1)])

    @pytest.mark.parametrize(
        "parameters",
        [{"alpha": 1.5}, {"alpha": -0.1}, {"threshold": "high"}, {"linkage": "ward"}, {"overlap": "cosine"},
         {"boot_similarity": 2}, {"boot_links": -1}, {"loose": 0}, {"max_bucket": 0}, {"evidence": "none"}],
    )  # fmt: skip
    def test_parameters(self, parameters):
        with pytest.raises(ValueError, match=next(iter(parameters))):
            CollectiveRelational(**parameters).fit(NAMES)

    def test_must_links_within_a_link(self):
        with pytest.raises(ValueError, match="references 0 and 1 together, but they occur in one link"):
            CollectiveRelational(verbose=False).fit(
                NAMES, links=PAPERS, constraints=Constraints(10, must_link=[(0, 1)])
            )

    def test_preferences(self):
        soft = Constraints(10, must_link=[(0, 3)], must_weight=[2.0])
        with pytest.raises(ValueError, match="hard pairs only"):
            CollectiveRelational(verbose=False).fit(NAMES, constraints=soft)

    def test_functions_that_return_nonsense(self):
        with pytest.raises(ValueError, match="blocking returned"):
            CollectiveRelational(blocking=lambda frame: [(0, 0)], verbose=False).fit(NAMES)
        with pytest.raises(ValueError, match="similarity returned"):
            CollectiveRelational(similarity=lambda frame, pairs: [2.0] * len(pairs), verbose=False).fit(NAMES)

    def test_truth_of_another_length(self):
        with pytest.raises(ValueError, match="2 labels, but there are 10"):
            chapter().precision_recall_curve([0, 1])


def test_names_in_the_field():
    assert {"cr", "er-attributes", "er-pairwise"} <= set(names())
    assert clone(by_name("er-pairwise")(alpha=0.3)).get_params()["alpha"] == 0.3


def test_complex_similarities_are_refused():
    for rows in ([(0, 1, 0.5 + 1j)], np.array([(0, 1, 0.5 + 1j)])):
        with pytest.raises(ValueError, match="candidates holds no numbers"):
            CollectiveRelational(verbose=False).fit(["a", "b"], candidates=rows)
