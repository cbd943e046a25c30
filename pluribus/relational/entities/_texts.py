"""Texts of references, and how similar two of them are."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from rapidfuzz.distance import JaroWinkler
from rapidfuzz.process import cpdist
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from pluribus._kernels.graphs.row_products import row_products
from pluribus._kernels.graphs.soft_tfidf import soft_tfidf, word_pairs

MEASURES = ("fields", "ngrams", "soft_tfidf", "jaro_winkler")
_WORD = re.compile(r"[^\W_]+")
_CHUNK = 50_000  # pairs whose words are compared at once
_WORD_LIKENESS = 0.9  # Jaro-Winkler similarity above which words of soft TF-IDF match


class References:
    """Attributes of references as texts: lower case, no accents, words of letters and digits.

    ``frame`` has the columns as they were given; None if nothing but similarities is known.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.columns = [_normalized(frame[column]) for column in frame.columns]
        self.texts = self.columns[0] if len(self.columns) == 1 else _joined(self.columns)
        self._vectors: sparse.csr_array | None = None

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def vectors(self) -> sparse.csr_array:
        """TF-IDF of the character 3-grams of all columns, rows of length 1; features are numbered from the rarest."""
        if self._vectors is None:
            self._vectors = _ngrams(self.texts)
        return self._vectors


def similarities(references: References, pairs: np.ndarray, measure: str | Callable[..., Any]) -> np.ndarray:
    """The similarity of each pair of references, from 0 to 1."""
    if callable(measure):
        return _checked(measure(references.frame, pairs), len(pairs))
    if len(pairs) == 0:
        return np.empty(0)
    ways = {"fields": _fields, "ngrams": _cosines, "soft_tfidf": _soft_tfidf, "jaro_winkler": _jaro_winkler}
    return ways[measure](references, pairs)


def _cosines(references: References, pairs: np.ndarray) -> np.ndarray:
    return exact(_products(references.vectors, pairs))


def _products(vectors: sparse.csr_array, pairs: np.ndarray) -> np.ndarray:
    return row_products(vectors.indptr.astype(np.int64), vectors.indices.astype(np.int64), vectors.data, pairs)


def _fields(references: References, pairs: np.ndarray) -> np.ndarray:
    """Mean of the cosine of the whole texts, and of the cosines column by column.

    The first forgives a value in the wrong column, the second lets a long value count no more than its column.
    """
    whole = _cosines(references, pairs)
    if len(references.columns) == 1:
        return whole
    by_column = _by_column(references, pairs, lambda texts, some: _products(_ngrams(texts), some))
    return exact((whole + by_column) / 2)


def exact(cosines: np.ndarray) -> np.ndarray:
    """Cosines without rounding errors, so that equal texts have 1."""
    return np.clip(np.round(cosines, 12), 0, 1)


def _soft_tfidf(references: References, pairs: np.ndarray) -> np.ndarray:
    """Soft TF-IDF of the words of all columns, with Jaro-Winkler inside; 1 for equal texts."""
    weights, words = _tfidf(references.texts, CountVectorizer(token_pattern=r"\S+", lowercase=False), smooth=False)
    arrays = weights.indptr.astype(np.int64), weights.indices.astype(np.int64)
    parts = []
    for part in np.array_split(pairs, len(pairs) // _CHUNK + 1):
        codes, n_words = word_pairs(*arrays, part)
        codes = np.unique(codes)
        likeness = _likeness(words[codes // n_words], words[codes % n_words])
        parts.append(soft_tfidf(*arrays, weights.data, part, codes, likeness, n_words, _WORD_LIKENESS))
    found = np.concatenate(parts)
    texts = references.texts
    return np.where((texts[pairs[:, 0]] == texts[pairs[:, 1]]) & (texts[pairs[:, 0]] != ""), 1.0, found)


def _jaro_winkler(references: References, pairs: np.ndarray) -> np.ndarray:
    return _by_column(references, pairs, lambda texts, some: _likeness(texts[some[:, 0]], texts[some[:, 1]]))


def _by_column(references: References, pairs: np.ndarray, likeness: Callable[..., np.ndarray]) -> np.ndarray:
    """Mean over the columns that both references have, weighted by how rarely two references agree by chance."""
    total, weights = np.zeros(len(pairs)), np.zeros(len(pairs))
    for texts in references.columns:
        known = (texts != "")[pairs].all(axis=1)
        weight = agreement_weight(texts) if len(references.columns) > 1 else 1.0
        total[known] += weight * likeness(texts, pairs[known])
        weights[known] += weight
    return np.divide(total, weights, out=np.zeros(len(pairs)), where=weights > 0)


def agreement_weight(texts: np.ndarray) -> float:
    """Log of 1 over the chance that two random references, of those with a value, have the same one."""
    counts = pd.Series(texts[texts != ""]).value_counts().to_numpy().astype(float)
    n = counts.sum()
    chance = (counts * (counts - 1)).sum() / (n * (n - 1)) if n > 1 else 1.0
    return float(np.log1p(1 / max(chance, 1 / max(n, 1.0) ** 2)))


def _likeness(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    if len(one) == 0:
        return np.empty(0)
    return cpdist(one.tolist(), other.tolist(), scorer=JaroWinkler.similarity, dtype=np.float64, workers=1)


def _ngrams(texts: np.ndarray) -> sparse.csr_array:
    return _tfidf(texts, CountVectorizer(analyzer="char_wb", ngram_range=(3, 3)), smooth=True)[0]


def _tfidf(texts: np.ndarray, vectorizer: Any, *, smooth: bool) -> tuple[sparse.csr_array, np.ndarray]:
    """Rows of length 1, by log(tf + 1) · log(N / df), or log(1 + N / df) if smooth; and the features, rarest first."""
    try:
        counts = sparse.csr_array(vectorizer.fit_transform(texts.tolist()))
    except ValueError:  # no words at all
        return sparse.csr_array((len(texts), 1)), np.array([""], dtype=object)
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    order = np.lexsort((np.arange(len(df)), df))
    counts = counts[:, order]
    n = np.count_nonzero(texts != "")
    idf = np.log((smooth + n / df)[order])
    weights = sparse.csr_array(
        (np.log1p(counts.data) * idf[counts.indices], counts.indices, counts.indptr), counts.shape
    )
    lengths = np.sqrt(weights.multiply(weights).sum(axis=1))
    weights.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(weights.indptr))
    weights.sort_indices()
    return weights, vectorizer.get_feature_names_out()[order]


def normalize(text: str) -> str:
    """Lower case, no accents, words of letters and digits.

    Examples
    --------
    >>> from pluribus.relational.entities._texts import normalize
    >>> normalize("  Müller-Lüdenscheidt,  Dr. ")
    'muller ludenscheidt dr'
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(_WORD.findall(plain.casefold()))


def _normalized(column: pd.Series) -> np.ndarray:
    codes, values = pd.factorize(column.astype(object).to_numpy(), use_na_sentinel=True)
    texts = np.array([*(normalize(_text(value)) for value in values), ""], dtype=object)
    return texts[codes]  # code -1, missing, picks the last


def _text(value: Any) -> str:
    """A value as text: whole numbers that became floats beside a missing value are whole again."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _joined(columns: list[np.ndarray]) -> np.ndarray:
    return np.array([" ".join(filter(None, row)) for row in zip(*columns, strict=True)], dtype=object)


def _checked(values: Any, m: int) -> np.ndarray:
    """What a function for similarities returned."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"similarity returned {type(values).__name__}: return one number for each pair.") from None
    if found.shape != (m,):
        raise ValueError(f"similarity returned an array of shape {found.shape} for {m} pairs: return one number each.")
    if not ((found >= 0) & (found <= 1)).all():
        raise ValueError("similarity returned values that are not from 0 to 1: scale them.")
    return found
