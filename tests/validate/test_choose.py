"""Choosing among partitions and numbers of clusters: the table, the vote, the words."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs, make_moons

from pluribus import Ensemble, validate
from pluribus.consensus._internal import accumulate
from pluribus.evidence import CoAssociation
from pluribus.generate import Generator
from pluribus.validate import CRITERIA, choose_k, choose_partition
from pluribus.validate._vote import in_words, vote


@pytest.fixture(scope="module")
def moons():
    X, truth = make_moons(300, noise=0.05, random_state=0)
    return X, truth, Generator(n_members=40, random_state=0).generate(X)


def chosen(*names):
    return [CRITERIA[name] for name in names]


def test_criteria_say_what_they_are():
    for name, criterion in CRITERIA.items():
        assert criterion.name == name
        assert criterion.level in ("data", "similarity", "ensemble", "dendrogram")
        if criterion.function is not None:
            function = getattr(criterion.function, "func", criterion.function)
            assert function.__name__ in validate.__all__
            assert function.__name__.endswith("_index" if criterion.greater_is_better else "_cost")
            parameters = inspect.signature(function).parameters
            assert criterion.sampled == ("sample_size" in parameters) or name == "davies_bouldin"
            assert criterion.threads == ("n_jobs" in parameters)


def test_most_votes_win_and_ties_go_to_the_first_criterion():
    values = pd.DataFrame({"silhouette": [0.1, 0.9, 0.3], "davies_bouldin": [0.1, 2, 0.2], "dunn": [0.9, 0.1, 0.2]})
    criteria = chosen("silhouette", "davies_bouldin", "dunn")
    found = vote(values, criteria)
    assert (found.winner, found.votes.tolist()) == (0, [2, 1, 0])
    assert "2 of 3 criteria" in in_words(found, criteria, list("abc"))
    assert "silhouette prefers b" in in_words(found, criteria, list("abc"))
    found = vote(values, criteria[:2])
    assert (found.winner, found.tied) == (1, [0, 1])
    assert "a has as many votes, and silhouette finds b best of these." in in_words(found, criteria[:2], list("abc"))


def test_equal_values_share_a_vote_and_undefined_ones_have_none():
    values = pd.DataFrame({"dunn": [0.0, 0.0, 0.0], "silhouette": [np.nan] * 3, "davies_bouldin": [np.inf, 3, np.nan]})
    found = vote(values, chosen("dunn", "silhouette", "davies_bouldin"))
    np.testing.assert_allclose(found.votes, [1 / 3, 4 / 3, 1 / 3])
    assert found.best["silhouette"] == []
    assert "2 more as good" in in_words(found, chosen("dunn", "silhouette", "davies_bouldin"), list("abc"))
    nothing = vote(values, chosen("silhouette"))
    assert "No criterion is defined" in in_words(nothing, chosen("silhouette"), list("abc"))


def test_shape_against_size(moons):
    X, truth, ensemble = moons
    halves = (X[:, 0] > np.median(X[:, 0])).astype(int)
    choice = choose_partition({"halves": halves, "truth": truth}, X, ensemble=ensemble)
    assert choice.name == "truth"
    np.testing.assert_array_equal(choice.labels, pd.factorize(truth)[0])
    assert choice.frame.index.tolist() == ["halves", "truth"]
    assert choice.frame.columns[0] == "n_clusters"
    assert choice.frame["votes"].sum() == pytest.approx(5)
    assert choice.sentence.startswith("truth: best by")
    assert len(choice.details) == 10
    again = choose_partition({"halves": halves, "truth": truth}, X, ensemble=ensemble, n_jobs=2)
    pd.testing.assert_frame_equal(again.frame, choice.frame)


def test_each_source_alone(moons):
    X, truth, ensemble = moons
    candidates = [truth, np.roll(truth, 7)]
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    from_X = choose_partition(candidates, X)
    from_D = choose_partition(candidates, distances=D)
    np.testing.assert_allclose(from_X.frame, from_D.frame, rtol=1e-9)
    C = CoAssociation(ensemble, form="operator")
    assert choose_partition(candidates, similarity=C).frame.columns[1:-1].tolist() == ["similarity_silhouette"]
    columns = choose_partition(candidates, ensemble=ensemble).frame.columns[1:-1].tolist()
    assert columns == ["similarity_silhouette", "mutual_information"]


def test_all_criteria_and_forms_of_candidates(moons):
    X, truth, ensemble = moons
    names = [name for name, criterion in CRITERIA.items() if criterion.function is not None]
    frame = pd.DataFrame({"a": truth, "b": np.roll(truth, 20)})
    choice = choose_partition(frame, X, ensemble=ensemble, criteria=names)
    assert choice.frame.columns.tolist() == ["n_clusters", *names, "votes"]
    assert choice.name == "a"
    assert choose_partition(Ensemble(frame), X, criteria="silhouette").frame.index.tolist() == ["a", "b"]
    assert "only candidate" in choose_partition([truth], X).sentence


def test_different_numbers_of_clusters_are_said(moons):
    X, truth, ensemble = moons
    finer = truth * 2 + (X[:, 0] > 0.5)
    columns = choose_partition([truth, finer], X, ensemble=ensemble).frame.columns
    assert "mutual_information" not in columns
    with pytest.warns(UserWarning, match="consistency cannot compare them fairly"):
        choice = choose_partition([truth, finer], ensemble=ensemble, criteria=["consistency"])
    assert choice.name == "p1"
    assert len(choice.notes) == 1


def test_equal_candidates_are_said(moons):
    X, truth, _ = moons
    choice = choose_partition({"a": truth, "b": 1 - truth, "c": np.roll(truth, 5)}, X)
    assert choice.name == "a"
    assert choice.tied == ("b",)
    assert choice.notes[0] == "a and b are the same partition."
    assert choice.sentence.endswith("b has as many votes, and a is just the first of them.")


def test_what_tells_nothing_is_said():
    X = np.zeros((6, 2))
    choice = choose_partition([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]], X)
    assert any("not defined" in note for note in choice.notes)
    assert any("tells nothing" in note for note in choice.notes)


def test_noise_and_errors_of_choose_partition(moons):
    X, truth, _ = moons
    partly = np.where(np.arange(300) < 5, -1, truth)
    with pytest.raises(ValueError, match="rough has no cluster for 5 of 300"):
        choose_partition({"fine": truth, "rough": partly}, X)
    assert choose_partition({"fine": truth, "rough": partly}, X, missing="ignore").labels.shape == (300,)
    for options, what in [
        ({}, "Give X, distances"),
        ({"X": X[:5]}, "X has 5"),
        ({"X": X, "criteria": ["gap"]}, "No criterion is called 'gap'"),
        ({"X": X, "criteria": []}, "criteria is empty"),
        ({"X": X, "criteria": ["consistency"]}, "needs an ensemble"),
        ({"X": X, "criteria": ["lifetime"]}, "for choose_k"),
        ({"ensemble": [[0, 1]]}, "ensemble has 2"),
        ({"X": X, "sample_size": 1}, "sample_size"),
    ]:
        with pytest.raises(ValueError, match=what):
            choose_partition([truth], **options)
    with pytest.raises(ValueError, match="candidates is empty"):
        choose_partition({}, X)
    with pytest.raises(ValueError, match="one cluster only"):
        choose_partition({"all": np.zeros(300)}, X)


def test_sampled_values_have_intervals_and_near_ties_are_said():
    X, y = make_blobs(7000, centers=4, random_state=0)
    nearly = y.copy()
    nearly[:3] = 0
    choice = choose_partition({"a": y, "b": nearly}, X, criteria=["silhouette"])
    assert choice.details["n_sampled"].between(4990, 5000).all()
    assert (choice.details["low"] < choice.details["value"]).all()
    assert any("error of the sample" in note for note in choice.notes)


def test_choose_k_of_data():
    X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], random_state=3)
    choice = choose_k(X, (2, 8), n_members=30, random_state=1)
    assert choice.n_clusters == 4
    assert len(np.unique(choice.labels)) == 4
    assert choice.frame["k"].tolist() == list(range(2, 9))
    np.testing.assert_array_equal(choice.consensus.cut(4), choice.labels)
    again = choose_k(X, (2, 8), n_members=30, random_state=1, n_jobs=2)
    pd.testing.assert_frame_equal(choice.frame, again.frame)
    reused = choose_k(X, [2, 4, 6], ensemble=choice.ensemble, criteria=["lifetime", "ambiguous_pairs"])
    assert reused.n_clusters == 4
    assert reused.best["lifetime"] == (4,)


def test_choose_k_of_labels_alone():
    labels = np.repeat(np.arange(3), 20)
    members = [labels, labels, np.where(labels == 2, 1, labels), np.arange(60) // 10]
    choice = choose_k(Ensemble(members))
    assert choice.n_clusters == 3
    assert set(choice.best) == {"lifetime", "similarity_dunn"}


def test_the_end_of_the_range_and_disagreement_are_said():
    X, _ = make_blobs(200, centers=6, cluster_std=0.5, random_state=3)
    choice = choose_k(X, (2, 3), n_members=20, criteria=["lifetime"])
    if choice.n_clusters == 3:
        assert "largest number" in choice.notes[0]
    with pytest.warns(UserWarning, match="consistency cannot compare"):
        choose_k(X, (2, 3), n_members=20, criteria=["consistency"])


def test_errors_of_choose_k():
    X = np.arange(40.0)[:, None]
    for arguments, what in [
        ((X, (2, 50)), "k_range"),
        ((X, (2, 5), ["gap"]), "No criterion"),
        ((Ensemble([[0, 0, 1, 1]]), (2, 3), ["silhouette"]), "needs X or distances"),
        (([[np.nan], [1]],), "NaN"),
    ]:
        with pytest.raises(ValueError, match=what):
            choose_k(*arguments)
    with pytest.raises(ValueError, match="already"):
        choose_k(Ensemble([[0, 1, 1]]), ensemble=[[0, 1, 1]])
    with pytest.raises(ValueError, match="3 objects"):
        choose_k(X, ensemble=[[0, 1, 1]])


def test_edges_of_choose_k():
    constant = choose_k(np.ones((30, 2)), (2, 4), n_members=5)
    assert 2 <= constant.n_clusters <= 4
    sparse_k = choose_k(pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2))), (2, 4), n_members=5)
    assert 2 <= sparse_k.n_clusters <= 4


def test_labels_alone_with_different_numbers_of_clusters_are_judged_fairly():
    halves, thirds = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    choice = choose_partition([halves, thirds], ensemble=[halves, halves, thirds])
    assert choice.frame.columns.tolist() == ["n_clusters", "similarity_dunn", "votes"]
    assert choice.notes == ()


def test_rounding_decides_no_tie():
    values = pd.DataFrame({"silhouette": [0.5, 0.5 + 1e-15], "davies_bouldin": [0.3, 0.3]})
    found = vote(values, chosen("silhouette", "davies_bouldin"))
    assert (found.winner, found.undecided) == (0, [0, 1])


def test_as_many_clusters_as_accumulate_finds_and_no_more_work():
    labels = np.repeat(np.arange(70), 4)
    halved = np.where(np.arange(280) % 4 < 2, labels, labels + 70)
    members = Ensemble([labels] * 8 + [halved, labels % 5])
    found = accumulate(members, verbose=False)
    choice = choose_k(members, verbose=False)
    assert choice.n_clusters == found.n_clusters_ == 70
    assert choice.consensus.k_range == found.k_range
    assert len(choice.frame) == 50
    assert choice.frame["k"].is_monotonic_increasing
    np.testing.assert_array_equal(choice.labels, found.labels_)


@pytest.mark.parametrize(("members", "k"), [([[0, 0, 0, 0]], 1), ([[0, 1, 2, 3]], 4), ([[0, 1]], 2), ([[0, 0]], 1)])
def test_objects_that_are_all_together_or_all_apart(members, k):
    choice = choose_k(Ensemble(members))
    assert choice.n_clusters == k
    assert len(np.unique(choice.labels)) == k
    assert choice.sentence == f"k = {k}: no other number of clusters lasts as long in the evidence."


def test_lifetimes_that_are_equal_are_told_apart_by_the_next_criterion():
    members = Ensemble([[0, 1, 2, 3, 3], [0, 1, 2, 2, 2]])
    choice = choose_k(members)
    assert len(choice.best["lifetime"]) == 2
    assert choice.n_clusters == choice.best["similarity_dunn"][0] != choice.consensus.n_clusters_


def test_numbers_too_large_for_the_sample_have_no_value():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    choice = choose_k(X, [2, 3, 40], ["lifetime", "silhouette"], n_members=10, sample_size=60, verbose=False)
    assert choice.frame["silhouette"].isna().tolist() == [False, False, True]
    assert any(note.startswith("silhouette has no value for 1 of the numbers, from 40") for note in choice.notes)


def test_one_sentence_in_words_that_people_read():
    values = pd.DataFrame({"description_length": [1.0, 2.0], "similarity_dunn": [0.1, 0.2]})
    criteria = chosen("description_length", "similarity_dunn")
    sentence = in_words(vote(values, criteria), criteria, ["a", "b"])
    assert sentence == (
        "a: best by description length (distances vary smoothly inside clusters, whatever their shape), 1 of 2 "
        "criteria; but similarity Dunn prefers b; b has as many votes, and description length finds a best of these."
    )
