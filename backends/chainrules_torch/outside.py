"""How a rule that runs outside of PyTorch is differentiated itself: by `chainrules_tape`, where
that is installed.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from chainrules_py import NotDifferentiableError, RuleConfig, RuleTable
from chainrules_py.engines import one_by_one

# chainrules_tape comes with this package, and needs optree
HAS_TAPE = find_spec("optree") is not None


@cache  # configs are keys of the table's memory: one for each table
def config_of(table: RuleTable) -> RuleConfig:
    """The config of rules that NumPy runs: the tape differentiates functions that they call, by
    the rules of the same table.
    """
    if not HAS_TAPE:
        return RuleConfig()
    from chainrules_tape.core.config import TapeConfig

    return TapeConfig(table)


def second_order(of) -> ModuleType:
    """Return the module of the tape, which differentiates the rules of a call; raise where it cannot
    be imported, and say what to install.
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
    of,
    kind,
) -> Any:
    """Compute a function of NumPy's arrays for all examples, along the first axis of some arrays.

    chainrules_tape computes them at once, or one by one where the function decides by their values:
    that is found out once for each `kind` of call of the function `of`. Where it is not installed,
    the function is called once for each.
    """
    if not HAS_TAPE:
        return one_by_one(function, lanes, args)
    from chainrules_tape.vmap import each_example as in_lanes

    return in_lanes(function, lanes, args, table, of=of, kind=kind)
