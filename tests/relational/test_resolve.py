"""From a table to entities: columns, links, certainty, what is said about each merge."""

import numpy as np
import pandas as pd
import pytest

from pluribus import Constraints
from pluribus.relational import CollectiveRelational, resolve

MENTIONS = pd.DataFrame(
    {
        "id": list("abcdefgh"),
        "paper": ["p", "p", "q", "q", "r", "r", "s", None],
        "name": ["Wei Wang", "Ali Ansari", "Wei Wang", "Ali Ansari", "Wei Wang", "Li Chen", "Wei Wan", "Zoe Poe"],
    }
)


def found(**options):
    return resolve(MENTIONS, verbose=False, **options)


def test_a_column_of_links():
    result = found(links="paper", threshold=0.6)
    assert result.entities.tolist() == [0, 1, 0, 1, 2, 3, 4, 5]
    assert list(result.frame) == ["name"]
    first = result.merges[result.merges["verdict"] == "first"]
    assert first[["one", "other"]].to_numpy().tolist() == [["a", "c"], ["b", "d"]]
    assert first["attributes"].tolist() == [1.0, 1.0]


def test_a_file_of_links(tmp_path):
    rows = MENTIONS.dropna()[["paper", "id"]]
    rows.to_csv(tmp_path / "links.csv", index=False)
    by_file = found(links=str(tmp_path / "links.csv"), name="name", threshold=0.6)
    assert by_file.entities.tolist() == found(links="paper", threshold=0.6).entities.tolist()
    pd.DataFrame({"paper": ["p"], "id": ["nobody"]}).to_csv(tmp_path / "wrong.csv", index=False)
    with pytest.raises(ValueError, match="does not have: 'nobody'"):
        found(links=tmp_path / "wrong.csv")
    MENTIONS.to_csv(tmp_path / "three.csv", index=False)
    with pytest.raises(ValueError, match="3 columns: give two"):
        found(links=tmp_path / "three.csv")


def test_the_same_as_the_estimator():
    model = CollectiveRelational(verbose=False).fit(MENTIONS[["name"]])
    result = found(name="name")
    assert result.entities.tolist() == model.labels_.tolist()
    assert result.threshold == model.threshold_
    assert result.to_frame().columns.tolist() == ["id", "entity", "certainty"]


def test_doubtful_merges_come_first_and_doubtful_references_have_little_certainty():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghij"), 6)) for _ in range(30)]
    table = pd.DataFrame({"name": [*words, *words[:10], words[10][:-1] + "x"]})
    result = resolve(table, verbose=False)
    tried = result.merges[result.merges["verdict"] != "first"]
    distance = (tried["similarity"] - result.threshold).abs()
    assert distance.is_monotonic_increasing
    made = tried["verdict"] == "made"
    assert (tried["similarity"][made] >= result.threshold).all()
    assert len(table) - made.sum() == result.n_entities
    assert ((result.certainty >= 0) & (result.certainty <= 1)).all()
    assert result.certainty[-1] == result.certainty.min() < 0.5  # the one that differs in a letter
    assert set(result.certainty[:10]) == {1.0}  # exact repeats, far from all others


def test_certainty_by_hand():
    table = pd.DataFrame({"id": list("abcd"), "name": ["aaa bbb", "aaa bbb", "aaa ccc", "zzz yyy"]})
    result = resolve(table, threshold=0.9, verbose=False)
    assert result.entities.tolist() == [0, 0, 1, 2]
    further = result.merges.loc[result.merges["verdict"] == "not made", "similarity"].item()
    expected = (0.9 - further) / 0.9
    np.testing.assert_allclose(result.certainty, [expected, expected, expected, 1])


def test_what_is_known():
    known = Constraints(8, must_link=[(0, 4)], cannot_link=[(0, 2)])
    result = found(name="name", constraints=known, threshold=0.1)
    assert result.entities[0] == result.entities[4] != result.entities[2]
    known = Constraints(8, must_link=[(0, 7)])
    assert found(constraints=known).entities[0] == found(constraints=known).entities[7]


def test_bad_input():
    with pytest.raises(ValueError, match="neither a file nor a column"):
        found(links="journal")
    with pytest.raises(ValueError, match="has the columns 'paper', 'name'"):
        found(name="title")
    with pytest.raises(ValueError, match="no column to compare"):
        resolve(MENTIONS[["id", "paper"]], links="paper", verbose=False)
    with pytest.raises(ValueError, match="alpha"):
        found(alpha=2)


@pytest.mark.parametrize("n", [1, 2])
def test_few_references(n):
    result = resolve(MENTIONS.iloc[:n], name="name", verbose=False)
    assert result.n_entities == n
