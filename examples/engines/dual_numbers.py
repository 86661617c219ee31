"""Forward mode for Python's numbers: a number carries its derivative along, and rules say how. Any
order, by nesting.

    slope = lambda x: jvp(lambda x: x * lifted(math.exp)(x), (x,), (1.0,))[1]

The parts: a class whose operators ask `call`; `call`, which opens the numbers of the derivative
that was begun last and runs the forward rule; and the library that such numbers are where a rule
meets them, for derivatives of derivatives.
"""

import itertools
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from chainrules_py import (
    ZERO,
    ArrayLibrary,
    RealScalar,
    default_rules,
    is_zero,
    register_library,
    zero_tangent,
)
from chainrules_py.engines import FlatCall, FlatValue

levels = itertools.count(1)


class Dual:
    """A number and its tangent in the derivative with the number `level`; both may belong to outer
    derivatives.
    """

    shape, ndim, size, dtype = (), 0, 1, np.dtype(float)

    def __init__(self, value: Any, dot: Any, level: int) -> None:
        self.value, self.dot, self.level = value, dot, level

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return call(ufunc, inputs, options) if method == "__call__" else NotImplemented


def as_method(operation: Callable[..., Any], turned: bool) -> Callable[..., Any]:
    """An operator as a method of numbers, which `turned` around has its operands the other way."""
    return lambda self, *rest: call(operation, (*rest, self) if turned else (self, *rest), {})


OPERATORS = "add sub mul truediv floordiv mod pow neg pos abs lt le gt ge eq ne"
for name in OPERATORS.split():
    setattr(Dual, f"__{name}__", as_method(getattr(operator, f"__{name}__"), False))
    setattr(Dual, f"__r{name}__", as_method(getattr(operator, f"__{name}__"), True))


def lifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that has a rule, for numbers that carry derivatives, too."""
    return lambda *args, **options: call(function, args, options)


class Namespace:
    """NumPy for rules that run on numbers with derivatives."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name)
        if isinstance(found, ModuleType):
            return Namespace(found)
        return found if isinstance(found, type) or not callable(found) else lifted(found)


def level_of(x: Any) -> int:
    """The number of the derivative that a number belongs to."""
    return x.level if isinstance(x, Dual) else 0


def call(primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The value of a call, with its tangent."""
    flat, leaves = FlatCall.of(primal, args, options, lambda x: isinstance(x, Dual))
    level = max(map(level_of, leaves), default=0)
    if level == 0:
        y = flat.value(leaves)
        return y.with_leaves(y.leaves)
    values = [x.value if level_of(x) == level else x for x in leaves]
    y, dots = flat.frule(values, [x.dot if level_of(x) == level else ZERO for x in leaves])
    return y.with_leaves(
        [x if is_zero(dot) else Dual(x, dot, level) for x, dot in zip(y.leaves, dots, strict=True)]
    )


def jvp(
    function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The value of a function of numbers and its derivative along the tangents."""
    level = next(levels)
    y = FlatValue.of(
        function(*(Dual(x, dot, level) for x, dot in zip(args, tangents, strict=True)))
    )
    own = [level_of(x) == level for x in y.leaves]
    values = [x.value if mine else x for x, mine in zip(y.leaves, own, strict=True)]
    dots = [x.dot if mine else zero_tangent(x) for x, mine in zip(y.leaves, own, strict=True)]
    return y.with_leaves(values), y.with_leaves(dots)


def implementation(primal: Any) -> Any:
    """The function that rules on such numbers call in the place of one that has a rule."""
    return lifted(primal) if primal in default_rules else None


RealScalar.register(Dual)
own = ArrayLibrary(
    "dual numbers",
    Namespace(np),
    (),
    (Dual,),
    False,
    90,
    implementations=implementation,
    calls=call,
)
register_library(own)
