"""Random programs that write, by ways that are drawn for each: derivatives are NumPy's along a line, and
who shares memory with whom is who does in NumPy, in one example and in lanes.
"""

import random
from functools import partial

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py.errors import BatchingError, OptionError
from chainrules_tape import vmap
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError
from in_place_programs import memory_facts, program
from product.judge import Case, TooRoughError
from product.programs import Program
from product.ways import CHAINS, ON_ARRAYS, SINGLE
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY = 8000, 10, 40
WAYS_OF_EACH = 5
LANES, SHAPES = 3, ((3, 2), (4,))


def row_of(seed: int) -> Program:
    """The program of a seed, of each second one for NumPy, on an argument in the order of Fortran."""
    run, draw = program(seed, on_numpy=seed % 2 == 1), np.random.default_rng(seed + 10**6)
    args = tuple(draw.normal(size=shape).copy("CF"[seed % 2]) for shape in SHAPES)
    return Program(f"{seed}", partial(run, tnp), partial(run, np), args, frozenset({"writes"}))


# Where a program decides something by its values, has an order that tangents do not share, or writes
# into its argument.
REFUSALS = (BatchingError, OptionError, InPlaceError, LostGradientError)
WAYS = [*SINGLE, *CHAINS]
MORE_WAYS = [*WAYS, *(w for _, w in ON_ARRAYS if w.name in ("arrays of PyTorch", "arrays of JAX"))]


def check_ways(refused: list[str], seed: int):
    """Ways that are drawn are right, or refused."""
    case = Case(row_of(seed))
    ways = random.Random(seed).sample(WAYS if seed % 2 else MORE_WAYS, WAYS_OF_EACH)
    for way in ways:
        if not way.is_there or way.name == "pullback of a checkpoint":  # of read-only arguments
            continue
        try:
            way.check(case)
        except (*REFUSALS, TooRoughError):
            refused.append(way.name)
        except Exception as error:
            error.add_note(way.name)
            raise


@pytest.mark.filterwarnings("ignore:__array_wrap__")  # of plain tensors
@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST))
def test_derivatives(first):
    refused: list[str] = []
    check_each(partial(check_ways, refused), first, PER_TEST)
    assert len(refused) < PER_TEST * WAYS_OF_EACH / 2


def check_lanes(refused: list[int], seed: int):
    """Memory in lanes, of which a program depends, is that of one example."""
    run, draw, seen = program(seed, on_numpy=True), np.random.default_rng(seed), {}
    lanes = [draw.normal(size=(LANES, *shape)) for shape in SHAPES]

    def noting(m):
        return lambda *args: run(m, *args, observe=lambda a: seen.setdefault(m, memory_facts(a)))

    expected = [noting(np)(*args) for args in zip(*map(np.copy, lanes), strict=True)]
    try:
        found = vmap(noting(tnp))(*lanes)
    except REFUSALS:
        refused.append(seed)
        return
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    assert seen[np] == seen[tnp]


@pytest.mark.parametrize("first", groups(4000, 50, 50))
def test_memory_in_lanes(first):
    refused: list[int] = []
    check_each(partial(check_lanes, refused), first, 50)
    assert len(refused) < 10


def check_plain_call(seed: int):
    """Without a derivative, a program has NumPy's value and writes what NumPy writes."""
    row = row_of(seed)
    theirs, ours = row.args(), row.args()
    np.testing.assert_allclose(row.function(*ours), row.plain(*theirs), rtol=1e-12, atol=1e-13)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("first", groups(3000, 50, 50))
def test_plain_calls(first):
    check_each(check_plain_call, first, 50)
