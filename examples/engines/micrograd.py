"""An engine for Python's numbers in the style of micrograd: numbers that remember what they came of,
and `backward`. Operators are functions of `operator`, which have rules, as those of `math` have.

    x = Value(0.5)
    y = lifted(math.exp)(x) * x
    y.backward()
    x.grad
"""

import operator

from chainrules_py import ZERO, is_zero, unthunk
from chainrules_py.engines import FlatCall, FlatValue


class Value:
    """A number, its gradient, and the call that it came of."""

    def __init__(self, data, parents=(), pull=None):
        self.data, self.grad, self.parents, self.pull = data, 0.0, parents, pull

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __bool__(self):
        return bool(self.data)

    def backward(self, seed=1.0):
        """Add to the `grad` of every number that this one came of, itself included."""
        backward([self], [seed])


def backward(results, seeds):
    """Add to gradients from those of several results, each number after all that it went into."""
    for y, seed in zip(results, seeds, strict=True):
        y.grad = y.grad + seed
    for node in reversed(in_order(results)):
        if node.pull is not None:
            for parent, bar in zip(node.parents, node.pull(node.grad), strict=True):
                if isinstance(parent, Value) and not is_zero(bar):
                    parent.grad = parent.grad + unthunk(bar)


def in_order(results):
    """The numbers that results came of, each after its parents."""
    found, seen, todo = [], set(), [(y, False) for y in results]
    while todo:
        node, is_left = todo.pop()
        if is_left:
            found.append(node)
        elif id(node) not in seen and isinstance(node, Value):
            seen.add(id(node))
            todo += [(node, True), *((parent, False) for parent in node.parents)]
    return found


def call(primal, args, options):
    """The value of a call, with the pullback of its rule."""
    flat, leaves = FlatCall.of(primal, args, options, is_value)
    data = [x.data if is_value(x) else x for x in leaves]
    needed = list(map(is_value, leaves))
    if not flat.has_derivative(data, needed):
        y = flat.value(data)
        return y.with_leaves(y.leaves)
    y, pull = flat.rrule(data, needed)  # where there is no rule it says what to write

    def part(place, number):
        if not isinstance(number, float):
            return number
        others = [ZERO] * (len(y.leaves) - 1)
        return Value(number, leaves, lambda bar: pull([*others[:place], bar, *others[place:]]))

    return y.with_leaves([part(k, number) for k, number in enumerate(y.leaves)])


def is_value(x):
    """Whether a number remembers what it came of."""
    return isinstance(x, Value)


def lifted(function):
    """A function that has a rule, for such numbers."""
    return lambda *args, **options: call(function, args, options)


def as_methods(name):
    """Make an operator a method of numbers, also where the number stands on the right."""
    function = getattr(operator, f"__{name}__")
    setattr(Value, f"__{name}__", lambda *args: call(function, args, {}))
    setattr(Value, f"__r{name}__", lambda self, other: call(function, (other, self), {}))


OPERATORS = "add sub mul truediv floordiv mod pow neg pos abs lt le gt ge eq ne"
for name in OPERATORS.split():
    as_methods(name)
Value.__hash__ = object.__hash__


def vjp(f, *args):
    """The value of a function of numbers, and its pullback, as engines are checked by."""
    inputs = [Value(x) if isinstance(x, float) else x for x in args]
    y = FlatValue.of(f(*inputs))

    def pullback(y_bar):
        for node in in_order([*y.leaves, *inputs]):
            node.grad = 0.0
        seeds = zip(y.leaves, FlatValue.of(y_bar).leaves, strict=True)
        own = [(node, seed) for node, seed in seeds if is_value(node)]
        backward([node for node, _ in own], [seed for _, seed in own])
        return tuple(getattr(x, "grad", 0.0) for x in inputs)

    return y.with_leaves([getattr(x, "data", x) for x in y.leaves]), pullback
