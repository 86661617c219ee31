"""What every import package of the distribution has in common, and what it says where a library is missing."""

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
import sys
sys.modules["optree"] = None
try:
    import chainrules_tape
except ImportError as error:
    print(type(error).__name__, error.instead, error.module, sep="|")
"""


def test_the_tape_without_optree_names_the_extra():
    done = subprocess.run([sys.executable, "-c", WITHOUT_OPTREE], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == 'PackError|pip install "chainrules-py[tape]"|optree', done.stderr
