"""What each pass leaves of small programs, which compute the same bits, in the same memory order."""

import math
import re
from operator import setitem

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.boxed import boxed
from chainrules_programs.compiling.passes.broadcast import broadcast
from chainrules_programs.compiling.passes.common import common
from chainrules_programs.compiling.passes.copies import copies
from chainrules_programs.compiling.passes.entries import short_vectors_split
from chainrules_programs.compiling.passes.folded import folded
from chainrules_programs.compiling.passes.in_place import in_place
from chainrules_programs.compiling.passes.numbers import OF_PYTHON, numbers
from chainrules_programs.compiling.passes.reduced import reduced
from chainrules_programs.compiling.passes.sums import sums
from chainrules_programs.compiling.passes.unused import unused
from chainrules_programs.recording.program import Call, Guard, Program, Value
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, grad, value_and_grad
from chainrules_tape.core.trees import flatten
from recorded_calls import require_same
from replaying import replay

X = np.linspace(0.1, 2.0, 12)
CUBE = np.arange(24.0).reshape(2, 3, 4) % 5
WIDE, FORTRAN = X.reshape(3, 4), np.asfortranarray(X.reshape(3, 4))
SINGLE, WHOLE, COMPLEX = CUBE.astype(np.float32), CUBE.astype(int), CUBE + 1j
NUMBER = np.float64(0.7)


def name_of(step):
    """The name of what a step calls, with an exclamation mark where it writes."""
    owner = getattr(step.primal, "__self__", None)
    of = f"{owner.__name__}." if isinstance(owner, np.ufunc) or owner is math else ""
    name = getattr(step.primal, "__qualname__", step.primal.__name__)
    return of + name.removeprefix("ufunc.") + "!" * (step.into is not None)


def copied(args):
    return [np.array(x) if np.ndim(x) else x for x in args]


def left(change, function, *args):
    """The names of the steps that a pass leaves, which compute what the function does."""
    program, value = record(function, tuple(copied(args)))
    found = change(program)
    tolerance = 1e-15 if change is numbers else 0.0
    for again in (replay(found, copied(args)), executable(found)(*copied(args))):
        for y, known in zip(flatten(again)[0], flatten(value)[0], strict=True):
            assert type(y) is type(known)
            np.testing.assert_allclose(y, known, rtol=tolerance, strict=True)
    return " ".join(map(name_of, found.steps))


def without(change):
    """Return a pass after which what it makes needless is left out."""
    return lambda program: unused(change(program))


def in_turn(x):
    y = tnp.zeros(4)
    y[1] = x[0]
    before = np.sin(y)
    y[2] = x[1]
    return before + y


def written_from_ones(x):
    y = np.copy(np.ones_like(x[:2]))
    for k in (0, 1, 0, 1):
        y[k] = y[k] * x[k] + y[1 - k]
    return y


def copy_of_part(write, read):
    def f(x):
        y = np.copy(x)
        y[0] = x[1]
        part = y[2:6].copy()
        if write:
            write(y, x)
        return read(y, part), y

    return f


def through_a_view(x):
    y = tnp.zeros(4)
    y[1:3][0] = x[0]
    return y * 2


def by_a_slice(x):
    y = tnp.zeros(4)
    y[0] = x[0]
    y[1:] = x[1:4]
    return y[0] * y


def mean_into(x):
    y = x[0] * 1.0
    np.mean(x, axis=0, out=y)
    return x + y


def sine_before_and_after(x):
    y = np.zeros_like(x)
    before = np.sin(y)
    y[0] = x[0]
    return before + np.sin(y)


def written_before(x):
    y = np.zeros_like(x)
    part = y[2:]
    part += x[2:]
    return np.cos(y) + x


def written_later(x):
    y = np.sin(x)
    part = y[2:]
    z = np.cos(y)
    part += x[2:]
    return z * part[0]


def of_matrices(x):
    y = np.sin(x)
    return y + y.T


def wide_of_written(x, y):
    kept = np.copy(y)
    wide = np.broadcast_to(kept, (3, 4))
    kept += 1.0
    return x * wide


REDUCED = [
    ("add.reduce", lambda x: np.sum(x, 1), (CUBE,)),
    ("add.reduce", lambda x: np.sum(x, axis=1, dtype="f4", keepdims=True), (CUBE,)),
    ("multiply.reduce", lambda x: np.prod(x, dtype=complex), (CUBE > 1,)),
    ("maximum.reduce", lambda x: np.max(x, axis=-1, keepdims=True), (CUBE,)),
    ("minimum.reduce", lambda x: np.min(x, axis=0), (SINGLE,)),
    ("add.reduce divide", lambda x: np.mean(x), (CUBE[:, ::2],)),
    ("mean", lambda x: np.mean(x, axis=0), (SINGLE,), (COMPLEX,)),
    ("mean", lambda x: np.mean(x, dtype=np.float32), (CUBE,)),
    ("sum", lambda x: np.sum(x, initial=1.0), (CUBE,)),
    ("any", lambda x: np.any(x), (CUBE,)),
    ("ndarray.swapaxes", lambda x: np.swapaxes(x, 0, 1), (CUBE,)),
    ("ndarray.reshape", lambda x: np.reshape(x, (4, 6)), (CUBE,)),
    ("getitem multiply add.reduce divide! add", mean_into, (CUBE,)),
    ("multiply", lambda x: np.power(x, 2), (CUBE / 7 - 0.3,), (-NUMBER,)),
    ("multiply", lambda x: np.power(x, 2.0), (CUBE,)),
    ("power", lambda x: np.power(x, 3), (CUBE,)),
    ("power", lambda x: np.power(x, np.float64(2)), (CUBE,)),
    ("power", lambda x: np.power(x, 2), (SINGLE,)),
    ("getitem getitem array", lambda x: np.stack([x[0], x[1]]), (X,)),
    ("getitem getitem array", lambda x: np.stack([x[0], x[1]], axis=0), (X,)),
    ("getitem getitem stack", lambda x: np.stack([x[0], x[1]]), (X.astype("f4"),)),
    ("getitem getitem stack", lambda x: np.stack([x[..., 0], x[..., 1]], axis=-1), (CUBE,)),
]
FOLDED = [
    ("sin", lambda x: np.sin(1 * x), (X,)),
    ("sin", lambda x: np.sin(x / np.ones(12)), (X,)),
    ("sin", lambda x: np.sin(x**1), (X,)),
    ("sin", lambda x: np.sin(np.power(x, 1)), (X,)),
    ("sin", lambda x: np.sin(x.astype(float)), (X,)),
    ("sin", lambda x: np.sin(np.conj(x)), (X,)),
    ("sin", lambda x: np.sin(x[:]), (X,)),
    ("divide pow add", lambda x: 1.0 / x + 1**x, (X,)),
    # an infinite part times one is not a number
    ("conjugate multiply add", lambda x: np.conj(x) + x * 1.0, (X + 1j,)),
    ("multiply sin", lambda x: np.sin(x * 1.0), (WHOLE,)),
    ("transpose sin", lambda x: np.sin(np.transpose(x)), (WIDE[:, :3].copy(),)),
    ("getitem sin add multiply", lambda x: np.sin(x[::-1]) * (x + 0.0), (-0.0 * X,)),
    ("multiply", lambda x: x * np.zeros_like(x), (X,)),
    ("multiply", lambda x: x * np.full_like(x, 3.0), (X,)),
    ("getitem full_like multiply", lambda x: x * np.full_like(x, x[0]), (X,)),
    ("multiply", lambda x: x * 1.0, (X,)),
]
COMMON = [
    ("sin multiply", lambda x: np.sin(x) * np.sin(x), (X,)),
    ("add multiply", lambda x: (x + np.ones(12)) * (x + np.ones(12)), (X,)),
    ("add add multiply", lambda x: (x + 0.0) * (x + -0.0), (X,)),
    ("add add multiply", lambda x: (x + 1) * (x + 1.0), (X,)),
    ("add add multiply", lambda x: (x + 1) * (x + True), (X,)),
    ("add add multiply", lambda x: (x + np.float32(1)) * (x + np.float64(1)), (X,)),
    ("sum sum getitem add", lambda x: np.sum(x, axis=0) + np.sum(x, axis=1)[0], (WIDE,)),
    ("zeros_like sin getitem setitem! sin add", sine_before_and_after, (X,)),
]
ENTRIES = [
    ("(?!.*setitem).* array", grad(lambda x: x[-1] * x[-1]), (X[:4],)),
    ("(?!.* array).*", grad(lambda x: np.real(x[0] * x[1])), (X[:4].astype("f4"),)),
    (".*setitem! copy sin .*", in_turn, (X,)),
    ("(?!.* array).*", through_a_view, (X,)),
    (".*", grad(lambda x: np.sum(by_a_slice(x))), (X[:4],)),
    ("(?!.* array).*", grad(lambda x: x[3] * x[2]), (np.tile(X, 4),)),
]
SUMS = [
    ("(?!.*at!).*setitem!", grad(lambda x: x[0] * x[1] + x[0] * x[-1]), (X,)),
    ("(?!.*at!).*add!", grad(lambda x: np.sum(x[1:4] * x[:3]) + x[0]), (X,)),
    (".* zeros add.at!", grad(lambda x: np.sum(x[np.array([1, 1, 3])] ** 2)), (X,)),
]
IN_PLACE = [
    ("sin cos! multiply!", lambda x: np.cos(np.sin(x)) * 2.0, (X,)),
    ("getitem sin cos", lambda x: np.cos(np.sin(x[:8])), (X,)),
    ("sin add", lambda x: np.sin(x) + np.sin(np.ones((2, 12))), (X,)),
    ("sin multiply", lambda x: np.sin(x) * 1j, (X,)),
    ("zeros_like getitem getitem add! cos! add!", written_before, (X,)),
    ("sin getitem cos getitem add! getitem multiply!", written_later, (X,)),
    ("sin cos", lambda x: ((y := np.sin(x)), np.cos(y)), (X,)),
    ("sin transpose add", of_matrices, (np.ones((4, 4)),)),
]
BROADCAST = [
    *(
        ("arctan2", f, (WIDE, np.full(shape, 0.3)), (FORTRAN, np.full(shape, 0.3)))
        for shape in ((4,), (1, 4), (3, 1), (1, 1))
        for f in (
            lambda x, y: np.arctan2(x, np.broadcast_to(y, (3, 4))),
            lambda x, y: np.arctan2(np.broadcast_to(y, (3, 4)), x),
        )
    ),
    (
        "broadcast_to getitem multiply",
        lambda x, y: np.broadcast_to(x, (3, 4)) * y[:, None],
        (WIDE[:1], WIDE[:, 0]),
    ),
    ("broadcast_to multiply", lambda x: np.broadcast_to(x, (3, 4)) * 2.0, (WIDE[:1],)),
    ("subtract", lambda x, y: y[None, None] - x, (WIDE, NUMBER), (FORTRAN, np.complex128(0.3))),
    ("copy broadcast_to add! multiply", wide_of_written, (WIDE, WIDE[0].copy())),
]
CLEARED, OVERWRITTEN = (lambda y, x: setitem(y, 2, 0.0), lambda y, x: setitem(y, 2, x[0]))
COPIES = [  # what is written after a part is copied, and what reads the copy
    (f"copy getitem setitem! getitem {names}", copy_of_part(write, read), (X,))
    for names, write, read in [
        ("multiply", None, lambda y, t: t * 2.0),
        ("multiply setitem!", CLEARED, lambda y, t: t * 2.0),
        ("copy getitem setitem! multiply", OVERWRITTEN, lambda y, t: t * 2.0),
        ("copy setitem! getitem multiply", CLEARED, lambda y, t: y[3:7] * t),
        ("copy exp", None, lambda y, t: np.exp(t)),
        ("getitem getitem add!", None, lambda y, t: np.add(y[3:7], t, out=y[3:7])),
        # of which NumPy reads entries that it has written
        ("copy setitem!", None, lambda y, t: setitem(y, slice(2, 10, 2), t) or 0.0),
        ("copy", None, lambda y, t: t),
    ]
]
NUMBERS = [
    (
        "(float )?math.sin neg math.exp mul add math.sqrt truediv add float64",
        lambda x: np.sin(x) * np.exp(-x) + np.sqrt(2.0 + x) / 3,
        (1.3,),
        (NUMBER,),
    ),
    ("sin multiply add", lambda x: np.sin(x) * x + 1.0, (np.float32(0.3),), (0.3j,), (np.ones(1),)),
    # a pullback of Python's floats would lose a nan
    (
        ".*float64 maximum float mul float64 .*",
        grad(lambda x: np.maximum(np.sin(x), 0.1) * x),
        (0.5,),
    ),
]
LEFT = {
    reduced: REDUCED,
    without(folded): FOLDED,
    common: COMMON,
    short_vectors_split: ENTRIES,
    sums: SUMS,
    in_place: IN_PLACE,
    without(broadcast): BROADCAST,
    without(copies): COPIES,
    numbers: NUMBERS,
}
# The names are a pattern.
ROWS = [
    pytest.param(change, *row[:2], args, id=f"{number} {row[0]}")
    for change, rows in LEFT.items()
    for number, row in enumerate(rows)
    for args in row[2:]
]


@pytest.mark.parametrize(("change", "names", "function", "args"), ROWS)
def test_what_is_left(change, names, function, args):
    found = left(change, function, *args)
    assert re.fullmatch(names, found), found


def test_memory_order_is_that_of_the_whole_program():
    program, value = record(lambda x, y: np.broadcast_to(y, (3, 4)) * x, (FORTRAN, WIDE[:, :1]))
    assert replay(broadcast(program), [FORTRAN, WIDE[:, :1]]).strides == value.strides


def test_entries_of_a_copy_are_those_of_its_time():
    found = left(lambda program: folded(short_vectors_split(program)), written_from_ones, X)
    assert re.fullmatch("(?!.*setitem).* array", found), found


def test_squares_have_the_bits_of_powers():
    rng = np.random.default_rng(0)
    x = rng.normal(size=5_000) * 10.0 ** rng.integers(-150, 150, 5_000)
    np.testing.assert_array_equal(np.power(x, 2), x * x)


# --- Programs that no function records ---


def call(primal, *args, **options):
    """A step that is run while it is written, as the recorder does."""
    given = [arg.array if isinstance(arg, Value) else arg for arg in args]
    return Call(primal, args, options, Value(primal(*given, **options)))


def write(target, index, given):
    """The step that writes into an array."""
    return Call(setitem, (target, index, given), {}, None, into=target)


V = Value(np.ones(3))
SINE, ZEROS, TOTAL = call(np.sin, V), call(np.zeros, 3), call(np.sum, V)
ROW = call(np.reshape, ZEROS.results, (1, 3))
DRAWN = [call(np.random.standard_normal, 3) for _ in range(2)]
WRITTEN = [ZEROS, write(ZEROS.results, 0, V)]
TWICE = [*WRITTEN, call(np.multiply, ZEROS.results, 1.0), write(ZEROS.results, 1, V)]
LOGS = [call(np.log, V), Call(np.log, (V,), {}, Value(np.zeros(3)), strict=True)]
SHOWN = Call(print, (V,), {}, None)
PART = Call(lambda v, k: v[k], (ZEROS.results, slice(1, None)), {}, Value(ZEROS.results.array[1:]))
ADDED = Call(np.add, (PART.results, 1.0), {}, PART.results, into=PART.results)
BACK, ELSEWHERE = (write(ZEROS.results, k, PART.results) for k in (slice(1, None), slice(-1)))
GUARD = Guard(bool, TOTAL.results, True)
CACHED = Call(lambda x: x, (V,), {}, Value(np.ones(40)))
LARGE = call(np.zeros, 200_000)
STEPS = {  # a pass, the steps, the result, and those that are left
    "what no result needs": (unused, [SINE, call(np.cos, V)], SINE.results, [SINE]),
    "a guard": (unused, [TOTAL, GUARD], None, [TOTAL, GUARD]),
    # read by a view that was made before the write
    "a write": (unused, [ZEROS, ROW, WRITTEN[1]], ROW.results, [ZEROS, ROW, WRITTEN[1]]),
    "a write that nobody reads": (unused, [ZEROS, ROW, WRITTEN[1]], V, []),
    "a write into an argument": (unused, [write(V, 0, 2.0)], None, None),
    "a part where it stands": (
        *(unused, [ZEROS, PART, ADDED, BACK, ELSEWHERE], ZEROS.results),
        [ZEROS, PART, ADDED, ELSEWHERE],
    ),
    "an effect": (unused, [SHOWN], V, [SHOWN]),
    "random numbers": (folded, DRAWN, DRAWN[0].results, DRAWN),
    "memory that is not filled": (folded, [call(np.empty, 3)], V, None),
    "memory that is written": (folded, TWICE, ZEROS.results, TWICE),
    "a large constant": (folded, [LARGE], LARGE.results, [LARGE]),
    "numbers drawn twice": (common, DRAWN, tuple(d.results for d in DRAWN), DRAWN),
    "a nan that is an error": (
        *(common, [*LOGS, call(np.add, *(step.results for step in LOGS))], V),
        None,
    ),
    "a function that keeps its result": (
        *(in_place, [CACHED, call(np.sin, CACHED.results)], None),
        None,
    ),
}


@pytest.mark.parametrize(("change", "steps", "result", "names"), STEPS.values(), ids=STEPS)
def test_steps_that_are_left(change, steps, result, names):
    assert change(Program((V,), steps, result)).steps == (steps if names is None else names)


def test_of_several_results_the_unread_ones_are_not_named():
    x = Value(np.eye(2))
    values, vectors = map(Value, np.linalg.eigh(x.array))
    results = np.linalg._linalg.EighResult(values, vectors)
    program = unused(Program((x,), [Call(np.linalg.eigh, (x,), {}, results)], values))
    assert program.steps[0].results == (values, None)


def test_constants_are_copies_and_repeated_numbers_take_no_memory():
    made, wide = call(np.arange, 3.0), call(np.broadcast_to, 1.0, (1000, 1000))
    program = folded(Program((), [made, wide], (made.results, wide.results)))
    made.results.array[0] = 7
    assert program.result[0][0] == 0
    assert program.result[1].strides == (0, 0)


def test_results_stay_two_and_no_argument():
    first, second, same = call(np.sin, V), call(np.sin, V), call(np.multiply, V, 1.0)
    two = first.results, second.results
    assert common(Program((V,), [first, second], two)).result == two
    assert folded(Program((V,), [same], same.results)).result is same.results


def test_a_value_of_which_views_are_read_is_not_replaced():
    def f(x):
        first, second = np.sin(x), np.sin(x)
        part = second[1:]
        doubled = first * 2.0  # may be written into the memory of `first`
        return np.concatenate([part, doubled])

    program, expected = record(f, (X,))
    np.testing.assert_array_equal(executable(optimized(program))(X), expected)


# --- Numbers beside arrays ---

BOXES = [  # the dtype and the shape of the second operand, or its class
    *(
        (lambda x, n=n: x * n, np.arange(1, 10).astype(dtype), (np.ones(1, dtype) * n).dtype, ())
        for dtype in (np.float16, np.float32, np.complex64, np.int64)
        for n in (2, 1.01, np.float64(0.1), True)
    ),
    (lambda x: x > 0.1, np.full(9, 0.1, np.float32), np.float32, ()),
    (lambda x: x**2, np.arange(9).astype(np.uint8), int, None),
    (lambda x: x > -1, np.arange(9).astype(np.uint8), int, None),
    (lambda x: x * 2.0, NUMBER, float, None),
    (lambda x: x * np.full((2, 5), 3.0), np.ones((2, 5)), float, ()),
    (lambda x: x * np.full((3, 2, 5), 3.0), np.ones((2, 5)), float, (3, 2, 5)),
    (lambda x: x * np.full((2, 5), 3.0), np.ones((1, 5)), float, (2, 5)),
]


@pytest.mark.parametrize(("function", "x", "dtype", "shape"), BOXES)
def test_boxes(function, x, dtype, shape):
    program, y = record(function, (x,))
    found = boxed(program)
    np.testing.assert_array_equal(replay(found, [x]), y, strict=True)
    other = found.steps[0].args[1]
    if shape is None:
        assert type(other) is dtype
    else:
        assert (type(other), other.dtype, other.shape) == (np.ndarray, dtype, shape)


def test_equal_boxes_are_one():
    program = boxed(record(lambda x: (x + 2.0) * 2.0, (np.ones(3),))[0])
    assert program.steps[0].args[1] is program.steps[1].args[1]


# --- Numbers by Python's floats ---


@pytest.mark.parametrize("ufunc", [each for each in OF_PYTHON if isinstance(each, np.ufunc)])
def test_each_function_is_that_of_its_name(ufunc):
    args = (np.float64(0.3), 0.8)[: ufunc.nin]
    assert OF_PYTHON[ufunc](*args) == pytest.approx(float(ufunc(*args)), rel=1e-15)


EDGES = {
    "a logarithm": (lambda x: np.log(x) * 2.0, 0.0),
    "its domain": (lambda x: np.log(x) * 2.0, -1.0),
    "a quotient": (lambda x: 1.0 / np.sin(x), 0.0),
    "an overflow": (lambda x: np.exp(x), 1000.0),
    "a root's slope": (lambda x: np.sqrt(x) * 3.0, 0.0),
    "a sine of infinity": (lambda x: np.sin(x), np.inf),
    "nan": (lambda x: np.sin(x), np.nan),
    "zero times infinity": (lambda x: 0.0 * np.sqrt(x), 0.0),
    "infinity times zero": (lambda x: np.cosh(x) * x / (1.0 + x), -1.0),
    "beside an array": (lambda x: np.sum(np.sin(x) * np.ones(3, np.float32)), 0.7),
    "of several classes": (lambda x: np.sin(x) * x + 1.0 / x, np.float64(0.7)),
    "a question": (lambda x: np.sin(x) if np.cos(x) > 0.0 else x * x, 2.0),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("transform", [lambda f: f, value_and_grad])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_numbers_end_the_function_is_called(edge, transform):
    function, x = EDGES[edge]
    function = transform(function)
    step = compiled(function, to="math")
    step.prepare(type(x)(0.5))
    assert step.count_of_programs() == 1
    for _ in range(5):  # the first few are left to the function because of what it warns of
        require_same(step(x), function(x), 1e-15)
    assert not step.faults


# --- Errors that are questions ---


def asks_before(ask):
    """A function that goes another way where `ask` raises."""

    def f(x):
        try:
            ask(x)
        except (ArithmeticError, ValueError, IndexError):
            return np.sum(x * 3.0)
        return np.sum(x * 2.0)

    return f


@np.errstate(divide="raise")
def divides(x):
    return 1.0 / x


ASKED = {
    "a quotient": lambda x: 1.0 / x,
    "one of a loop": lambda x: [1.0 / (x - k) for k in range(-40, 1)],
    "a derivative": lambda x: grad(lambda y: np.sum(np.sqrt(y)))(x),
    "in a scope of its own": divides,
    "a quantile": lambda x: np.quantile(np.arange(3.0), 1.4 - 0.5 * x[0]),
    "a count": lambda x: np.bincount(np.sign(x - 0.1).astype(int)),
    "a position that is written": lambda x: tnp.zeros(3).__setitem__((4 - 4 * x).astype(int), 1.0),
}


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("transform", [lambda f: f, grad])
@pytest.mark.parametrize("state", [{}, {"divide": "raise"}, {"all": "raise"}])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_error_is_a_question(ask, transform, state):
    function = transform(asks_before(ASKED[ask]))
    step = compiled(function)
    for states in ([state], [{}, state]):  # the error state may be another one later
        for each in states:
            with np.errstate(**each):
                step.prepare(np.ones(1))
                step.prepare(np.ones(1))
                for x in (np.ones(1), np.zeros(1)):
                    np.testing.assert_array_equal(step(x), function(x))
    assert step.programs(), step.explain()


# --- Constants into which a pullback writes after they were read ---

WRITES = {
    "a constant mask": lambda t, p: t.__setitem__(np.ones(3) == 1.0, p**2),
    "places by values": lambda t, p: t.__setitem__(np.argsort(p), p**2),
    "read and written": lambda t, p: t.__setitem__(p > 0, t[p > 0] + p**2),
    "out": lambda t, p: np.multiply(p, p, out=t, where=p > 0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("end", [np.sum, lambda t: t[0], lambda t: np.ones(3) @ t])
def test_a_constant_cotangent_that_a_pullback_overwrites(write, end):
    def f(p):
        t = tnp.zeros(3)
        write(t, p)
        return end(t)

    step, p = compiled(grad(f)), np.array([80.0, 120.0, 90.0])
    for _ in range(4):
        np.testing.assert_allclose(step(p), grad(f)(p))
    assert step.count_of_programs() == 1
