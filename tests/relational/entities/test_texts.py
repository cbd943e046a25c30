"""Similarities of texts: published values, and soft TF-IDF written out."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from rapidfuzz.distance import Jaro, JaroWinkler

from pluribus.relational.entities._texts import References, agreement_weight, normalize, similarities

TEXTS = ["Wei Wang", "wang, w", "Wie Wang", "Chen Chen Li", "Li Chen", "Alan Ansari", "alan ansary", "", "Wei Wang"]
PAIRS = np.array([(i, j) for i in range(len(TEXTS)) for j in range(i + 1, len(TEXTS))])


@pytest.mark.parametrize(
    ("one", "other", "jaro", "winkler"),
    [("martha", "marhta", 0.9444, 0.9611), ("dixon", "dicksonx", 0.7667, 0.8133), ("dwayne", "duane", 0.8222, 0.84)],
)
def test_jaro_winkler(one, other, jaro, winkler):
    assert Jaro.similarity(one, other) == pytest.approx(jaro, abs=5e-5)
    references = References(pd.DataFrame({"name": [one, other]}))
    assert similarities(references, np.array([[0, 1]]), "jaro_winkler")[0] == pytest.approx(winkler, abs=5e-5)


def soft_tfidf(texts, i, j):
    """As Cohen and others define it, word by word; 1 for equal texts."""
    words = [normalize(text).split() for text in texts]
    n = sum(bool(w) for w in words)
    df = Counter(w for one in words for w in set(one))

    def weights(place):
        raw = {w: np.log(c + 1) * np.log(n / df[w]) for w, c in Counter(words[place]).items()}
        length = np.sqrt(sum(v**2 for v in raw.values()))
        return {w: v / length for w, v in raw.items()}

    def one_way(a, b):
        total = 0
        for w in a:
            v = max(b, key=lambda v: (JaroWinkler.similarity(w, v), b[v]))
            if JaroWinkler.similarity(w, v) > 0.9:
                total += a[w] * b[v] * JaroWinkler.similarity(w, v)
        return total

    if not words[i] or not words[j]:
        return 0
    if words[i] == words[j]:
        return 1
    return min(max(one_way(weights(i), weights(j)), one_way(weights(j), weights(i))), 1)


def test_soft_tfidf():
    found = similarities(References(pd.DataFrame({"name": TEXTS})), PAIRS, "soft_tfidf")
    np.testing.assert_allclose(found, [soft_tfidf(TEXTS, i, j) for i, j in PAIRS], atol=1e-12)
    assert 0 < found.min(initial=1, where=found > 0) < 1


@pytest.mark.parametrize("measure", ["fields", "ngrams", "soft_tfidf", "jaro_winkler"])
def test_equal_texts_are_exactly_alike_and_empty_ones_are_not(measure):
    found = similarities(References(pd.DataFrame({"name": TEXTS})), np.array([[0, 8], [0, 7], [7, 3]]), measure)
    assert found.tolist() == [1.0, 0.0, 0.0]


def test_ngrams_are_those_of_tfidf_written_out():
    def grams(text):
        padded = [f" {word} " for word in normalize(text).split()]
        return Counter(word[p : p + 3] for word in padded for p in range(len(word) - 2))

    counts = [grams(text) for text in TEXTS]
    df = Counter(gram for one in counts for gram in one)
    n = sum(bool(one) for one in counts)
    vectors = [{g: np.log(c + 1) * np.log(1 + n / df[g]) for g, c in one.items()} for one in counts]

    def cosine(a, b):
        product = sum(a[g] * b.get(g, 0) for g in a)
        return product / np.sqrt(sum(v**2 for v in a.values()) * sum(v**2 for v in b.values())) if product else 0

    found = similarities(References(pd.DataFrame({"name": TEXTS})), PAIRS, "ngrams")
    np.testing.assert_allclose(found, [cosine(vectors[i], vectors[j]) for i, j in PAIRS], atol=1e-10)


def test_columns_of_jaro_winkler_count_by_chance_agreement_and_missing_ones_not():
    frame = pd.DataFrame({"phone": ["123", "123", "777", None], "sex": ["m", "f", "m", "m"]})
    references = References(frame)
    phone, sex = map(agreement_weight, references.columns)
    assert phone > sex > 0
    found = similarities(references, np.array([[0, 1], [0, 3]]), "jaro_winkler")
    np.testing.assert_allclose(found, [phone / (phone + sex), 1.0])


def test_fields_are_the_mean_of_the_whole_text_and_of_the_columns():
    frame = pd.DataFrame({"name": TEXTS, "city": ["Paris", None, "Rome", "Paris", "rome", None, None, "Pisa", "Rom"]})
    references = References(frame)
    whole = similarities(references, PAIRS, "ngrams")
    total, weights = np.zeros(len(PAIRS)), np.zeros(len(PAIRS))
    for texts, column in zip(references.columns, frame, strict=True):
        alone = similarities(References(frame[[column]]), PAIRS, "ngrams")
        known = np.array([texts[i] != "" and texts[j] != "" for i, j in PAIRS])
        total += agreement_weight(texts) * alone * known
        weights += agreement_weight(texts) * known
    by_column = np.divide(total, weights, out=np.zeros(len(PAIRS)), where=weights > 0)
    np.testing.assert_allclose(similarities(references, PAIRS, "fields"), (whole + by_column) / 2, atol=1e-10)
    one = References(frame[["name"]])
    np.testing.assert_array_equal(similarities(one, PAIRS, "fields"), similarities(one, PAIRS, "ngrams"))


def test_other_alphabets_stay():
    assert normalize("Μαρία_ΙΩΆΝΝΟΥ 3Б!") == "μαρια ιωαννου 3б"
