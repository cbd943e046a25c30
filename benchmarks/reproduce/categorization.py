"""Supervised clustering of documents: categories that start from labels, beside classifiers of the labels.

The source has a proprietary crawl and a survey of people. Theirs are runs of its method on CLUTO's sets made before and
apart from this library. Halves: fit on one half of the documents, and rank the other; a category stands for the most
frequent class of its documents. The other methods get the same halves: counts of terms, scaled to length 1.
"""

import warnings
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import _data
from benchmarks.reproduce._published import Published, present

PAPER = "Aggarwal, Gates and Yu, chapter 7 of Basu, Davidson and Wagstaff (eds.), Constrained Clustering, 2009."
ALL, AGREEMENT, ACCURACY, NUMBER, RANKS, NOISE = (
    "All documents",
    "Halves, agreement",
    "Halves, accuracy",
    "Halves, number",
    "Halves, ranking",
    "Wrong labels",
)
FIRST_WORDS = 500  # of the seeds of the classes
CLASSES, TERMS, LENGTH, DOCUMENTS = 10, 5000, 100, 2000  # of made texts
MADE = "made texts"
_NOISE_NOTE = (
    "Of the labels, this share was drawn at random. The first three columns are shares of right labels: as given, by "
    "the most frequent class of the category, and by LinearSVC from the other four fifths. 'moved: wrong' is the share "
    "of wrong labels among documents that moved, 'wrong: moved' the share of wrong labels that moved; the last two "
    "columns are the same for LinearSVC."
)
Row = tuple[float | None, ...]
WHOLE: dict[str, Row] = {
    "k1a": (0.718, 0.730, 0.541), "wap": (0.731, 0.746, None), "re0": (0.530, 0.326, None),
    "tr41": (0.814, 0.780, None), "fbis": (None,) * 3, "tr31": (None,) * 3,
}  # fmt: skip
HALVES: dict[str, dict[str, Row]] = {
    AGREEMENT: {
        "k1a": (0.755, 0.687), "wap": (0.772, 0.681), "re0": (0.578, 0.538), "tr41": (0.834, 0.800),
        "fbis": (None, None), "tr31": (None, None),
    },
    ACCURACY: {
        "k1a": (0.751, 0.755, 0.793, 0.848, 0.827), "wap": (0.734, 0.740, 0.778, None, None),
        "re0": (0.710, 0.716, 0.719, None, None), "tr41": (0.881, 0.892, 0.930, None, None),
        "fbis": (None, None, None, 0.777, 0.813), "tr31": (None, None, None, 0.920, 0.959),
    },
    NUMBER: {"k1a": (18.8,), "wap": (17.4,), "re0": (12.0,), "tr41": (9.0,), "fbis": (None,), "tr31": (None,)},
    RANKS: {
        "k1a": (0.885, 0.25, 0.058), "wap": (0.877, 0.24, 0.057), "re0": (0.897, 0.16, 0.047),
        "tr41": (0.966, 0.13, 0.026), "fbis": (None,) * 3, "tr31": (None,) * 3,
    },
}  # fmt: skip
METHODS: dict[str, tuple[str, ...]] = {
    ALL: ("NMI", "adjusted Rand index", "NMI, k-means without labels"),
    AGREEMENT: ("first half", "other half"),
    ACCURACY: ("nearest category", "by domination", "seeds of the classes", "cosine centroid", "LinearSVC"),
    NUMBER: ("categories",),
    RANKS: ("class among three", "any rank changed", "first changed"),
    NOISE: ("as given", "categories", "LinearSVC", "moved: wrong", "wrong: moved", "SVC: wrong", "wrong: SVC"),
}


def tables(quick: bool) -> list[Published]:
    sets = ("tr41", "re0") if quick else tuple(WHOLE)
    noisy = [f"{MADE}, {share}%" for share in ((50,) if quick else (0, 10, 20, 30, 40, 50))]
    noisy += [f"{name}, 20%" for name in sets]
    of_sets = {ALL: WHOLE, **HALVES}
    scores = {ALL: "agreement with the classes", AGREEMENT: "NMI", ACCURACY: "accuracy", NUMBER: "clusters"}
    scores[RANKS] = "share of documents"
    found = [
        Published(title, scores[title], True, METHODS[title], {row: rows[row] for row in sets}, "", _uncounted(title))
        for title, rows in of_sets.items()
    ]
    nothing: Row = (None,) * len(METHODS[NOISE])
    noise = Published(NOISE, "share of documents", True, METHODS[NOISE], dict.fromkeys(noisy, nothing), _NOISE_NOTE)
    return present([*found, noise], lambda table, row: MADE if MADE in row else f"text_{row.split(',')[0]}")


def n_runs(quick: bool) -> int:
    return 2 if quick else 5


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    if table == NOISE:
        return dict(zip(METHODS[NOISE], _restored(row, run), strict=True))
    values = _whole(row, run) if table == ALL else _halves(row, run)[table]
    return dict(zip(METHODS[table], values, strict=True))


def _uncounted(title: str) -> tuple[str, ...]:
    """Columns that are no methods to put in order."""
    return () if title == ACCURACY else METHODS[title][1:]


def _fitted(X: Any, y: np.ndarray) -> Any:
    from pluribus.constrained import CategorySegmentation

    with warnings.catch_warnings(action="ignore"):  # of small classes
        return CategorySegmentation(verbose=False).fit(X, y)


def _whole(row: str, run: int) -> tuple[float, ...]:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    from pluribus.constrained import BalancedKMeans

    X, y = _data.load_text(f"text_{row}")
    labels = _fitted(X, y).labels_
    how: Any = {"balance": 0, "metric": "cosine", "sample": 1.0, "n_init": 1, "random_state": run, "verbose": False}
    plain = BalancedKMeans(len(np.unique(y)), **how).fit(X[np.diff(X.indptr) > 0]).labels_
    truth = y[np.diff(X.indptr) > 0]
    return (
        normalized_mutual_info_score(y, labels),
        adjusted_rand_score(y, labels),
        normalized_mutual_info_score(truth, plain),
    )


@cache
def _halves(row: str, run: int) -> dict[str, tuple[float, ...]]:
    """The scores of all tables, which share their fits."""
    from sklearn.metrics import normalized_mutual_info_score
    from sklearn.svm import LinearSVC

    X, y = _data.load_text(f"text_{row}")
    order = np.random.default_rng(run).permutation(len(y))
    known, new = order[: len(y) // 2], order[len(y) // 2 :]
    model = _fitted(X[known], y[known])
    class_of = np.append(model.classes_[model.seed_origin_.argmax(axis=1)], -1)  # of no category: no class
    nearest, ranked = model.predict(X[new]), model.rank(X[new])
    by_cosine = np.argsort(-model.decision_function(X[new]), axis=1, kind="stable")[:, :3]
    truth = y[new]
    selected = sparse.csr_array(X[:, model.feature_mask_])
    centroids = _centroids(_unit(X[known]), y[known])
    machine = LinearSVC(random_state=run).fit(_unit(X[known]), y[known])
    return {
        AGREEMENT: (
            normalized_mutual_info_score(y[known], model.labels_),
            normalized_mutual_info_score(truth, nearest),
        ),
        ACCURACY: (
            np.mean(class_of[nearest] == truth),
            np.mean(class_of[ranked[:, 0]] == truth),
            np.mean(
                _nearest(selected[new], _heaviest(_centroids(np.sqrt(selected[known]), y[known])), y[known]) == truth
            ),
            np.mean(_nearest(X[new], centroids, y[known]) == truth),
            np.mean(machine.predict(_unit(X[new])) == truth),
        ),
        NUMBER: (float(model.n_clusters_),),
        RANKS: (
            np.mean((class_of[ranked] == truth[:, None]).any(axis=1)),
            np.mean((ranked != by_cosine).any(axis=1)),
            np.mean(ranked[:, 0] != by_cosine[:, 0]),
        ),
    }


def _unit(X: Any) -> sparse.csr_array:
    from sklearn.preprocessing import normalize

    return sparse.csr_array(normalize(X))


def _centroids(X: Any, y: np.ndarray) -> np.ndarray:
    return np.array([X[y == c].sum(axis=0) for c in np.unique(y)])


def _heaviest(centroids: np.ndarray) -> np.ndarray:
    place = np.argsort(np.argsort(-centroids, axis=1, kind="stable"), axis=1)
    return np.where(place < FIRST_WORDS, centroids, 0)


def _nearest(X: Any, centroids: np.ndarray, y: np.ndarray) -> np.ndarray:
    units = centroids / np.linalg.norm(centroids, axis=1, keepdims=True)
    return np.unique(y)[(X @ units.T).argmax(axis=1)]


def _restored(row: str, run: int) -> tuple[float, ...]:
    """How many labels are right as given and after each method, and what each says of the wrong ones."""
    from sklearn.model_selection import KFold, cross_val_predict
    from sklearn.svm import LinearSVC

    name, share = row.split(", ")
    rng = np.random.default_rng(run)
    X, true = made_texts(rng) if name == MADE else _data.load_text(f"text_{name}")
    drawn = rng.choice(np.unique(true), size=len(true))
    given = np.where(rng.random(len(true)) < float(share[:-1]) / 100, drawn, true)
    model = _fitted(X, given)
    class_of = np.append(model.classes_[model.seed_origin_.argmax(axis=1)], -1)  # of no category: no class
    folds = KFold(5, shuffle=True, random_state=run)
    guessed = cross_val_predict(LinearSVC(random_state=run), _unit(X), given, cv=folds)
    wrong = true != given
    return (
        float(np.mean(~wrong)),
        float(np.mean(class_of[model.labels_] == true)),
        float(np.mean(guessed == true)),
        *_found(wrong, model.moved_),
        *_found(wrong, guessed != given),
    )


def _found(wrong: np.ndarray, suspected: np.ndarray) -> tuple[float, float]:
    """Of suspected labels, the share that is wrong; of wrong labels, the share that is suspected."""
    both = np.count_nonzero(wrong & suspected)
    return both / max(suspected.sum(), 1), both / max(wrong.sum(), 1)


def made_texts(rng: np.random.Generator) -> tuple[sparse.csr_array, np.ndarray]:
    """Documents of made classes, and their classes."""
    topics = rng.dirichlet(np.full(TERMS, 0.05), CLASSES)
    y = rng.integers(CLASSES, size=DOCUMENTS)
    lengths = rng.poisson(LENGTH, DOCUMENTS)
    X = [rng.multinomial(length, topics[c]) for c, length in zip(y, lengths, strict=True)]
    return sparse.csr_array(np.array(X, dtype=np.float64)), y
