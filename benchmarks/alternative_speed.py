"""Alternative partitions at size: CCIB on 10,000 sparse documents, CondEns and residuals on 1,000,000 rows."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table
from scipy import sparse

from benchmarks._alternative_sets import TwoPartitions
from benchmarks._session import Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task

TERMS, WORDS, LANGUAGES, TOPICS = 5_000, 60, 4, 5
GROUPS, CLUSTERS, FEATURES = 4, 5, 8


def documents(n: int) -> TwoPartitions:
    """Counts of terms: half of the words are from all texts, a quarter from one of 4 known groups, the rest of a topic.

    All follow Zipf's law over an order of the terms of their own.
    """
    rng = np.random.default_rng(0)
    known, topic = rng.integers(LANGUAGES, size=n), rng.integers(TOPICS, size=n)
    orders = np.stack([rng.permutation(TERMS) for _ in range(1 + LANGUAGES + TOPICS)])
    row = np.repeat(np.arange(n), rng.poisson(WORDS, n) + 1)
    kind = rng.choice(3, size=len(row), p=(0.5, 0.25, 0.25))
    source = np.choose(kind, [np.zeros(len(row), dtype=np.int64), 1 + known[row], 1 + LANGUAGES + topic[row]])
    shares = np.cumsum(1 / np.arange(1, TERMS + 1))
    rank = np.searchsorted(shares, rng.random(len(row)) * shares[-1])
    X = sparse.csr_array((np.ones(len(row)), (row, orders[source, rank])), shape=(n, TERMS))
    X.sum_duplicates()
    return TwoPartitions(X, known, topic)


def shifted(n: int) -> TwoPartitions:
    """Numbers in single precision: the known groups shift the first feature, the wanted clusters the second."""
    rng = np.random.default_rng(0)
    known, wanted = rng.integers(GROUPS, size=n), rng.integers(CLUSTERS, size=n)
    X = rng.normal(size=(n, FEATURES)).astype(np.float32)
    X[:, 0] += 10 * known
    X[:, 1] += 8 * wanted
    return TwoPartitions(X, known, wanted)


def of_documents(method: str, n: int, **how: Any) -> Task:
    return _task(method, documents(n), documents(300), TOPICS, **how)


def of_rows(method: str, n: int, **how: Any) -> Task:
    return _task(method, shifted(n), shifted(300), CLUSTERS, **how)


def _task(method: str, given: TwoPartitions, small: TwoPartitions, k: int, **how: Any) -> Task:
    from sklearn.metrics import adjusted_rand_score

    from pluribus.alternative import by_name

    model = by_name(method)(k, random_state=0, **how)
    if "verbose" in model.get_params(deep=False):
        model.set_params(verbose=False)
    model.fit(small.X, known=small.known)  # compiles
    return Task(
        lambda: model.fit(given.X, known=given.known).labels_,
        lambda found: {"ari": adjusted_rand_score(given.wanted, found)},
    )


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    n = 2_000 if session.quick else 10_000
    ours = [
        session.measure("CCIB", of_documents, repeat=1, method="ccib", n=n, n_jobs=session.jobs),
        session.measure("CCIB, coordination=0.3", of_documents, repeat=1, method="ccib", n=n, coordination=0.3),
    ]
    peer = session.measure("residual k-means", of_documents, repeat=1, method="residual-kmeans", n=n)
    title = f"{n:,} documents of about {WORDS} words, {TERMS:,} terms, {LANGUAGES} known groups, {TOPICS} topics"
    yield side_by_side(title, [(one, [peer]) for one in ours])
    n = 50_000 if session.quick else 1_000_000
    ours = [
        session.measure("CondEns", of_rows, repeat=1, method="condens", n=n),
        session.measure("CondEns, Gaussian", of_rows, repeat=1, method="condens-gaussian", n=n),
    ]
    peer = session.measure("residual k-means", of_rows, repeat=1, method="residual-kmeans", n=n)
    title = f"{n:,} rows of {FEATURES} features in single precision, {GROUPS} known groups, {CLUSTERS} clusters"
    yield side_by_side(title, [(one, [peer]) for one in ours])
