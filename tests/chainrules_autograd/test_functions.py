"""Functions with rules on autograd's boxes: containers, keywords, options, primitives, classes of
values.
"""

import numpy as np
from autograd import grad, jacobian

from chainrules_autograd import to_autograd
from chainrules_autograd.functions import library, traced
from chainrules_py import (
    primitive,
)
from chainrules_py.values.arrays import library_of

x, y = np.array([0.5, 1.5, 1.0]), np.array([2.0, 3.0, 0.3])


def test_a_primitive_may_be_given_a_dict_that_autograd_traces():
    @primitive
    def energy(p):
        return p["k"] * p["x"] ** 2

    from chainrules_py import Tangent, rrule

    @rrule.register(energy)
    def energy_rrule(p: dict):
        k, x = p["k"], p["x"]
        return energy(p), lambda e_bar: (
            Tangent[dict]({"k": e_bar * x**2, "x": e_bar * 2 * k * x}),
        )

    assert grad(energy)({"k": 2.0, "x": 3.0}) == {"k": 9.0, "x": 12.0}


def test_without_boxes_it_is_the_function():
    assert to_autograd(np.median)([3, 1, 2]) == 2
    assert to_autograd(np.median).__name__ == "median"


def test_integers_are_constants():
    f = to_autograd(np.take)
    assert grad(lambda x: f(x, np.array([0, 0, 2])).sum())(x).tolist() == [2.0, 0.0, 1.0]
    assert grad(lambda x: to_autograd(np.floor)(x * x) * x)(1.5) == 2.0


def test_the_namespace_of_rules_on_boxes_goes_through_our_rules():
    xp = library.namespace
    assert xp.float64 is np.float64
    assert np.allclose(jacobian(lambda x: xp.add.outer(x, x))(x)[0, 0], [2.0, 0.0, 0.0])
    assert np.allclose(grad(lambda x: xp.linalg.norm(x))(x), x / np.linalg.norm(x))
    assert xp.linalg is xp.linalg
    assert traced(np.sin) is not None
    assert traced(lambda x: x) is None


def test_boxes_are_an_array_library_of_their_own():
    seen = []
    grad(lambda x: seen.append(type(x)) or x)(1.0)
    assert library_of(seen[0]).name == "autograd"


def test_the_explanation_names_rules_and_ways():
    text = to_autograd(np.stack).explain([x, y], axis=1)
    assert "stack_rrule" in text
    assert text.endswith("traced in reverse, traced forward")
