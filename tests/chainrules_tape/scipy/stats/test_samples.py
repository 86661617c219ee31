"""Correlations, regressions and t-tests of traced samples: SciPy's results, and finite differences
of them.
"""

import numpy as np
import pytest
from scipy import stats as scipys

from chainrules_py.errors import OptionError
from chainrules_tape import grad, hessian, jacobian, seen_through, vjp, vmap
from chainrules_tape.scipy import stats as ours
from slopes import quotients

RNG = np.random.default_rng(3)
ONE, OTHER = RNG.normal(size=9), RNG.normal(size=9) + 0.4
ROWS, MORE = RNG.normal(size=(3, 7)), RNG.normal(size=(3, 7)) + 0.3

# Each with the attributes of its result that are compared; a number has none.
CALLS = {
    "linregress": (
        lambda m, a, b: m.linregress(a, b),
        "slope intercept rvalue pvalue stderr intercept_stderr",
        (ONE, OTHER),
    ),
    "linregress, greater": (
        lambda m, a, b: m.linregress(a, b, alternative="greater"),
        "pvalue",
        (ONE, OTHER),
    ),
    "linregress of two points": (
        lambda m, a, b: m.linregress(a, b),
        "slope intercept",
        (ONE[:2], OTHER[:2]),
    ),
    "pearsonr": (lambda m, a, b: m.pearsonr(a, b), "statistic pvalue", (ONE, OTHER)),
    "pearsonr, less": (
        lambda m, a, b: m.pearsonr(a, b, alternative="less"),
        "statistic pvalue",
        (ONE, OTHER),
    ),
    "pearsonr of rows": (
        lambda m, a, b: m.pearsonr(a, b, axis=1),
        "statistic pvalue",
        (ROWS, MORE),
    ),
    "pearsonr of rows and one row": (
        lambda m, a, b: m.pearsonr(a, b, axis=1),
        "statistic pvalue",
        (ROWS, MORE[0]),
    ),
    "pearsonr of matrices and one, by their columns": (
        lambda m, a, b: m.pearsonr(a, b, axis=1),
        "statistic pvalue",
        (RNG.normal(size=(2, 4, 3)), RNG.normal(size=(4, 1))),
    ),
    "ttest_rel of rows and one row": (
        lambda m, a, b: m.ttest_rel(a, b, axis=1),
        "statistic pvalue",
        (ROWS, MORE[0]),
    ),
    "ttest_ind of rows and one row": (
        lambda m, a, b: m.ttest_ind(a, b, axis=1),
        "statistic pvalue",
        (ROWS, MORE[0]),
    ),
    "ttest_ind": (lambda m, a, b: m.ttest_ind(a, b), "statistic pvalue df", (ONE, OTHER[:7])),
    "ttest_ind, Welch": (
        lambda m, a, b: m.ttest_ind(a, b, equal_var=False),
        "statistic pvalue df",
        (ONE, OTHER[:7]),
    ),
    "ttest_ind of rows": (
        lambda m, a, b: m.ttest_ind(a, b, axis=-1, alternative="less"),
        "statistic pvalue df",
        (ROWS, MORE),
    ),
    "ttest_ind of all": (
        lambda m, a, b: m.ttest_ind(a, b, axis=None),
        "statistic pvalue",
        (ROWS, MORE[:2]),
    ),
    "ttest_rel": (lambda m, a, b: m.ttest_rel(a, b), "statistic pvalue df", (ONE, OTHER)),
    "ttest_rel of rows": (
        lambda m, a, b: m.ttest_rel(a, b, 1, alternative="greater"),
        "statistic pvalue df",
        (ROWS, MORE),
    ),
    "ttest_1samp": (
        lambda m, a, b: m.ttest_1samp(a, b),
        "statistic pvalue df",
        (ONE, np.array(0.3)),
    ),
    "ttest_1samp of rows": (
        lambda m, a, b: m.ttest_1samp(a, b, axis=1),
        "statistic pvalue df",
        (ROWS, RNG.normal(size=(3, 1))),
    ),
    "trim_mean": (lambda m, a, b: m.trim_mean(a, 0.2) * b, "", (ONE, np.array(0.3))),
    "trim_mean of rows": (
        lambda m, a, b: m.trim_mean(a, 0.2, axis=1) * b,
        "",
        (ROWS, np.array(0.3)),
    ),
    "trim_mean of all": (
        lambda m, a, b: m.trim_mean(a, 0.1, axis=None) * b,
        "",
        (ROWS, np.array(0.3)),
    ),
    "ttest_ind without nan": (
        lambda m, a, b: m.ttest_ind(holed(a), holed(b, 4), nan_policy="omit"),
        "statistic pvalue df",
        (ONE, OTHER),
    ),
    "ttest_ind of all without nan": (
        lambda m, a, b: m.ttest_ind(holed(a), b, axis=None, nan_policy="omit", equal_var=False),
        "statistic pvalue df",
        (ROWS, MORE),
    ),
    "ttest_rel without nan": (
        lambda m, a, b: m.ttest_rel(holed(a), holed(b, 4), nan_policy="omit"),
        "statistic pvalue df",
        (ONE, OTHER),
    ),
    "ttest_1samp without nan": (
        lambda m, a, b: m.ttest_1samp(holed(a), b, nan_policy="omit"),
        "statistic pvalue df",
        (ONE, np.array(0.3)),
    ),
    "ttest_rel where there is no nan": (
        lambda m, a, b: m.ttest_rel(a, b, 1, nan_policy="raise"),
        "statistic pvalue",
        (ROWS, MORE),
    ),
    "ttest_ind of rows where there is no nan": (
        lambda m, a, b: m.ttest_ind(a, b, axis=1, nan_policy="omit"),
        "statistic pvalue",
        (ROWS, MORE),
    ),
    "linregress without nan": (
        lambda m, a, b: m.linregress(holed(a), holed(b, 4), nan_policy="omit"),
        "slope intercept rvalue pvalue stderr",
        (ONE, OTHER),
    ),
    "trim_mean without nan": (
        lambda m, a, b: m.trim_mean(holed(a), 0.2, nan_policy="omit") * b,
        "",
        (ONE, np.array(0.3)),
    ),
}


def holed(a, at=2):
    """An array in which an entry is no number."""
    return np.where(np.arange(a.size).reshape(a.shape) == at, np.nan, a)


def part(result, name):
    return getattr(result, name) if name else result


@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives(name):
    call, names, given = CALLS[name]
    for attribute in names.split() or [""]:
        for position in (0, 1):

            def at(module, x, attribute=attribute, position=position):
                args = [*given[:position], x, *given[position + 1 :]]
                return part(call(module, *args), attribute)

            x = given[position]
            found = vjp(lambda x, at=at: at(ours, x) + 0.0 * np.sum(x), x)[0]
            value = at(scipys, x)
            assert np.shape(found) == np.shape(value)
            np.testing.assert_allclose(found, value, rtol=1e-9, err_msg=attribute)
            slope = jacobian(lambda x, at=at: at(ours, x) + 0.0 * np.sum(x))(x)
            expected = quotients(lambda x, at=at: at(scipys, x), x).reshape(slope.shape)
            np.testing.assert_allclose(slope, expected, rtol=2e-5, atol=1e-7, err_msg=attribute)


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
        grad(lambda x: ours.ttest_ind(holed(x), MORE, nan_policy="omit").statistic[0])(ROWS)
    with pytest.raises(ValueError, match="nan"):
        grad(lambda x: ours.trim_mean(holed(x), 0.2, nan_policy="raise"))(ONE)
    with pytest.raises(OptionError, match="confidence_interval"):
        grad(lambda x: ours.pearsonr(x, OTHER).confidence_interval().low)(ONE)


def test_nan_is_handed_on():
    value, pullback = vjp(lambda x: ours.trim_mean(holed(x), 0.2), ONE)
    assert np.isnan(value)
    assert np.isnan(scipys.trim_mean(holed(ONE), 0.2))
    assert np.isnan(pullback(1.0)[0]).any()


def by_scipys_names(x):
    return (
        scipys.linregress(x, OTHER).slope + scipys.pearsonr(x, OTHER)[0] + scipys.trim_mean(x, 0.2)
    )


def test_in_the_scope():
    expected = quotients(by_scipys_names, ONE)
    with seen_through(__name__):
        np.testing.assert_allclose(grad(by_scipys_names)(ONE), expected, rtol=1e-6)
        assert by_scipys_names(ONE) == sum(
            (
                scipys.linregress(ONE, OTHER)[0],
                scipys.pearsonr(ONE, OTHER)[0],
                scipys.trim_mean(ONE, 0.2),
            )
        )


def test_many_trimmed_means_at_once():
    samples = np.random.default_rng(4).normal(size=(3, 10))
    expected = scipys.trim_mean(samples, 0.2, axis=1)
    trimmed = lambda x: ours.trim_mean(x, 0.2)  # noqa: E731
    np.testing.assert_allclose(vmap(trimmed)(samples), expected, rtol=1e-14)
    each = [grad(trimmed)(x) for x in samples]
    np.testing.assert_array_equal(vmap(grad(trimmed))(samples), each)
    samples[1, 3] = np.nan
    assert np.isnan(vmap(trimmed)(samples)).tolist() == [False, True, False]
