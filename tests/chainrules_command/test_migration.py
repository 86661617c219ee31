"""Files that import autograd, with our imports: each form of import, and what is left."""

import numpy as np
import pytest

import chainrules_tape
from chainrules_command.autograd_names import INSTEAD, MODULES, SAME
from chainrules_command.migration import migrated

BODY = "def f(x):\n    return autograd.numpy.linalg.norm(autograd.grad(g)(x))\n"
FORMS = {
    "a module with a name": (
        "import autograd.numpy as np  # the only one\n",
        "import chainrules_tape.numpy as np  # the only one\n",
    ),
    "a module of SciPy's": (
        "import autograd.scipy.stats as stats\n",
        "import chainrules_tape.scipy.stats as stats\n",
    ),
    "a module from a package": (
        "from autograd import numpy as np\n",
        "from chainrules_tape import numpy as np\n",
    ),
    "functions over several lines": (
        "from autograd import (\n    grad,  # reverse\n    jacobian as J,\n)\n",
        "from chainrules_tape import (\n    grad,  # reverse\n    jacobian as J,\n)\n",
    ),
    "functions of which one stays": (
        "if True:\n    from autograd import grad as g, make_vjp\n",
        "if True:\n    from chainrules_tape import grad as g\n    from autograd import make_vjp\n",
    ),
    "several modules in a line": (
        "import os, autograd.numpy as np; x = 1\n",
        "import os\nimport chainrules_tape.numpy as np; x = 1\n",
    ),
    "the package as a whole": (
        "import autograd\n\n\n" + BODY,
        "import chainrules_tape\nimport chainrules_tape.numpy.linalg\n\n\n"
        + BODY.replace("autograd", "chainrules_tape"),
    ),
    "the package by another name": (
        "import autograd as ag\nf = ag.grad(g, argnum=1)\n",
        "import chainrules_tape\nf = chainrules_tape.grad(g, argnums=1)\n",
    ),
    "a keyword": (
        "from autograd import grad as g\nf = g(h, argnum=(0, 1)); other(argnum=1)\n",
        "from chainrules_tape import grad as g\nf = g(h, argnums=(0, 1)); other(argnum=1)\n",
    ),
    "letters of more than one byte": (
        "é = 'ü'; import autograd.numpy as np\n",
        "é = 'ü'; import chainrules_tape.numpy as np\n",
    ),
    "what only looks alike": (
        "import autograder\nfrom .autograd import grad\nfrom autograd_gamma import gammainc\n",
        "import autograder\nfrom .autograd import grad\nfrom autograd_gamma import gammainc\n",
    ),
}
LEFT = {
    "from autograd import elementwise_grad\n": (1, "autograd.elementwise_grad"),
    "\nfrom autograd.extend import defvjp\n": (2, "autograd.extend.defvjp"),
    "from autograd.numpy.numpy_boxes import ArrayBox\n": (1, "autograd.numpy.numpy_boxes.ArrayBox"),
    "import autograd\nf = autograd.misc.flatten(x)\n": (2, "autograd.misc.flatten"),
    "import autograd\n": (1, "import autograd"),
    "np = import_module('autograd.numpy')\n": (1, "'autograd.numpy'"),
}


@pytest.mark.parametrize(("before", "after"), FORMS.values(), ids=FORMS)
def test_forms_of_imports(before, after):
    found = migrated(before)
    assert found.after == after
    assert found.is_changed == (before != after)


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_is_listed(text):
    found = migrated(text)
    ((line, construct, instead),) = found.remainders
    assert (line, construct) == LEFT[text]
    assert instead
    assert not found.is_changed


PROGRAM = """
import autograd.numpy as np
from autograd import grad, jacobian
from autograd.numpy.linalg import norm
from autograd.scipy.special import logsumexp


def loss(a, x):
    return logsumexp(a @ x) + norm(np.sin(x)) ** 2


gradient = grad(loss, argnum=1)
rows = jacobian(lambda x: np.tanh(x) * np.sum(x))
"""


def test_a_program_gives_the_same_numbers():
    pytest.importorskip("autograd", reason="autograd is not installed (extra: autograd)")
    there, here = {}, {}
    exec(PROGRAM, there)
    found = migrated(PROGRAM)
    assert not found.remainders
    assert "autograd" not in found.after
    exec(found.after, here)
    a, x = np.arange(6.0).reshape(2, 3) / 5, np.array([0.3, -0.4, 0.8])
    np.testing.assert_allclose(here["gradient"](a, x), there["gradient"](a, x))
    np.testing.assert_allclose(here["rows"](x), there["rows"](x))


def test_the_names_are_there():
    assert all(hasattr(chainrules_tape, name) for name in SAME)
    for module in MODULES.values():
        __import__(module)
    assert not SAME.intersection(INSTEAD)
