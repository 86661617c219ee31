"""Vector spaces against autograd's."""

import numpy as np
import pytest

from chainrules_tape.autograd import grad
from chainrules_tape.autograd.spaces import VSpace, vspace

theirs = pytest.importorskip("autograd.extend", reason="autograd is not installed")

VALUES = [2.0, np.arange(6.0).reshape(2, 3), 1.0 + 2.0j, np.ones(2, complex), np.float32(1)]


@pytest.mark.parametrize("value", VALUES)
def test_spaces_of_arrays(value):
    space, expected = vspace(value), theirs.vspace(value)
    facts = ("shape", "size", "ndim", "dtype", "iscomplex")
    assert [getattr(space, one) for one in facts] == [getattr(expected, one) for one in facts]
    assert np.array_equal(space.zeros(), expected.zeros())
    assert np.array_equal(space.ones(), expected.ones())
    assert np.array_equal(list(space.standard_basis()), list(expected.standard_basis()))
    x, y = space.randn(), space.randn()
    assert np.allclose(space.inner_prod(x, y), expected.inner_prod(x, y))
    assert np.array_equal(space.covector(x), expected.covector(x))


def test_spaces_of_containers():
    value = {"w": np.ones(2), "b": (1.0, 2.0)}
    space, expected = vspace(value), theirs.vspace(value)
    assert space.size == expected.size
    assert len(list(space.standard_basis())) == 4
    assert space == vspace(space.randn())
    assert space != vspace({"w": np.ones(3), "b": (1.0, 2.0)})


def test_the_space_of_a_traced_value():
    assert grad(lambda x: (x * vspace(x).ones()).sum())(np.zeros(3)).tolist() == [1, 1, 1]


def test_what_has_no_space_is_refused():
    with pytest.raises(TypeError, match="pass floats"):
        vspace("a text")


def test_a_space_of_ones_own(monkeypatch):
    class Point(float):
        pass

    monkeypatch.setattr(VSpace, "mappings", {})
    VSpace.register(Point, lambda value: "mine")
    assert vspace(Point(1)) == "mine"
