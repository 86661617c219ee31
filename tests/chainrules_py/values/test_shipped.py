"""Which module has the rules of which function: the tables hold against the modules themselves."""

import itertools
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import table_of_rules
from chainrules_py import default_rules
from chainrules_py.values.shipped import FUNCTIONS, TABLE
from processes import printed


def run(code):
    return printed(textwrap.dedent(code)).strip()


def test_the_table_is_what_the_rulesets_say():
    """Rules in another module would be found or not by what was imported before.

    Of a function that has rules for many examples in newer versions alone the table names their
    module.
    """
    command = [sys.executable, str(table_of_rules.__file__), "--print"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    written = Path(TABLE).read_text(encoding="utf-8").splitlines()
    differing = [
        (line, own)
        for line, own in itertools.zip_longest(found, written, fillvalue="")
        if own != line and not own.startswith(f"{line} | ")
    ]
    assert not differing, f"run tests/shared/table_of_rules.py: {differing}"
    assert len(FUNCTIONS) > 900


def test_the_installed_libraries_have_most_functions_of_the_table():
    """It keeps the lines of other versions' functions, which are few."""
    default_rules.load_all()
    assert len([name for name in FUNCTIONS if not table_of_rules.is_installed(name)]) < 30


def test_rules_that_are_in_no_table_are_found_by_importing_the_pack():
    """Functions of series stand in no table."""
    assert "numpy.polynomial.legendre.legval" not in FUNCTIONS
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


@pytest.mark.one_in(4)
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
        ("rrule(integrate.trapezoid, np.ones(5))", "scipy.integrate.sampled"),
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
    assert "chainrules_py.rulesets.shapes.windows" not in loaded  # which is in the whole pack
    assert len(loaded) < 40  # of some two hundred


OF_MANY_EXAMPLES = (
    *("np.sort", "np.add.at", "np.ndarray.sum", "operator.setitem", "np.tanh"),
    "np.fmax.reduceat",
)


def rules_for_many_examples(functions, before):
    """Where the rules of functions for one to three arrays stand, in a process of its own."""
    return run(f"""
        import operator
        import numpy as np
        from chainrules_py import default_rules, rrule
        {before}
        for function in {", ".join(functions)},:
            for count in 1, 2, 3:
                rule = default_rules.rule_for("batching", function, (np.ndarray,) * count)
                print(getattr(rule, "where", None))
    """).splitlines()


@pytest.fixture(scope="module")
def rules_of_the_whole_pack():
    found = iter(rules_for_many_examples(OF_MANY_EXAMPLES, "default_rules.load_all()"))
    return {name: [next(found) for _ in range(3)] for name in OF_MANY_EXAMPLES}


@pytest.mark.parametrize("function", OF_MANY_EXAMPLES)
def test_a_rule_for_many_examples_is_that_of_the_whole_pack(function, rules_of_the_whole_pack):
    """The loop over examples would be right, too, so that only its time would tell."""
    found = rules_for_many_examples([function], "rrule(np.sort, np.ones(2))")
    assert found == rules_of_the_whole_pack[function]


@pytest.mark.parametrize("function", ["entries.scatter.scatter_add", "linalg.adjugates.adjugate"])
def test_functions_of_ours_have_their_rules_for_many_examples(function):
    """They stand in another module of the pack, which nobody has imported."""
    module, _, name = function.rpartition(".")
    found = run(f"""
        from chainrules_py import default_rules
        from chainrules_py.rulesets.{module} import {name}
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
    assert "chainrules_py.rulesets.shapes.windows" not in loaded  # which is in the whole pack
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
