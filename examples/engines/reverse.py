"""A reverse engine of any order: containers, several results, functions that call functions.

It keeps every value of a tape alive, and asks for the rule at every call: that is what a real engine
does better. `chainrules_py.engines.planned` is what ours remember of calls.
"""

import numpy as np

from chainrules_py import (
    ZERO,
    HasReverseMode,
    ProjectTo,
    accumulate,
    accumulated,
    default_rules,
    is_zero,
    zero_tangent,
)
from chainrules_py.engines import (
    FlatValue,
    TracedValue,
    is_container,
    join_traced,
    leaves_of,
    mapped,
    next_level,
    refuse_captured,
    with_tangents_back,
)


class Tape(list):
    """The values of one derivative, as they came about."""

    def __init__(self):
        self.level = next_level()


class Traced(TracedValue):
    """A value on a tape, with the call that it came of."""

    def __init__(self, value, tape, args=(), pullback=None):
        self.value, self.tape, self.args, self.pullback = value, tape, args, pullback
        self.level = tape.level
        tape.append(self)

    @staticmethod
    def compute(primal, args, options):
        """Run a call on the tape that was begun last; values of the others are plain to it."""
        primal, args, options = default_rules.canonical(primal, args, options)
        tapes = [x.tape for x in leaves_of(args) if isinstance(x, Traced)]
        if not tapes:
            return primal(*args, **options)
        tape = max(tapes, key=lambda tape: tape.level)

        values = tuple(mapped(constant, plain(arg, tape)) for arg in args)
        types = tuple(map(type, values))
        needs = tuple(any(is_on(tape, x) for x in leaves_of(arg)) for arg in args)
        rule = default_rules.rule_for("reverse", primal, types, engine)
        if rule is not None:
            if not rule.differentiable:
                return call(primal, values, options)
            default_rules.check_options(rule, options, engine)
            if "config" in rule.wants:
                options = {**options, "config": engine}
        # where there is no rule it raises, and says what to write
        run = default_rules.resolve("reverse", primal, types, needs, engine)
        y, pullback = run(*values, **options)
        refuse_captured(primal, y, tape.level)
        return recorded(y, tape, args, pullback)


join_traced(Traced, "the example's tape")
call = Traced.dispatch  # any function, those too that NumPy hands to nobody


def recorded(y, tape, args, pullback):
    """Put a result on a tape; several results are parts of one."""
    whole = Traced(y, tape, args, pullback)
    if not is_container(y):
        return whole if is_differentiable(y) else y
    flat = FlatValue.of(y)

    def part_of(place):
        def pull(bar):
            return (flat.tangent([bar if k == place else ZERO for k in range(len(flat.leaves))]),)

        return pull

    return flat.with_leaves(
        [
            Traced(part, tape, (whole,), part_of(k)) if is_differentiable(part) else part
            for k, part in enumerate(flat.leaves)
        ]
    )


def is_on(tape, x):
    """Whether a value is on a tape."""
    return isinstance(x, Traced) and x.tape is tape


def plain(x, tape):
    """Take the values of a tape off; those of others stay."""
    return mapped(lambda leaf: leaf.value if is_on(tape, leaf) else leaf, x)


def constant(x):
    """An array of the program's as it is now: it may be written to before the pullback reads it."""
    return x.copy() if type(x) is np.ndarray else x


def is_differentiable(x):
    """Whether a value has a tangent."""
    return isinstance(x, float | complex) or getattr(getattr(x, "dtype", None), "kind", "-") in "fc"


class Engine(HasReverseMode):
    """What rules may ask of this engine."""

    def is_active(self, value):
        """Whether an option is differentiated."""
        return isinstance(value, Traced)

    def rrule_via_ad(self, function, *args, **options):
        """Differentiate a function that a function was given."""
        return with_tangents_back(*vjp(lambda *xs: function(*xs, **options), *args))


engine = Engine()


def vjp(f, *args):
    """Return f(*args), and the function that takes a cotangent of it to those of the arguments."""
    tape = Tape()
    inputs = mapped(lambda x: Traced(x, tape) if is_differentiable(x) else x, args)
    result = f(*inputs)
    y = plain(result, tape)

    def pullback(y_bar):
        bars = {}

        def add(x, x_bar):
            flat = FlatValue.of(x)
            for leaf, bar in zip(flat.leaves, flat.tangents(x_bar), strict=True):
                if is_on(tape, leaf):
                    bars[id(leaf)] = accumulate(bars.get(id(leaf), ZERO), bar)

        add(result, ProjectTo(y)(y_bar))
        for node in reversed(tape):
            bar = accumulated(bars.pop(id(node), ZERO)) if node.pullback else ZERO
            if not is_zero(bar):
                for x, x_bar in zip(node.args, node.pullback(bar), strict=True):
                    add(x, x_bar)

        def cotangent_of(x):
            bar = accumulated(bars.get(id(x), ZERO))
            value = x.value if isinstance(x, Traced) else x
            return zero_tangent(value) if is_zero(bar) else bar

        return mapped(cotangent_of, inputs)

    return y, pullback
