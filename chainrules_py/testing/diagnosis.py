"""Recognise common mistakes by the pattern of a wrong Jacobian.

Each recogniser compares the rule's Jacobian of one argument with the oracle's and answers with a
sentence or None. They are asked in order, from the most specific mistake to the vaguest; the first
answer stands.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.jacobian_report import JacobianPair, Matrix

Pattern = tuple[Matrix, str, str]  # a wrong Jacobian, what is wrong, and a sentence for people
Recogniser = Callable[[JacobianPair, float], Diagnosis | None]
CLOSE = 1e-3  # a pattern is recognised when it explains all but a thousandth of the Jacobian


def diagnose(
    pair: JacobianPair, others: tuple[JacobianPair, ...] = (), tolerance: float = 1e-6
) -> Diagnosis:
    """The best name for what is wrong with a rule's Jacobian."""
    # all patterns are of numbers
    for recognise in () if np.isinf(pair.oracle).any() else _RECOGNISERS:
        found = recognise(pair, tolerance)
        if found is not None:
            return found
    return _other_argument(pair, others, tolerance) or Diagnosis(
        "wrong", "no known pattern; see the table"
    )


def _close(a: Matrix, b: Matrix, tolerance: float) -> bool:
    return a.shape == b.shape and bool(
        np.abs(a - b).max(initial=0.0) <= max(CLOSE, tolerance) * np.abs(b).max(initial=1e-300)
    )


def _not_finite(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    if np.isfinite(pair.rule).all() or not np.isfinite(pair.oracle).all():
        return None
    return Diagnosis(
        "not-finite", "nan or inf where the derivative is finite; 0*inf needs a strong zero (where)"
    )


def _zero(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    if np.abs(pair.rule).max(initial=0.0) > 0:
        return None
    return Diagnosis("zero", "every entry is zero: the derivative of this argument is dropped")


def _spurious(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    if np.abs(pair.oracle).max(initial=0.0) > 1e-7 * np.abs(pair.rule).max(initial=0.0):
        return None
    return Diagnosis("should-be-zero", "the output does not depend on this argument")


def _inaccurate(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    """Find what is off by little: all other patterns would seem to explain it."""
    if not _close(pair.rule, pair.oracle, tolerance):
        return None
    return _partly(pair, tolerance) or Diagnosis(
        "inaccurate", "the first digits are right, and those after them are not"
    )


def _factor(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    c = float(np.vdot(pair.oracle, pair.rule) / np.vdot(pair.oracle, pair.oracle))
    if not _close(pair.rule, c * pair.oracle, tolerance) or c == 0:
        return None
    if abs(c + 1) < CLOSE:
        return Diagnosis("sign", "every entry has the wrong sign")
    return Diagnosis(
        "factor",
        f"every entry is {_fraction(c)} times what it should be: multiply by {_fraction(1 / c)}",
    )


def _fraction(c: float) -> str:
    for denominator in (1, 2, 3, 4, 5, 6, 8):
        if abs(c * denominator - round(c * denominator)) < CLOSE * abs(c * denominator):
            return f"{round(c * denominator)}" + (f"/{denominator}" if denominator > 1 else "")
    return f"{c:.4g}"


def _rearranged(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    """Find the first pattern that explains the Jacobian, of those that follow from the right one."""
    for wrong, kind, sentence in (*_by_components(pair), *_in_other_order(pair)):
        if _close(pair.rule, wrong, tolerance):
            return Diagnosis(kind, sentence)
    return None


def _by_components(pair: JacobianPair) -> Iterator[Pattern]:
    """Yield what comes of mistakes with conjugates and imaginary parts."""
    inputs, outputs = _conjugation(pair.inputs), _conjugation(pair.outputs)[:, None]
    if (inputs > 0).all() and (outputs > 0).all():
        return
    missing = "the partial derivative is conjugated, or a conjugate is missing"
    yield outputs * pair.oracle * inputs, "conjugated", missing
    for signs, what in ((outputs, "output"), (inputs, "argument")):
        yield pair.oracle * signs, "conjugated", f"the tangent of the {what} is conjugated"
    for signs, what in ((inputs, "argument"), (outputs, "output")):
        ignored = f"the imaginary part of the {what}'s tangent is ignored"
        yield pair.oracle * (signs > 0), "imaginary-dropped", ignored


def _in_other_order(pair: JacobianPair) -> Iterator[Pattern]:
    """Yield what comes of mistakes with transposes and directions."""
    said = "the (co)tangent of {} is transposed in its last two axes"
    for columns in _swaps(pair.inputs):
        yield pair.oracle[:, columns], "transposed", said.format("this argument")
    for rows in _swaps(pair.outputs):
        yield pair.oracle[rows], "transposed", said.format("the output")
    exchanged = "the Jacobian is applied where its transpose belongs, or the other way round"
    yield pair.oracle.T, "transposed", exchanged
    for wrong, what in ((pair.oracle[:, ::-1], "argument"), (pair.oracle[::-1], "output")):
        yield wrong, "reversed", f"the entries of the {what} come in reverse order"


def _conjugation(layout: Layout) -> NDArray[np.float64]:
    """The signs by which conjugation multiplies the coordinates."""
    signs = np.ones(layout.size)
    for leaf in layout.leaves:
        if leaf.is_complex:
            signs[leaf.start + leaf.entries : leaf.stop] = -1
    return signs


def _swaps(layout: Layout) -> Iterator[NDArray[np.intp]]:
    """Return the order of coordinates when an array's last two axes are exchanged."""
    if len(layout.leaves) != 1 or len(layout.leaves[0].shape) < 2:
        return
    (leaf,) = layout.leaves
    if leaf.shape[-1] == leaf.shape[-2] and leaf.shape[-1] > 1:
        order = np.swapaxes(np.arange(leaf.entries).reshape(leaf.shape), -1, -2).ravel()
        yield np.concatenate([order, order + leaf.entries]) if leaf.is_complex else order


def _diagonal_factor(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    """Find a factor that is the argument or the output, where all else is right."""
    factors = ((pair.inputs, 0, "the argument"), (pair.outputs, 1, "the output"))
    for layout, axis, what in factors:
        numbers = np.expand_dims(layout.vector(layout.value), axis)
        if (_conjugation(layout) < 0).any() or not numbers.all():
            continue
        if _close(pair.rule * numbers, pair.oracle, tolerance):
            return Diagnosis("factor", f"a factor is missing: {what}")
        if _close(pair.rule, pair.oracle * numbers, tolerance):
            return Diagnosis("factor", f"there is a factor too many: {what}")
    return None


def _partly(pair: JacobianPair, tolerance: float) -> Diagnosis | None:
    """Some entries right, the others zero: a summand or a slice forgotten."""
    wrong = pair.wrong(tolerance)
    if wrong.all() or np.abs(pair.rule[wrong]).max(initial=0.0) > 0:
        return None
    return Diagnosis(
        "incomplete",
        f"{int(wrong.sum())} entries that should not be zero are zero, the others are right",
    )


def _other_argument(
    pair: JacobianPair, others: tuple[JacobianPair, ...], tolerance: float
) -> Diagnosis | None:
    for other in others:
        if other.argument != pair.argument and _close(pair.rule, other.oracle, tolerance):
            return Diagnosis(
                "swapped", f"this is the derivative of {other.argument}: the arguments are swapped"
            )
    return None


_RECOGNISERS: tuple[Recogniser, ...] = (
    *(_not_finite, _zero, _spurious, _inaccurate, _factor, _rearranged),
    *(_diagonal_factor, _partly),
)
