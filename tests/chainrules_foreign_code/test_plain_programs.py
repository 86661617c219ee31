"""A derivative leaves the process as it found it: what plain programs and tools say before and after."""

import gc
import math
import runpy
import subprocess
import sys
import time
import weakref
from pathlib import Path
from unittest import mock

import pytest

from chainrules_foreign_code.held_functions import functions_in
from chainrules_tape import LostGradientError, grad, only_marked
from chainrules_tape.refusals.instrumented_packages import needed_by
from own_modules import module_of
from slopes import quotients

TEXT = Path(__file__).with_name("plain_programs.txt").read_text()
PROGRAMS = dict(part.split("\n", 1) for part in TEXT.split("\n=== ")[1:])
HEAD = "import math\nimport numpy as np\n"
APPENDED = "\ndef f(x):\n    return math.sin(x)\n"
pytestmark = pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")


@pytest.fixture(autouse=True)
def by_itself(monkeypatch):
    monkeypatch.setenv("CHAINRULES_ONLY_MARKED", "0")
    with only_marked(False):
        yield


def functions_of(module):
    held = functions_in([*vars(module).values()], module.__name__)
    return [each for each in held if each.__globals__ is vars(module)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plain_program_says_what_it_said(name, tmp_path):
    module = module_of(HEAD + PROGRAMS[name] + APPENDED, tmp_path)
    codes = {each: each.__code__ for each in functions_of(module)}
    expected = module.show()
    for f in [module.f, getattr(module, "g", module.f)]:
        slope = quotients(f, 0.5)
        for _ in range(2):
            assert grad(f)(0.5) == pytest.approx(slope, rel=1e-6)
            assert module.show() == expected
    assert all(each.__code__ is code for each, code in codes.items())


@pytest.mark.parametrize("is_relative", [True, False])
def test_a_script_has_all_of_its_calls_in_a_profile(is_relative, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(
        "import math\nfrom chainrules_tape import grad\n\ndef sine(x):\n    return math.sin(x)\n\n"
        "grad(sine)(0.5)\nfor _ in range(1000):\n    sine(0.1)\nfor _ in range(300):\n    grad(sine)(0.5)\n"
    )
    script = path.name if is_relative else path
    command = [sys.executable, "-W", "ignore", "-m", "cProfile", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    lines = [line.split() for line in ran.stdout.splitlines() if "script.py:4(sine)" in line]
    assert [int(count) for count, *_ in lines] == [1001 + 301]


def test_the_variables_of_a_file_that_is_run_again_are_freed(tmp_path):
    path = tmp_path / "rerun.py"
    path.write_text(
        "import math\nimport numpy as np\nfrom chainrules_tape import grad\n\nclass Large:\n"
        "    pass\n\nlarge = Large()\n\ndef f(x):\n    return math.sin(x)\n\n"
        "slope = grad(f)(0.0)\n"
    )
    found = []
    for _ in range(3):
        space = runpy.run_path(str(path))
        assert space["slope"] == 1.0
        found.append(weakref.ref(space["large"]))
        del space
    gc.unfreeze()  # a look for holders freezes what there is, where the tests have frozen
    gc.collect()
    assert [each() for each in found] == [None] * 3


RUNS = {
    "itself": "thread = Thread(target=lambda: [write(k) or sleep(0.001) for k in range(100)])",
    "a loop of Python's": (
        "table = scheduler()\nfor k in range(100):\n"
        "    table.enter(0.002 * (k + 2), 1, write, (k,))\n"
        "thread = Thread(target=lambda: table.run())"
    ),
    "a timer": "thread = Timer(0.05, lambda: [*map(write, range(100))])",
}


@pytest.mark.parametrize(("run", "seen"), [*zip(RUNS, (20, 20, 100), strict=True)])
def test_what_another_thread_writes_during_a_first_run_stays(run, seen, tmp_path):
    """It may be at the same instruction before and after, or have ended."""
    source = (
        "import math\nfrom sched import scheduler\nfrom threading import Thread, Timer\n"
        f"from time import monotonic, sleep\nlog, count = [], [0]\nend = monotonic() + 2.0\n"
        f"\ndef write(k):\n    log.append(k)\n    count[0] += 1\n\n{RUNS[run]}\n\n"
        f"def f(x):\n    while len(log) < {seen} and monotonic() < end:\n"
        "        sleep(0.001)\n    sleep(0.0005 if len(log) < 100 else 0.05)\n"
        "    return math.sin(x) * (len(log) >= 0) * (count[0] >= 0)\n"
    )
    module = module_of(source, tmp_path)
    module.thread.start()
    time.sleep(0.002)
    with pytest.raises(LostGradientError, match="seen_through"):
        grad(module.f)(0.5)
    module.thread.join()
    assert (module.log, module.count) == ([*range(100)], [100])
    assert grad(module.f)(0.0) == 1.0


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="the system does not tell")
@pytest.mark.parametrize(
    "run", ["Thread(target=lambda: end.wait()).start()", "pool.submit(abs, 1)"]
)
def test_a_thread_that_waits_has_written_nothing(run, tmp_path):
    source = (
        "import math\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "from threading import Event, Thread\ncount, end = [0], Event()\n"
        f"pool = ThreadPoolExecutor(1)\n{run}\n\n"
        "def f(x):\n    count[0] += 1\n    return math.sin(x) * count[0]\n"
    )
    module = module_of(source, tmp_path)
    time.sleep(0.1)  # until it waits
    assert grad(module.f)(0.0) == 1.0
    assert module.count == [1]
    module.end.set()


def test_assertions_keep_their_messages_and_code_is_that_which_was_imported(tmp_path):
    path = tmp_path / "test_values.py"
    path.write_text(
        "import math\nfrom pathlib import Path\nfrom chainrules_tape import grad\n\n"
        "def value(x):\n    assert x > 0\n    return 2.0 * x\n\n"
        "def f(x):\n    return math.sin(x) + value(x)\n\n"
        "def test_one():\n    path = Path(__file__)\n"
        "    path.write_text(path.read_text().replace('2.0 * x', '5.0 * x'))\n"
        "    assert grad(f)(0.5) == math.cos(0.5) + 2.0\n    assert value(1.0) == 2.0\n"
        "    found = 1.0\n    assert found == 3\n\n"
        "def test_two():\n    grad(f)(-1.0)\n"
    )
    command = [sys.executable, "-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", path]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert "assert 1.0 == 3" in said
    assert said.count("AssertionError") + said.count("assert -1.0 > 0") >= 1
    assert "2 failed" in said


@pytest.mark.parametrize("is_before", [True, False])
def test_a_patch_is_followed_by_the_derivative_and_undone(is_before, tmp_path):
    source = (
        "def f(x):\n    return math.exp(x) + helper(x)\n\ndef helper(x):\n    return math.sin(x)\n"
    )
    module = module_of(HEAD + source, tmp_path)
    if is_before:
        grad(module.f)(0.5)
    with mock.patch.object(module, "helper", lambda x: 3.0 * x):
        assert grad(module.f)(0.0) == 4.0
    assert grad(module.f)(0.0) == 2.0
    assert module.f(0.0) == 1.0


@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("name", ["f", "unasked"])
def test_a_code_that_is_assigned_in_between_is_taken(name, times, tmp_path):
    other = "def other(x):\n    return math.exp(2.0 * x)\n"
    unasked = "unasked = lambda x: sum(map(TABLE[0], [x]))\nTABLE = [f]\n"
    module = module_of(HEAD + other + APPENDED + unasked, tmp_path)
    slope = grad(getattr(module, name))
    for _ in range(times):
        assert slope(0.0) == 1.0
    module.f.__code__ = module.other.__code__
    for _ in range(times):
        assert slope(0.0) == 2.0
    assert module.f.__code__ is module.other.__code__


REACHED = """
class Unit:
    size = property(lambda self: float(self.x) if type(self.x) is float else 0.0)

    def __init__(self, x):
        self.x = x

def far(x):
    return math.sin(x)

def other(x):
    return math.exp(x) if type(x) is float else 0.0

def named(x):
    return sum(map(other, [x]))

TABLE = {"near": [named]}

def searched(x):
    a, b = 0.0, 2.0
    while b - a > 1e-12:
        m = 0.5 * (a + b)
        a, b = (a, m) if m * m > x else (m, b)
    return a

def f(x, way="plain"):
    if callable(way):
        return sum(map(way, [x]))
    if way == "plain":
        return 2.0 * float(x)
    if way == "by a table":
        return next(map(*TABLE["near"], [x]))
    if way == "by attributes":
        return Unit(x).size
    return globals()["f" + "ar"](x)
"""


def test_later_derivatives_lend_to_what_they_may_run(tmp_path):
    module = module_of(HEAD + REACHED, tmp_path)
    slope = grad(module.f)
    for _ in range(5):
        assert slope(0.5) == 2.0
    lent = [function() for function in needed_by[id(module.f)].batch]
    lent = {each.__name__ for each in lent if each.__globals__ is vars(module)}
    assert lent == {"f", "named", "other", "searched", "<lambda>", "__init__"}
    assert slope(0.5, "by a table") == pytest.approx(math.exp(0.5))
    assert slope(0.5, "by attributes") == 1.0
    assert slope(0.5, "by a computed name") == math.cos(0.5)
    for _ in range(4):
        assert slope(0.5) == 2.0
    assert slope(0.5, module.far) == math.cos(0.5)  # which nothing leads to
    with pytest.raises(LostGradientError, match="search"):
        slope(0.5, module.searched)
