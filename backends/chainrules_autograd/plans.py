"""How calls of one kind are differentiated quickly: arrays and numbers by position, and a rule that
is looked up once.

A plan is remembered in the table's memory, which is replaced when a rule arrives. A plan may be for
values that are known already, as they are where autograd asks a rule of its own tables. Then the
rule is bound to a library whose implementation of the primal hands the known value out.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import is_
from typing import Any

from autograd.numpy.numpy_boxes import ArrayBox

from chainrules_autograd.boxes import CONTAINERS, is_array
from chainrules_autograd.calls import runs
from chainrules_py import ArrayLibrary, RuleTable
from chainrules_py.engines import Arrangement, FlatCall, Mode, kind, library_of_types, made_of

Args = Sequence[Any]
Options = dict[str, Any]


class KnownCall(threading.local):
    """The arguments and the value of the call whose rule is about to run."""

    args: Args = ()
    value: Any = None


@dataclass(slots=True)
class Plan:
    """A rule bound for one kind of calls; `nested` says that arguments are boxes, of an outer
    derivative.

    Calls whose value turns out to be no array and no number are not `simple`. Those that are
    `direct` have all arguments where the rule has them, and the value is not known.
    """

    primal: Any
    mine: tuple[int, ...]
    table: RuleTable
    run: Callable[..., Any]
    arrangement: Arrangement | None
    known: KnownCall | None
    nested: bool
    simple: bool = True
    direct: bool = field(init=False)

    def __post_init__(self) -> None:
        self.direct = self.arrangement is None and self.known is None

    def __call__(
        self, before: tuple[Any, ...], args: Args, options: Options, value: Any
    ) -> tuple[Any, Any]:
        """What the rule returns; `before` holds the tangents in forward mode, and is empty in
        reverse.
        """
        if self.arrangement is not None:
            args, options = self.arrangement.arrange(list(args), options)
        if self.known is not None:
            self.known.args, self.known.value = () if isinstance(value, CONTAINERS) else args, value
        return self.run(*before, *args, **options)  # type: ignore[no-any-return]


def plan_for(
    table: RuleTable,
    mode: Mode,
    primal: Any,
    args: Args,
    options: Options,
    mine: tuple[int, ...],
    known: bool,
) -> Plan | None:
    """The plan for calls like this one, differentiated with respect to the arguments at `mine`;
    None where it is not simple.
    """
    key = (mode, primal, known, mine, *map(type, args), *options)
    plans = table.memory.of_engines[Plan]
    try:
        return plans[key]  # type: ignore[no-any-return]
    except KeyError:
        plans[key] = found = _plan(table, mode, primal, args, options, mine, known)
        return found


def _plan(
    table: RuleTable,
    mode: Mode,
    primal: Any,
    args: Args,
    options: Options,
    mine: tuple[int, ...],
    known: bool,
) -> Plan | None:
    arrangement = table.arrangement(primal, len(args), options)
    if arrangement is None or arrangement.adapt is not None or max(mine) >= arrangement.arity:
        return None
    arranged, kept = arrangement.arrange(list(args), options)
    types, needs = tuple(map(type, arranged)), tuple(n in mine for n in range(len(arranged)))
    nested = ArrayBox in types
    rule = table.rule_for(mode, arrangement.primal, types)
    if (
        rule is None
        or not rule.differentiable
        or "config" in rule.wants
        or any(kind(cls) is not None for cls in types)
    ):
        return None
    if nested and (options or not _runs_on_boxes(table, mode, primal, args, needs)):
        return None
    table.check_options(rule, kept)
    # To an outer derivative the value is a call of the function; else it is computed by what
    # `primitive` made the function of.
    library = (
        library_of_types(types).calling(primal)
        if nested
        else _plain(library_of_types(types), primal)
    )
    store, library = _knowing(library, arrangement.primal) if known else (None, library)
    moves = bool(options) or len(args) > arrangement.arity
    return Plan(
        primal,
        mine,
        table,
        rule.bind(types, needs, library),
        arrangement if moves else None,
        store,
        nested,
    )


def _runs_on_boxes(
    table: RuleTable, mode: Mode, primal: Any, args: Args, needs: tuple[bool, ...]
) -> bool:
    if len(args) != len(needs):  # some are options, given by position
        return False
    flat, leaves = FlatCall.of(primal, tuple(args), {}, is_array, table)
    of_leaves = [
        need for x, need in zip(args, needs, strict=True) if not isinstance(x, int | str | None)
    ]
    return len(leaves) == len(of_leaves) and runs(flat, leaves, of_leaves, mode)


@cache
def _plain(library: ArrayLibrary, primal: Any) -> ArrayLibrary:
    """The library, with the function that `primitive` made a primal of as its implementation of
    that.
    """
    function = made_of(primal)
    if function is None:
        return library
    return replace(
        library,
        implementations=lambda other: (
            function if other is primal else library.implementation(other)
        ),
    )


@cache
def _knowing(library: ArrayLibrary, primal: Any) -> tuple[KnownCall, ArrayLibrary]:
    """A place for a call whose value is known, and a library whose implementation of the primal
    takes it from there.
    """
    known = KnownCall()

    def implementation(*args: Any, **options: Any) -> Any:
        if len(args) == len(known.args) and all(map(is_, args, known.args)):
            return known.value
        # at the tangent of a linear function, for one
        return library.implementation(primal)(*args, **options)

    return known, replace(
        library, implementations=lambda other: implementation if other is primal else None
    )
