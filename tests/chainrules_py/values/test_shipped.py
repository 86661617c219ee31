"""Which module has the rules of which function: the tables hold against the modules themselves."""

import functools
import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from chainrules_py.values.shipped import BATCHED_IN, MODULE_OF

# Imports the whole packs of NumPy and its linear algebra, and notes which module declares which function's rules.
DECLARED = """
import json, sys
from chainrules_py.table.registration import Registrations
from chainrules_py.values.identity import qualified_name

declared, batched = {}, {}
declare = Registrations.declare

def noting(table, primal, make, modes=("reverse", "forward")):
    frame = sys._getframe(1)
    rulesets = "chainrules_py.rulesets"
    while frame.f_code.co_name != "<module>" or not frame.f_globals["__name__"].startswith(rulesets):
        frame = frame.f_back
    for mode in modes:
        found = batched if mode == "batching" else declared
        found.setdefault(qualified_name(primal), []).append(frame.f_globals["__name__"])
    return declare(table, primal, make, modes)

Registrations.declare = noting
import chainrules_py.rulesets.linalg.all_functions
import chainrules_py.rulesets.numpy
print(json.dumps([declared, batched]))
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def all_declared():
    """The modules that declare rules of differentiation, and those for batching, by the name of the
    function.
    """
    return json.loads(run(DECLARED))


@pytest.fixture(scope="module")
def declared(all_declared):
    """The modules that declare rules of differentiation."""
    return all_declared[0]


def test_each_module_that_is_named_has_all_rules_of_its_functions(declared):
    """Rules of one function in two modules would be found or not by what was imported before."""
    wrong = {
        name: modules
        for name, modules in declared.items()
        if name in MODULE_OF and set(modules) != {MODULE_OF[name]}
    }
    assert not wrong, f"correct `chainrules_py.values.shipped`: {wrong}"


def test_a_function_that_is_named_has_its_rules_for_batching_where_the_table_says(all_declared):
    """A rule in another module would be found or not by what was imported before."""
    _, batched = all_declared
    wrong = {
        name: batched.get(name)
        for name in MODULE_OF
        if set(batched.get(name, ())) != {BATCHED_IN.get(name)} - {None} and is_installed(name)
    }
    assert not wrong, f"correct `chainrules_py.values.shipped`: {wrong}"
    assert BATCHED_IN.keys() <= MODULE_OF.keys()


def is_installed(name):
    """Whether the installed NumPy has a function of a table."""
    if not name.startswith("numpy."):
        return True
    return functools.reduce(lambda found, part: getattr(found, part, None), name.split(".")[1:], np)


def test_no_function_is_named_that_no_module_declares(declared):
    assert set(filter(is_installed, MODULE_OF)) <= set(declared)


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


@pytest.mark.parametrize(
    "function",
    ["np.sort", "np.add.at", "np.ndarray.sum", "operator.setitem", "np.tanh", "np.fmax.reduceat"],
)
def test_a_rule_for_many_examples_is_that_of_the_whole_pack(function):
    """The loop over examples would be right, too, so that only its time would tell."""
    rule = run(f"""
        import operator
        import numpy as np
        from chainrules_py import default_rules, rrule
        rrule(np.sort, np.ones(2))
        for whole in False, True:
            if whole:
                import chainrules_py.rulesets.numpy
                default_rules.memory.chosen_rules.clear()
            for count in 1, 2, 3:
                rule = default_rules.rule_for("batching", {function}, (np.ndarray,) * count)
                print(getattr(rule, "where", None))
    """).splitlines()
    assert rule[:3] == rule[3:]


def test_a_hessian_imports_the_rules_of_its_functions_alone():
    loaded = run("""
        import sys
        import numpy as np
        from chainrules_tape import hessian
        hessian(lambda x: np.sum(np.tanh(x[:2]) ** 2))(np.ones(3))
        print(*[name for name in sys.modules if name.startswith("chainrules_py.rulesets.")])
    """).split()
    assert "chainrules_py.rulesets.reductions.batched_reductions" in loaded
    assert "chainrules_py.rulesets.numpy" not in loaded
    assert len(loaded) < 30


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
