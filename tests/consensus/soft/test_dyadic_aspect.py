import pickle
import warnings
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from pluribus import Ensemble
from pluribus.consensus.soft import _pair_occurrences, dyadic_aspect
from pluribus.consensus.soft._aspect_model import climb, elbow, maximize, random_aspects
from pluribus.consensus.soft._pair_occurrences import IncidencePairs, occurrences_of_labels
from pluribus.consensus.soft.dyadic_aspect import DyadicAspect
from pluribus.evidence import CoAssociation

HAND = [[0, 0, 1, 1], [0, 0, 0, 1]]
START = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
HALF = np.array([0.5, 0.5])


def penca(n_clusters=None, **options):
    return DyadicAspect(n_clusters, **({"random_state": 0, "verbose": False} | options))


def planted(n=200, k=3, r=15, noise=0.25, missing=0.2, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, n, p=np.arange(2, k + 2) / np.arange(2, k + 2).sum())
    columns = []
    for _ in range(r):
        k_p = int(rng.integers(k, k + 3))
        column = np.where(rng.random(n) < noise, rng.integers(0, k_p, n), truth)
        columns.append(np.where(rng.random(n) < missing, -1, column))
    labels = np.column_stack(columns)
    labels[:, 0] = np.where((labels < 0).all(axis=1), truth, labels[:, 0])
    return labels, truth


@st.composite
def ensembles(draw, max_n=12, soft=None):
    n, r = draw(st.integers(2, max_n)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.random(r) + 0.1 if draw(st.booleans()) else None
    seen = rng.random((n, r)) < (0.6 if draw(st.booleans()) else 1)
    seen[:, 0] = seen[0] = True
    if draw(st.booleans()) if soft is None else soft:
        memberships = [rng.dirichlet(np.full(rng.integers(1, 4), 0.5), n) * seen[:, [p]] for p in range(r)]
        return Ensemble.from_memberships(memberships, weights=weights)
    labels = np.where(seen, rng.integers(0, rng.integers(1, 5), (n, r)), -1)
    labels[1] = labels[0]  # some pair is together
    return Ensemble(labels, weights=weights)


def literal_counts(ensemble, by_size, diagonal):
    """C by its definition, over all objects."""
    n = ensemble.n_objects
    C = np.zeros((n, n))
    for p, k in enumerate(ensemble.n_clusters):
        U = (ensemble.labels[:, [p]] == np.arange(k)).astype(float)
        if ensemble.memberships is not None:
            U = ensemble.memberships[p]
        for c in range(k):
            u, m = U[:, c], U[:, c].sum()
            together = ensemble.weights[p] * np.outer(u, u)
            if by_size:
                off = m * m - (u * u).sum()
                together = together * m / off if off > 1e-12 * m * m else 0 * together
            C += together
    if not diagonal:
        np.fill_diagonal(C, 0)
    return C


def literal_step(C, p, B):
    """One step of EM over the list of ordered pairs; B is (k, n). Log-likelihood at the start, new p and B."""
    k, n = B.shape
    log_likelihood, U = 0.0, np.zeros((k, n))
    for y in range(n):
        for z in range(n):
            if C[y, z] > 0:
                joint = p * B[:, y] * B[:, z]
                log_likelihood += C[y, z] * np.log(joint.sum())
                U[:, y] += C[y, z] * joint / joint.sum()
    return log_likelihood, U.sum(axis=1) / C.sum(), U / U.sum(axis=1, keepdims=True)


# -- the spec's example ------------------------------------------------------------------------------------------------


def test_hand_example_one_step():
    C = literal_counts(Ensemble(HAND), False, False)
    assert C.tolist() == [[0, 2, 1, 0], [2, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]
    pairs = IncidencePairs(Ensemble(HAND).one_hot(), np.ones(4), np.ones(4), False)
    responsible, log_likelihood = pairs.explain(HALF, START.T.copy())
    assert pairs.total == 10
    assert log_likelihood == pytest.approx(-27.38322584261607, abs=1e-12)
    p, found = maximize(responsible)
    assert p == pytest.approx([float(F(95, 154)), float(F(59, 154))], abs=1e-15)
    wanted = [
        [F(188, 475), F(341, 950), F(211, 950), F(11, 475)],
        [F(43, 295), F(121, 590), F(251, 590), F(66, 295)],
    ]
    assert found == pytest.approx(np.array(wanted, dtype=float).T, abs=1e-15)
    assert pairs.explain(p, found)[1] == pytest.approx(-25.792564263291155, abs=1e-12)
    joint = p * found
    assert (joint / joint.sum(axis=1, keepdims=True))[:, 0] == pytest.approx([188 / 231, 31 / 42, 211 / 462, 1 / 7])
    # responsibilities of the first aspect for the pairs
    first = 0.5 * np.outer(START[0], START[0]) / (0.5 * START.T @ START)
    assert [first[0, 1], first[0, 2], first[1, 2], first[2, 3]] == pytest.approx([6 / 7, 8 / 11, 1 / 2, 1 / 7])


@pytest.mark.parametrize("init", ["auto", "average", START])
def test_hand_example_limit(init):
    model = penca(2, init=init, tol=1e-14, max_iter=5000).fit(HAND)
    assert model.cluster_prob_ == pytest.approx([0.8, 0.2], abs=1e-6)
    assert model.aspects_ == pytest.approx(np.array([[3 / 8, 3 / 8, 1 / 4, 0], [0, 0, 1 / 2, 1 / 2]]), abs=1e-6)
    assert model.log_likelihood_ == pytest.approx(-25.09174143824194, abs=1e-8)
    assert model.log_likelihood_ == pytest.approx(4 * np.log(0.1125) + 4 * np.log(0.075) + 2 * np.log(0.05), abs=1e-8)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.n_pairs_ == 10


def test_unanimous_partitions_have_a_closed_form():
    sizes = np.array([7, 5, 2])
    labels = np.repeat([0, 1, 2], sizes)
    model = penca(3).fit([labels, 2 - labels, labels])
    n_pairs = sizes * (sizes - 1)
    assert model.cluster_prob_ == pytest.approx(n_pairs / n_pairs.sum())
    assert model.aspects_ == pytest.approx((labels == np.arange(3)[:, None]) / sizes[:, None], abs=1e-9)
    assert model.membership_ == pytest.approx(np.eye(3)[labels], abs=1e-9)
    assert model.n_pairs_ == 3 * n_pairs.sum()


def test_one_aspect_is_the_share_of_each_object():
    labels, _ = planted(n=40)
    model = penca(1).fit(labels)
    C = literal_counts(Ensemble(labels), False, False)
    assert model.aspects_[0] == pytest.approx(C.sum(axis=1) / C.sum())
    assert model.objective_ == pytest.approx(model.objective_[0])
    assert (model.labels_ == 0).all()


# -- oracles -----------------------------------------------------------------------------------------------------------


@given(ensembles(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
def test_a_step_is_the_literal_em(ensemble, by_size, diagonal, streamed, seed):
    C = literal_counts(ensemble, by_size, diagonal)
    if not C.sum() > 0:
        return
    with pytest.MonkeyPatch.context() as patch:
        if streamed:
            patch.setattr(_pair_occurrences, "_STORED_UP_TO", 1)
        given_ = occurrences_of_labels(ensemble, by_size=by_size, diagonal=diagonal)
        pairs, rows = given_.pairs, given_.row_of
        k = 3
        B = random_aspects(pairs, k, seed)
        p = np.random.default_rng(seed).dirichlet(np.ones(k))
        full = (B / pairs.sizes[:, None])[rows].T
        responsible, log_likelihood = pairs.explain(p, B)
        wanted_log, wanted_p, wanted_B = literal_step(C, p, full)
        assert pairs.total == pytest.approx(C.sum())
        assert log_likelihood == pytest.approx(wanted_log)
        new_p, new_B = maximize(responsible)
    assert new_p == pytest.approx(wanted_p)
    assert (new_B / pairs.sizes[:, None])[rows] == pytest.approx(wanted_B.T)
    # the marginal is reproduced after every step
    assert (new_p * new_B).sum(axis=1) == pytest.approx(pairs.of_objects / pairs.total)


@pytest.mark.parametrize("threads", [None, 2])
def test_blocks_of_rows_add_up(threads, monkeypatch):
    labels, _ = planted(n=150, noise=0.5)
    whole = occurrences_of_labels(Ensemble(labels), by_size=True, diagonal=False).pairs
    B, p = random_aspects(whole, 4, 0), np.full(4, 0.25)
    wanted = whole.explain(p, B)
    monkeypatch.setattr(_pair_occurrences, "_STORED_UP_TO", 20)
    blocks = occurrences_of_labels(Ensemble(labels), by_size=True, diagonal=False).pairs
    got = blocks.explain(p, B, threads)
    assert got[0] == pytest.approx(wanted[0])
    assert got[1] == pytest.approx(wanted[1])


def test_weights_by_size_give_each_object_the_same_say():
    labels, _ = planted(n=60)
    labels[:, 1] = np.arange(60)  # all alone: they count nothing
    ensemble = Ensemble(labels)
    pairs = occurrences_of_labels(ensemble, by_size=True, diagonal=False).pairs
    sizes = [np.bincount(column[column >= 0]) for column in ensemble.labels.T]
    assert pairs.total == pytest.approx(sum(m[m > 1].sum() for m in sizes))


# -- the whole method --------------------------------------------------------------------------------------------------


@given(ensembles(), st.data())
def test_log_likelihood_never_falls(ensemble, data):
    k = data.draw(st.integers(1, min(4, ensemble.n_objects)))
    options = {
        "pair_weight": data.draw(st.sampled_from(["count", "size"])),
        "diagonal": data.draw(st.booleans()),
        "init": data.draw(st.sampled_from(["auto", "dirichlet", "average"])),
    }
    if not literal_counts(ensemble, options["pair_weight"] == "size", options["diagonal"]).sum() > 1e-9:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = penca(k, n_init=3, max_iter=60, **options).fit(ensemble)
    path, n = model.objective_, ensemble.n_objects
    assert len(path) == model.n_iter_ + 1
    assert (np.diff(path) >= -1e-9 * np.abs(path[1:])).all()
    assert model.membership_.shape == (n, model.n_clusters_)
    assert model.membership_.sum(axis=1) == pytest.approx(1)
    assert model.aspects_.sum(axis=1) == pytest.approx(1)
    assert model.cluster_prob_.sum() == pytest.approx(1)
    known = model.labels_ >= 0
    assert np.unique(model.labels_[known]).tolist() == list(range(model.n_clusters_))
    assert (np.flatnonzero(~known) == model.isolated_objects_).all()


@pytest.mark.parametrize("pair_weight", ["count", "size"])
def test_planted_partition_is_recovered(pair_weight):
    labels, truth = planted()
    model = penca(3, pair_weight=pair_weight).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert model.converged_


@pytest.mark.parametrize(("k", "seed"), [(2, 0), (3, 1), (5, 2)])
def test_number_of_clusters_is_found(k, seed):
    labels, truth = planted(k=k, seed=seed, noise=0.2)
    model = penca(n_init=4, tol=1e-6).fit(labels)
    assert model.n_clusters_ == k
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    tried = np.flatnonzero(~np.isnan(model.log_likelihoods_))
    assert tried.tolist() == list(range(1, k + 4))  # the finest partition has k + 2 clusters
    assert model.log_likelihoods_[k] == pytest.approx(model.log_likelihood_)
    assert (np.diff(model.log_likelihoods_[1:]) > 0).all()


def test_elbow_of_the_published_increments():
    wine = np.concatenate([[np.nan], np.cumsum([-4e6, 168493, 99779, 25399, 12567])])
    assert elbow(wine) == 3
    assert elbow(np.array([np.nan, -10.0, -5.0])) == 2
    noise = np.concatenate([[np.nan], np.cumsum([-1e3, 100, 1.0, 0.9, 0.001, 0.002])])
    assert elbow(noise) == 2  # not 4, where one tiny gain is much smaller than another


def test_k_range_is_kept():
    labels, _ = planted(k=5, noise=0.1)
    model = penca(k_range=(3, 4), n_init=2, tol=1e-5).fit(labels)
    assert model.n_clusters_ in (3, 4)
    assert np.flatnonzero(~np.isnan(model.log_likelihoods_)).tolist() == [2, 3, 4, 5]


def test_order_of_objects_does_not_matter():
    labels, _ = planted(noise=0.45, n=120)
    shuffle = np.random.default_rng(1).permutation(120)
    a, b = penca(3).fit(labels), penca(3).fit(labels[shuffle])
    assert b.log_likelihood_ == pytest.approx(a.log_likelihood_, rel=1e-9)
    assert (a.labels_[shuffle] == b.labels_).all()
    assert b.membership_ == pytest.approx(a.membership_[shuffle], abs=1e-6)


def test_names_of_labels_do_not_matter():
    labels, _ = planted(noise=0.45, n=100)
    names = np.array(["f", "b", "e", "a", "d", "g", "c", None], dtype=object)
    a, b = penca(3).fit(labels), penca(3).fit([names[column] for column in labels.T])
    assert (a.membership_ == b.membership_).all()


def test_number_of_jobs_does_not_matter():
    labels, _ = planted(noise=0.45, n=100)
    a, b = penca(3, n_jobs=1).fit(labels), penca(3, n_jobs=2).fit(labels)
    assert (a.membership_ == b.membership_).all()


def test_many_objects_start_from_a_sample(monkeypatch):
    monkeypatch.setattr(dyadic_aspect, "_ARENA", 60)
    monkeypatch.setattr(_pair_occurrences, "_STORED_UP_TO", 100)
    labels, truth = planted(n=400)
    model = penca(3).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert (np.diff(model.objective_) >= -1e-9 * np.abs(model.objective_[1:])).all()
    searched = penca(n_init=3).fit(CoAssociation(labels, form="operator"))
    assert searched.n_clusters_ == 3


def test_a_matrix_counts_like_the_labels_it_comes_from(monkeypatch):
    labels, truth = planted(missing=0, n=120)
    from_labels = penca(3).fit(labels)
    evidence = CoAssociation(labels)
    dense = penca(3).fit(CoAssociation.from_matrix(evidence.to_dense()))
    assert dense.log_likelihood_ * labels.shape[1] == pytest.approx(from_labels.log_likelihood_, rel=1e-5)
    assert adjusted_rand_score(dense.labels_, from_labels.labels_) == 1
    monkeypatch.setattr(dyadic_aspect, "_ARENA", 50)
    halved = CoAssociation.from_matrix(sparse.csr_array(evidence.to_dense() / 2))
    assert adjusted_rand_score(penca(3).fit(halved).labels_, truth) > 0.95
    near = penca(3).fit(CoAssociation(labels, form="neighbors", n_neighbors=40))
    assert adjusted_rand_score(near.labels_, truth) > 0.9


def test_soft_partitions_count_in_fractions():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 25)
    memberships = [(np.eye(3)[truth] * 3 + rng.dirichlet(np.ones(3), 75)) / 4 for _ in range(5)]
    memberships[0][0] = 0  # missing
    model = penca(3).fit(Ensemble.from_memberships(memberships))
    assert adjusted_rand_score(truth, model.labels_) == 1


def test_weight_two_is_the_partition_twice():
    labels, _ = planted(n=50, r=3, noise=0.4, missing=0.1)
    init = np.random.default_rng(0).dirichlet(np.ones(50), 3)
    a = penca(3, init=init).fit(Ensemble(labels, weights=[1, 2, 1]))
    b = penca(3, init=init).fit(labels[:, [0, 1, 1, 2]])
    assert a.objective_ == pytest.approx(b.objective_)
    assert a.aspects_ == pytest.approx(b.aspects_)


def test_bic_counts_pairs_as_told():
    labels, _ = planted(n=60, missing=0)
    model = penca(2).fit(labels)
    n_parameters = 1 + 2 * 59
    assert model.bic(model.n_pairs_) == pytest.approx(
        -2 * model.log_likelihood_ + n_parameters * np.log(model.n_pairs_)
    )
    n_once = model.n_pairs_ / 15
    assert model.bic() == pytest.approx(-2 * model.log_likelihood_ / 15 + n_parameters * np.log(n_once))


def test_frames_clones_and_pickles():
    frame = pd.DataFrame({"x": ["u", "u", "v", "v", None], "y": [1, 1, 2, 2, 2]})
    model = penca(2).fit(frame)
    assert model.labels_.tolist() == [1, 1, 0, 0, 0]
    assert (pickle.loads(pickle.dumps(model)).labels_ == model.labels_).all()
    assert clone(model).get_params() == model.get_params()


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_objects_that_are_always_alone():
    labels = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [2, 2], [3, -1]])
    with pytest.warns(UserWarning, match=r"2 objects are never together with another .*rows \[4, 5\]"):
        model = penca(2).fit(labels)
    assert model.labels_.tolist() == [0, 0, 1, 1, -1, -1]
    assert model.isolated_objects_.tolist() == [4, 5]
    assert model.membership_[4:] == pytest.approx(0.5)
    assert model.uncertainty_[4:] == pytest.approx(1)
    assert (model.aspects_[:, 4:] == 0).all()


def test_aspects_that_nobody_needs_are_left_out():
    with pytest.warns(UserWarning, match="1 of 3 aspects"):
        model = penca(3).fit([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1]])
    assert model.n_clusters_ == 2
    assert model.aspects_.shape == (2, 5)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_clusters": 5}, "more than the number of objects, 4"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"pair_weight": "rank"}, "pair_weight"),
        ({"k_range": (1, 3)}, "2 <= low <= high"),
        ({"k_range": (5, 6)}, "low at most 4"),
        ({"init": START}, "give n_clusters, too"),
        ({"n_clusters": 2, "init": START.T}, r"shape \(2, 4\)"),
        ({"n_clusters": 2, "init": START * 2}, "sum to 1"),
        ({"n_clusters": 2, "init": np.full((2, 4), 0.25)}, "two equal aspects"),
        ({"n_clusters": 2, "init": [[0.5, 0.5, 0, 0], [0, 0, 0, 1]]}, "probability 0 to a pair"),
        ({"n_clusters": 2, "init": [[0.5, 0.5, 0, 0], [np.nan, 0, 0, 1]]}, "probabilities|NaN"),
    ],
)
def test_bad_parameters(options, match):
    with pytest.raises(ValueError, match=match):
        penca(**options).fit(HAND)


def test_nothing_together():
    with pytest.raises(ValueError, match="No two objects are ever together"):
        penca(2).fit([[0, 1, 2], [2, 1, 0]])


def test_a_warning_where_it_did_not_converge():
    labels, _ = planted(noise=0.6, n=80)
    with pytest.warns(ConvergenceWarning, match="2 iterations"):
        model = penca(3, max_iter=2).fit(labels)
    assert not model.converged_


def test_climbing_on_does_not_change_a_fixed_point():
    labels, _ = planted(n=60)
    pairs = occurrences_of_labels(Ensemble(labels), by_size=False, diagonal=False).pairs
    end = climb(pairs, np.full(3, 1 / 3), random_aspects(pairs, 3, 0), max_iter=5000, tol=1e-15)
    again = climb(pairs, end.p, end.B, max_iter=10, tol=0)
    assert again.path == pytest.approx([end.path[-1]] * len(again.path), rel=1e-12)
