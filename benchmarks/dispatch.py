"""The cost of a call of `rrule` or `frule` above NumPy's work, of a first call, and of importing."""

import os
import subprocess
import sys
import timeit
from statistics import median
from typing import Any

import numpy as np

from benchmarks.measure import excess
from benchmarks.titles import titled
from chainrules_py import ZERO, default_rules, frule, rrule


class Lookup:
    """From a primal and classes to a rule."""

    def setup(self) -> None:
        rrule(np.sin, np.ones(1))

    @titled("find a rule: rrule.find(sin, ndarray)")
    def time_find(self) -> None:
        rrule.find(np.sin, np.ndarray)

    @titled("resolve hits its cache", "nanoseconds")
    def track_resolve(self) -> float:
        """The look-up as an engine asks for it: with the classes and the pattern of needs at hand."""
        resolve, primal, types, needs = (
            default_rules.resolve,
            np.multiply,
            (np.ndarray, np.ndarray),
            (True, False),
        )
        hits = timeit.repeat(
            lambda: resolve("reverse", primal, types, needs), number=50_000, repeat=9
        )
        return min(hits) / 50_000 * 1e9

    @titled("canonical form of a call with an option")
    def time_canonical(self) -> None:
        default_rules.canonical(np.sum, (1.0,), {"axis": 0})


class Calls:
    """Calls on one number."""

    def setup(self) -> None:
        self.x, self.bar = np.ones(1), np.full(1, 0.5)
        self.y, self.pullback = rrule(np.sin, self.x)
        rrule(np.multiply, self.x, self.x)
        frule((self.bar,), np.sin, self.x)

    @titled("rrule(sin, x), size 1")
    def time_rrule(self) -> None:
        rrule(np.sin, self.x)

    @titled("pullback of sin, size 1")
    def time_pullback(self) -> None:
        self.pullback(self.bar)

    @titled("rrule(multiply, x, x), size 1")
    def time_rrule_of_two(self) -> None:
        rrule(np.multiply, self.x, self.x)

    @titled("rrule(sum, x, axis=0), size 1")
    def time_rrule_with_option(self) -> None:
        rrule(np.sum, self.x, axis=0)

    @titled("frule(sin, x), size 1")
    def time_frule(self) -> None:
        frule((self.bar,), np.sin, self.x)

    @titled("frule(multiply, x, x), one tangent zero")
    def time_frule_with_zero(self) -> None:
        frule((self.bar, ZERO), np.multiply, self.x, self.x)

    @titled("rrule(sin, x), pullback: above NumPy", "microseconds")
    def track_overhead(self) -> float:
        return 1e6 * excess(self.differentiated, self.bare, budget=2.0)

    def differentiated(self) -> Any:
        _, pullback = rrule(np.sin, self.x)
        return pullback(self.bar)

    def bare(self) -> Any:
        return np.sin(self.x), self.bar * np.cos(self.x)


BASE = "import numpy\nfrom time import process_time\nbegin = process_time()\n"
IMPORTED = "print(process_time() - begin)"


def printed_seconds(program: str) -> float:
    """Run a program in a fresh interpreter, which may keep compiled modules; return what it prints."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    return float(done.stdout)


class Start:
    """Fresh interpreters, with NumPy imported already; medians of five."""

    params = ("chainrules_py", "chainrules_py.testing", "chainrules_tape")
    param_names = ("module",)

    @titled("import above numpy", "milliseconds")
    def track_import(self, module: str) -> float:
        program = f"{BASE}import {module}\n{IMPORTED}"
        printed_seconds(program)  # compiles the modules
        return 1e3 * median(printed_seconds(program) for _ in range(5))


class First:
    """The first call of a process."""

    @titled("first rrule of a process", "milliseconds")
    def track_first_call(self) -> float:
        program = (
            f"from chainrules_py import rrule\n{BASE}rrule(numpy.sin, numpy.ones(1))\n{IMPORTED}"
        )
        return 1e3 * median(printed_seconds(program) for _ in range(3))

    @titled("first rrule of another primal", "milliseconds")
    def track_second_primal(self) -> float:
        program = (
            "from chainrules_py import rrule\nimport numpy\nrrule(numpy.sin,"
            f" numpy.ones(1))\n{BASE}"
        )
        return 1e3 * median(
            printed_seconds(f"{program}rrule(numpy.exp, numpy.ones(1))\n{IMPORTED}")
            for _ in range(3)
        )
