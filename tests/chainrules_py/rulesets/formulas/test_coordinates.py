"""Real coordinates of tangents: there and back, in which a real inner product is the dot product."""

import numpy as np

from chainrules_py import ZERO, Tangent
from chainrules_py.rulesets.formulas.coordinates import Coordinates

VALUE = {"z": np.ones((2, 1), complex), "n": 3, "x": (1.0, np.ones(2, np.float32)), "name": "none"}


def test_there_and_back():
    space = Coordinates(VALUE)
    assert space.size == 4 + 1 + 2
    vector = np.arange(1.0, 8.0)
    t = space.tangent(vector)
    assert t["z"].tolist() == [[1 + 3j], [2 + 4j]]
    assert (t["x"][0], t["x"][1].dtype) == (5.0, np.float32)
    assert space.vector(t).tolist() == vector.tolist()


def test_zeros_are_written_out():
    assert Coordinates(VALUE).vector(ZERO).tolist() == [0.0] * 7
    assert Coordinates((1.0, 2.0)).vector(Tangent[tuple](ZERO, 4.0)).tolist() == [0.0, 4.0]
    assert Coordinates(("no", 1)).vector(ZERO).tolist() == []
