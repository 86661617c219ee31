"""Results have NumPy's order, and share memory with the arguments as NumPy's do.

Code that writes into arrays depends on both. Of every function with a rule, the samples of the kit
are called on arrays in several orders, of one level and of two, before and after a write; and so is
a list of calls that copy, order and view.
"""

import copy
import sys
import warnings
from functools import partial
from importlib.util import find_spec
from itertools import islice

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.recording.errors import NotRecordedError
from chainrules_programs.recording.record import record
from chainrules_py import BatchingError, NotDifferentiableError, default_rules
from chainrules_py.testing import load_shipped, primals_of
from chainrules_py.testing.samples import dtypes_of, samples_of
from chainrules_py.values.identity import belongs_to_package, qualified_name
from chainrules_py.values.structure import fields, is_container, mapped
from chainrules_tape import grad, jvp, vjp, vmap
from chainrules_tape.core.levels import call_traced
from chainrules_tape.refusals.errors import InPlaceError
from chainrules_tape.refusals.handles import TracedArray
from in_place_programs import MAKERS, VIEWS, memory_facts, memory_of, program, strides_of, takers
from seeds_of_programs import check_each, groups
from stand_ins.array_makers import of_torch

load_shipped()


def arrays_in(value):
    """The arrays in a value and its containers."""
    if issubclass(type(value), TracedArray) or not is_container(value):
        return [value]
    return [array for part in fields(value).values() for array in arrays_in(part)]


def layout(result, args):
    """List of each array of a result its shape, strides, and arguments that share its memory."""
    plain_args = [memory_of(arg) for arg in args]
    found = []
    for array in map(memory_of, arrays_in(result)):
        is_array = type(array) is np.ndarray
        shares = [
            is_array and bool(np.shares_memory(array, arg, max_work=10**4)) for arg in plain_args
        ]
        found.append((array.shape, strides_of(array), shares) if is_array else None)
    return found


def at_one_level(note, xs):
    vjp(note, *xs)


def forward(note, xs):
    jvp(note, tuple(xs), tuple(map(np.ones_like, xs)))


def at_two_levels(note, xs):
    vjp(lambda *inner: vjp(note, *inner)[0], *xs)


def forward_over_reverse(note, xs):
    jvp(lambda *inner: vjp(note, *inner)[0], tuple(xs), tuple(map(np.ones_like, xs)))


STATES = [at_one_level, forward, at_two_levels, forward_over_reverse]


def layout_in_engine(state, function, xs, *, written):
    """The layout of a result where the arguments are traced, and written to before if so asked."""
    seen = []

    def note(*handles):
        for x in handles if written else ():
            x[...] = x * 1.0
        seen.append(layout(function(*handles), handles))
        return sum([np.sum(np.real(x)) for x in handles])

    state(note, xs)
    return seen[0]


# --- Calls that copy, order and view ---


CALLS = (
    *MAKERS,
    *VIEWS,
    lambda m, a: copy.copy(a),
    lambda m, a: copy.deepcopy(a),
    lambda m, a: m.array(a, ndmin=4, copy=False),
    lambda m, a: m.asarray([a[0], a[1]]),
    lambda m, a: m.array([a, a], order="F"),
    lambda m, a: m.asarray(a, float, "F"),
    lambda m, a: m.conj(a),
    lambda m, a: (a * 1j).conj(),
    lambda m, a: m.imag(a * 1j),
    lambda m, a: a.astype(float, "C"),
    lambda m, a: a.astype(float, order="F", copy=False),
    lambda m, a: m.zeros_like(a, shape=(3, 4)),
    lambda m, a: m.zeros_like(a, order="F"),
    lambda m, a: m.full((2, 3), 3.0, order="F"),
    lambda m, a: m.empty((2, 3), order="F"),
    lambda m, a: m.empty_like(a),
    lambda m, a: m.full(a.shape, a[0]),
    lambda m, a: m.full_like(a, a[0]),
    lambda m, a: m.meshgrid(a, a, copy=False),
    lambda m, a: m.select([a > 2], [a], 2 * a),
    lambda m, a: m.broadcast_arrays(a, a[:1]),
    lambda m, a: m.atleast_2d(a, a[0]),
    lambda m, a: m.ix_(a[0], a[:, 0]),
    lambda m, a: m.linalg.matrix_power(a[:2, :2], 1),
    lambda m, a: m.lib.stride_tricks.sliding_window_view(a, 2, 0),
    lambda m, a: m.unstack(a, axis=1),
    lambda m, a: list(a),
    lambda m, a: m.diag(a),
    lambda m, a: m.trim_zeros(a[0]),
    lambda m, a: m.einsum("ij,ij->ji", a, a),
    lambda m, a: m.modf(a),
    lambda m, a: m.angle(a),
)
ORDERS = {
    "C": (np.arange(6.0).reshape(2, 3) + 0.5, lambda x: x),
    "F": (np.arange(6.0).reshape(3, 2) + 0.5, lambda x: x.T),
    "with gaps": (np.arange(24.0).reshape(4, 6) + 0.5, lambda x: x[::2, ::2]),
    "backwards": (np.arange(6.0).reshape(3, 2) + 0.5, lambda x: x.T[::-1]),
}


def of_matrices(calls):
    """Those which take arrays as all of `ORDERS` are."""
    return takers(calls, (2, 3), np.dtype(float))


@pytest.mark.parametrize("written", [False, True], ids=["values", "written"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.filterwarnings(
    "ignore:future versions will not create a writeable array:FutureWarning"
)
def test_calls(state, order, written):
    start, view = ORDERS[order]
    for number, make in enumerate(of_matrices(CALLS)):
        x = start.copy()
        expected = layout(make(np, view(x)), [x])
        found = layout_in_engine(
            state, lambda x, make=make: make(tnp, view(x)), [start], written=written
        )
        assert found == expected, f"call {number} of CALLS"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.filterwarnings(
    "ignore:future versions will not create a writeable array:FutureWarning"
)
def test_calls_on_buffers(order):
    start, view = ORDERS[order]

    def check(t):
        for number, make in enumerate(of_matrices(CALLS)):
            plain, buffer = start.copy(), tnp.copy(start)
            found = layout(make(tnp, view(buffer)), [buffer])
            assert found == layout(make(np, view(plain)), [plain]), f"call {number} of CALLS"
        return t

    grad(check)(1.0)


def check_random_program(seed):
    """The arrays of a program of copies, orders, views and writes."""
    run, draw, seen = program(seed, on_numpy=False), np.random.default_rng(seed + 10**6), []
    xs = draw.normal(size=(2, 3)).copy("CF"[seed % 2]), draw.normal(size=3)

    def noting(m):
        return lambda *args: run(m, *args, observe=lambda arrays: seen.append(memory_facts(arrays)))

    noting(np)(*[x.copy("K") for x in xs])
    for state in STATES:
        state(noting(tnp), xs)
        assert seen.pop() == seen[0], state.__name__
    if find_spec("torch"):
        try:
            vjp(noting(tnp), *map(of_torch, (x.copy() for x in xs)))
        except (
            NotDifferentiableError,
            InPlaceError,
            TypeError,
        ):  # no array from array entries, nor an order
            return
        noting(np)(*[x.copy() for x in xs])
        assert seen.pop()["shares"] == seen.pop()["shares"], "PyTorch"


@pytest.mark.filterwarnings("ignore:__array_wrap__")  # of plain tensors
@pytest.mark.parametrize("first", groups(3000, 50, 50))
def test_random_programs(first):
    check_each(check_random_program, first, 50)


# --- Every function with a rule ---


# Numbers as elsewhere, but in the order of C, where NumPy's have that of their arguments, or
# degrees in front.
OTHERWISE_ORDERED = (
    *("numpy.polynomial.", "numpy.piecewise", "numpy.gradient", "numpy.insert"),
    *("numpy.histogram2d", "numpy.histogramdd"),  # views of what counts outliers, too
)


def in_orders(x):
    """An array in the order of C, in that of Fortran, and with gaps."""
    yield x
    yield np.asfortranarray(x)
    yield np.repeat(x, 2, 0)[::2] if x.ndim else x


def is_float_array(x):
    return type(x) is np.ndarray and x.dtype.kind in "fc"


def calls_of(primal, *, few):
    """The samples of a primal, or the first alone where a `few` are enough, as functions of arrays,
    each with arrays in several orders.
    """
    for dtype in [dtype for dtype in ("float64", "complex128") if dtype in dtypes_of(primal)][
        : 1 if few else 2
    ]:
        for sample in islice(samples_of(primal, dtype), 1 if few else None):
            arrays = [x for x in arrays_in(list(sample.args)) if is_float_array(x)]
            if not arrays or sample.error:
                continue

            def function(primal, *arrays, sample=sample):
                given = iter(arrays)
                args = mapped(
                    lambda part: next(given) if is_float_array(part) else part, sample.args
                )
                return primal(*args, **sample.options)

            for same_order in zip(*map(in_orders, arrays), strict=True):
                yield sample.name, function, [x.copy("K") for x in same_order]


def expected_layout(primal, function, xs):
    """The layout in plain NumPy; None where it raises."""
    try:
        return layout(function(primal, *xs), xs)
    except Exception:
        return None


def by_engine(primal):
    """The primal as tapes see it, also where NumPy does not hand its calls over."""
    return (
        primal
        if primal.__module__ == "_operator"
        else lambda *args, **options: call_traced(primal, args, options)
    )


def without_strides(found):
    return [each and (each[0], each[2]) for each in found]


PRIMALS = [
    primal
    for primal in primals_of(default_rules.load_all())
    if belongs_to_package(primal, ("numpy", "_operator"))
]


@pytest.mark.parametrize("written", [False, True], ids=["values", "written"])
@pytest.mark.parametrize(
    ("state", "few"),
    [
        (at_two_levels, True),
        *[pytest.param(state, False, marks=pytest.mark.long) for state in STATES],
    ],
)
def test_samples(state, few, written):
    wrong = []
    for primal in PRIMALS:
        name = qualified_name(primal)
        for sample, function, xs in calls_of(primal, few=few):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                expected = expected_layout(primal, function, xs)
                if expected is None:
                    continue
                try:
                    found = layout_in_engine(
                        state, partial(function, by_engine(primal)), xs, written=written
                    )
                except Exception:  # what has no derivative: other tests hold what is refused
                    continue
            if name.startswith(OTHERWISE_ORDERED):
                found, expected = without_strides(found), without_strides(expected)
            if found != expected:
                wrong.append((name, sample, expected, found))
    assert not wrong


# --- Every function with a rule, in lanes ---

# Where lanes are outermost, but an order is C's for one of the arguments', or the reverse; constants,
# what depends on the method, and what is a view of something larger that nobody has.
OTHERWISE_IN_LANES = (
    *("numpy.imag", "numpy.histogram2d", "numpy.histogramdd", "numpy.roots", "numpy.gradient"),
    *("numpy.quantile", "numpy.percentile", "numpy.nanquantile", "numpy.nanpercentile"),
    *("numpy.unique_inverse", "numpy.unique_all", "numpy.polynomial.", "numpy.insert"),
)


def in_many_lanes(x):
    """An array with lanes, each in the order that an array has."""
    axes = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    made = np.empty((3, *[x.shape[axis] for axis in axes]), x.dtype)
    lanes = np.moveaxis(made, range(1, 1 + x.ndim), [1 + axis for axis in axes])
    lanes[...] = x
    return lanes


def layout_in_one_lane(x):
    """Of a floating result in lanes: whether it is an array, its shape, and the strides of a lane.

    Lanes have to be outermost. None of other results.
    """
    is_traced = issubclass(type(x), TracedArray)
    if not is_traced or not x.in_lanes or x.dtype.kind not in "fc":
        return None
    lanes = memory_of(x)
    steps = [abs(step) for step, n in zip(lanes.strides, lanes.shape, strict=True) if n > 1]
    assert lanes.strides[0] == max(steps) > 0 or not lanes.size
    return not x.is_number, lanes.shape[1:], strides_of(lanes[0])


def layout_of_one(y):
    """The same of the result for one example."""
    is_array = isinstance(y, np.ndarray)
    return is_array, np.shape(y), strides_of(np.asarray(y))


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.long)])
def test_samples_in_lanes(few, monkeypatch):
    # as they are, not as copies in the order of C
    monkeypatch.setattr(sys.modules[vmap.__module__], "lanes_first", lambda x, axis: x)
    wrong, compared = [], 0
    for primal in PRIMALS:
        name = qualified_name(primal)
        if name.startswith(OTHERWISE_IN_LANES):
            continue
        for sample, function, xs in calls_of(primal, few=few):
            if not all(x.ndim for x in xs):  # examples without axes are numbers
                continue
            seen = []

            def note(*lanes, function=function, primal=primal, seen=seen):
                seen.extend(arrays_in(function(by_engine(primal), *lanes)))
                seen[:] = map(layout_in_one_lane, seen)
                return 0.0

            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    expected = arrays_in(function(primal, *xs))
                    vmap(note)(*map(in_many_lanes, xs))
                except AssertionError:
                    wrong.append((name, sample, "lanes are not outermost"))
                    continue
                except Exception:  # other tests hold what is refused
                    continue
            for found, y in zip(seen, expected, strict=True):
                compared += 1
                if found is not None and found != layout_of_one(y):
                    wrong.append((name, sample, layout_of_one(y), found))
    assert not wrong
    assert compared > 800


# --- In lanes and in recorded programs, whose memory cannot be asked: by what later writes change ---

# Computed in a loop over the examples, so that it is a copy.
COPIES_IN_LANES = (np.real_if_close,)


def before_and_after(function, xs):
    """The arrays of a result, before and after the arguments are written to."""
    arrays = arrays_in(function(*xs))
    before = [tnp.array(np.real(y), copy=True) for y in arrays]
    for x in xs:
        x[...] = x * 0.5 + 3.0
    return before, [np.real(y) for y in arrays]


def are_changed(before, after):
    """Whether each array is another one after than before."""
    pairs = zip(before, after, strict=True)
    return [not np.array_equal(*map(np.asarray, pair), equal_nan=True) for pair in pairs]


def in_numpy(function, xs):
    return before_and_after(function, [x.copy("K") for x in xs])


def in_lanes(function, xs):
    return vmap(lambda *args: before_and_after(function, args))(*[np.stack([x, x]) for x in xs])


def derivative_in_lanes(function, xs):
    def run(*args):
        return vjp(lambda *inner: before_and_after(function, inner), *args)[0]

    return vmap(run)(*[np.stack([x, x]) for x in xs])


def recorded_derivative(function, xs):
    def run(*args):
        return vjp(lambda *inner: before_and_after(function, inner), *args)[0]

    return record(run, tuple(x.copy("K") for x in xs))[1]


def recorded_in_forward_mode(function, xs):
    def run(*args):
        return jvp(lambda *inner: before_and_after(function, inner), args, args)[0]

    return record(run, tuple(x.copy("K") for x in xs))[1]


BATCHED = in_lanes, derivative_in_lanes
OTHERWISE = *BATCHED, recorded_derivative, recorded_in_forward_mode


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("way", OTHERWISE)
@pytest.mark.filterwarnings(
    "ignore:future versions will not create a writeable array:FutureWarning"
)
def test_what_later_writes_change(way, order):
    start, view = ORDERS[order]
    refused = 0
    calls = of_matrices((*MAKERS, *VIEWS))
    for number, make in enumerate(calls):

        def function(x, m=tnp, make=make):
            return make(m, view(x))

        expected = are_changed(*in_numpy(partial(function, m=np), [start]))
        try:
            found = are_changed(*way(function, [start]))
        except (NotRecordedError, BatchingError, InPlaceError):
            refused += 1
            continue
        assert found == expected, f"call {number} of MAKERS and VIEWS"
    assert refused < len(calls) / 10


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("way", "few"),
    [
        *[(way, True) for way in OTHERWISE],
        *[pytest.param(way, False, marks=pytest.mark.long) for way in OTHERWISE],
    ],
)
def test_what_later_writes_change_in_samples(way, few):
    wrong, compared = [], 0
    for primal in PRIMALS:
        for sample, function, xs in calls_of(primal, few=few):
            is_left_out = way in BATCHED and (
                primal in COPIES_IN_LANES or not all(x.flags.c_contiguous for x in xs)
            )
            if is_left_out or primal is np.common_type:
                continue
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    expected = are_changed(*in_numpy(partial(function, primal), xs))
                    found = are_changed(*way(partial(function, by_engine(primal)), xs))
                except Exception:  # other tests hold what is refused
                    continue
            compared += 1
            if found != expected:
                wrong.append((qualified_name(primal), sample, expected, found))
    assert not wrong
    assert compared > 500
