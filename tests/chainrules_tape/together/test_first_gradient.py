"""What importing the engine and a first gradient import, and what they leave to whoever needs it."""

import pytest

from processes import printed

GRADIENTS = {
    "sines": "grad(lambda x: np.sum(np.sin(x) * x))(np.arange(3.0))",
    "logistic": "grad(lambda w: np.mean(np.logaddexp(0.0, np.ones((5, 3)) @ w)))(np.ones(3))",
    "two arguments": "grad(lambda x, y: x[0] * y.sum(), (0, 1))(np.ones(2), np.ones(3))",
}
LEFT = (
    *("plum", "beartype", "rich", "optree", "scipy", "importlib.metadata", "numpy.random"),
    *("dataclasses", "symtable", "chainrules_py.rules.explanation", "chainrules_tape.transforms"),
    *("pathlib", "difflib", "chainrules_py.testing", "chainrules_py.table.precedence"),
    *("chainrules_py.rulesets.shapes.windows", "chainrules_py.rulesets.scipy"),
    *("chainrules_py.rulesets.linalg", "chainrules_py.makers.implicit"),
    *(
        "chainrules_programs.compiling",
        "chainrules_foreign_code",
        "chainrules_programs.showing",
    ),
    *(
        "chainrules_programs.whole_programs",
        "chainrules_tape.matrices",
        "chainrules_sparse.patterns",
    ),
    *("chainrules_tape.refusals.error_notes", "chainrules_tape.refusals.lost_gradients"),
)
MOST = 230  # modules above NumPy's; there are about 225


def words(program):
    return printed(program).split()


@pytest.mark.parametrize("name", GRADIENTS)
def test_a_first_gradient_imports_what_it_needs(name):
    loaded = words(f"""
import sys
import numpy as np
before = set(sys.modules)
from chainrules_tape import grad
{GRADIENTS[name]}
print(*set(sys.modules) - before)
""")
    assert "chainrules_tape.gradients" in loaded
    assert not set(LEFT) & set(loaded)
    assert len(loaded) < MOST


def test_the_compiler_is_left_to_const_graph():
    loaded = words(
        "from chainrules_tape.autograd.misc import flatten; import sys; print(*sys.modules)"
    )
    assert "chainrules_tape.autograd.misc.tracers" in loaded
    assert "chainrules_programs.compiling" not in loaded


@pytest.mark.long
def test_scipys_signal_processing_is_left_to_whoever_uses_it():
    loaded = words("""
import chainrules_tape.autograd.scipy.signal as signal
import sys
print(*sys.modules)
""")
    assert "scipy" not in loaded
    (found,) = words("""
import numpy as np
from chainrules_tape.autograd import grad
from chainrules_tape.autograd.scipy import signal
print(grad(lambda x: signal.convolve(x, x).sum() + signal.fftconvolve(x, x).sum())(np.ones(2))[1])
""")
    assert float(found) == pytest.approx(8.0)  # twice the derivative of a square of a sum


@pytest.mark.long
def test_names_that_are_imported_late_are_there():
    """Each name of the tables, by its own process: one import must not help another."""
    for package in ("chainrules_py", "chainrules_py.makers", "chainrules_tape"):
        names = words(f"import {package}; print(*{package}._LATE)")
        light = [name for name in names if name not in ("sparsity", "jacobian_operator")]
        listed = words(f"import {package}; print(*dir({package}))")
        assert set(names) <= set(listed)
        for name in light[:6]:
            assert words(f"from {package} import {name}; print(callable({name}))") == ["True"]


def test_the_collector_is_as_it_was_after_an_import():
    state = "gc.isenabled(), gc.get_threshold()"
    for before in ("gc.enable()", "gc.disable()", "gc.set_threshold(1000, 5, 5)"):
        program = (
            f"import gc; {before}; was = {state}; import chainrules_tape; print(was == ({state}))"
        )
        assert words(program) == ["True"]


def test_a_table_of_classes_that_none_is_narrower_for_asks_plum():
    program = """
import sys
import numpy as np
from chainrules_py import AmbiguousRuleError, Array, RuleTable
class Own(np.ndarray): ...
table = RuleTable(name="test")
for first, second in ((Own, Array), (Array, Own)):
    def rule(x, y): ...
    rule.__annotations__ = {"x": first, "y": second}
    table.rrule.register(np.hypot)(rule)
try:
    table.find("reverse", np.hypot, (Own, Own))
except AmbiguousRuleError:
    print("plum" in sys.modules)
"""
    assert words(program) == ["True"]


def test_rules_that_are_imported_later_let_what_was_found_out_stand():
    """Names of `chainrules_tape.numpy` that are read for the first time, too."""
    found = words("""
import numpy as np
import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_tape import grad
grad(lambda x: np.sum(np.sin(x) * x))(np.arange(3.0))
memory, revision = default_rules.memory, default_rules.revision
grad(lambda a: tnp.linalg.det(a) + tnp.concatenate([a, a]).sum() + tnp.nanprod(a))(np.eye(2) + 1)
grad(lambda x: tnp.linalg.norm(tnp.fft.fft(x)))(np.arange(3.0))
print(default_rules.memory is memory, default_rules.revision == revision)
""")
    assert found == ["True", "True"]


def test_the_rules_for_many_examples_leave_what_the_first_call_has_found():
    """They are imported during that call, and forgot the plans of the derivative."""
    counts = words("""
import sys
import numpy as np
from chainrules_tape import grad, vmap
f = lambda x: np.sum(np.sin(x) * x)
for _ in range(3):
    slopes, calls = vmap(grad(f)), []
    sys.setprofile(lambda frame, event, arg: event == "call" and calls.append(1))
    slopes(np.ones((4, 3)))
    sys.setprofile(None)
    print(len(calls))
""")
    assert counts[1] == counts[2]
