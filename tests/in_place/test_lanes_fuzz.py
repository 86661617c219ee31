"""Random programs of views, orders and writes on many examples in lanes, against one after the
other: values, and derivatives inside of the lanes, outside of them, and both.
"""

from contextlib import suppress
from functools import partial

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.errors import BatchingError
from chainrules_tape import grad, jvp, vmap
from in_place_programs import InPlace, program
from memory_programs import IN_ENGINE, IN_NUMPY, memory_program
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY, LONG = 2000, 20, 20, 400
LANES = 3


def of_memory(seed):
    """A program of copies, orders and views, and its arguments for all examples."""
    run, draw = memory_program(seed), np.random.default_rng(seed + 10**6)
    given = draw.normal(size=(LANES, 2, 3)), draw.normal(size=(LANES, 3))
    return lambda x, y: run(IN_ENGINE, x, y), lambda x, y: run(IN_NUMPY, x, y), given


def of_writes(seed):
    """A program that writes into arrays, and its arguments for all examples."""
    run, draw = program(seed), np.random.default_rng(seed + 10**6)
    given = draw.normal(size=(LANES, 3, 3)), draw.normal(size=(LANES, 2, 3))
    return lambda x, y: run(InPlace(tnp), x, y), lambda x, y: run(InPlace(np), x, y), given


def one_by_one(function):
    """A function on many examples, computed one after the other."""

    def compute(*args):
        return np.stack([function(*[a[k].copy() for a in args]) for k in range(LANES)])

    return compute


def along_itself(function):
    """A function's second derivative with the cosines of its arguments."""

    def compute(*args):
        dots = tuple(np.cos(a) for a in args)
        bars = jvp(grad(function, (0, 1)), args, dots)[1]
        return sum(np.sum(np.sin(bar)) for bar in bars)

    return compute


def gradient_total(function):
    """A number that depends on all entries of a gradient."""
    return lambda *args: sum(np.sum(np.sin(bar)) for bar in grad(function, (0, 1))(*args))


def agree(found, expected):
    for one, other in zip(found, expected, strict=True):
        size = np.max(np.abs(other), initial=1.0)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10 * size)


def check(function, in_numpy, args):
    copies = [a.copy() for a in args]
    inner = {
        "value": function,
        "gradient": gradient_total(function),
        "second order": along_itself(function),
    }
    for name, compute in inner.items():
        in_lanes, expected = vmap(compute), one_by_one(compute)
        try:
            reference = one_by_one(in_numpy) if name == "value" else expected
            agree([in_lanes(*args)], [reference(*args)])
            if name != "second order":
                outside = [
                    grad(lambda *a, f=f: np.sum(np.sin(f(*a))), (0, 1))(*args)
                    for f in (in_lanes, expected)
                ]
                agree(*outside)
        except Exception as error:
            error.add_note(name)
            raise
    agree(args, copies)


def check_one(made, seed):
    with suppress(BatchingError):  # the program decides something by its values
        check(*made(seed))


@pytest.mark.parametrize("made", [of_writes, of_memory])
@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST, LONG))
def test_random_programs(first, made):
    check_each(partial(check_one, made), first, PER_TEST)


@pytest.mark.parametrize("seed", [964, 1048])
def test_programs_that_failed(seed):
    """One writes into an array made like one in another order, and one reads repeated entries of
    an array by positions, which was written to.
    """
    check(*of_memory(seed))
