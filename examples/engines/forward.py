"""A forward engine of any order: values that carry tangents, containers of them, functions that call
functions.
"""

from chainrules_py import (
    ZERO,
    HasForwardMode,
    default_rules,
    is_zero,
    materialize,
)
from chainrules_py.engines import (
    FlatValue,
    TracedValue,
    join_traced,
    leaves_of,
    mapped,
    next_level,
    refuse_captured,
    with_tangent,
)


class Dual(TracedValue):
    """A value and its tangent, at the level of one derivative."""

    def __init__(self, value, dot, level):
        self.value, self.dot, self.level = value, dot, level

    @staticmethod
    def compute(primal, args, options):
        """Run a call at the level that was begun last; values of the others are plain to it."""
        primal, args, options = default_rules.canonical(primal, args, options)
        level = max((x.level for x in leaves_of(args) if isinstance(x, Dual)), default=None)
        if level is None:
            return primal(*args, **options)

        values = tuple(plain(arg, level) for arg in args)
        dots = tuple(tangent(arg, level) for arg in args)
        types, needs = tuple(map(type, values)), tuple(not is_zero(dot) for dot in dots)
        rule = default_rules.rule_for("forward", primal, types, engine)
        if rule is not None:
            if not rule.differentiable:
                return call(primal, values, options)
            default_rules.check_options(rule, options, engine)
            if "config" in rule.wants:
                options = {**options, "config": engine}
        # where there is no rule it raises, and says what to write
        run = default_rules.resolve("forward", primal, types, needs, engine)
        y, y_dot = run(dots, *values, **options)
        refuse_captured(primal, y, level)
        return with_tangents(y, y_dot, level)


join_traced(Dual, "the example's duals")
call = Dual.dispatch  # any function, those too that NumPy hands to nobody


def with_tangents(y, y_dot, level):
    """Put a tangent to a value, or those of its parts to the parts of a container."""
    flat = FlatValue.of(y)
    dots = flat.tangents(y_dot)
    pairs = zip(flat.leaves, dots, strict=True)
    return flat.with_leaves([x if is_zero(dot) else Dual(x, dot, level) for x, dot in pairs])


def plain(x, level):
    """Take the tangents of a level off a value; those of others stay."""
    return mapped(
        lambda leaf: leaf.value if isinstance(leaf, Dual) and leaf.level == level else leaf, x
    )


def tangent(x, level):
    """The tangent of a value at a level."""
    flat = FlatValue.of(x)
    is_own = [isinstance(leaf, Dual) and leaf.level == level for leaf in flat.leaves]
    return flat.tangent(
        [leaf.dot if own else ZERO for leaf, own in zip(flat.leaves, is_own, strict=True)]
    )


class Engine(HasForwardMode):
    """What rules may ask of this engine."""

    def is_active(self, value):
        """Whether an option is differentiated."""
        return isinstance(value, Dual)

    def frule_via_ad(self, dots, function, *args, **options):
        """Differentiate a function that a function was given."""
        return with_tangent(*jvp(lambda *xs: function(*xs, **options), args, dots))


engine = Engine()


def jvp(f, args, tangents):
    """Return f(*args), and its tangent along those of the arguments."""
    level = next_level()
    given = zip(args, tangents, strict=True)
    y = f(*[with_tangents(x, dot, level) for x, dot in given])
    return plain(y, level), with_zeros(y, level)


def with_zeros(y, level):
    """The tangent of a result, with zeros written out: a tuple of that of a tuple."""
    return mapped(lambda leaf: materialize(tangent(leaf, level), like=plain(leaf, level)), y)
