"""Containers of arrays as one vector, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape.core import trees
from chainrules_tape.numpy import concatenate
from chainrules_tape.refusals.handles import TracedArray


def as_vector(value) -> tuple[Any, Callable[[Any], Any]]:
    """Return the numbers of a container as one vector, dicts by their sorted keys, and the function
    that makes such a container of a vector. Derivatives pass through both.

    >>> flat, unflatten = as_vector({"w": np.ones((2, 2)), "b": 3.0})
    >>> flat, unflatten(flat + 1)["w"].shape
    (array([3., 1., 1., 1., 1.]), (2, 2))
    """
    leaves, rebuilt = trees.flatten(value)
    shapes = [np.shape(leaf) for leaf in leaves]
    ends = np.cumsum([np.size(leaf) for leaf in leaves], dtype=int)
    flat = concatenate([np.ravel(leaf) for leaf in leaves]) if leaves else np.zeros(0)

    def unflatten(vector):
        starts = [0, *ends]
        parts = [vector[begin:end] for begin, end in zip(starts, ends, strict=False)]
        return rebuilt([shaped(part, shape) for part, shape in zip(parts, shapes, strict=True)])

    return flat, unflatten


def shaped(part, shape: tuple[int, ...]) -> Any:
    """A piece of a vector in a shape; a plain number is one of Python's."""
    if shape or issubclass(type(part), TracedArray):
        return np.reshape(part, shape)
    return part[0]
