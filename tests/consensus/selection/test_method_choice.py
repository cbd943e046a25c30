import numpy as np
import pytest

from pluribus.consensus.selection._method_choice import choose, in_words


def between(m, **pairs):
    table = np.eye(m) + 0.5 * (1 - np.eye(m))
    for pair, value in pairs.items():
        i, j = (ord(letter) - ord("a") for letter in pair)
        table[i, j] = table[j, i] = value
    return table


def chosen(nmi, table, k=None, asked=3):
    m = len(nmi)
    names = list("abcdef"[:m])
    return choose(names, np.array(k or [asked] * m), np.array(nmi), table, asked)


def test_the_highest_agreement_with_the_members_wins():
    choice = chosen([0.5, 0.7, 0.6], between(3))
    assert choice.preferred == "b"
    assert choice.tied == ("b",)
    assert "b agrees best with the members, ahead of c by 0.100, and the two differ" in choice.verdict
    assert "look at both" in choice.verdict


def test_a_lead_over_the_same_partition_means_nothing():
    assert (
        "nearly the same partition, so the choice hardly matters"
        in chosen([0.5, 0.7, 0.6], between(3, bc=0.97, ab=0.2)).verdict
    )


def test_ties_go_to_the_one_most_like_the_others_then_to_the_first_name():
    assert chosen([0.7, 0.705, 0.5], between(3, ac=0.6, bc=0.5, ab=0.5)).preferred == "a"
    assert chosen([0.7, 0.705, 0.5], between(3)).preferred == "a"
    assert chosen([0.69, 0.705, 0.5], between(3, ac=0.9)).preferred == "b"


def test_other_numbers_of_clusters_are_not_compared():
    choice = chosen([0.9, 0.5, 0.4], between(3), k=[7, 3, 3])
    assert choice.preferred == "b"
    assert "a (7) has another number of clusters than the requested 3" in choice.verdict
    nobody = chosen([0.9, 0.5], between(2), k=[7, 2])
    assert nobody.preferred == "a"
    assert "No method found the requested 3 clusters" in nobody.verdict


@pytest.mark.parametrize(
    ("nmi", "table", "words"),
    [
        ([0.7], between(1), "the only candidate"),
        (
            [0.7, 0.6],
            between(2, ab=0.96),
            "All 2 candidates give nearly the same partition (adjusted Rand index at least 0.96)",
        ),
        ([0.7, 0.7, 0.4], between(3, ab=0.96), "a and b are nearly tied and give nearly the same partition"),
        ([0.7, 0.7, 0.4], between(3), "equally well, but they are not the same partition"),
        ([0.7, 0.7, 0.7], between(3, ab=0.96, ac=0.96, bc=0.94), "each is nearly the same partition as a"),
    ],
)
def test_whether_the_choice_matters_is_said(nmi, table, words):
    verdict = chosen(nmi, table).verdict
    assert words in verdict
    assert verdict.endswith("it does not show which partition is true.")


def test_doubts_are_said():
    verdict = chosen([0.2, 0.1, 0.1], between(3)).verdict
    assert "Overall the methods disagree (mean adjusted Rand index between them 0.50)" in verdict
    assert "agrees little with the members (normalized mutual information 0.20)" in verdict
    assert "Overall" not in chosen([0.7, 0.6], between(2, ab=0.9)).verdict


def test_names_as_a_sentence_lists_them():
    assert in_words(["a"]) == "a"
    assert in_words(["a", "b"]) == "a and b"
