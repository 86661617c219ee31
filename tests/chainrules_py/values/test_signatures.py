"""Signatures of NumPy's functions in C are those that NumPy tells since 2.4, whichever version is
installed.
"""

import inspect
import operator
import subprocess
import sys
from types import BuiltinFunctionType

import numpy as np
import pytest

from chainrules_py.values import signatures
from chainrules_py.values.signatures import signature_of

IN_C = [getattr(np, name) for name in signatures._IN_C]


def parameters(signature):
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


@pytest.mark.parametrize(
    "function", [np.sin, np.add, np.frexp, np.matmul, *IN_C], ids=lambda f: f.__name__
)
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
    told = {f: signature for f, signature in read.items() if signature is not None}
    assert {operator.getitem, operator.mul} <= told.keys()
    assert told == {f: inspect.signature(f) for f in told}


def test_a_first_gradient_compiles_no_tokenizer():
    program = """
import re, numpy as np
from chainrules_tape import grad
import chainrules_tape.numpy as tnp
def refused(*args): raise AssertionError(args)
re.compile = refused
grad(lambda q: tnp.array([q[0], (q[1] ** 2 + q[0]) ** 0.5]).sum())(np.array([0.3, 0.4]))
"""
    subprocess.run([sys.executable, "-c", program], check=True)
