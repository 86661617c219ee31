"""The `convolve` of programs for autograd, against autograd's own and differences."""

import numpy as np
import pytest

from chainrules_tape import autograd
from chainrules_tape.autograd.scipy import signal

theirs = pytest.importorskip("autograd.scipy.signal", reason="autograd is not installed")

# shapes of two arrays, axes, and axes over which products are summed
CASES = {
    "all axes": ((4, 3), (3, 2), None, ((), ())),
    "one axis of each": ((3, 5), (3, 4), ([1], [0]), ((), ())),
    "no axis but summed ones": ((3, 5), (3, 4), ([], []), ([0], [0])),
    "a summed axis": ((3, 5), (3, 4, 2), ([1], [2]), ([0], [0])),
    "two of each": ((2, 5, 4, 3), (2, 4, 2, 3, 2), ([1, 2], [2, 4]), ([0, 3], [0, 3])),
    "axes in another order": ((4, 3), (3, 2), ([1, 0], [1, 0]), ((), ())),
    "the longer one second": ((2, 3), (3, 5), ([0], [1]), ((), ())),
    "the longer one second, all axes": ((2, 2), (3, 4), ([0, 1], [0, 1]), ((), ())),
}


@pytest.mark.parametrize("mode", signal.MODES)
@pytest.mark.parametrize("case", CASES)
def test_convolution_along_some_axes(case, mode):
    shape, other, axes, dot_axes = CASES[case]
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=shape), rng.normal(size=other)
    options = {"axes": axes, "dot_axes": dot_axes, "mode": mode}
    expected = theirs.convolve(a, b, **options)
    found = signal.convolve(a, b, **options)
    assert found.shape == expected.shape
    assert np.allclose(found, expected, rtol=1e-12)
    autograd.test_util.check_grads(lambda a, b: signal.convolve(a, b, **options), (0, 1), order=1)(
        a, b
    )


def test_second_derivatives():
    a, b = np.random.default_rng(1).normal(size=(2, 3, 3))
    autograd.test_util.check_grads(lambda a, b: signal.convolve(a, b, ([0], [1])), (0, 1))(a, b)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "circular"}, "'full', 'valid', 'same'"),
        ({"axes": ([0], [0, 1])}, "pairs"),
        ({"axes": ([0, 1], [0, 1]), "dot_axes": ([0], [])}, "pairs"),
        ({"axes": ([0, 1], [1, 0]), "mode": "valid"}, "the longer one"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        signal.convolve(np.ones((2, 3)), np.ones((2, 3)), **options)


def test_all_other_names_are_those_of_our_scipy():
    assert autograd.scipy.signal is signal
    assert np.allclose(signal.fftconvolve(np.ones(2), np.ones(2)), [1, 2, 1])
    assert autograd.scipy.special.expit(0.0) == 0.5
    assert {"stats", "signal"} <= set(dir(autograd.scipy))
    assert {"convolve", "lfilter"} <= set(dir(signal))
