"""Filters designed from traced frequencies, against differences of SciPy's."""

import numpy as np
import pytest
from scipy import signal as scipys

from chainrules_py import OptionError
from chainrules_tape import grad, hessian, jacobian, vmap
from chainrules_tape.scipy import signal

DESIGNS = {
    "butter": ((3,), {}),
    "cheby1": ((4, 1.0), {}),
    "cheby2": ((3, 30.0), {}),
    "ellip": ((4, 1.0, 40.0), {}),
    "bessel": ((3,), {"norm": "mag"}),
    "iirfilter": ((2,), {"ftype": "butter"}),
}
BANDS = {
    "lowpass": np.array([0.3]),
    "high": np.array([0.4]),
    "bandpass": np.array([0.2, 0.45]),
    "bandstop": np.array([0.25, 0.4]),
}


@pytest.mark.parametrize("output", ["ba", "zpk", "sos"])
@pytest.mark.parametrize("band", BANDS)
@pytest.mark.parametrize("name", DESIGNS)
def test_designs_by_their_frequencies(name, band, output):
    at, (arguments, options) = BANDS[band], DESIGNS[name]

    def found(module, w, analog):
        frequencies = w if w.shape[0] > 1 else w[0]
        given = {"btype": band, "analog": analog, "output": output, **options}
        parts = getattr(module, name)(*arguments, Wn=frequencies, **given)
        parts = parts if isinstance(parts, tuple) else (parts,)
        flat = np.concatenate([np.reshape(part, -1) + 0j for part in parts])
        return np.concatenate([np.real(flat), np.imag(flat)])

    for analog in (False, True):
        steps = 1e-6 * np.eye(at.size)
        expected = np.stack(
            [(found(scipys, at + s, analog) - found(scipys, at - s, analog)) / 2e-6 for s in steps],
            axis=-1,
        )
        for mode in ("reverse", "forward"):
            slopes = jacobian(lambda w, a=analog: found(signal, w, a), mode=mode)(at)
            scale = 1 + np.max(np.abs(expected))
            np.testing.assert_allclose(slopes / scale, expected / scale, atol=1e-7)


def heard(module, p):
    sections = module.butter(3, [p[0], 2.0 * p[0]], "band", output="sos", fs=p[1])
    return np.sum(module.sosfilt(sections, np.sin(np.arange(30.0))) ** 2)


def test_a_filter_by_the_sampling_rate_to_second_order():
    at = np.array([3.0, 20.0])
    steps = 1e-4 * np.eye(2)
    quotients = [(heard(scipys, at + s) - heard(scipys, at - s)) / 2e-4 for s in steps]
    found = grad(lambda p: heard(signal, p))
    np.testing.assert_allclose(found(at), quotients, rtol=1e-6)
    second = [(found(at + s) - found(at - s)) / 2e-4 for s in steps]
    np.testing.assert_allclose(hessian(lambda p: heard(signal, p))(at), second, rtol=1e-5)


def test_many_filters_are_scipys():
    found = vmap(lambda w: signal.butter(2, w)[0])(np.array([0.2, 0.3]))
    np.testing.assert_array_equal(found, [scipys.butter(2, w)[0] for w in (0.2, 0.3)])


def test_what_a_prototype_depends_on_is_refused():
    with pytest.raises(OptionError, match="rp"):
        grad(lambda ripple: signal.cheby1(3, ripple, 0.3)[0][0])(1.0)
