"""A metric from cannot-links alone (chapter 15 of the book): who wrote which papers under one name.

Papers are sets of title words, the venue and co-authors. Papers under different names are of different people, which is
all that the metric is told. Single link then divides the papers under each name. The publications of the source are not
at hand. Made ones have its number of persons and of papers under each name. Real ones are those of another collection,
with the eight names that are most like the source's: at least 100 papers and 10 persons, and as few persons as there
are.
"""

import re
import subprocess
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import _data
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT
from benchmarks.reproduce._published import Published

BEST, AT_K = "Table 15.2, made names", "Table 15.3, made names"
REAL_BEST, REAL_AT_K = "Real names, best number of clusters", "Real names, true number of clusters"
MEANS, SECONDS = "Means over eight names", "Time of the metric"
TABLES = (MEANS, BEST, AT_K, REAL_BEST, REAL_AT_K, SECONDS)
METHODS = ("learned", "IDF", "Euclidean", "10,000 pairs", "diagonal", "ITML")
PERSONS = {
    "D. Johnson": 17, "A. Gupta": 23, "J. Smith": 29, "R. Johnson": 29, "L. Zhang": 31, "H. Zhang": 26,
    "R. Jain": 10, "J. Mitchell": 11,
}  # fmt: skip
_BEST = {
    "D. Johnson": (0.644, 0.390, 0.399), "A. Gupta": (0.490, 0.170, 0.169), "J. Smith": (0.417, 0.270, 0.292),
    "R. Johnson": (0.508, 0.253, 0.227), "L. Zhang": (0.278, 0.165, 0.158), "H. Zhang": (0.423, 0.226, 0.226),
    "R. Jain": (0.709, 0.569, 0.552), "J. Mitchell": (0.640, 0.535, 0.536),
}  # fmt: skip
_AT_K = {  # Euclidean for H. Zhang is printed .128, its precision; precision and recall give .210
    "D. Johnson": (0.507, 0.368, 0.389), "A. Gupta": (0.402, 0.142, 0.151), "J. Smith": (0.312, 0.232, 0.222),
    "R. Johnson": (0.263, 0.222, 0.227), "L. Zhang": (0.238, 0.161, 0.142), "H. Zhang": (0.299, 0.209, 0.210),
    "R. Jain": (0.510, 0.520, 0.514), "J. Mitchell": (0.570, 0.523, 0.523),
}  # fmt: skip
_MEANS = {
    "best number": (0.514, 0.322, 0.320),
    "true number": (0.388, 0.297, 0.297),
    "precision at the true number": (0.270, 0.193, 0.194),
    "recall at the true number": (0.729, 0.725, 0.714),
}
_TIMES = {"10,000 pairs": (10_000, 100), "280,000 pairs": (None, 100), "1,000,000 pairs": (1_000_000, 200)}
_PAIRS, _ITML_PAIRS, _ITML_FEATURES = 10_000, 1_000, 2_000  # with more features, one sweep takes minutes
_FILE = _data.FOLDER / "er_author_names.csv.gz"
_NOTE = (
    "learned: all pairs of papers under different names. The next columns are the same with 10,000 pairs, and with a "
    f"diagonal metric. ITML: `metric-learn` (`make peers`), {_ITML_PAIRS:,} pairs, three sweeps; made names only."
)


class Papers(NamedTuple):
    X: np.ndarray  # 0 and 1
    name: np.ndarray
    person: np.ndarray


def tables(quick: bool) -> list[Published]:
    """F of pairs of papers under each name, and processor time."""
    more = (None,) * 3
    best = {name: (*values, *more) for name, values in _BEST.items()}
    at_k = {name: (*values, *more) for name, values in _AT_K.items()}
    real = _FILE.exists()
    kinds = ("made", "real") if real else ("made",)
    means = {f"{kind}, {row}": (*values, *more) for kind in kinds for row, values in _MEANS.items()}
    found = [
        Published(
            MEANS,
            "F, or as the row says",
            True,
            METHODS,
            means,
            f"Published: the source's own eight names. {_NOTE}",
            METHODS[3:],
        ),
        Published(BEST, "F at the best number of clusters", True, METHODS, best, other_forms=METHODS[3:]),
        Published(AT_K, "F at the true number of clusters", True, METHODS, at_k, other_forms=METHODS[3:]),
    ]
    if real:
        rows: dict[str, tuple[float | None, ...]] = dict.fromkeys(real_names(), (None,) * len(METHODS))
        found += [
            Published(REAL_BEST, "F at the best number of clusters", True, METHODS, rows),
            Published(REAL_AT_K, "F at the true number of clusters", True, METHODS, rows),
        ]
    times: dict[str, tuple[float | None, ...]] = dict.fromkeys(list(_TIMES)[: 1 if quick else None], (None, None))
    found.append(Published(SECONDS, "processor seconds", False, ("pluribus", "ITML"), times, "About 1,270 "
                           "features (made names); 1,000,000 pairs: 1,600 papers. ITML: one sweep."))  # fmt: skip
    return found


def n_runs(quick: bool) -> int:
    """Draws of papers."""
    return 1 if quick else 5


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    """One draw of one row."""
    if table == SECONDS:
        return _times(row, run, quick)
    if table == MEANS:
        kind, number = row.split(", ")
        found = _scores(kind, run, quick)
        place = list(_MEANS).index(number)
        return {method: float(np.mean([f[place] for f in names.values()])) for method, names in found.items()}
    kind = "real" if table in (REAL_BEST, REAL_AT_K) else "made"
    place = 0 if table in (BEST, REAL_BEST) else 1
    return {method: names[row][place] for method, names in _scores(kind, run, quick).items()}


@lru_cache(maxsize=16)
def _scores(kind: str, run: int, quick: bool) -> dict[str, dict[str, tuple[float, ...]]]:
    """F at the best number, and F, precision and recall at the true one, for each method and name."""
    papers = made_papers(run) if kind == "made" else real_papers(run)
    spaces = _spaces(papers, run, quick)
    return {
        method: {
            str(name): f_scores(Z[papers.name == name], papers.person[papers.name == name])
            for name in dict.fromkeys(papers.name.tolist())
        }
        for method, Z in spaces.items()
    }


def _spaces(papers: Papers, run: int, quick: bool) -> dict[str, np.ndarray]:
    """The papers as points whose Euclidean distances are those of each method."""
    from scipy import sparse

    from pluribus.similarity import CannotLinkMetric

    X = sparse.csr_array(papers.X)

    def learned(kind: str, max_pairs: int | None) -> np.ndarray:
        model = CannotLinkMetric(kind=kind, random_state=run, verbose=False)
        Z = model.fit_names(X, papers.name, max_pairs=max_pairs).transform(X)
        return Z.toarray() if sparse.issparse(Z) else Z

    idf = 1 + np.log(len(papers.X) / papers.X.sum(axis=0))
    spaces = {
        "learned": learned("full", _PAIRS if quick else None),
        "IDF": papers.X * idf,
        "Euclidean": papers.X,
        "10,000 pairs": learned("full", _PAIRS),
        "diagonal": learned("diagonal", _PAIRS),
    }
    if PYTHON.exists() and papers.X.shape[1] < _ITML_FEATURES and not quick:
        spaces["ITML"] = itml(papers, _ITML_PAIRS, run, sweeps=3)[0]
    return spaces


def f_scores(Z: np.ndarray, person: np.ndarray) -> tuple[float, ...]:
    """Of pairs under single link: the best F of any number of clusters; F, precision and recall at the true one."""
    from scipy.cluster.hierarchy import cut_tree, linkage

    n = len(Z)
    upper = np.triu_indices(n, 1)
    together = (person[:, None] == person)[upper]
    found = np.zeros((n + 1, 3))
    for place, labels in enumerate(cut_tree(linkage(Z, "single")).T):
        joined = (labels[:, None] == labels)[upper]
        right, sizes = (joined & together).sum(), (joined.sum(), together.sum())
        found[n - place] = 2 * right / max(sum(sizes), 1), right / max(sizes[0], 1), right / max(sizes[1], 1)
    return float(found[:, 0].max()), *found[len(np.unique(person))].tolist()


def itml(papers: Papers, n_pairs: int, run: int, sweeps: int) -> tuple[np.ndarray, float]:
    """The papers in the space of ITML of `metric-learn`, and its processor seconds."""
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder, "request.npz"), Path(folder, "answer.npz")
        np.savez(request, X=papers.X, pairs=_drawn(papers, n_pairs, run), max_iter=sweeps)
        command = [str(PYTHON), "-W", "ignore", "-m", "benchmarks._metric_peers", str(request), str(answer)]
        subprocess.run(command, cwd=ROOT, check=True)
        with np.load(answer) as found:
            return found["Z"], float(found["seconds"])


def _drawn(papers: Papers, n_pairs: int, run: int) -> np.ndarray:
    """Pairs of papers under different names."""
    rng = np.random.default_rng(run)
    pairs = rng.integers(len(papers.X), size=(2 * n_pairs, 2))
    return pairs[papers.name[pairs[:, 0]] != papers.name[pairs[:, 1]]][:n_pairs]


def _times(row: str, run: int, quick: bool) -> dict[str, float]:
    from scipy import sparse

    from pluribus.similarity import CannotLinkMetric

    max_pairs, n_papers = _TIMES[row]
    papers = made_papers(run, n_papers)
    X = sparse.csr_array(papers.X)
    model = CannotLinkMetric(random_state=run, verbose=False)
    model.fit_names(X[::7], papers.name[::7])  # compiled
    start = time.process_time()
    model.fit_names(X, papers.name, max_pairs=max_pairs)
    found = {"pluribus": time.process_time() - start}
    if max_pairs == _PAIRS and PYTHON.exists() and not quick:
        found["ITML"] = itml(papers, _PAIRS, run, sweeps=1)[1]
    return found


@lru_cache(maxsize=1)
def _collection() -> Any:
    import pandas as pd

    return pd.read_csv(_FILE)


def real_names() -> list[str]:
    """The eight names with the fewest persons, of those with at least 100 papers and 10 persons."""
    found = _collection().groupby("name")["label"].agg(["size", "nunique"])
    found = found[(found["size"] >= 100) & (found["nunique"] >= 10)]
    return found.sort_values(["nunique", "size"]).index[:8].tolist()


def real_papers(seed: int) -> Papers:
    """100 papers under each of eight names, with all words."""
    rng = np.random.default_rng(seed)
    collection = _collection()
    rows = [rng.choice(np.flatnonzero(collection["name"] == name), 100, replace=False) for name in real_names()]
    part = collection.iloc[np.concatenate(rows)]
    papers = []
    for paper in part.itertuples():
        terms = {f"word {word}" for word in re.findall(r"\w+", paper.title.lower())}
        terms |= {f"author {author}" for author in paper.authors.split(",") if author != paper.name}
        papers.append(terms | ({f"venue {paper.venue}"} if isinstance(paper.venue, str) else set()))
    vocabulary = {term: place for place, term in enumerate(sorted(set().union(*papers)))}
    X = np.zeros((len(papers), len(vocabulary)))
    for i, terms in enumerate(papers):
        X[i, [vocabulary[term] for term in terms]] = 1
    return Papers(X, part["name"].to_numpy(), part["label"].to_numpy())


def made_papers(seed: int, n_papers: int = 100) -> Papers:
    """Papers of made persons with a topic, two favorite venues and six co-authors each."""
    rng = np.random.default_rng(seed)
    vocabulary: dict[str, int] = {}
    papers, names, persons = [], [], []
    for name, k in PERSONS.items():
        share = 1 / np.arange(1, k + 1)
        counts = 1 + rng.multinomial(n_papers - k, share / share.sum())
        for count in counts:
            topic = rng.integers(12)
            venues = [f"v{topic}_{i}" for i in rng.choice(5, 2, replace=False)]
            authors = [f"c{topic}_{i}" for i in rng.choice(80, 6, replace=False)]
            for _ in range(count):
                terms = _made_terms(rng, topic, venues, authors)
                papers.append({vocabulary.setdefault(term, len(vocabulary)) for term in terms})
            names += [name] * count
            persons += [len(set(persons))] * count
    X = np.zeros((len(papers), len(vocabulary)))
    for i, terms in enumerate(papers):
        X[i, list(terms)] = 1
    return Papers(X, np.array(names), np.array(persons))


def _made_terms(rng: np.random.Generator, topic: int, venues: list[str], authors: list[str]) -> list[str]:
    words = []
    for _ in range(rng.integers(4, 9)):
        common = rng.random() < 0.45
        words.append(f"w_{int(150 * rng.random() ** 2)}" if common else f"t{topic}_{int(60 * rng.random() ** 2)}")
    venue = venues[rng.integers(2)] if rng.random() < 0.7 else f"v{topic}_{rng.integers(5)}"
    return [*words, venue, *(authors[rng.integers(6)] for _ in range(rng.integers(0, 4)))]
