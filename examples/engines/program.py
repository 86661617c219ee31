"""A program with a backward list: the calls of a function are written down, and run again on other
numbers, with the pullbacks of their rules. A gradient is such a list as well, so any order.

Branches and shapes stay as they were: numbers that would have others are refused.
"""

import operator

import numpy as np

from chainrules_py import ZERO, HasReverseMode, ProjectTo, accumulate, accumulated, materialize
from chainrules_py.engines import (
    FlatCall,
    FlatValue,
    TracedValue,
    next_level,
    refuse_captured,
)


class Engine(HasReverseMode):
    """What rules may ask of this engine."""

    def rrule_via_ad(self, function, *args, **options):
        """Differentiate a function that a function was given."""
        return vjp(lambda *xs: function(*xs, **options), *args)


engine = Engine()


class Recorded(TracedValue):
    """The value at a place of a program that is being written."""

    def __init__(self, value, program):
        self.value, self.program, self.level = value, program, program.level
        self.place = len(program.values)
        program.values.append(value)

    @classmethod
    def compute(cls, primal, args, options):
        """Write a call into the program that was begun last; values of others are plain to it."""
        call, leaves = FlatCall.of(primal, args, options)
        programs = [x.program for x in leaves if isinstance(x, Recorded)]
        if not programs:
            return primal(*args, **options)
        return max(programs, key=lambda program: program.level).write(call, leaves)

    def __bool__(self):
        return self.program.decided(self, bool)

    def __index__(self):
        return self.program.decided(self, operator.index)

    def __array__(self, dtype=None, copy=None):
        if is_differentiable(self.value):
            return super().__array__(dtype, copy)  # raises
        return self.program.decided(self, np.asarray)


call = Recorded.dispatch  # any function, those too that NumPy hands to nobody


class Program:
    """Calls in a flat list, each with the places of its leaves and of those of its result."""

    def __init__(self, f, *args):
        self.level, self.calls = next_level(), []
        self.values, self.constants = [], set()
        self.given = FlatValue.of(args)
        inputs = self.recorded(self.given.leaves)
        self.inputs = self.places(inputs)
        self.result = FlatValue.of(f(*self.given.with_leaves(inputs)))
        self.outputs = self.places(self.result.leaves)

    def __str__(self):
        """The calls, with the places of values in the place of their names."""
        return "\n".join(self.written(*each) for each in self.calls)

    def written(self, call, ins, outs):
        """A call, or a decision and what it led to."""
        names = [f"%{k}" for k in ins]
        if isinstance(call, FlatCall):
            return f"{', '.join(f'%{k}' for k in outs)} = {call.written(names)}"
        return f"{call.__name__}({names[0]}) is {outs!r}"

    def recorded(self, leaves):
        """Give numbers and arrays places; integers of Python, or beside others as pivots are, and
        what else there is, are to stay the same.
        """
        alone = len(leaves) == 1 and hasattr(leaves[0], "dtype")
        return [Recorded(x, self) if alone or is_differentiable(x) else x for x in leaves]

    def places(self, leaves):
        """The places of values; others get one as constants, arrays as they are now."""
        found = []
        for x in leaves:
            if not (isinstance(x, Recorded) and x.program is self):
                x = Recorded(x.copy() if type(x) is np.ndarray else x, self)
                self.constants.add(x.place)
            found.append(x.place)
        return found

    def write(self, call, leaves):
        """Run a call, and write it down."""
        if any(isinstance(x, np.random.Generator | np.random.RandomState) for x in call.args):
            raise TypeError("program: a draw would be another one when it is run; pass it in")
        ins = self.places(leaves)
        y = value_of(call, [self.values[k] for k in ins])
        refuse_captured(call.primal, y.leaves, self.level)
        outs = self.recorded(y.leaves)
        self.calls.append((call, ins, self.places(outs)))
        return y.with_leaves(outs)

    def decided(self, x, kind):
        """What Python goes on with, a branch or an index: other numbers have to lead to the same."""
        found = kind(x.value)
        self.calls.append((kind, [x.place], found))
        return found

    def vjp(self, *args):
        """The result for other arguments, and the function from its cotangent to theirs."""
        values, backward, active = list(self.values), [], set(self.inputs)
        self.fill(values, self.inputs, FlatValue.of(args).leaves)
        for call, ins, outs in self.calls:
            leaves = [values[k] for k in ins]
            if not isinstance(call, FlatCall):
                require_same(call(*leaves), outs)
                continue
            needed = [k in active and is_differentiable(values[k]) for k in ins]
            if call.has_derivative(leaves, needed, engine):
                y, pull = call.rrule(leaves, needed, engine)
                backward.append((pull, ins, outs))
                active.update(outs)
            else:
                y = value_of(call, leaves)
            self.fill(values, outs, y.leaves)
        y = self.result.with_leaves([values[k] for k in self.outputs])

        def pullback(y_bar):
            bars = {}

            def add(places, found):
                for k, bar in zip(places, found, strict=True):
                    bars[k] = accumulate(bars.get(k, ZERO), bar)

            def taken(places):
                return [accumulated(bars.pop(k, ZERO)) for k in places]

            add(self.outputs, self.result.tangents(ProjectTo(y)(y_bar)))
            for pull, ins, outs in reversed(backward):
                add(ins, pull(taken(outs)))
            found = zip(taken(self.inputs), self.inputs, strict=True)
            return self.given.with_leaves([materialize(bar, like=values[k]) for bar, k in found])

        return y, pullback

    def fill(self, values, places, found):
        """Write values to places, in the shapes that were there."""
        for k, x in zip(places, found, strict=True):
            if k in self.constants:
                require_same(x, values[k])
            require_same(np.shape(x), np.shape(values[k]))
            values[k] = x


def require_same(found, expected):
    """Raise where numbers lead elsewhere than those that a program was written down for."""
    if not np.array_equal(found, expected):
        raise ValueError(f"program: {found} where it was {expected}; write it down for these")


def value_of(call, leaves):
    """The value of a call, of which programs that were begun before take note."""
    return FlatValue.of(Recorded.dispatch(call.primal, *call.arguments(leaves)))


def is_differentiable(x):
    """Whether a value has a tangent."""
    return isinstance(x, float | complex) or getattr(getattr(x, "dtype", None), "kind", "-") in "fc"


def vjp(f, *args):
    """Write a function down at some arguments, and run it once more with its pullbacks."""
    return Program(f, *args).vjp(*args)
