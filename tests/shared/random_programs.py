"""Random programs for tests: 1 to 30 operations of the samples table, sharing values.

A program is a list of steps, and a step three numbers: which primal, which of its samples, and
which values computed earlier it reads. So any list of steps is a program, and any part of it too,
which is what shrinking needs. Operands are drawn towards the sample's own: functions with a domain
see ``sample + small * sin(earlier value)``, functions without see the value itself, its entries
gathered (some twice, some never) into the shape that the sample has. Results are scaled by
constants to stay near 1.
"""

import operator
import random
from functools import cache, reduce

import numpy as np
from hypothesis import strategies as st

import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_py.ignoring import _ignored
from chainrules_py.testing import Tag, load_shipped, samples_of
from chainrules_py.testing.samples import sampled_primals
from chainrules_py.values.identity import qualified_name
from chainrules_tape.numpy.namespaces import interceptable

# no derivative there, or one that a step away does not exist
UNUSUAL = {Tag.TIE, Tag.KINK, Tag.DOMAIN, Tag.ERROR}
ENTIRE = {
    *(np.add, np.subtract, np.multiply, np.negative, np.sin, np.cos),
    *(np.tanh, np.exp, np.sum, np.mean, np.reshape, np.transpose),
    *(operator.getitem, np.matmul, np.dot, np.concatenate, np.stack),
    *(np.broadcast_to, np.where, np.einsum, np.cumsum, np.roll),
}
# the derivative of the one is declared, and is not its own; the other is a method of plain arrays
NOT_A_FUNCTION = {_ignored, np.ndarray.tolist}
SMALL, LARGEST = 0.03, 40


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
        part = rng.choice([np.real, np.imag]) if real else same_kind(arg)
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


def same_kind(arg):
    """What makes a value an operand in place of one: its real part, in place of a real one.

    A real value can be complex at other inputs, as roots and eigenvalues are.
    """
    if np.iscomplexobj(arg):
        return lambda v: v
    return lambda v: np.real(v) if np.iscomplexobj(v) else v


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
