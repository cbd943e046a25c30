import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_iris

from alternative.shared import CROSS, CROSS_KNOWN, same_partition
from pluribus.alternative import Alternative, Alternatives, ConditionalEnsemble, ResidualClusterer, alternatives, names
from pluribus.alternative.novelty_front import PLAIN, _front
from pluribus.compare import normalized_mutual_information_index

IRIS = load_iris()
ROWS, KNOWN = np.repeat(CROSS * [1, 3], 5, axis=0), np.repeat(CROSS_KNOWN, 5)


def found_on_iris(**how):
    given = {"methods": ["residual-kmeans", "condens"], "n_starts": 2, "random_state": 0, "verbose": False} | how
    return alternatives(IRIS.data, IRIS.target, 3, **given)


def share_between(X, labels):
    centers = np.array([X[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    return ((centers[labels] - X.mean(axis=0)) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()


def test_each_method_is_run_from_each_start_and_measured():
    found = found_on_iris()
    methods = ["residual-kmeans", "condens", PLAIN]
    assert [(one.method, one.start) for one in found.found] == [(m, s) for m in methods for s in (0, 1)]
    for one in found.found:
        assert one.quality == pytest.approx(share_between(IRIS.data, one.labels))
        assert one.novelty == pytest.approx(1 - normalized_mutual_information_index(one.labels, IRIS.target))
        sizes = np.bincount(one.labels)
        assert sizes.tolist() == sorted(sizes, reverse=True)
    assert found.failed == {}
    again = found_on_iris()
    assert all(np.array_equal(a.labels, b.labels) for a, b in zip(found.found, again.found, strict=True))


def test_the_front_is_what_no_other_beats():
    rng = np.random.default_rng(0)
    made = [Alternative("m", i, np.zeros(2, int), *rng.integers(0, 6, 2) / 5) for i in range(30)]
    front = _front(made)
    values = {(one.quality, one.novelty) for one in made}
    best = {(q, new) for q, new in values if not any(a >= q and b >= new and (a, b) != (q, new) for a, b in values)}
    assert {(one.quality, one.novelty) for one in front} == best
    assert len(front) == len(best)  # equal ones are shown once
    assert [one.novelty for one in front] == sorted((one.novelty for one in front), reverse=True)


def test_what_is_newer_by_rounding_alone_is_not_newer():
    worse = Alternative("worse", 0, np.zeros(2, int), quality=0.1, novelty=1.0)
    better = Alternative("better", 0, np.zeros(2, int), quality=0.5, novelty=1 - 1e-15)
    assert [one.method for one in _front([worse, better])] == ["better"]


def test_all_methods_by_default_and_those_that_cannot_run_say_why():
    found = alternatives(ROWS - 1, KNOWN, 2, n_starts=1, random_state=0, verbose=False)
    ran = {one.method for one in found.found}
    assert ran | set(found.failed) == {*names(), "condens, not centered", PLAIN} - {"best-alternative"}
    assert "negative numbers" in found.failed["condens-em"]
    assert found.front[0].novelty == pytest.approx(1)
    assert same_partition(found.front[0].labels, np.repeat([0, 1, 0, 1], 5))
    assert found.front[-1].method == PLAIN
    assert found.to_frame().columns.tolist() == ["method", "start", "quality", "novelty"]
    assert len(found.to_frame()) == len(found.front)


@pytest.mark.filterwarnings("ignore:known has")
def test_estimators_by_title_keep_their_parameters():
    methods = {"mine": ResidualClusterer(3, n_init=2), 7: ConditionalEnsemble(2), "no": KMeans(2)}
    found = alternatives(ROWS, KNOWN, 2, methods=methods, n_starts=1, random_state=0, verbose=False)
    assert [one.method for one in found.found] == ["mine", "7", PLAIN]
    assert "known" in found.failed["no"]
    assert methods["mine"].random_state is None


def test_sparse_rows_and_rows_without_a_cluster_or_label():
    dense, thin = (
        alternatives(form(ROWS), KNOWN, 2, methods=["residual-kmeans"], n_starts=1, random_state=0, verbose=False)
        for form in (np.asarray, sparse.csr_array)
    )
    assert thin.to_frame().round(9).equals(dense.to_frame().round(9))
    known = KNOWN.astype(object)
    known[:2] = None
    noise = {"noise": ResidualClusterer(2, base=DBSCAN(eps=0.5))}
    rows = np.concatenate([ROWS, [[5.0, 50.0]]])
    one = alternatives(rows, [*known, None], 2, methods=noise, n_starts=1, random_state=0, verbose=False).found[0]
    assert one.labels[-1] == -1
    inside = one.labels >= 0
    assert one.quality == pytest.approx(share_between(rows[inside], one.labels[inside]))
    both = inside[:-1] & (np.arange(20) >= 2)
    nmi = normalized_mutual_information_index(one.labels[:-1][both], KNOWN[both])
    assert one.novelty == pytest.approx(1 - nmi)


def test_a_method_that_fails_in_a_later_start_keeps_its_earlier_results():
    class Once(ResidualClusterer):
        calls = 0

        def fit(self, X, y=None, *, known=None):
            Once.calls += 1
            if Once.calls == 2:
                raise ValueError("once")
            return super().fit(X, known=known)

    found = alternatives(ROWS, KNOWN, 2, methods={"once": Once(2)}, n_starts=2, random_state=0, verbose=False)
    assert [one.method for one in found.found] == ["once", PLAIN, PLAIN]
    assert found.failed == {"once": "once"}


def test_noise_alone_and_one_known_group():
    noise = ResidualClusterer(2, base=DBSCAN(eps=1e-9, min_samples=50))
    methods = {"noise": noise, "residual": ResidualClusterer(2)}
    found = alternatives(IRIS.data, IRIS.target, 2, methods=methods, n_starts=1, random_state=0, verbose=False)
    assert found.failed == {"noise": "It put no row into a cluster."}
    assert [one.method for one in found.found] == ["residual", PLAIN]
    nothing = alternatives(ROWS, [0] * 20, 2, methods=["residual-kmeans"], n_starts=1, verbose=False, random_state=0)
    assert {one.novelty for one in nothing.found} == {1.0}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"methods": []}, "methods is empty"),
        ({"methods": {}}, "no estimator for any title"),
        ({"methods": {"a": KMeans}}, "no estimator for"),
        ({"methods": ["unknown"]}, "called 'unknown'"),
        ({"methods": ["condens-em"], "X": ROWS - 1}, "No method could run: .*negative"),
        ({"methods": {"a": KMeans(2)}}, "No method could run"),
        ({"n_starts": 0}, "n_starts"),
        ({"n_clusters": 1}, "n_clusters"),
        ({"n_clusters": 21}, "n_clusters"),
        ({"known": [0, 1]}, "known has 2 labels"),
        ({"known": None}, "known is missing"),
        ({"X": [[np.nan]] * 20}, "NaN"),
    ],
)
def test_wrong_input_is_refused(how, message):
    given = {"X": ROWS, "known": KNOWN, "n_clusters": 2, "verbose": False} | how
    with pytest.raises(ValueError, match=message):
        alternatives(given.pop("X"), given.pop("known"), given.pop("n_clusters"), **given)


def test_the_figure_has_the_front_and_all_partitions():
    labels = np.array([0, 1])
    made = tuple(
        Alternative(method, 0, labels, quality=q, novelty=new)
        for method, q, new in (("<b>x</b>", 0.2, 0.9), ("<b>x</b>", 0.1, 0.8), (PLAIN, 0.7, 0.1))
    )
    figure = Alternatives(made, (made[0], made[2]), {}).plot()
    line, mine, plain = figure.data
    assert (list(line.x), list(line.y)) == ([0.9, 0.1], [0.2, 0.7])
    assert (list(mine.x), list(mine.y)) == ([0.9, 0.8], [0.2, 0.1])
    assert (list(plain.x), list(plain.y)) == ([0.1], [0.7])
    assert "<b>" not in mine.name
    assert plain.name == PLAIN
    assert mine.marker.color != plain.marker.color
