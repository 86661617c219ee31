"""A reverse engine around `rrule`: functions of arrays with one result, first derivatives.

What NumPy's functions and Python's operators ask of a traced value comes from `TracedValue`; the
arguments of a call in the order in which it is differentiated by them from `canonical`, and its rule
from `rrule`; the sum of the cotangents that arrive at one value from `accumulate`. What is left is a
tape, and the order in which it is gone through.
"""

import numpy as np

from chainrules_py import (
    ZERO,
    ProjectTo,
    accumulate,
    accumulated,
    default_rules,
    is_zero,
    materialize,
    rrule,
)
from chainrules_py.engines import (
    TracedValue,
    is_container,
    join_traced,
    leaves_of,
    next_level,
    refuse_captured,
)


class Tape(list):
    """The values of one derivative, as they came about."""

    def __init__(self):
        self.level = next_level()


class Node(TracedValue):
    """A value on a tape, and the call that it came of."""

    def __init__(self, value, tape, args=(), pullback=None):
        self.value, self.args, self.pullback, self.tape = value, args, pullback, tape
        self.level = tape.level
        tape.append(self)

    @staticmethod
    def compute(primal, args, options):
        """Run a call, and write it on the tape."""
        primal, args, options = default_rules.canonical(primal, args, options)
        tapes = [x.tape for x in leaves_of(args) if isinstance(x, Node)]
        if not tapes:
            return primal(*args, **options)
        require_alone(args)
        values = [x.value if isinstance(x, Node) else constant(x) for x in args]
        y, pullback = rrule(primal, *values, **options)
        refuse_captured(primal, y, tapes[0].level)
        return Node(y, tapes[0], args, pullback)


join_traced(Node, "nodes")
call = Node.dispatch  # any function, those too that NumPy hands to nobody


def require_alone(values):
    """Raise where a traced value is in a list or the like: this engine opens none."""
    for x in values:
        if is_container(x) and any(isinstance(part, Node) for part in leaves_of(x)):
            raise TypeError(
                f"a traced value in a {type(x).__name__}: take examples/engines/reverse"
            )


def constant(x):
    """An array of the program's as it is now: it may be written to before the pullback reads it."""
    return x.copy() if type(x) is np.ndarray else x


def is_differentiable(x):
    """Whether a value has a tangent, or may have one in it."""
    if is_container(x):
        return True
    return isinstance(x, float | complex) or getattr(getattr(x, "dtype", None), "kind", "-") in "fc"


def vjp(f, *args):
    """Return f(*args), and the function that takes a cotangent of it to those of the arguments."""
    tape = Tape()
    inputs = [Node(x, tape) if is_differentiable(x) else x for x in args]
    result = f(*inputs)
    require_alone([result])
    y = result.value if isinstance(result, Node) else result

    def pullback(y_bar):
        bars = {id(result): ProjectTo(y)(y_bar)}
        for node in reversed(tape):
            bar = accumulated(bars.pop(id(node), ZERO)) if node.pullback else ZERO
            if not is_zero(bar):
                for x, x_bar in zip(node.args, node.pullback(bar), strict=True):
                    bars[id(x)] = accumulate(bars.get(id(x), ZERO), x_bar)
        return tuple(
            materialize(accumulated(bars.get(id(x), ZERO)), like=given)
            for x, given in zip(inputs, args, strict=True)
        )

    return y, pullback
