"""A first engine: the derivatives of a function of arrays and numbers with one result, of any order."""

from chainrules_py import ZERO, accumulate, accumulated, materialize
from chainrules_py.engines import TracedValue, is_container, next_level


class Traced(TracedValue):
    """A value on a tape."""

    def __init__(self, value, level, tape):
        self.value, self.level, self.tape = value, level, tape

    @classmethod
    def differentiate(cls, call):
        """Run the rule of a call, and write on the tape how to go back."""
        tape = call.owner.tape
        y, pull = call.rrule()
        results = [Traced(x, call.level, tape) for x in y.leaves]
        tape.append((pull, call.leaves, results))
        return y.with_leaves(results)


call = Traced.dispatch  # any function, those too that NumPy hands to nobody


def alone(x):
    """An array or a number; containers are refused."""
    if is_container(x):
        raise TypeError("pass arrays and numbers, and return one of them")
    return x


def vjp(f, *args):
    """Return f(*args), and the function that takes a cotangent of it to those of the arguments."""
    level, tape = next_level(), []
    inputs = [Traced(alone(x), level, tape) for x in args]
    y = alone(f(*inputs))

    def pullback(y_bar):
        bars = {id(y): y_bar}
        for pull, values, results in reversed(tape):
            arrived = [accumulated(bars.pop(id(x), ZERO)) for x in results]
            for x, bar in zip(values, pull(arrived), strict=True):
                bars[id(x)] = accumulate(bars.get(id(x), ZERO), bar)
        found = [accumulated(bars.get(id(x), ZERO)) for x in inputs]
        return tuple(materialize(bar, like=x) for bar, x in zip(found, args, strict=True))

    return (y.value if isinstance(y, Traced) and y.level == level else y), pullback
