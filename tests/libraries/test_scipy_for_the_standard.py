"""SciPy's functions that ask for the namespace of their arguments, with its switch for that and
without.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy.differentiate")
SCRIPT = Path(__file__).with_name("scipy_for_the_standard.py")
# Ufuncs are functions that ask for the namespace, then.
UFUNC = """
import numpy as np
from scipy import special
from chainrules_tape import grad
assert not isinstance(special.gammaln, np.ufunc)
print(grad(lambda x: special.gammaln(x)[0])(np.array([2.0]))[0] - special.psi(2.0))
"""


def printed(*command, switch):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SCIPY_ARRAY_API": switch},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return run.stdout


@pytest.mark.long
@pytest.mark.parametrize("switch", ["1", ""])
def test_their_derivatives_are_those_of_differences(switch):
    wrong, _, count = printed(str(SCRIPT), switch=switch).rpartition(" ")
    assert (wrong, int(count) > 20) == ("[]", True)


def test_a_function_in_the_place_of_a_ufunc_has_its_rule():
    assert abs(float(printed("-c", UFUNC, switch="1"))) < 1e-12
