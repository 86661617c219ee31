"""Declarations that cannot be are refused where they are made: by class, with what is wrong in them
and what to write.
"""

import numpy as np
import pytest

from chainrules_py import (
    RegistrationError,
    RuleTable,
    axes_rule,
    composed,
    linear_rule,
    non_differentiable,
    primitive,
    scalar_rule,
)


def tangent(x):
    return np.tan(x)


def power(x, *, p=2):
    return x**p


def name(text, column):
    return {"name": text, "column": column}


# arguments and partials of a scalar rule, and what its error says
EXPRESSIONS = {
    "an unknown name": ("x", ["coss(x)"], name("coss", 0)),
    "later in the expression": ("x", ["1 + exq(x)"], name("exq", 4)),
    "an argument that is not there": ("x", ["x * y"], name("y", 4)),
    "an unknown function": ("x", ["-j1(x)"], {"instead": "lambda x: -j1(x)"}),
    "with the output": ("x", ["out * j1(x)"], {"instead": "lambda x, out: out * j1(x)"}),
    "in a module": ("x", ["special.j1(x)"], {"instead": "lambda x: special.j1(x)"}),
    "near to a name of NumPy's": ("x", ["-sinn(x)"], {"instead": "lambda x: -sinn(x)"}),
    "alone": ("x", ["factor"], {"instead": "lambda: factor"}),
    "the first of one output": ("x", ["out[0]"], {"column": 0}),
    "an entry": ("x", ["2 * x[0]"], {"column": 4}),
    "an option": ("x", ["p * x ** (p - 1)"], {"name": "p", "instead": "linearised_rule"}),
    "a syntax error": ("x", ["1 +"], {}),
    "a statement": ("x", ["y = x"], {}),
    "an attribute": ("x", ["x.real"], {}),
    # a text that somebody else wrote runs nothing: trees by the list, names by the list
    **{
        text[:28]: ("x", [text], {"expression": text})
        for text in [
            *("[i for i in x]", "load('e.npy', allow_pickle=1)", "load(x)", "savez(x, x)"),
            *("memmap(x)", "seterr(x)", "seterrcall(x)", "set_printoptions(x)", "test()"),
            *("vectorize(x)", "frompyfunc(x, 1, 1)", "fromfunction(sin, x)", "copyto(x, 0)"),
            *(
                "__import__(x)",
                "__builtins__",
                "__dict__",
                "eval(x)",
                "random",
                "linalg",
                "array(x)",
            ),
            *("x.__class__", "sin.__self__", "().__class__", "x[0](1)", "x(1)", "sin(x)(x)"),
            *("exp(x, out=x)", "exp(x, **x)", "exp(*x)", "'x'", "b'x'", "f'{x}'", "None", "..."),
            *("x if x else x", "x and x", "not x", "(y := x)", "(x, x)", "{x}", "{x: x}", "x @ x"),
            *("class", "lambda: x", "await x", "(yield x)", "x is x", "x in x", "x << 9"),
        ]
    },
    "too few partials": ("x, y", ["1"], {}),
    "too many partials": ("x", ["1", "1"], {}),
    "a number for a partial": ("x", [1.0], {}),
    "a function of what there is not": ("x", [lambda wrong: wrong], {"got": "wrong"}),
    "bad argument names": ("x y", ["1"], {}),
    "a list of names": (["x"], ["1"], {}),
    "an argument named out": ("out", ["1"], {}),
    "a keyword": ("class", ["1"], {"instead": "keyword"}),
    "a value that has a name": ("None", ["1"], {"instead": "keyword"}),
    "a name of Python's own": ("__debug__", ["1"], {"instead": "keyword"}),
    "an argument twice": ("x, x", ["1", "1"], {"instead": "twice"}),
    # whole numbers that no float holds, and what is nested too deeply
    **{
        text[:12].replace("\0", "0"): ("x", [text], {"expression": text})
        for text in [
            *("9**9**9**9", "2**(10**8)", "(-9)**99999999", "x * 3**5000", "9**-(9**9**9)"),
            *("10**400", "(9**999)**9", "(2**512) * (2**600)", "~(9**9**9)", "x < 9**9**9"),
            *("(9**9) | (9**9999999)", "where(x > 0, 1, 2**99999999999)", "7 % (7**9**9)"),
            *("*".join(map(str, range(10**9, 10**9 + 60))), "'a' * 10**9", "1" + "0" * 5000),
            *("x\0", "-" * 5000 + "x", "(" * 3000 + "x" + ")" * 3000, "+".join(["x"] * 3000)),
            "exp(" * 160 + "x" + ")" * 160,
        ]
    },
}


@pytest.mark.parametrize(("names", "partials", "said"), EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_a_scalar_rule_that_cannot_be(names, partials, said):
    primal = power if said.get("name") == "p" else tangent
    with pytest.raises(RegistrationError) as caught:
        scalar_rule(primal, names, *partials, table=RuleTable())
    for key, value in said.items():
        found = getattr(caught.value, key)
        assert value in found if key in ("instead", "got") else found == value
    if "name" in said and "column" in said:
        lines = str(caught.value).splitlines()
        place = next(k for k, line in enumerate(lines) if line.strip() == partials[0])
        column = lines[place].index(partials[0]) + said["column"]
        assert lines[place + 1] == " " * column + "^" * len(said["name"])
    elif "expression" in said:
        assert "^" in str(caught.value)


DECLARATIONS = {
    "non_differentiable": (lambda: non_differentiable("argmax"), "argmax"),
    "primitive": (lambda: primitive("argmax"), "argmax"),
    "scalar_rule": (lambda: scalar_rule("sin", "x", "cos(x)"), "sin"),
    "composed": (lambda: composed(3)(tangent), "not callable"),
    "an adjoint without arguments": (
        lambda: linear_rule(tangent, lambda y_bar: y_bar, table=RuleTable()),
        "takes 0 arguments",
    ),
    "no word": (lambda: axes_rule(np.sum, kind="reduced"), "'reduces'"),
    "no option of a word": (lambda: axes_rule(np.sum, kind="reduces", along=1), "along="),
}


@pytest.mark.parametrize(("declare", "words"), DECLARATIONS.values(), ids=DECLARATIONS)
def test_what_cannot_be_declared_is_refused_with_its_place(declare, words):
    with pytest.raises(RegistrationError) as caught:
        declare()
    assert words in str(caught.value)
    assert "test_refusals.py:" in str(caught.value)
