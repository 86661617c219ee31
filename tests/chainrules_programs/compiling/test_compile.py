"""What a compiled function does where its program fails, and what may be done with its results."""

import gc
import re
import time
import warnings
import weakref
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse

import chainrules_tape.numpy as tnp
from chainrules_programs.compiling import compile
from chainrules_programs.compiling.compile import CompiledProgramError, settings
from chainrules_tape import NotCompiledWarning, compiled, grad, jvp, vjp
from chainrules_tape.scipy.ndimage import map_coordinates


@pytest.fixture
def broken():
    """A compiled gradient whose program has a fault."""
    step = compiled(grad(lambda x: np.sum(np.sin(x))))
    step.prepare(np.zeros(3))
    (program,) = step.programs()

    def run(x):
        raise RuntimeError("of ours")

    program.run = run
    return step


def test_a_fault_of_a_program_is_told_and_the_function_called(broken, monkeypatch):
    monkeypatch.setattr(settings, "faults_raise", False)
    for _ in range(2):
        np.testing.assert_array_equal(broken(np.zeros(3)), np.ones(3))
    assert broken.faults == {"RuntimeError: of ours": 2}
    assert "by a fault of the compiler, 2 times: RuntimeError: of ours" in broken.explain()


def test_a_fault_of_a_program_raises_in_the_strict_setting(broken, monkeypatch):
    monkeypatch.setattr(settings, "faults_raise", True)
    with pytest.raises(CompiledProgramError, match="where the function returns") as caught:
        broken(np.zeros(3))
    assert isinstance(caught.value.error, RuntimeError)


RAISING = {
    "inv": (lambda a: np.linalg.inv(a), np.eye(2), np.zeros((2, 2)), "Singular"),
    "choose": (
        grad(lambda x: np.sum(np.choose(x.astype(int), [x, x**2]))),
        *(np.array([0.5, 1.5]), np.array([0.5, 5.5])),
        "invalid entry in choice",
    ),
}


@pytest.mark.parametrize("name", RAISING)
def test_what_the_function_raises_itself_is_no_fault(name):
    function, good, bad, said = RAISING[name]
    step = compiled(function)
    step.prepare(good)
    with pytest.raises(ValueError, match=said):  # and LinAlgError is one
        step(bad)
    assert not step.faults


def broadcast(x):
    return np.broadcast_to(np.exp(x), (2, 3))


RETURNING = {
    "gradient": grad(np.sum),
    "value": lambda x: vjp(broadcast, x)[0],
    "tangent": lambda x: jvp(broadcast, (x,), (x,))[1],
}


@pytest.mark.parametrize("name", RETURNING)
def test_results_may_be_written_to_like_those_of_the_function(name):
    function = RETURNING[name]
    step, x = compiled(function), np.array([1.0, 2.0, 3.0])
    for _ in range(4):  # two are recorded, then the program runs
        found = step(x)
        np.testing.assert_array_equal(found, function(x))
        found[...] = 7.0
    assert len(step.programs()) == 1


def test_writes_reach_the_argument_and_results_are_new():
    outside = np.arange(3.0)

    def function(x):
        x[:2] *= 2.0
        y = x + 1.0
        return x, x[1:], outside, y, y[::-1]

    step = compiled(function)
    for k in range(5):
        x, expected = np.full(3, k + 1.0), np.full(3, k + 1.0)
        results = step(x)
        for found, wanted in zip(results, function(expected), strict=True):
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(x, expected)
        for found in results:
            assert not np.shares_memory(found, x)
            assert not np.shares_memory(found, outside)
        assert np.shares_memory(results[3], results[4])
    assert len(step.programs()) == 1


def test_a_fault_while_a_program_is_compiled_leaves_the_function_to_the_tape(monkeypatch):
    def optimized(program):
        raise KeyError("of ours")

    monkeypatch.setattr(compile, "optimized", optimized)
    monkeypatch.setattr(settings, "faults_raise", False)
    step = compiled(grad(lambda x: np.sum(np.sin(x))))
    for _ in range(3):
        np.testing.assert_array_equal(step(np.zeros(3)), np.ones(3))
    step.prepare(np.zeros(4))  # as above, of another signature
    assert "the compiler raised KeyError" in step.explain()
    monkeypatch.setattr(settings, "faults_raise", True)
    with pytest.raises(compile.CompiledProgramError, match="of ours"):
        step.prepare(np.zeros(5))


def test_what_stays_on_the_tape_is_told_once():
    """With the line of the call, the reason and the line that it comes from."""

    def text_of(x):
        return len(str(x))

    step = compiled(text_of)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(4):
            assert step(np.ones(3)) == text_of(np.ones(3))
    (warning,) = told
    assert warning.category is NotCompiledWarning
    assert warning.filename == __file__
    line = text_of.__code__.co_firstlineno + 1
    reason = rf"runs on the tape: recording x.__str__.*test_compile.py:{line}"
    assert re.search(reason, str(warning.message))


def test_compiling_for_seconds_is_told(monkeypatch, caplog):
    monkeypatch.setattr("chainrules_programs.compiling.compile.MANY_STEPS", 2)
    step = compiled(lambda x: np.sum(np.sin(x) * x))
    for _ in range(4):
        step(np.ones(3))
    (record,) = caplog.records
    assert "compiles a program of 3 steps now" in record.getMessage()


@dataclass
class Pair:
    """Two results."""

    one: object
    other: object


def test_results_in_containers_of_other_classes_compile():
    function = compiled(lambda x: Pair(2.0 * x, (x, "text")))
    for k in range(4):
        x = np.arange(3.0) + k
        found = function(x)
        assert type(found) is Pair
        np.testing.assert_array_equal(found.one, 2.0 * x)
        np.testing.assert_array_equal(found.other[0], x)
        assert found.other[1] == "text"
    assert function.count_of_programs() == 1


def test_an_object_that_no_program_can_make_holds_plain_arrays():
    class Holder:
        def __init__(self, held):
            self.held = held

    function = compiled(lambda x: Holder(2.0 * x))
    with pytest.warns(NotCompiledWarning, match="holds a Holder"):
        first = function(np.ones(3))
    for found in (first, function(np.ones(3))):
        assert type(found.held) is np.ndarray


def test_positions_become_inputs_while_runs_wait_for_one_like_them():
    order = np.array([2, 0, 1])

    def energy(x):
        y = x[order]
        y = 2.0 * y if x[0] > 0 else y
        y = np.sin(y) if x[1] > 0 else y
        return np.sum(y * y)

    slope = compiled(grad(energy))
    signs = [(1, 1), (1, -1), (-1, 1), (1, 1), (1, -1), (1, 1), (1, -1), (-1, 1)]
    for one, other in signs:
        x = np.array([one, other, 0.7])
        np.testing.assert_allclose(slope(x), grad(energy)(x))
    assert slope.reasons == []
    assert slope.count_of_programs() >= 2


CALLED = 0.0


def called(k):
    global CALLED
    CALLED = float(k)
    return np.ones(3)


CHANGING = {  # why, a function, and its argument in call k
    "each call is of another kind": (np.sum, lambda k: np.ones(k + 1)),
    r"calls go different ways: int\(.* at test_compile.py, line \d* is not": (
        lambda x: np.sum(x) * int(x[0]),
        lambda k: np.full(3, k + 0.5),
    ),
    "CALLED is another one at each call": (lambda x: CALLED * np.sum(x), called),
    r"recording x.__str__\(\.\.\.\)": (lambda x: len(str(x)), lambda k: np.ones(k + 1)),
}


@pytest.mark.parametrize("reason", CHANGING)
def test_compiling_that_does_not_pay_is_given_up(monkeypatch, reason):
    recorded = []
    record = compile.record
    monkeypatch.setattr(compile, "record", lambda *args: recorded.append(1) or record(*args))
    function, argument = CHANGING[reason]
    step = compiled(function)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for k in range(450):
            x = argument(k)
            assert step(x) == function(x)
    (warning,) = told
    assert re.search(reason, str(warning.message))
    assert len(recorded) <= 4 + 450 // 100
    assert step.count_of_programs() <= 8
    assert not step.programs()
    if function is np.sum:  # calls that have become alike
        for _ in range(110):
            step(np.ones(500))
        assert step.programs()


def test_an_attribute_is_no_global_of_its_name():
    f = grad(lambda x: np.sum(np.linalg.svd(x).S ** 2))
    step = compiled(f)
    for k in range(4):
        globals()["S"] = k
        np.testing.assert_allclose(step(k + np.eye(2)), f(k + np.eye(2)))
    assert step.programs()


def test_functions_among_arguments_leave_nothing():
    step = compiled(lambda f, x: f(x))
    alive = weakref.WeakSet()
    with warnings.catch_warnings(action="ignore"):
        for _ in range(50):
            f = lambda x: 2.0 * x  # noqa: E731
            alive.add(f)
            step(f, np.ones(3))
    del f
    gc.collect()
    assert len(alive) <= 8


def drawing(x):
    y = np.sin(x)
    rng = np.random.default_rng()
    return np.sum(y * rng.normal())


def by_a_clock(x):
    y = np.sin(x)
    started = time.perf_counter() % 1.0  # of which a run takes more than roundoff
    return np.sum(y * started)


def looking(x):
    y = np.sin(x)
    known = repr(x)
    return np.sum(y * float(known[7:12]))


@pytest.mark.parametrize("function", [drawing, by_a_clock, looking])
def test_runs_that_differ_say_where(function):
    step, x = compiled(function), np.array([1.234, 0.5])
    line = function.__code__.co_firstlineno + 3
    step(x)
    with pytest.warns(NotCompiledWarning, match=rf"first by multiply at .*test_compile.py:{line}:"):
        step(1.1 * x)


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "slope.py"
    path.write_text("former")
    step = compiled(grad(np.sum))
    broken = compiled(np.sum)
    broken.source = lambda x: "\ud800"
    with pytest.raises(UnicodeEncodeError):
        broken.save(path, np.ones(2))
    assert path.read_text() == "former"
    step.save(path, np.ones(2))
    assert "np.ones" in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


def test_a_recording_has_an_end(monkeypatch):
    monkeypatch.setattr("chainrules_programs.recording.operations.MOST_STEPS", 50)

    def repeated(x):
        for _ in range(30):
            x = np.sin(x) * x
        return np.sum(x)

    step = compiled(grad(repeated))
    line = repeated.__code__.co_firstlineno + 2
    with pytest.warns(NotCompiledWarning, match=rf"more than 50 steps.*:{line}; compile what"):
        step(np.ones(2))


def test_a_loop_that_goes_different_ways_is_given_up(monkeypatch):
    monkeypatch.setattr(compile, "SECONDS", 0.0)
    monkeypatch.setattr(settings, "patience", 0.1)
    data = np.random.default_rng(0).normal(size=200)

    def walk(x):
        for k in range(200):
            if data[k] > 0:
                x = np.sin(x)
            x = x + 0.1 * np.cos(x) * x
        return np.sum(x)

    step, x = compiled(grad(walk)), np.ones(2)
    line = walk.__code__.co_firstlineno + 4
    with pytest.warns(NotCompiledWarning, match=rf"different ways.*test_compile.py:{line}; write"):
        step(x)
    assert not step.programs()
    step.prepare(x)
    assert step.programs()


def test_a_long_loop_is_waited_for(monkeypatch):
    monkeypatch.setattr(compile, "SECONDS", 0.0)
    monkeypatch.setattr(settings, "patience", 0.1)

    def repeated(x):
        for _ in range(400):
            x = x + 0.1 * np.cos(x) * x
        return x

    step = compiled(grad(repeated))
    assert step(0.3) == step(0.3)
    assert step.programs()


EYE = scipy.sparse.csr_array(np.eye(2))
NAMED = {
    "scipy.sparse._spbase.__add__": lambda x: np.sum(EYE + np.outer(x, x)),
    "scipy.integrate.quad": lambda x: scipy.integrate.quad(lambda y: y * x[0], 0.0, 1.0)[0],
}


@pytest.mark.parametrize("name", NAMED)
def test_a_function_that_cannot_be_recorded_is_named(name):
    step = compiled(NAMED[name])
    line = NAMED[name].__code__.co_firstlineno
    with pytest.warns(
        NotCompiledWarning, match=rf"tape: recording {name}: .*test_compile.py:{line};"
    ):
        step(np.ones(2))


def test_points_of_an_image_are_no_constants():
    """At positions of 576 points, more than a guard compares, and at others in each call."""
    image, grid = np.random.default_rng(0).random((24, 24)), np.mgrid[:24, :24].astype(float)
    slope = grad(lambda p: np.sum(map_coordinates(image, grid + p[:, None, None], order=1) ** 2))
    step = compiled(slope)
    for k in range(4):
        p = np.array([0.3 + k, 0.2])
        np.testing.assert_allclose(step(p), slope(p))
    assert len(step.programs()) == 1


def test_cotangents_of_one_number_as_a_number_and_as_arrays_without_axes():
    """Sums of two such arrays are numbers of NumPy's, which nobody adds into."""

    def flattened(z):
        return np.reshape(np.reshape(tnp.asarray(z), -1), ())

    def f(t):
        x = t * np.arange(1.0, 6.0)
        last = x[-1]
        period = last - x[0]
        return flattened(last) - flattened(last) + period

    step = compiled(grad(f))
    assert [step(0.5), step(0.7)] == [4.0, 4.0]
    assert len(step.programs()) == 1


def raising(x):
    with np.errstate(divide="raise"):
        return np.sum(np.log(x))


def catching(x):
    try:
        return raising(x)
    except FloatingPointError:
        return 7.0 * np.sum(x)


def warning(x):
    with warnings.catch_warnings(action="error"):
        return np.sum(np.log(x))


@pytest.mark.parametrize("derivative", [lambda f: f, grad])
@pytest.mark.parametrize("function", [raising, catching, warning])
@pytest.mark.filterwarnings("default::RuntimeWarning")
def test_errors_that_raise_within_a_function_raise_at_each_call(function, derivative):
    plain = derivative(function)
    program = compiled(plain)
    good, bad = np.array([1.0, 2.0]), np.array([0.0, 2.0])
    with np.errstate(divide="warn"):
        for x in (good, good + 1.0, good + 2.0, *(bad,) * 6):
            if function is catching or x is not bad:
                np.testing.assert_array_equal(program(x), plain(x))
            else:
                with pytest.raises((FloatingPointError, RuntimeWarning)):
                    program(x)


POINT = np.array([1.0, 2.0])
POINTS = [POINT]
ONE_OBJECT = {
    "two arguments": lambda x, y: np.sum(x * y) if x is y else -np.sum(x * y),
    "identities": lambda x, y: np.sum(x * y) if id(x) == id(y) else -np.sum(x * y),
    "an entry of a list": lambda x, y: np.sum(x) if any(x is z for z in [y]) else -np.sum(x),
    "a global": lambda x, y: np.sum(x + y) if x is POINT else -np.sum(x + y),
    "an entry of a global": lambda x, y: np.sum(x + y) if x is POINTS[0] else -np.sum(x + y),
}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("function", ONE_OBJECT.values(), ids=ONE_OBJECT)
def test_the_branch_of_one_object_is_the_functions_at_each_call(function, first):
    program, calls = compiled(function), [(POINT, POINT), (POINT + 1.0, POINT)]
    for args in [*[calls[first]] * 3, calls[1 - first], calls[first]]:
        assert program(*args) == function(*args)
