"""Random programs, recorded, and run again on other numbers: the tape's, or a guard that fails."""

import random

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.recording.errors import GuardFailedError, NotRecordedError
from chainrules_programs.recording.record import record
from chainrules_py.testing import Layout, random_tangent
from chainrules_tape import hvp, jvp, value_and_grad, vjp, vmap
from in_place_programs import InPlace, program as writing_program
from random_programs import Program
from recorded_calls import check_recording, replayed, require_same
from seeds_of_programs import groups

PER_CHUNK, STEPS = 12, 12
SHIFTS = (1e-3, 0.1, -0.05)


def drawn(seed):
    """A random program, by the seed of its steps."""
    rng = random.Random(seed)
    steps = [
        (rng.randrange(1000), rng.randrange(64), rng.randrange(65536))
        for _ in range(rng.randint(1, STEPS))
    ]
    return Program(steps)


def cotangent(program):
    out = Layout(program.values)
    rng = np.random.default_rng(0)
    return out.restore(out.tangent_vector(random_tangent(rng, out.value)))


def check(program):
    """Raise for a wrong number; how many runs on other numbers were compared.

    None where the program was not recorded.
    """

    def pulled(y_bar, x):
        y, pullback = vjp(program, x)
        return y, pullback(y_bar)

    y_bar, x = cotangent(program), program.inputs
    try:
        expected = pulled(y_bar, x)
        recorded, value = record(pulled, (y_bar, x))
    except (NotRecordedError, ValueError, np.linalg.LinAlgError):
        return None
    # Functions of `math` give numbers of NumPy where they are recorded.
    are_alike = all(getattr(step[0], "__module__", "") != "math" for step in program.steps)
    require_same(value, expected, are_classes_compared=are_alike)
    compared = 0
    for k, shift in enumerate(SHIFTS):
        rng = np.random.default_rng(k)
        other = [a + shift * rng.normal(size=np.shape(a)) for a in x]
        other[2] = np.float64(other[2])
        try:
            found, expected = replayed(recorded, (y_bar, other)), pulled(y_bar, other)
        except (GuardFailedError, ValueError, np.linalg.LinAlgError):
            continue
        require_same(found, expected, are_classes_compared=are_alike)
        compared += 1
    return compared


@pytest.mark.parametrize("chunk", groups(100))
@pytest.mark.filterwarnings("ignore")
def test_random_programs(chunk):
    counts = []
    with np.errstate(all="ignore"):
        for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK):
            program = drawn(seed)
            if program.steps:
                counts.append(check(program))
    compared = [count for count in counts if count is not None]
    assert (
        len(compared) > PER_CHUNK / 2
    )  # some call `gamma`, whose rule computes by Python's floats
    assert sum(compared) > 2 * len(compared)


X, Y = np.random.default_rng(0).normal(size=(2, 3, 3))
Y = Y[:2]


def in_place(seed):
    run = writing_program(seed)
    return lambda x, y: run(InPlace(tnp), x, y)


TRANSFORMS = {
    "plain": in_place,
    "value_and_grad": lambda seed: value_and_grad(in_place(seed), (0, 1)),
    "jvp": lambda seed: lambda x, y: jvp(in_place(seed), (x, y), (x, y)),
    "hvp": lambda seed: lambda x, y: hvp(lambda x: in_place(seed)(x, y), x, x),
    "vmap": lambda seed: lambda x, y: vmap(in_place(seed))(np.stack([x, -x]), np.stack([y, -y])),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("chunk", groups(40, 2))
@pytest.mark.filterwarnings("ignore")
def test_programs_that_write_into_arrays(transform, chunk):
    for seed in range(5 * chunk, 5 * chunk + 5):
        check_recording(TRANSFORMS[transform](seed), (X, Y), (1.01 * X, 1.01 * Y), tolerance=1e-10)
