"""`derivatives(f, engine)`: gradients, Jacobians, Hessians and products with them, whatever computes.

What does not depend on the numbers of the arguments is done once for each kind of them (`Kind`):
programs are compiled, patterns of sparse matrices are found and coloured.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_engines.backends import Backend, backend_of
from chainrules_engines.directions import Directions, Pattern
from chainrules_engines.layouts import Array, EngineError, Layout
from chainrules_py.engines import FlatCall, qualified_name
from chainrules_py.rules.rule import Mode

MOST_KINDS = 16  # that are remembered


@dataclass(frozen=True)
class SecondOrder:
    """Two engines: `outer` differentiates the gradient that `inner` computes."""

    outer: Backend
    inner: Backend


def second_order(*, outer: Any, inner: Any) -> SecondOrder:
    """Have one engine differentiate the gradients of another one, for `derivatives`."""
    return SecondOrder(backend_of(outer), backend_of(inner))


@dataclass(frozen=True)
class Derivatives:
    """The derivatives of a function by those of its arguments that `argnums` names.

    Arguments and results are arrays of NumPy's, numbers, and containers of them.
    """

    function: Callable[..., Any]
    engines: SecondOrder
    argnums: int | tuple[int, ...]
    has_aux: bool
    sparse: bool

    @cached_property
    def kinds(self) -> dict[Any, "Kind"]:
        """What is known of each kind of arguments."""
        return {}

    def prepare(self, *args: Any) -> "Derivatives":
        """Do now what is done once for arguments of a kind: find patterns, compile in the engine the
        gradient, or the Jacobian where the function returns no number. Others are prepared when
        they come.
        """
        y = self.kind(args).y
        is_number = y.size == 1 and not y.is_complex
        if self.sparse and is_number:
            self.hessian(*args)
        else:
            (self.gradient if is_number else self.jacobian)(*args)
        return self

    def kind(self, args: tuple[Any, ...]) -> "Kind":
        """What is known of such arguments."""
        call, leaves = FlatCall.of(self.function, args, {})
        key = call.key, tuple((np.shape(leaf), np.result_type(leaf)) for leaf in leaves)
        if key not in self.kinds:
            self.kinds[key] = Kind(self, args)
            if len(self.kinds) > MOST_KINDS:
                del self.kinds[next(iter(self.kinds))]
        return self.kinds[key]

    def value_and_gradient(self, *args: Any) -> tuple[Any, Any]:
        """The value and the gradient of a function that returns a real number."""
        kind = self.kind(args)
        y, x_bar = kind.along("first", "reverse", args, kind.one)
        return (y, self.function(*args)[1]) if self.has_aux else y, x_bar

    def gradient(self, *args: Any) -> Any:
        """The gradient of a function that returns a real number."""
        return self.value_and_gradient(*args)[1]

    def vjp(self, *args: Any) -> tuple[Any, Any]:
        """The value, and the cotangent of the arguments for that of the value, which comes last."""
        *point, y_bar = args
        kind = self.kind(tuple(point))
        return kind.along("first", "reverse", point, kind.y.direction(y_bar))

    def jvp(self, *args: Any) -> tuple[Any, Any]:
        """The value, and its tangent along that of the arguments, which comes last."""
        *point, x_dot = args
        kind = self.kind(tuple(point))
        return kind.along("first", "forward", point, kind.x.direction(x_dot))

    def hvp(self, *args: Any) -> Any:
        """The Hessian times a tangent of the arguments, which comes last."""
        *point, x_dot = args
        kind = self.kind(tuple(point))
        return kind.along("second", "forward", point, kind.x.direction(x_dot))[1]

    def jacobian(self, *args: Any) -> Any:
        """All derivatives: the axes of the value, then those of the argument."""
        return self.kind(args).matrix("first", args)

    def hessian(self, *args: Any) -> Any:
        """All second derivatives of a function that returns a real number."""
        return self.kind(args).matrix("second", args)


def derivatives(
    function: Callable[..., Any],
    engine: Any = "tape",
    *,
    argnums: int | tuple[int, ...] = 0,
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
    own = engine if isinstance(engine, SecondOrder) else SecondOrder(*[backend_of(engine)] * 2)
    return Derivatives(function, own, argnums, has_aux, sparse)


class Kind:
    """What is known of calls whose arguments differ in numbers alone."""

    def __init__(self, own: Derivatives, args: tuple[Any, ...]) -> None:
        self.own = own
        self.several = isinstance(own.argnums, tuple)
        self.chosen = own.argnums if isinstance(own.argnums, tuple) else (own.argnums,)
        self.x, self.y = Layout(self.points(args)), Layout(self.result(args))
        self.patterns: dict[str, Pattern] = {}

    def points(self, args: Any) -> Any:
        """The arguments that are differentiated by, several of them as a tuple."""
        found = tuple([args[place] for place in self.chosen])
        return found if self.several else found[0]

    def result(self, args: Any) -> Any:
        """The value of the function, without what it has beside."""
        y = self.own.function(*args)
        return y[0] if self.own.has_aux else y

    def program(self, x: Array, *others: Any) -> Array:
        """The function as one of an array and of the other arguments."""
        point = self.x.tree(x)
        args = list(others)
        for place, arg in sorted(
            zip(self.chosen, point if self.several else (point,), strict=True)
        ):
            args.insert(place, arg)
        return self.y.laid(self.result(args))

    @property
    def one(self) -> Array:
        """The cotangent of a real number."""
        if self.y.size != 1 or self.y.is_complex:
            got = f"a result of {self.y.size} real numbers, where a gradient is of one"
            raise self.refusal(got, "return a number, or call jacobian")
        return np.ones(self.y.shape, self.y.precision)

    def refusal(self, got: str, instead: str) -> EngineError:
        """An error about the function."""
        where = f"derivatives({qualified_name(self.own.function)})"
        return EngineError(where, got, instead, engine=self.own.engines)

    @cached_property
    def first(self) -> Directions:
        """The derivatives of the function, by the inner engine."""
        inner = self.own.engines.inner
        return Directions(inner, inner.enter(self.program), self.x, self.y)

    @cached_property
    def second(self) -> Directions:
        """The derivatives of its gradient, by the outer one, which a program enters once: it
        differentiates its own gradients as they are.
        """
        inner, outer = self.own.engines.inner, self.own.engines.outer
        is_reverse = "reverse" in self.first.modes
        is_inside = outer.name == inner.name and is_reverse
        pull = self.first.taking("reverse") if is_inside else self.first.taken("reverse")

        def gradient(x: Array, one: Array, *others: Any) -> Array:
            return pull(x, one, *others)[1]

        program = gradient if is_inside else outer.enter(gradient)
        return Directions(outer, program, self.x, self.x, in_lanes=is_reverse)

    def inputs(self, order: str, args: Any) -> tuple[Array, list[Any]]:
        """The array of a program of an order, and its other arguments."""
        others = [arg for place, arg in enumerate(args) if place not in self.chosen]
        point = np.asarray(self.x.laid(self.points(args)))
        return point, others if order == "first" else [self.one, *others]

    def along(self, order: str, mode: Mode, args: Any, direction: Array) -> tuple[Any, Any]:
        """The value of a program of an order and its derivative along a direction."""
        taken = getattr(self, order)
        x, others = self.inputs(order, args)
        y, found = taken.taken(mode)(x, direction, *others)
        of_value = self.y if order == "first" else self.x
        return of_value.numbers(y), (of_value if mode == "forward" else self.x).numbers(found)

    def matrix(self, order: str, args: tuple[Any, ...]) -> Any:
        """All derivatives of a program of an order."""
        if self.x.is_complex or self.y.is_complex:
            got = "complex numbers, of whose matrices there are several conventions"
            raise self.refusal(got, "pass and return their real and imaginary parts")
        directions: Directions = getattr(self, order)
        x, others = self.inputs(order, args)
        if not self.own.sparse:
            rows = directions.entries(x, *others)
            return directions.spaces["reverse"].matrix(rows, self.x)
        known = self.patterns.get(order)
        found = None if known is None else known.matrix(directions, x, others)
        if found is None:  # the first call, or another branch
            own = self.inputs("first", args)[1]
            made = Pattern(directions, self.program, x, own, symmetric=order == "second")
            self.patterns[order] = made
            found = made.matrix(directions, x, others)
        return found
