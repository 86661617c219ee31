"""The process of one library.

It reads a line for each question and answers by a line of JSON: `begin PROGRAM` builds the gradient
and calls it twice, `sample CALLS PROGRAM` times some calls, after a quarter as many that are not
timed.
"""

import json
import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import process_time
from typing import Any, TextIO

import numpy as np

from benchmarks.contenders import by_compilers, by_python
from benchmarks.contenders.by_python import LeftOut, numbers, product, require_compiled
from benchmarks.contenders.known import KNOWN, Known
from benchmarks.measure import WARMING, apart_from_libraries, calibrated, sample
from benchmarks.programs.program import Gradient, Program

SECONDS = 0.02  # of a sample
Prepare = Callable[[Known], Gradient]
# By the name that readers see: the library that has to be there, and how it takes a gradient.
CONTENDERS: dict[str, tuple[str, Prepare]] = {
    "tape": ("optree", by_python.by_tape),
    "compiled": ("optree", by_python.by_compiled),
    'to="jax"': ("jax", partial(by_python.by_compiled, to="jax")),
    "by hand": ("numpy", by_python.by_hand),
    "autograd": ("autograd", by_python.by_autograd),
    "advect": ("advect", by_python.by_advect),
    "PyTorch": ("torch", by_python.by_torch),
    "JAX": ("jax", by_compilers.by_jax),
    "asdex": ("asdex", by_compilers.by_asdex),
    "CasADi": ("casadi", by_compilers.by_casadi),
    "PyTensor": ("pytensor", by_compilers.by_pytensor),
}
OURS = ("tape", "compiled", 'to="jax"')
# What a library does at its first compilation ever is not the price of a program.
WARM_UP = Known(
    "100 sines of 100 numbers",
    Program("", lambda xp, p, _: xp.sum(xp.exp(p[0])), lambda: ((np.ones(2),), ())),
)


def processor_seconds() -> float:
    """The time of this process and of those that it has started, such as compilers."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


class Answers:
    """The gradients of one library, and how they are asked for."""

    def __init__(self, library: str) -> None:
        self.prepare = CONTENDERS[library][1]
        self.runs: dict[str, Gradient] = {}
        with suppress(Exception):  # which `begin` tells of a program
            run = self.prepare(WARM_UP)
            for _ in range(2):
                run()

    def begin(self, name: str) -> dict[str, Any]:
        """The times of the first calls, what they found, and how many calls are a sample."""
        known = KNOWN[name]
        started = processor_seconds()
        try:
            run = self.prepare(known)
            found = run()
            first = processor_seconds() - started
            run()
            require_compiled(run)
        except LeftOut as reason:
            return {"left out": str(reason)}
        except ImportError:
            return {"left out": "this version has it not"}
        except Exception as error:
            traceback.print_exc()
            said = str(error).splitlines() or [""]
            return {"left out": f"it raises {type(error).__name__}: {said[0]}"}
        both = processor_seconds() - started
        self.runs[name] = run
        calls, seconds = calibrated(run, SECONDS)
        shown = numbers(found) if known.system is None else product(found)
        return {"first": first, "two": both, "found": shown, "calls": calls, "seconds": seconds}

    def sample(self, calls: str, name: str) -> float:
        """Seconds per call."""
        run, count = self.runs[name], int(calls)
        for _ in range(count // WARMING if count >= WARMING else count - 1):
            run()
        return sample(run, count)


def answer(library: str, questions: TextIO, answers: TextIO) -> None:
    """Answer questions until they end."""
    known = Answers(library)
    with apart_from_libraries():
        for line in questions:
            question, *about = line.rstrip("\n").split("\t")
            print(json.dumps(getattr(known, question)(*about)), file=answers, flush=True)


@contextmanager
def private_output() -> Iterator[TextIO]:
    """Standard output for answers alone: what libraries print goes to the errors."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        yield answers


def main(library: str) -> None:
    """Be the process of a library."""
    with private_output() as output:
        answer(library, sys.stdin, output)
