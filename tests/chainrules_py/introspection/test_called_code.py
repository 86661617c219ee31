"""Code calls other functions in the place of those that it names, and stays the same otherwise."""

import pytest

from chainrules_py.introspection import pythons
from chainrules_py.introspection.called_code import Calls, with_calls


def replaced(x):
    return -x


class Stand:
    floor = replaced


CALLS = Calls({"abs": replaced}.get, {"conjugate": replaced}.get, {"math": Stand}.get)


def changed(source):
    variables = {"math": __import__("math")}
    exec(f"f = lambda x: {source}", variables)
    function = variables["f"]
    function.__code__ = with_calls(function.__code__, CALLS)
    return function


@pytest.mark.parametrize(
    "source",
    [
        "abs(x)",
        "math.floor(x)",
        "x.conjugate()",
        "(lambda y: abs(y))(x)",
        "[abs(y) for y in [x]][0]",
    ],
)
def test_a_call_is_replaced(source):
    assert changed(source)(2.5) == -2.5


@pytest.mark.parametrize("source", ["abs", "(abs, x)[1]", "max([x], key=abs)"])
def test_a_name_that_is_not_called_stays(source):
    assert changed(source)(2.5) == eval(f"lambda x: {source}")(2.5)


OF_A_FUNCTION = """
from numpy import add

def total(x):
    return add.reduce(x)
"""


def test_a_function_of_which_a_method_is_called_stays():
    """Of a name that its module imports, the load looks as if that were called."""
    variables = {}
    exec(OF_A_FUNCTION, variables)
    total = variables["total"]
    total.__code__ = with_calls(total.__code__, CALLS._replace(functions={"add": replaced}.get))
    assert total([1.5, 2.0]) == 3.5


def test_with_an_unknown_python_no_code_changes(monkeypatch):
    monkeypatch.setattr(pythons, "BYTECODE", None)
    code = (lambda x: abs(x)).__code__
    assert with_calls(code, CALLS) is code
