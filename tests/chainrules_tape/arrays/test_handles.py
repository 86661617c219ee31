"""The classes of traced values are complete once the tape is imported; only a first write changes one."""

import numpy as np

from chainrules_tape import grad, jvp
from chainrules_tape.arrays.handles import (
    DualArray,
    DualNumber,
    StoredArray,
    StoredDual,
    TapeArray,
    TapeNumber,
)
from processes import printed

LATER_MODULES = """
import chainrules_tape.arrays.handles as handles

classes = {base for cls in vars(handles).values() if isinstance(cls, type) for base in cls.__mro__}
before = {cls: dict(vars(cls)) for cls in classes}
import chainrules_foreign_code.scope
import chainrules_tape.numpy
import chainrules_tape.scipy.stats
import chainrules_programs.showing.program

assert before == {cls: dict(vars(cls)) for cls in classes}
"""


def test_no_module_adds_methods_to_the_classes():
    printed(LATER_MODULES)


def classes_seen(differentiate):
    """The classes of an argument and a number of it, before and after the argument is written to."""
    seen = []

    def f(x):
        other = x
        seen.append((type(x), type(x[0])))
        x[0] = 2.0 * x[1]
        assert x is other
        seen.append((type(other), type(x[0])))
        return np.sum(x)

    differentiate(f)
    return seen


def test_classes_on_a_tape_and_after_a_write():
    seen = classes_seen(lambda f: grad(lambda x: f(x * 1.0))(np.ones(3)))
    assert seen == [(TapeArray, TapeNumber), (StoredArray, TapeNumber)]


def test_classes_in_forward_mode_and_after_a_write():
    seen = classes_seen(lambda f: jvp(lambda x: f(x * 1.0), (np.ones(3),), (np.ones(3),)))
    assert seen == [(DualArray, DualNumber), (StoredDual, DualNumber)]
