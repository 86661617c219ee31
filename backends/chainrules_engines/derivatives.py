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
from chainrules_engines.layouts import Array, EngineError, Inputs, Layout
from chainrules_py.annotations import Function
from chainrules_py.engines import FlatCall
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
    kinds: dict[Any, "FirstOrder"] = field(default_factory=dict, repr=False)

    def of_kind(self, args: Sequence[Any]) -> "FirstOrder":
        """The derivatives at arguments of a kind."""
        call, leaves = FlatCall.of(self.function, tuple(args), {})
        key = call.key, tuple((np.shape(leaf), np.result_type(leaf)) for leaf in leaves)
        if key not in self.kinds:
            self.kinds[key] = FirstOrder(self, args)
            if len(self.kinds) > MOST_KINDS:
                del self.kinds[next(iter(self.kinds))]
        return self.kinds[key]

    def prepare(self, *args: Any) -> "Derivatives":
        """Do now what is done once for arguments of a kind: find patterns, compile in the engine the
        gradient, or the Jacobian where the function returns no number. Others are prepared when
        they come.
        """
        if not self.of_kind(args).is_number:
            self.jacobian(*args)
        elif self.sparse:
            self.hessian(*args)
        else:
            self.gradient(*args)
        return self

    def value_and_gradient(self, *args: Any) -> tuple[Any, Any]:
        """The value and the gradient of a function that returns a real number."""
        kind = self.of_kind(args)
        y, x_bar = kind.derivative("reverse", args, kind.y.restore(kind.one))
        return (y, self.function(*args)[1]) if self.has_aux else y, x_bar

    def gradient(self, *args: Any) -> Any:
        """The gradient of a function that returns a real number."""
        return self.value_and_gradient(*args)[1]

    def vjp(self, *args: Any) -> tuple[Any, Any]:
        """The value, and the cotangent of the arguments for that of the value, which comes last."""
        *point, y_bar = args
        return self.of_kind(point).derivative("reverse", point, y_bar)

    def jvp(self, *args: Any) -> tuple[Any, Any]:
        """The value, and its tangent along that of the arguments, which comes last."""
        *point, x_dot = args
        return self.of_kind(point).derivative("forward", point, x_dot)

    def hvp(self, *args: Any) -> Any:
        """The Hessian times a tangent of the arguments, which comes last."""
        *point, x_dot = args
        kind = self.of_kind(point)
        return kind.second.derivative("forward", [*point, kind.one], x_dot)[1]

    def jacobian(self, *args: Any) -> Any:
        """All derivatives: the axes of the value, then those of the argument."""
        return self.of_kind(args).matrix(args, sparse=self.sparse)

    def hessian(self, *args: Any) -> Any:
        """All second derivatives of a function that returns a real number."""
        kind = self.of_kind(args)
        return kind.second.matrix((*args, kind.one), sparse=self.sparse)


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


class FirstOrder(Directions):
    """The derivatives of a function, by the inner engine, at arguments that differ in numbers alone."""

    def __init__(self, own: Derivatives, args: Sequence[Any]) -> None:
        self.own = own
        x, y = Inputs(own.function, own.argnums, args), Layout(self.result(args))
        engine = own.engine.inner or own.engine
        super().__init__(engine, engine.enter(self.of_vector), self.of_vector, x, y)
        self.is_number = y.size == 1 and not y.is_complex

    def result(self, args: Sequence[Any]) -> Any:
        """The value of the function, without what it has beside."""
        y = self.own.function(*args)
        return y[0] if self.own.has_aux else y

    def of_vector(self, x: Array, *others: Any) -> Array:
        """The function as one of a vector and of the other arguments, to a vector."""
        return self.y.laid(self.result(self.x.joined(x, others)))

    @property
    def one(self) -> Array:
        """The cotangent of a real number."""
        if not self.is_number:
            got = f"a result of {self.y.size} real numbers, where a gradient is of one"
            instead = "return a number, or call jacobian"
            raise EngineError("derivatives", got, instead, engine=self.backend)
        return np.ones(1, self.y.precision)

    @cached_property
    def second(self) -> Directions:
        """The derivatives of its gradient, by the outer engine, which a program enters once: it
        differentiates its own gradients as they are. The cotangent of the value is the last of the
        other arguments.
        """
        outer = self.own.engine
        is_inside = outer.name == self.backend.name
        pull = self.taking("reverse") if is_inside else self.taken("reverse")

        def gradient(x: Array, *others: Any) -> Array:
            return pull(x, others[-1], *others[:-1])[1]

        def plain(x: Array, *others: Any) -> Array:
            return tape.grad(lambda x: self.of_vector(x, *others[:-1])[0])(x)

        program = gradient if is_inside else outer.enter(gradient)
        made = Directions(outer, program, plain, self.x, self.x)
        made.in_lanes &= "reverse" in self.modes  # differences are taken of numbers
        return made
