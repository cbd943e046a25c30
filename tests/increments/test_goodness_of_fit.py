import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import cramervonmises

from pluribus.increments import IncrementsDistribution, cramer_von_mises_statistic, jensen_shannon_divergence


def test_one_observation_by_hand():
    assert cramer_von_mises_statistic([1.0], IncrementsDistribution(1)) == pytest.approx(0.0896532698, abs=1e-10)


@pytest.mark.parametrize("dim", [1, 2, 6, np.inf])
def test_the_statistic_is_that_of_scipy(dim):
    w = np.random.default_rng(0).exponential(size=200)
    law = IncrementsDistribution.fit(w, dim)
    assert cramer_von_mises_statistic(w, law) == pytest.approx(cramervonmises(w, law.cdf).statistic, rel=1e-10)


@pytest.mark.parametrize(
    ("dim", "value"), [(3, 3.287e-5), (5, 7.299e-5), (10, 9.227e-5), (25, 9.732e-5), (np.inf, 9.820e-5)]
)
def test_divergence_between_dimensions(dim, value):
    a, b = IncrementsDistribution(3.0), IncrementsDistribution(3.0, dim)
    assert jensen_shannon_divergence(a, b) == pytest.approx(value, rel=2e-4)
    assert jensen_shannon_divergence(b, a) == pytest.approx(value, rel=2e-4)


@pytest.mark.parametrize(("dim", "value"), [(2, 0.01155), (5, 0.01313), (25, 0.01338)])
def test_divergence_from_the_exponential(dim, value):
    exponential = IncrementsDistribution(1, model="exponential")
    assert jensen_shannon_divergence(exponential, IncrementsDistribution(1, dim)) == pytest.approx(value, abs=5e-6)


def test_divergence_by_quadrature():
    for a, b in (
        (IncrementsDistribution(1), IncrementsDistribution(2.5)),
        (IncrementsDistribution(1, 1), IncrementsDistribution(0.3, model="exponential")),
    ):

        def part(w, p, q):
            return p.pdf(w) * (p.logpdf(w) - np.log((p.pdf(w) + q.pdf(w)) / 2)) / 2

        expected = sum(quad(part, 0, 60, args=pair, points=[0.5, 2, 5, 15])[0] for pair in ((a, b), (b, a)))
        assert jensen_shannon_divergence(a, b) == pytest.approx(expected, rel=1e-6)


def test_divergence_at_the_ends():
    assert jensen_shannon_divergence(IncrementsDistribution(2), IncrementsDistribution(2)) == pytest.approx(
        0, abs=1e-14
    )
    for factor in (1e6, 1e20, 1e100):  # disjoint, but for the density near 0
        far = jensen_shannon_divergence(IncrementsDistribution(1), IncrementsDistribution(factor))
        assert far == pytest.approx(np.log(2), abs=1e-3 if factor == 1e6 else 1e-4)
        assert far <= np.log(2) + 1e-9


def test_refused():
    for call in (
        lambda: cramer_von_mises_statistic([1.0], "did"),
        lambda: jensen_shannon_divergence(IncrementsDistribution(1), None),
        lambda: jensen_shannon_divergence(1.0, IncrementsDistribution(1)),
    ):
        with pytest.raises(ValueError, match="give an IncrementsDistribution"):
            call()
    for increments in ([], [-1.0], [np.nan], [[1.0]]):
        with pytest.raises(ValueError, match="increments must be"):
            cramer_von_mises_statistic(increments, IncrementsDistribution(1))
