import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from pluribus.increments import DissimilarityEmbedding
from pluribus.increments._shared import spectrum

SQUARE = np.array([[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]], dtype=float)
KINDS = ("pes", "ppes", "npes", "ces")


def skewed(n, seed=0, d=3):
    """Distances minus radii, which are not Euclidean."""
    rng = np.random.default_rng(seed)
    X, radius = rng.normal(size=(n, d)), rng.uniform(0, 0.3, n)
    D = np.maximum(cdist(X, X) - radius - radius[:, None], 0.01)
    np.fill_diagonal(D, 0)
    return D


def inner_products(D):
    J = np.eye(len(D)) - 1 / len(D)
    return -0.5 * J @ D**2 @ J


def test_a_square_along_its_sides():
    pes = DissimilarityEmbedding("pes", n_components=3).fit(SQUARE)
    assert pes.eigenvalues_ == pytest.approx([2, 2, -1])
    assert pes.negative_share_ == pytest.approx(0.2)
    assert abs(pes.embedding_[:, 2]) == pytest.approx(np.full(4, 0.5))
    assert DissimilarityEmbedding("npes").fit(SQUARE).eigenvalues_ == pytest.approx([-1])
    assert DissimilarityEmbedding("ces").fit(SQUARE).eigenvalues_ == pytest.approx([3, 3])  # the third one is 0


@pytest.mark.parametrize("kind", ["pes", "ppes", "ces"])
def test_euclidean_distances_are_reproduced(kind):
    X = np.random.default_rng(0).normal(size=(30, 4)) * [5, 2, 1, 0.5]
    D = cdist(X, X)
    embedding = DissimilarityEmbedding(kind, n_components=4).fit(D)
    assert cdist(embedding.embedding_, embedding.embedding_) == pytest.approx(D)
    assert embedding.negative_share_ == 0
    new = np.random.default_rng(1).normal(size=(5, 4))
    assert cdist(embedding.transform(cdist(new, X)), embedding.embedding_) == pytest.approx(cdist(new, X))


@pytest.mark.parametrize("kind", KINDS)
def test_the_objects_of_fit_are_transformed_to_their_coordinates(kind):
    D = skewed(40)
    embedding = DissimilarityEmbedding(kind)
    X = embedding.fit_transform(D)
    assert X.shape == (40, embedding.n_components_) == (40, len(embedding.eigenvalues_))
    assert embedding.transform(D) == pytest.approx(X)
    assert (np.diff(np.abs(embedding.eigenvalues_)) <= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_coordinates_are_scaled_eigenvectors(kind):
    D = skewed(25, seed=3)
    embedding = DissimilarityEmbedding(kind).fit(D)
    values = np.linalg.eigvalsh(inner_products(D))
    if kind == "ces":
        raised = D**2 - 2 * values[0] * (1 - np.eye(25))
        values = np.linalg.eigvalsh(inner_products(np.sqrt(raised)))
        assert values[0] > -1e-9
    B = inner_products(np.sqrt(raised) if kind == "ces" else D)
    assert B @ embedding.embedding_ == pytest.approx(embedding.embedding_ * embedding.eigenvalues_)
    assert np.linalg.norm(embedding.embedding_, axis=0) ** 2 == pytest.approx(np.abs(embedding.eigenvalues_))
    for sign in (1, -1):  # the fewest dimensions that hold 95 % of the mass of each sign
        mass = np.sort(sign * values[sign * values > 1e-9])[::-1]
        kept = int((sign * embedding.eigenvalues_ > 0).sum())
        allowed = {"ppes": sign > 0, "ces": sign > 0, "npes": sign < 0}.get(kind, True)
        assert kept == (np.argmax(np.cumsum(mass) >= 0.95 * mass.sum()) + 1 if allowed else 0)


def test_new_objects_follow_the_formula():
    D, n = skewed(30, seed=1), 20
    train, new = D[:n, :n], D[n:, :n]
    J = np.eye(n) - 1 / n
    B_new = -0.5 * (new**2 - np.full((10, n), 1 / n) @ train**2) @ J
    values, vectors = np.linalg.eigh(inner_products(train))
    for kind in ("pes", "ppes", "npes"):
        embedding = DissimilarityEmbedding(kind, n_components=2).fit(train)
        places = [int(np.argmin(abs(values - value))) for value in embedding.eigenvalues_]
        Q, L = vectors[:, places], values[places]
        expected = B_new @ Q @ np.diag(np.abs(L) ** -0.5 * np.sign(L))
        assert np.abs(embedding.transform(new)) == pytest.approx(np.abs(expected))


def test_a_corrected_space_has_the_raised_distances():
    D = skewed(12, seed=2)
    lowest = np.linalg.eigvalsh(inner_products(D))[0]
    embedding = DissimilarityEmbedding("ces", n_components=10).fit(D)  # one is 0, and one is the constant vector
    raised = D**2 - 2 * lowest * (1 - np.eye(12))
    assert cdist(embedding.embedding_, embedding.embedding_) ** 2 == pytest.approx(raised, rel=1e-6, abs=1e-6)


def test_a_corrected_space_raises_flat_directions_too():
    """Three copies of the square: B has many eigenvalues of 0, and only that of the constant vector stays."""
    D = np.tile(SQUARE, (3, 3))
    embedding = DissimilarityEmbedding("ces", n_components=10).fit(D)
    assert embedding.eigenvalues_ == pytest.approx([9, 9] + 8 * [3])
    raised = D**2 + 6 * (1 - np.eye(12))
    assert cdist(embedding.embedding_, embedding.embedding_) ** 2 == pytest.approx(raised)


def test_pairs_of_numbers_and_numbers_of_dimensions():
    D = skewed(30)
    signs = np.sign(DissimilarityEmbedding("pes", n_components=(4, 2)).fit(D).eigenvalues_)
    assert (signs > 0).sum() == 4
    assert (signs < 0).sum() == 2
    values = np.linalg.eigvalsh(inner_products(D))
    largest = values[np.argsort(-abs(values))[:8]]
    assert DissimilarityEmbedding("pes", n_components=8).fit(D).eigenvalues_ == pytest.approx(largest)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_objects_give_the_same_as_few(monkeypatch, kind, dtype):
    D = skewed(150, seed=4).astype(dtype)
    few = DissimilarityEmbedding(kind, n_components=5).fit(D)
    monkeypatch.setattr(spectrum, "DENSE", 100)
    monkeypatch.setattr(spectrum, "_NUMBERS_IN_BLOCK", 150 * 40)
    many = DissimilarityEmbedding(kind, n_components=5).fit(D)
    assert many.eigenvalues_ == pytest.approx(few.eigenvalues_, rel=1e-6)
    assert many.embedding_ == pytest.approx(few.embedding_, abs=1e-5)
    assert many.transform(D[:3]) == pytest.approx(few.transform(D[:3]), abs=1e-5)


def test_the_operator_is_the_matrix(monkeypatch):
    monkeypatch.setattr(spectrum, "_NUMBERS_IN_BLOCK", 30 * 7)
    D, V = skewed(30), np.random.default_rng(1).normal(size=(30, 4)) + 1
    assert spectrum._operator(D) @ V == pytest.approx(inner_products(D) @ V)
    assert spectrum._operator(D) @ V[:, 0] == pytest.approx(inner_products(D) @ V[:, 0])


def test_a_corrected_space_of_many_objects_ends_where_eigenvalues_are_not_known(monkeypatch):
    """Of ten eigenvalues some are negative; raised, they are lower than others that were not computed."""
    D = skewed(150, seed=4)
    monkeypatch.setattr(spectrum, "DENSE", 100)
    monkeypatch.setattr(spectrum, "LEADING", 10)
    values = np.linalg.eigvalsh(inner_products(D))
    leading = values[np.argsort(-abs(values))[:10]]
    embedding = DissimilarityEmbedding("ces").fit(D)
    assert 0 < embedding.n_components_ <= (leading > 0).sum() < 10
    assert embedding.eigenvalues_ == pytest.approx(
        np.sort(values)[::-1][: embedding.n_components_] - values[0], rel=1e-6
    )


def test_many_objects_whose_spectrum_is_short(monkeypatch):
    monkeypatch.setattr(spectrum, "DENSE", 100)
    X = np.random.default_rng(0).normal(size=(200, 3)) * [3, 2, 1]
    embedding = DissimilarityEmbedding("ces").fit(cdist(X, X))
    assert embedding.n_components_ == 3
    assert embedding.negative_share_ == 0


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 15), st.integers(0, 10_000), st.sampled_from(KINDS))
def test_order_and_scale_do_not_matter(n, seed, kind):
    rng = np.random.default_rng(seed)
    D = np.abs(rng.normal(size=(n, n))) + 0.1
    D = np.triu(D, 1) + np.triu(D, 1).T
    try:
        plain = DissimilarityEmbedding(kind).fit(D)
    except ValueError as error:
        assert "npes" in str(error)  # noqa: PT017
        return
    order = rng.permutation(n)
    other = DissimilarityEmbedding(kind).fit(7 * D[np.ix_(order, order)])
    assert other.eigenvalues_ == pytest.approx(49 * plain.eigenvalues_, rel=1e-6, abs=1e-6)
    between, shuffled = (cdist(e.embedding_, e.embedding_) for e in (plain, other))
    assert shuffled == pytest.approx(7 * between[np.ix_(order, order)], rel=1e-5, abs=1e-5)


def test_a_pipeline_is_validated_on_dissimilarities():
    """check_estimator would give inner products, whose diagonal is not 0."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [6]], 30, axis=0)
    model = make_pipeline(DissimilarityEmbedding("ppes"), LinearDiscriminantAnalysis())
    assert cross_val_score(model, cdist(X, X), np.repeat([0, 1], 30)).mean() > 0.95
    assert clone(DissimilarityEmbedding("ces", 3)).get_params() == {"kind": "ces", "n_components": 3}
    assert DissimilarityEmbedding().fit(SQUARE).get_feature_names_out().tolist()[0] == "dissimilarityembedding0"


@pytest.mark.parametrize(
    ("kind", "n_components", "D", "message"),
    [
        ("npes", None, cdist([[0.0], [1], [3]], [[0.0], [1], [3]]), "Euclidean"),
        ("npes", 2, SQUARE, "only 1 usable"),
        ("pes", (1, 2), SQUARE, "only 1 negative"),
        ("pes", (0, 0), SQUARE, "n_components"),
        ("pes", (1, 2, 3), SQUARE, "n_components"),
        ("ppes", (1, 1), SQUARE, "kind is 'ppes'"),
        ("pes", (1.5, 1), SQUARE, "n_components"),
        ("pes", 0, SQUARE, "n_components"),
        ("pes", 5, SQUARE, "only 3"),
        ("mds", None, SQUARE, "kind"),
        ("pes", None, np.zeros((3, 3)), "All dissimilarities are 0"),
        ("pes", None, SQUARE[:3], "square"),
        ("pes", None, -SQUARE, "negative"),
        ("pes", None, SQUARE + np.eye(4), "diagonal"),
        ("pes", None, SQUARE + np.triu(SQUARE), "symmetric"),
        ("pes", None, np.where(SQUARE == 2, np.nan, SQUARE), "NaN"),
    ],
)
def test_bad_input(kind, n_components, D, message):
    with pytest.raises(ValueError, match=message):
        DissimilarityEmbedding(kind, n_components).fit(D)


def test_bad_new_objects():
    embedding = DissimilarityEmbedding().fit(SQUARE)
    with pytest.raises(ValueError, match="3 features"):
        embedding.transform(SQUARE[:, :3])
    with pytest.raises(ValueError, match="negative"):
        embedding.transform(-SQUARE)
    with pytest.raises(ValueError, match="scale X as it was scaled there"):
        embedding.transform(1e60 * SQUARE)
