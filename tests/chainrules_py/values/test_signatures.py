"""Signatures of NumPy's functions in C are those that NumPy tells since 2.4, whichever version is
installed.
"""

import inspect

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
