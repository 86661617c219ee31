"""`replay` runs a recorded program on other numbers, step by step."""

from typing import Any, Never

import numpy as np

from chainrules_programs.recording.errors import GuardFailedError
from chainrules_programs.recording.program import Call, Guard, Program, Value, with_values
from chainrules_tape.core.trees import flatten

NO_DTYPE = np.dtype(bool)


def replay(program: Program, inputs: list[Any] | tuple[Any, ...]):
    """Return the result of a program on other inputs; raise where it did not see such when it was
    recorded.
    """
    known: dict[int, Any] = {id(value): x for value, x in zip(program.inputs, inputs, strict=True)}

    def now(operand):
        return with_values(operand, lambda value: known[id(value)])

    for step in program.steps:
        if isinstance(step, Call):
            run_call(step, known, now)
        else:
            require_answer(step, now)
    result = now(program.result)
    if any(isinstance(step, Call) and step.strict for step in program.steps):
        require_numbers(result)
    return result


def require_numbers(result) -> None:
    """Raise where a result is nan: in pullbacks zero times nan is zero, which only rules know."""
    for leaf in flatten(result)[0]:
        if getattr(leaf, "dtype", NO_DTYPE).kind in "fc" and np.isnan(leaf).any():
            raise_other_values("a result is nan", None)


def raise_other_values(got: str, guard: Guard | None) -> Never:
    """Raise: the program met what it did not see while it was recorded."""
    instead = "record the program again, or differentiate by the tape"
    raise GuardFailedError("replay", got, instead, guard=guard)


def run_call(step: Call, known: dict[int, Any], now) -> None:
    """Run one call, and remember its results."""
    args, options = now(step.args), now(step.options)
    if step.into is not None and step.results is not None:
        options["out"] = known[id(step.into)]
    if not step.strict:
        found = step.primal(*args, **options)
    else:
        try:
            with np.errstate(invalid="raise"):
                found = step.primal(*args, **options)
        except FloatingPointError:
            raise_other_values("zero meets infinity in a pullback", None)
    remember(step.results, found, known)


def remember(results, found, known: dict[int, Any]) -> None:
    """Put what a call returned at the values that stand for it."""
    if isinstance(results, Value):
        known[id(results)] = found
    elif isinstance(results, tuple | list):
        for part, value in zip(results, found, strict=True):
            remember(part, value, known)
    elif isinstance(results, dict):
        for key, part in results.items():
            remember(part, found[key], known)


def require_answer(step: Guard, now) -> None:
    """Raise unless a question has the answer that it had while the program was recorded."""
    answer = step.question(now(step.operand))
    if answer != step.answer:
        question = getattr(step.question, "__name__", step.question)
        raise_other_values(f"{question} is {answer!r} where it was {step.answer!r}", step)
