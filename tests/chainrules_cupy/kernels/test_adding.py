"""Pullbacks whose kernels add to what has arrived before, compiled for the host, against NumPy's
pullbacks and sums.
"""

import numpy as np
import pytest

from chainrules_cupy.kernels.plans import Launcher
from chainrules_py import ZERO
from chainrules_py.accumulation import Owned, accumulate, accumulated
from chainrules_py.values.arrays import numpy_library
from stand_ins.host_kernels import HAS_COMPILER, Collecting, Compiled
from stand_ins.scalar_cases import RULES, arguments, bound, library_with, shifted

pytestmark = pytest.mark.skipif(
    not HAS_COMPILER, reason="no g++ to compile the kernels for the host"
)

SHAPE = (2, 3)
PRIMALS = [np.sin, np.sqrt, np.multiply, np.divide, np.power, np.arctan2, np.hypot]
CASES = [
    (primal, dtype)
    for primal in PRIMALS
    for dtype in ("f2", "f4", "f8", "c16")
    if dtype != "c16" or primal not in (np.arctan2, np.hypot)
]
TOLERANCES = {"f2": 4e-3, "f4": 1e-5, "f8": 1e-12, "c16": 1e-12}


def drawn(dtype, seed):
    parts = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, *SHAPE))
    return (parts[0] + 1j * parts[1] if dtype == "c16" else parts[0]).astype(dtype)


def accumulators(dtype):
    """What may be there: nothing, an array that others hold, a buffer."""
    return {
        "nothing": lambda: ZERO,
        "an array": lambda: drawn(dtype, 5),
        "a buffer": lambda: accumulate(accumulate(ZERO, drawn(dtype, 6)), drawn(dtype, 7)),
    }


ARRIVED = [
    ("an array", "nothing"),
    ("a buffer", "an array"),
    ("nothing", "a buffer"),
    ("a buffer", "a buffer"),
]


def staged(primal, dtype, library):
    args = shifted(primal, arguments(RULES[primal]["reverse"].primal.nin, dtype, [SHAPE, SHAPE]))
    return bound(RULES[primal]["reverse"], library, len(args)).stage(*args)


def run_onto(library, primal, dtype, names, slots):
    """The accumulators after a pullback has added to them, and what it answered."""
    _, pull, kept = staged(primal, dtype, library)
    bars = [accumulators(dtype)[name]() for name in names]
    return pull.onto(kept, drawn(dtype, 8), slots, bars), bars


def layouts(primal):
    """Which accumulators there are, and where the cotangents of the arguments go."""
    if primal.nin == 1:
        return [((name,), (0,)) for name in ("an array", "a buffer")]
    return [
        *((names, (0, 1)) for names in ARRIVED),
        *(((name,), (0, 0)) for name in accumulators("f8")),
    ]


RUNS = [
    (primal, dtype, names, slots) for primal, dtype in CASES for names, slots in layouts(primal)
]


@pytest.fixture(scope="module")
def compiled():
    collecting = Collecting()
    for run in RUNS:
        run_onto(library_with(collecting.launcher), *run)
    return Compiled(collecting.sources)


@pytest.mark.parametrize(("primal", "dtype", "names", "slots"), RUNS)
def test_the_kernel_multiplies_and_adds(compiled, primal, dtype, names, slots):
    launches = compiled.launches
    added, bars = run_onto(library_with(compiled.launcher), primal, dtype, names, slots)
    assert added
    assert compiled.launches == launches + 1

    _, pull, kept = staged(primal, dtype, numpy_library())
    expected = [accumulators(dtype)[name]() for name in names]
    for slot, bar in zip(slots, pull(kept, drawn(dtype, 8)), strict=True):
        expected[slot] = accumulate(expected[slot], bar)
    for found, wanted in zip(bars, expected, strict=True):
        found, wanted = accumulated(found), accumulated(wanted)
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_allclose(found, wanted, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype])


def onto(x1, x2, y_bar, slots, bars):
    """`onto` of multiply, with kernels that are only noted."""
    collecting = Collecting()
    _, pull, kept = bound(
        RULES[np.multiply]["reverse"], library_with(collecting.launcher), 2
    ).stage(x1, x2)
    noted = len(collecting.sources)
    return pull.onto(kept, y_bar, slots, bars), collecting.sources[noted:]


def test_buffers_are_written_in_place_and_arrays_are_not():
    array, buffer = np.ones(SHAPE), Owned(np.ones(SHAPE))
    bars, within = [array, buffer], buffer.buffer
    assert onto(np.ones(SHAPE), np.ones(SHAPE), np.ones(SHAPE), (0, 1), bars)[0]
    assert bars[1] is buffer
    assert buffer.buffer is within
    assert type(bars[0]) is Owned


WIDE = np.ones(SHAPE)
LEFT_ALONE = {
    "nothing to add": (WIDE, WIDE, WIDE, (0, 1), [ZERO, ZERO]),
    "an argument that was broadcast": (WIDE, np.ones(3), WIDE, (0, 1), [np.ones(SHAPE), ZERO]),
    "an argument of another dtype": (
        WIDE,
        np.ones(SHAPE, "f4"),
        WIDE,
        (0, 1),
        [np.ones(SHAPE), np.ones(SHAPE)],
    ),
    "an argument without tangents": (
        WIDE,
        np.ones(SHAPE, int),
        WIDE,
        (0, 1),
        [np.ones(SHAPE), ZERO],
    ),
    "a sum of another dtype": (WIDE, WIDE, WIDE, (0, 1), [np.ones(SHAPE, complex), ZERO]),
    "a sum of another shape": (WIDE, WIDE, WIDE, (0, 1), [np.ones((3, 2)), ZERO]),
    "a sum of another class": (WIDE, WIDE, WIDE, (0, 1), [WIDE.view(np.matrix), ZERO]),
    "a cotangent of another dtype": (
        WIDE,
        WIDE,
        np.ones(SHAPE, "f4"),
        (0, 1),
        [np.ones(SHAPE), ZERO],
    ),
    "a cotangent of another class": (
        WIDE,
        WIDE,
        WIDE.view(np.matrix),
        (0, 1),
        [np.ones(SHAPE), ZERO],
    ),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_it_leaves_to_the_ordinary_way(name):
    *call, bars = LEFT_ALONE[name]
    before = list(bars)
    added, sources = onto(*call, bars)
    assert not added
    assert all(one is other for one, other in zip(bars, before, strict=True))
    assert not any("onto" in source.name for source in sources)


def test_kernels_are_made_once_per_layout():
    made = []
    collecting = Collecting()
    launcher = Launcher(
        lambda source: made.append(source.name) or collecting.elementwise(source),
        collecting.summing,
    )
    _, pull, kept = staged(np.multiply, "f8", library_with(launcher))
    for names in (*ARRIVED, *ARRIVED):
        assert pull.onto(
            kept, drawn("f8", 8), (0, 1), [accumulators("f8")[name]() for name in names]
        )
    assert sorted(made) == ["chainrules_multiply", *["chainrules_multiply_onto"] * 3]
