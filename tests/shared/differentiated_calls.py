"""A plugin of pytest for the tests of array-api-extra: the calls of its functions in them are differentiated.

Each call with arrays of double precision is made again with traced ones. The value has to be the one
that the test got, the derivative in forward mode that of central differences, and the pullback its
adjoint. At the end stands how many calls there were, by function.
"""

from collections import Counter
from functools import wraps
from inspect import signature

import array_api_extra as xpx
import numpy as np
from array_api_compat import array_namespace

from chainrules_tape import jvp, vjp

STEP = 1e-6
# Choices of entries, where differences are none; and functions with a kink or a step at zero.
ROUGH = {"setdiff1d", "lazy_apply", "partition", "argpartition"}
KINKED = {"angle", "apply_where"}
counts = Counter()


def is_float(x):
    return hasattr(x, "shape") and "float64" in str(getattr(x, "dtype", ""))


def numbers(x):
    is_numpys = isinstance(x, np.ndarray | np.generic) or not hasattr(x, "__dlpack__")
    return np.asarray(x) if is_numpys else np.from_dlpack(x)


def arrays_in(value):
    """The arrays in arguments, or in a result, that are differentiated."""
    if isinstance(value, tuple | list):
        return [x for part in value for x in arrays_in(part)]
    return [value] if is_float(value) else []


def with_arrays(value, arrays):
    """Arguments with other arrays, which are taken from an iterator."""
    if type(value) in (tuple, list):
        return type(value)(with_arrays(part, arrays) for part in value)
    return next(arrays) if is_float(value) else value


def differentiated(name, function):
    """The function, whose calls are differentiated as well."""

    @wraps(function)
    def call(*args, **options):
        y = function(*args, **options)
        arrays = (*arrays_in(args), *arrays_in(y))
        if arrays_in(args) and all(is_smooth(x, name in KINKED) for x in arrays):
            require_derivatives(name, function, args, options, y)
        return y

    call.__signature__ = signature(function)
    return call


def is_smooth(x, is_kinked):
    """Whether numbers are such that a small step changes nothing but them."""
    plain = np.abs(numbers(x))
    least = 1e-2 if is_kinked else 0.0
    return plain.size > 0 and bool(np.all((plain >= least) & (plain < 1e4)))


def require_derivatives(name, function, args, options, y):
    options = {key: value for key, value in options.items() if key != "xp"}

    def f(*arrays):
        return tuple(arrays_in(function(*with_arrays(args, iter(arrays)), **options)))

    xs = arrays_in(args)
    xp, rng = array_namespace(*xs), np.random.default_rng(0)
    directions = [xp.asarray(rng.normal(size=x.shape)) for x in xs]
    values, slopes = jvp(f, tuple(xs), tuple(directions))
    counts[name] += 1
    for value, expected in zip(values, arrays_in(y), strict=True):
        np.testing.assert_allclose(numbers(value), numbers(expected), rtol=1e-12)
    if name in ROUGH or not values:
        return
    ahead, behind = (
        f(*(x + sign * STEP * d for x, d in zip(xs, directions, strict=True))) for sign in (1, -1)
    )
    expected = [
        (numbers(up) - numbers(down)) / (2 * STEP) for up, down in zip(ahead, behind, strict=True)
    ]
    for slope, wanted in zip(slopes, expected, strict=True):
        np.testing.assert_allclose(numbers(slope), wanted, rtol=1e-5, atol=1e-6)

    weights = [rng.normal(size=wanted.shape) for wanted in expected]
    _, pull = vjp(f, *xs)
    bars = pull(tuple(map(xp.asarray, weights)))
    products = [np.sum(numbers(b) * numbers(d)) for b, d in zip(bars, directions, strict=True)]
    wanted = sum(np.sum(w * slope) for w, slope in zip(weights, expected, strict=True))
    np.testing.assert_allclose(sum(products), wanted, rtol=1e-5, atol=1e-6)


def pytest_collection_modifyitems(items):
    for module in {item.module for item in items}:
        for name in set(xpx.__all__) & vars(module).keys():
            function = getattr(module, name)
            if callable(function) and not isinstance(function, type):
                setattr(module, name, differentiated(name, function))


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"differentiated: {dict(sorted(counts.items()))}")
