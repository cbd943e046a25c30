import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from helpers import planted
from pluribus import Ensemble
from pluribus.compare import average_agreement
from pluribus.consensus import BipartitePartitioning
from pluribus.consensus.selection.select_members import agreement_weights, select_members
from pluribus.consensus.selection.select_partition import select
from pluribus.generate import Generator

P1, P2, P3 = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]
MEMBERS = [P1, P2, P3]
CANDIDATES = [[0, 0, 1, 1, 1, 1], P1, [0, 1, 0, 1, 0, 1]]
NMI = "normalized_mutual_information"


# -- candidates ------------------------------------------------------------------------------------------------------


def test_table_of_the_examples():
    found = select(CANDIDATES, MEMBERS)
    assert (found.index, found.criterion) == (1, "consistency")
    table = found.table
    assert table["consistency"].tolist() == pytest.approx([11 / 27, 17 / 36, 11 / 36])
    assert table[NMI].tolist() == pytest.approx([0.545654, 0.785796, 0.084499], abs=1e-6)
    assert table["div1"].tolist() == pytest.approx([0.731511, 0.350564, 1.217073], abs=1e-6)
    assert table.loc[1, ["div2", "div3", "div4"]].tolist() == pytest.approx([0.381929, 0.515682, 1.089469], abs=1e-6)
    assert table["div3"][2] == pytest.approx(-0.043003, abs=1e-6)
    assert table["n_clusters"].tolist() == [2, 2, 2]
    assert table["balance"].tolist() == pytest.approx([4 / 9, 1 / 2, 1 / 2])
    assert table["refinement"][1] == pytest.approx(17 / 18)
    assert found.scores.tolist() == table["consistency"].tolist()


@pytest.mark.parametrize(("criterion", "index"), [("consistency", 1), (NMI, 1), ("div1", 0), ("div3", 0)])
def test_criteria(criterion, index):
    assert select(CANDIDATES, MEMBERS, criterion=criterion).index == index  # of the measures of diversity, the median


def test_the_lower_median_of_an_even_number():
    found = select(CANDIDATES[:2], MEMBERS, criterion="div1")
    assert found.index == 1  # 0.35 of 0.73 and 0.35


def test_candidates_and_ensembles_of_any_form():
    expected = select(CANDIDATES, MEMBERS).scores
    for candidates in (
        np.array(CANDIDATES).T,
        pd.DataFrame(np.array(CANDIDATES).T),
        Ensemble(CANDIDATES),
        [[f"c{x}" for x in c] for c in CANDIDATES],
    ):
        assert select(candidates, MEMBERS).scores == pytest.approx(expected)
    each = [Ensemble(MEMBERS), Ensemble([P1, P1]), Ensemble(MEMBERS)]
    found = select(CANDIDATES, each)
    assert found.scores == pytest.approx([expected[0], 0.5, expected[2]])


def test_missing_labels_and_weights():
    members = Ensemble([P1, [0, 0, -1, 1, 2, 2], [0, 0, 0, 1, 1, -1]], weights=[1, 1, 1])
    found = select([P1], members)
    assert found.scores == pytest.approx([73 / 150])
    assert found.table["balance"][0] == pytest.approx((1 / 2 + 12 / 25 + 12 / 25) / 3)
    assert found.table["refinement"][0] == pytest.approx(1)
    weighted = select([P1], Ensemble(MEMBERS, weights=[2, 1, 0])).table.loc[0]
    twice = [0, 0, 1 - adjusted_rand_score(P1, P2)]
    assert weighted["div1"] == pytest.approx(np.mean(twice))
    assert weighted["consistency"] == pytest.approx((2 / 2 + 5 / 12) / 3)
    equal = select([P1], Ensemble(MEMBERS, weights=[5, 5, 5])).table
    pd.testing.assert_frame_equal(equal, select([P1], MEMBERS).table)


def test_noise():
    candidates = [P1, [0, 0, -1, 1, 1, 1]]
    with pytest.raises(ValueError, match="Candidate 1 has no cluster for 1 objects.*missing='ignore'"):
        select(candidates, MEMBERS)
    found = select(candidates, MEMBERS, missing="ignore")
    assert found.scores[1] == pytest.approx(average_agreement(candidates[1], MEMBERS))
    assert found.table["balance"][1] == pytest.approx(1 - (4 + 9) / 25)


def test_finds_the_candidate_without_noise():
    truth, members = planted(400, 12, 4, 0.2)
    fine = members * 3 + np.random.default_rng(1).integers(3, size=members.shape)  # splits each cluster
    _, candidates = planted(400, 3, 4, [0.0, 0.3, 0.6])
    for criterion in ("consistency", NMI):
        assert select(candidates, fine, criterion=criterion).index == 0
    assert normalized_mutual_info_score(truth, candidates[:, 0]) == pytest.approx(1)


def test_consistency_prefers_equal_sizes_to_the_truth():
    X, moons = make_moons((400, 100), noise=0.05, random_state=0)
    fine = Generator(n_members=20, n_clusters=(15, 25), random_state=0, verbose=False).generate(X)
    halves = X[:, 0] > np.median(X[:, 0])
    found = select([moons, halves], fine)
    assert found.index == 1
    assert found.table["refinement"][0] > found.table["refinement"][1]


def test_warnings():
    with pytest.warns(UserWarning, match=r"different numbers of clusters \(2, 3\)"):
        assert select([P1, [0, 0, 1, 2, 2, 2]], [[0, 1, 2, 3, 4, 5], P2]).scores[1] > 0.5
    with pytest.warns(UserWarning, match="single cluster have a consistency of 0; there are 1"):
        found = select([[0] * 6], MEMBERS)
    assert found.scores.tolist() == [0]
    assert found.table["refinement"].tolist() == [1]
    with pytest.warns(UserWarning, match="1 of 1 candidates have more clusters than some of their members"):
        select([P2], MEMBERS)
    with pytest.warns(UserWarning, match="With a single member, div2, div3 and div4 are undefined"):
        assert np.isnan(select([P1], [P1]).table["div2"][0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        select([P1, P2], MEMBERS, criterion=NMI)
        assert np.isnan(select([P1], [P1, P1]).table["div4"][0])
        assert select([list("abcdef")], [list("abcdef")] * 2).scores == pytest.approx([5 / 6])  # singletons


@pytest.mark.parametrize(
    ("candidates", "ensemble", "options", "message"),
    [
        ([], MEMBERS, {}, "no candidates"),
        ([[0, 1]], MEMBERS, {}, "Candidate 0 labels 2 objects, but its ensemble 6"),
        ([P1], [], {}, "empty"),
        ([P1], [Ensemble(MEMBERS)] * 2, {}, "1 candidates, but 2 ensembles"),
        ([P1], MEMBERS, {"criterion": "div2"}, "criterion must be one of"),
        ([P1], MEMBERS, {"missing": "drop"}, "missing must be"),
        ([P1], [P1], {"criterion": "div3"}, "needs at least two members"),
    ],
)
def test_bad_candidates(candidates, ensemble, options, message):
    with pytest.raises(ValueError, match=message):
        select(candidates, ensemble, **options)


# -- members ---------------------------------------------------------------------------------------------------------

NOISE = [0.1, 1.0, 0.1, 0.2, 1.0, 0.1, 0.2, 1.0, 0.1, 0.2]  # three members are noise alone


@pytest.mark.parametrize("criterion", ["quality", "joint"])
def test_leaves_noise_out(criterion):
    _, labels = planted(500, 10, 4, NOISE)
    chosen = select_members(labels, 7, criterion=criterion, verbose=False)
    assert chosen.names == ("p0", "p2", "p3", "p5", "p6", "p8", "p9")
    assert chosen.labels.tolist() == Ensemble(labels).take_partitions(chosen.names).labels.tolist()


def test_diversity_takes_noise():
    _, labels = planted(500, 10, 4, NOISE)
    assert {"p1", "p4", "p7"} <= set(select_members(labels, 4, criterion="diversity", verbose=False).names)


def test_joint_takes_from_both_of_two_families():
    _, two = planted(300, 2, 4, 0.4)
    labels = np.repeat(two, 3, axis=1)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(labels.shape) < 0.05, rng.integers(4, size=labels.shape), labels)
    first, second = select_members(labels, 2, verbose=False).names
    assert first in ("p0", "p1", "p2")
    assert second in ("p3", "p4", "p5")
    alike = np.array([[normalized_mutual_info_score(a, b, average_method="geometric") for a in labels.T] for b in labels.T])  # fmt: skip # noqa: E501
    quality = alike.sum(axis=1) - 1
    best = quality.argmax()
    gain = np.where(np.arange(6) == best, -1, 2 * quality + 1 - alike[best])
    assert {first, second} == {f"p{best}", f"p{gain.argmax()}"}
    by_quality = np.sort(np.argsort(-quality)[:2])
    assert select_members(labels, 2, criterion="quality", verbose=False).names == tuple(f"p{i}" for i in by_quality)


def test_members_of_weight_zero_are_not_taken():
    e = Ensemble(planted(100, 4, 3, 0.1)[1], weights=[1, 0, 1, 1], ids=np.arange(100).astype(str))
    chosen = select_members(e, 3, verbose=False)
    assert chosen.names == ("p0", "p2", "p3")
    assert chosen.ids.tolist() == e.ids.tolist()
    with pytest.raises(ValueError, match="n_members=4 must be a whole number between 1 and the 3 members"):
        select_members(e, 4)


def test_names_and_order_of_objects_do_not_matter():
    _, labels = planted(200, 9, 4, 0.3)
    order = np.random.default_rng(0).permutation(200)
    named = [[f"x{(3 * c + 1) % 7}" for c in column] for column in labels[order].T]
    for criterion in ("quality", "diversity", "joint"):
        chosen = select_members(labels, 4, criterion=criterion, verbose=False)
        assert select_members(named, 4, criterion=criterion, verbose=False).names == chosen.names
    assert agreement_weights(named).weights == pytest.approx(agreement_weights(labels).weights)


@pytest.mark.parametrize("index", [NMI, "adjusted_rand", "consistency", adjusted_rand_score])
def test_noise_gets_little_weight(index):
    _, labels = planted(400, 10, 4, NOISE)
    weights = agreement_weights(labels, index, verbose=False).weights
    noise = np.array(NOISE) == 1
    assert weights[noise].max() < weights[~noise].min() * (0.9 if index == "consistency" else 0.1)


def test_weights_are_mean_agreement():
    _, labels = planted(80, 3, 3, [0.2, 0.4, 0.6])
    given = np.array([1.0, 2.0, 0.5])
    weights = agreement_weights(Ensemble(labels, weights=given), verbose=False).weights
    alike = np.array([[normalized_mutual_info_score(a, b, average_method="geometric") for a in labels.T] for b in labels.T])  # fmt: skip # noqa: E501
    np.fill_diagonal(alike, 0)
    assert weights == pytest.approx(given * (alike @ given) / (given.sum() - given))
    assert agreement_weights([[0, 0, 1]]).weights.tolist() == [1]
    assert agreement_weights(Ensemble([P1, P2], weights=[1, 0])).weights.tolist() == [1, 0]
    with pytest.raises(ValueError, match="better than chance"):
        agreement_weights([[0, 0, 1, 1], [0, 1, 0, 1]], "adjusted_rand")
    with pytest.raises(ValueError, match="No index is called 'nope'"):
        agreement_weights(labels, "nope")
    with pytest.raises(ValueError, match="criterion must be one of"):
        select_members(labels, 2, criterion="best")


def test_consensus_is_better_for_it():
    truth, labels = planted(300, 20, 4, [0.45] * 8 + [1.0] * 12, seed=3)

    def right(ensemble):
        found = BipartitePartitioning(4, random_state=0, verbose=False).fit_predict(ensemble)
        return adjusted_rand_score(truth, found)

    plain = right(labels)
    assert right(agreement_weights(labels, verbose=False)) > plain
    assert right(select_members(labels, 8, verbose=False)) > plain
