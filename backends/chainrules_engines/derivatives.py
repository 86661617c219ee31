"""`derivatives(f, engine)`: gradients, Jacobians, Hessians and products with them, whatever computes.

What does not depend on the numbers of the arguments is done once for each kind of them (`Kind`):
programs are compiled, patterns of sparse matrices are found and coloured.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import chainrules_tape as tape
from chainrules_engines.backends import Backend, backend_of
from chainrules_engines.directions import Directions
from chainrules_engines.layouts import Array, EngineError, Function, Inputs, Layout
from chainrules_py.engines import FlatCall, qualified_name
from chainrules_tape.arguments import Arguments

MOST_KINDS = 16  # that are remembered


@dataclass(frozen=True)
class Derivatives:
    """The derivatives of a function by those of its arguments that `argnums` names.

    Arguments and results are arrays of NumPy's, numbers, and containers of them.
    """

    function: Function
    engine: Backend
    argnums: Arguments
    has_aux: bool
    sparse: bool
    kinds: dict[Any, "Kind"] = field(default_factory=dict, repr=False)

    def kind(self, args: Sequence[Any]) -> "Kind":
        """What is known of such arguments."""
        call, leaves = FlatCall.of(self.function, tuple(args), {})
        key = call.key, tuple((np.shape(leaf), np.result_type(leaf)) for leaf in leaves)
        if key not in self.kinds:
            self.kinds[key] = Kind(self, args)
            if len(self.kinds) > MOST_KINDS:
                del self.kinds[next(iter(self.kinds))]
        return self.kinds[key]

    def prepare(self, *args: Any) -> "Derivatives":
        """Do now what is done once for arguments of a kind: find patterns, compile in the engine the
        gradient, or the Jacobian where the function returns no number. Others are prepared when
        they come.
        """
        if not self.kind(args).is_number:
            self.jacobian(*args)
        elif self.sparse:
            self.hessian(*args)
        else:
            self.gradient(*args)
        return self

    def value_and_gradient(self, *args: Any) -> tuple[Any, Any]:
        """The value and the gradient of a function that returns a real number."""
        kind = self.kind(args)
        y, x_bar = kind.first.derivative("reverse", args, kind.y.tree(kind.one))
        return (y, self.function(*args)[1]) if self.has_aux else y, x_bar

    def gradient(self, *args: Any) -> Any:
        """The gradient of a function that returns a real number."""
        return self.value_and_gradient(*args)[1]

    def vjp(self, *args: Any) -> tuple[Any, Any]:
        """The value, and the cotangent of the arguments for that of the value, which comes last."""
        *point, y_bar = args
        return self.kind(point).first.derivative("reverse", point, y_bar)

    def jvp(self, *args: Any) -> tuple[Any, Any]:
        """The value, and its tangent along that of the arguments, which comes last."""
        *point, x_dot = args
        return self.kind(point).first.derivative("forward", point, x_dot)

    def hvp(self, *args: Any) -> Any:
        """The Hessian times a tangent of the arguments, which comes last."""
        *point, x_dot = args
        kind = self.kind(point)
        return kind.second.derivative("forward", [*point, kind.one], x_dot)[1]

    def jacobian(self, *args: Any) -> Any:
        """All derivatives: the axes of the value, then those of the argument."""
        kind = self.kind(args)
        return kind.matrix(kind.first, kind.program, args)

    def hessian(self, *args: Any) -> Any:
        """All second derivatives of a function that returns a real number."""
        kind = self.kind(args)
        return kind.matrix(kind.second, kind.gradient, (*args, kind.one))


def derivatives(
    function: Function,
    engine: Any = "tape",
    *,
    argnums: Arguments = 0,
    has_aux: bool = False,
    sparse: bool = False,
) -> Derivatives:
    """The derivatives of a NumPy program by an engine: its name, or one that `check_engine` takes.

    With `has_aux` the function returns a pair, of which the second is passed on: it is called by
    itself for that. With `sparse`, Jacobians and Hessians are matrices of SciPy's.

    >>> d = derivatives(lambda x: np.sum(x**3), engine="differences")
    >>> d.gradient(np.array([1.0, 2.0])).round(6)
    array([ 3., 12.])
    """
    return Derivatives(function, backend_of(engine), argnums, has_aux, sparse)


class Kind:
    """What is known of calls whose arguments differ in numbers alone."""

    def __init__(self, own: Derivatives, args: Sequence[Any]) -> None:
        self.own = own
        self.x = Inputs(own.function, own.argnums, args)
        self.y = Layout(self.result(args))
        self.is_number = self.y.size == 1 and not self.y.is_complex

    def result(self, args: Sequence[Any]) -> Any:
        """The value of the function, without what it has beside."""
        y = self.own.function(*args)
        return y[0] if self.own.has_aux else y

    def program(self, x: Array, *others: Any) -> Array:
        """The function as one of a vector and of the other arguments, to a vector."""
        return self.y.laid(self.result(self.x.joined(x, others)))

    @property
    def one(self) -> Array:
        """The cotangent of a real number."""
        if not self.is_number:
            got = f"a result of {self.y.size} real numbers, where a gradient is of one"
            raise self.refusal(got, "return a number, or call jacobian")
        return np.ones(1, self.y.precision)

    def refusal(self, got: str, instead: str) -> EngineError:
        """An error about the function."""
        where = f"derivatives({qualified_name(self.own.function)})"
        return EngineError(where, got, instead, engine=self.own.engine)

    @cached_property
    def first(self) -> Directions:
        """The derivatives of the function, by the inner engine."""
        engine = self.own.engine.inner or self.own.engine
        return Directions(engine, engine.enter(self.program), self.x, self.y)

    @cached_property
    def second(self) -> Directions:
        """The derivatives of its gradient, by the outer engine, which a program enters once: it
        differentiates its own gradients as they are. The cotangent of the value is the last of the
        other arguments.
        """
        outer, first = self.own.engine, self.first
        is_inside = outer.name == first.backend.name
        pull = first.taking("reverse") if is_inside else first.taken("reverse")

        def gradient(x: Array, *others: Any) -> Array:
            *own, one = others
            return pull(x, one, *own)[1]

        made = Directions(outer, gradient if is_inside else outer.enter(gradient), self.x, self.x)
        if "reverse" not in first.modes:
            made.in_lanes = False  # differences are taken of numbers
        return made

    def gradient(self, x: Array, *others: Any) -> Array:
        """The gradient, as the tape has it, of which patterns are found."""
        return tape.grad(lambda x: self.program(x, *others[:-1])[0])(x)

    def matrix(self, directions: Directions, plain: Function, args: Sequence[Any]) -> Any:
        """All derivatives of the first or of the second order."""
        if self.x.is_complex or self.y.is_complex:
            got = "complex numbers, of whose matrices there are several conventions"
            raise self.refusal(got, "pass and return their real and imaginary parts")
        return directions.sparse_matrix(plain, args) if self.own.sparse else directions.matrix(args)
