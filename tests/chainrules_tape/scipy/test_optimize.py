"""Functions of `scipy.optimize` on traced values: through `chainrules_tape.scipy`, and SciPy's own
are refused.
"""

import subprocess
import sys

import numpy as np
import pytest
from scipy import optimize as scipys

from chainrules_tape import LostGradientError, grad
from chainrules_tape.scipy import optimize


def test_traced_values_are_found_in_args_and_in_functions():
    by_args = grad(lambda a: optimize.brentq(lambda x, a: x * x - a, 0.0, 10.0, args=(a,)))
    captured = grad(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 10.0))
    assert by_args(4.0) == captured(4.0) == 0.25


def test_what_has_no_rule_is_scipys():
    assert optimize.linprog.__wrapped__ is scipys.linprog
    assert optimize.linprog([1.0], bounds=(2.0, 3.0)).x == 2.0
    assert optimize.LinearConstraint is scipys.LinearConstraint
    assert "brentq" in dir(optimize)


def test_scipys_own_name_is_refused():
    # SciPy's C code calls on after an error, in which Python finds no attributes, or which it
    # notices where a profiler listens.
    with pytest.raises((LostGradientError, SystemError, AttributeError)) as caught:
        grad(lambda a: scipys.brentq(lambda x: x * x - a, 0.0, 10.0))(4.0)
    assert "float" in "".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


def test_the_engine_does_not_import_scipy():
    lines = (
        "import sys, chainrules_tape, chainrules_py; print(any(name.partition('.')[0] == 'scipy'"
        " for name in sys.modules))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", lines], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )


def test_a_solver_that_is_called_in_a_solver():
    inner = lambda x: optimize.brentq(lambda y: y**3 - x, -9.0, 9.0)  # noqa: E731
    assert np.isclose(grad(lambda a: optimize.brentq(lambda x: inner(x) - a, 0.0, 50.0))(2.0), 12.0)
