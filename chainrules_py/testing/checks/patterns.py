"""Check an engine's sparsity pattern of a call against its own forward mode, column by column."""

import numpy as np

from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.coordinates import Layout, Vector
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.jacobian_report import by_columns
from chainrules_py.testing.trial import Trial


def check_entries(trial: Trial) -> None:
    """Require that ``engine.sparsity(f, x).pattern`` has each derivative that is not zero.

    Entries that are zero for these numbers may be in it: patterns are of all of them.
    """
    if not trial.active:
        return
    at, layout = trial.point, Layout(trial.point)

    def found():
        return trial.engine.sparsity(lambda xs: trial.call_of_active(*xs), at).pattern.toarray()

    def push(unit: Vector) -> Vector:
        dots = as_plain_container(layout.tangent(unit), at)
        with np.errstate(all="ignore"):
            _, y_dot = trial.engine.jvp(trial.call_of_active, at, dots)
        return trial.output.tangent_vector(y_dot)

    pattern = trial.guarded("forward", found)
    expected, labels = by_columns(push, trial.output.size, layout.size), layout.labels()
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
