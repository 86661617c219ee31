"""Which module has the rules of which function: the tables hold against the modules themselves."""

import json
import subprocess
import sys
import textwrap

import pytest

from chainrules_py.values.shipped import MODULE_OF

# Imports the whole packs of NumPy and its linear algebra, and notes which module declares which function's rules.
DECLARED = """
import json, sys
from chainrules_py.table.registration import Registrations
from chainrules_py.values.identity import qualified_name

declared = {}
declare = Registrations.declare

def noting(table, primal, make, modes=("reverse", "forward")):
    frame = sys._getframe(1)
    rulesets = "chainrules_py.rulesets"
    while frame.f_code.co_name != "<module>" or not frame.f_globals["__name__"].startswith(rulesets):
        frame = frame.f_back
    if tuple(modes) != ("batching",):
        declared.setdefault(qualified_name(primal), []).append(frame.f_globals["__name__"])
    return declare(table, primal, make, modes)

Registrations.declare = noting
import chainrules_py.rulesets.linalg.all_functions
import chainrules_py.rulesets.numpy
print(json.dumps(declared))
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def declared():
    """The modules that declare rules of differentiation, by the name of the function."""
    return json.loads(run(DECLARED))


def test_each_module_that_is_named_has_all_rules_of_its_functions(declared):
    """Rules of one function in two modules would be found or not by what was imported before."""
    wrong = {
        name: modules
        for name, modules in declared.items()
        if name in MODULE_OF and set(modules) != {MODULE_OF[name]}
    }
    assert not wrong, f"correct `chainrules_py.values.shipped`: {wrong}"


def test_no_function_is_named_that_no_module_declares(declared):
    import numpy as np

    installed = {
        name
        for name in MODULE_OF
        if hasattr(np if "linalg" not in name else np.linalg, name.rpartition(".")[2])
    }
    elsewhere = {name for name in MODULE_OF if not name.startswith("numpy.")}
    assert installed | elsewhere <= set(declared)


def test_rules_that_are_in_no_table_are_found_by_importing_the_pack():
    """`numpy.array_str` and a function that wraps a ufunc's method stand in no table."""
    names = "numpy.array_str", "numpy.fmax.reduce"
    assert not set(names) & set(MODULE_OF)
    found = run("""
        import numpy as np
        from chainrules_py import rrule
        for primal in np.array_str, np.fmax.reduce:
            print(rrule.find(primal, np.ndarray) is not None)
    """)
    assert found.split() == ["True", "True"]


@pytest.mark.parametrize(
    ("call", "module"),
    [
        ("rrule(np.sin, 1.0)", "ufuncs.elementwise"),
        ("rrule(np.ndarray.sum, np.ones(2))", "reductions.reductions"),
        ("rrule(operator.getitem, np.ones(2), 0)", "entries.indexing"),
        ("rrule(np.linalg.inv, np.eye(2))", "linalg.inverses"),
        ("rrule(math.exp, 1.0)", "ufuncs.elementwise"),
        ("rrule(np.clip, np.ones(2), 0, max=1)", "entries.selection"),
    ],
)
def test_a_look_up_imports_the_module_of_its_function_and_no_other_pack(call, module):
    loaded = run(f"""
        import math, operator, sys
        import numpy as np
        from chainrules_py import rrule
        {call}
        print(*[name for name in sys.modules if name.startswith("chainrules_py.rulesets.")])
    """).split()
    assert f"chainrules_py.rulesets.{module}" in loaded
    assert "chainrules_py.rulesets.numpy" not in loaded
    assert len(loaded) < 15


def test_many_examples_need_the_whole_pack():
    """The loop over examples would be right, too, so that only its time would tell."""
    assert (
        run("""
            import numpy as np
            from chainrules_py import batched, default_rules, rrule
            rrule(np.sort, np.ones(2))
            print(default_rules.rule_for("batching", np.sort, (np.ndarray,)) is not None)
        """)
        == "True"
    )


@pytest.mark.parametrize("earlier", ["", "rrule(np.cos, 1.0)", "rrule(np.sin, 1.0)"])
def test_what_is_registered_replaces_a_rule_of_ours_that_nobody_has_loaded(earlier):
    found = run(f"""
        import warnings
        import numpy as np
        from chainrules_py import Array, RuleRedefinitionWarning, Scalar, rrule
        {earlier}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            @rrule.register(np.sin)
            def own_rrule(x: Array | Scalar):
                return np.sin(x), lambda y_bar: (100.0,)
        rrule(np.exp, 1.0), rrule(np.array_str, np.ones(1))
        print(rrule(np.sin, 1.0)[1](1.0)[0], ["replaces sin_rrule" in str(each.message) for each in caught])
    """)
    assert found == "100.0 [True]"
