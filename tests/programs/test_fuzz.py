"""Random programs (`tests/shared/random_programs.py`): jvp, vjp and differences agree on each value,
and Taylor coefficients with jvp of jvp.

Whatever this found is a row of the table of programs in `product`.
"""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

from chainrules_py.errors import ChainRulesError
from chainrules_py.testing import Layout, directional, rand_tangent
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.values.identity import qualified_name
from chainrules_tape import jvp, taylor, vjp, vmap
from random_programs import programs
from seeds_of_programs import groups

ORDER = 6  # of Taylor coefficients; forward mode nested so deep takes 64 times as long as once


class Checked:
    """A program at its inputs, along a random direction and with a random cotangent of its results."""

    def __init__(self, program):
        rng = np.random.default_rng(0)
        self.program, self.x, self.layout = program, program.inputs, Layout(program.inputs)
        self.x_dot = self.layout.restore(self.layout.tangent_vector(rand_tangent(rng, self.x)))
        self.out = Layout(program.values)
        self.y_bar = self.out.restore(self.out.tangent_vector(rand_tangent(rng, self.out.value)))

    def gradient(self, x):
        """By reverse mode."""
        return vjp(self.program, x)[1](self.y_bar)[0]

    def forward(self):
        """Against differences."""
        _, y_dot = jvp(self.program, (self.x,), (self.x_dot,))
        agree(self.out, y_dot, directional(self.program.plain, self.x, self.x_dot))
        return self.out.vector(y_dot)

    def reverse(self, y_dot):
        """Against forward mode: the two are adjoint."""
        left, right = (
            self.out.vector(self.y_bar) * y_dot,
            self.layout.vector(self.gradient(self.x)) * self.layout.vector(self.x_dot),
        )
        # a variance does not move with a shift, but for roundoff
        summed = 1e-3 + np.abs(left).sum() + np.abs(right).sum()
        assert abs(left.sum() - right.sum()) <= 1e-9 * summed, (left.sum(), right.sum())

    def twice(self):
        """Forward over reverse, against differences of reverse."""
        _, x_bar_dot = jvp(self.gradient, (self.x,), (self.x_dot,))
        agree(self.layout, x_bar_dot, directional(self.gradient, self.x, self.x_dot))

    def series(self):
        """Taylor coefficients against forward mode of forward mode."""
        found = taylor(self.program, self.x, ORDER, self.x_dot)
        last = self.out.tangent_vector(found[ORDER]) * math.factorial(ORDER)
        function = self.program
        for _ in range(ORDER):
            function = along(function, self.x_dot)
        expected = self.out.tangent_vector(function(self.x))
        size = max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
        np.testing.assert_allclose(last, expected, rtol=1e-8, atol=1e-9 * size)


def along(function, x_dot):
    """The derivative of a function along a direction."""
    return lambda x: jvp(function, (x,), (x_dot,))[1]


def agree(layout, found, oracle):
    """Where there is a derivative, this is it."""
    vector = layout.vector(found)
    # values and directions are near 1
    wrong = oracle.exists & mismatch(vector, oracle.value, 1e-6, 100 * oracle.error + 1e-13)
    entries = zip(layout.labels(), vector, oracle.value, wrong, strict=True)
    assert not wrong.any(), [
        (label, value, expected) for label, value, expected, bad in entries if bad
    ]


def check(program):
    checked = Checked(program)
    checked.reverse(checked.forward())


def check_twice(program):
    Checked(program).twice()


def check_series(program):
    # functions of matrices and adjugates: a derivative of order 8 sums over 8! orders of directions
    names = [qualified_name(primal) for primal, *_ in program.steps]
    if not any(name.startswith("chainrules_py.rulesets.linalg.") for name in names):
        Checked(program).series()


def hold(test, chunk, most, count):
    """Run a test on so many programs of at most so many steps, other ones for each chunk."""
    hypothesis_test = settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=[*HealthCheck]
    )(given(programs(most))(lambda program: test(program) if program.steps else None))
    with np.errstate(all="ignore"):
        seed(chunk)(hypothesis_test)()


@pytest.mark.parametrize("chunk", groups(60, long=9))
def test_random_programs(chunk):
    hold(check, chunk, most=30, count=100)


@pytest.mark.parametrize("chunk", groups(6))
def test_random_programs_twice(chunk):
    hold(check_twice, chunk, most=4, count=50)


LANES = 3


def lanes_of(program):
    """The inputs of each lane, near those of the program."""
    return [[(1.0 - 1e-3 * lane) * x for x in program.inputs] for lane in range(LANES)]


def check_in_lanes(program):
    """`vmap` of a program, of its pullback, and the pullback of its `vmap`, lane by lane.

    False where the engine refuses, which it says by an error: a derivative that decides by a value.
    """
    lanes = lanes_of(program)
    try:
        plain = [program.plain(list(lane)) for lane in lanes]
    except (ValueError, np.linalg.LinAlgError):
        return True  # a step that these lanes do not take
    if len({str([np.shape(part) for part in results]) for results in plain}) > 1:
        return True  # shapes that depend on values
    checked = Checked(program)
    together = [np.stack(parts) for parts in zip(*lanes, strict=True)]

    def pulled(inputs):
        return vjp(program, inputs)[1](checked.y_bar)[0]

    def summed(inputs):
        bars = [np.broadcast_to(bar, (LANES, *np.shape(bar))) for bar in checked.y_bar]
        return vjp(lambda some: vmap(program)(some), inputs)[1](bars)[0]

    try:
        found = vmap(program)(together)
        inside, outside = vmap(pulled)(together), summed(together)
    except ChainRulesError:
        return False
    for lane, inputs in enumerate(lanes):
        same_in_lane(checked.out, found, lane, plain[lane])
        expected = pulled(inputs)
        same_in_lane(checked.layout, inside, lane, expected)
        same_in_lane(checked.layout, outside, lane, expected)
    return True


def same_in_lane(layout, found, lane, expected):
    """A lane has the numbers of the call for it alone, but for roundoff."""
    got = layout.vector([part[lane] for part in found])
    wanted = layout.vector(expected)
    wrong = mismatch(got, wanted, 1e-8, 1e-9)
    assert not wrong.any(), (lane, got[wrong], wanted[wrong])


IN_LANES = [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 20))]


@pytest.mark.parametrize("chunk", IN_LANES)
def test_random_programs_in_lanes(chunk):
    refused = []

    def check_one(program):
        if not check_in_lanes(program):
            refused.append(program)

    hold(check_one, chunk, most=8, count=100)
    assert len(refused) <= 20, refused


@pytest.mark.parametrize(
    "chunk", [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 80))]
)
def test_series_of_random_programs(chunk):
    hold(check_series, chunk, most=2, count=25)
