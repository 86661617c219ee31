"""Interrupts, signal handlers and forks leave the process as it was, wherever they come."""

import gc
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import ModuleSpec
from threading import get_ident

import numpy as np
import pytest

import strangers
from chainrules_py import scalar_rule
from chainrules_py.introspection import collections_paused
from chainrules_py.table.registration import MOST_HOLDING
from chainrules_py.values.structure import MOST_CLASSES
from chainrules_tape import (
    InputError,
    compiled,
    grad,
    hvp,
    jacobian,
    jvp,
    seen_through,
    taylor,
    vmap,
)
from chainrules_tape.core.levels import open_levels
from interruptions import everything, steps
from processes import printed

X, POINTS = 0.7, 250  # of each program


def in_a_scope():
    with seen_through("strangers"):
        return grad(strangers.closure)(X)


def in_nested_scopes():
    with seen_through("strangers.rotations"):
        return in_a_scope()


@seen_through
def marked(x):
    return math.sin(x) * x


def pause():
    with collections_paused(all_stay=True), collections_paused():
        pass


PROGRAMS = {
    "a scope": in_a_scope,
    "scopes": in_nested_scopes,
    "a marked function": lambda: grad(marked)(X),
    "a pause": pause,
    "a gradient": lambda: grad(np.sin)(X),
    "forward mode": lambda: jvp(np.sin, (X,), (1.0,)),
    "a sparse Jacobian": lambda: jacobian(np.cumsum, sparse=True)(np.ones(3)),
}


def state():
    return everything(strangers, strangers.rotations, sys.modules[__name__])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_an_interrupt_leaves_everything_as_it_was(program):
    program(), program()
    before, (count, _) = state(), steps(program)
    points = range(1, count + 1)
    left = {}
    for point in random.Random(0).sample(points, min(count, POINTS)):
        _, place = steps(program, point)
        now = state()
        if now != before:
            left[place] = [key for key in before | now if before.get(key) != now.get(key)]
            break
    assert left == {}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_an_interrupt_where_numpy_sets_what_it_does_about_errors(program):
    program()
    before, (count, _) = state(), steps(program, file="_ufunc_config.py")
    for point in range(1, count + 1):
        steps(program, point, "_ufunc_config.py")
        assert state() == before


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_full_stack_leaves_everything_as_it_was(program):
    def deeper(count):
        return program() if not count else deeper(count - 1)

    program(), program()
    before, depth = state(), len(list(frames(sys._getframe())))
    errors = 0
    for count in range(60):
        try:
            deeper(sys.getrecursionlimit() - depth - 60 + count)
        except RecursionError:
            errors += 1
        assert state() == before
    assert errors > 5


def frames(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
def test_a_signal_handler_may_differentiate_whatever_it_interrupts():
    found = []

    def handler(*_):
        found.append((grad(marked)(X), in_a_scope()))

    expected = grad(marked)(X), in_a_scope()
    before, old = state(), signal.signal(signal.SIGALRM, handler)
    draw = random.Random(0)
    try:
        for _ in range(100):
            signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-6, 2e-3))
            assert (grad(marked)(X), in_nested_scopes()) == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert set(found) == {expected}
    assert state() == before


class Silent(Exception):
    def __str__(self):
        raise ValueError("no text")

    __repr__ = __str__


def raise_silent(x):
    raise Silent


DERIVATIVES = {
    "grad": lambda f: grad(f)(X),
    "hvp": lambda f: hvp(f, X, 1.0),
    "jacobian": lambda f: jacobian(f)(np.ones(2)),
    "jvp": lambda f: jvp(f, (X,), (1.0,)),
    "lanes": lambda f: vmap(f)(np.ones(3)),
    "a series": lambda f: taylor(f, X, order=2),
    "a mark": lambda f: grad(seen_through(f))(X),
    "a program": lambda f: compiled(grad(f))(X),
}


@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
@pytest.mark.parametrize("of", DERIVATIVES.values(), ids=DERIVATIVES)
def test_an_exception_that_cannot_say_anything_arrives(of):
    with pytest.raises(Silent):
        of(raise_silent)


@pytest.mark.parametrize("name", ["chainrules_tape", "chainrules_py.rules"])
def test_this_librarys_own_packages_are_not_seen_through(name):
    with pytest.raises(InputError, match="leave it out"), seen_through(name):
        pass


def rule_that_goes(_):
    def f(x):
        return x

    scalar_rule(f, "x", "1.0")
    grad(lambda x: f(x) * x)(X)
    return weakref.ref(f)


def class_that_goes(_):
    @dataclass
    class Pair:
        a: float
        b: float

    grad(lambda p: p.a * p.b)(Pair(X, X))
    return weakref.ref(Pair)


@pytest.mark.filterwarnings("ignore::chainrules_tape.BypassedRuleWarning")
@pytest.mark.parametrize(
    ("make", "most"), [(rule_that_goes, MOST_HOLDING + 2), (class_that_goes, MOST_CLASSES)]
)
def test_rules_and_classes_that_are_gone_are_let_go(make, most):
    made = list(map(make, range(most + 50)))
    gc.collect()
    assert sum(each() is not None for each in made) <= most


IMPORTED_AGAIN = """
import sys
from chainrules_tape import grad
for name in [name for name in sys.modules if name.startswith("chainrules")]:
    del sys.modules[name]
try:
    grad(lambda x: x * x)(3.0)
except Exception as error:
    print(error)
import chainrules_tape
print(chainrules_tape.grad(lambda x: x * x)(3.0))
"""


def test_what_is_imported_once_more_has_rules_and_what_was_before_says_so():
    said, found = printed(IMPORTED_AGAIN).splitlines()
    assert "import them once more" in said
    assert found == "6.0"


def in_threads():
    """What threads do while one of them forks, as often as they can."""

    def scopes():
        in_a_scope(), grad(marked)(X)

    def rules():
        scalar_rule(lambda x: x, "x", "1.0")

    def programs():
        f = compiled(grad(lambda x: np.sum(np.sin(x) * x)))
        f(np.ones(3)), f(np.ones(3))

    return scopes, rules, programs, pause


def forked():
    """Fork while threads work; how many children did not find the process as it was."""
    for step in in_threads():
        step(), step()
    globals().setdefault("__warningregistry__", {})  # where Python notes that it warned of a fork
    before, stop = state(), threading.Event()

    def work(step):
        while not stop.wait(2e-3):
            step()

    threads = [threading.Thread(target=work, args=[step]) for step in in_threads()]
    for thread in threads:
        thread.start()
    failed = 0
    for _ in range(20):
        stop.wait(random.uniform(0, 1e-2))
        child = os.fork()
        if not child:
            signal.alarm(20)
            is_as_it_was = state() == before and set(open_levels.values()) <= {get_ident()}
            for step in in_threads():
                step()
            os._exit(not (is_as_it_was and state() == before))
        failed += os.waitpid(child, 0)[1] != 0
    stop.set()
    for thread in threads:
        thread.join()
    return failed


def forked_while_recording():
    """Fork while a thread records a compiled function; whether the child compiles it."""
    recording = threading.Event()

    @compiled
    def f(x):
        if threading.current_thread() is not threading.main_thread():
            recording.set()
            stop.wait(20)
        return np.sin(x)

    stop = threading.Event()
    thread = threading.Thread(target=f, args=[np.ones(3)])
    thread.start()
    recording.wait()
    child = os.fork()
    if not child:
        f(np.ones(4)), f(np.ones(4))
        os._exit(f.count_of_programs() != 1)
    stop.set()
    thread.join()
    return os.waitpid(child, 0)[1]


class Slowly:
    """Finds the module of this name, and loads it."""

    begun = threading.Event()

    def find_spec(name, *rest):
        return ModuleSpec(name, Slowly) if name == "slowly" else None

    def create_module(spec):
        return None

    def exec_module(module):
        Slowly.begun.set()
        time.sleep(0.5)


def forked_while_importing():
    """Fork while a thread imports a module, as first derivatives do; whether the child cannot."""
    sys.meta_path.append(Slowly)
    thread = threading.Thread(target=import_module, args=["slowly"])
    thread.start()
    Slowly.begun.wait()
    child = os.fork()
    if not child:
        signal.alarm(20)
        import_module("slowly")
        os._exit(0)
    thread.join()
    return os.waitpid(child, 0)[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.one_in(6)
@pytest.mark.parametrize("what", [forked, forked_while_recording, forked_while_importing])
def test_a_child_that_is_forked_while_threads_work_is_alone_and_as_the_process_was(what):
    code = f"import test_faults as t; print(t.{what.__name__}())"
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=os.path.dirname(__file__),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert (ran.stdout, ran.stderr) == ("0\n", "")
