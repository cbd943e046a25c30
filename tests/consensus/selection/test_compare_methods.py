from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from pluribus import Ensemble
from pluribus.consensus import compare_methods, names
from pluribus.consensus._internal import accumulate, configured
from pluribus.consensus._registry import cost_of

PARTS = compare_methods.__globals__  # what it is made of
QUICK = ["eac", "hbgf", "qmi", "scec", "voting"]


def noisy(n=80, k=3, r=8, noise=0.15, missing=0.0, seed=0, **rest):
    rng = np.random.default_rng(seed)
    true = np.arange(n) % k
    labels = np.where(rng.random((n, r)) < noise, rng.integers(0, k, (n, r)), true[:, None])
    labels[rng.random((n, r)) < missing] = -1
    labels[:, 0] = true
    return Ensemble(labels, **rest)


def compared(ensemble, k=None, methods=QUICK, **rest):
    return compare_methods(ensemble, k, methods=methods, verbose=False, **rest)


def test_every_name_has_a_row():
    result = compare_methods(noisy(), 3, verbose=False)
    assert sorted(run.name for run in result.runs) == names()
    left = {run.name: run.problem for run in result.runs if run.consensus is None}
    assert {"liftkm", "lifthac"} <= set(left)
    assert "needs the data" in left["liftkm"]
    assert {"eac", "scec", "qmi", "voting", "hbgf", "mcla", "mmec", "ppc", "penca", "embedding"} <= set(
        result.partitions.names
    )
    assert list(result.to_frame()["method"]) == [run.name for run in result.runs]


def test_figures_by_an_oracle():
    ensemble = noisy(weights=[5, 1, 1, 1, 0, 2, 1, 1])
    result = compared(ensemble, 3)
    labels = [run.consensus.labels_ for run in result.completed]
    for i, run in enumerate(result.completed):
        nmi = [normalized_mutual_info_score(m, labels[i], average_method="geometric") for m in ensemble.labels.T]
        ari = [adjusted_rand_score(m, labels[i]) for m in ensemble.labels.T]
        assert run.nmi_members == pytest.approx(np.average(nmi, weights=ensemble.weights))
        assert run.ari_members == pytest.approx(np.average(ari, weights=ensemble.weights))
        others = [adjusted_rand_score(labels[i], other) for j, other in enumerate(labels) if j != i]
        assert run.ari_methods == pytest.approx(np.mean(others))
        assert result.agreement[i] == pytest.approx([adjusted_rand_score(labels[i], other) for other in labels])


def test_best_agreement_first_and_the_preferred_is_fitted():
    result = compared(noisy(noise=0.4), 3)
    nmi = [run.nmi_members for run in result.completed]
    assert nmi == sorted(nmi, reverse=True)
    assert result.consensus.labels_.shape == (80,)
    assert result.standing(next(run for run in result.runs if run.name == result.preferred)) == "preferred"


def test_same_partitions_as_each_method_alone_and_twice():
    ensemble = noisy(noise=0.4)
    first, second = (compared(ensemble, 3, random_state=5) for _ in range(2))
    assert first.preferred == second.preferred
    for run, again in zip(first.completed, second.completed, strict=True):
        np.testing.assert_array_equal(run.consensus.labels_, again.consensus.labels_)
        if run.name != "eac":
            alone = configured(run.name, n_clusters=3, random_state=5, verbose=False).fit(ensemble)
            np.testing.assert_array_equal(run.consensus.labels_, alone.labels_)


def test_one_method_fails_and_the_others_go_on(monkeypatch):
    real = PARTS["_fitted"]

    def fitted(name, *rest):
        if name == "qmi":
            raise RuntimeError("no\n luck")
        return real(name, *rest)

    monkeypatch.setitem(PARTS, "_fitted", fitted)
    result = compared(noisy(), 3)
    assert result.runs[-1].problem == "Failed: RuntimeError: no luck"
    assert len(result.completed) == len(QUICK) - 1
    assert result.agreement.shape == (4, 4)


def test_a_reason_that_the_method_gives_is_kept():
    fine = Ensemble(np.arange(60)[:, None] // 5 + np.zeros(3, int))
    problem = next(run.problem for run in compared(fine, 3).runs if run.name == "voting")
    assert problem.startswith("Failed: No partition has n_clusters=3 clusters")


def test_all_fail():
    with pytest.raises(ValueError, match="No method gave a result. voting: Failed: No partition has"):
        compared([[0, 1, 2, 3]] * 2, 3, ["voting"])


def test_the_number_of_clusters_is_found():
    ensemble = noisy()
    result = compared(ensemble)
    assert result.n_clusters == 3
    assert {run.n_clusters for run in result.completed} == {3}
    with pytest.warns(UserWarning, match="largest that was tried"):
        alone = accumulate(ensemble, verbose=False)
    accumulated = next(run.consensus for run in result.runs if run.name == "eac")
    np.testing.assert_array_equal(accumulated.labels_, alone.labels_)
    assert compared(ensemble, methods=["scec"]).completed[0].n_clusters == 3


def test_clusters_that_hold_nothing_do_not_count():
    same = [[0] * 4 + [1] * 4] * 3
    for run in compare_methods(same, 3, verbose=False).completed:
        assert run.n_clusters == len(np.unique(run.consensus.labels_))


def test_long_ones_are_left_out_unless_named(monkeypatch):
    costly = {"qmi": "7 hours", "scec": "9 GB of memory"}
    monkeypatch.setitem(PARTS, "cost_of", lambda name: SimpleNamespace(too_much=lambda *size: costly.get(name, "")))
    monkeypatch.setitem(PARTS, "names", lambda: QUICK)
    ensemble = noisy(noise=0.5)
    problems = {run.name: run.problem for run in compare_methods(ensemble, 3, verbose=False).runs if run.problem}
    assert problems.keys() == costly.keys()
    assert "distinct objects in 8 partitions may take it 7 hours. Name it" in problems["qmi"]
    assert "9 GB of memory" in problems["scec"]
    assert costly.keys() <= {run.name for run in compared(ensemble, 3).completed}


def test_those_made_for_constraints_run_if_named_and_those_that_need_the_data_never():
    named = ["acccs", "ceac", "lifthac", "liftkm", "medoid"]
    without = {run.name: run.problem for run in compare_methods(noisy(), 3, methods=named, verbose=False).runs}
    assert {name for name, problem in without.items() if "needs the data" in problem} == {"lifthac", "liftkm"}
    assert {name for name, problem in without.items() if not problem} == {"acccs", "ceac", "medoid"}
    unnamed = {run.name: run.problem for run in compare_methods(noisy(), 3, verbose=False).runs}
    assert {name for name, problem in unnamed.items() if "made for constraints" in problem} == {"acccs", "ceac"}


@pytest.mark.parametrize(("n", "left_out"), [(1000, False), (100_000, True), (1_000_000, True)])
def test_what_is_left_out_by_size(n, left_out):
    for name in ("penca", "cspa", "hgpa", "a new one"):
        assert bool(cost_of(name).too_much(n, 50, 8)) == left_out
    assert not cost_of("voting").too_much(n, 50, 8)
    assert not cost_of("eac").too_much(n, 50, 8)  # along the strongest pairs
    assert not cost_of("lwsm").too_much(n, 50, 8)  # from a sample


def test_cost_grows_with_partitions_and_clusters():
    assert not cost_of("scec").too_much(100_000, 50, 8)
    assert cost_of("scec").too_much(100_000, 50, 200)
    assert cost_of("scec").too_much(100_000, 500, 8)
    assert not cost_of("medoid").too_much(20_000, 100, 8)
    assert cost_of("medoid").too_much(20_000, 1000, 8)


EDGES = {
    "three objects": ([["a", "a", "b"], [0, 0, 1], [0, 1, 1]], 2),
    "three objects, three clusters": ([["a", "b", "c"], [0, 0, 1]], 3),
    "one member": ([[0, 0, 1, 1, 2, 2]], 3),
    "all equal": ([["x", "x", "y", "y", "z", "z", "z"]] * 4, None),
    "one cluster": ([[0, 0, 0, 0]] * 2, None),
    "missing": ([[0, 0, 1, 1, -1, 1], [0, 0, None, 1, 1, 1], ["u", "u", "v", "v", "v", float("nan")]], 2),
}


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge):
    labels, k = EDGES[edge]
    result = compare_methods(labels, k, verbose=False)
    assert result.preferred in result.partitions.names
    assert (result.consensus.labels_ >= 0).all()
    if edge in ("one member", "all equal"):
        assert next(run for run in result.runs if run.name == result.preferred).ari_members == 1


def test_the_medoid_does_not_count_its_agreement_with_itself():
    members = [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2], [0, 1, 1, 2, 2, 2]]
    (run,) = compared(members, 3, ["medoid"]).runs
    others = [m for p, m in enumerate(members) if p != run.consensus.medoid_]
    assert run.ari_members == pytest.approx(np.mean([adjusted_rand_score(m, run.consensus.labels_) for m in others]))
    assert compared(members[:1], 3, ["medoid"]).runs[0].ari_members == 1


def test_one_method_alone():
    result = compared(noisy(), 3, ["EAC", "eac"])
    assert [run.name for run in result.runs] == ["eac"]
    assert np.isnan(result.runs[0].ari_methods)


def test_warnings_become_notes(recwarn):
    result = compared(noisy())
    notes = next(run.notes for run in result.runs if run.name == "eac")
    assert len(notes) == 1
    assert "3, is the largest that was tried" in notes[0]
    assert not recwarn.list


@pytest.mark.parametrize(
    ("k", "methods", "word"),
    [
        (9, None, "between 1 and"),
        (2.5, None, "n_clusters=2.5 must be a whole number"),
        ("2", None, "n_clusters='2' must be a whole number"),
        (2, ["no"], "'no'"),
        (2, [], "empty"),
        (2, "eac", "methods='eac': give a list of names"),
        (2, ["eac", None], "list of names"),
    ],
)
def test_wrong_questions(k, methods, word):
    with pytest.raises(ValueError, match=word):
        compare_methods([[0, 0, 1, 1]], k, methods=methods, verbose=False)
