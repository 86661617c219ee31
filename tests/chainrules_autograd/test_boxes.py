"""Containers of autograd's boxes are opened, and what has a derivative is told from what has none."""

from collections import namedtuple

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad
from autograd.numpy.numpy_boxes import ArrayBox

from chainrules_autograd import install
from chainrules_autograd.boxes import (
    holds_boxes,
    is_differentiable,
    is_lost,
    is_of_objects,
    level,
    opened,
)

Pair = namedtuple("Pair", "left right")
x = np.array([1.0, 2.0])


def test_containers_that_autograd_traces_are_opened():
    seen = []

    def f(args):
        seen.append(opened({"all": args, "one": args[1]}))
        return anp.sum(args[0]) * args[1]["b"]

    grad(f)((x, {"b": 3.0}))
    (whole,) = seen
    assert type(whole["all"]) is tuple
    assert isinstance(whole["all"][0], ArrayBox)
    assert isinstance(whole["all"][1]["b"], ArrayBox)
    assert isinstance(whole["one"]["b"], ArrayBox)


def test_other_containers_keep_their_class_and_iterators_are_lists():
    assert opened(Pair(1.0, [2.0])) == Pair(1.0, [2.0])
    assert opened(map(float, (1, 2))) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, True),
        (1j, True),
        (np.float32(1), True),
        (x, True),
        (3, False),
        (np.arange(3), False),
        (None, False),
        ("a", False),
    ],
)
def test_what_has_a_derivative(value, expected):
    assert is_differentiable(value) is expected


def test_levels_count_derivatives_from_the_outside():
    seen = []

    def inner(x):
        seen.append(level(x))
        return x**2

    grad(lambda x: seen.append(level(x)) or grad(inner)(x))(1.0)
    assert seen[1] > seen[0] >= 0 > level(1.0)


def test_arrays_of_boxes_are_noticed():
    seen = []
    grad(lambda x: seen.append(np.array([x[0], x[1]], dtype=object)) or x[0])(x)
    assert holds_boxes(seen[0])
    assert not holds_boxes(np.array([1, "a"], dtype=object))
    assert not holds_boxes(x)


def test_boxes_of_numbers_have_shapes_and_no_other_new_attributes():
    seen = []

    def looked_at(x):
        seen.append((x.shape, x.ndim, x.size, x.dtype, hasattr(x, "strides_of_nobody")))
        return x * x

    for _ in range(2):
        installed = install()
        assert grad(looked_at)(1.5) == 3.0
        assert grad(grad(looked_at))(1.5) == 2.0
        assert grad(lambda x: np.sum(looked_at(x)))(np.ones(2, "float32")).shape == (2,)
        installed.undo()
    assert "__getattr__" not in vars(ArrayBox)
    assert set(seen) == {
        ((), 0, 1, np.dtype(float), False),
        ((2,), 1, 2, np.dtype("float32"), False),
    }


def test_boxes_of_objects_are_lost_and_objects_without_boxes_are_not():
    seen = []
    grad(lambda x: seen.append(x * np.ones_like(x)) or x[0])(x)
    (box,) = seen
    assert is_of_objects(box)
    assert is_lost(box)
    plain = np.array([1, "a"], dtype=object)
    assert is_of_objects(plain)
    assert not is_lost(plain)
    assert not is_lost(x)
