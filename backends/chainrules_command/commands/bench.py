"""`chainrules bench module:function [arguments]`: what the gradient of a call costs, in units of
the call.
"""

import argparse
from collections.abc import Callable
from statistics import median
from time import monotonic, process_time
from typing import Any, TextIO

import numpy as np

from chainrules_command.answers import Answer, Table
from chainrules_command.arguments import positions_of_real_numbers, require_arguments, values_of
from chainrules_command.commands.show import add_call
from chainrules_command.commands.trial import require_numbers
from chainrules_command.misuse import MisuseError
from chainrules_command.names import function_named
from chainrules_foreign_code.report import leaves
from chainrules_programs.showing.program import read_program
from chainrules_py.testing.progress import Bar
from chainrules_tape import value_and_grad
from chainrules_tape.refusals.errors import InputError

EXAMPLES = """\
  chainrules bench ./model.py:loss "float64[1000]" "float64[1000,1000]"
  chainrules bench ./model.py:loss 0.5 --seconds 10 --json
"""
ROUNDS = 25


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_call(parser)
    parser.add_argument("--seconds", type=float, default=2.0, help="about how long to measure (2)")


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Time the function and its value and gradient by turns."""
    function = function_named(options.function)
    args = values_of(options.args)
    require_arguments(options.function, function, args)
    argnums = positions_of_real_numbers(options.function, args)
    require_numbers(options.function, function(*args))
    require_time(options.seconds)

    gradient = value_and_grad(total(function), argnums=argnums)
    plain, both, quotient = by_turns(
        lambda: function(*args), lambda: gradient(*args), options.seconds, Bar(err)
    )
    try:
        kept = read_program(function, *args).nbytes
    except InputError:  # it writes into arrays
        kept = None
    return answer(plain, both, quotient, kept)


def require_time(seconds: float) -> None:
    """Refuse a time to measure that is not positive, or has no end."""
    if not 0 < seconds < float("inf"):
        instead = "write how long to measure, as in --seconds 2"
        raise MisuseError("--seconds", f"got {seconds}", instead)


def answer(plain: float, both: float, quotient: float, kept: int | None) -> Answer:
    """Put the seconds of the function, those with its gradient, their quotient and the bytes that
    are kept into an answer.
    """
    data = {"seconds": plain, "seconds_with_gradient": both, "ratio": quotient, "bytes_kept": kept}
    rows = [
        ("the function", f"{1e6 * plain:.4g}", "1"),
        ("its value and gradient", f"{1e6 * both:.4g}", f"{quotient:.3g}"),
    ]
    table = Table(("", "µs", "ratio"), rows, right=("µs", "ratio"))
    memory = "" if kept is None else f"{kept:,} bytes are kept for the pullback. "
    return Answer(data, [table, f"{memory}Times are of the processor, and medians."])


def total(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a real number of what a function returns: the number itself, or the sum."""

    def summed(*args):
        y = function(*args)
        if isinstance(y, dict | list | tuple):
            return sum(np.sum(np.real(part)) for part in leaves(y))
        return y if np.ndim(y) == 0 and not np.iscomplexobj(y) else np.sum(np.real(y))

    return summed


def by_turns(
    one: Callable[[], Any], other: Callable[[], Any], seconds: float, bar: Bar
) -> tuple[float, float, float]:
    """Measure the median seconds of two calls side by side, and the median of their quotients, the
    second over the first.
    """
    share = seconds / (2 * ROUNDS)
    counts = [calls_within(share, call) for call in (one, other)]
    samples = []
    for number in range(ROUNDS):
        bar.show(number, ROUNDS, "by turns")
        samples.append([sample(one, counts[0]), sample(other, counts[1])])
    bar.clear()
    firsts, seconds_of_other = zip(*samples, strict=True)
    return median(firsts), median(seconds_of_other), median(b / a for a, b in samples)


def calls_within(seconds: float, call: Callable[[], Any]) -> int:
    """Count the calls that fill a time, at least one; the first call, which imports and compiles,
    does not count.
    """
    call()
    begin = monotonic()
    call()
    return max(1, int(seconds / (monotonic() - begin)))


def sample(call: Callable[[], Any], count: int) -> float:
    """Return the seconds of the processor per call."""
    begin = process_time()
    for _ in range(count):
        call()
    return (process_time() - begin) / count
