"""Check that tangents have the right type, shape, dtype and structure, before any number."""

from typing import Any

import numpy as np

from chainrules_py.projection import ProjectTo
from chainrules_py.projection.space import NoTangentSpace
from chainrules_py.rules.rule import Mode
from chainrules_py.tangents import (
    ZERO,
    AbstractZero,
    NotImplementedTangent,
    Tangent,
    entries,
    unthunk,
)
from chainrules_py.tangents.structural import SequenceTangent
from chainrules_py.testing.coordinates import number_dtype
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.trial import Trial, describe_value
from chainrules_py.values.structure import fields, is_structural


def require_pair(trial: Trial, mode: Mode, answer) -> tuple[Any, Any]:
    """The two things that a rule returns."""
    second = "pullback" if mode == "reverse" else "y_dot"
    if (
        not isinstance(answer, tuple)
        or len(answer) != 2
        or (mode == "reverse" and not callable(answer[1]))
    ):
        raise trial.failure(
            "returns", mode, Diagnosis("count", f"it returned {answer!r} instead of (y, {second})")
        )
    return answer[0], answer[1]


def require_cotangents(
    trial: Trial, bars, needs: tuple[bool, ...] | None = None
) -> tuple[Any, ...]:
    """Return the cotangents; raise if they are not one valid cotangent per argument."""
    count = len(trial.args)
    if not isinstance(bars, tuple) or len(bars) != count:
        got = f"{len(bars)} cotangents" if isinstance(bars, tuple) else f"a {type(bars).__name__}"
        diagnosis = Diagnosis(
            "count", f"the pullback returned {got} instead of a tuple of {count}, one per argument"
        )
        raise trial.failure("returns", "reverse", diagnosis)
    for index, (bar, arg) in enumerate(zip(bars, trial.args, strict=True)):
        wanted = (needs or trial.wanted)[index]
        problem = (
            tangent_problem(bar, arg) if wanted or not trial.layouts[index].size else _absent(bar)
        )
        is_function = callable(arg)  # of which an engine may say ZERO
        if bar is ZERO and not is_function and isinstance(ProjectTo(arg), NoTangentSpace):
            problem = _without_tangents(arg)
        if problem is not None:
            raise trial.failure("returns", "reverse", problem, index)
    return tuple(map(unthunk, bars))


def require_tangent(trial: Trial, y_dot, y) -> Any:
    """The output's tangent, if it is one."""
    problem = tangent_problem(y_dot, y)
    if problem is not None:
        raise trial.failure("returns", "forward", problem)
    return unthunk(y_dot)


def tangent_problem(tangent, primal) -> Diagnosis | None:
    """Why something is not a tangent of a value; None if it is.

    >>> tangent_problem(np.ones((2, 3)), np.ones(3)).kind
    'not-unbroadcast'
    """
    tangent = unthunk(tangent)
    missing = _absent(tangent)
    if missing is not None or isinstance(tangent, AbstractZero | NotImplementedTangent):
        return missing
    dtype = number_dtype(primal)
    if dtype is not None:
        return _natural_problem(tangent, primal, dtype)
    if is_structural(primal):
        return _structural_problem(tangent, primal)
    return _without_tangents(primal)


def _without_tangents(primal) -> Diagnosis:
    return Diagnosis(
        "integer-gradient", f"{describe_value(primal)} has no tangent space, so return NO_TANGENT"
    )


def _absent(tangent) -> Diagnosis | None:
    if tangent is not None:
        return None
    return Diagnosis(
        "none",
        "None is not a tangent; return ZERO where the derivative is zero, NO_TANGENT where there is"
        " none",
    )


def _structural_problem(tangent, primal) -> Diagnosis | None:
    if not isinstance(tangent, Tangent) or tangent.primal_type is not type(primal):
        name = type(primal).__name__
        return Diagnosis(
            "structure",
            f"{type(tangent).__name__} is not a tangent of {name}: return Tangent[{name}](...)",
        )
    present = fields(primal)
    if isinstance(tangent, SequenceTangent) and len(tangent) != len(present):
        sentence = f"{len(tangent)} parts for the {len(present)} of {describe_value(primal)}"
        return Diagnosis("structure", sentence)
    for key, entry in entries(tangent).items():
        if key not in present:
            return Diagnosis("structure", f"the primal has no field {key!r}")
        problem = tangent_problem(entry, present[key])
        if problem is not None:
            return Diagnosis(problem.kind, f"field {key!r}: {problem.sentence}")
    return None


def _natural_problem(tangent, primal, dtype: np.dtype[Any]) -> Diagnosis | None:
    if isinstance(tangent, Tangent):
        return Diagnosis("structure", f"{type(tangent).__name__} for {describe_value(primal)}")
    shape, wanted = np.shape(tangent), np.shape(primal)
    if shape != wanted:
        return _shape_problem(shape, wanted)
    got = getattr(tangent, "dtype", None)
    if got is None:
        return _number_problem(tangent, dtype)
    return _dtype_problem(np.dtype(got), dtype)


def _number_problem(tangent, dtype: np.dtype[Any]) -> Diagnosis | None:
    """Python numbers are weak: a float is a tangent of any scalar, an integer of none."""
    if type(tangent) is float or (type(tangent) is complex and dtype.kind == "c"):
        return None
    if type(tangent) is complex:
        return _dtype_problem(np.dtype(complex), dtype)
    return Diagnosis("type", f"{type(tangent).__name__} is not a tangent of a {dtype} number")


def _shape_problem(shape: tuple[int, ...], wanted: tuple[int, ...]) -> Diagnosis:
    got = f"shape {list(shape)} where {list(wanted)} belongs"
    if shape == wanted[:-2] + wanted[-2:][::-1] or shape == wanted[::-1]:
        return Diagnosis("transposed", f"{got}: transpose it")
    if _broadcasts(wanted, shape):
        return Diagnosis("not-unbroadcast", f"{got}: sum over the axes that broadcasting added")
    if _broadcasts(shape, wanted):
        return Diagnosis(
            "not-broadcast", f"{got}: broadcast it back over the axes that were reduced"
        )
    return Diagnosis("shape", got)


def _broadcasts(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(small, large) == large
    except ValueError:
        return False


def _dtype_problem(got: np.dtype[Any], wanted: np.dtype[Any]) -> Diagnosis | None:
    if got == wanted:
        return None
    text = f"{got} where {wanted} belongs"
    if got.kind not in "fc":
        return Diagnosis("type", f"{text}: a tangent is floating or complex")
    if got.kind == "c" and wanted.kind == "f":
        return Diagnosis("not-projected", f"{text}: take the real part (ProjectTo)")
    if got.kind == "f" and wanted.kind == "c":
        return Diagnosis(
            "imaginary-dropped",
            f"{text}: the cotangent lost its imaginary part, or needs ProjectTo",
        )
    kind = "dtype-widened" if got.itemsize > wanted.itemsize else "dtype-narrowed"
    return Diagnosis(kind, f"{text}: keep the argument's dtype (ProjectTo)")
