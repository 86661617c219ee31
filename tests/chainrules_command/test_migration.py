"""Files that import autograd, with our imports: each form of import, and what is left."""

from importlib import import_module

import numpy as np
import pytest

import chainrules_tape.autograd
from chainrules_command.autograd_names import MODULES
from chainrules_command.migration import migrated

BODY = "def f(x):\n    return autograd.numpy.linalg.norm(autograd.grad(g)(x))\n"
FORMS = {
    "a module with a name": (
        "import autograd.numpy as np  # the only one\n",
        "import chainrules_tape.autograd.numpy as np  # the only one\n",
    ),
    "a module of SciPy's": (
        "import autograd.scipy.stats as stats\n",
        "import chainrules_tape.scipy.stats as stats\n",
    ),
    "a module from a package": (
        "from autograd import numpy as np\n",
        "from chainrules_tape.autograd import numpy as np\n",
    ),
    "functions over several lines": (
        "from autograd import (\n    grad,  # reverse\n    jacobian as J,\n)\n",
        "from chainrules_tape.autograd import (\n    grad,  # reverse\n    jacobian as J,\n)\n",
    ),
    "functions of which one stays": (
        "if True:\n    from autograd.tracer import isbox as b, new_box\n",
        (
            "if True:\n    from chainrules_tape.autograd.tracer import isbox as b\n"
            "    from autograd.tracer import new_box\n"
        ),
    ),
    "functions of which one stays, behind a form feed and with other ends of lines": (
        "# a page\x0c\r\nif True:\r\n    from autograd.tracer import isbox as b, new_box\r\n",
        (
            "# a page\x0c\r\nif True:\r\n    from chainrules_tape.autograd.tracer import isbox as b\r\n"
            "    from autograd.tracer import new_box\r\n"
        ),
    ),
    "a module and a function": (
        "from autograd import grad, numpy as np\n",
        "from chainrules_tape.autograd import grad, numpy as np\n",
    ),
    "several modules in a line": (
        "import os, autograd.numpy as np; x = 1\n",
        "import os\nimport chainrules_tape.autograd.numpy as np; x = 1\n",
    ),
    "the package as a whole": (
        "import autograd\n\n\n" + BODY,
        "from chainrules_tape import autograd\n\n\n" + BODY,
    ),
    "the package by another name": (
        "import autograd as ag\nf = ag.grad(g, argnum=1)\n",
        "import chainrules_tape.autograd as ag\nf = ag.grad(g, argnum=1)\n",
    ),
    "a module of the package": (
        "import autograd.scipy.special\nimport autograd.numpy as np\n",
        "from chainrules_tape import autograd\nimport chainrules_tape.autograd.numpy as np\n",
    ),
    "an object as a module": (
        "import autograd.scipy.stats.norm as normal\n",
        "from chainrules_tape.scipy.stats import norm as normal\n",
    ),
    "rules": (
        "from autograd.extend import defvjp, primitive\n",
        "from chainrules_tape.autograd.extend import defvjp, primitive\n",
    ),
    "a module that has another place": (
        (
            "import autograd as ag\nfrom autograd.numpy.numpy_vjps import unbroadcast_f\n"
            "isinstance(x, ag.numpy.numpy_boxes.ArrayBox)\n"
        ),
        (
            "import chainrules_tape.autograd as ag\n"
            "from chainrules_tape.autograd.extend import unbroadcast_f\n"
            "isinstance(x, ag.numpy.numpy_boxes.ArrayBox)\n"
        ),
    ),
    "a module with autograd's own arguments": (
        (
            "from autograd.scipy.signal import convolve\nfrom autograd.scipy import signal\n"
            "from autograd.misc.tracers import const_graph\n"
        ),
        (
            "from chainrules_tape.autograd.scipy.signal import convolve\n"
            "from chainrules_tape.autograd.scipy import signal\n"
            "from chainrules_tape.autograd.misc.tracers import const_graph\n"
        ),
    ),
    "letters of more than one byte": (
        "é = 'ü'; import autograd.numpy as np\n",
        "é = 'ü'; import chainrules_tape.autograd.numpy as np\n",
    ),
    "what only looks alike": (
        "import autograder\nfrom .autograd import grad\nfrom autograd_gamma import gammainc\n",
        "import autograder\nfrom .autograd import grad\nfrom autograd_gamma import gammainc\n",
    ),
}
LEFT = {
    "from autograd.numpy import primitive\n": (1, "autograd.numpy.primitive"),
    "from autograd.core import VJPNode\n": (1, "autograd.core.VJPNode"),
    "\nfrom autograd.extend import SparseObject\n": (2, "autograd.extend.SparseObject"),
    "import autograd.util as t\n": (1, "autograd.util"),
    "from autograd.misc.tracers import full_graph\n": (1, "autograd.misc.tracers.full_graph"),
    "np = import_module('autograd.numpy')\n": (1, "'autograd.numpy'"),
    "str(type(x)) == \"<class 'autograd.numpy.numpy_boxes.ArrayBox'>\"\n": (
        1,
        "\"<class 'autograd.numpy.numpy_boxes.ArrayBox'>\"",
    ),
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


DOCSTRING = '''def fit(f):
    """Fit f, which takes `autograd.numpy`, an automatic gradient:

    >>> from autograd import grad
    >>> automatic("autograd")
    """
'''


def test_docstrings_that_name_modules_of_autograd_are_listed():
    found = migrated(DOCSTRING)
    assert [left.line for left in found.remainders] == [2, 4]
    assert {left.construct for left in found.remainders} == {"a docstring that names autograd"}
    assert not found.is_changed


def test_an_attribute_that_is_not_here_is_listed():
    found = migrated("import autograd\nx = autograd.core.VJPNode, autograd.numpy.pi\n")
    (left,) = found.remainders
    assert (left.line, left.construct) == (2, "autograd.core.VJPNode")


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
    assert "autograd" not in found.after.replace("chainrules_tape.autograd", "")
    exec(found.after, here)
    a, x = np.arange(6.0).reshape(2, 3) / 5, np.array([0.3, -0.4, 0.8])
    np.testing.assert_allclose(here["gradient"](a, x), there["gradient"](a, x))
    np.testing.assert_allclose(here["rows"](x), there["rows"](x))


OF_THE_TRACER = """
from autograd import grad
from autograd.core import Box, getval, isbox

def half(x):
    assert isbox(x) and isinstance(x, Box)
    return x * getval(x)

slope = grad(half)(3.0)
"""


def test_names_of_the_tracer_that_programs_import_from_core():
    found = migrated(OF_THE_TRACER)
    assert not found.remainders
    here = {}
    exec(found.after, here)
    assert here["slope"] == 3.0  # with autograd's `getval` it would be 6


def test_the_names_are_there():
    for name, place in MODULES.items():
        assert import_module(place)
        assert attribute(chainrules_tape.autograd, name)


def attribute(package, path):
    """What a path of names leads to."""
    for name in path.split(".")[1:]:
        package = getattr(package, name)
    return package
