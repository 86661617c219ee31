"""Samples of rules on arrays of a device, a real one or its stand-in, against the same samples on
NumPy's arrays.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py import Array, Tangent, frule, is_zero, rrule, unthunk
from chainrules_py.tangents.structural import entries, with_entries
from chainrules_py.testing.inner_products import inner
from chainrules_py.testing.random_tangents import rand_tangent, seeded
from chainrules_py.testing.samples import load_shipped, samples_of
from chainrules_py.values.arrays import library_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, rebuild

# of what a library does not have
# CuPy asserts that a matrix whose rows it exchanges has some
REFUSALS = (
    *(TypeError, ValueError, AttributeError, IndexError, NotImplementedError, AssertionError),
)


@dataclass(frozen=True)
class Device:
    """Its array class, how NumPy's arrays come and go, and who watches a phase of a rule
    (``watching(primal, phase)``).
    """

    array: type
    make: Callable[[Any], Any]
    read: Callable[[Any], Any]
    watching: Callable[[Any, str], Any]

    def put(self, value):
        """A value with its arrays of numbers on the device."""
        return moved(
            value,
            lambda x: self.make(x) if isinstance(x, np.ndarray) and x.dtype.kind in "biufc" else x,
        )

    def put_bar(self, y_bar, y):
        """A cotangent of `y` as it comes from a device: numbers are arrays there, and parts of
        CuPy's results have no names.
        """
        if isinstance(y_bar, Tangent) and type(y) is tuple:
            y_bar = with_entries(tuple, parts_of(y_bar))
        return self.put(with_arrays(y_bar))

    def fetch(self, value):
        """A value with its arrays on the host."""
        return moved(unthunk(value), lambda x: self.read(x) if isinstance(x, self.array) else x)


def moved(value, change):
    """A value with every array in it changed."""
    if isinstance(value, Array):
        return change(value)
    if isinstance(value, Tangent):
        return with_entries(
            value.primal_type,
            {key: moved(unthunk(part), change) for key, part in entries(value).items()},
        )
    if is_container(value):
        return rebuild(value, {key: moved(part, change) for key, part in fields(value).items()})
    return value


def with_arrays(y_bar):
    """A cotangent with arrays for its numbers."""
    if isinstance(y_bar, Tangent):
        return with_entries(
            y_bar.primal_type,
            {key: with_arrays(unthunk(part)) for key, part in entries(y_bar).items()},
        )
    return np.asarray(y_bar) if isinstance(y_bar, np.generic | float | complex) else y_bar


def leaves(value):
    """The values in a value and its containers."""
    return (
        [leaf for part in fields(value).values() for leaf in leaves(part)]
        if is_container(value)
        else [value]
    )


def calls(device, primal, *dtypes):
    """The samples that NumPy differentiates and of which some array goes to the device: each with
    its arguments there.
    """
    load_shipped()
    for dtype in dtypes:
        for sample in samples_of(primal, dtype):
            args = tuple(map(device.put, sample.args))
            if sample.error is None and any(
                isinstance(leaf, device.array) for arg in args for leaf in leaves(arg)
            ):
                yield (
                    sample,
                    args,
                    {key: device.put(value) for key, value in sample.options.items()},
                )


def own_value(device, primal, args, options):
    """What the library, with our completions, computes by itself; None where it lacks the function,
    the option, the case.
    """
    try:
        with np.errstate(all="ignore"):
            return library_of(device.array).implementation(primal)(*args, **options)
    except REFUSALS:
        return None


def is_refused(device, primal, args, options):
    """Whether CuPy may refuse a call that NumPy takes.

    Of `numpy.polynomial` it has next to nothing: the rules have it all.
    """
    return (
        not qualified_name(primal).startswith("numpy.polynomial.")
        and own_value(device, primal, args, options) is None
    )


def check_reverse(device, primal, sample, args, options, tolerance):
    """The value and the cotangents are NumPy's, and each phase is watched."""
    y, pullback = rrule(primal, *sample.args, **sample.options)
    y_bar = rand_tangent(seeded("bar"), y)
    with device.watching(primal, "value"):
        y_device, pullback_device = rrule(primal, *args, **options)
    compare(device, y_device, y, tolerance, like=own_value(device, primal, args, options))
    if not is_zero(y_bar) and same_field(y_device, y):
        y_bar_device = device.put_bar(y_bar, y_device)
        with device.watching(primal, "cotangents"):
            bars = tuple(map(unthunk, pullback_device(y_bar_device)))
        for got, wanted in zip(bars, pullback(y_bar), strict=True):
            compare(device, got, wanted, tolerance)


def check_forward(device, primal, sample, args, options, tolerance):
    """The tangent is NumPy's."""
    dots = dots_of(sample)
    y, y_dot = frule(dots, primal, *sample.args, **sample.options)
    dots_device = tuple(map(device.put, dots))
    with device.watching(primal, "tangent"):
        y_device, y_dot_device = frule(dots_device, primal, *args, **options)
    compare(device, y_dot_device, y_dot, tolerance, like=y_device)


def check_adjoint(device, primal, sample, args, options, tolerance):
    """<y_bar, y_dot> is <x_bar, x_dot>, whichever of several answers the device gave: the same one
    in both modes.
    """
    dots = dots_of(sample)
    y_bar = rand_tangent(seeded("bar"), device.fetch(rrule(primal, *args, **options)[0]))
    with device.watching(primal, "value"):
        y, pullback = rrule(primal, *args, **options)
    if is_zero(y_bar):
        return
    y_bar_device, dots_device = device.put_bar(y_bar, y), tuple(map(device.put, dots))
    with device.watching(primal, "cotangents"):
        bars = tuple(map(unthunk, pullback(y_bar_device)))
    with device.watching(primal, "tangent"):
        _, y_dot = frule(dots_device, primal, *args, **options)
    pairs = [(device.fetch(bar), dot) for bar, dot in zip(bars, dots, strict=True)]
    forward, backward = (
        inner(y_bar, device.fetch(y_dot)),
        sum(inner(bar, dot) for bar, dot in pairs),
    )
    np.testing.assert_allclose(forward, backward, rtol=10 * tolerance, atol=10 * tolerance)


def dots_of(sample):
    """Tangents for the arguments of a sample."""
    return tuple(rand_tangent(seeded("dot"), arg) for arg in sample.args)


def compare(device, got, wanted, tolerance, like=None):
    """Hold what a rule made on a device against NumPy's; its dtype is that of `like`, or NumPy's,
    which bodies give.
    """
    got, wanted = unthunk(got), unthunk(wanted)
    if is_zero(wanted):
        return
    if isinstance(wanted, Tangent) or is_container(wanted):
        parts, given, likes = (parts_of(value) for value in (wanted, got, like))
        for key, part in parts.items():
            compare(device, given[key], part, tolerance, likes.get(key))
    elif isinstance(wanted, np.ndarray | np.generic):
        assert isinstance(got, device.array) or (
            like is not None and not isinstance(like, device.array)
        )
        assert got.dtype in (getattr(like, "dtype", wanted.dtype), wanted.dtype)
        np.testing.assert_allclose(device.read(got), wanted, rtol=tolerance, atol=tolerance)


def same_field(got, wanted):
    """Whether the same parts are real, complex and integers: the variance of complex numbers is
    real in CuPy, whatever dtype is asked for, and an empty part of `ix_` has positions.
    """
    one, other = ([field_of(leaf) for leaf in leaves(value)] for value in (got, wanted))
    return one == other


def field_of(value):
    """Of which numbers an array is."""
    return {"f": "real", "c": "complex"}.get(
        getattr(getattr(value, "dtype", None), "kind", ""), "none"
    )


def parts_of(value):
    """The parts of a container or a structural tangent; nothing of anything else.

    CuPy has no names for those of a tuple.
    """
    found = (
        entries(value)
        if isinstance(value, Tangent)
        else fields(value)
        if is_container(value)
        else {}
    )
    names = getattr(getattr(value, "primal_type", type(value)), "_fields", ())
    return {names.index(key) if key in names else key: part for key, part in found.items()}
