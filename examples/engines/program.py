"""A program with a backward list: the calls of a function are written down, and run again on other
numbers, with the pullbacks of their rules. A gradient is such a list as well, so any order.

Branches and shapes stay as they were: numbers that would have others are refused.
"""

import operator

import numpy as np

from chainrules_py import (
    ZERO,
    HasReverseMode,
    ProjectTo,
    accumulate,
    accumulated,
    default_rules,
    is_zero,
)
from chainrules_py import zero_tangent as zeros_of
from chainrules_py.engines import (
    FlatCall,
    FlatValue,
    TracedValue,
    next_level,
    refuse_captured,
)


class Recorded(TracedValue):
    """The value at a place of a program that is being written."""

    def __init__(self, program, value):
        self.program, self.value, self.place = program, value, len(program.values)
        self.level = program.level
        program.values.append(value)

    @staticmethod
    def compute(primal, args, options):
        """Write a call into the program that was begun last; values of others are plain to it."""
        _, given, _ = default_rules.canonical(primal, args, options)
        if any(isinstance(x, np.random.Generator | np.random.RandomState) for x in given):
            raise TypeError("program: a draw would be another one when it is run; pass it in")
        call, leaves = FlatCall.of(primal, args, options, is_array)
        programs = [x.program for x in leaves if isinstance(x, Recorded)]
        if not programs:
            return primal(*args, **options)
        return max(programs, key=lambda program: program.level).compute(call, leaves)

    def __bool__(self):
        return self.program.decided(self, bool)

    def __index__(self):
        return self.program.decided(self, operator.index)

    def __array__(self, dtype=None, copy=None):
        if is_differentiable(self.value):
            return super().__array__(dtype, copy)  # raises
        return self.program.decided(self, np.asarray)


class Program:
    """Calls in a flat list, each with the places of its leaves and of those of its result."""

    def __init__(self, f, *args):
        self.level, self.calls = next_level(), []
        self.values, self.constants = [], set()
        self.given = FlatValue.of(args)
        inputs = self.written(self.given.leaves)
        self.inputs = self.places(inputs)
        result = FlatValue.of(f(*self.given.with_leaves(inputs)))
        self.tree, self.result = result.tree, self.places(result.leaves)

    def __str__(self):
        return "\n".join(f"{outs} = {call}{ins}" for call, ins, outs in self.calls)

    def written(self, leaves):
        """Give numbers and arrays places; integers of Python, or beside others as pivots are, and
        what else there is, are to stay the same.
        """
        alone = len(leaves) == 1 and is_array(leaves[0])
        return [Recorded(self, x) if alone or is_differentiable(x) else x for x in leaves]

    def places(self, leaves):
        """The places of values; others get one as constants, arrays as they are now."""
        found = []
        for x in leaves:
            if not (isinstance(x, Recorded) and x.program is self):
                x = Recorded(self, x.copy() if type(x) is np.ndarray else x)
                self.constants.add(x.place)
            found.append(x.place)
        return found

    def compute(self, call, leaves):
        """Run a call, and write it down."""
        ins = self.places(leaves)
        y = value_of(call, [self.values[k] for k in ins])
        refuse_captured(call.primal, y.leaves, self.level)
        outs = self.written(y.leaves)
        self.calls.append((call, ins, self.places(outs)))
        return y.with_leaves(outs)

    def decided(self, x, kind):
        """What Python goes on with, a branch or an index: other numbers have to lead to the same."""
        found = kind(x.value)
        self.calls.append((kind, [x.place], found))
        return found

    def vjp(self, *args):
        """The result for other arguments, and the function from its cotangent to theirs."""
        values, backward = list(self.values), []
        active = set(self.fill(values, self.inputs, FlatValue.of(args).leaves))
        for call, ins, outs in self.calls:
            leaves, needed = [values[k] for k in ins], [k in active for k in ins]
            if not isinstance(call, FlatCall):
                require_same(call(*leaves), outs)
                continue
            if is_constant(call, leaves, needed):
                self.fill(values, outs, value_of(call, leaves).leaves)
                continue
            # where there is no rule it raises, and says what to write
            y, pull = call.rrule(leaves, needed, engine)
            active.update(self.fill(values, outs, y.leaves))
            backward.append((pull, ins, outs))

        y = FlatValue([values[k] for k in self.result], self.tree)
        whole = y.with_leaves(y.leaves)

        def pullback(y_bar):
            bars = {}

            def add(places, found):
                for k, bar in zip(places, found, strict=True):
                    bars[k] = accumulate(bars.get(k, ZERO), bar)

            def taken(places):
                return [accumulated(bars.pop(k, ZERO)) for k in places]

            add(self.result, y.tangents(ProjectTo(whole)(y_bar)))
            for pull, ins, outs in reversed(backward):
                add(ins, pull(taken(outs)))
            found = zip(taken(self.inputs), self.inputs, strict=True)
            dense = [zeros_of(values[k]) if is_zero(bar) else bar for bar, k in found]
            return self.given.with_leaves(dense)

        return whole, pullback

    def fill(self, values, places, found):
        """Write values to places, in the shapes that were there; return those of floats."""
        for k, x in zip(places, found, strict=True):
            if k in self.constants:
                require_same(x, values[k])
            else:
                require_same(np.shape(x), np.shape(values[k]))
                values[k] = x
        return [k for k in places if is_differentiable(values[k])]


def require_same(found, expected):
    """Raise where numbers lead elsewhere than those that a program was written down for."""
    if not np.array_equal(found, expected):
        raise ValueError(f"program: {found} where it was {expected}; write it down for these")


def value_of(call, leaves):
    """The value of a call, of which programs that were begun before take note."""
    return FlatValue.of(Recorded.dispatch(call.primal, *call.arguments(leaves)))


def is_constant(call, leaves, needed):
    """Whether a call has no derivative; functions whose rules are for other engines are none such."""
    rule = call.rule("reverse", leaves, engine)
    if rule is not None:
        return not (rule.differentiable and any(needed))
    return not any(needed) and not any(default_rules.rules(call.primal))


def is_array(x):
    """Whether a value is an array, of any library."""
    return hasattr(x, "dtype") and not isinstance(x, type)


def is_differentiable(x):
    """Whether a value has a tangent."""
    return isinstance(x, float | complex) or getattr(getattr(x, "dtype", None), "kind", "-") in "fc"


class Engine(HasReverseMode):
    """What rules may ask of this engine."""

    def is_active(self, value):
        """Whether an option is differentiated."""
        return isinstance(value, Recorded)

    def rrule_via_ad(self, function, *args, **options):
        """Differentiate a function that a function was given."""
        return vjp(lambda *xs: function(*xs, **options), *args)


def vjp(f, *args):
    """Write a function down at some arguments, and run it once more with its pullbacks."""
    return Program(f, *args).vjp(*args)


call, engine = Recorded.dispatch, Engine()
