"""Both modes as rules of higher-order functions ask for them: tangent types instead of trees, residuals shared."""

from typing import Any

from chainrules_py.identity import qualified_name
from chainrules_py.registry import RuleTable
from chainrules_py.tangents import NO_TANGENT, AbstractZero
from chainrules_tape.linearity import parts_of, structural
from chainrules_tape.reverse import Tape, is_differentiable
from chainrules_tape.transforms import Function, cotangents, jvp, trace
from chainrules_tape.trees import TreeSpace


def rrule_of(
    function: Function, args: tuple[Any, ...], options: dict[str, Any], rules: RuleTable, tape: Tape | None = None
) -> tuple[Any, Function]:
    """The value and the pullback of a function, for a rule."""
    inputs, outputs, recording = trace(function, args, options, rules, keep=False, tape=tape)
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
    plain = tuple(dot if isinstance(dot, AbstractZero) else parts_of(dot, arg) for dot, arg in zip(dots, args, strict=True))
    y, y_dot = jvp(lambda *some: function(*some, **options), args, plain, rules=rules)
    return y, structural(y_dot)
