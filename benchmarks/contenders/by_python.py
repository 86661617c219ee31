"""Gradients by ours, by hand, and by the libraries that run a program as it is written."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.contenders.known import Known, direction, point
from benchmarks.engines import (
    as_numpy,
    prepare_autograd,
    prepare_by_hand,
    prepare_ours,
    prepare_torch,
)
from benchmarks.programs.program import Gradient, Program


class LeftOut(Exception):
    """A library does not run a program; says why."""


def program_of(known: Known) -> Program:
    """The program whose gradient is asked for, where one is."""
    if known.program is None:
        raise LeftOut("no sparse Jacobians")
    return known.program


def numbers(found: Any) -> list[float]:
    """A value and gradients as numbers."""
    value, gradients = found
    return [x for part in (value, *gradients) for x in as_numpy(part).ravel().tolist()]


def product(matrix: Any) -> list[float]:
    """A Jacobian of any library's, times a direction."""
    return np.asarray(matrix @ direction()).ravel().tolist()


def by_tape(known: Known) -> Gradient:
    """`value_and_grad`, or `jacobian(sparse=True)`."""
    if known.system is None:
        program = program_of(known)
        return prepare_ours(program, *program.inputs())
    from chainrules_tape import jacobian

    return partial(jacobian(partial(known.system, np), sparse=True), point())


def by_compiled(known: Known, to: str = "numpy") -> Gradient:
    """`compiled`, of NumPy's arrays, to NumPy's arrays."""
    from chainrules_tape import compiled, jacobian, value_and_grad

    if known.system is None:
        program = program_of(known)
        parameters, data = program.inputs()
        objective = program.objective  # not `program`, whose methods would be checked at each call
        function = value_and_grad(lambda parameters: objective(np, parameters, data))
    else:
        system, parameters = known.system, point()
        function = jacobian(lambda w: system(np, w), sparse=True)
    return partial(compiled(function, to=to), parameters)


def require_compiled(run: Gradient) -> None:
    """Leave out what `compiled` leaves to the tape, which it says after two calls."""
    count = getattr(getattr(run, "func", None), "count_of_programs", None)
    if count is not None and count() == 0:
        raise LeftOut("it runs on the tape")


def by_hand(known: Known) -> Gradient:
    """The gradient that a person wrote in NumPy."""
    program = program_of(known)
    if program.by_hand is None:
        raise LeftOut("nobody wrote this gradient by hand")
    return prepare_by_hand(program, *program.inputs())


def by_autograd(known: Known) -> Gradient:
    """HIPS autograd."""
    program = program_of(known)
    return prepare_autograd(program, *program.inputs())


def by_torch(known: Known) -> Gradient:
    """PyTorch, as it is without a compiler."""
    import torch

    torch.set_default_dtype(torch.float64)
    program = program_of(known)
    return prepare_torch(program, *program.inputs())


def by_advect(known: Known) -> Gradient:
    """A staged program of advect's."""
    import advect

    program = program_of(known)
    parameters, data = program.inputs()

    def objective(*parameters: Any) -> Any:
        return program.objective(np, parameters, data)

    every = tuple(range(len(parameters)))
    derivative: Any = advect.value_and_grad(objective, argnums=every)
    return partial(advect.stage(derivative, *parameters), *parameters)
