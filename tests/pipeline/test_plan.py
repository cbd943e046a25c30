"""What a job takes of memory, and what is chosen for that."""

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from pluribus import EnsembleClusterer
from pluribus._engine import memory, memory_budget
from pluribus.consensus import EvidenceAccumulation
from pluribus.evidence import CoAssociation, MemoryLimitError
from pluribus.generate import Generator
from pluribus.pipeline import default_generator, make_plan, plan_of


def test_a_small_job_looks_at_all_pairs():
    plan = make_plan(1000, 100, 45, limit="1GB")
    assert plan.evidence == "operator"
    assert plan.peak < plan.limit == 1e9
    assert "all pairs" in plan.sentences[1]


def test_a_large_job_takes_the_strongest_pairs():
    plan = make_plan(1_000_000, 50, 1020, limit="8GB")
    assert plan.evidence == "neighbors"
    assert "minutes" in plan.sentences[1]


def test_little_memory_takes_the_strongest_pairs():
    plan = make_plan(60_000, 100, 270, limit="600MB")
    assert plan.evidence == "neighbors"
    assert "with all pairs, it would be 671.6 MB" in plan.sentences[1]


def test_what_happens_to_be_free_changes_no_result(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 250e6 / 0.7)
    with pytest.raises(MemoryLimitError):  # rather than another result than yesterday
        make_plan(60_000, 100, 270)
    with memory_budget("600MB"):
        assert make_plan(60_000, 100, 270).evidence == "neighbors"


def test_labels_that_are_there_are_counted():
    assert make_plan(10_000_000, 20, 100, n_distinct=50_000, limit="10GB").peak < 5e9
    assert make_plan(60_000, 20, 100, n_distinct=60_000, seconds=2458, limit="10GB").evidence == "neighbors"


def test_the_form_that_is_asked_for():
    plan = make_plan(1000, 10, 20, evidence="neighbors", limit="1GB")
    assert plan.evidence == "neighbors"
    assert plan.sentences[1] == "Evidence: neighbors, as requested."


@pytest.mark.parametrize(
    ("job", "advice"),
    [
        ({"n_partitions": 50, "method": "eac"}, "make [0-9]+ members instead of 50; or raise the memory limit"),
        ({"n_partitions": 50, "method": "eac", "n_distinct": 1_000_000}, "voting\\); or raise the memory limit"),
        ({"n_partitions": 20, "method": "eac", "table": 1.5e9}, "Parquet file"),
        (
            {"n_partitions": 12, "method": "cspa", "n_distinct": 100_000},
            r"use another consensus function \(hbgf or voting",
        ),
    ],
)
def test_what_cannot_fit_is_refused_with_advice(job, advice):
    with pytest.raises(
        MemoryLimitError, match=rf"1,000,000 objects .* more than the 2.0 GB allowed. To do: .*{advice}"
    ):
        make_plan(1_000_000, most_clusters=100, limit="2GB", **job)


@pytest.mark.parametrize("limit", ["0.6GB", "0.8GB", "1GB"])
@pytest.mark.parametrize(("n", "r"), [(200_000, 100), (1_000_000, 50), (3_000_000, 20)])
def test_advice_is_enough(n, r, limit):
    with pytest.raises(MemoryLimitError) as refused:
        make_plan(n, r, 1000, table=4e7, limit=limit)
    text = str(refused.value)
    plans = [make_plan(n, r, 1000, table=4e7, limit=re.search(r"limit to (.*)\.", text)[1])]
    if found := re.search(r"make (\d+) members", text):
        plans.append(make_plan(n, int(found[1]), 1000, table=4e7, limit=limit))
    if "Parquet" in text:
        plans.append(make_plan(n, r, 1000, limit=limit))
    if found := re.search(r"function \((\w+)", text):
        plans.append(make_plan(n, r, 1000, method=found[1], table=4e7, limit=limit))
    assert all(plan.peak <= plan.limit for plan in plans)


def test_rows_in_a_file_take_no_memory(tmp_path):
    X = np.zeros((20_000, 4), dtype=np.float32)
    np.save(tmp_path / "x.npy", X)
    generator = Generator(n_members=10)
    in_memory = plan_of(X, generator, limit="1GB").parts["table"]
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert plan_of(mapped, generator, limit="1GB").parts["table"] == in_memory - X.nbytes
    sparse_X = sparse.csr_array(np.eye(20_000, 4, dtype=np.float32))
    assert plan_of(sparse_X, generator, limit="1GB").parts["table"] > in_memory - X.nbytes


def test_clusterer_keeps_its_plan_and_refuses():
    X, _ = make_blobs(300, random_state=0)
    model = EnsembleClusterer(Generator(n_members=5), n_clusters=3, memory_limit="1GB", random_state=0).fit(X)
    assert model.plan_.limit == 1e9
    with pytest.raises(MemoryLimitError, match="300 objects in 5 partitions"):
        EnsembleClusterer(Generator(n_members=5), n_clusters=3, memory_limit="1MB").fit(X)
    with pytest.raises(ValueError, match="memory limit 'much'"):
        EnsembleClusterer(memory_limit="much").fit(X)


def test_evidence_accumulation_keeps_to_the_limit():
    labels = np.random.default_rng(0).integers(0, 30, (2000, 20))
    exact = EvidenceAccumulation(3, linkage="average", verbose=False).fit(labels)
    assert exact.evidence_ == "operator"
    with memory_budget("2MB"), pytest.warns(UserWarning, match=r"need 2.3 MB, more than the 2.0 MB allowed"):
        assert EvidenceAccumulation(3, linkage="average", verbose=False).fit(labels).evidence_ == "neighbors"
    with memory_budget("2MB"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert EvidenceAccumulation(3, linkage="average", verbose=False).fit(np.repeat(labels[:100], 20, axis=0))


def test_matrices_keep_to_the_limit():
    labels = np.zeros((1000, 3), dtype=int)
    with (
        memory_budget("1MB"),
        pytest.raises(MemoryLimitError, match=r"would take 8.0 MB, more than memory_limit = 1.0 MB"),
    ):
        CoAssociation(labels, form="dense")


@pytest.mark.parametrize(
    ("sizes", "options", "message"),
    [
        ((10, 2, 2), {"method": "nope"}, "give one of acccs"),
        ((10, 2, 2), {"method": None}, "method=None: give one of acccs"),
        ((10, 2, 2), {"evidence": "all"}, "evidence='all': give one of auto"),
        ((10, 0, 0), {}, "nothing to plan"),
        ((0, 2, 2), {"method": ""}, "nothing"),
        ((10, [], 2), {}, r"n_partitions=\[\]: give a whole number"),
        ((10, 2, float("inf")), {}, "most_clusters=inf: give a whole number"),
        ((10**30, 2, 2), {}, "n_objects=1000000000000000000000000000000: give a whole number"),
        ((10, 2, 2), {"n_clusters": 0}, "n_clusters=0: give a whole number"),
        ((10, 2, 2), {"n_distinct": "5"}, "n_distinct='5': give a whole number"),
        ((10, 2, 2), {"seconds": float("nan")}, "seconds=nan: give a number"),
        ((10, 2, 2), {"table": float("inf")}, "table=inf: give a number"),
    ],
)
def test_what_cannot_be_planned(sizes, options, message):
    with pytest.raises(ValueError, match=message):
        make_plan(*sizes, **options)


def test_what_has_no_plan():
    with pytest.raises(ValueError, match="generator=list: give a Generator"):
        plan_of(np.zeros((5, 2)), [])
    for X in ([[1, 2]], np.zeros(5), "data.csv"):
        with pytest.raises(ValueError, match="give an array, a sparse matrix or Rows"):
            plan_of(X, Generator())


def test_a_sparse_table_of_any_form_has_a_plan():
    X = sparse.random_array((200, 30), density=0.1, random_state=0)
    plans = [plan_of(form(X), Generator(), "eac", 3) for form in (sparse.csr_array, sparse.coo_array, sparse.csc_array)]
    assert plans[0] == plans[1] == plans[2]


def test_members_through_landmarks_hold_links_for_each_thread():
    X = np.zeros((1000, 4), np.float32)
    tables = [
        plan_of(X, Generator("landmarks", n_members=20, n_clusters=5, n_jobs=jobs), "lwsm", limit="4GB").parts["table"]
        for jobs in (None, 1, 2)
    ]
    assert tables[0] == tables[1]
    assert tables[2] - tables[1] == 1000 * (48 + 6 * 4)
    assert tables[1] == X.nbytes + 400 * 5 * 4 * 4 + 1000 * (48 + 6 * 4)


def test_a_million_rows_of_ten_columns_fit_into_little_more_than_a_gigabyte():
    X = np.lib.stride_tricks.as_strided(np.zeros(1), (1_000_000, 10), (0, 0))
    plan = plan_of(X, default_generator("lwsm", shape=X.shape), "lwsm", limit="1.5GB")
    assert 0.6e9 < plan.peak < 1.2e9
