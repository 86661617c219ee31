"""Statistics of traced samples: results as they are unpacked, and what is refused; derivatives are cells
of `product.sampling`.
"""

import numpy as np
import pytest
from scipy import stats as scipys
from scipy.cluster import vq

from chainrules_py.errors import OptionError
from chainrules_tape import checkpoint, grad, hessian, seen_through, value_and_grad, vmap
from chainrules_tape.scipy import stats as ours
from chainrules_tape.scipy.cluster import vq as own_vq
from product.sampling import ONE, OTHER, holed
from slopes import quotients


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
    with pytest.raises(ValueError, match="nan"):
        grad(lambda x: ours.skew(holed(x), nan_policy="raise"))(ONE)


def results(x):
    pearson = ours.pearsonr(x, OTHER)
    return pearson, pearson.confidence_interval(), ours.linregress(x, OTHER)


def read(found):
    pearson, interval, line = found
    return pearson.statistic * interval.low + line.slope * line.intercept_stderr


@pytest.mark.parametrize(
    "f",
    [
        lambda x: read(results(x)),
        lambda x: read(checkpoint(results)(x)),
        lambda x: vmap(lambda row: read(results(row)))(x[None])[0],
    ],
)
def test_attributes_of_results(f):
    expected = quotients(lambda x: read(results(x)), ONE)
    np.testing.assert_allclose(grad(f)(ONE), expected, rtol=1e-6)


def by_scipys_names(x):
    return (
        scipys.linregress(x, OTHER).slope
        + scipys.pearsonr(x, OTHER)[0]
        + scipys.gaussian_kde(x)(0.3)[0]
    )


def of_scipys_programs(x):
    return (
        scipys.trim_mean(x, 0.2)
        + scipys.normaltest(x).statistic
        + scipys.ttest_ind(x, OTHER[:7], equal_var=False).pvalue
    )


@pytest.mark.parametrize("f", [by_scipys_names, of_scipys_programs])
def test_in_the_scope(f):
    expected = quotients(f, ONE)
    with seen_through(__name__, "scipy"):
        np.testing.assert_allclose(grad(f)(ONE), expected, rtol=1e-6)


def test_integrals_that_are_refused():
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
