import numpy as np
import pandas as pd
import pytest

from pluribus.report.result._profiles import profiles

LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, -1])


def test_numbers_against_pandas(plain_case):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(1e6, 5, (10, 4)), columns=list("abcd"))
    frame.iloc[2, 1] = np.nan
    clustered, labels = frame[LABELS >= 0], LABELS[LABELS >= 0]
    found = profiles(plain_case([np.abs(LABELS)], LABELS, frame=frame))
    for c in range(3):
        inside, outside = clustered[labels == c].mean(), clustered[labels != c].mean()
        difference = (inside - outside) / clustered.std(ddof=0)
        strongest = difference.abs().sort_values(ascending=False)
        assert [t.feature for t in found[c]] == strongest[strongest >= 0.1].index.tolist()
        for trait in found[c]:
            assert trait.difference == pytest.approx(difference[trait.feature], rel=1e-6)
            assert trait.inside == pytest.approx(inside[trait.feature])
            assert trait.outside == pytest.approx(outside[trait.feature])
            assert trait.category is None


def test_categories_are_named_where_they_are_frequent(plain_case):
    kinds = ["oak", "oak", "oak", "elm", "elm", "elm", None, "fir", "fir", "oak"]
    found = profiles(plain_case([np.abs(LABELS)], LABELS, frame=pd.DataFrame({"kind": kinds})))
    assert [(t.category, t.inside, t.outside) for t in found[0]] == [("oak", 0.75, 0.0)]
    assert [t.category for t in found[2]] == ["fir"]
    assert found[1][0].category == "elm"
    assert (found[1][0].inside, found[1][0].outside) == (1.0, pytest.approx(1 / 6))


def test_columns_of_all_kinds(plain_case):
    frame = pd.DataFrame(
        {
            "constant": 0.1,
            "flag": LABELS == 0,
            "when": pd.date_range("2024-01-01", periods=10),
            "whole": pd.array([1, 1, 1, 1, 5, 5, None, 9, 9, 1], dtype="Int64"),
            "unique": [f"only {i}" for i in range(10)],
            "category": pd.Categorical(["x"] * 4 + ["y"] * 6),
            "empty": np.nan,
            "infinite": [np.inf, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        }
    )
    frame.columns = [*frame.columns[:-1], "whole"]  # a name may occur twice
    found = profiles(plain_case([np.abs(LABELS)], LABELS, frame=frame))
    named = {t.feature for traits in found for t in traits}
    assert named == {"flag", "whole", "category"}
    assert next(t for t in found[0] if t.feature == "flag").category == "True"
    assert all(np.isfinite([t.inside, t.outside, t.difference]).all() for traits in found for t in traits)


def test_at_most_six_and_the_strongest_of_all_blocks(plain_case):
    X = np.random.default_rng(0).normal(size=(10, 200))
    X[:, 150] = LABELS == 0
    traits = profiles(plain_case([np.abs(LABELS)], LABELS, X=X))[0]
    assert len(traits) == 6
    assert traits[0].feature == "feature 150"
    strengths = [abs(t.difference) for t in traits]
    assert strengths == sorted(strengths, reverse=True)


def test_nothing_to_compare_with(plain_case):
    one = plain_case([[0, 0, 0]], [0, 0, 0], X=np.arange(6.0).reshape(3, 2))
    assert profiles(one) == [()]
    assert profiles(plain_case([np.abs(LABELS)], LABELS)) == [(), (), ()]
