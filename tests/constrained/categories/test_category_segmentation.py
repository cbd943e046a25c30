import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator

import pluribus
from pluribus import Constraints
from pluribus.constrained import CategorySegmentation
from pluribus.constrained.categories import _seeds
from pluribus.constrained.categories._segments import Segments

SMALL = dict(min_df=1, min_docs=1, gini_drop=0.0, verbose=False)
DAMPED = {"sqrt": np.sqrt, "log1p": np.log1p, "clip": lambda x: np.minimum(x, 1), "none": lambda x: x}
pytestmark = pytest.mark.filterwarnings("ignore:fewer than min_docs", "ignore:.*without any word of a category")


def texts(seed=0, n=120, n_terms=60, k=4, noise=0.0, length=30, concentration=0.05):
    """Documents of k classes, the true classes, and labels of which a share is wrong."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_terms, concentration), k)
    y = rng.integers(k, size=n)
    X = np.array([rng.multinomial(rng.poisson(length) + 1, topics[c]) for c in y])
    given = np.where(rng.random(n) < noise, rng.integers(k, size=n), y)
    return X.astype(float), y, given


def slow(X, y, *, words, merge=0.95, min_docs=8, min_df=7, drop=0.115, outliers=0.0, damping="sqrt", idf=False):
    """The algorithm in the obvious way, dense: the labels, the seeds and the number of categories in each pass.

    ``words`` are those of the first seeds, and then of each pass.
    """
    classes = [c for c in np.unique(y) if c != -1]
    shares = np.array([X[y == c].sum(axis=0) / X[y == c].sum() for c in classes])
    total = shares.sum(axis=0)
    p = shares / np.where(total > 0, total, np.nan)
    gini = 1 - np.sqrt((p**2).sum(axis=0))
    frequency = (X > 0).sum(axis=0)
    known = [j for j in range(X.shape[1]) if frequency[j] >= min_df and total[j] > 0]
    known.sort(key=lambda j: (gini[j].round(12), j))
    kept = known[: len(known) - int(drop * len(known))]
    weight = np.zeros(X.shape[1])
    weight[kept] = np.log(len(X) / frequency[kept]) if idf else 1
    damped, rows = DAMPED[damping](X) * weight, X * weight

    def project(s, m):
        cut = np.zeros_like(s)
        best = sorted(range(len(s)), key=lambda j: (-s[j], j))[:m]
        cut[best] = s[best]
        return cut

    def cosines(A, B):
        norms = np.linalg.norm(A, axis=1)[:, None] * np.linalg.norm(B, axis=1)
        return np.divide(A @ B.T, norms, out=np.zeros_like(norms), where=norms > 0)

    def assign(S):
        c = cosines(rows, np.array(S))
        gone[c.max(axis=1) < outliers] = True
        return np.where(gone | (c.max(axis=1) == 0), -1, c.argmax(axis=1))

    gone = np.zeros(len(X), bool)
    S = [project(damped[y == c].sum(axis=0), words[0]) for c in classes]
    counts = []
    for m in words[1:]:
        labels = assign(S)
        whole = [damped[labels == c].sum(axis=0) for c in range(len(S))]
        S = [project(s, m) for s in whole]
        n, group = connected_components(cosines(np.array(S), np.array(S)) > merge)
        members = [[c for c in range(len(S)) if group[c] == g] for g in range(n)]
        sizes = [sum((labels == c).sum() for c in own) for own in members]
        S = [project(sum(whole[c] for c in own), m) for own in members]
        S = [s for s, size in zip(S, sizes, strict=True) if size >= max(min_docs, 1)]
        counts.append((n, len(S)))
    return assign(S), np.array(S), counts


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(sorted(DAMPED)),
    st.booleans(),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.5, 0.9]),
)
def test_is_the_slow_algorithm(seed, damping, idf, outliers, merge):
    X, _, y = texts(seed, noise=0.3, concentration=0.3)
    y[::7] = -1
    parameters = dict(min_docs=5, min_df=3, merge_threshold=merge, outlier_threshold=outliers)
    model = CategorySegmentation(
        words_start=30, words_end=8, theta=0.6, damping=damping, idf=idf, verbose=False, **parameters
    )
    model.fit(X, y)
    labels, seeds, counts = slow(
        X, y, words=[30, 30, 18, 11, 8], merge=merge, min_docs=5, min_df=3, outliers=outliers, damping=damping, idf=idf
    )
    np.testing.assert_allclose(model.seeds_.toarray(), seeds, rtol=1e-10)
    assert model.labels_.tolist() == labels.tolist()
    assert [(each.merged, each.kept) for each in model.history_] == counts
    assert [each.words for each in model.history_] == [30, 18, 11, 8]


def test_passes_of_the_source():
    X, y, _ = texts(n_terms=700, concentration=0.02)
    model = CategorySegmentation(verbose=False).fit(X, y)
    assert [each.words for each in model.history_] == [500, 350, 245, 200]
    assert model.n_iter_ == 4
    assert CategorySegmentation(max_iter=2, verbose=False).fit(X, y).n_iter_ == 2


def test_is_spherical_kmeans_from_class_means():
    X, _, y = texts(3, n=300, noise=0.6, concentration=0.8, length=5)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    d = X.shape[1]
    model = CategorySegmentation(
        words_start=d, words_end=d, theta=1.0, max_iter=200, converge=True, merge_threshold=1.0, min_docs=0, min_df=0,
        gini_drop=0.0, damping="none", verbose=False,
    ).fit(X, y)  # fmt: skip
    centers, labels = np.array([X[y == c].sum(axis=0) for c in range(4)]), y
    while True:
        centers /= np.linalg.norm(centers, axis=1, keepdims=True)
        last, labels = labels, (X @ centers.T).argmax(axis=1)
        if (labels == last).all():
            break
        centers = np.array([X[labels == c].sum(axis=0) for c in range(4)])
    assert len(model.history_) > 2
    assert model.labels_.tolist() == labels.tolist()


def test_predict_gives_the_labels():
    X, _, y = texts(1, noise=0.3)
    model = CategorySegmentation(**SMALL, words_start=20, words_end=10).fit(X, y)
    assert (model.predict(X) == model.labels_).all()
    assert (model.decision_function(X).argmax(axis=1) == model.labels_).all()
    assert (model.rank(X, 1)[:, 0] == model.labels_).all()
    assert (model.predict(3.5 * X) == model.labels_).all()
    np.testing.assert_allclose(model.decision_function(3.5 * X), model.decision_function(X))


def test_words_per_seed_sizes_and_number_of_categories():
    X, _, y = texts(2, noise=0.3)
    model = CategorySegmentation(words_start=20, words_end=9, min_docs=12, min_df=1, verbose=False).fit(X, y)
    assert np.diff(model.seeds_.indptr).max() <= 9
    assert model.n_clusters_ == model.seeds_.shape[0] == model.history_[-1].kept <= 4
    assert model.cluster_sizes_.tolist() == np.bincount(model.labels_).tolist()
    assert not model.seeds_.toarray()[:, ~model.feature_mask_].any()


def test_one_word_classes_keep_their_documents():
    y = np.repeat(["c", "a", "b"], 10)
    X = np.eye(3)[np.repeat([0, 1, 2], 10)]
    model = CategorySegmentation(gini_drop=0.0, verbose=False).fit(X, y)
    assert model.names_ == ["a", "b", "c"]
    assert np.array(model.names_)[model.labels_].tolist() == y.tolist()
    assert all(each.before == each.merged == each.kept == 3 and each.changed == 0 for each in model.history_)
    assert not model.moved_.any()


def test_wrong_labels_are_found():
    X, true, given_labels = texts(5, n=1000, n_terms=400, noise=0.4)
    model = CategorySegmentation(verbose=False).fit(X, given_labels)
    assert adjusted_rand_score(true, given_labels) < 0.6
    assert adjusted_rand_score(true, model.labels_) > 0.97
    assert np.mean(model.moved_ == (true != given_labels)) > 0.99


def test_almost_equal_classes_are_merged_in_chains():
    rng = np.random.default_rng(0)
    apart = 0.3  # angle between neighbors
    directions = np.array([[np.cos(apart * i), np.sin(apart * i), 0] for i in range(3)] + [[0, 0, 1]])
    y = np.repeat(["x", "y", "z", "other"], 10)
    X = np.repeat(directions, 10, axis=0) * rng.uniform(1, 2, 40)[:, None]
    cosine = np.cos(apart)
    model = CategorySegmentation(**SMALL, damping="none", merge_threshold=cosine - 1e-6).fit(X, y)
    assert model.names_ == ["other", "x + y + z"]
    assert np.cos(2 * apart) < cosine - 0.1
    assert model.category_of_class_.tolist() == [0, 1, 1, 1]
    assert model.seed_origin_.tolist() == [[10, 0, 0, 0], [0, 10, 10, 10]]
    assert not model.moved_.any()
    assert model.history_[0][1:4] == (4, 2, 2)
    np.testing.assert_allclose(model.seeds_.toarray()[1], X[:10].sum(0) + X[10:20].sum(0) + X[20:30].sum(0))
    assert CategorySegmentation(**SMALL, damping="none", merge_threshold=cosine + 1e-6).fit(X, y).n_clusters_ == 4


def test_small_classes_are_dropped_and_their_documents_join_others():
    X = np.vstack([np.tile([5, 1, 0, 0], (9, 1)), np.tile([0, 0, 5, 1], (9, 1)), np.tile([1, 5, 0, 0], (3, 1))])
    y = ["a"] * 9 + ["b"] * 9 + ["small"] * 3
    with pytest.warns(UserWarning, match="fewer than min_docs=4 documents have the label 'small': these categories"):
        model = CategorySegmentation(min_df=1, min_docs=4, gini_drop=0.0, verbose=False).fit(X, y)
    assert model.labels_.tolist() == [0] * 9 + [1] * 9 + [0] * 3
    assert model.category_of_class_.tolist() == [0, 1, -1]
    assert model.moved_.nonzero()[0].tolist() == [18, 19, 20]
    assert model.seed_origin_.tolist() == [[9, 0, 3], [0, 9, 0]]
    assert model.history_[0] == (500, 3, 3, 2, 0, 0)
    assert model.history_[1] == (350, 2, 2, 2, 0, 3)


def test_a_class_may_lose_all_its_documents():
    X = np.array([[9, 1, 0], [9, 1, 0], [0, 1, 9], [0, 1, 9], [5, 0, 5]])
    y = ["a", "a", "b", "b", "c"]
    X[4] = [9, 1, 0]  # nearer to a, as ties go to the smaller class
    model = CategorySegmentation(**SMALL, merge_threshold=1.0).fit(X, y)
    assert model.names_ == ["a", "b"]
    assert model.labels_.tolist() == [0, 0, 1, 1, 0]


def test_single_documents_and_duplicates():
    X = np.repeat([[3, 0, 1], [0, 2, 1]], 3, axis=0)
    assert CategorySegmentation(**SMALL).fit(X, [0, 0, 0, 1, 1, 1]).labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert CategorySegmentation(**SMALL).fit(np.eye(3), ["u", "v", "w"]).labels_.tolist() == [0, 1, 2]


def test_outliers_leave_for_good():
    X, _, y = texts(4)
    X = np.hstack([X, np.zeros((len(X), 1))])
    X[0], X[0, -1], X[0, X[1:].sum(axis=0).argmax()] = 0, 50, 1
    model = CategorySegmentation(**SMALL, outlier_threshold=0.2).fit(X, y)
    own = model.decision_function(X)[0].max()
    assert own < 0.2 or y[0] in model.labels_[1:]
    odd = CategorySegmentation(min_df=2, gini_drop=0.0, verbose=False, outlier_threshold=0.2)
    X[1, -1] = X[2, -1] = 1
    odd.fit(X, np.append(-1, y[1:]))
    assert odd.labels_[0] == -1
    assert odd.predict(X[:1]).tolist() == [-1]
    assert odd.history_[-1].outliers == (odd.labels_ < 0).sum() >= 1


def test_an_outlier_does_not_come_back():
    documents = _seeds.Documents(sparse.csr_array([[1.0, 0], [0.0, 1]]), np.ones(2), np.ones(2), "none", None)
    segments = Segments(documents, np.array([0, -1]), 1)
    segments.project(2)
    assert segments.assign(0.5) == 0
    assert segments.labels.tolist() == [0, -1]
    segments.seeds = sparse.csr_array([[1.0, 1]])  # near to both
    segments.assign(0.5)
    assert segments.labels.tolist() == [0, -1]


@pytest.mark.parametrize(("start", "end"), [(20, 20), (20, 8)])
def test_with_theta_one_there_are_as_many_passes_as_asked_for(start, end):
    X, _, y = texts(3, noise=0.3)
    model = CategorySegmentation(**SMALL, words_start=start, words_end=end, theta=1, max_iter=4).fit(X, y)
    assert [one.words for one in model.history_] == [start] * 4
    until = CategorySegmentation(**SMALL, words_start=start, words_end=end, theta=1, max_iter=90, converge=True)
    assert until.fit(X, y).n_iter_ < 90
    assert (until.predict(X) == until.labels_).all()


def test_seeds_lose_words_even_if_nothing_moves():
    X, y = np.eye(3)[np.repeat([0, 1, 2], 10)], np.repeat([0, 1, 2], 10)
    model = CategorySegmentation(gini_drop=0.0, converge=True, verbose=False).fit(X, y)
    assert [each.words for each in model.history_] == [500, 350, 245, 200]


def test_documents_without_known_words():
    X, _, y = texts(6)
    X = np.vstack([X, np.zeros((2, X.shape[1]))])
    y = [*y.tolist(), None, 0]
    with pytest.warns(UserWarning, match="2 documents without any word of a category"):
        model = CategorySegmentation(**SMALL).fit(X, y)
    assert model.labels_[-2:].tolist() == [-1, -1]
    assert model.moved_[-2:].tolist() == [False, True]
    assert model.predict(X[-1:]).tolist() == [-1]
    assert model.rank(X[-1:], 2).tolist() == [[-1, -1]]
    assert model.decision_function(X[-1:]).tolist() == [[0] * 4]
    assert model.history_[-1].outliers == 0


def test_unlabeled_documents_are_clustered():
    X, true, _ = texts(7, n=300)
    some = np.where(np.arange(300) % 5, -1, true)
    model = CategorySegmentation(verbose=False).fit(X, some)
    assert adjusted_rand_score(true, model.labels_) > 0.95
    assert model.seed_origin_.sum() == (some >= 0).sum()
    assert not model.moved_[some < 0].any()
    only = CategorySegmentation(**SMALL).fit(np.eye(4)[[0, 0, 1, 1, 2, 3]], [0, 0, 1, 1, -1, -1])
    assert np.isnan(only.gini_).tolist() == [False, False, True, True]
    assert only.feature_mask_.tolist() == [True, True, False, False]


def test_labels_from_constraints():
    X, _, y = texts(8)
    names = np.array(["b", "d", "a", "c"], dtype=object)[y]
    names[::3] = None
    by_labels = CategorySegmentation(**SMALL).fit(X, names)
    by_constraints = CategorySegmentation(**SMALL).fit(X, constraints=Constraints(len(y), labels=names))
    assert by_labels.labels_.tolist() == by_constraints.labels_.tolist()
    assert by_constraints.classes_.tolist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "labels", [["b", "a"], [7, 3], [("x", 1), ("a", 2)], [2, "one"], [True, False], [None, 3, 4], [float("nan"), 0, 1]]
)
def test_labels_of_any_type(labels):
    X = np.eye(3)[np.tile(range(len(labels)), 4)]
    model = CategorySegmentation(**SMALL).fit(X, labels * 4)
    missing = len(labels) - 2
    assert len(model.classes_) == 2
    assert len(set(model.labels_[missing:2].tolist())) == len(labels[missing:2])
    turned = CategorySegmentation(**SMALL).fit(X[::-1], (labels * 4)[::-1])
    assert model.labels_.tolist() == turned.labels_[::-1].tolist()


def test_an_unused_label_changes_nothing():
    X, _, y = texts(9)
    plain = CategorySegmentation(**SMALL).fit(X, y)
    more = CategorySegmentation(**SMALL).fit(X, pd.Series(pd.Categorical(y, categories=range(6))))
    assert plain.labels_.tolist() == more.labels_.tolist()


def test_order_of_documents_and_words_does_not_matter():
    X, _, y = texts(10, noise=0.2, concentration=0.3)
    X += np.random.default_rng(0).uniform(0, 0.01, X.shape)  # no ties
    model = CategorySegmentation(words_start=25, words_end=10, verbose=False)
    rows, columns = np.random.default_rng(1).permutation(len(X)), np.random.default_rng(2).permutation(X.shape[1])
    labels = model.fit(X, y).labels_
    assert model.fit(X[rows], y[rows]).labels_.tolist() == labels[rows].tolist()
    assert model.fit(X[:, columns], y).labels_.tolist() == labels.tolist()


FORMS = {
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "integers": lambda X: X.astype(int),
    "float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "frame": pd.DataFrame,
    "long indices": lambda X: _long(sparse.csr_array(X)),
    "unsorted": lambda X: _unsorted(sparse.csr_array(X)),
    "repeated": lambda X: _repeated(sparse.csr_array(X)),
    "zeros": lambda X: _with_zeros(sparse.csr_array(X)),
}


def _long(X):
    return sparse.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)


def _unsorted(X):
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(X.indptr, X.indptr[1:], strict=False)])
    return sparse.csr_array((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def _repeated(X):
    return sparse.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)


def _with_zeros(X):
    row, column = np.nonzero(X.toarray() + np.eye(*X.shape) >= 0)
    return sparse.csr_array((X.toarray().ravel(), (row, column)), shape=X.shape)


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_counts(form):
    X, _, y = texts(11, noise=0.3)
    parameters = dict(words_start=20, words_end=8, min_df=20, idf=True, verbose=False)
    dense = CategorySegmentation(**parameters).fit(X, y)
    given_form = FORMS[form](X)
    before = given_form.data.copy() if form == "repeated" else None
    model = CategorySegmentation(**parameters).fit(given_form, y)
    assert dense.feature_mask_.tolist() == model.feature_mask_.tolist()
    np.testing.assert_allclose(model.seeds_.toarray(), dense.seeds_.toarray(), rtol=1e-6)
    assert model.labels_.tolist() == dense.labels_.tolist() == model.predict(FORMS[form](X)).tolist()
    assert model.rank(FORMS[form](X)).tolist() == dense.rank(X).tolist()
    if before is not None:
        assert (given_form.data == before).all()


@pytest.mark.parametrize(("rows", "seeds", "jobs"), [(1, 1, None), (7, 3, 2), (10**6, 10**6, 1)])
def test_blocks_and_threads_do_not_matter(monkeypatch, rows, seeds, jobs):
    X, _, y = texts(12, k=6, noise=0.3, n=150)
    usual = CategorySegmentation(**SMALL, words_start=20, words_end=8).fit(X, y)
    monkeypatch.setattr(_seeds, "_ROWS", rows)
    monkeypatch.setattr(_seeds, "_SEEDS", seeds)
    model = CategorySegmentation(**SMALL, words_start=20, words_end=8, n_jobs=jobs).fit(X, y)
    assert (model.labels_ == usual.labels_).all()
    assert (model.seeds_ != usual.seeds_).nnz == 0
    assert (model.rank(X) == usual.rank(X)).all()
    assert (model.decision_function(X) == usual.decision_function(X)).all()


def test_weights_are_copies_of_documents():
    X, _, y = texts(13, noise=0.3, n=90)
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    parameters = dict(min_df=0, min_docs=0, gini_drop=0.0, words_start=25, words_end=10, verbose=False)
    weighted = CategorySegmentation(**parameters).fit(X, y, sample_weight=weight)
    copied = CategorySegmentation(**parameters).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.seeds_.toarray(), copied.seeds_.toarray())
    assert np.repeat(weighted.labels_, weight).tolist() == copied.labels_.tolist()
    zero = CategorySegmentation(**SMALL).fit(X, y, sample_weight=(y > 0).astype(float))
    assert zero.names_ == ["1", "2", "3"]
    with pytest.raises(ValueError, match="sample_weight has values as large as"):
        weighted.fit(X, y, sample_weight=np.full(len(X), 1e308))


def test_passes_until_nothing_moves():
    X, _, y = texts(14, n=400, noise=0.6, concentration=0.8, length=5)
    parameters = dict(words_start=30, words_end=10, min_df=1, verbose=False)
    plain = CategorySegmentation(**parameters).fit(X, y)
    done = CategorySegmentation(**parameters, converge=True).fit(X, y)
    assert [each.words for each in done.history_] == [30, 21, 15, 10] + [10] * (done.n_iter_ - 4)
    assert done.n_iter_ > plain.n_iter_
    assert done.history_[-1].changed > 0  # else it had ended before
    again = done._documents(sparse.csr_array(X), np.ones(len(X))).damped_centroids(done.labels_, done.n_clusters_, 10)
    np.testing.assert_allclose(again.toarray(), done.seeds_.toarray())
    with pytest.warns(UserWarning, match="documents still moved after 4 passes: raise max_iter"):
        CategorySegmentation(**parameters, converge=True, max_iter=4).fit(X, y)


def test_terms_of_categories():
    X = np.array([[4.0, 1, 0, 0], [4, 1, 0, 0], [0, 0, 3, 9], [0, 0, 3, 9]])
    frame = pd.DataFrame(X, columns=["bread", "jam", "oil", "gas"])
    model = CategorySegmentation(**SMALL).fit(frame, ["food", "food", "fuel", "fuel"])
    assert model.top_terms() == [["bread", "jam"], ["gas", "oil"]]
    assert model.top_terms(1, list("abcd")) == [["a"], ["d"]]
    assert CategorySegmentation(**SMALL).fit(X, [0, 0, 1, 1]).top_terms(1) == [[0], [3]]
    with pytest.raises(ValueError, match="names has 2 terms, but X had 4 columns"):
        model.top_terms(1, ["a", "b"])
    with pytest.raises(ValueError, match="names=.*of different lengths"):
        model.top_terms(1, ["a", ["b"], "c", "d"])
    with pytest.raises(ValueError, match="n_terms"):
        model.top_terms(-1)


def test_gini_limit_in_place_of_a_share():
    X, _, y = texts(15, concentration=0.3)
    model = CategorySegmentation(**SMALL, gini_max=0.3).fit(X, y)
    assert model.feature_mask_.tolist() == (model.gini_ <= 0.3).tolist()
    assert 0 < model.feature_mask_.sum() < 60


BAD = {
    "Negative values": dict(X=-np.eye(6)),
    "NaN": dict(X=np.full((6, 6), np.nan)),
    "infinity": dict(X=np.full((6, 6), np.inf)),
    "whose squares float64 cannot hold": dict(X=1e300 * np.eye(6)),
    "y has 5 labels, but X has 6 rows": dict(y=[0, 1, 0, 1, 0]),
    "The labels have 1 class, without": dict(y=[0, -1, 0, 0, 0, None]),
    "The labels have 0 classes": dict(y=[-1] * 6),
    "requires y to be passed, but the target y is None": dict(y=None),
    "one-dimensional": dict(y=np.zeros((6, 2))),
    "'theta' parameter": dict(theta=0.0),
    "The 'theta' parameter": dict(theta=1.1),
    "'words_end' parameter": dict(words_end=0),
    "words_end=600 is more than words_start=500": dict(words_end=600),
    "'merge_threshold'": dict(merge_threshold=1.5),
    "'outlier_threshold'": dict(outlier_threshold=-2),
    "'domination_threshold'": dict(domination_threshold=2),
    "'damping'": dict(damping="cube"),
    "removed every word": dict(min_df=50),
    "min_df=1 and the Gini index removed every word": dict(X=np.ones((6, 3)), gini_max=0.1),
    "no category has min_docs=7 documents in pass 1: lower min_docs": dict(min_docs=7),
    "theta=1 keeps the number of words: give max_iter": dict(theta=1),
    "'max_iter'": dict(max_iter=0),
    "n_jobs=0": dict(n_jobs=0),
    "0 sample": dict(X=np.empty((0, 3)), y=[]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    parameters = {"min_df": 1, "min_docs": 1, "gini_drop": 0.0, "verbose": False, **BAD[message]}
    X, y = parameters.pop("X", np.eye(6)), parameters.pop("y", [0, 1, 0, 1, 0, 1])
    with pytest.raises(ValueError, match=message):
        CategorySegmentation(**parameters).fit(X, y)


def test_bad_constraints():
    model, X = CategorySegmentation(**SMALL), np.eye(4)
    labels = [0, 0, 1, 1]
    with pytest.raises(ValueError, match="y and constraints both give labels"):
        model.fit(X, labels, constraints=Constraints(4, labels=labels))
    for known in (Constraints(4, [(0, 1)]), Constraints(4, None, [(0, 1)]), Constraints(4, groups=[0, 0, -1, -1])):
        with pytest.raises(ValueError, match="uses known labels only"):
            model.fit(X, constraints=known)
    with pytest.raises(ValueError, match="4 objects"):
        model.fit(X[:3], constraints=Constraints(4, labels=labels))
    with pytest.raises(ValueError, match="The labels have 0 classes"):
        model.fit(X, constraints=Constraints(4))


def test_bad_new_documents():
    X, _, y = texts()
    model = CategorySegmentation(verbose=False)
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(X)
    model.fit(X, y)
    for wrong, message in ((X[:, 1:], "59 features"), (-X, "Negative values"), (1e300 * X, "cannot hold")):
        for method in (model.predict, model.decision_function, model.rank):
            with pytest.raises(ValueError, match=message):
                method(wrong)
    for k in (0, 1.5, True):
        with pytest.raises(ValueError, match="k="):
            model.rank(X, k)
    assert model.rank(X, 10).shape == (120, 4)


def test_scikit_learn_conventions():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(CategorySegmentation(**SMALL))


def test_the_whole_walk_does_not_take_it():
    with pytest.raises(ValueError, match=r"method='tclus' needs the labels of rows.*constrained.by_name\('tclus'\)"):
        pluribus.cluster(np.eye(9), method="tclus", verbose=False)
