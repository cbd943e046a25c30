import dataclasses
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from pluribus.compare import adjusted_rand_index
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy
from pluribus.report import Case, render, summarize
from pluribus.report.result.summarize import _agree


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 3)), min_size=1, max_size=40))
def test_adjusted_rand_index_over_the_objects_that_both_cover(pairs):
    a, b = np.array(pairs).T
    both = (a >= 0) & (b >= 0)
    if both.any():
        assert _agree(adjusted_rand_index, a, b) == pytest.approx(adjusted_rand_score(a[both], b[both]))


def test_ambiguous_objects_and_the_clusters_they_are_between(plain_case):
    membership = np.array([[1, 0, 0], [0.5, 0.1, 0.4], [0.5, 0.3, 0.2], [0.45, 0.55, 0], [0.1, 0.1, 0.8], [0, 0, 0]])
    result = np.array([0, 0, 0, 1, 2, -1])
    case = plain_case([np.abs(result)], result, membership=membership, uncertainty=normalized_entropy(membership))
    summary = summarize(case)
    assert (summary.n_ambiguous, summary.n_unclustered) == (3, 1)
    assert summary.share_clear == pytest.approx(2 / 5)
    assert [c.n_ambiguous for c in summary.clusters] == [2, 1, 0]
    assert summary.between == (0, 1, 2)
    first = summary.clusters[0]
    assert [e.id for e in first.typical] == ["object 0", "object 1", "object 2"]
    assert [(e.id, e.next_best) for e in first.ambiguous] == [("object 2", 1), ("object 1", 2)]
    assert summary.clusters[2].typical[0].id == "object 4"


def test_equally_certain_objects_are_told_apart_by_their_place(plain_case):
    X = np.array([[9.0], [0.0], [5.0], [50.0], [52.0], [51.0]])
    summary = summarize(plain_case([[0, 0, 0, 1, 1, 1]], [0, 0, 0, 1, 1, 1], X=X))
    assert [e.id for e in summary.clusters[0].typical] == ["object 2", "object 0", "object 1"]
    assert summary.clusters[1].typical[0].id == "object 5"
    assert summary.clusters[0].ambiguous == ()


def test_sizes_and_shares_add_up(make_case):
    case = make_case(labels=np.r_[np.full(6, -1), np.repeat([0, 1, 2], 28)])
    summary = summarize(case)
    assert [c.size for c in summary.clusters] == [28, 28, 28]
    assert sum(c.share for c in summary.clusters) == pytest.approx(84 / 90)
    for cluster in summary.clusters:
        mine = case.labels == cluster.number
        assert cluster.uncertainty == pytest.approx(case.uncertainty[mine].mean())
        assert {e.id for e in cluster.typical + cluster.ambiguous} <= set(case.ids[mine])


def test_lifetimes_around_the_choice(make_case, plain_case):
    few = summarize(make_case()).lifetimes
    assert few.k.tolist() == list(range(1, 21))
    labels = np.arange(60)
    lifetimes = np.r_[0.0, np.inf, np.nan, np.linspace(0, 1, 58)]
    many = summarize(plain_case([labels], labels, lifetimes=lifetimes)).lifetimes
    assert many.k[0] == 50
    assert many.k[-1] == 60
    assert many.chosen == 60
    assert np.isfinite(summarize(plain_case([[0, 1]], [0, 1], lifetimes=lifetimes)).lifetimes.value).all()


def test_the_map_tells_what_it_is_made_of(make_case):
    of_features = summarize(make_case()).map
    assert of_features.basis == "features"
    of_labels = summarize(make_case(with_X=False)).map
    assert of_labels.basis == "labels"
    centers = [of_labels.x[of_labels.labels == c].mean() for c in range(3)]
    assert np.ptp(centers) > 1
    assert "of the variance" in of_labels.axes[0]


def test_the_same_case_gives_the_same_report(make_case):
    pages = {render(summarize(make_case(n=400, r=5))) for _ in range(2)}
    assert len(pages) == 1


EDGES = {
    "one cluster": ([[0, 0, 0, 0]] * 3, [0, 0, 0, 0]),
    "two objects": ([[0, 1], [0, 0]], [0, 1]),
    "two objects, one cluster": ([[0, 0], [0, 0]], [0, 0]),
    "every object its own cluster": ([[0, 1, 2, 3]] * 2, [0, 1, 2, 3]),
    "one member": ([[0, 0, 1, 1, 2]], [0, 0, 1, 1, 2]),
    "nothing clustered": ([[0, 0, 1]], [-1, -1, -1]),
    "some not clustered": ([[0, 0, 1, -1], [0, 0, 1, 1]], [0, 0, 1, -1]),
    "pairs never together": ([[0, 0, -1, -1], [-1, -1, 0, 0]], [0, 0, 1, 1]),
    "sixty clusters": ([np.arange(180) % 60] * 3, np.arange(180) % 60),
    "hundred clusters": ([np.arange(300) % 100] * 3, np.arange(300) % 100),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("with_X", [False, True])
def test_edges(plain_case, edge, with_X):
    members, result = EDGES[edge]
    n = len(result)
    extra = {}
    if with_X:
        X = np.column_stack([np.ones(n), np.arange(n) % 7])
        extra = {"X": X, "frame": pd.DataFrame(X, columns=["constant", "value"]).astype({"constant": str})}
        if n > 1 and edge != "pairs never together":
            from scipy.cluster.hierarchy import linkage

            extra |= {"linkage": linkage(X), "lifetimes": np.linspace(0, 1, n + 1)}
    summary = summarize(plain_case(members, result, **extra))
    page = render(summary)
    assert "NaN" not in page.partition('id="figure-data">')[2].partition("</script>")[0]
    assert "nan" not in page.partition("<main>")[2].partition("</main>")[0]
    assert sum(c.size for c in summary.clusters) + summary.n_unclustered == n


@given(st.integers(2, 30), st.integers(1, 6), st.integers(1, 5), st.integers(0, 1000))
def test_any_labels_can_be_summarized(n, r, k, seed):
    rng = np.random.default_rng(seed)
    members = rng.integers(-1, k, (n, r))
    members[:, 0] = np.maximum(members[:, 0], 0)
    members[0] = 0
    result = rng.integers(-1, k, n)
    membership = rng.random((n, k))
    membership /= membership.sum(axis=1, keepdims=True)
    case = Case("any", Ensemble(members), result, membership, normalized_entropy(membership), np.arange(n).astype(str))
    summary = summarize(case)
    sizes = [(result == c).sum() for c in range(result.max() + 1)]
    assert [c.size for c in summary.clusters] == sizes
    assert summary.n_unclustered == n - sum(sizes)
    assert summary.n_ambiguous == sum(c.n_ambiguous for c in summary.clusters) <= sum(sizes)
    both = [(members[:, p] >= 0) & (result >= 0) for p in range(r)]
    wanted = [adjusted_rand_score(members[seen, p], result[seen]) if seen.any() else 0 for p, seen in enumerate(both)]
    assert summary.members.ari == pytest.approx(wanted)
    page = render(summary).partition("<main>")[2].partition("</main>")[0]
    assert "nan" not in page


def test_a_summary_holds_no_objects_of_the_case(make_case):
    summary = summarize(make_case())
    for field in dataclasses.fields(summary):
        assert not isinstance(getattr(summary, field.name), Case | Ensemble | pd.DataFrame)


@pytest.mark.slow
def test_a_hundred_thousand_rows_take_seconds_and_megabytes():
    n, r, k, d = 100_000, 50, 8, 20
    rng = np.random.default_rng(0)
    result = np.sort(rng.integers(0, k, n))
    X = rng.normal(size=(n, d)) + rng.normal(size=(k, d))[result]
    members = np.column_stack([(result * 3 + rng.integers(0, 4, n)) % (10 + p) for p in range(r)])
    chain = np.empty((n - 1, 4))  # the deepest of all dendrograms
    chain[:, 0] = np.r_[0, n + np.arange(n - 2)]
    chain[:, 1] = np.arange(1, n)
    chain[:, 2] = np.linspace(0, 1, n - 1)
    chain[:, 3] = np.arange(2, n + 1)
    membership = rng.dirichlet(np.full(k, 0.1), n)
    case = Case(
        "large",
        Ensemble(members),
        result,
        membership,
        normalized_entropy(membership),
        np.array([f"customer {i:06d}" for i in range(n)]),
        linkage=chain,
        lifetimes=np.zeros(n + 1),
        X=X,
        frame=pd.DataFrame(X).assign(city=rng.integers(0, 5000, n).astype(str)),
    )
    start = time.process_time()
    page = render(summarize(case))
    assert time.process_time() - start < 15
    assert len(page.encode()) < 8e6
