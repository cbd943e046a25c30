import numpy as np
import pytest

from pluribus.report import summarize
from pluribus.report._shared.words import close_rival, describe, in_a_line


def words_of(case):
    wording = describe(summarize(case))
    return wording.headline, " ".join(wording.findings), " ".join(wording.next_steps)


def test_a_clear_case(make_case):
    headline, findings, _ = words_of(make_case(noise=0.0))
    assert headline == "3 clusters of 90 objects, clearly assigned"
    assert "25 partitions of 90 objects, with 3 clusters each, into 3 clusters" in findings
    assert "with 3 to 5 clusters each" in words_of(make_case())[1]
    assert "(number of clusters: highest lifetime)" in findings
    assert "For every object the evidence points clearly to one cluster." in findings


@pytest.mark.parametrize(
    ("n_ambiguous", "grade"), [(0, "clearly assigned"), (5, "mostly clear"), (20, "partly"), (60, "weakly")]
)
def test_grades(plain_case, n_ambiguous, grade):
    result = np.repeat([0, 1], 50)
    membership = np.eye(2)[result]
    membership[:n_ambiguous] = 0.5
    case = plain_case([result] * 30, result, membership=membership, uncertainty=np.zeros(100))
    headline, findings, steps = words_of(case)
    assert grade in headline
    assert (f"The other {n_ambiguous} are ambiguous" in findings) == (n_ambiguous > 0)
    assert ("Look at the most ambiguous objects" in steps) == (n_ambiguous > 0)


def test_the_verdict_comes_before_the_grade(plain_case):
    result = np.repeat([0, 1], 50)
    none, undecided, clusters = (
        words_of(plain_case([result] * 30, result, verdict=verdict, k_chosen_by="halves"))
        for verdict in ("none", "undecided", "clusters")
    )
    assert none[0] == "No evidence of clusters: these 2 divide one group of 100 objects"
    assert undecided[0] == "2 clusters of 100 objects, but it is not decided that there are clusters"
    assert clusters[0] == "2 clusters of 100 objects, clearly assigned"
    assert words_of(plain_case([result] * 30, result, verdict="none"))[0] == clusters[0]
    assert ["kinds of objects" in words[2] for words in (none, undecided, clusters)] == [True, True, False]


def test_one_group_is_said_with_its_figure(plain_case):
    reason = "One group, no evidence of clusters: the density has one peak, p = 0.62 for two modes along a split."
    case = plain_case(
        [[0, 0, 1, 1]] * 30, [0, 0, 0, 0], verdict="none", verdict_reason=reason, k_chosen_by="no evidence of clusters"
    )
    headline, findings, steps = words_of(case)
    assert headline == (
        "One group: no evidence of clusters among 4 objects "
        "(the density has one peak, p = 0.62 for two modes along a split)"
    )
    assert reason in findings
    assert "Treat the objects as one group" in steps
    assert "Give each cluster a name" not in steps


def test_clusters_that_are_not_found_again_are_named(plain_case):
    result = np.repeat([0, 1, 2], 40)
    _, findings, _ = words_of(plain_case([result] * 30, result, reproducibility=np.array([0.95, 0.5, np.nan])))
    assert "with a mean Jaccard index of 0.50 to 0.95" in findings
    assert "Cluster 1 may be an accident of this sample" in findings
    assert "Jaccard" not in words_of(plain_case([result] * 30, result))[1]


def test_the_next_best_number_and_finer_clusters_are_named(laddered_case):
    headline, findings, steps = words_of(laddered_case(separation=(2.0, 2.0, 2.0)))
    assert headline == "4 clusters of 120 objects, mostly clear; next best: 2"
    assert "Each of 8 clusters is significant, too" in findings
    assert "Also look at 2 clusters" in steps


def test_a_line_for_each_cluster(make_case, plain_case):
    lines = [in_a_line(cluster) for cluster in summarize(make_case()).clusters]
    assert all(1 <= line.count("high ") + line.count("low ") <= 3 for line in lines)
    assert any("high " in line for line in lines)
    assert any("low " in line for line in lines)
    result = np.repeat([0, 1], 5)
    unnamed = summarize(plain_case([result] * 2, result)).clusters
    assert in_a_line(unnamed[1]) == "such as object 5, object 6, object 7"


def test_one_cluster_one_member_none(plain_case):
    assert "One cluster" in words_of(plain_case([[0, 0, 0]] * 2, [0, 0, 0]))[0]
    headline, _, steps = words_of(plain_case([[0, 0, 1]], [0, 0, 1]))
    assert "a single partition" in headline
    assert "the uncertainties say nothing" in steps
    assert words_of(plain_case([[0, 0, 1]], [-1, -1, -1]))[0] == "No object was clustered"


def test_small_clusters_and_objects_in_none_are_mentioned(plain_case):
    result = np.r_[np.zeros(150, int), np.ones(149, int), 2, -1, -1]
    _, findings, steps = words_of(plain_case([np.maximum(result, 0)] * 25, result))
    assert "2 objects (0.7%) belong to no cluster." in findings
    assert "very small cluster 2:" in steps


def test_no_division_at_all(plain_case):
    k1 = plain_case([[0, 0, 1, 1]] * 2, [0, 0, 1, 1], lifetimes=np.array([0, 0.6, 0.3, 0, 0.1]))
    assert "No division at all (k = 1) lasts longest" in words_of(k1)[2]
    k2 = plain_case([[0, 0, 1, 1]] * 2, [0, 0, 1, 1], lifetimes=np.array([0, 0.3, 0.6, 0, 0.1]))
    assert "No division" not in words_of(k2)[2]


def test_rivals(plain_case):
    def rival(lifetimes, chosen=3, k_members=10):
        lifetimes = np.r_[lifetimes, np.zeros(k_members + 1 - len(lifetimes))]
        members = [np.arange(k_members)] * 2
        return close_rival(summarize(plain_case(members, np.arange(k_members) % chosen, lifetimes=lifetimes)))

    assert rival([0, 9, 0.1, 0.5, 0.4, 0]) == 4
    assert rival([0, 0, 0.1, 0.5, 0.2, 0]) is None
    assert rival([0, 0, 0.9, 0.5, 0.2, 0]) == 2
    assert rival([0, 0, 0.1, 0.5, 0.2, 0.5], k_members=5) == 5
    assert rival([0, 0, 0, 0]) is None
    assert close_rival(summarize(plain_case([[0, 1]], [0, 1]))) is None


def test_lifetimes_beyond_what_the_members_tell_are_no_rivals(plain_case):
    lifetimes = np.array([0, 0, 0.5, 0.1, 0.1, 0.1, 0.5, 0, 0])
    members = [np.arange(8) // 2, np.arange(8) % 4]
    assert close_rival(summarize(plain_case(members, np.arange(8) % 2, lifetimes=lifetimes))) is None


def test_members_that_are_finer_are_not_blamed(plain_case):
    result = np.repeat([0, 1], 50)
    _, findings, steps = words_of(plain_case([np.arange(100) // 5] * 25, result))
    assert "It cannot be high here" in findings
    assert "agree little" not in steps
    mixed = [np.random.default_rng(p).integers(0, 2, 100) for p in range(25)]
    assert "agree little" in words_of(plain_case(mixed, result))[2]


def test_more_partitions_are_advised_only_where_they_can_be_had(plain_case):
    members, result = [[0, 0, 1, 1]] * 10, [0, 0, 1, 1]
    assert "With more of them the uncertainties get finer" in words_of(plain_case(members, result))[2]
    assert "With more of them" not in words_of(plain_case(members, result, combined=False))[2]
