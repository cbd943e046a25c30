"""Bad input: each is refused with a reason, or has a right answer."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from pluribus import Constraints
from pluribus._engine import MemoryLimitError, memory_budget
from pluribus.similarity import CannotLinkMetric

X = np.array([[0.0, 0], [1, 0], [0, 1], [0, 0]])
KINDS = ("full", "diagonal", "sparse", "kernel")


def fit(X=X, pairs=((0, 1), (0, 2)), weights=None, **parameters):
    return CannotLinkMetric(verbose=False, **parameters).fit(X, constraints=pairs, pair_weight=weights)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (None, "cannot_link is empty"),
        ([], "cannot_link is empty"),
        (np.empty((0, 2), int), "cannot_link is empty"),
        (Constraints(4), "cannot_link is empty"),
        ([(0, 1), (1, 4)], r"row 1 is \(1, 4\)"),
        ([(0, 1), (-1, 2)], r"row 1 is \(-1, 2\)"),
        ([(0, 1), (0.5, 2)], r"row 1 is \(0.5, 2.0\)"),
        ([(0, 1), (np.nan, 2)], r"row 1 is \(nan, 2.0\)"),
        ([(0, 1), (2, 2)], r"row 1 is \(2, 2\)"),
        ([(0, 1, 2)], r"shape \(1, 3\)"),
        ([0, 1], r"shape \(2,\)"),
        ([(0, 1), (2,)], "pairs of indices"),
        ([("a", "b")], "integer indices"),
        ([(True, False)], "integer indices"),
        (5, "pairs of indices"),
        ("ab", "pairs of indices"),
        (sparse.eye_array(4), "from_matrix"),
        (Constraints(3, cannot_link=[(0, 1)]), "about 3 objects"),
    ],
)
def test_pairs(pairs, message):
    with pytest.raises(ValueError, match=message):
        fit(pairs=pairs)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], r"pair_weight\[1\], of the pair \(0, 2\), is -1"),
        ([0, 0], "pair_weight is 0 for all pairs"),
        ([1], r"shape \(1,\)"),
        (1.0, r"shape \(\)"),
        ([1, np.nan], "NaN or infinite"),
        ([1, np.inf], "NaN or infinite"),
        (["a", "b"], "give numbers"),
    ],
)
def test_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        fit(weights=weights)


def test_weights_of_constraints_are_their_own():
    with pytest.raises(ValueError, match="cannot_weight"):
        fit(pairs=Constraints(4, cannot_link=[(0, 1)]), weights=[1])


@pytest.mark.parametrize("kind", KINDS)
def test_identical_rows(kind):
    pairs = [(0, 1), (0, 3), (3, 0)]
    with pytest.raises(ValueError, match=r"pair \(0, 3\) has identical rows: infeasible; use finite C"):
        fit(pairs=pairs, C=np.inf, kind=kind)
    with pytest.warns(UserWarning, match=r"2 of the 3 pairs have identical rows, such as \(0, 3\)"):
        model = fit(pairs=pairs, C=10, kind=kind, tol=1e-9)
    assert model.alpha_.tolist() == pytest.approx([1, 0, 0])
    assert model.margin_ == 0
    assert model.dual_gap_ == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match=r"All pairs have identical rows, such as \(0, 3\)"):
        fit(pairs=pairs[1:], kind=kind)
    assert fit(pairs=pairs, weights=[1, 0, 0], C=np.inf, kind=kind).margin_ == pytest.approx(1)
    if kind != "kernel":
        online = CannotLinkMetric(np.inf, kind=kind)
        with pytest.raises(ValueError, match=r"pair \(0, 3\) has identical rows"):
            online.partial_fit(X, constraints=pairs)


def test_nearly_identical_rows():
    near = np.array([[0.0, 0], [1, 0], [0, 1e-4]])
    with pytest.warns(UserWarning, match=r"rows of pair \(0, 2\) are nearly equal"):
        model = fit(near, C=np.inf, tol=1e-9)
    assert np.allclose(model.A_, np.diag([1, 1e8]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "'C' parameter"),
        ({"C": -1.0}, "'C' parameter"),
        ({"C": np.nan}, "'C' parameter"),
        ({"C": "1"}, "'C' parameter"),
        ({"kind": "other"}, "'kind' parameter"),
        ({"kernel": "sigmoid"}, "'kernel' parameter"),
        ({"gamma": 0}, "'gamma' parameter"),
        ({"coef0": -1}, "'coef0' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"tol": -1}, "'tol' parameter"),
        ({"random_state": "a"}, "'random_state' parameter"),
        ({"prior": -1.0}, "prior"),
        ({"prior": np.inf}, "prior"),
        ({"prior": "identity"}, "prior"),
        ({"prior": np.eye(3)}, r"prior has shape \(3, 3\)"),
        ({"prior": [[1, 0.5], [0, 1]]}, "not symmetric"),
        ({"prior": [[1, 2], [2, 1]]}, "eigenvalue -1"),
        ({"prior": [[np.nan, 2], [2, 1]]}, "NaN"),
        ({"prior": [1, -2], "kind": "diagonal"}, r"prior\[1\] is -2"),
        ({"prior": np.eye(2), "kind": "diagonal"}, r"shape \(2,\)"),
        ({"prior": np.eye(2), "kind": "sparse"}, "one number"),
        ({"prior": 1.0, "kind": "kernel"}, "kernel has no features"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(**parameters)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.where(X == 1, np.nan, X), "NaN"),
        (np.where(X == 1, np.inf, X), "infinity"),
        (X[:, 0], "2D array"),
        (X[:1], "minimum of 2"),
        (np.empty((4, 0)), "0 feature"),
        ([["a", "b"]] * 4, "could not convert|dtype"),
        (1e200 * X, "scale X"),
        (1e100 * X, "scale X"),
    ],
)
def test_features(given, message, kind):
    with pytest.raises(ValueError, match=message):
        fit(given, kind=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_other_types_of_numbers(kind):
    expected = fit(kind=kind, tol=1e-9).pairwise_distances(X)
    for given in (
        X.astype(int),
        X.astype(bool),
        X.astype(np.float32),
        sparse.csr_matrix(X),
        X.tolist(),
        np.asfortranarray(X),
    ):
        assert np.allclose(fit(given, kind=kind, tol=1e-9).pairwise_distances(given), expected)

    # columns that are not sorted, and an entry that is 0
    messy = sparse.csr_array((np.array([1.0, 0, 2, 1]), np.array([1, 0, 1, 0]), np.array([0, 2, 4])), shape=(2, 2))
    repeated = sparse.csr_array((np.ones(5), np.array([1, 1, 0, 1, 0]), np.array([0, 2, 5])), shape=(2, 2))
    for rows in (messy, repeated):
        model = CannotLinkMetric(kind=kind, tol=1e-9, verbose=False).fit(rows, constraints=[(0, 1)])
        plain = CannotLinkMetric(kind=kind, tol=1e-9, verbose=False).fit(rows.toarray(), constraints=[(0, 1)])
        assert np.allclose(model.pairwise_distances(rows), plain.pairwise_distances(rows.toarray()))


@pytest.mark.parametrize("kind", KINDS)
def test_given_arrays_stay_as_they_are(kind):
    rows = sparse.csr_array((np.array([1.0, 0, 2, 1]), np.array([1, 0, 1, 0]), np.array([0, 2, 4])), shape=(2, 2))
    before = rows.data.copy(), rows.indices.copy()
    prior = None if kind in ("kernel", "sparse") else np.eye(2) if kind == "full" else np.ones(2)
    kept = None if prior is None else prior.copy()
    CannotLinkMetric(kind=kind, prior=prior, verbose=False).fit(rows, constraints=[(0, 1)])
    assert np.array_equal(rows.data, before[0])
    assert np.array_equal(rows.indices, before[1])
    assert prior is None or np.array_equal(prior, kept)


def test_a_price_beyond_all_floats_is_the_hard_margin():
    assert np.allclose(fit(C=10**400).A_, fit(C=np.inf).A_)


def test_constant_features_have_no_weight():
    given = np.column_stack([X, np.full(4, 7.0)])
    A = fit(given).A_
    assert not A[2].any()
    assert not A[:, 2].any()


def test_too_few_sweeps():
    rng = np.random.default_rng(0)
    given = rng.normal(size=(30, 3))
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 sweeps; the duality gap is"):
        fit(given, np.column_stack(np.triu_indices(30, 1)), max_iter=1, C=np.inf)


@pytest.mark.parametrize("kind", KINDS)
def test_new_rows(kind):
    with pytest.raises(NotFittedError):
        CannotLinkMetric(kind=kind).transform(X)
    with pytest.raises(NotFittedError):
        CannotLinkMetric(kind=kind).pairwise_distances(X)
    with pytest.raises(NotFittedError):
        CannotLinkMetric(kind=kind).components_  # noqa: B018
    model = fit(kind=kind)
    with pytest.raises(ValueError, match="3 features"):
        model.transform(np.ones((2, 3)))
    with pytest.raises(ValueError, match="scale X"):
        model.transform(1e200 * X)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "a", "a", "a"], "all the same"),
        ([None, None, None, "a"], "all the same"),
        (["a", "b"], "each of the 4 objects"),
        ("abcd", "sequence"),
        ([["a"], ["b"], ["a"], ["b"]], "hashable"),
        (None, "names"),
    ],
)
def test_names(names, message):
    with pytest.raises(ValueError, match=message):
        CannotLinkMetric().fit_names(X, names)


@pytest.mark.parametrize("max_pairs", [0, -1, 2.5, "all", True])
def test_max_pairs(max_pairs):
    with pytest.raises(ValueError, match="max_pairs"):
        CannotLinkMetric().fit_names(X, [0, 1, 2, 3], max_pairs=max_pairs)


@pytest.mark.parametrize("kind", ["full", "sparse", "kernel"])
def test_memory_is_checked_first(kind):
    rng = np.random.default_rng(0)
    given = rng.normal(size=(200, 100))
    pairs = np.column_stack([np.arange(100), np.arange(100, 200)])
    with memory_budget(100_000), pytest.raises(MemoryLimitError, match="would take"):
        fit(given, pairs, kind=kind)


def test_a_norm_that_rounds_to_0():
    assert fit(C=1e-200).normalized_margin_ == 0


def test_a_fit_of_another_kind_leaves_nothing_behind():
    attributes = {"full": "A_", "sparse": "A_", "diagonal": "w_", "kernel": "support_points_"}
    metric = CannotLinkMetric(verbose=False)
    for kind in (*KINDS, *KINDS[::-1]):
        metric.set_params(kind=kind).fit(X, constraints=[(0, 1), (0, 2)])
        assert {name for name in attributes.values() if hasattr(metric, name)} == {attributes[kind]}


def test_more_pairs_of_names_than_memory():
    with memory_budget(100_000), pytest.raises(MemoryLimitError, match="All 499,500 pairs .* use max_pairs"):
        CannotLinkMetric(verbose=False).fit_names(np.arange(1000.0)[:, None], range(1000), max_pairs=None)


def test_a_kernel_stays_as_it_was_fitted():
    """Parameters that are set later are for the next fit."""
    metric = CannotLinkMetric(kind="kernel", kernel="rbf", gamma=0.5, verbose=False)
    metric.fit(X, constraints=[(0, 1), (0, 2)])
    before = metric.transform(X)
    metric.set_params(gamma=5.0, kernel="linear", kind="full")
    np.testing.assert_array_equal(metric.transform(X), before)
