"""The description length on which `validate.description_length_cost` and the methods of this room rest."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from pluribus.increments import DegenerateIncrementsError, IncrementsDistribution, dissimilarity_increments
from pluribus.increments._shared.description import FLOOR, Unit, describe
from pluribus.increments._shared.dissimilarities import FeatureDissimilarities, GivenDissimilarities

LINE = np.array([0.0, 1, 3, 7, 100, 101, 103, 107])[:, None]
HALVES, THREE = np.repeat([0, 1], 4), np.array([0, 0, 0, 0, 1, 1, 2, 2])


def test_increments_by_hand():
    line = FeatureDissimilarities(LINE)
    assert sorted(line.increments("tree")) == [1, 1, 2, 2, 89, 92]
    assert sorted(line.take(np.arange(4)).increments("tree")) == [1, 2]
    assert sorted(line.take(np.arange(4, 8)).increments("tree")) == [1, 2]
    assert line.take(np.arange(4)).increments("nearest").tolist() == [1, 2, 1, 2]
    assert line.diameter() == 107


@pytest.mark.parametrize("scale", [1, 1000])
@pytest.mark.parametrize(
    ("codes", "did", "exponential"),
    [
        (np.zeros(8, int), 1.5366983012, -0.3611573502),
        (HALVES, -11.7213828230, -10.9900133637),
        (THREE, -3.7812498698, -3.4155651402),
    ],
)
def test_lengths_by_hand(codes, did, exponential, scale):
    for line in (FeatureDissimilarities(scale * LINE), GivenDissimilarities(scale * cdist(LINE, LINE))):
        assert describe(line, codes).length == pytest.approx(did, abs=1e-9)
        assert describe(line, codes, "exponential").length == pytest.approx(exponential, abs=1e-9)


@pytest.mark.parametrize("kind", ["tree", "nearest"])
@pytest.mark.parametrize("model", ["did", "exponential"])
def test_by_definition(kind, model):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(60, 3)), np.repeat([0, 1, 2, 3, 4], [30, 20, 7, 2, 1])
    unit = cdist(X, X).max()
    found = describe(FeatureDissimilarities(X), codes, model, 1.5, increments=kind)
    for cluster in range(5):
        members = X[codes == cluster]
        if len(members) < 3:
            assert (found.costs[cluster], np.isnan(found.means[cluster])) == (0, True)
            continue
        w = dissimilarity_increments(members, kind=kind)
        law = IncrementsDistribution.fit(w, model=model)
        assert found.costs[cluster] == pytest.approx(-(law.logpdf(w) + np.log(unit)).sum())
        assert found.means[cluster] == pytest.approx(w.mean())
    assert found.sizes.tolist() == [30, 20, 7, 2, 1]
    assert found.length == pytest.approx(found.costs.sum() + 1.5 * 5 / 2 * np.log(60))


def test_a_known_unit_is_taken():
    line = FeatureDissimilarities(LINE)
    unit = Unit.of(line)
    assert (unit.diameter, unit.n) == (107, 8)
    assert unit.floor == pytest.approx(FLOOR * 187 / 6)
    assert describe(line, HALVES, unit=unit).length == describe(line, HALVES).length


def test_the_floor_for_duplicates():
    X = np.array([0.0, 0, 0, 0, 5, 6, 8, 20])[:, None]
    objects = FeatureDissimilarities(X)
    for kind in ("tree", "nearest"):
        found = describe(objects, HALVES, increments=kind)
        floor = FLOOR * dissimilarity_increments(X, kind=kind).mean()
        w = dissimilarity_increments(X[:4], kind=kind)
        assert (w == 0).all()
        assert found.means[0] == floor
        assert found.costs[0] == pytest.approx(-(IncrementsDistribution(floor).logpdf(w) + np.log(20)).sum())


def test_nothing_to_describe():
    for kind in ("tree", "nearest"):
        with pytest.raises(DegenerateIncrementsError, match="All objects are equal"):
            Unit.of(FeatureDissimilarities(np.ones((5, 2))), kind)
        with pytest.raises(DegenerateIncrementsError, match="regular lattice"):
            Unit.of(FeatureDissimilarities(np.argwhere(np.ones((4, 5))).astype(float)), kind)
    alone = describe(FeatureDissimilarities(LINE), np.arange(8))
    assert alone.length == pytest.approx(4 * np.log(8))
