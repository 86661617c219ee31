"""The configs of rules whose functions call functions: these are differentiated by rules where JAX
traces the rule, and by chainrules_tape where NumPy runs it.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from chainrules_jax.errors import JaxError
from chainrules_py import HasForwardMode, HasReverseMode, RuleTable
from chainrules_py.engines import one_by_one


class OnHost(HasReverseMode, HasForwardMode):
    """A NumPy program is differentiated by chainrules_tape, whose config answers."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table

    def is_active(self, value) -> bool:
        """Whether chainrules_tape traces a value, as in a derivative of a derivative."""
        return has_tape() and bool(tape_config(self.table).is_active(value))

    def rrule_via_ad(
        self, function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Callable[..., Any]]:
        """The value of a function of NumPy's arrays, and its pullback."""
        found: tuple[Any, Callable[..., Any]] = tape_config(self.table).rrule_via_ad(
            function, *args, **options
        )
        return found

    def repeated_rrule_via_ad(self, function: Callable[..., Any], *shared) -> Any:
        """The values of a function at many points, and their pullbacks."""
        return tape_config(self.table).repeated_rrule_via_ad(function, *shared)

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Any]:
        """The value of a function of NumPy's arrays, and its derivative."""
        found: tuple[Any, Any] = tape_config(self.table).frule_via_ad(
            dots, function, *args, **options
        )
        return found


class Traced(HasReverseMode, HasForwardMode):
    """A function with rules is differentiated by them, on JAX's arrays."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table

    def rrule_via_ad(
        self, function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Callable[..., Any]]:
        """The value of a function that has a rule, and its pullback."""
        return self.table.rrule(function, *args, **options)

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Any]:
        """The value of a function that has a rule, and its derivative."""
        return self.table.frule(dots, function, *args, **options)


host = cache(OnHost)  # configs are keys of the table's memory: one for each table
traced = cache(Traced)


def has_tape() -> bool:
    """Tell whether the engine of NumPy programs can be imported: it comes with this package, and
    needs optree.
    """
    return find_spec("optree") is not None


def tape() -> ModuleType:
    """The engine of NumPy programs; an error says that it is not installed."""
    try:
        import chainrules_tape
    except ImportError as error:
        raise JaxError(
            "the derivative of an opaque rule",
            "a second derivative, or a mode that the rule does not have, is made by"
            " chainrules_tape, which is not installed",
            "pip install optree, which chainrules_tape needs, or write the rule on xp, so that JAX"
            " can trace it",
            primal=None,
        ) from error
    return chainrules_tape


@cache
def tape_config(table: RuleTable) -> Any:
    """The config of the engine of NumPy programs, by a table."""
    tape()
    from chainrules_tape.core.config import TapeConfig

    return TapeConfig(table)


def each_example(
    function: Callable[..., Any],
    lanes: tuple[bool, ...],
    args: tuple[Any, ...],
    table: RuleTable,
    of,
    kind,
) -> Any:
    """Compute a function of NumPy's arrays for all examples, along the first axis of some arrays.

    chainrules_tape computes them at once, or one by one where the function decides by their values:
    that is found out once for each `kind` of call of the function `of`. Where it is not installed,
    the function is called once for each.
    """
    if not has_tape():
        return one_by_one(function, lanes, args)
    from chainrules_tape.vmap import each_example as in_lanes

    return in_lanes(function, lanes, args, table, of=of, kind=kind)
