"""Which module has the rules of which function: the tables hold against the modules themselves."""

import functools
import json
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from chainrules_py.values.shipped import BATCHED_IN, MODULE_OF, may_be_unlisted

# Imports all packs, and notes which module declares which function's rules, and by which name the tables list the function.
DECLARED = """
import json, sys
from importlib import import_module
from chainrules_py.table.registration import Registrations
from chainrules_py.values.discovery import listed_name, name_at_home
from chainrules_py.values.identity import home_module, is_method_of_ufunc, name_in_package
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.shipped import PACKS

declared, batched, listed, homes, methods = {}, {}, {}, {}, []
declare = Registrations.declare

def noting(table, primal, make, modes=("reverse", "forward")):
    frame = sys._getframe(1)
    rulesets = "chainrules_py.rulesets"
    while frame.f_code.co_name != "<module>" or not frame.f_globals["__name__"].startswith(rulesets):
        frame = frame.f_back
    module = frame.f_globals["__name__"]
    if "batching" in modes:
        batched.setdefault(qualified_name(primal), []).append(module)
    if tuple(modes) != ("batching",):
        name, home = qualified_name(primal), home_module(primal)
        own = name_at_home(primal) or name_in_package(primal).rpartition(".")[2]
        declared.setdefault(name, []).append(module)
        listed[name], homes[name] = listed_name(primal, home, own), home
        if is_method_of_ufunc(primal):
            methods.append(name)
    return declare(table, primal, make, modes)

Registrations.declare = noting
for pack in PACKS.values():
    for name in pack:
        import_module(name)
print(json.dumps([declared, listed, homes, batched, methods]))
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def of_all_packs():
    """By the name of a function: the modules that declare its rules of differentiation, its name in
    the tables, its home, and the modules with its rules for batching; and which are ufuncs' methods.
    """
    return json.loads(run(DECLARED))


def test_each_module_that_is_named_has_all_rules_of_its_functions(of_all_packs):
    """Rules of one function in two modules would be found or not by what was imported before."""
    declared, listed, *_ = of_all_packs
    wrong = {
        name: modules
        for name, modules in declared.items()
        if listed[name] and not are_imported_by(MODULE_OF[listed[name]], modules)
    }
    assert not wrong, f"correct `chainrules_py.values.shipped`: {wrong}"


def test_a_function_that_is_named_has_its_rules_for_batching_where_the_table_says(of_all_packs):
    """A rule in another module would be found or not by what was imported before."""
    batched = of_all_packs[3]
    wrong = {
        name: batched.get(name)
        for name in MODULE_OF
        if not name.startswith("scipy.")
        and set(batched.get(name, ())) != {BATCHED_IN.get(name)} - {None}
        and is_installed(name)
    }
    assert not wrong, f"correct `chainrules_py.values.shipped`: {wrong}"
    assert BATCHED_IN.keys() <= MODULE_OF.keys()


def is_installed(name):
    """Whether the installed NumPy has a function of a table."""
    if not name.startswith("numpy."):
        return True
    return functools.reduce(lambda found, part: getattr(found, part, None), name.split(".")[1:], np)


def are_imported_by(module, modules):
    """Whether importing a module imports these: it is the only one, or has all of a package."""
    package, _, last = module.rpartition(".")
    if last == "all_functions":
        return all(each.rpartition(".")[0] == package for each in modules)
    return set(modules) == {module}


def test_all_functions_with_rules_are_listed_unless_they_may_be_unlisted(of_all_packs):
    """Of any other function the table of rules says that it has none, without importing any."""
    declared, listed, homes, _, methods = of_all_packs
    left_out = {
        name: modules
        for name, modules in declared.items()
        if listed[name] is None and not may_be_unlisted(homes[name]) and name not in methods
    }
    assert not left_out, f"list them in `chainrules_py.values.shipped`: {left_out}"
    assert len(declared) > 1000


def test_rules_of_our_own_functions_are_there_with_the_function(of_all_packs):
    """Whoever has such a function has imported its module, and nothing else is imported for it."""
    declared, _, homes, *_ = of_all_packs
    elsewhere = {
        name: modules
        for name, modules in declared.items()
        if homes[name].startswith("chainrules_py.rulesets.scipy.")
        and name not in MODULE_OF
        and set(modules) != {homes[name]}
    }
    assert not elsewhere, f"declare them beside the function, or list them: {elsewhere}"


def test_no_function_is_named_that_no_module_declares(of_all_packs):
    """But other names of functions, which a module of the package declares to be such."""
    declared, listed, *_ = of_all_packs
    found = json.loads(
        run("""
        import json
        from operator import attrgetter
        from importlib import import_module
        from chainrules_py import default_rules
        from chainrules_py.values.shipped import MODULE_OF

        def of_library(name):
            parts = name.split(".")
            for count in range(len(parts) - 1, 0, -1):
                try:
                    module = import_module(".".join(parts[:count]))
                    return attrgetter(".".join(parts[count:]))(module)
                except (ImportError, AttributeError):
                    pass

        default_rules.load_all()
        names = {name: of_library(name) for name in MODULE_OF}
        print(json.dumps([
            [name for name, found in names.items() if found is not None],
            [name for name, found in names.items() if found in default_rules._names.aliases],
        ]))
    """)
    )
    installed, other_names = map(set, found)
    named = {name for name in listed.values() if name} | other_names
    assert installed - named == set()
    assert len(installed) > 800


def test_rules_that_are_in_no_table_are_found_by_importing_the_pack():
    """Ufuncs' methods, and functions of series, stand in no table."""
    names = "numpy.fmax.reduce", "numpy.polynomial.legendre.legval"
    assert not set(names) & set(MODULE_OF)
    found = run("""
        import numpy as np
        from chainrules_py import default_rules, rrule
        print(rrule.find(np.fmax.reduce, np.ndarray) is not None)
        print(np.fmin.reduce in default_rules)
        print(np.polynomial.legendre.legval in default_rules)
    """)
    assert found.split() == ["True", "True", "True"]


def test_whether_a_function_has_rules_is_known_without_importing_any():
    found = run("""
        import sys
        import numpy as np
        from scipy import integrate, optimize, signal, special, stats
        from chainrules_py import default_rules

        having = (np.sin, np.fft.fft, np.linalg.inv, np.lib.stride_tricks.sliding_window_view)
        having += (special.erf, special.sph_harm_y, signal.welch, stats.gmean, integrate.quad)
        having += (optimize.brentq, type(stats.norm).logpdf, stats.multivariate_normal.logpdf.__func__)
        print([f.__name__ for f in having if f not in default_rules])
        lacking = (np.printoptions, np.isdtype, np.char.array, np.lib.array_utils.normalize_axis_index)
        lacking += (special.geterr, signal.lombscargle, stats.norm, np.vectorize(np.sin))
        print([f for f in lacking if f in default_rules])
        ours = [name for name in sys.modules if name.startswith("chainrules_py.rulesets.")]
        print(ours)
    """)
    assert found.split("\n") == ["[]", "[]", "[]"]


def test_other_names_of_functions_have_their_rules():
    found = run("""
        import operator
        import numpy as np
        from scipy import integrate, special
        from chainrules_py import default_rules, primitive

        names = (np.ndarray.sum, np.amax, np.matrix.sum, operator.mul, integrate.trapezoid)
        names += (primitive(np.sort), primitive(special.softmax), special._ufuncs._zeta)
        print([name in default_rules for name in names])
    """)
    assert found == str([True, True, False, True, True, True, True, True])


def test_a_function_that_is_given_a_rule_or_loses_its_rules_says_so():
    found = run("""
        from scipy import special, signal
        from chainrules_py import default_rules, rrule

        @rrule.register(signal.lombscargle)
        def own_rrule(x, y, freqs):
            return freqs, lambda y_bar: (x, y, y_bar)
        print(signal.lombscargle in default_rules, special.erf in default_rules)
        for rule in list(default_rules.rules(special.erf)):
            default_rules.remove(rule.mode, special.erf, *rule.types)
        print(special.erf in default_rules)
    """)
    assert found.split() == ["True", "True", "False"]


@pytest.mark.parametrize(
    ("call", "module"),
    [
        ("rrule(np.sin, 1.0)", "ufuncs.elementwise"),
        ("rrule(np.ndarray.sum, np.ones(2))", "reductions.reductions"),
        ("rrule(operator.getitem, np.ones(2), 0)", "entries.indexing"),
        ("rrule(np.linalg.inv, np.eye(2))", "linalg.inverses"),
        ("rrule(math.exp, 1.0)", "ufuncs.elementwise"),
        ("rrule(np.clip, np.ones(2), 0, max=1)", "entries.selection"),
        ("rrule(np.fft.fft, np.ones(2))", "fft"),
        ("rrule(special.erf, 0.5)", "scipy.special.error_functions"),
        ("rrule(linalg.expm, np.eye(2))", "scipy.linalg.matrix_functions"),
        ("rrule(signal.upfirdn, np.ones(2), np.ones(3))", "scipy.signal.resampling"),
        ("rrule(ndimage.uniform_filter, np.ones(5))", "scipy.ndimage.filters"),
        ("rrule(stats.gmean, np.ones(3))", "scipy.stats.statistics"),
        ("rrule(integrate.simpson, np.ones(5))", "scipy.integrate.sampled"),
    ],
)
def test_a_look_up_imports_the_module_of_its_function_and_no_other_pack(call, module):
    part = re.fullmatch(r"rrule\((\w+).*", call)[1]
    import_of_scipy = f"from scipy import {part}" if module.startswith("scipy.") else ""
    loaded = run(f"""
        import math, operator, sys
        import numpy as np
        {import_of_scipy}
        from chainrules_py import rrule
        {call}
        print(*[name for name in sys.modules if name.startswith("chainrules_py.rulesets.")])
    """).split()
    assert f"chainrules_py.rulesets.{module}" in loaded
    assert "chainrules_py.rulesets.numpy" not in loaded
    assert not [name for name in loaded if name.endswith(".all_functions")]
    assert len(loaded) < 25


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


@pytest.mark.parametrize(
    "function",
    [
        "interpolate.b_splines.b_spline_values",
        "interpolate.tridiagonal.solve_tridiagonal",
        "sparse.entries.entries_dense",
        "ndimage.spline_sums.spline_sum",
    ],
)
def test_functions_of_ours_have_their_rules_for_many_examples(function):
    """They stand beside the pack of SciPy's functions, which nobody has imported."""
    module, _, name = function.rpartition(".")
    found = run(f"""
        from chainrules_py import default_rules
        from chainrules_py.rulesets.scipy.{module} import {name}
        print(len([*default_rules.rules({name}, modes=("batching",))]))
    """)
    assert int(found) == 1


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
