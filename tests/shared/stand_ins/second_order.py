"""Second derivatives in three orders of the modes, and the functions of one argument that the
samples are for them.

The stand-in and CuPy are asked for the same derivatives, and NumPy says what they have to be.
"""

from functools import partial

import numpy as np

import chainrules_tape as tape
from chainrules_py.testing.samples import Tag
from chainrules_py.values.identity import home_module
from chainrules_tape.numpy import interceptable
from stand_ins.device_runs import leaves


def size_of(y):
    """A number that depends on every entry of a result."""
    entries = [
        leaf
        for leaf in leaves(y)
        if getattr(getattr(leaf, "dtype", None), "kind", "") in ("f", "c")
    ]
    return sum((np.sum(np.abs(leaf) ** 3) for leaf in entries), 0.0)


def beside(loss):
    """The gradient of <grad, x>: the gradient has to go with the other arrays of its library."""
    return tape.grad(lambda x: np.sum(tape.grad(loss)(x) * x))


SECOND_DERIVATIVES = {
    "grad beside x": beside,
    "hvp": lambda loss: lambda x: tape.hvp(loss, x, x),
    "jvp of jvp": lambda loss: (
        lambda x: tape.jvp(lambda x: tape.jvp(loss, (x,), (x,))[1], (x,), (x,))[1]
    ),
}


def in_argument(primal, args, options, position):
    """The size of a sample's result, as a function of one of its arguments."""
    # which NumPy does not let anybody intercept
    if home_module(primal).startswith("numpy.polynomial"):
        primal = interceptable(primal)
    return lambda x: size_of(primal(*args[:position], x, *args[position + 1 :], **options))


def on_numpy(differentiated, x):
    """NumPy's answer; None for what has no second derivative there either."""
    try:
        return differentiated(x)
    except Exception:
        return None


def second_derivatives(device, transform, primal, call):
    """By each array of a sample: what differentiates on the device, NumPy's answer where there is one,
    and the array.
    """
    sample, args, options = call
    differentiated = SECOND_DERIVATIVES[transform]
    for k, arg in enumerate(args):
        if isinstance(arg, device.array) and arg.dtype.kind == "f":
            by_host = differentiated(in_argument(primal, sample.args, sample.options, k))
            wanted = on_numpy(by_host, sample.args[k])
            if wanted is not None:
                own = differentiated(in_argument(primal, args, options, k))
                yield partial(own, arg), wanted, sample.args[k]


def compare_with_numpy(device, found, wanted, sample, direction):
    """Hold a second derivative along a direction on a device to NumPy's; arrays stay arrays of the
    device.
    """
    if isinstance(wanted, np.ndarray) and wanted.ndim:
        assert isinstance(found, device.array)
    fetched = device.fetch(found)
    # At the edge of a domain and along an infinite direction, zero meets infinity: zero on NumPy
    # alone (docs/maths.md).
    if Tag.DOMAIN in sample.tags or np.any(np.isinf(direction)):
        wanted = np.where(np.isnan(fetched), fetched, wanted)
    # Lengths of zero are not looked for on a device, to which what nobody knows is zero.
    if Tag.KINK in sample.tags:
        wanted = np.where(np.isnan(wanted), fetched, wanted)
    np.testing.assert_allclose(fetched, wanted, rtol=1e-7, atol=1e-7)
