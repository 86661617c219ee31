"""What rules may ask of this engine: to differentiate a function that they were given, in both modes."""

from typing import Any

from chainrules_py.config import HasForwardMode, HasReverseMode
from chainrules_py.contract import debugging
from chainrules_py.entry_points import require_table
from chainrules_py.identity import qualified_name
from chainrules_py.registry import RuleTable
from chainrules_py.tangents import NO_TANGENT, AbstractZero
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent
from chainrules_tape.core.duals import Pushforward
from chainrules_tape.core.errors import InPlaceError
from chainrules_tape.core.levels import TracedArray, innermost, plain
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.sharing import new_tape
from chainrules_tape.core.tape import Tape
from chainrules_tape.core.tracing import Function, cotangents, trace, trace_forward
from chainrules_tape.core.trees import TreeSpace, flatten
from chainrules_tape.core.values import is_differentiable


class TapeConfig(HasReverseMode, HasForwardMode):
    """What rules of higher-order functions may ask of this engine: both modes, by the same table."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table

    def is_active(self, value: Any) -> bool:
        """Whether a value is traced, or holds traced values."""
        return innermost((value,)) is not None

    def rrule_via_ad(self, function: Function, *args: Any, **options: Any) -> tuple[Any, Function]:
        """The value of a function and its pullback."""
        return rrule_of(new_tape(engine_of(self.table)), function, args, options)

    def frule_via_ad(self, dots: tuple[Any, ...], function: Function, *args: Any, **options: Any) -> tuple[Any, Any]:
        """The value of a function and its derivative along `dots`."""
        return frule_of(Pushforward(engine_of(self.table)), dots, function, args, options)


def engine_of(table: RuleTable) -> Engine:
    """The engine of a table: a new one after each registration, so that nothing outlives the rules it was made from."""
    try:
        memory = table.memory.of_engines["chainrules_tape"]
    except AttributeError:
        require_table(table, "chainrules_tape")
        raise
    debug = debugging()
    try:
        engine: Engine = memory[debug]
    except KeyError:
        engine = memory.setdefault(debug, Engine(table, debug, TapeConfig(table)))
    return engine


def rrule_of(tape: Tape, function: Function, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Function]:
    """The value and the pullback of a function, for a rule."""
    inputs, outputs, recording = trace(tape, refusing_in_place(function), args, options, keep=False, of=function)
    space, name = TreeSpace(outputs.values, outputs.rebuilt), qualified_name(function)

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        bars = cotangents(inputs, recording.copy(), space.leaves(y_bar, name), outputs.slots)
        none = [bar if is_differentiable(x) else NO_TANGENT for bar, x in zip(bars, inputs.values, strict=True)]
        return tuple(map(as_tangent, inputs.rebuilt(none)))

    return outputs.rebuilt(outputs.values), pullback


def frule_of(
    level: Pushforward, dots: tuple[Any, ...], function: Function, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, Any]:
    """The value and the tangent of a function, for a rule."""
    dense = tuple(
        dot if isinstance(dot, AbstractZero) else as_plain_container(dot, arg) for dot, arg in zip(dots, args, strict=True)
    )
    leaves, rebuilt = flatten(args)
    given = TreeSpace(leaves, rebuilt).leaves(dense, qualified_name(function))
    inner = refusing_in_place(function)
    values, found, made = trace_forward(level, lambda *some: inner(*some, **options), leaves, given, rebuilt)
    return made(values), as_tangent(made(found))


def refusing_in_place(function: Function) -> Function:
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
