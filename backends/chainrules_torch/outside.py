"""How a rule that runs outside of PyTorch is differentiated itself: by `chainrules_tape`, where
that is installed.
"""

from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from chainrules_py import (
    HasForwardMode,
    HasReverseMode,
    NotDifferentiableError,
    RuleConfig,
    RuleTable,
)
from chainrules_py.engines import one_by_one, with_tangent, with_tangents_back


class TapeConfig(HasReverseMode, HasForwardMode):
    """Rules of functions that call a function: NumPy's, which the tape differentiates."""

    def rrule_via_ad(
        self, function: Callable[..., Any], *args: Any, **options: Any
    ) -> tuple[Any, Callable[..., Any]]:
        """The value of `function` and its pullback."""
        import chainrules_tape

        return with_tangents_back(*chainrules_tape.vjp(lambda *xs: function(*xs, **options), *args))

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Callable[..., Any], *args: Any, **options: Any
    ) -> tuple[Any, Any]:
        """The value of `function` and its derivative along `dots`."""
        import chainrules_tape

        return with_tangent(*chainrules_tape.jvp(lambda *xs: function(*xs, **options), args, dots))


HAS_TAPE = find_spec("optree") is not None
CONFIG: RuleConfig = TapeConfig() if HAS_TAPE else RuleConfig()


def second_order(of: Any) -> ModuleType:
    """The tape, which differentiates rules; an error that says what to install where it is not
    there.
    """
    if not HAS_TAPE:
        where = f"to_torch({of.call.flat})"
        got = (
            "a derivative of its rule was asked for, which chainrules_tape would compute, and that"
            " needs optree"
        )
        raise NotDifferentiableError(
            where,
            got,
            "pip install optree (or '.[tape]' in a checkout)",
            primal=of.call.flat.primal,
            argument=None,
        )
    import chainrules_tape

    return chainrules_tape


def each_example(
    function: Callable[..., Any],
    lanes: tuple[bool, ...],
    args: tuple[Any, ...],
    table: RuleTable,
    of: Any,
    kind: Any,
) -> Any:
    """Compute a function of NumPy's arrays for all examples, along the first axis of some arrays.

    It is a call of this kind of the function `of`, or of its derivative. Without chainrules_tape,
    which computes them at once, it is called once for each.
    """
    if not HAS_TAPE:
        return one_by_one(function, lanes, args)
    from chainrules_tape.vmap import each_example as in_lanes

    return in_lanes(function, lanes, args, table, of=of, kind=kind)
