"""`replay` runs a recorded program on other numbers, step by step."""

from typing import Any

import numpy as np

from chainrules_recorder.errors import GuardFailedError
from chainrules_recorder.program import Call, Guard, Program, Value, Write, with_values


def replay(program: Program, inputs: list[Any] | tuple[Any, ...]) -> Any:
    """Return the result of a program on other inputs; raise where it did not see such when it was
    recorded.
    """
    known: dict[int, Any] = {id(value): x for value, x in zip(program.inputs, inputs, strict=True)}

    def now(operand: Any) -> Any:
        return with_values(operand, lambda value: known[id(value)])

    for step in program.steps:
        if isinstance(step, Call):
            run_call(step, known, now)
        elif isinstance(step, Write):
            known[id(step.target)][now(step.index)] = now(step.entries)
        else:
            require_answer(step, now)
    return now(program.result)


def run_call(step: Call, known: dict[int, Any], now: Any) -> None:
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
        except FloatingPointError as error:
            raise GuardFailedError(
                "replay",
                "zero meets infinity in a pullback",
                "differentiate by the tape at this point",
                guard=None,
            ) from error
    remember(step.results, found, known)


def remember(results: Any, found: Any, known: dict[int, Any]) -> None:
    """Put what a call returned at the values that stand for it."""
    if isinstance(results, Value):
        known[id(results)] = found
    elif isinstance(results, tuple | list):
        for part, value in zip(results, found, strict=True):
            remember(part, value, known)
    elif isinstance(results, dict):
        for key, part in results.items():
            remember(part, found[key], known)


def require_answer(step: Guard, now: Any) -> None:
    """Raise unless a question has the answer that it had while the program was recorded."""
    answer = step.question(now(step.operand))
    if answer != step.answer:
        raise GuardFailedError(
            "replay",
            f"{getattr(step.question, '__name__', step.question)} is {answer!r} where it was"
            f" {step.answer!r}",
            "record the program again",
            guard=step,
        )
