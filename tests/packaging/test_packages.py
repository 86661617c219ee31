"""What every import package of the distribution has in common, and what it says where a library is
missing.
"""

import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

from chainrules_py.version import __version__

LIBRARIES = {"py": "numpy", "numpy": "numpy", "tape": "optree", "jax": "jax", "cupy": "cupy"}
PRESENT = [f"chainrules_{name}" for name, library in LIBRARIES.items() if find_spec(library)]


@pytest.mark.parametrize("package", PRESENT)
def test_each_package_says_the_version_of_the_distribution(package):
    assert import_module(package).__version__ == __version__


def test_explain_is_the_function():
    from chainrules_py import explain

    assert "sin_rrule" in str(explain(np.sin, np.ones(2)))


WITHOUT_OPTREE = """
try:
    import chainrules_tape
except ImportError as error:
    print(type(error).__name__, error.instead, error.module, sep="|")
"""


def test_the_tape_without_optree_names_the_extra():
    done = without("optree", WITHOUT_OPTREE)
    assert (
        done.stdout.strip() == 'PackError|pip install optree (or ".[tape]" in a checkout)|optree'
    ), done.stderr


WITHOUT_SCIPY = {
    "a module": "from chainrules_tape.scipy import stats",
    "a Jacobian": "from chainrules_tape import jacobian; jacobian(abs, sparse=True)",
    "a Hessian": "from chainrules_tape import hessian; hessian(abs, sparse=True)",
}


@pytest.mark.parametrize("program", WITHOUT_SCIPY.values(), ids=WITHOUT_SCIPY)
def test_what_needs_scipy_names_the_extra(program):
    done = without("scipy", program)
    last = done.stderr.splitlines()[-1]
    assert last.endswith(
        """there is no module 'scipy'; pip install scipy (or ".[scipy]" in a checkout)"""
    )


def without(library, program):
    """Run a program where a library is not installed."""
    source = f"import sys\nsys.modules[{library!r}] = None\n{program}"
    return subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )


def test_without_scipy_all_rules_are_those_of_numpy():
    done = without(
        "scipy",
        "from chainrules_py import default_rules; print(len(list(default_rules.load_all().rules()))"
        " > 500)",
    )
    assert done.stdout.strip() == "True", done.stderr


def test_a_command_without_optree_names_the_extra():
    done = without(
        "optree",
        "from chainrules_command.entry import main; sys.exit(main(['show', 'numpy.sin', '0.5']))",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("chainrules: show: there is no module 'optree'")
    assert "pip install optree" in done.stderr
