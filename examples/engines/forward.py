"""A forward engine of any order: values that carry tangents, containers of them, functions that call
functions.
"""

from chainrules_py import ZERO, HasForwardsMode, is_zero, materialize
from chainrules_py.engines import FlatValue, TracedValue, next_level


class Engine(HasForwardsMode):
    """What rules may ask of this engine."""

    def frule_via_ad(self, dots, function, *args, **options):
        """Differentiate a function that a function was given."""
        return jvp(lambda *xs: function(*xs, **options), args, dots)


engine = Engine()


class Dual(TracedValue):
    """A value and its tangent, at the level of one derivative."""

    config = engine

    def __init__(self, value, dot, level):
        self.value, self.dot, self.level = value, dot, level

    @classmethod
    def differentiate(cls, call):
        """Run the rule of a call on the tangents of its values."""
        y, dots = call.frule([tangent(x, call.level) for x in call.leaves])
        return y.with_leaves(with_tangents(y.leaves, dots, call.level))


call = Dual.dispatch  # any function, those too that NumPy hands to nobody


def with_tangents(values, dots, level):
    """Values with their tangents; those without stay as they are."""
    pairs = zip(values, dots, strict=True)
    return [x if is_zero(dot) else Dual(x, dot, level) for x, dot in pairs]


def plain(x, level):
    """Take the tangent of a level off a value; those of others stay."""
    return x.value if isinstance(x, Dual) and x.level == level else x


def tangent(x, level):
    """The tangent of a value at a level."""
    return x.dot if isinstance(x, Dual) and x.level == level else ZERO


def jvp(f, args, tangents):
    """Return f(*args), and its tangent along those of the arguments."""
    level, given = next_level(), FlatValue.of(args)
    inputs = with_tangents(given.leaves, given.tangents(tangents), level)
    # None, which some results have in them, has a tangent, too: that there is none
    result = FlatValue.of(f(*given.with_leaves(inputs)), is_leaf=lambda part: True)
    values = [plain(x, level) for x in result.leaves]
    dots = [tangent(x, level) for x in result.leaves]
    dense = [materialize(dot, like=x) for dot, x in zip(dots, values, strict=True)]
    return result.with_leaves(values), result.with_leaves(dense)
