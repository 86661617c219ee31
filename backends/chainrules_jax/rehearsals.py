"""Rehearsals of the derivatives of whole programs: what the tape refuses is said while JAX traces.

Inside compiled code a program runs in a callback, whose errors JAX repeats in one of its own, far
from the line that asked for the derivative. So where JAX has to ask for shapes by a call with
made-up numbers anyway, the derivative is computed of the same numbers, too, once for each kind of
calls. An error of ours is raised there, in the user's line.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_jax.operations import Value, active_positions
from chainrules_jax.results import made_up
from chainrules_py import AmbiguousRuleError, NoRuleError, OptionError
from chainrules_py.engines import call_without_writing, tape

NOTE = (
    "to_jax: this was found with made-up numbers, before JAX compiles; where the program takes"
    " another path for yours, declare its results: as_primitive(f, result_shapes=...)"
)


def rehearse(value: Value, active: tuple[bool, ...]) -> None:
    """Compute the derivative of a whole program at made-up numbers, and raise what it refuses.

    What it says to numbers that mean nothing is no error of the user's, but for what depends on how
    the program is written.
    """
    of_the_program = refusals()
    for leaves in made_up(value.ins):
        try:
            with np.errstate(all="ignore"):
                call_without_writing(lambda xs: rehearse_pullback(value, xs, active), leaves)
        except of_the_program as error:
            error.add_note(NOTE)
            raise
        except Exception:  # the next ones may be such as the program wants
            continue
        return


def refusals() -> tuple[type[Exception], ...]:
    """The errors that depend on how a program is written, and hardly on its numbers."""
    ours = tape()
    of_the_tape = ours.LostGradientError, ours.InPlaceError, ours.ClosureError
    return NoRuleError, AmbiguousRuleError, OptionError, *of_the_tape


def rehearse_pullback(value: Value, arrays: Sequence[Any], active: tuple[bool, ...]) -> None:
    """Pull cotangents of ones back."""
    bars = [np.ones(value.outs[k].shape, value.outs[k].dtype) for k in value.moving]
    value.pulled(arrays, active_positions(active), value.moving, bars)
