"""Generated families: their halves, their draws, and that the groups can be told apart."""

import inspect

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import adjusted_rand_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from benchmarks import _shapes_parts, shapes
from benchmarks._answers_sets import fingerprint
from benchmarks.shapes import AS_TABLES, FAMILIES, HALVES, KINDS, ROWS, USUAL_ROWS, draw, families, half_of, kind_of

NULLS = [name for name in families() if kind_of(name).startswith("null")]
CLUSTERED = [name for name in families() if name not in NULLS]
NOISY = {"blobs_in_noise", "noisy_moons", "noisy_shapes", "outlying_rows"}


@pytest.fixture(scope="module")
def first_draws():
    return {name: draw(name, 0) for name in families()}


def test_enough_families():
    assert len(CLUSTERED) >= 40
    assert len(families(kind="null filled")) >= 14
    assert len(families(kind="null curve")) >= 6
    assert len(families()) == len(set(families()))


def test_the_docstring_counts_them():
    assert f"{len(CLUSTERED)} with clusters and {len(NULLS)} without" in shapes.__doc__


@pytest.mark.parametrize("kind", KINDS)
def test_names_alternate_between_the_halves(kind):
    names = sorted(families(kind=kind))
    assert list(FAMILIES["chosen on"][kind]) == names[::2]
    assert list(FAMILIES["held out"][kind]) == names[1::2]
    assert len(families("chosen on", kind)) == len(families("held out", kind))


def test_half_and_kind_of_a_name():
    assert (half_of("arcs"), kind_of("arcs")) == ("chosen on", "shapes")
    assert (half_of("one_ring"), kind_of("one_ring")) == ("held out", "null curve")
    assert all(name in families(half_of(name), kind_of(name)) for name in families())
    assert families() == [name for kind in KINDS for half in HALVES for name in families(half, kind)]


def test_noise_goes_with_the_shapes_it_is_added_to():
    assert half_of("moons") == half_of("noisy_moons")
    assert half_of("mixed_shapes") == half_of("noisy_shapes")


def test_every_generator_is_a_family():
    written = {
        name
        for modules in shapes._MODULES.values()
        for module in modules
        for name, made in inspect.getmembers(module, inspect.isfunction)
        if made.__module__ == module.__name__ and not name.startswith("_")
    }
    assert written == set(families())
    assert set(AS_TABLES) <= set(NULLS)
    assert set(ROWS) <= set(families())


@pytest.mark.parametrize("name", families())
def test_a_draw_is_what_it_says(name, first_draws):
    X, y, k, keep = first_draws[name]
    low, high = ROWS.get(name, USUAL_ROWS)
    assert X.dtype == np.float64
    assert X.ndim == 2
    assert low <= len(X) == len(y) == len(keep) <= high
    assert np.isfinite(X).all()
    assert (keep == (y >= 0)).all()
    assert keep.all() == (name not in NOISY)
    assert np.unique(y[keep]).tolist() == list(range(k))
    assert (k == 1) == (name in NULLS)
    assert np.bincount(y[keep]).min() >= 10
    np.testing.assert_allclose(X.mean(axis=0), 0 if name not in shapes.AS_TEXT else X.mean(axis=0), atol=1e-9)


def test_one_unit_for_shapes_one_for_each_column_of_a_table_rows_of_length_1_for_text(first_draws):
    np.testing.assert_allclose(first_draws["arcs"].X.var(axis=0).mean(), 1)
    assert np.ptp(first_draws["elongated_gaussian"].X.var(axis=0)) > 0.5
    np.testing.assert_allclose(first_draws["low_rank"].X.var(axis=0), 1)
    np.testing.assert_allclose(first_draws["exponential"].X.var(axis=0), 1)
    np.testing.assert_allclose(np.linalg.norm(first_draws["text"].X, axis=1), 1)
    np.testing.assert_allclose(np.linalg.norm(first_draws["one_topic"].X, axis=1), 1)


@pytest.mark.parametrize("name", ["arcs", "categorical", "text", "gaussian"])
def test_same_name_and_number_same_draw(name, first_draws):
    assert fingerprint(draw(name, 0)) == fingerprint(first_draws[name])
    assert fingerprint(draw(name, 1)) != fingerprint(first_draws[name])


def test_draws_do_not_change():
    """Between versions and machines: chosen defaults refer to them."""
    X, y, k, _ = draw("two_gaussians_3_apart", 0)
    assert (X.shape, k, y[:10].tolist()) == ((1000, 5), 2, [0, 1, 1, 0, 1, 1, 0, 0, 1, 1])


def test_rows_are_in_random_order(first_draws):
    y = first_draws["two_gaussians_4_apart"].y
    assert 400 < np.sum(y[1:] != y[:-1]) < 600


@pytest.mark.parametrize("name", families())
def test_as_many_rows_as_asked_for(name):
    n = max(1000, ROWS.get(name, USUAL_ROWS)[0])
    data = draw(name, 1, n=n)
    assert len(data.X) == len(data.y) == n
    assert np.isfinite(data.X).all()


def test_parameters_differ_between_draws():
    drawn = [draw("few_gaussians", number) for number in range(8)]
    assert len({data.k for data in drawn}) > 2
    assert len({len(data.X) for data in drawn}) == 8


@pytest.mark.parametrize("name", CLUSTERED)
def test_groups_can_be_told_apart_by_their_labels(name, first_draws):
    X, y, _, keep = first_draws[name]
    X, y = X[keep], y[keep]
    learn = np.arange(len(y)) % 2 == 0
    judges = (KNeighborsClassifier(5), GaussianNB(), LinearDiscriminantAnalysis())
    seen = [adjusted_rand_score(y[~learn], judge.fit(X[learn], y[learn]).predict(X[~learn])) for judge in judges]
    assert max(seen) > 0.65


@pytest.mark.parametrize(("distance", "name"), [(3, "two_gaussians_3_apart"), (4, "two_gaussians_4_apart")])
def test_two_gaussians_at_their_distance(distance, name):
    for number in range(5):
        X, y, k, _ = draw(name, number)
        first, second = X[y == 0], X[y == 1]
        width = np.sqrt((first.var(axis=0) + second.var(axis=0)).mean() / 2)
        assert (k, len(first), len(second)) == (2, 500, 500)
        assert np.linalg.norm(first.mean(axis=0) - second.mean(axis=0)) / width == pytest.approx(distance, rel=0.07)


@pytest.mark.parametrize(
    ("name", "fewest", "most"),
    [("ten_touching_gaussians", 10, 10), ("many_gaussians", 15, 50), ("hundreds_of_gaussians", 80, 200)],
)
def test_number_of_gaussians(name, fewest, most):
    assert all(fewest <= draw(name, number).k <= most for number in range(4))


def test_nulls_have_one_group(first_draws):
    assert all(first_draws[name].k == 1 and not first_draws[name].y.any() for name in NULLS)


def test_unknown_names_and_numbers():
    with pytest.raises(ValueError, match="half='other'"):
        families("other")
    with pytest.raises(ValueError, match="kind='null'"):
        families(kind="null")
    with pytest.raises(ValueError, match="No family is called 'blob'"):
        draw("blob", 0)
    with pytest.raises(ValueError, match="number=-1"):
        draw("arcs", -1)
    with pytest.raises(ValueError, match="n=20"):
        draw("arcs", 0, n=20)


def test_centers_keep_apart():
    rng = np.random.default_rng(0)
    radii = np.array([1.0, 2, 0.5, 1])
    centers = _shapes_parts.apart(rng, radii, 3)
    distances = np.linalg.norm(centers[:, None] - centers, axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (distances >= radii[:, None] + radii).all()


def test_sizes_sum_to_n_and_none_is_lost():
    rng = np.random.default_rng(0)
    for k in (2, 7, 60):
        counts = _shapes_parts.sizes(rng, 1001, k)
        assert counts.sum() == 1001
        assert counts.min() >= 0.4 * 1001 / k - 1
    counts = _shapes_parts.unequal_sizes(rng, 500, 5, 10)
    assert counts.sum() == 500
    assert counts.min() >= 15
    assert counts.max() > 6 * counts.min()


def test_points_along_a_line_are_uniform_in_its_length():
    rng = np.random.default_rng(0)
    line = np.array([[0.0, 0], [1, 0], [1, 3]])  # a quarter of the length is level
    for even in (False, True):
        points = _shapes_parts.along(rng, line, 4000, even)
        assert np.mean(points[:, 1] == 0) == pytest.approx(0.25, abs=0.02)
        assert ((points[:, 0] == 1) | (points[:, 1] == 0)).all()
