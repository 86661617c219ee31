"""Loops that are measured: gradients by hand are those of the tape."""

import numpy as np
import pytest

from benchmarks import loops
from benchmarks.programs.loops import LOOPS

BY_HAND = [program for program in LOOPS.values() if program.by_hand is not None]


@pytest.mark.parametrize("program", BY_HAND, ids=lambda program: program.name)
def test_gradients_by_hand(program):
    function, parameters = loops.gradient_of(program)
    loops.require_same("by hand", lambda: program.by_hand(*parameters), function(*parameters))


@pytest.mark.parametrize("program", LOOPS.values(), ids=lambda program: program.name)
def test_the_loop_of_jax_is_that_of_numpy(program):
    jax = pytest.importorskip("jax")
    parameters = program.parameters()
    with jax.enable_x64(True):
        found = jax.jit(program.in_jax)(*parameters)
    np.testing.assert_allclose(found, program.in_numpy()(*parameters), rtol=1e-10)
