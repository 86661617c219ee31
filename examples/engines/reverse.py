"""A reverse engine of any order: operators, methods and functions of arrays, containers, several
results, functions that call functions.

What NumPy's functions and Python's operators ask of a traced value comes from `TracedValue`, and the
rule of a call from `TracedCall`, which `differentiate` is given; what several cotangents of a value
come to from `accumulate`. What is left is a tape, and the order in which it is gone through.
"""

from chainrules_py import (
    ZERO,
    HasReverseMode,
    ProjectTo,
    accumulate,
    accumulated,
    materialize,
)
from chainrules_py.engines import FlatValue, TracedValue, next_level


class Engine(HasReverseMode):
    """What rules may ask of this engine."""

    def rrule_via_ad(self, function, *args, **options):
        """Differentiate a function that a function was given."""
        return vjp(lambda *xs: function(*xs, **options), *args)


engine = Engine()


class Tape(list):
    """The calls of one derivative: each with its pullback, the values that went in, and its results."""

    def __init__(self):
        self.level = next_level()

    def traced(self, values):
        """Numbers and arrays as values on this tape, and what else there is as it is."""
        return [Traced(x, self.level, self) if is_differentiable(x) else x for x in values]


class Traced(TracedValue):
    """A value on a tape."""

    config = engine

    def __init__(self, value, level, tape):
        self.value, self.level, self.tape = value, level, tape

    @classmethod
    def differentiate(cls, call):
        """Run the rule of a call, and write it on the tape."""
        tape = call.owner.tape
        y, pull = call.rrule()
        results = tape.traced(y.leaves)
        tape.append((pull, call.leaves, results))
        return y.with_leaves(results)


call = Traced.dispatch  # any function, those too that NumPy hands to nobody


def is_differentiable(x):
    """Whether a value has a tangent."""
    return isinstance(x, float | complex) or getattr(getattr(x, "dtype", None), "kind", "-") in "fc"


def vjp(f, *args):
    """Return f(*args), and the function that takes a cotangent of it to those of the arguments."""
    tape, given = Tape(), FlatValue.of(args)
    inputs = tape.traced(given.leaves)
    result = FlatValue.of(f(*given.with_leaves(inputs)))
    y = result.with_leaves([plain(x, tape) for x in result.leaves])

    def pullback(y_bar):
        bars = {}

        def add(values, arrived):
            for x, bar in zip(values, arrived, strict=True):
                bars[id(x)] = accumulate(bars.get(id(x), ZERO), bar)

        def taken(values):
            return [accumulated(bars.pop(id(x), ZERO)) for x in values]

        add(result.leaves, result.tangents(ProjectTo(y)(y_bar)))
        for pull, values, results in reversed(tape):
            add(values, pull(taken(results)))
        found = zip(taken(inputs), given.leaves, strict=True)
        return given.with_leaves([materialize(bar, like=x) for bar, x in found])

    return y, pullback


def plain(x, tape):
    """Take a value off a tape; those of others stay."""
    return x.value if isinstance(x, Traced) and x.tape is tape else x
