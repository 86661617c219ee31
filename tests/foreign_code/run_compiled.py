"""Which calls of the lists, of those that are right on the tape, `compiled` compiles, and why others are
not: the figures of docs/design/compiling.md.

The first argument is the folder of the packages; further ones name some of them.
"""

import importlib
import sys
from collections import Counter
from functools import partial
from string import ascii_lowercase

import numpy as np
from attempts import (
    MODEL,
    RIGHT,
    SERIES,
    VALUES,
    calls_that_run,
    judged,
    site_of_packages,
    weighted_sum,
)

from chainrules_tape import compiled, seen_through, value_and_grad

STEPS = (0.0, 0.0, 1e-9, 1e-7, 1e-8, 1e-10)  # by which the point of a call is scaled


def written(call):
    """The call as somebody would write it, in a function: what `call.program` evaluates is text."""
    variables = {"m": importlib.import_module(call.module), "np": np, "SERIES": SERIES}
    variables |= {"MODEL": MODEL, "weighted_sum": weighted_sum, **VALUES}
    names = ", ".join(ascii_lowercase[: len(call.points)])
    exec(f"def total({names}):\n    return weighted_sum({call.expression})", variables)
    return variables["total"]


def attempted(call):
    """The compiled derivative after a few calls, and whether each gave what the tape gives."""
    slope = value_and_grad(written(call), argnums=tuple(range(len(call.points))))
    step, is_same = compiled(slope), True
    for scale in STEPS:
        point = [x * (1.0 + scale) for x in call.points]
        (value, bars), (expected, slopes) = step(*point), slope(*point)
        is_same &= np.allclose(value, expected, rtol=1e-8, atol=1e-11, equal_nan=True)
        is_same &= all(
            np.allclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True)
            for one, other in zip(bars, slopes, strict=True)
        )
    return step, is_same


def main():
    site_of_packages(sys.argv[1])
    counts = Counter()
    for call in calls_that_run(sys.argv[2:]):
        with np.errstate(all="ignore"), seen_through(*call.packages):
            slope = value_and_grad(call.total, argnums=tuple(range(len(call.points))))
            if judged(call, partial(slope, *call.points)) != RIGHT:
                continue
            step, is_same = attempted(call)
        counts["right"] += 1
        counts["compiled"] += step.count_of_programs() > 0
        counts["other numbers"] += not is_same
        if not step.programs() or not is_same:
            print(f"{call.module}: {call.expression}\n    {is_same} {step.reasons}", flush=True)
    share = counts["compiled"] / counts["right"]
    print(f"{counts['compiled']} of {counts['right']} compile ({share:.1%})", counts)
    return counts["other numbers"] > 0


if __name__ == "__main__":
    sys.exit(main())
