"""Public names of `cupyx.scipy` lead to the rules of SciPy's functions."""

import importlib

import cupyx.scipy
import cupyx.scipy.fft
import cupyx.scipy.ndimage
import cupyx.scipy.special
import numpy as np
import pytest
import scipy.fft
import scipy.ndimage
import scipy.signal
import scipy.special

from chainrules_cupy import scipy_functions
from chainrules_cupy.library import implementation
from chainrules_cupy.scipy_functions import NOT_SHARED
from chainrules_py import NoRuleError, default_rules, rrule
from processes import printed
from stand_ins.cupyx_names import names_of


@pytest.mark.parametrize("path", NOT_SHARED)
def test_what_is_not_shared_has_a_rule_and_the_name_of_another_function(path):
    module, _, name = path.rpartition(".")
    assert name in names_of(module)
    assert getattr(importlib.import_module(f"scipy.{module}"), name) in default_rules


def test_functions_that_need_no_device_are_known_and_found():
    for module, name in (
        *(("ndimage", "gaussian_filter"), ("special", "expit"), ("special", "gammaln")),
        ("fft", "dct"),
    ):
        other, primal = (getattr(getattr(m, module), name) for m in (cupyx.scipy, scipy))
        assert default_rules.canonical(other, (1.0,), {})[0] is primal
        assert implementation(primal) is other
    assert implementation(np.sin) is None
    assert implementation(len) is None


FIRST = """
import sys
import cupyx.scipy.special, scipy.special
from chainrules_py import default_rules
assert default_rules.canonical(cupyx.scipy.special.expit, (1.0,), {})[0] is scipy.special.expit
assert not {"cupyx.scipy.signal", "cupyx.scipy.linalg", "scipy.signal", "scipy.ndimage"} & sys.modules.keys()
"""


def test_the_first_function_loads_the_names_of_its_own_module():
    printed(FIRST)


def test_what_cupy_has_as_numpy_has_it_stays_numpys():
    assert default_rules.canonical(cupyx.scipy.special.round, (1.0,), {})[0] is np.round
    assert default_rules.canonical(cupyx.scipy.fft.fftfreq, (3,), {})[0] is np.fft.fftfreq


def test_what_is_not_shared_has_no_rule():
    with pytest.raises(NoRuleError):
        rrule(cupyx.scipy.ndimage.rotate, np.ones((2, 2)), 30.0)


@pytest.mark.parametrize(("b", "a"), [(2, 3), (4, 2), (3, 1), (1, 3)])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("dtype", [np.float32, complex])
def test_states_of_filters_are_scipys(monkeypatch, b, a, count, dtype):
    monkeypatch.setattr(scipy_functions, "cupy", np)
    random, unit = np.random.default_rng(0), 1 + 0.5j if dtype is complex else 1
    b, a, x, zi = (
        (random.normal(size=n) * unit).astype(dtype) for n in (b, a, (count, 2), (max(a, b) - 1, 2))
    )
    filtered = scipy_functions.with_states(
        lambda b, a, x, axis=-1: scipy.signal.lfilter(b, a, x, axis)
    )
    for got, wanted in zip(
        filtered(b, a, x, 0, zi), scipy.signal.lfilter(b, a, x, 0, zi), strict=True
    ):
        assert got.shape == wanted.shape
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
    assert np.array_equal(filtered(b, a, x, 0), scipy.signal.lfilter(b, a, x, 0))


def test_derivatives_of_spherical_bessel_functions_are_made_of_the_neighbouring_orders():
    def without_derivatives(n, z):
        return scipy.special.spherical_yn(n, z)

    function = scipy_functions.with_low_orders(without_derivatives)
    n, z = np.arange(4)[:, None], np.array([0.3, 0.6, 2.2])
    assert np.array_equal(function(n, z), scipy.special.spherical_yn(n, z))
    np.testing.assert_allclose(
        function(n, z, True), scipy.special.spherical_yn(n, z, True), rtol=1e-13
    )
    assert np.isclose(function(0, 0.6, derivative=True), scipy.special.spherical_yn(0, 0.6, True))
