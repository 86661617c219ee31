"""Signatures of NumPy's functions in C are those that NumPy tells since 2.4, whichever version is
installed.
"""

import functools
import inspect
import operator
import sys
from types import BuiltinFunctionType

import numpy as np
import pytest

from chainrules_py import RegistrationError, primitive, rrule, scalar_rule
from chainrules_py.values import signatures
from chainrules_py.values.signatures import parameters_of, signature_of
from processes import printed

IN_C = [getattr(np, name) for name in signatures._IN_C]


def parameters(signature):
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


@pytest.mark.parametrize("function", [np.sin, np.add, np.frexp, np.matmul, *IN_C])
def test_without_a_signature_it_is_the_one_of_newer_versions(function, monkeypatch):
    try:
        told = inspect.signature(function)
    except ValueError:
        told = None
    original = inspect.signature

    def of_older_versions(f):
        if f is function:
            raise ValueError
        return original(f)

    monkeypatch.setattr(inspect, "signature", of_older_versions)
    assert told is None or parameters(signature_of(function)) == parameters(told)


def test_what_has_none_raises_as_python_does():
    with pytest.raises(TypeError, match="callable"):
        signature_of(3)


def functions_in_c():
    """Functions of Python and NumPy in C, with the methods of ufuncs."""
    found = [f for place in (operator, np, np.linalg) for f in vars(place).values()]
    ufuncs = [f for f in found if isinstance(f, np.ufunc)]
    found += [getattr(f, name) for f in ufuncs for name in ("at", "reduce", "accumulate")]
    return [f for f in found if type(f) is BuiltinFunctionType]


def test_what_is_read_without_inspect_is_what_inspect_says():
    read = {f: signatures._told_by(f) for f in functions_in_c()}
    told = {f: inspect.signature(like) for f, like in read.items() if like is not None}
    assert {operator.getitem, operator.mul} <= told.keys()
    assert told == {f: inspect.signature(f) for f in told}


def functions_of_all_kinds():
    """Functions in Python and in C, wrapped and not, methods, classes and objects."""

    @functools.wraps(np.clip)
    def wrapped(*args, **options): ...

    def own(x, /, y=1, *rest, z: int, w: "str" = "a", **options): ...

    ufuncs = [np.sin, np.add, np.frexp, np.matmul]
    others = [np.sum, np.concatenate, np.linalg.solve, np.ndarray.sum, functools.partial(own, 1)]
    return [own, wrapped, *ufuncs, *others, inspect.Signature, "a".join]


@pytest.mark.parametrize("function", functions_of_all_kinds(), ids=type)
def test_parameters_are_those_of_the_signature(function):
    read, every = parameters_of(function), inspect.signature(function).parameters.values()
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert [*read.names] == [p.name for p in every]
    assert [*read.positional] == [p.name for p in every if p.kind in by_position]
    assert [*read.keyword_only] == [p.name for p in every if p.kind is p.KEYWORD_ONLY]
    assert [read.rest] == [p.name for p in every if p.kind is p.VAR_POSITIONAL] or not read.rest
    assert [read.options] == [p.name for p in every if p.kind is p.VAR_KEYWORD] or not read.options
    assert read.defaults == {p.name: p.default for p in every if p.default is not p.empty}
    hints = {p.name: p.annotation for p in every if p.annotation is not p.empty}
    assert {name: read.annotations.get(name) for name in hints} == hints


def test_parameters_of_what_has_none_raises_as_python_does():
    with pytest.raises(TypeError, match="callable"):
        parameters_of(3)


def test_a_first_gradient_compiles_no_tokenizer():
    program = """
import re, numpy as np
from chainrules_tape import grad
import chainrules_tape.numpy as tnp
def refused(*args): raise AssertionError(args)
re.compile = refused
grad(lambda q: tnp.array([q[0], (q[1] ** 2 + q[0]) ** 0.5]).sum())(np.array([0.3, 0.4]))
grad(lambda x: np.concatenate([x, x]).sum())(np.ones(2))
"""
    printed(program)


def test_annotations_that_name_nothing():
    """They are for type checkers; since Python 3.14 they need not be written as texts."""
    before = "from __future__ import annotations\n" * (sys.version_info < (3, 14))
    scope = {}
    exec(f"{before}def f(x: Nothing, *, k: Other = 2) -> Nothing: return 3.0 * x", scope)
    f = scope["f"]
    for function in (f, functools.partial(f)):
        found = parameters_of(function)
        assert (*found.positional, *found.keyword_only) == ("x", "k")
        assert found.annotations["x"] == "Nothing"
    primal = primitive(f)
    with pytest.raises(RegistrationError, match="'Nothing' of 'x' names nothing"):
        rrule.register(primal)(f)
    scalar_rule(primal, "x", "3.0")
    assert rrule(primal, 2.0)[1](1.0) == (3.0,)
