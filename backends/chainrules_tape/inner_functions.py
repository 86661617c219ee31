"""Both modes as rules of higher-order functions ask for them: tangent types instead of trees, residuals shared."""

from typing import Any

from chainrules_py.identity import qualified_name
from chainrules_py.registry import RuleTable
from chainrules_py.tangents import NO_TANGENT, AbstractZero
from chainrules_tape.levels import TracedArray, plain
from chainrules_tape.linearity import parts_of, structural
from chainrules_tape.refusals import InPlaceError
from chainrules_tape.reverse import Tape, is_differentiable
from chainrules_tape.transforms import Function, cotangents, jvp, trace
from chainrules_tape.trees import TreeSpace, flatten


def rrule_of(
    function: Function, args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable, tape: Tape | None = None
) -> tuple[Any, Function]:
    """The value and the pullback of a function, for a rule."""
    inputs, outputs, recording = trace(leaving(function), args, options, rules, keep=False, tape=tape, of=function)
    space, name = TreeSpace(outputs.values, outputs.rebuilt), qualified_name(function)

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        bars = cotangents(inputs, recording.copy(), space.leaves(y_bar, name), outputs.slots)
        none = [bar if is_differentiable(x) else NO_TANGENT for bar, x in zip(bars, inputs.values, strict=True)]
        return tuple(map(structural, inputs.rebuilt(none)))

    return outputs.rebuilt(outputs.values), pullback


def frule_of(
    function: Function, dots: tuple[Any, ...], args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable
) -> tuple[Any, Any]:
    """The value and the tangent of a function, for a rule."""
    zero_or_dense = tuple(
        dot if isinstance(dot, AbstractZero) else parts_of(dot, arg) for dot, arg in zip(dots, args, strict=True)
    )
    inner = leaving(function)
    y, y_dot = jvp(lambda *some: inner(*some, **options), args, zero_or_dense, rules=rules)
    return y, structural(y_dot)


def leaving(function: Function) -> Function:
    """The function, which may not write into its arguments: the arrays outside, which should see it, are other handles."""

    def inner(*args: Any, **options: Any) -> Any:
        given = [(leaf, plain(leaf)) for leaf in flatten(args)[0] if isinstance(leaf, TracedArray)]
        y = function(*args, **options)
        for leaf, value in given:
            if plain(leaf) is not value:
                raise InPlaceError(
                    qualified_name(function),
                    "x += v, or the like, on an argument, in a function that another function or checkpoint calls",
                    "write x = x + v",
                    operation=function,
                    value=leaf,
                )
        return y

    return inner
