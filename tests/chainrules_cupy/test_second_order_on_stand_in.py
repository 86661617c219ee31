"""Second derivatives of every sample on the stand-in for CuPy: NumPy's numbers, arrays of the device, nothing that waits.

The rules run on traced values there, of which nobody can tell the library, and the constants that they make have to find it.
"""

import warnings

import numpy as np
import pytest
from device_runs import calls, is_refused, leaves
from stand_in import DeviceArray, ledger
from test_stand_in import STAND_IN
from what_waits import PRIMALS, unexpected

from chainrules_py import Array, frule, primitive, rrule
from chainrules_py.identity import qualified_name

tape = pytest.importorskip("chainrules_tape")
interceptable = pytest.importorskip("chainrules_tape.numpy").interceptable


def size_of(y):
    """A number that depends on every entry of a result."""
    entries = [leaf for leaf in leaves(y) if getattr(getattr(leaf, "dtype", None), "kind", "") in ("f", "c")]
    return sum((np.sum(np.abs(leaf) ** 3) for leaf in entries), 0.0)


def beside(loss):
    """The gradient of <grad, x>: the gradient has to go with the other arrays of its library."""
    return tape.grad(lambda x: np.sum(tape.grad(loss)(x) * x))


TRANSFORMS = {
    "grad beside x": beside,
    "hvp": lambda loss: lambda x: tape.hvp(loss, x, x),
    "jvp of jvp": lambda loss: lambda x: tape.jvp(lambda x: tape.jvp(loss, (x,), (x,))[1], (x,), (x,))[1],
}


def in_argument(primal, args, options, position):
    if primal.__module__.startswith("numpy.polynomial"):  # which NumPy does not let anybody intercept
        primal = interceptable(primal)
    return lambda x: size_of(primal(*args[:position], x, *args[position + 1 :], **options))


def active(args):
    return [k for k, arg in enumerate(args) if isinstance(arg, DeviceArray) and arg.dtype.kind == "f"]


def on_numpy(differentiated, x):
    """NumPy's answer; None for what has no second derivative there either."""
    try:
        return differentiated(x)
    except Exception:
        return None


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("primal", PRIMALS, ids=qualified_name)
def test_second_derivatives_of_samples(primal, transform):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample, args, options in calls(STAND_IN, primal, "float64"):
            if is_refused(STAND_IN, primal, args, options):
                continue
            for k in active(args):
                wanted = on_numpy(TRANSFORMS[transform](in_argument(primal, sample.args, sample.options, k)), sample.args[k])
                if wanted is not None:
                    ledger.clear()
                    found = TRANSFORMS[transform](in_argument(primal, args, options, k))(args[k])
                    assert not unexpected(primal, "second order", ledger), sample.name
                    compare(found, wanted)


def compare(found, wanted):
    if isinstance(wanted, np.ndarray) and wanted.ndim:
        assert isinstance(found, DeviceArray)
    np.testing.assert_allclose(STAND_IN.fetch(found), wanted, rtol=1e-7, atol=1e-7)


# Constants of a rule in an index

X = np.random.default_rng(0).normal(size=(3, 4))
INDICES = {
    "alone": lambda xp: xp.arange(2),
    "in a tuple": lambda xp: (slice(None), xp.arange(3)),
    "two": lambda xp: (xp.arange(3), xp.arange(3)),
    "computed": lambda xp: (..., xp.arange(4)[::-1] + 0),
    "of a function": lambda xp: (slice(None), xp.flip(xp.arange(4))),
}


def squares_at(index_of):
    """A function whose rules read at a constant index."""

    @primitive
    def squares(x):
        return x

    @rrule.register(squares)
    def squares_rrule(x: Array, *, xp):
        index = index_of(xp)
        shape, dtype = x.shape, x.dtype

        def squares_pullback(y_bar):
            x_bar = xp.zeros(shape, dtype)
            xp.add.at(x_bar, index, 2 * x[index] * y_bar)
            return (x_bar,)

        return x[index] ** 2, squares_pullback

    @frule.register(squares)
    def squares_frule(dots, x: Array, *, xp):
        index = index_of(xp)
        return x[index] ** 2, 2 * x[index] * dots[0][index]

    return squares


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", INDICES)
def test_constants_in_an_index_are_made_on_the_device(name, transform):
    squares = squares_at(INDICES[name])
    differentiated = TRANSFORMS[transform](lambda x: np.sum(squares(x) ** 2))
    ledger.clear()
    found = differentiated(DeviceArray(X.copy()))
    assert not ledger
    expected = np.zeros_like(X)
    expected[INDICES[name](np)] = X[INDICES[name](np)]
    factor = {"grad beside x": 16 * expected**3, "hvp": 12 * expected**3, "jvp of jvp": 16 * np.sum(expected**4)}
    np.testing.assert_allclose(found.host, factor[transform], rtol=1e-12)


# Constants that a rule returns

SHAPES = {"zeros": (0, 2), "no columns": (2, 0)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_constant_cotangent_is_the_devices(shape):
    x = DeviceArray(np.zeros(shape))
    inner = tape.grad(lambda x: np.sum(np.resize(x, (3,)) ** 2))
    seen = []

    def outer(x):
        seen.append(inner(x))
        return np.sum(seen[0] * x)

    assert isinstance(tape.grad(outer)(x), DeviceArray)
    assert isinstance(seen[0], DeviceArray)
