"""Many examples at once: `vmap` by the table's rules for batching, beside the derivatives of any engine.

A value in lanes is an array with an axis of examples in front, and looks like one example. `batched`
computes a call for all of them, by its rule or in a loop.
"""

import operator

import numpy as np

from chainrules_py import batched
from chainrules_py.engines import (
    FlatValue,
    TracedValue,
    fields,
    is_container,
    mapped,
    next_level,
    rebuild,
)


class InLanes(TracedValue):
    """The values of all examples, along the first axis of `value`."""

    def __init__(self, value, level):
        self.value, self.level = value, level

    @property
    def shape(self):
        """The shape of one example."""
        return np.shape(self.value)[1:]

    def __len__(self):
        return self.shape[0]

    def __bool__(self):
        return self.decided(bool)

    def __index__(self):
        return self.decided(operator.index)

    def decided(self, kind):
        """What Python goes on with, a branch or an index, where it is that of all examples."""
        found = {kind(value) for value in self.value}
        if len(found) != 1:
            raise TypeError("the examples decide otherwise; write numpy.where")
        return found.pop()

    @classmethod
    def compute(cls, primal, args, options):
        """Compute a call for all examples of the `vmap` that began last; others are plain to it."""
        leaves = FlatValue.of((args, options)).leaves
        levels = [x.level for x in leaves if isinstance(x, InLanes)]
        if not levels:
            return primal(*args, **options)
        level = max(levels)
        if any(lanes_of(x, level) for x in options.values()):
            raise TypeError(f"{primal.__name__}: an option has lanes; pass it as an argument")
        lanes = tuple([lanes_of(x, level) for x in args])
        values = [mapped(lambda x: plain(x, level), x) for x in args]
        y = batched(primal, lanes, *values, **options)
        return mapped(lambda part: InLanes(part, level), y)


call = InLanes.dispatch  # any function, those too that NumPy hands to nobody


def lanes_of(x, level):
    """Whether a value has lanes; of a container a tuple that says it of each part."""
    if not is_container(x):
        return isinstance(x, InLanes) and x.level == level
    found = tuple([lanes_of(part, level) for part in fields(x).values()])
    return found if any(found) else False


def plain(x, level):
    """The array of all examples; what has no lanes as it is."""
    return x.value if lanes_of(x, level) is True else x


def vmap(f, in_axes=0):
    """The function of many examples: `in_axes` has the axis of each argument, None for a constant."""

    def of_all(*args):
        level, counts = next_level(), []

        def entered(x, axis):
            if isinstance(axis, tuple | list | dict):
                axes = fields(axis)
                return rebuild(
                    x, {key: entered(part, axes[key]) for key, part in fields(x).items()}
                )
            if axis is None:
                return x
            if is_container(x):
                return mapped(lambda part: entered(part, axis), x)
            counts.append(np.shape(x)[axis])
            return InLanes(np.moveaxis(x, axis, 0), level)

        def left(y):
            own = lanes_of(y, level) is True
            return y.value if own else np.stack([y] * counts[0])

        axes = in_axes if isinstance(in_axes, tuple | list) else (in_axes,) * len(args)
        y = f(*[entered(x, axis) for x, axis in zip(args, axes, strict=True)])
        return mapped(left, y)

    return of_all
