"""Threads that record on one tape, where the interpreter switches between them in the middle of a
record, too.
"""

import operator
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.tangents import ZERO
from chainrules_tape import grad, jvp
from chainrules_tape.core import config, locked_tape
from chainrules_tape.core.config import engine_of

X = np.linspace(0.1, 1.0, 16)
BINARY = (operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul)


def stretch(x):
    for _ in range(40):
        x = np.sin(x) * 1.01
    return x


def in_threads(x):
    with ThreadPoolExecutor(8) as pool:
        return sum(np.sum(y) for y in pool.map(stretch, [x[i : i + 2] for i in range(0, 16, 2)]))


@pytest.fixture
def switching():
    """Threads take turns as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


WATCHERS = {
    "nobody": (lambda watch: None, lambda: None),
    "a debugger": (threading.settrace, threading.gettrace),
    "a profiler": (threading.setprofile, threading.getprofile),
}


def watch(frame, event, argument):
    return watch


@pytest.mark.parametrize("who", WATCHERS)
def test_threads_inside_a_trace_record_what_one_thread_would(who, switching):
    expected = grad(lambda x: np.sum(stretch(x)))(X)
    register, registered = WATCHERS[who]
    before = registered()
    register(watch)
    try:
        found = [grad(in_threads)(X) for _ in range(4)]
    finally:
        register(before)
    np.testing.assert_allclose(found, [expected] * 4)


def test_an_interpreter_without_a_global_lock(monkeypatch):
    monkeypatch.setattr(config, "ONE_AT_A_TIME", False)
    assert type(config.new_tape(engine_of(default_rules))) is locked_tape.LockedTape
    np.testing.assert_allclose(grad(in_threads)(X), grad(lambda x: np.sum(stretch(x)))(X))


@pytest.mark.parametrize("way", [grad, lambda f: lambda x: jvp(f, (x,), (x,))])
@pytest.mark.parametrize("operate", [np.multiply, *BINARY])
def test_tangents_beside_what_is_traced_decide(monkeypatch, operate, way):
    """As under a debugger: second derivatives meet zeros."""
    found = []

    def f(x):
        found.append([result_of(operate, *pair) for pair in ((x, ZERO), (ZERO, x))])
        return np.sum(x)

    way(f)(X)
    monkeypatch.setattr(config, "ONE_AT_A_TIME", False)
    way(f)(X)
    assert found[0] == found[1]


def result_of(operate, *args):
    """What an operation gives: zero, a value, or an error."""
    try:
        return type(operate(*args))
    except TypeError as error:
        return type(error)
