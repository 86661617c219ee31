"""Threads that record on one tape, where the interpreter switches between them in the middle of a
record, too.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_tape import grad
from chainrules_tape.core import config, locked_tape
from chainrules_tape.core.config import engine_of

X = np.linspace(0.1, 1.0, 16)


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
