"""Statistics of traced samples: dtypes, results as they are unpacked, and what is refused; derivatives
are cells of `product.sampling`.
"""

import numpy as np
import pytest
from scipy import stats as scipys
from scipy.cluster import vq

from chainrules_py.errors import OptionError
from chainrules_tape import grad, hessian, seen_through, value_and_grad, vjp
from chainrules_tape.scipy import stats as ours
from chainrules_tape.scipy.cluster import vq as own_vq
from product.sampling import MORE, ONE, OTHER, ROWS_OF, holed
from slopes import quotients


def test_a_number_beside_a_sample_adapts_to_its_dtype():
    sample = ONE.astype(np.float32)
    assert vjp(lambda x: ours.ttest_1samp(x, 0.3).statistic, sample)[0].dtype == np.float32


def test_results_are_unpacked_as_scipys():
    def residual(y):
        slope, intercept, *_ = ours.linregress(ONE, y)
        return np.sum((y - slope * ONE - intercept) ** 2)

    centred = np.stack([np.ones(9), ONE], axis=1)
    projector = np.eye(9) - centred @ np.linalg.pinv(centred)
    np.testing.assert_allclose(hessian(residual)(OTHER), 2 * projector, atol=1e-12)
    statistic, pvalue = ours.pearsonr(ONE, OTHER)
    assert (statistic, pvalue) == tuple(scipys.pearsonr(ONE, OTHER))


def test_what_is_refused():
    with pytest.raises(OptionError, match="nan_policy"):
        grad(lambda x: ours.ttest_ind(holed(x), MORE, nan_policy="omit").statistic[0])(ROWS_OF)
    for f in (
        lambda x: ours.trim_mean(x, 0.2, nan_policy="raise"),
        lambda x: ours.skew(x, nan_policy="raise"),
    ):
        with pytest.raises(ValueError, match="nan"):
            grad(lambda x, f=f: f(holed(x)))(ONE)
    with pytest.raises(OptionError, match="confidence_interval"):
        grad(lambda x: ours.pearsonr(x, OTHER).confidence_interval().low)(ONE)


def test_nan_is_handed_on():
    value, pullback = vjp(lambda x: ours.trim_mean(holed(x), 0.2), ONE)
    assert np.isnan(value)
    assert np.isnan(scipys.trim_mean(holed(ONE), 0.2))
    assert np.isnan(pullback(1.0)[0]).any()


def by_scipys_names(x):
    return (
        scipys.linregress(x, OTHER).slope
        + scipys.pearsonr(x, OTHER)[0]
        + scipys.trim_mean(x, 0.2)
        + scipys.gaussian_kde(x)(0.3)[0]
        + scipys.normaltest(x).statistic
        + scipys.expectile(x, 0.9)
    )


def test_in_the_scope():
    expected = quotients(by_scipys_names, ONE)
    with seen_through(__name__):
        np.testing.assert_allclose(grad(by_scipys_names)(ONE), expected, rtol=1e-6)


def test_levels_and_integrals_that_are_refused():
    for module in (ours, scipys):
        with pytest.raises(ValueError, match="alpha"):
            grad(lambda x, module=module: module.expectile(x, 1.5))(ONE)
    with pytest.raises(OptionError, match="logpdf"):
        grad(lambda s: ours.gaussian_kde(s).integrate_box_1d(0.0, 1.0))(ONE)


# --- Codes ---

RNG = np.random.default_rng(3)
POINTS, CODES = RNG.normal(size=(6, 3)), RNG.normal(size=(2, 3))


def test_the_numbers_of_codes_and_columns_that_are_constant():
    codes = value_and_grad(
        lambda x: (own_vq.vq(x, CODES)[1].sum(), own_vq.vq(x, CODES)[0]), has_aux=True
    )
    np.testing.assert_array_equal(codes(POINTS)[0][1], vq.vq(POINTS, CODES)[0])
    same = np.array([[1.0, 2.0], [1.0, 4.0]])
    with pytest.warns(RuntimeWarning, match="standard deviation zero"):
        found = grad(lambda x: own_vq.whiten(x)[0, 0])(same)
    np.testing.assert_array_equal(found, [[1.0, 0.0], [0.0, 0.0]])


def test_what_scipy_refuses_is_refused():
    with pytest.raises(ValueError, match="same number of features"):
        grad(lambda x: np.sum(own_vq.vq(x, CODES[:, :2])[1]))(POINTS)
