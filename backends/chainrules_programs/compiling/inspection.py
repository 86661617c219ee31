"""How a compiled function runs its calls, and where two runs of it differ."""

from itertools import zip_longest
from typing import Any

import numpy as np

from chainrules_programs.compiling.results import copies
from chainrules_programs.recording.program import (
    Call,
    Value,
    key_of,
    parts_of_operand,
    values_of,
)
from chainrules_programs.recording.record import is_input, record
from chainrules_py.annotations import Function
from chainrules_tape.core.trees import flatten


def difference(function: Function, args: Any, options: Any) -> str:
    """The first step at which two recordings differ, with the user's line; empty without one.

    They are made at the same numbers, where a clock differs, and at others, which show as constants
    where the function has looked at numbers unseen.
    """
    leaves, rebuilt = flatten((args, options))
    moved = [x * 1.001 if is_input(x) and np.result_type(x).kind in "fc" else x for x in leaves]
    first = record(function, *rebuilt(copies(leaves)))[0].steps
    for others, are_same in ((leaves, True), (moved, False)):
        second = record(function, *rebuilt(copies(others)))[0].steps
        for one, other in zip_longest(first, second):
            if described(one, are_same) != described(other, are_same):
                step = one or other
                name = getattr(getattr(step, "primal", bool), "__name__", "a step")
                at = "" if step.place is None else f" at {step.place[0]}:{step.place[1]}"
                return f", first by {name}{at}"
    return ""


def described(step, has_results: bool) -> Any:
    """What a step does: its function, its constants, and its results if these are compared."""
    if type(step) is not Call:
        return None if step is None else (step.question, repr(step.answer) if has_results else "")
    parts = [
        part for part in parts_of_operand((step.args, step.options)) if not isinstance(part, Value)
    ]
    results = [key_of(value.array) for value in values_of(step.results)] if has_results else []
    return step.primal, [key_of(part) for part in parts], results


def description(compiled) -> str:
    """Describe how a compiled function runs its calls, and why some stay on the tape."""
    count = compiled.count_of_programs()
    lines = [f"{compiled!r}: {count} program{'s' if count != 1 else ''}"]
    lines += [f"  runs on the tape: {reason}" for reason in compiled.reasons]
    lines += [
        f"  runs on the tape, by a fault of the compiler, {times} times: {error}"
        for error, times in compiled.faults.items()
    ]
    if not count and not compiled.reasons:
        lines.append("  not compiled yet: a call is, when a second one of its kind is the same")
    lines += [f"  checked at each call: {guard}" for guard in compiled.guards()]
    return "\n".join(lines)
