"""Functions that another engine differentiates, as primitives with rules.

An adapter says how the engine evaluates and differentiates a function on NumPy's arrays
(`ForeignFunction`), and which functions of the same engine the pullback and the pushforward are.
When the rules themselves are differentiated, these become primitives in turn, so that there are
derivatives of every order that the engine has.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from chainrules_py.annotations import Args, Function
from chainrules_py.makers import primitive
from chainrules_py.makers.declarations import traced_part
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, is_zero, unthunk, with_entries
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.values.structure import fields, is_container, rebuild


class ForeignFunction:
    """A function of another engine, on NumPy's arrays, numbers, and containers of them.

    `how` is what the engine is to know besides: a device, or a mode of its compiler. Cotangents and
    tangents that are passed in are dense; those that it returns may be ZERO or NO_TANGENT. The
    cotangent of a complex argument x + iy is dL/dx + i dL/dy of a real loss L.
    """

    name: str
    # whether the pullback of `vjp` reads the memory of the arguments, which the engine did not copy
    keeps_arguments = True

    def __init__(self, function: Function, name: str, how: Any = None) -> None:
        self.function, self.name, self.how = function, name, how

    def evaluate(self, *args: Any) -> Any:
        """The value."""
        raise NotImplementedError

    def vjp(self, *args: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """The value, and the pullback from a cotangent of the value to one for each argument."""
        raise NotImplementedError

    def jvp(self, args: Args, dots: tuple[Any, ...]) -> tuple[Any, Any]:
        """The value and its tangent along one tangent for each argument."""
        raise NotImplementedError

    def pullback(self) -> "ForeignFunction":
        """The function ``(y_bar, *args) -> args_bar``, which the engine differentiates, too."""
        return type(self)(self.pulled, f"the pullback of {self.name}", self.how)

    def pushforward(self) -> "ForeignFunction":
        """The function ``(dots, *args) -> y_dot``, which the engine differentiates, too."""
        return type(self)(self.pushed, f"the pushforward of {self.name}", self.how)

    def pulled(self, y_bar, *args: Any) -> Any:
        """The cotangents of the arguments, by the engine's own functions of its own values."""
        raise NotImplementedError

    def pushed(self, dots: tuple[Any, ...], *args: Any) -> Any:
        """The tangent of the value, by the engine's own functions of its own values."""
        raise NotImplementedError


def foreign_primitive(function: ForeignFunction, table: RuleTable = default_rules) -> Function:
    """A primitive that evaluates a foreign function, and has both rules in `table`.

    It holds its rules: nothing of it stays when nobody has it any more.
    """
    return _Rules(function, table).primitive


class _Rules:
    """The primitive of a foreign function with its rules; those of its derivatives when needed."""

    def __init__(self, function: ForeignFunction, table: RuleTable) -> None:
        self.function, self.table = function, table

        def foreign(*args):
            return function.evaluate(*args)

        foreign.__name__ = foreign.__qualname__ = function.name
        self.primitive = primitive(foreign)
        table.let_hold_rules(self.primitive)
        table.rrule.register(self.primitive)(self._rrule)
        table.frule.register(self.primitive)(self._frule)

    @cached_property
    def _pull(self) -> Function:
        return foreign_primitive(self.function.pullback(), self.table)

    @cached_property
    def _push(self) -> Function:
        return foreign_primitive(self.function.pushforward(), self.table)

    def _rrule(self, *args: object) -> tuple[Any, Pullback]:
        traced = _is_traced(args)
        y, pull = (self.primitive(*args), None) if traced else self.function.vjp(*args)

        def foreign_pullback(y_bar) -> tuple[Any, ...]:
            dense = _dense(y_bar, y)
            bars = self._pull(dense, *args) if pull is None or _is_traced(dense) else pull(dense)
            return tuple(map(_tangent, bars))

        def reads_arguments(y_bar) -> bool:
            return pull is None or self.function.keeps_arguments or _is_traced(_dense(y_bar, y))

        foreign_pullback.reads_arguments = reads_arguments  # type: ignore[attr-defined]
        return y, foreign_pullback

    def _frule(self, dots: tuple[Any, ...], *args: object) -> tuple[Any, Any]:
        dense = tuple(map(_dense, dots, args))
        if all(map(is_zero, dots)):
            return self.primitive(*args), ZERO
        if _is_traced((args, dense)):
            return self.primitive(*args), _tangent(self._push(dense, *args))
        y, y_dot = self.function.jvp(args, dense)
        return y, _tangent(y_dot)


def _dense(t, like) -> Any:
    """A tangent of a value as plain containers of dense tangents, for an engine."""
    return _with_none(as_plain_container(unthunk(t), like), like)


def _tangent(t) -> Any:
    """A tangent of an engine's: a `Tangent` of a container, `NO_TANGENT` for None in it, too."""
    if is_container(t):
        return with_entries(type(t), {key: _tangent(part) for key, part in fields(t).items()})
    return NO_TANGENT if t is None else t


def _with_none(t, like) -> Any:
    """A tangent with None where its value has None: engines take None for no leaf of a tree."""
    if like is None:
        return None
    if not is_container(like):
        return t
    parts = fields(t)
    return rebuild(t, {key: _with_none(parts[key], part) for key, part in fields(like).items()})


def _is_traced(x) -> bool:
    """Whether an engine's traced value, which intercepts primitives, is among the parts."""
    return traced_part([x]) is not None
