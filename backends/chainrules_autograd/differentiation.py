"""Pullbacks and pushforwards of functions written in autograd's NumPy, in the conventions of
`chainrules_py`.

Arguments and values are arrays and numbers in containers at any depth. autograd sees a tuple of
their differentiable leaves. The first input is returned beside the outputs, so that autograd finds
a result that depends on its input even where the function is constant.
"""

from collections.abc import Callable
from typing import Any

from autograd import builtins
from autograd.core import make_jvp, make_vjp
from autograd.extend import vspace

from chainrules_autograd.boxes import is_differentiable, is_lost, opened
from chainrules_autograd.translation import dense, other_convention, require_shape
from chainrules_py import NotDifferentiableError, zero_tangent
from chainrules_py.engines import FlatValue, qualified_name, with_items_at

Function = Callable[..., Any]


def vjp(function: Function, *args) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return the value of a function that autograd differentiates, and the pullback to one
    cotangent for each argument.
    """
    call = FunctionOfLeaves(function, args)
    if not call.active:
        return call.constant(), lambda y_bar: zero_tangents(args)

    made: Any = make_vjp(call, call.inputs)
    pull, values = made
    y = call.value(values)

    def seed(bar, leaf) -> Any:
        bar = dense(bar, leaf)
        require_shape(bar, getattr(leaf, "shape", ()), function)
        return other_convention(bar)

    def pullback(y_bar) -> tuple[Any, ...]:
        bars = y.tangents(y_bar)
        seeds = [seed(bars[k], y.leaves[k]) for k in call.outputs]
        of_first_input = vspace(call.inputs[0]).zeros()  # which is returned beside the outputs
        found = pull((*seeds, of_first_input))
        return call.tangents([other_convention(found[n]) for n in range(len(call.active))])

    return y.with_leaves(y.leaves), pullback


def jvp(function: Function, args: tuple[Any, ...], dots: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the value of a function that autograd differentiates, and its tangent along one
    tangent for each argument.
    """
    call = FunctionOfLeaves(function, args)
    if not call.active:
        y = call.constant()
        return y, zero_tangents((y,))[0]
    tangents = call.arguments.tangents(dots)
    directions = tuple(dense(tangents[k], call.arguments.leaves[k]) for k in call.active)
    computed: Any = make_jvp(call, call.inputs)(directions)
    values, found = computed
    y = call.value(values)
    own = found[: len(call.outputs)]  # that of the first input is behind them
    y_dots = with_items_at([*map(zero_tangent, y.leaves)], call.outputs, own)
    return y.with_leaves(y.leaves), y.with_leaves(y_dots)


def zero_tangents(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the zero tangent of each leaf, in containers like the arguments."""
    flat = opened_parts(args)
    found: tuple[Any, ...] = flat.with_leaves([zero_tangent(leaf) for leaf in flat.leaves])
    return found


def opened_parts(value) -> FlatValue:
    """Take a value apart, without boxes; None is one of its parts, which has no tangent."""
    return FlatValue.of(opened(value), lambda part: True)


class FunctionOfLeaves:
    """A function at fixed arguments as autograd sees it: from a tuple of their differentiable
    leaves to one of the value's. It is called once, and stores how the value is built.
    """

    def __init__(self, function: Function, args: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, opened_parts(args)
        self.active = [k for k, leaf in enumerate(self.arguments.leaves) if is_differentiable(leaf)]
        self.inputs = tuple(self.arguments.leaves[k] for k in self.active)
        self.outputs: list[int] = []

    def __call__(self, inputs) -> Any:
        """Return the differentiable leaves of the value, and the first input."""
        leaves = with_items_at(self.arguments.leaves, self.active, inputs)
        self.result = opened_parts(self.function(*self.arguments.with_leaves(leaves)))
        if any(map(is_lost, self.result.leaves)):
            got = "NumPy made an array of objects of what autograd traces, which has no derivative"
            instead = "call autograd.numpy's function of the same name, or `xp`'s in a rule"
            raise NotDifferentiableError(
                qualified_name(self.function), got, instead, primal=self.function, argument=None
            )
        self.outputs = [k for k, leaf in enumerate(self.result.leaves) if is_differentiable(leaf)]
        return builtins.tuple((*(self.result.leaves[k] for k in self.outputs), inputs[0]))

    def constant(self) -> Any:
        """Return the value where there is nothing to differentiate with respect to."""
        return opened(self.function(*self.arguments.with_leaves(self.arguments.leaves)))

    def value(self, values) -> FlatValue:
        """Build the value with plain leaves in the place of boxes."""
        own = values[: len(self.outputs)]  # the first input is behind them
        return FlatValue(with_items_at(self.result.leaves, self.outputs, own), self.result.tree)

    def tangents(self, found: list[Any]) -> tuple[Any, ...]:
        """Build tangents of the arguments from those of the active leaves; the other leaves have
        zeros.
        """
        zeros = [*map(zero_tangent, self.arguments.leaves)]
        tangents: tuple[Any, ...] = self.arguments.with_leaves(
            with_items_at(zeros, self.active, found)
        )
        return tangents
