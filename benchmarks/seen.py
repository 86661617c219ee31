"""Other people's modules, seen through: what entering a scope and plain calls cost, and conversions
of traced numbers.
"""

import linecache
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import chainrules_tape.numpy as tnp
from benchmarks.cases import Measured, Ratios, measured_cases, ratios_of
from benchmarks.measure import excess, ratio
from benchmarks.targets import ENTERED
from benchmarks.titles import titled
from chainrules_foreign_code.conversions import as_float, as_type
from chainrules_foreign_code.math_functions import module_of_numbers
from chainrules_tape import SeenThroughWarning, grad, only_marked, seen_through

A, NUMBERS = np.ones(3), [1.0, 2.0, 3.0]
SEEN_MATH = module_of_numbers(math)

# Of each function the original, what stands in its place, and arguments.
PLAIN: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = {
    "math.sin(x)": (math.sin, SEEN_MATH.sin, (0.5,)),
    "math.atan2(x, y)": (math.atan2, SEEN_MATH.atan2, (0.5, 2.0)),
    "float(x)": (float, as_float, (0.5,)),
    "type(x)": (type, as_type, (0.5,)),
    "asarray(a)": (np.asarray, tnp.asarray, (A,)),
    "array(list)": (np.array, tnp.array, (NUMBERS,)),
    "sum(a)": (np.sum, tnp.sum, (A,)),
    "dot(a, a)": (np.dot, tnp.dot, (A, A)),
    "concatenate((a, a))": (np.concatenate, tnp.concatenate, ((A, A),)),
    "linalg.norm(a)": (np.linalg.norm, tnp.linalg.norm, (A,)),
    "zeros(3)": (np.zeros, tnp.zeros, (3,)),
}
CALLS = 200  # of a sample, so that calling the sample is no part of it


def repeated(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Call a function many times."""
    for _ in range(CALLS):
        function(*args)


class PlainCalls:
    """Calls with plain values, above those of the original functions; the goal is 150 ns."""

    params = tuple(PLAIN)
    param_names = ("call",)

    def setup(self, name: str) -> None:
        self.scope = seen_through("colorsys").__enter__()

    def teardown(self, name: str) -> None:
        self.scope.__exit__(None, None, None)

    @titled("plain call, seen: above the original", "nanoseconds")
    def track_excess(self, name: str) -> float:
        original, seen, args = PLAIN[name]
        return (
            1e9 * excess(partial(repeated, seen, args), partial(repeated, original, args)) / CALLS
        )


def as_it_is(x: Any) -> Any:
    """Give back what came in."""
    return x


def oscillation(sin: Any, number: Any, x: Any) -> Any:
    """A loop over numbers, as packages without arrays have it, with a conversion in each round."""
    y = x
    for _ in range(200):
        y = sin(number(y)) + y * 0.5
    return y


class Programs:
    """Gradients of a loop that asks for `math` and converts, next to the loop in NumPy's
    operations; the goal is 1.3.
    """

    params = ("math", "float", "asarray", "all")
    param_names = ("conversion",)

    def setup(self, name: str) -> None:
        sin, number = {
            "math": (SEEN_MATH.sin, as_it_is),
            "float": (np.sin, as_float),
            "asarray": (np.sin, tnp.asarray),
            "all": (SEEN_MATH.sin, lambda y: as_float(tnp.asarray(y))),
        }[name]
        self.seen, self.usual = (
            grad(partial(oscillation, sin, number)),
            grad(partial(oscillation, np.sin, as_it_is)),
        )
        self.scope = seen_through("colorsys").__enter__()
        np.testing.assert_allclose(self.seen(0.3), self.usual(0.3), rtol=1e-12)

    def teardown(self, name: str) -> None:
        self.scope.__exit__(None, None, None)

    @titled("loop, seen through / in NumPy", "ratio")
    def track_ratio(self, name: str) -> float:
        return ratio(partial(self.seen, 0.3), partial(self.usual, 0.3), budget=2.0)


FIFTY = "".join(f"def other_{k}(x):\n    return math.sin(x) + {k}\n" for k in range(49))
FIFTY = f"import math\nimport numpy as np\n{FIFTY}def f(x):\n    return np.sum(np.sin(x) * x)\n"


def file_of_fifty(name: str) -> dict[str, Any]:
    """The variables of a file of fifty functions."""
    linecache.cache[name] = len(FIFTY), None, FIFTY.splitlines(keepends=True), name
    variables: dict[str, Any] = {"__name__": name}
    exec(compile(FIFTY, name, "exec"), variables)
    return variables


FOLLOWED = ("marked", "by itself")
FILES = 20


def first_slope(seen: str, file: dict[str, Any]) -> None:
    """Differentiate a function of a file that is refused until the file is seen."""
    f = file["other_0"]
    with only_marked(False), warnings.catch_warnings():
        warnings.simplefilter("ignore", SeenThroughWarning)
        grad(f if seen == "by itself" else seen_through(f))(0.5)


class OwnFile:
    """A file of fifty functions that is seen by a mark, or by itself, next to one that is not: the
    goals are 1.3 for the gradient of three operations on four numbers, and nothing for a plain call,
    which runs the user's own code; the first gradient takes twice that of a marked function at most.
    """

    params = FOLLOWED
    param_names = ("seen",)

    def setup(self, seen: str) -> None:
        self.usual, self.seen = file_of_fifty("<usual>"), file_of_fifty(f"<seen {seen}>")
        self.point = np.array([0.1, 0.2, 0.3, 0.4])
        first_slope(seen, self.seen)
        f = self.seen["f"]
        self.slopes = grad(self.usual["f"]), grad(f if seen == "by itself" else seen_through(f))
        usual, found = (slope(self.point) for slope in self.slopes)
        np.testing.assert_array_equal(usual, found)

    @titled("derivative of seen f / of f", "ratio")
    def track_ratio(self, seen: str) -> float:
        usual, found = (partial(slope, self.point) for slope in self.slopes)
        return ratio(found, usual)

    @titled("first gradient of a file / of a marked", "ratio")
    def track_first(self, seen: str) -> float:
        times: dict[str, list[float]] = {"marked": [], seen: []}
        for k in range(FILES):
            for way, found in times.items():
                file = file_of_fifty(f"<{k} of {seen} {way}>")
                begin = process_time()
                first_slope(way, file)
                found.append(process_time() - begin)
        return median(times[seen]) / median(times["marked"])

    @titled("plain call in a seen file, above another", "nanoseconds")
    def track_excess(self, seen: str) -> float:
        usual, found = (
            partial(repeated, each["other_3"], (0.5,)) for each in (self.usual, self.seen)
        )
        return 1e9 * excess(found, usual) / CALLS


ENTERING = """
import importlib, sys, time
import numpy
from chainrules_tape import grad, seen_through

grad(numpy.sin)(0.5)
with seen_through("colorsys"):
    pass
begin = time.process_time()
importlib.import_module(sys.argv[1])
imported = time.process_time() - begin
scope, times = seen_through(sys.argv[1].partition(".")[0]), []
for _ in range(9):
    begin = time.process_time()
    scope.__enter__()
    times.append(time.process_time() - begin)
    scope.__exit__()
print(times[0] / imported, min(times[1:]))
"""


def entering(name: str, env: dict[str, str]) -> tuple[float, float]:
    """The first scope in a fresh process, by the import of the package, and seconds of later ones."""
    done = subprocess.run(
        [sys.executable, "-c", ENTERING, name], env=env, capture_output=True, text=True, check=True
    )
    first, later = map(float, done.stdout.split())
    return first, later


def times_of_entering(name: str) -> Ratios:
    """The first scope of a package in units of its import, and the seconds of a later one."""
    if not is_installed(name):
        return {}
    paths = os.pathsep.join(path for path in sys.path if path)
    # the first process writes the bytecode of what it imports, of our rules, too
    env = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": ""}
    runs = [entering(name, env) for _ in range(3)]
    first, later = map(min, zip(*runs, strict=True))
    return {"first": first, "later": later}


def is_installed(name: str) -> bool:
    """Tell whether the package of a module can be imported."""
    return find_spec(name.partition(".")[0]) is not None


class Entering:
    """Entering a scope: the first one next to the import of the package, where the goal is 0.3, and
    later ones, 20 ms.

    The import is that of a process that has imported NumPy, and the rules have been read before.
    """

    params = ENTERED
    param_names = ("package",)

    def setup_cache(self) -> Measured:
        return measured_cases(times_of_entering, ENTERED)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, name: str) -> None:
        if not is_installed(name):
            raise NotImplementedError(f"{name} is not installed")
        self.times = ratios_of(measured, name)

    @titled("first scope / import of the package", "ratio")
    def track_first(self, measured: Measured, name: str) -> float:
        return self.times["first"]

    @titled("a later scope", "seconds")
    def track_later(self, measured: Measured, name: str) -> float:
        return self.times["later"]
