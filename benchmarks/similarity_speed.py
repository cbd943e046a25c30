"""Learned similarities at size: a metric and a classifier from a million pairs, and kernels of 10,000 rows."""

import subprocess
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from scipy import sparse

from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT, Result, Session
from benchmarks._show import side_by_side
from benchmarks._worker import Task
from benchmarks.reproduce._similarity_metric import Papers, f_scores, made_papers

LABELS, ROWS, FEATURES = 100, 20_000, 20


def metric(n_pairs: int | None, n_papers: int, closest: bool = False) -> Task:
    """Pairs of papers under different names: at random, or the closest ones; F is that of single link, best number."""
    from pluribus.similarity import CannotLinkMetric

    papers = made_papers(0, n_papers)
    X = sparse.csr_array(papers.X)
    model = CannotLinkMetric(random_state=0, verbose=False).fit_names(X[::7], papers.name[::7])  # compiles
    pairs = _closest(papers, n_pairs) if closest else None

    def learned() -> Any:
        if pairs is not None:
            return model.fit(X, constraints=pairs)
        return model.fit_names(X, papers.name, max_pairs=n_pairs)

    return Task(learned, lambda found: _figures(papers, found.transform(X)) | {"pairs": len(found.pairs_)})


def itml(n_pairs: int) -> Task:
    """The peer, one sweep; its process starts, reads the pairs and learns."""
    papers = made_papers(0)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(papers.X), size=(2 * n_pairs, 2))
    pairs = pairs[papers.name[pairs[:, 0]] != papers.name[pairs[:, 1]]][:n_pairs]

    def learned() -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            request, answer = Path(folder, "request.npz"), Path(folder, "answer.npz")
            np.savez(request, X=papers.X, pairs=pairs, max_iter=1)
            command = [str(PYTHON), "-W", "ignore", "-m", "benchmarks._metric_peers", str(request), str(answer)]
            subprocess.run(command, cwd=ROOT, check=True)
            with np.load(answer) as found:
                return found["Z"]

    return Task(learned, lambda found: _figures(papers, found) | {"pairs": len(pairs)})


def _closest(papers: Papers, n_pairs: int | None) -> np.ndarray:
    squares = papers.X.sum(axis=1)  # features are 0 and 1
    distance = squares[:, None] + squares - 2 * papers.X @ papers.X.T
    one, other = np.triu_indices(len(squares), 1)
    apart = papers.name[one] != papers.name[other]
    pairs = np.column_stack([one[apart], other[apart]])
    return pairs[np.argsort(distance[one, other][apart], kind="stable")[:n_pairs]]


def _figures(papers: Papers, Z: Any) -> dict[str, float]:
    Z = Z.toarray() if sparse.issparse(Z) else Z
    names = np.unique(papers.name)
    return {"F": float(np.mean([f_scores(Z[papers.name == n], papers.person[papers.name == n])[0] for n in names]))}


def pairs(n_pairs: int, mu: float) -> Task:
    """CPSVM on two classes that overlap, with few labels and many right pairs."""
    from pluribus import Constraints
    from pluribus.similarity import PairwiseKernelClassifier

    rng = np.random.default_rng(0)
    truth = np.arange(ROWS) % 2
    X = rng.normal(size=(ROWS, FEATURES)) + 0.4 * (2 * truth[:, None] - 1)
    y = np.where(np.arange(ROWS) < LABELS, truth, -1)
    ends = rng.integers(ROWS, size=(n_pairs, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    same = truth[ends[:, 0]] == truth[ends[:, 1]]
    known = Constraints(ROWS, must_link=ends[same], cannot_link=ends[~same])
    model = PairwiseKernelClassifier("hinge", kernel="linear", mu=mu, random_state=0, verbose=False)
    model.fit(X[:200], y[:200])  # compiles
    rest = np.arange(ROWS) >= LABELS
    return Task(
        lambda: model.fit(X, y, constraints=known), lambda found: {"accuracy": found.score(X[rest], truth[rest])}
    )


def kernels(n: int, solver: str) -> Task:
    """One pass over three kernels: linear, quadratic and gaussian; their matrices are part of the work."""
    from pluribus.similarity import OnlineMultipleKernel

    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n)
    X = (rng.normal(size=(10, 50))[y] + 2 * rng.normal(size=(n, 50))).astype(np.float32)
    model = OnlineMultipleKernel(epochs=1, eta0=1.0, solver=solver, random_state=0, verbose=False)
    model.fit(X[:200], y[:200])  # compiles
    return Task(lambda: model.fit(X, y), lambda found: {"accuracy": found.score(X[:1_000], y[:1_000])})


def run(session: Session, options: Namespace) -> Iterator[Table | str]:
    quick = session.quick
    some = session.measure("10,000 random pairs", metric, n_pairs=10_000, n_papers=100)
    closest = session.measure("10,000 closest pairs", metric, repeat=1, n_pairs=10_000, n_papers=100, closest=True)
    peers = []
    if PYTHON.exists():
        n_pairs = 1_000 if quick else 10_000
        peers.append(
            session.measure(f"metric-learn ITML, {n_pairs:,} pairs", itml, repeat=1, may_fail=True, n_pairs=n_pairs)
        )
    groups: list[tuple[Result, list[Result]]] = [(some, peers), (closest, [])]
    if not quick:
        groups += [
            (session.measure("280,000 pairs", metric, repeat=1, n_pairs=None, n_papers=100), []),
            (session.measure("1,000,000 pairs", metric, repeat=1, n_pairs=1_000_000, n_papers=200), []),
        ]
    yield side_by_side("CannotLinkMetric, made papers under eight names, about 1,270 features", groups)
    yield _told([result for ours, others in groups for result in (ours, *others)])
    n_pairs = 20_000 if quick else 1_000_000
    ours = [session.measure(f"mu = {mu:g}", pairs, repeat=1, n_pairs=n_pairs, mu=mu) for mu in (1.0, LABELS / n_pairs)]
    yield side_by_side(f"CPSVM, {LABELS} labels and {n_pairs:,} pairs", [(result, []) for result in ours])
    yield _told(ours)
    n = 1_000 if quick else 10_000
    ours = [
        session.measure(f"one pass, {solver}", kernels, repeat=1, n=n, solver=solver) for solver in ("online", "dual")
    ]
    yield side_by_side(f"OnlineMultipleKernel, {n:,} rows, 3 kernels, 10 classes", [(result, []) for result in ours])
    yield _told(ours)


def _told(results: list[Result]) -> str:
    return "\n".join(
        f"{result.case}: " + ", ".join(f"{name} {value:,.3f}" for name, value in result.figures.items())
        for result in results
        if result.done
    )
