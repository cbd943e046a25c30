"""What a job takes of memory, and what is chosen for that."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pluribus import EnsembleClusterer
from pluribus._engine import memory_budget
from pluribus.consensus import EvidenceAccumulation, make_plan, plan_of
from pluribus.evidence import CoAssociation, MemoryLimitError
from pluribus.generate import Generator
from pluribus.tables import open_rows


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
    plan = make_plan(60_000, 100, 270, limit="400MB")
    assert plan.evidence == "neighbors"
    assert "all need 300.0 MB" in plan.sentences[1] or "all need" in plan.sentences[1]


def test_labels_go_to_a_file():
    plan = make_plan(10_000_000, 50, 100, method="voting", limit="20GB")
    assert plan.parts["labels"] == 500_000_000
    plan = make_plan(1_000_000, 300, 1000, method="voting", limit="8.5GB")
    assert plan.parts["labels"] == 600_000_000
    assert make_plan(1_000_000, 50, 100, limit="30GB").parts["labels"] == 50_000_000


@pytest.mark.parametrize(
    ("job", "advice"),
    [
        ({"n_partitions": 50, "method": "eac"}, "members instead of 50; or raise the memory limit"),
        ({"n_partitions": 50, "method": "eac", "table": 1.5e9}, "Parquet file"),
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


def test_rows_in_a_file_take_no_memory(tmp_path):
    X = np.zeros((20_000, 4), dtype=np.float32)
    np.save(tmp_path / "x.npy", X)
    generator = Generator(n_members=10)
    assert plan_of(X, generator, limit="1GB").parts["table"] == X.nbytes
    rows = open_rows(tmp_path / "x.npy")
    assert plan_of(rows.array, generator, limit="1GB").parts["table"] == 0


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
