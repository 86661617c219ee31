"""Check an engine's sparsity pattern of a call against its own forward mode, column by column."""

from typing import Any

import numpy as np

from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.engine_tangents import as_container
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.trial import Trial


def check_entries(trial: Trial) -> None:
    """Require that ``engine.sparsity(f, x).pattern`` has each derivative that is not zero.

    Entries that are zero for these numbers may be in it: patterns are of all of them.
    """
    if not trial.active:
        return
    engine: Any = trial.subject.engine  # type: ignore[attr-defined]
    function = trial.call_of_active
    at = tuple([trial.args[i] for i in trial.active])

    def found() -> Any:
        return engine.sparsity(lambda xs: function(*xs), at).pattern.toarray()

    pattern = trial.guarded("forward", found)
    expected, labels = columns(trial, engine, at), Layout(at).labels()
    if pattern.shape != expected.shape:
        sentence = f"the pattern has the shape {pattern.shape}, and the matrix {expected.shape}"
        raise trial.failure("pattern", "forward", Diagnosis("pattern", sentence))
    missing = np.argwhere((expected != 0) & ~pattern)
    if len(missing):
        row, column = missing[0]
        of = trial.output.labels()[row]
        sentence = (
            f"the pattern lacks {len(missing)} entries: the derivative of {of} by {labels[column]}"
            f" is {expected[row, column]:.6g}"
        )
        raise trial.failure("pattern", "forward", Diagnosis("pattern", sentence))


def columns(trial: Trial, engine, at: tuple[Any, ...]) -> Any:
    """The matrix of derivatives, by one forward derivative for each coordinate of the arguments."""
    function, layout, output = trial.call_of_active, Layout(at), trial.output
    found = np.zeros((output.size, layout.size))
    for column, unit in enumerate(np.eye(layout.size)):
        dots = as_container(layout.tangent(unit), at)
        with np.errstate(all="ignore"):
            found[:, column] = output.tangent_vector(engine.jvp(function, at, dots)[1])
    return found
