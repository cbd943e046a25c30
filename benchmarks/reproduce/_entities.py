"""Entity resolution (chapter 10 of Constrained Clustering): the sets, the made hypergraphs, and the scores.

The chapter reports the best F1 of pairs over all thresholds. Here the F1 at the threshold that is chosen without labels
stands next to it.
"""

import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import _data
from benchmarks._installed_peers import PYTHON
from benchmarks._session import ROOT

METHODS = ("A", "A*", "NR", "NR*", "CR", "CR, threshold chosen", "splink")
SETS = {  # the file of each row, and its columns that say nothing about the entity
    "Cora citations": ("er_cora", ("id",)),
    "Fodor's and Zagat's": ("er_fodors_zagats", ("id", "source")),
    "Febrl persons": ("er_febrl3", ("rec_id",)),
}
NAMES = "author names"
NEIGHBORS = {"0.48": 12, "1": 25, "2": 50, "3": 75, "4": 100, "8": 200}  # of an entity: relations of 50 entities
_ALPHAS = (0.5, 0.75)


class Mentions(NamedTuple):
    """References, who they are, who occurs together, and perhaps the pairs to compare."""

    frame: pd.DataFrame
    truth: np.ndarray
    links: list[list[int]] | None = None
    candidates: np.ndarray | None = None
    how: dict[str, Any] = {}


@cache
def score_set(row: str) -> dict[str, float]:
    """The scores of all methods on a set without links, or on the author names."""
    mentions = author_names() if row == NAMES else _read(row)
    found = _scores(mentions, (0.5,))
    if row in SETS and PYTHON.exists():
        found["splink"] = _splink(mentions)
    return found


def score_made(neighbors: str, seed: int) -> dict[str, float]:
    """The scores on a made hypergraph, best over alpha too, as the chapter does."""
    return _scores(made(NEIGHBORS[neighbors], seed), _ALPHAS)


def _scores(mentions: Mentions, alphas: tuple[float, ...]) -> dict[str, float]:
    from pluribus.relational import by_name

    frame, truth, links, candidates, how = mentions

    def fitted(name: str, **more: Any) -> Any:
        return by_name(name)(verbose=False, **how, **more).fit(frame, links=links, candidates=candidates)

    found = {}
    attributes = fitted("er-attributes")
    found["A"] = attributes.precision_recall_curve(truth, closure=False).f1.max()
    found["A*"] = attributes.precision_recall_curve(truth).f1.max()
    pairwise = [fitted("er-pairwise", alpha=alpha) for alpha in alphas] if links is not None else []
    for title, closure in (("NR", False), ("NR*", True)):
        if pairwise:
            found[title] = max(model.precision_recall_curve(truth, closure=closure).f1.max() for model in pairwise)
    collective = [fitted("cr", alpha=alpha) for alpha in alphas]
    found["CR"] = max(model.precision_recall_curve(truth).f1.max() for model in collective)
    found["CR, threshold chosen"] = _f1_at(collective[0], truth)
    return {name: float(value) for name, value in found.items()}


def _f1_at(model: Any, truth: np.ndarray) -> float:
    curve = model.precision_recall_curve(truth)
    return float(curve.f1[np.searchsorted(-curve.thresholds, -model.threshold_, side="right") - 1])


def _read(row: str) -> Mentions:
    file, useless = SETS[row]
    table = pd.read_csv(_data.FOLDER / f"{file}.csv.gz", dtype=str)
    return Mentions(table.drop(columns=["label", *useless]), table["label"].to_numpy())


def author_names() -> Mentions:
    """Each author of each paper is a reference, each paper a link; only the ambiguous name's references are labeled.

    The ambiguous references have title, venue and organization too. References are compared if their names are equal.
    """
    from pluribus.relational import key_pairs

    papers = pd.read_csv(_data.FOLDER / "er_author_names.csv.gz", dtype=str)
    rows: list[tuple[str | None, ...]] = []
    truth: list[str | None] = []
    links: list[list[int]] = []
    for paper in papers.itertuples():
        others = {author.strip() for author in str(paper.authors).split(",")} - {paper.name, ""}
        links.append(list(range(len(rows), len(rows) + 1 + len(others))))
        rows += [(paper.name, paper.title, paper.venue, paper.organization)]
        rows += [(other, None, None, None) for other in sorted(others)]
        truth += [f"{paper.name} {paper.label}", *[None] * len(others)]
    frame = pd.DataFrame(rows, columns=["name", "title", "venue", "organization"])
    names = frame["name"].str.lower().str.replace(r"[^\w]+", " ", regex=True).str.strip()
    pairs = key_pairs(names.tolist(), max_bucket=10_000)
    how = {"blocking": lambda _: pairs}
    return Mentions(frame, np.array(truth, dtype=object), links, None, how)


def made(n_relations: int, seed: int) -> Mentions:
    """50 entities, of which some share an attribute, with random relations; 300 hyper-edges of related entities."""
    rng = np.random.default_rng(seed)
    n, n_edges, p_shared, largest, p_more, sigma = 50, 300, 0.6, 3, 0.9, 0.5
    groups: list[int] = []  # sizes
    group = np.empty(n, int)
    for entity in range(n):
        open_groups = [g for g, size in enumerate(groups) if size < largest]
        if open_groups and rng.random() < p_shared:
            group[entity] = rng.choice(open_groups)
            groups[group[entity]] += 1
        else:
            group[entity] = len(groups)
            groups.append(1)
    value = 10.0 * rng.permutation(len(groups))[group]
    related: list[set[int]] = [set() for _ in range(n)]
    for _ in range(n_relations):
        one, other = rng.choice(n, 2, replace=False)
        related[one].add(int(other))
        related[other].add(int(one))
    entities: list[int] = []
    links: list[list[int]] = []
    for _ in range(n_edges):
        members = [int(rng.integers(n))]
        unused = sorted(related[members[0]])
        while unused and rng.random() < p_more:
            members.append(unused.pop(int(rng.integers(len(unused)))))
        links.append(list(range(len(entities), len(entities) + len(members))))
        entities += members
    truth = np.array(entities)
    x = value[truth] + sigma * rng.normal(size=len(truth))
    i, j = np.triu_indices(len(x), 1)
    near = np.abs(x[i] - x[j]) <= 6
    candidates = np.column_stack([i[near], j[near], 1 - np.abs(x[i] - x[j])[near] / 6])
    frame = pd.DataFrame({"value": x.round(2).astype(str)})
    return Mentions(frame, truth, links, candidates, {"boot_similarity": 0.5, "boot_links": 1})


def _splink(mentions: Mentions) -> float:
    """The best F1 of splink's pairs over all thresholds, of the pairs themselves or their closure."""
    from pluribus.relational import by_name

    with tempfile.TemporaryDirectory() as folder:
        table, answer = Path(folder, "table.csv"), Path(folder, "answer.npz")
        mentions.frame.to_csv(table, index=False)
        call = [str(PYTHON), "-m", "benchmarks._resolve_peers", str(table), str(answer)]
        subprocess.run(call, cwd=ROOT, check=True, capture_output=True)
        with np.load(answer) as arrays:
            given = np.column_stack([arrays["pairs"], arrays["probability"]])
    texts = [str(row) for row in range(len(mentions.frame))]
    model = by_name("er-attributes")(verbose=False).fit(texts, candidates=given)
    truth = mentions.truth
    return float(max(model.precision_recall_curve(truth, closure=c).f1.max() for c in (False, True)))
