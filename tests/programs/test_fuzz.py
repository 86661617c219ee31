"""Random programs: 1 to 30 operations of the samples table, sharing values; jvp, vjp and
differences agree on each value, and Taylor coefficients with jvp of jvp.

A program is a list of steps, and a step three numbers: which primal, which of its samples, and
which values computed earlier it reads. So any list of steps is a program, and any part of it too,
which is what shrinking needs. Operands are drawn towards the sample's own: functions with a domain
see ``sample + small * sin(earlier value)``, functions without see the value itself, its entries
gathered (some twice, some never) into the shape that the sample has. Results are scaled by
constants to stay near 1.

Whatever this found is a test of its own in `test_regressions`.
"""

import math
import operator
import random
from functools import cache, reduce

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_py.errors import ChainRulesError
from chainrules_py.ignoring import _ignored
from chainrules_py.testing import Layout, Tag, directional, load_shipped, random_tangent, samples_of
from chainrules_py.testing.samples import sampled_primals
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.values.identity import qualified_name
from chainrules_tape import jvp, taylor, vjp, vmap
from chainrules_tape.numpy.namespaces import interceptable

# no derivative there, or one that a step away does not exist
UNUSUAL = {Tag.TIE, Tag.KINK, Tag.DOMAIN, Tag.ERROR}
ENTIRE = {
    *(
        np.add,
        np.subtract,
        np.multiply,
        np.negative,
        np.sin,
        np.cos,
        np.tanh,
        np.exp,
        np.sum,
        np.mean,
        np.reshape,
        np.transpose,
    ),
    *(
        operator.getitem,
        np.matmul,
        np.dot,
        np.concatenate,
        np.stack,
        np.broadcast_to,
        np.where,
        np.einsum,
        np.cumsum,
        np.roll,
    ),
}
NOT_A_FUNCTION = {_ignored}  # its derivative is declared, and is not that of the function
SMALL, LARGEST = 0.03, 40
ORDER = 8  # of Taylor coefficients; forward mode nested so deep takes 256 times as long as once


def operands(value):
    """The numbers and arrays inside an argument that a program may replace: real or complex, double
    precision.
    """
    if isinstance(value, list | tuple):
        return [part for item in value for part in operands(item)]
    numeric = type(value) in (float, complex, np.ndarray, np.float64, np.complex128)
    return [value] if numeric and np.result_type(value) in (np.float64, np.complex128) else []


OF_NUMPY = ("numpy.", "chainrules_py.", "math.", "operator.", "functools.", "map")


@cache
def calls():
    """Per primal of NumPy, the samples that can be steps, in a fixed order."""
    default_rules.load_all()
    load_shipped()
    table = {}
    for primal in filter(is_of_numpy, sampled_primals()):
        samples = [
            s
            for dtype in ("float64", "complex128")
            for s in samples_of(primal, dtype)
            if usable(primal, s)
        ]
        if samples and primal not in NOT_A_FUNCTION:
            table[qualified_name(primal)] = (primal, samples)
    return [table[name] for name in sorted(table)]


def is_of_numpy(primal):
    """Whether a primal is of NumPy or Python, and neither of SciPy nor of another test."""
    name = qualified_name(primal)
    return name.startswith(OF_NUMPY) and "scipy." not in name


def usable(primal, sample):
    if sample.error is not None or sample.tags & UNUSUAL:
        return False
    free = [operands(arg) for i, arg in enumerate(sample.args) if i not in sample.fixed]
    try:
        return any(free) and bool(results(primal(*sample.args, **sample.options)))
    except Exception:  # a sample that NumPy refuses: the tests of samples say so
        return False


def results(y):
    """The parts of a result that later steps can read."""
    parts = (
        [part for item in y for part in results(item)]
        if isinstance(y, list | tuple)
        else operands(y)
    )
    return [part for part in parts if 0 < np.size(part) <= LARGEST and np.isfinite(part).all()]


class Program:
    """Steps made definite: for each a function of the values so far."""

    def __init__(self, steps):
        self.inputs = [
            np.array([0.6, -0.4, 1.1]),
            np.array([[0.3, -0.7], [1.2, 0.5]]),
            np.float64(0.8),
        ]
        self.steps, self.lines = [], []
        values = list(self.inputs)
        for which, sample, reads in steps:
            primal, samples = calls()[which % len(calls())]
            self.add(primal, samples[sample % len(samples)], random.Random(reads), values)
        self.values = values[len(self.inputs) :]

    def add(self, primal, sample, rng, values):
        """Append a step, unless it does not work out with the operands that it drew."""
        reads = []
        feeds = [
            (
                constant(a)
                if i in sample.fixed
                else self.feed(primal, i in sample.structures, a, rng, values, reads)
            )
            for i, a in enumerate(sample.args)
        ]
        with np.errstate(all="ignore"):
            try:
                found = flat(primal(*(feed(values) for feed in feeds), **sample.options))
            except (ValueError, np.linalg.LinAlgError):
                return
        places = [k for k, part in enumerate(found) if results(part)]
        parts = [found[k] for k in places]
        scales = [1 / max(1.0, float(np.max(np.abs(part))) / 2) for part in parts]
        self.steps.append(
            (
                primal,
                traceable(primal),
                feeds,
                sample.options,
                list(zip(places, scales, strict=True)),
            )
        )
        made = ", ".join(f"v{len(values) + k}" for k in range(len(parts)))
        self.lines.append(f"{made} = {qualified_name(primal)}: {sample.name} of {', '.join(reads)}")
        values += [part * scale for part, scale in zip(parts, scales, strict=True)]

    def feed(self, primal, structured, arg, rng, values, reads):
        """How an argument is made of the values so far; one with a structure, a Hermitian matrix,
        is only scaled.
        """
        if not operands(arg):
            return constant(arg)
        if isinstance(arg, list | tuple):
            parts = [self.feed(primal, structured, item, rng, values, reads) for item in arg]
            return lambda values: type(arg)([part(values) for part in parts])
        place = rng.randrange(len(values))
        reads.append(f"v{place}")
        real = np.isrealobj(arg) and np.iscomplexobj(values[place])
        part = rng.choice([np.real, np.imag]) if real else lambda v: v
        if structured:
            return lambda values: arg * (1 + SMALL * np.sin(np.mean(np.real(values[place]))))
        shape, size = np.shape(arg), np.size(values[place])
        same = shape == np.shape(values[place]) and rng.random() < 0.7
        index = np.array([rng.randrange(size) for _ in range(int(np.prod(shape)))], int).reshape(
            shape
        )
        gather = part if same else lambda v: part(np.ravel(v)[index])
        if primal in ENTIRE:
            return lambda values: gather(values[place])
        return lambda values: arg + SMALL * np.sin(gather(values[place]))

    def __call__(self, inputs):
        """The results for traced inputs."""
        values = list(inputs)
        for _, function, feeds, options, kept in self.steps:
            parts = flat(function(*(feed(values) for feed in feeds), **options))
            values += [parts[place] * scale for place, scale in kept]
        return values[len(inputs) :]

    def plain(self, inputs):
        """The results by the primals themselves, which know nothing of the engine."""
        values = list(inputs)
        for primal, _, feeds, options, kept in self.steps:
            parts = flat(primal(*(feed(values) for feed in feeds), **options))
            values += [parts[place] * scale for place, scale in kept]
        return values[len(inputs) :]

    def __repr__(self):
        return "\n".join(["", *self.lines])


def traceable(primal):
    """A function, or what chainrules_tape.numpy has in its place."""
    module, *path = qualified_name(primal).split(".")
    if module == "math":  # which takes plain numbers only
        return interceptable(primal)
    found = reduce(getattr, path, tnp) if module == "numpy" else primal
    return found if getattr(found, "__wrapped__", None) is primal else primal


def constant(arg):
    return lambda values: arg


def flat(y):
    """The parts of a result, traced or not, one after the other."""
    return [part for item in y for part in flat(item)] if isinstance(y, list | tuple) else [y]


def steps_of(count):
    step = st.tuples(st.integers(0, 999), st.integers(0, 63), st.integers(0, 65535))
    return st.lists(step, min_size=count, max_size=count)


def programs(most):
    return st.integers(1, most).flatmap(steps_of).map(Program)


class Checked:
    """A program at its inputs, along a random direction and with a random cotangent of its results."""

    def __init__(self, program):
        rng = np.random.default_rng(0)
        self.program, self.x, self.layout = program, program.inputs, Layout(program.inputs)
        self.x_dot = self.layout.restore(self.layout.tangent_vector(random_tangent(rng, self.x)))
        self.out = Layout(program.values)
        self.y_bar = self.out.restore(self.out.tangent_vector(random_tangent(rng, self.out.value)))

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


LATER = [
    pytest.param(chunk, marks=pytest.mark.long if chunk < 15 else pytest.mark.slow)
    for chunk in range(3, 60)
]


@pytest.mark.parametrize("chunk", [*range(3), *LATER])
def test_random_programs(chunk):
    hold(check, chunk, most=30, count=100)


@pytest.mark.parametrize(
    "chunk", [*range(3), *(pytest.param(chunk, marks=pytest.mark.long) for chunk in range(3, 6))]
)
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
