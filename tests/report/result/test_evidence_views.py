import numpy as np
import pytest
from scipy.cluster.hierarchy import leaves_list

from pluribus.partitions import Ensemble
from pluribus.report.result._evidence_views import cuts, evidence_among, heat_map, pair_evidence


def test_evidence_with_weights_and_missing_labels(slow_evidence):
    rng = np.random.default_rng(0)
    ensemble = Ensemble(rng.integers(-1, 3, (30, 7)), weights=rng.random(7))
    objects = np.array([3, 1, 20, 7])
    expected = slow_evidence(ensemble.labels, ensemble.weights)[np.ix_(objects, objects)]
    np.testing.assert_allclose(evidence_among(ensemble, objects), expected)


def test_pairs_that_no_member_covers_are_unknown(plain_case):
    case = plain_case([[0, 0, -1, -1], [-1, -1, 0, 0]], [0, 0, 1, 1])
    assert np.isnan(evidence_among(case.ensemble, np.arange(4))[0, 2])
    assert (heat_map(case).percent == -1).sum() == 8
    pairs = pair_evidence(case)
    assert pairs.same[-1] == 1
    assert pairs.different.sum() == 0


def test_pair_evidence_against_all_pairs(make_case, slow_evidence):
    case = make_case()
    evidence = slow_evidence(case.ensemble.labels)[np.triu_indices(90, 1)]
    same = (case.labels[:, None] == case.labels)[np.triu_indices(90, 1)]
    view = pair_evidence(case)
    np.testing.assert_allclose(view.same, np.histogram(evidence[same], view.edges)[0] / same.sum())
    np.testing.assert_allclose(view.different, np.histogram(evidence[~same], view.edges)[0] / (~same).sum())
    assert view.undecided == np.mean((evidence > 0.1) & (evidence < 0.9))
    assert view.n_sampled == 90


def test_heat_map_is_exact_and_in_dendrogram_order(make_case, slow_evidence):
    case = make_case()
    heat = heat_map(case)
    leaves = leaves_list(case.linkage)
    assert heat.ids.tolist() == case.ids[leaves].tolist()
    assert not heat.sampled
    expected = slow_evidence(case.ensemble.labels)[np.ix_(leaves, leaves)]
    np.testing.assert_array_equal(heat.percent, np.rint(expected * 100))


def test_heat_map_without_dendrogram_goes_cluster_by_cluster(make_case):
    heat = heat_map(make_case(with_linkage=False, labels=np.r_[np.full(5, -1), np.arange(85) % 3]))
    in_turn = heat.labels.tolist()
    assert in_turn == sorted(in_turn, key=lambda c: c if c >= 0 else 99)


def test_heat_map_of_a_sample_shows_every_cluster(make_case):
    case = make_case(n=700, k=5, r=4)
    heat = heat_map(case)
    assert heat.sampled
    assert len(heat.labels) <= 300
    assert set(heat.labels) == set(case.labels)
    positions = {name: i for i, name in enumerate(case.ids[leaves_list(case.linkage)])}
    assert (np.diff([positions[name] for name in heat.ids]) > 0).all()


def slow_margins(evidence, labels):
    np.fill_diagonal(evidence, np.nan)
    margins, ambiguous = [], []
    for i, label in enumerate(labels):
        means = {c: np.nanmean(evidence[i, labels == c]) for c in set(labels) if c != label}
        mates = evidence[i, labels == label]
        own = 1.0 if np.isnan(mates).all() else np.nanmean(mates)
        margins.append(own - max(means.values()))
        ambiguous.append(max(means.values()) >= 0.5 * own)
    return np.array(margins), np.mean(ambiguous)


@pytest.mark.parametrize("n_clusters", [3, 14])
def test_cuts_against_the_matrix(make_case, slow_evidence, n_clusters):
    from scipy.cluster.hierarchy import cut_tree

    case = make_case(n=40, k=n_clusters, missing=0)
    view = cuts(case)
    assert view.chosen == n_clusters
    assert set(range(2, 11)) | {n_clusters - 1, n_clusters, n_clusters + 1} == set(view.k.tolist())
    for k, quantiles, ambiguous in zip(view.k, view.quantiles, view.ambiguous, strict=True):
        margins, share = slow_margins(slow_evidence(case.ensemble.labels), cut_tree(case.linkage, k).ravel())
        np.testing.assert_allclose(quantiles, np.quantile(margins, [0.05, 0.25, 0.5, 0.75, 0.95]), atol=1e-9)
        assert ambiguous == pytest.approx(share)


def test_margins_are_highest_at_the_number_of_clusters_of_the_members(make_case):
    view = cuts(make_case(k=4))
    assert view.k[view.quantiles[:, 2].argmax()] == 4
    assert (view.ambiguous[view.k > 4] > view.ambiguous[view.k == 4]).all()


def test_no_cuts_without_dendrogram(make_case):
    assert cuts(make_case(with_linkage=False)) is None
