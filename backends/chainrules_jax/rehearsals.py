"""Rehearsals of the derivatives of whole programs: what the tape refuses is said while JAX traces.

Inside compiled code a program runs in a callback, whose errors JAX repeats in one of its own, far
from the line that asked for the derivative. So where JAX has to ask for shapes by a call with
made-up numbers anyway, the derivative is computed of the same numbers, too, once for each kind of
calls. An error of ours is raised there, in the user's line.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_jax.operations import Value, without_writing
from chainrules_py import ChainRulesError

NOTE = (
    "to_jax: this was found with made-up numbers, before JAX compiles; where the program takes"
    " another path for yours, declare its results: as_primitive(f, result_shapes=...)"
)


def rehearse(value: Value, leaves: Sequence[Any] | None, active: tuple[bool, ...]) -> None:
    """Compute the derivative of a whole program at made-up numbers, and raise what it refuses."""
    if leaves is None or value.direct_program is None:
        return
    try:
        with np.errstate(all="ignore"):
            without_writing(lambda xs: derivative(value, xs, active), list(map(np.array, leaves)))
    except ChainRulesError as error:
        error.add_note(NOTE)
        raise
    except Exception:  # what it says to numbers that mean nothing is not said of the user's
        return


def derivative(value: Value, arrays: Sequence[Any], active: tuple[bool, ...]) -> None:
    """Pull cotangents of ones back."""
    outs = [spec for spec, chosen in zip(value.outs, value.floating, strict=True) if chosen]
    value.pull(arrays, [np.ones(spec.shape, spec.dtype) for spec in outs], active)
