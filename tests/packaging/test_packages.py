"""What every import package of the distribution has in common, and what it says where a library is
missing.
"""

import subprocess
import sys

import pytest

from source_trees import SHIPPED, offered

WITH_VERSION = [package for package in SHIPPED if package.name != "chainrules_command"]


@pytest.mark.parametrize("package", WITH_VERSION, ids=lambda package: package.name)
def test_each_package_says_the_version_of_the_distribution(package):
    assert "__version__" in offered(package / "__init__.py")


OF_CONTAINERS = """
from collections import OrderedDict, defaultdict, deque, namedtuple
import numpy as np
from chainrules_tape import compiled, grad, hessian, jacobian, show, vmap
Pair = namedtuple("Pair", "w b")
layers = {"b": [Pair(np.ones(2), 0.5), Pair(np.arange(2.0), None)], "a": (2.0, {"z": 1.0})}
ordered = OrderedDict(z=np.arange(3.0), a=defaultdict(list, k=deque([0.5], 4)))
def loss(p):
    first, second = p["b"]
    return np.sum(np.sin(first.w) * second.w) * first.b + p["a"][0] ** 2 * p["a"][1]["z"]
def of_ordered(p):
    return np.sum(p["z"] ** 2) * p["a"]["k"][0]
quick = compiled(grad(loss))
print(grad(loss)(layers))
print(hessian(loss)(layers))
print([quick(layers) for _ in range(3)][-1], quick.count_of_programs())
print(grad(of_ordered)(ordered), jacobian(lambda p: {"y": p["z"] * 2})(ordered))
print(vmap(grad(loss), in_axes=({"a": (None, None), "b": [Pair(0, None), None]},))(
    layers | {"b": [Pair(np.arange(6.0).reshape(3, 2), 0.5), layers["b"][1]]}))
try:
    vmap(loss, in_axes=({"a": None},))(layers)
except Exception as error:
    print(type(error).__name__, error.instead)
print(show(loss, layers))
"""


@pytest.mark.long
def test_without_optree_programs_of_containers_are_the_same():
    with_optree = without("no_library_at_all", OF_CONTAINERS)
    done = without("optree", OF_CONTAINERS)
    assert done.stdout == with_optree.stdout, done.stderr
    assert len(done.stdout.splitlines()) > 8, with_optree.stderr


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
