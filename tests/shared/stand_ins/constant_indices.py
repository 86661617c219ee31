"""Functions whose rules read and add at an index that they make themselves, as a constant of the
array library at hand.
"""

import numpy as np

from chainrules_py import Array, frule, primitive, rrule

X = np.random.default_rng(0).normal(size=(3, 4))
INDICES = {
    "alone": lambda xp: xp.arange(2),
    "in a tuple": lambda xp: (slice(None), xp.arange(3)),
    "two": lambda xp: (xp.arange(3), xp.arange(3)),
    "computed": lambda xp: (..., xp.arange(4)[::-1] + 0),
    "of a function": lambda xp: (slice(None), xp.flip(xp.arange(4))),
}


def squares_at(index_of):
    """A function whose rules read at a constant index."""

    @primitive
    def squares(x):
        return x

    @rrule.register(squares)
    def squares_rrule(x: Array, *, xp):
        index = index_of(xp)
        shape, dtype = x.shape, x.dtype

        def squares_pullback(y_bar):
            x_bar = xp.zeros(shape, dtype)
            xp.add.at(x_bar, index, 2 * x[index] * y_bar)
            return (x_bar,)

        return x[index] ** 2, squares_pullback

    @frule.register(squares)
    def squares_frule(dots, x: Array, *, xp):
        index = index_of(xp)
        return x[index] ** 2, 2 * x[index] * dots[0][index]

    return squares
