"""`check_derivatives(f, x, jac, hess)`: derivatives that somebody wrote by hand, or those of a whole
program, before two judges: finite differences and the rules.

A derivative is right where it agrees with both. What the rules cannot differentiate, such as
compiled code, has one judge, and the answer says so.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.diagnosis import diagnose
from chainrules_py.testing.failures import CheckFailure, UnsuitableCallError
from chainrules_py.testing.finite_differences import oracle_jacobian
from chainrules_py.testing.jacobian_report import (
    USUAL,
    JacobianPair,
    Matrix,
    by_columns,
    by_rows,
    lines_in_columns,
)
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.notebooks import html_table
from chainrules_tape.gradients import grad
from chainrules_tape.transforms import jvp, vjp

SHOWN = 8  # entries


@dataclass(frozen=True)
class CheckedDerivative:
    """One derivative in real coordinates, a row for each output: what was written by hand, by
    differences, and by the rules; None where there is none, with the `reason` why the rules have none.
    """

    name: str
    inputs: Layout
    outputs: Layout
    by_hand: Matrix | None
    by_differences: Matrix
    slack: Matrix
    by_rules: Matrix | None
    reason: str
    relative: float

    def pairs(self) -> Iterator[tuple[str, JacobianPair]]:
        """Each judge's opinion: of what was written by hand, or of each other."""
        judged = self.by_rules if self.by_hand is None else self.by_hand
        if judged is None:
            return
        yield "differences", self._pair(judged, self.by_differences, self.slack)
        if self.by_hand is not None and self.by_rules is not None:
            yield "the rules", self._pair(judged, self.by_rules, np.zeros_like(self.slack))

    def _pair(self, judged: Matrix, by: Matrix, slack: Matrix) -> JacobianPair:
        return JacobianPair("x", self.inputs, self.outputs, judged, by, slack)

    @property
    def wrong(self) -> Any:
        """Mark the entries that a judge finds wrong."""
        found = [pair.wrong(self.relative) for _, pair in self.pairs()]
        return np.any(found, axis=0) if found else np.ones(self.by_differences.shape, bool)

    @property
    def is_right(self) -> bool:
        """Whether no judge objects."""
        return not self.wrong.any()

    def rows(self) -> list[tuple[str, ...]]:
        """The wrong entries, as texts under headings."""
        columns = {
            self.name: self.by_hand,
            "differences": self.by_differences,
            "rules": self.by_rules,
        }
        given = {name: matrix for name, matrix in columns.items() if matrix is not None}
        places = np.argwhere(self.wrong)[:SHOWN].tolist()
        outputs, inputs = self.outputs.labels(), self.inputs.labels()
        stem = "x" if self.outputs is self.inputs else "out"
        return [
            ("output", "input", *given),
            *(
                (
                    f"{stem}{outputs[i]}",
                    f"x{inputs[j]}",
                    *(f"{m[i, j]:.6g}" for m in given.values()),
                )
                for i, j in places
            ),
        ]

    def __str__(self) -> str:
        judges = "differences alone" if self.by_rules is None else "differences and rules"
        count = int(self.wrong.sum())
        if not count:
            return f"{self.name}: right, by {judges}{self.reason}"
        if not any(True for _ in self.pairs()):
            return f"{self.name}: there is none to check{self.reason}"
        said: dict[str, list[str]] = {}
        for who, pair in self.pairs():
            if pair.wrong(self.relative).any():
                sentence = diagnose(pair, tolerance=self.relative).sentence
                said.setdefault(sentence, []).append(who)
        opinions = [f"  {' and '.join(who)}: {sentence}" for sentence, who in said.items()]
        table = [f"  {line}" for line in lines_in_columns(self.rows())]
        head = f"{self.name}: {count} of {self.wrong.size} entries are wrong{self.reason}"
        return "\n".join([head, *opinions, *table])


@dataclass(frozen=True)
class DerivativeReport:
    """What `check_derivatives` found, for people by `print`, and for notebooks as a table."""

    function: str
    parts: tuple[CheckedDerivative, ...]

    @property
    def is_right(self) -> bool:
        """Whether every derivative is right."""
        return all(part.is_right for part in self.parts)

    def __str__(self) -> str:
        return "\n".join([f"{self.function}:", *map(str, self.parts)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        wrong = [part for part in self.parts if not part.is_right]
        if not wrong:
            return html_table(str(self), [], [])
        return "".join(html_table(str(part), part.rows()[0], part.rows()[1:]) for part in wrong)


def check_derivatives(
    function: Function,
    x: Any,
    jac: Function | None = None,
    hess: Function | None = None,
    *,
    relative: float = USUAL,
) -> DerivativeReport:
    """Compare derivatives that were written by hand, as SciPy's optimizers take them, with finite
    differences and with those of the rules.

    ``jac(x)`` is the gradient of a function that returns a number, shaped like x, or the Jacobian;
    ``hess(x)`` the Hessian. Without either, the gradient of the rules is compared with differences.
    For complex numbers, the gradient of a real result is ∂x + i∂y, and the Jacobian of a complex
    result is the holomorphic derivative. Other Jacobians are real matrices, by real and imaginary
    parts.

    >>> print(check_derivatives(lambda x: np.sum(x**2), np.array([1.0, 3.0]), jac=lambda x: x))
    <lambda>:
    jac: 2 of 2 entries are wrong
      differences and the rules: every entry is 1/2 times what it should be: multiply by 2
      output  input  jac  differences  rules
         out   x[0]    1            2      2
         out   x[1]    3            6      6
    """
    y, inputs = function(x), Layout(x)
    outputs = Layout(y)
    _require_numbers(function, inputs, outputs)
    parts = []
    if jac is not None or hess is None:
        parts.append(_first(function, x, inputs, outputs, jac, relative))
    if hess is not None:
        parts.append(_second(function, x, inputs, outputs, jac, hess, relative))
    return DerivativeReport(_name_of(function), tuple(parts))


def assert_derivatives(
    function: Function, x: Any, jac: Function | None = None, hess: Function | None = None
) -> None:
    """Raise `CheckFailure`, an AssertionError, where `check_derivatives` finds something wrong.

    >>> assert_derivatives(np.linalg.norm, np.array([3.0, 4.0]), jac=lambda x: x / np.linalg.norm(x))
    """
    report = check_derivatives(function, x, jac, hess)
    for part in report.parts:
        if not part.is_right:
            pairs = [pair for _, pair in part.pairs() if pair.wrong(USUAL).any()]
            raise CheckFailure(
                f"assert_derivatives({report.function})",
                str(part),
                "correct the derivative, or the function",
                check=part.name,
                diagnosis=diagnose(pairs[0], tolerance=USUAL) if pairs else None,
                entries=tuple(pairs[0].worst(USUAL)) if pairs else (),
            )


def _first(
    function: Function, x, inputs: Layout, outputs: Layout, jac: Function | None, relative: float
) -> CheckedDerivative:
    differences, slack = oracle_jacobian(function, x)

    def by_vjp() -> Matrix:
        _, pull = vjp(function, x)

        def row(unit):
            bar = as_plain_container(outputs.tangent(unit), outputs.value)
            return inputs.tangent_vector(pull(bar)[0])

        return by_rows(row, outputs.size, inputs.size)

    by_rules, reason = _attempt(by_vjp)
    by_hand = None if jac is None else _matrix("jac", jac(x), inputs, outputs)
    name = "jac" if jac is not None else "the derivative by the rules"
    return CheckedDerivative(
        name, inputs, outputs, by_hand, differences, slack, by_rules, reason, relative
    )


def _second(
    function: Function,
    x,
    inputs: Layout,
    outputs: Layout,
    jac: Function | None,
    hess: Function,
    relative: float,
) -> CheckedDerivative:
    if outputs.size != 1 or outputs.is_complex:
        got = f"hess= of a function with {outputs.size} results"
        raise _unsuitable(function, got, "name a function that returns a number", "hess", hess)
    slope = grad(function)

    def gradient(x):
        return inputs.tangent_vector(slope(x) if jac is None else jac(x))

    def column(unit):
        direction = as_plain_container(inputs.tangent(unit), x)
        return inputs.tangent_vector(jvp(slope, (x,), (direction,))[1])

    differences, slack = oracle_jacobian(gradient, x)
    by_rules, reason = _attempt(lambda: by_columns(column, inputs.size, inputs.size))
    by_hand = _matrix("hess", hess(x), inputs, inputs)
    return CheckedDerivative(
        "hess", inputs, inputs, by_hand, differences, slack, by_rules, reason, relative
    )


def _attempt(compute: Callable[[], Matrix]) -> tuple[Matrix | None, str]:
    """A matrix by the rules, or None and the first line of why there is none."""
    try:
        return compute(), ""
    except Exception as error:  # compiled code may raise anything
        line = str(error).partition("\n")[0]
        return None, f"; the rules have none: {type(error).__name__}: {line}"


def _matrix(name: str, found, inputs: Layout, outputs: Layout) -> Matrix:
    """Return what was written by hand in coordinates, a row for each output."""
    shape = outputs.size, inputs.size
    if outputs is not inputs and _is_gradient(outputs) and np.shape(found) != (1, inputs.size):
        try:
            return np.asarray(inputs.tangent_vector(found))[None]
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise _misshapen(name, found, inputs, outputs) from error
    array = np.asarray(found)
    whole = *np.shape(outputs.value), *np.shape(inputs.value)
    if (
        array.dtype.kind in "biuf"
        and array.shape in {shape, whole}
        and array.size == np.prod(shape)
    ):
        return array.astype(float).reshape(shape)
    if outputs is inputs or array.dtype.kind not in "biufc" or array.shape != whole:
        raise _misshapen(name, found, inputs, outputs)
    return _in_coordinates(array, inputs, outputs)


def _is_gradient(outputs: Layout) -> bool:
    """Whether the derivative of a function is written as a gradient: its result is a real number."""
    return np.shape(outputs.value) == () and not outputs.is_complex


def _in_coordinates(jacobian, inputs: Layout, outputs: Layout) -> Matrix:
    """A Jacobian of complex numbers in real coordinates.

    That of a complex result is a holomorphic derivative, or one by real numbers; rows of real
    results are gradients.
    """
    matrix = jacobian.reshape(np.size(outputs.value), np.size(inputs.value))

    def column(unit):
        direction = np.ravel(inputs.tangent(unit))
        moved = matrix @ direction if outputs.is_complex else np.real(matrix.conj() @ direction)
        return outputs.tangent_vector(moved.reshape(np.shape(outputs.value)))

    return by_columns(column, outputs.size, inputs.size)


def _misshapen(name: str, found, inputs: Layout, outputs: Layout) -> UnsuitableCallError:
    got = f"it returned {_in_short(found)}"
    shape = (*np.shape(outputs.value), *np.shape(inputs.value))
    instead = f"return numbers of shape {shape}, a derivative of each result by each entry of x"
    if _is_gradient(outputs) and outputs is not inputs:
        instead = "return numbers in the form of x, the gradient"
    elif inputs.is_complex or outputs.is_complex:
        shape = outputs.size, inputs.size
        instead = f"return real numbers of shape {shape}, with imaginary parts behind all real ones"
    return UnsuitableCallError(
        f"check_derivatives, {name}=", got, instead, primal=None, argument=name, value=found
    )


def _in_short(value) -> str:
    shape = getattr(value, "shape", None)
    return f"an array of shape {shape}" if shape is not None else f"a {type(value).__name__}"


def _require_numbers(function: Function, inputs: Layout, outputs: Layout) -> None:
    for name, layout in (("x", inputs), ("the result", outputs)):
        if not layout.size:
            got, instead = f"{name} has no real number", "take and return floating-point numbers"
            raise _unsuitable(function, got, instead, name, layout.value)


def _unsuitable(function: Function, got: str, instead: str, name: str, value) -> Exception:
    where = f"check_derivatives({_name_of(function)})"
    return UnsuitableCallError(where, got, instead, primal=function, argument=name, value=value)


def _name_of(function: Function) -> str:
    name = getattr(function, "__name__", None)
    return name if name == "<lambda>" else qualified_name(function)
