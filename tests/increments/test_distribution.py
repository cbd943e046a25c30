"""The distribution of increments: the spec's values, scipy's quadrature and hypergeometric function, and mpmath."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import hyperu

from pluribus.increments import DegenerateIncrementsError, IncrementsDistribution
from pluribus.increments._shared import chi_differences as chi

DIMENSIONS = (1, 2, 3, 4, 5, 8, 10, 20, 21, 50, 100, np.inf)
LAWS = [IncrementsDistribution(1, dim) for dim in DIMENSIONS] + [IncrementsDistribution(1, model="exponential")]
each_law = pytest.mark.parametrize("law", LAWS, ids=repr)


def the_sources_double_sum(dim, w, scale=1):
    """P2, equation (7), with 40 digits: it cancels, so that floats do not do."""
    with mpmath.workdps(40):
        d = mpmath.mpf(dim)
        mean = 2 * mpmath.gamma((d + 1) / 2) / mpmath.gamma(d / 2)
        mean *= 2 * mpmath.betainc(d / 2, (d + 1) / 2, 0, mpmath.mpf(1) / 2, regularized=True) - 1
        C = (mean / scale) ** 2
        w = mpmath.mpf(w)
        total = mpmath.mpf(0)
        for k in range(dim):
            for i in range(2 * dim - 1 - k):
                total += (
                    (-1) ** i
                    * mpmath.binomial(dim - 1, k)
                    * mpmath.binomial(2 * dim - 2 - k, i)
                    * w ** (k + i)
                    * mpmath.mpf(2) ** (mpmath.mpf(k - i) / 2)
                    * C ** (mpmath.mpf(k + i) / 2)
                    * mpmath.gammainc(mpmath.mpf(2 * dim - 1 - k - i) / 2, C * w**2 / 2)
                )
        G = C ** (d / 2) / mpmath.gamma(d / 2)
        return float(G**2 * 2 ** (mpmath.mpf(5) / 2 - d) * C ** (0.5 - d) * mpmath.exp(-C * w**2 / 2) * total)


@pytest.mark.parametrize("dim", [2, 3, 4, 5, 8])
def test_the_density_is_the_sources_double_sum(dim):
    for w in (0.1, 0.5, 1.0, 2.0, 4.0):
        assert IncrementsDistribution(1, dim).pdf(w) == pytest.approx(the_sources_double_sum(dim, w), rel=1e-12)
        scaled = IncrementsDistribution(1.7, dim).pdf(w)
        assert scaled == pytest.approx(the_sources_double_sum(dim, w, mpmath.mpf(1.7)), rel=1e-12)


@pytest.mark.parametrize(
    ("dim", "mean"),
    [
        (1, 0.4673899545), (2, 0.5191397136), (3, 0.5358376286), (4, 0.5437131696), (5, 0.5482242213),
        (10, 0.5566577207), (20, 0.5605425553), (50, 0.5627597276), (10**5, 1 / np.sqrt(np.pi)),
    ],
)  # fmt: skip
def test_the_constant_of_each_dimension(dim, mean):
    assert chi.mean_difference(dim) == pytest.approx(mean, abs=1e-10 if dim < 10**5 else 1e-5)


@pytest.mark.parametrize(
    ("dim", "function", "at", "values", "rel"),
    [
        (2, "pdf", [0, 0.5, 1, 2, 5], [0.650645142284, 0.592518307, 0.456582514861, 0.174549666, 3.84060215e-4], 2e-9),
        (2, "sf", [1, 2, 3, 4, 5, 7, 10],
         [0.42050197211, 0.1131977375, 0.01914047136, 0.002002345, 1.280790e-4, 1.157521e-7, 6.632965e-14], 3e-7),
        (2, "isf", [0.15, 0.1, 0.05, 0.01, 0.001],
         [1.81213075652, 2.07944040661, 2.49301816430, 3.31062931066, 4.27033275736], 1e-11),
        (2, "ppf", [0.5], [0.8349394236], 1e-10),
        (3, "pdf", [0, 0.5, 1, 2, 5], [0.641304856, 0.590031587, 0.461057868, 0.176419271, 2.93586744e-4], 2e-9),
        (3, "sf", [1, 2, 3, 5], [0.4230841716, 0.1114848078, 0.01773499496, 9.287142069e-5], 1e-9),
        (5, "pdf", [0, 1], [0.637903645, 0.462595886], 2e-9),
        (5, "sf", [1, 2, 3, 5], [0.4243596395, 0.1107861233, 0.01702784819, 7.583349906e-5], 1e-9),
        (10, "pdf", [0], [0.636874394], 2e-9),
        (10, "sf", [1], [0.4248156674], 1e-9),
    ],
)  # fmt: skip
def test_values_of_the_spec(dim, function, at, values, rel):
    np.testing.assert_allclose(getattr(IncrementsDistribution(1, dim), function)(at), values, rtol=rel)


@pytest.mark.parametrize(
    ("dim", "value"), [(1, 1.6524), (2, 1.886953496), (3, 1.9481), (5, 1.9818), (10, 1.9958), (25, 1.9994), (np.inf, 2)]
)
def test_fisher_information(dim, value):
    law = IncrementsDistribution(0.5, dim)
    assert law.fisher_information() == pytest.approx(value / 0.25, rel=5e-5)
    assert law.fisher_information(7) == pytest.approx(7 * law.fisher_information())
    assert IncrementsDistribution(2, model="exponential").fisher_information(3) == 3 / 4


def test_moments_in_two_dimensions():
    law = IncrementsDistribution(3)
    assert law.var() + 9 == pytest.approx(9 * 1.5925567741, rel=1e-10)
    assert law.std() == pytest.approx(3 * 0.7697770938, rel=1e-10)
    assert law.entropy() == pytest.approx(0.9581043642 + np.log(3), rel=1e-10)
    assert law.mean() == 3


def test_two_dimensions_in_closed_form():
    """Equation (A) with d = 2 is (B), which a kernel computes; both ways to sum it, too."""
    u = np.array([0, 1e-8, 0.3, 1, 5, 19.26, 19.27, 30, 200])  # v is 50 between 19.26 and 19.27
    np.testing.assert_allclose(IncrementsDistribution(1).logpdf(u), chi.log_density(2, u), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(IncrementsDistribution(1).logsf(u[2:]), chi.log_survival(2, u[2:]), rtol=1e-11)


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 19, 20, 21, 30, 60])
def test_the_mean_of_inverse_roots_by_other_means(dim):
    v = np.array([1e-6, 0.01, 0.2, 0.5, 0.99, 1, 1.3, 5, 50, 1e3, 1e4])

    def mean(x):
        ends = [0, x, 1 + x, 10 + x, dim + 40, dim + 200]
        inside = lambda t: t ** (dim - 1) * mpmath.exp(-t) / mpmath.sqrt(t + mpmath.mpf(x))  # noqa: E731
        return float(mpmath.quad(inside, sorted(end for end in ends if end <= dim + 200)) / mpmath.gamma(dim))

    np.testing.assert_allclose(chi.mean_inverse_root(dim, v), [mean(x) for x in v], rtol=1e-12)
    np.testing.assert_allclose(chi.mean_inverse_root(dim, v), hyperu(0.5, 1.5 - dim, v), rtol=1e-9)


def test_one_dimension_and_the_limit():
    from scipy.special import erfc

    u = np.linspace(0, 6, 13)
    C = chi.mean_difference(1) ** 2
    v = C * u * u / 2
    np.testing.assert_allclose(
        IncrementsDistribution(1, 1).pdf(u), 2 * np.sqrt(2 * C / np.pi) * np.exp(-v) * erfc(np.sqrt(v)), rtol=1e-11
    )
    limit = IncrementsDistribution(1, np.inf)
    np.testing.assert_allclose(limit.pdf(u), 2 / np.pi * np.exp(-u * u / np.pi), rtol=1e-12)
    for dim in (10**5, 10**5 + 1, 10**15, 10**30):
        np.testing.assert_allclose(IncrementsDistribution(1, dim).pdf(u), limit.pdf(u), rtol=1e-8)
        np.testing.assert_allclose(IncrementsDistribution(1, dim).sf(u), limit.sf(u), rtol=1e-8)
        assert IncrementsDistribution(1, dim).var() == pytest.approx(limit.var(), rel=1e-8)


@each_law
def test_integrals(law):
    assert quad(law.pdf, 0, 40, points=[1, 5], epsabs=1e-13)[0] == pytest.approx(1, abs=1e-10)
    assert quad(lambda w: w * law.pdf(w), 0, 60, points=[1, 5], epsabs=1e-13)[0] == pytest.approx(1, abs=1e-10)
    second = quad(lambda w: w * w * law.pdf(w), 0, 80, points=[1, 5], epsabs=1e-13)[0]
    assert second == pytest.approx(law.var() + 1, abs=1e-9)
    entropy = quad(lambda w: -law.pdf(w) * law.logpdf(w), 0, 60, points=[1, 5], epsabs=1e-13)[0]
    assert entropy == pytest.approx(law.entropy(), abs=1e-9)

    def squared_score(w, step=1e-5):
        slope = (law.logpdf(w + step) - law.logpdf(w - step)) / (2 * step)
        return law.pdf(w) * (1 + w * slope) ** 2

    information = quad(squared_score, 1e-4, 40, points=[1, 5])[0]
    assert information == pytest.approx(law.fisher_information(), abs=2e-4)


@each_law
def test_tails_and_quantiles(law):
    w = np.array([0, 1e-12, 1e-4, 0.01, 0.3, 0.99, 1, 1.01, 2, 4, 7, 12])
    np.testing.assert_allclose(law.cdf(w) + law.sf(w), 1, atol=1e-13)
    np.testing.assert_allclose(law.cdf(w[1:4]), law.pdf(0) * w[1:4], rtol=0.01)
    for x in (0.05, 0.7, 2.0, 6.0):
        assert law.cdf(x) == pytest.approx(quad(law.pdf, 0, x, epsabs=1e-14)[0], abs=1e-12)
        slope = (law.sf(x + 1e-5) - law.sf(x - 1e-5)) / 2e-5
        assert -slope == pytest.approx(law.pdf(x), rel=1e-6)
    share = np.array([1e-200, 1e-12, 0.01, 0.3, 0.5])
    np.testing.assert_allclose(law.cdf(law.ppf(share)), share, rtol=1e-12)
    np.testing.assert_allclose(law.sf(law.isf(share)), share, rtol=1e-11)
    np.testing.assert_allclose(law.ppf(1 - share[2:]), law.isf(share[2:]), rtol=1e-11)
    np.testing.assert_allclose(law.isf([0.7, 0.9]), law.ppf([0.3, 0.1]), rtol=1e-11)


@each_law
def test_ends(law):
    assert law.pdf(-1) == law.cdf(-1) == law.cdf(0) == 0
    assert law.logpdf(-1) == -np.inf
    assert law.sf(-1) == law.sf(0) == 1
    np.testing.assert_array_equal(law.logpdf([np.inf, np.nan]), [-np.inf, np.nan])
    np.testing.assert_array_equal(law.cdf([np.inf, np.nan]), [1, np.nan])
    np.testing.assert_array_equal(law.ppf([0, 1, -0.1, 1.1, np.nan]), [0, np.inf, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(law.isf([1, 0, -0.1, 1.1, np.nan]), [0, np.inf, np.nan, np.nan, np.nan])
    with np.errstate(all="raise", under="ignore"):
        far = np.array([1e3, 1e100, 1e149])
        for values in (law.logpdf(far), law.logsf(far)):
            assert np.isfinite(values).all()
            assert (np.diff(values) < 0).all()
        farther = law.logpdf([1e200, 1e300]), law.logsf([1e200, 1e300])
    assert not np.isnan(farther).any()
    assert law.pdf([[1, 2], [3, 4]]).shape == (2, 2)
    assert law.pdf(1.0).shape == ()


@each_law
def test_random_increments_follow_the_law(law):
    law = IncrementsDistribution(2.5, law.dim, model=law.model)
    drawn = law.rvs(100_000, random_state=1)
    assert stats.kstest(drawn if law.dim == 2 else drawn[:10_000], law.cdf).pvalue > 0.001
    assert drawn.mean() == pytest.approx(2.5, rel=0.01)
    assert law.rvs((3, 2), random_state=0).shape == (3, 2)
    np.testing.assert_array_equal(law.rvs(5, random_state=3), law.rvs(5, random_state=3))
    assert np.ndim(law.rvs(random_state=0)) == 0


@given(st.floats(0, 8), st.floats(0.01, 1e6), st.floats(1e-3, 1e3), st.sampled_from([1, 2, 3, 30]))
def test_scale_family(u, scale, factor, dim):
    law, scaled = IncrementsDistribution(scale, dim), IncrementsDistribution(factor * scale, dim)
    w = u * scale
    assert scaled.logpdf(factor * w) == pytest.approx(law.logpdf(w) - np.log(factor), rel=1e-9, abs=1e-9)
    assert scaled.sf(factor * w) == pytest.approx(law.sf(w), rel=1e-9)


def test_independent_pairs_of_gaussian_points():
    rng = np.random.default_rng(0)
    for dim, mean in ((2, 1.0383), (5, 1.0964), (10, 1.1133)):
        points = rng.normal(size=(4, 200_000, dim))
        one, other = np.linalg.norm(points[0] - points[1], axis=1), np.linalg.norm(points[2] - points[3], axis=1)
        increments = np.abs(one - other)
        assert 2 * chi.mean_difference(dim) == pytest.approx(mean, abs=1e-4)
        assert increments.mean() == pytest.approx(mean, rel=0.005)
        law = IncrementsDistribution(2 * chi.mean_difference(dim), dim)
        assert stats.kstest(increments[:10_000], law.cdf).pvalue > 0.001


def test_fit_by_hand():
    w = [1, 2, 1, 2]
    law = IncrementsDistribution.fit(w)
    assert law == IncrementsDistribution(1.5)
    assert law.logpdf(w).sum() == pytest.approx(-4.8904909732, abs=1e-9)
    exponential = IncrementsDistribution.fit(w, model="exponential")
    assert exponential.logpdf(w).sum() == pytest.approx(-5.6218604324, abs=1e-9)
    most_likely = IncrementsDistribution.fit(w, method="mle")
    assert most_likely.scale == pytest.approx(1.2744806221, rel=1e-7)
    assert most_likely.logpdf(w).sum() == pytest.approx(-4.8001263450, abs=1e-9)
    assert IncrementsDistribution.fit(w, model="exponential", method="mle").scale == pytest.approx(1.5, rel=1e-7)


@pytest.mark.parametrize("dim", [1, 2, 7, np.inf])
def test_the_most_likely_scale_has_no_slope(dim):
    rng = np.random.default_rng(0)
    outlier = np.r_[np.zeros(5000), 3.0]  # the estimate is 60 times the mean
    for w in (rng.exponential(size=200), IncrementsDistribution(4, dim).rvs(500, rng), outlier):
        for factor in (1, 1e-200, 1e200):
            scale = IncrementsDistribution.fit(factor * w, dim, method="mle").scale
            costs = [-IncrementsDistribution(scale * s, dim).logpdf(factor * w).sum() for s in (0.999, 1, 1.001)]
            assert costs[1] <= min(costs)
    law = IncrementsDistribution.fit(IncrementsDistribution(4, dim).rvs(100_000, 0), dim, method="mle")
    assert law.scale == pytest.approx(4, rel=0.02)


def test_a_floor_for_increments_of_zero():
    for method in ("mean", "mle"):
        with pytest.raises(DegenerateIncrementsError, match="All 3 increments are 0"):
            IncrementsDistribution.fit([0, 0, 0], method=method)
        assert IncrementsDistribution.fit([0, 0, 0], method=method, floor=1e-9).scale == 1e-9
        assert IncrementsDistribution.fit([0, 0, 1e-12], method=method, floor=1e-9).scale == 1e-9
    assert IncrementsDistribution.fit([1, 3], floor=1e-9).scale == 2
    assert issubclass(DegenerateIncrementsError, ValueError)


def test_extreme_scales():
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        law = IncrementsDistribution(scale, 3)
        assert np.isfinite(law.logpdf(scale))
        assert law.sf(scale) == pytest.approx(0.4230841716, abs=1e-9)
        assert law.var() >= 0
        assert law.fisher_information() >= 0


def test_equal_laws_are_equal():
    assert IncrementsDistribution(1.5, 3) == IncrementsDistribution(np.float64(1.5), np.int64(3))
    assert len({IncrementsDistribution(1), IncrementsDistribution(1.0, 2), IncrementsDistribution(1, 3)}) == 2
    assert IncrementsDistribution(1) != IncrementsDistribution(1, model="exponential")
    assert IncrementsDistribution(1) != 1
    assert repr(IncrementsDistribution(2, 3)) == "IncrementsDistribution(scale=2, dim=3)"
    assert (
        repr(IncrementsDistribution(2, model="exponential")) == "IncrementsDistribution(scale=2, model='exponential')"
    )


@pytest.mark.parametrize("scale", [0, -1, np.nan, np.inf, "1", None, True, [1], np.ones(2), 10**400])
def test_no_such_scale(scale):
    with pytest.raises(ValueError, match="scale=.*a positive number"):
        IncrementsDistribution(scale)


@pytest.mark.parametrize("dim", [0, -1, 1.5, 2.0, np.nan, -np.inf, "2", None, True, [2], np.ones(2), np.zeros(0)])
def test_no_such_dimension(dim):
    with pytest.raises(ValueError, match="dim=.*a whole number of dimensions"):
        IncrementsDistribution(1, dim)
    with pytest.raises(ValueError, match="dim="):
        IncrementsDistribution.fit([1.0], dim)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: IncrementsDistribution(1, model="normal"), "model must be"),
        (lambda: IncrementsDistribution(1, model=["did"]), "model must be"),
        (lambda: IncrementsDistribution(1).pdf("abc"), "give numbers"),
        (lambda: IncrementsDistribution(1).ppf(object()), "share="),
        (lambda: IncrementsDistribution(1).rvs(-1), "size=-1"),
        (lambda: IncrementsDistribution(1).rvs(2, random_state="x"), "random_state='x'"),
        (lambda: IncrementsDistribution(1).fisher_information(-1), "n=-1"),
        (lambda: IncrementsDistribution(1).fisher_information(1.5), "n=1.5"),
        (lambda: IncrementsDistribution.fit([]), "at least one number"),
        (lambda: IncrementsDistribution.fit([[1.0]]), "shape"),
        (lambda: IncrementsDistribution.fit([1, -1]), "not negative"),
        (lambda: IncrementsDistribution.fit([1, np.nan]), "finite"),
        (lambda: IncrementsDistribution.fit([1, np.inf]), "finite"),
        (lambda: IncrementsDistribution.fit(["a"]), "give numbers"),
        (lambda: IncrementsDistribution.fit([1], method="median"), "method must be"),
        (lambda: IncrementsDistribution.fit([1], floor=0), "floor=0: give the least mean increment"),
        (lambda: IncrementsDistribution.fit([1], floor="x"), "floor='x'"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
