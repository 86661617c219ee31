"""Names that are imported late are there for who asks for one, and for a star import."""

import ast
import re
from functools import cache
from importlib import import_module

import numpy as np
import pytest

import chainrules_py
from chainrules_py import InplaceableThunk, RuleTable, testing
from chainrules_py.values.late_names import by_first_use
from processes import printed

PACKAGES = ("chainrules_py", "chainrules_py.makers", "chainrules_py.engines", "chainrules_tape")

INTERNAL = {"TYPE_CHECKING", "by_first_use", "collections_paused", "core", "handles", "values"}

WITHOUT_SCIPY = """
import sys
class Absent:
    def find_spec(self, name, *args):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""


@cache
def starred(package, before=""):
    """The names that a star import gives in a fresh process."""
    show = "print([name for name in globals() if name not in before])"
    program = f"{before}\nbefore = {{*globals(), 'before'}}\nfrom {package} import *\n{show}"
    return set(ast.literal_eval(printed(program)))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_star_import_has_the_late_names_too(package):
    module = import_module(package)
    names = starred(package)
    assert set(module._LATE) <= names
    assert names <= set(dir(module))
    assert not names & {"by_first_use", "TYPE_CHECKING", "collections_paused"}


@pytest.mark.parametrize("package", PACKAGES)
def test_completion_shows_what_is_there_for_users(package):
    module = import_module(package)
    names = dir(module)
    assert [name for name in names if not hasattr(module, name)] == []
    assert not set(names) & INTERNAL
    assert [name for name in names if name.startswith("_")] == []


def test_modules_that_completion_shows_are_imported_by_their_first_use():
    program = "import chainrules_tape; print(chainrules_tape.numpy.__name__)"
    assert printed(program) == "chainrules_tape.numpy\n"
    assert {"numpy", "optimizers"} <= set(dir(import_module("chainrules_tape")))


def test_a_star_import_has_no_modules():
    names = starred("chainrules_tape", "import chainrules_tape.numpy, chainrules_tape.scipy")
    assert {"grad", "vmap", "jacobian", "compiled"} <= names
    assert not names & {"numpy", "scipy", "core", "arrays", "handles"}


def test_names_that_need_an_absent_library_are_left_out_of_a_star_import():
    names = starred("chainrules_tape", WITHOUT_SCIPY)
    assert "jacobian" in names
    assert "jacobian_operator" not in names
    assert starred("chainrules_tape") >= names | {"jacobian_operator"}


def test_a_name_that_is_nowhere_is_no_attribute():
    find, _ = by_first_use("chainrules_py.makers", {"implicit_function": ".implicit"})
    with pytest.raises(AttributeError, match="has no attribute 'explicit_function'"):
        find("explicit_function")


FORMER = {
    "HasForwardsMode": lambda: chainrules_py.HasForwardMode,
    "NoForwardsMode": lambda: chainrules_py.NoForwardMode,
    "derivatives_given_output": lambda: chainrules_py.partials(np.sin, 0.0, 0.0),
    "on_new_rule": lambda: RuleTable().subscribe(print),
    "rand_tangent": lambda: testing.random_tangent,
    "(add_into, compute)": lambda: InplaceableThunk(lambda: 2.0, print, lambda: 0.0).force() - 2.0,
}


@pytest.mark.parametrize(("present", "former"), FORMER.items(), ids=FORMER)
def test_former_names_warn_and_are_in_no_list(present, former):
    with pytest.warns(DeprecationWarning, match=re.escape(present)) as warned:
        former()
    assert warned[0].filename == __file__
    for package in (chainrules_py, testing):
        names = {*dir(package), *package.__all__}
        assert names.isdisjoint({"HasForwardMode", "partials", "random_tangent"})
