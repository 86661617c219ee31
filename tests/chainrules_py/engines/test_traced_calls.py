"""What an engine of few lines has of `TracedValue` and `TracedCall`."""

from typing import ClassVar

import numpy as np
import pytest

from chainrules_py import (
    ZERO,
    HasForwardsMode,
    NoRuleError,
    OptionError,
    is_zero,
)
from chainrules_py.engines import FlatValue, TracedValue, next_level
from chainrules_tape import grad


class Engine(HasForwardsMode):
    def frule_via_ad(self, dots, function, *args, **options):
        return slope(lambda *xs: function(*xs, **options), args, dots)


class Pair(TracedValue):
    """A value and its tangent."""

    config = Engine()

    def __init__(self, value, dot, level):
        self.value, self.dot, self.level = value, dot, level

    @classmethod
    def differentiate(cls, call):
        y, dots = call.frule([x.dot if call.is_own(x) else ZERO for x in call.leaves])
        pairs = zip(y.leaves, dots, strict=True)
        return y.with_leaves([x if is_zero(dot) else cls(x, dot, call.level) for x, dot in pairs])


class Held(TracedValue):
    """A value whose pullback waits."""

    level, pulls = next_level(), []

    def __init__(self, value):
        self.value = value

    @classmethod
    def differentiate(cls, call):
        y, pull = call.rrule()
        cls.pulls.append(pull)
        return y.with_leaves(list(map(cls, y.leaves)))


def slope(f, args, dots):
    level = next_level()
    y = FlatValue.of(f(*(Pair(x, dot, level) for x, dot in zip(args, dots, strict=True))))
    own = [isinstance(x, Pair) and x.level == level for x in y.leaves]
    pairs = list(zip(y.leaves, own, strict=True))
    return (
        y.with_leaves([x.value if is_own else x for x, is_own in pairs]),
        y.with_leaves([x.dot if is_own else x * 0.0 for x, is_own in pairs]),
    )


def slope_at(f, x):
    return slope(f, (x,), (1.0,))[1]


def test_a_level_that_counts_is_twelve_lines():
    class Counted(TracedValue):
        counts: ClassVar = {}

        def __init__(self, value, level):
            self.value, self.level = value, level

        @classmethod
        def differentiate(cls, call):
            cls.counts[call.primal] = cls.counts.get(call.primal, 0) + 1
            return call.traced(call.plain_result())

    def program(x):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        return np.sum(u * s @ vh * np.sin(x))

    found = program(Counted(np.eye(2), next_level()))
    assert (found.value, Counted.counts[np.multiply]) == (program(np.eye(2)), 2)
    x = Counted(np.eye(2), next_level())
    slope_found = grad(lambda x: np.sum(np.sin(x) * x))(x)
    np.testing.assert_allclose(slope_found.value, grad(lambda x: np.sum(np.sin(x) * x))(np.eye(2)))


def test_writes_and_options_are_refused():
    def written(x):
        np.copyto(x, 2.0)

    with pytest.raises(NoRuleError):
        slope_at(written, 1.0)
    with pytest.raises(OptionError, match="initial"):
        slope_at(lambda x: np.sum(np.stack([x, x]), initial=x), 1.0)
    with pytest.raises(OptionError, match="initial"):
        Held(np.ones(2)).sum(initial=Held(1.0))


def test_a_constant_may_be_written_to_before_its_pullback_reads_it():
    a = np.array([2.0, 3.0])
    Held(np.ones(2)) * a
    a[:] = 0.0
    x_bar, _ = Held.pulls.pop()([np.ones(2)])
    assert x_bar.tolist() == [2.0, 3.0]


def test_calls_without_traced_values_are_calls_of_the_function():
    assert Pair.dispatch(np.add, (1.0, 2.0), {}) == 3.0
    with pytest.raises(NotImplementedError):
        TracedValue.differentiate(None)
