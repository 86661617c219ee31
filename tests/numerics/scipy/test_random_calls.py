"""Calls that a search by random options found to have wrong derivatives: both modes along a
direction, against differences.

The search drew calls of every function of SciPy's that has a rule, with options, axes, dtypes and
stacks that no sample has.
"""

from itertools import product

import numpy as np
import pytest
from scipy import fft, linalg, ndimage, signal

from chainrules_py import ZERO, frule, rrule

rng = np.random.default_rng(18)
IMAGE, COMPLEX = rng.normal(size=(6, 5)), rng.normal(size=(6, 5)) + 1j * rng.normal(size=(6, 5))
POINTS = rng.uniform(-4, 9, (2, 7))
UNFILTERED = {"prefilter": False, "cval": 0.7}
SIGNAL = rng.normal(size=(11, 2))
COEFFICIENTS = ([0.2, 0.5, 0.3], [1.0]), ([1.0, 0.5], [1.0, -0.3]), signal.butter(3, 0.2)
SYSTEMS = [signal.dlti(*each) for each in COEFFICIENTS]
ENDS = ("antisymmetric", "antireflect", "smooth", "line", "reflect", "wrap")

TRIANGLE = np.triu(rng.normal(size=(3, 3))) + 3 * np.eye(3)
TRANSPOSED = {"assume_a": "upper triangular", "transposed": True}
VALID = ((0, {"boundary": "wrap"}), (1, {"boundary": "symm"}), (1, {"fillvalue": 1.5}))


def cases():
    """Functions, arguments, by which of them, and options."""
    yield linalg.solve, (TRIANGLE, SIGNAL[:3]), 1, TRANSPOSED
    for position, options in VALID:
        yield (
            signal.convolve2d,
            (IMAGE[:2, :1], IMAGE[:3, :2]),
            position,
            {"mode": "valid", **options},
        )
    for mode, order, position in product(("nearest", "grid-constant"), (1, 2, 3, 5), (0, 1)):
        yield (
            ndimage.map_coordinates,
            (IMAGE, POINTS),
            position,
            {"mode": mode, "order": order, **UNFILTERED},
        )
    yield ndimage.shift, (IMAGE, np.array([0.4, -1.3])), 1, {"mode": "grid-constant", **UNFILTERED}
    yield ndimage.zoom, (COMPLEX, 2.0), 0, {"grid_mode": True, "mode": "mirror"}
    yield ndimage.maximum_filter, (IMAGE,), 0, {"size": 1, "origin": -1}
    for name, (norm, orthogonalize) in product(
        ("dct", "idst", "dctn", "idstn"), ((None, True), ("ortho", False))
    ):
        yield getattr(fft, name), (COMPLEX,), 0, {"orthogonalize": orthogonalize, "norm": norm}
    for name in ("fftn", "ihfftn", "rfft2"):
        x = IMAGE if name != "fftn" else COMPLEX
        yield getattr(fft, name), (x,), 0, {"axes": 1, "s": 4}
    yield signal.stft, (COMPLEX.ravel(),), 0, {"nperseg": 5, "detrend": "linear"}
    yield signal.deconvolve, (SIGNAL[:3, 0], SIGNAL[:5, 1]), 0, {}
    for end in ENDS:
        yield signal.resample_poly, (SIGNAL, 3, 2), 0, {"padtype": end}
    for system, zero_phase in product(SYSTEMS, (True, False)):
        yield (
            signal.decimate,
            (np.tile(SIGNAL, (5, 1)), 3),
            0,
            {"ftype": system, "axis": 0, "zero_phase": zero_phase},
        )


CASES = list(cases())


def numbers(y):
    """The outputs that have a derivative, in one vector."""
    parts = y if isinstance(y, tuple | list) else (y,)
    return [np.asarray(part) for part in parts if np.size(part)]


def weights_of(part):
    """Some numbers in the shape and dtype of an output."""
    angles = np.arange(part.size).reshape(part.shape)
    return np.exp(1j * angles) if part.dtype.kind == "c" else np.cos(angles)


def loss(y):
    return sum(np.real(np.sum(np.conj(weights_of(part)) * part)) for part in numbers(y))


def seed_of(y):
    return (
        tuple(seed_of(part) for part in y)
        if isinstance(y, tuple | list)
        else weights_of(np.asarray(y))
    )


@pytest.mark.filterwarnings("ignore:Input data is complex:UserWarning")
@pytest.mark.parametrize(
    ("function", "args", "position", "options"),
    CASES,
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_both_modes_agree_with_differences(function, args, position, options):
    x = args[position]
    direction = rng.normal(size=x.shape) * (np.exp(1j) if x.dtype.kind == "c" else 1)

    def at(step):
        return loss(
            function(*args[:position], x + step * direction, *args[position + 1 :], **options)
        )

    expected = (8 * (at(1e-4) - at(-1e-4)) - (at(2e-4) - at(-2e-4))) / 12e-4
    y, pullback = rrule(function, *args, **options)
    bar = pullback(seed_of(y))[position]
    assert np.isclose(np.real(np.sum(np.conj(bar) * direction)), expected, rtol=1e-6, atol=1e-7)
    dots = [direction if place == position else ZERO for place in range(len(args))]
    y_dot = frule(tuple(dots), function, *args, **options)[1]
    moved = (
        y_dot
        if not isinstance(y, tuple | list)
        else [dot for dot, part in zip(y_dot, y, strict=True) if np.size(part)]
    )
    parts = [
        dot for dot in (moved if isinstance(moved, tuple | list) else [moved]) if dot is not ZERO
    ]
    own = [weights_of(part) for part in numbers(y)][-len(parts) :]
    assert np.isclose(
        sum(np.real(np.sum(np.conj(w) * dot)) for w, dot in zip(own, parts, strict=True)),
        expected,
        rtol=1e-6,
        atol=1e-7,
    )
