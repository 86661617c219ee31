"""`record` runs a function on recorded arguments, and returns the program."""

from functools import partial
from typing import Any

import numpy as np

from chainrules_programs.recording import library as library  # registers the recorded arrays
from chainrules_programs.recording.errors import NotRecordedError, refuse_recording
from chainrules_programs.recording.operations import Recording
from chainrules_programs.recording.places import name_results
from chainrules_programs.recording.program import Program, Value
from chainrules_programs.recording.rules_on_numbers import calling
from chainrules_programs.recording.types import Recorded, RecordedNumber, RecordedPython
from chainrules_py.annotations import Args, Function
from chainrules_py.errors import said_by
from chainrules_py.introspection import collections_paused
from chainrules_py.values.arrays import making
from chainrules_tape.core.dispatch import is_stored
from chainrules_tape.core.trees import flatten
from chainrules_tape.refusals.handles import change_class


def is_input(leaf) -> bool:
    """Whether a leaf of the arguments is an input of a program; others are in it by their value."""
    cls = type(leaf)
    if cls is np.ndarray:
        return leaf.dtype.kind in "fciub"
    return cls in (float, complex) or issubclass(cls, np.inexact)


def record(
    function: Function,
    args: Args,
    options: dict[str, Any] | None = None,
) -> tuple[Program, Any]:
    """Run a function; return the program that computes its results, and the results.

    The inputs are the leaves of ``(args, options)`` for which `is_input` holds, in order. What
    cannot be written down raises `NotRecordedError`; an error of any kind leaves the arguments as they
    were.
    """
    leaves, rebuilt = flatten((args, options or {}))
    recording = Recording(Recorded, RecordedNumber, RecordedPython)
    given = [recording.input(leaf) if is_input(leaf) else leaf for leaf in leaves]
    inputs = tuple([value for value in given if isinstance(value, Value)])
    # functions that make arrays of nothing, such as `zeros`, are recorded as well
    before = making.call, making.calling
    making.call, making.calling = recording.call, partial(calling, recording)
    try:
        recorded_args, recorded_options = rebuilt(given)
        with collections_paused():
            result = function(*recorded_args, **recorded_options)
        require_no_failure(recording)
        parts, made = flatten(result)
        parts = [part.resolved() if is_stored(part) else part for part in parts]
        value = made([own_array(part) for part in parts])
        kept = list(map(recording.kept, parts))  # the caller may write into what it gets
    except BaseException as error:
        recording.restore()
        refusal = refusal_behind(error)
        if refusal is None or refusal is error:
            raise
        raise refusal from error
    finally:
        making.call, making.calling = before
        end(recording)
    name_results(recording.steps, recording.places)
    program = Program(inputs, recording.steps, made(kept), overwritten=recording.overwritten)
    program.raised = recording.raised
    return program, value


def own_array(part) -> Any:
    """What the caller gets of a part of the result: of a constant array a copy."""
    if isinstance(part, Value):
        return part.array
    return part.copy("K") if type(part) is np.ndarray else part


def require_no_failure(recording: Recording) -> None:
    """Raise where a call has raised, and the function went on."""
    error = recording.failed
    if error is not None:
        refuse_recording(
            "a call that raises",
            f"{type(error).__name__}: {said_by(error)}",
            "ask about the numbers before the call, or leave it to the tape",
        )


def refusal_behind(error: BaseException) -> NotRecordedError | None:
    """The refusal to record that an error comes from: NumPy raises its own where a conversion fails."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, NotRecordedError):
        found = found.__cause__
    return found


def end(recording: Recording) -> None:
    """Make the values of a recording plain ones, which answer nothing any more."""
    for value in recording.values:
        value.recording = None
        change_class(value, Value)
    recording.values = []
