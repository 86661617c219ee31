"""Containers of arrays as one vector, and back, by autograd's names."""

from typing import Any

from chainrules_py.annotations import Function
from chainrules_tape.vectors import as_vector

flatten = as_vector


def flatten_func(func: Function, example) -> tuple[Any, Any, Any]:
    """A function of containers as one of vectors, with what makes a container of one, and the
    vector of the example.
    """
    vector, unflatten = flatten(example)

    def flat_function(x, *args):
        return flatten(func(unflatten(x), *args))[0]

    return flat_function, unflatten, vector
