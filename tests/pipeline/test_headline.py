import numpy as np
import pytest

import pluribus
from pluribus.pipeline._headline import finer_level, headline, is_ambiguous, next_best, runner_up, verdict_reason
from pluribus.pipeline.candidates.k_ladder import KLadder, Rung
from pluribus.validate import Structure
from pluribus.validate.structure.find_structure import Witnesses


def ladder(*levels, preferred=3):
    """A ladder of (clusters, score, separation)."""
    rungs = tuple(Rung(k, score, 0.8, separation, np.arange(30) % k) for k, score, separation in levels)
    numbers, scores = np.array([r.n_clusters for r in rungs]), np.array([r.score for r in rungs])
    return KLadder(numbers, scores, np.ones(len(rungs)), rungs, preferred, "")


def said(**changes):
    known = {
        "n_objects": 3000,
        "sizes": np.array([2000, 500, 500]),
        "n_members": 50,
        "given": False,
        "verdict": "clusters",
        "reason": "",
        "share_clear": 1.0,
        "reproducibility": np.array([0.99, 0.95, 0.92]),
        "ladder": ladder((3, 0.9, 1.5)),
    }
    return headline(**(known | changes))


def test_clearly_separated_needs_everything():
    clear = "3 clusters of 3,000 objects, clearly separated"
    assert said() == clear
    assert said(ladder=ladder((2, 0.8, 3.0), (3, 0.9, 1.5))) == clear + "; next best: 2"
    assert said(ladder=ladder((3, 0.9, 1.5), (9, 0.8, 0.99))) == clear + "; next best: 9"
    mostly = "3 clusters of 3,000 objects, mostly clear"
    assert said(ladder=ladder((3, 0.9, 1.5), (9, 0.8, 1.0))) == mostly + "; next best: 9"
    assert said(reproducibility=np.array([0.99, 0.95, 0.89])) == mostly
    assert said(reproducibility=np.array([0.99, 0.95, np.nan])) == mostly
    assert said(share_clear=0.97) == mostly
    assert said(verdict="") == mostly


def test_without_a_test_of_the_number_it_is_about_assignment():
    assert said(ladder=None, verdict="", reproducibility=None) == "3 clusters of 3,000 objects, clearly assigned"
    assert said(ladder=None, given=True) == "3 clusters of 3,000 objects, clearly assigned"
    assert said(ladder=None, given=True, verdict="none") == "3 clusters of 3,000 objects, clearly assigned"
    assert said(ladder=None, reproducibility=np.full(3, 0.8)) == "3 clusters of 3,000 objects, mostly clear"


@pytest.mark.parametrize(
    ("share_clear", "reproducibility", "grade"),
    [
        (0.9, 1.0, "mostly clear"),
        (0.89, 1.0, "partly ambiguous"),
        (1.0, 0.75, "mostly clear"),
        (1.0, 0.74, "partly ambiguous"),
        (0.7, 0.6, "partly ambiguous"),
        (0.69, 1.0, "weakly separated"),
        (1.0, 0.59, "weakly separated"),
    ],
)
def test_the_worse_of_reproducibility_and_clear_objects_decides(share_clear, reproducibility, grade):
    assert said(share_clear=share_clear, reproducibility=np.full(3, reproducibility)).endswith(f", {grade}")


def test_one_small_unsteady_cluster_does_not_spoil_the_grade():
    assert said(reproducibility=np.array([0.99, 0.95, 0.3])).endswith("mostly clear")
    assert said(reproducibility=np.array([0.3, 0.95, 0.99])).endswith("weakly separated")


def test_verdicts():
    one = np.array([3000])
    reason = "One group, no evidence of clusters: the density has one peak, p = 0.6 for two modes along a split."
    assert said(sizes=one, verdict="none", reason=reason, reproducibility=None) == (
        "One group: no evidence of clusters among 3,000 objects "
        "(the density has one peak, p = 0.6 for two modes along a split)"
    )
    assert said(sizes=one, verdict="none") == "One group: no evidence of clusters among 3,000 objects"
    assert said(sizes=one, verdict="clusters") == "One cluster: the result does not divide the objects"
    assert said(sizes=one, verdict="none", given=True) == "One cluster: the result does not divide the objects"
    assert said(verdict="none") == "No evidence of clusters: these 3 divide one group of 3,000 objects"
    assert said(verdict="undecided", ladder=ladder((2, 1.0, 1.0), (3, 0.9, 1.5))) == (
        "3 clusters of 3,000 objects, but it is not decided that there are clusters; next best: 2"
    )
    assert said(n_members=1) == "3 clusters of 3,000 objects, taken from a single partition"
    assert said(sizes=np.array([], int)) == "No object was clustered"


def test_levels_of_the_ladder():
    levels = ladder((2, 0.7, 9.0), (3, 0.9, 1.0), (5, 0.6, 1.0), (8, 0.8, 1.0), (12, 0.5, 0.9))
    assert next_best(3, levels) == 8
    assert next_best(8, levels) == 3
    assert finer_level(3, levels) == 8
    assert finer_level(8, levels) is None
    assert finer_level(3, None) is None
    assert next_best(3, None) is None
    assert next_best(3, ladder((3, 0.9, 1.0))) is None


def test_runner_up():
    membership = np.array([[0.5, 0.2, 0.3], [0, 1, 0], [0.1, 0.2, 0.7], [np.nan] * 3])
    own, other, support = runner_up(np.array([0, 1, 1, -1]), membership, 3)
    assert own.tolist() == [0.5, 1, 0.2, 0]
    assert other.tolist() == [2, -1, 2, -1]
    assert support.tolist() == [0.3, 0, 0.7, 0]
    assert runner_up(np.zeros(2, int), np.ones((2, 1)), 1)[1].tolist() == [-1, -1]


def test_runner_up_of_many_objects(monkeypatch):
    rng = np.random.default_rng(0)
    membership = rng.dirichlet(np.ones(4), 50)
    labels = membership.argmax(axis=1)
    whole = runner_up(labels, membership, 4)
    monkeypatch.setattr("pluribus.pipeline._headline._BLOCK", 7)
    for part, all_at_once in zip(runner_up(labels, membership, 4), whole, strict=True):
        np.testing.assert_array_equal(part, all_at_once)
    assert (whole[1] == np.argsort(-membership, axis=1)[:, 1]).all()


def test_the_most_uncertain_objects_are_ambiguous():
    for k in (2, 3, 5, 10, 40):
        for own in np.linspace(1 / k, 0.999, 400):
            rest = np.full(k - 1, (1 - own) / (k - 1))
            entropy = -(own * np.log(own) + (rest * np.log(rest)).sum()) / np.log(k)
            if entropy >= 0.9:
                assert is_ambiguous(np.array([own]), rest[:1], np.array([entropy]))[0]
    assert is_ambiguous(np.array([0.5, 0.7]), np.array([0.25, 0.34]), np.zeros(2)).tolist() == [True, False]


@pytest.mark.parametrize("verdict", ["clusters", "undecided", "none"])
def test_the_reason_of_a_verdict_is_found(verdict):
    sentence = Structure(verdict, Witnesses(0.5, 0.3, 1.0), (), 2.0, 500).sentence
    assert verdict_reason(["80 members.", sentence, "Other."]) == sentence
    assert verdict_reason(["80 members."]) == ""


def test_summary_card_and_repr_begin_with_the_headline():
    result = pluribus.combine([[0, 0, 1, 1, 1]] * 3, 2, verbose=False)
    assert result.headline == "2 clusters of 5 objects, clearly assigned"
    assert result.summary().splitlines()[0] == result.headline
    assert result.headline in result._repr_html_()
    assert repr(result) == f"Clustering({result.headline})"
