"""Files that are seen: what has another code while a derivative is open, whatever comes between."""

import builtins
import gc
import importlib
import linecache
import math
import pickle
import random
import sys
import threading
import traceback
from functools import partial
from types import ModuleType

import numpy as np
import pytest

from chainrules_foreign_code.callees import SEEN, see_file_of
from chainrules_foreign_code.held_functions import functions_with
from chainrules_py.values.plain_code import plain_threads
from chainrules_tape import LostGradientError, grad, seen_through
from chainrules_tape.core.levels import open_levels
from chainrules_tape.refusals.instrumented_packages import is_exchanged
from interruptions import steps
from slopes import quotients

SOURCE = """
import math
import numpy as np

COUNTS = {"sin": math.sin}

class Rod:
    slope = property(lambda self: math.cos(self.length))

    def __init__(self, length):
        self.length = float(length)

    def __add__(self, other):
        return math.exp(self.length) + other

def helper(x):
    y = np.zeros(2)
    y[0], y[1] = COUNTS["sin"](x), float(x)
    return y

def f(x):
    rod = [Rod(x) for _ in range(20)][-1]
    return (rod + rod.slope) * float(np.sum(helper(x)))

def search(a):
    low, high = 0.0, 2.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle < a else (low, middle)
    return low + 0.0 * math.sin(a)
"""
X = 0.5
numbers = iter(range(10**6))


def written(source=SOURCE):
    """A module of a source, as a notebook has it."""
    name = f"<cell {next(numbers)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    module = ModuleType("own_cell")
    exec(compile(source, name, "exec"), vars(module))
    return module


def value(x):
    return (math.exp(x) + math.cos(x)) * (math.sin(x) + x)


SLOPE = quotients(value, X)


def state(module):
    """What must be as it was: of the process, and of the module."""
    found = builtins.__import__, tuple(sys.meta_path), dict(vars(module)), dict(vars(module.Rod))
    levels = open_levels.copy(), plain_threads.copy()
    return found, levels, dict(module.COUNTS), module.f.__defaults__


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_leaves_nothing():
    module = written()
    f = grad(seen_through(module.f))
    assert f(X) == pytest.approx(SLOPE, rel=1e-6)
    before, (count, _) = state(module), steps(lambda: f(X))
    functions = functions_with(vars(module))
    codes = [each.__code__ for each in functions]
    for point in random.Random(0).sample(range(count), 300):
        steps(lambda: f(X), point)
        assert state(module) == before
        assert module.f(X) == value(X)
    assert f(X) == pytest.approx(SLOPE, rel=1e-6)
    assert all(each.__code__ is code for each, code in zip(functions, codes, strict=True))


# an interrupt may come as a generator is closed
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupted_exchange_is_ended_by_the_next_derivative():
    count, _ = steps(lambda: see_file_of(written().f))
    for k in range(12):
        module = written()
        before = state(module)
        slopes = grad(seen_through(module.f))
        steps(partial(slopes, X), 1 + k * count // 10)
        assert state(module) == before
        assert module.f(X) == value(X)
        assert grad(seen_through(module.f))(X) == pytest.approx(SLOPE, rel=1e-6)


def test_it_is_told_whether_something_was_exchanged_and_only_once():
    module = written()
    function, code = module.f, module.f.__code__
    assert see_file_of(module.f) is True
    assert see_file_of(module.helper) is False
    assert see_file_of(np.sin) is False
    assert module.f is function
    assert grad(lambda x: x * is_exchanged(module.f.__code__))(X) == 1.0
    assert module.f.__code__ is code
    assert type(module.helper(X)) is np.ndarray
    assert pickle.loads(pickle.dumps(SEEN)) is SEEN
    with pytest.raises(LostGradientError, match="a search"):  # without a mark, too
        grad(module.search)(2.0)


def test_what_is_frozen_by_the_collector_is_found():
    module = written()
    gc.freeze()
    assert grad(seen_through(module.f))(X) == pytest.approx(SLOPE, rel=1e-6)


def test_other_threads_compute_what_they_computed():
    module = written()
    f, found, is_done = grad(seen_through(module.f)), [], threading.Event()

    def plainly():
        while not is_done.is_set():
            found.append((module.f(X), type(module.helper(X))))

    thread = threading.Thread(target=plainly)
    thread.start()
    slopes = {f(X) for _ in range(200)}
    is_done.set()
    thread.join()
    assert set(found) == {(value(X), np.ndarray)}
    assert len(slopes) == 1


def lines_of(function, *args):
    """The lines of a cell that a call runs, and those of its error."""
    lines = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename.startswith("<cell"):
            lines.append((event, frame.f_lineno, frame.f_code.co_qualname, sorted(frame.f_locals)))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*args)
    except ValueError as error:
        found = traceback.extract_tb(error.__traceback__)
        lines += [(each.name, each.lineno, each.line) for each in found if "cell" in each.filename]
    finally:
        sys.settrace(before)
    return lines


def test_debuggers_and_tracebacks_show_the_lines_of_the_source():
    module = written()
    before = [lines_of(module.f, X), lines_of(module.f, "a"), lines_of(module.search, 2.0)]
    see_file_of(module.f)
    after = [lines_of(module.f, X), lines_of(module.f, "a"), lines_of(module.search, 2.0)]
    assert after == before


def test_what_is_defined_anew_is_seen_anew(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "own_reloaded.py"
    path.write_text("import math\ndef f(x):\n    return math.sin(x)\n")
    module = importlib.import_module("own_reloaded")
    assert grad(seen_through(module.f))(X) == math.cos(X)
    path.write_text("import math\ndef f(x):\n    return 3.0 * math.sinh(x)\n")
    importlib.reload(module)
    assert grad(seen_through(module.f))(X) == pytest.approx(3.0 * math.cosh(X))
    notebook = vars(module)
    exec(compile("def f(x): return later(x)", "<no source>", "exec"), notebook)
    exec(compile("def later(x): return float(x) ** 2", "<no source>", "exec"), notebook)
    assert grad(seen_through(module.f))(X) == 2.0 * X
    exec(compile("def later(x): return math.exp(x)", "<no source>", "exec"), notebook)
    assert grad(seen_through(module.f))(X) == math.exp(X)


def test_a_source_that_was_edited_since_is_not_taken_for_the_function(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "own_edited.py"
    path.write_text("import math\ndef f(x):\n    return math.sin(x)\n")
    module = importlib.import_module("own_edited")
    path.write_text("import math\ndef f(x):\n    return math.sin(2.0 * x)\n")
    assert grad(seen_through(module.f))(X) == math.cos(X)
    assert module.f(X) == math.sin(X)
