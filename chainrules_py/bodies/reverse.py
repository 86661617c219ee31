"""Reverse mode: a level that records pullbacks, and the sweep over them."""

from collections.abc import Callable
from typing import Any

from chainrules_py.accumulation import accumulate, accumulated
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.bodies.traced import Level, Traced
from chainrules_py.projection import ProjectTo
from chainrules_py.rules.config import NO_CONFIG, RuleConfig, rrule_via_ad
from chainrules_py.table.registry import RuleTable
from chainrules_py.tangents import NO_TANGENT, ZERO, is_zero, unthunk, with_entries
from chainrules_py.tangents.structural import entries
from chainrules_py.values.structure import fields, is_container, mapped, rebuild

Pullback = Callable[[Any], tuple[Any, ...]]


class Reverse(Level):
    """A tape: the arguments and the pullback of each operation, in the order of the calls."""

    mode = "reverse"

    def __init__(self, table: RuleTable, config: RuleConfig = NO_CONFIG) -> None:
        super().__init__(table, config)
        self.calls: list[tuple[tuple[Any, ...], Pullback]] = []

    def record(self, y, args: Args, pullback: Pullback) -> Any:
        """Trace the result of an operation; several results are the parts of one."""
        whole = Traced(y, self, len(self.calls))
        self.calls.append((args, pullback))
        if not is_container(y):
            return whole
        given = fields(y)
        parts = {
            key: self.record(part, (whole,), _part_pullback(type(y), key, [*given]))
            if _has_tangent(part)
            else part
            for key, part in given.items()
        }
        return rebuild(y, parts)

    def by_engine(self, primal, args: Args, options: Options) -> Any:
        """Call a function that the body was given, and record the pullback that the engine gives."""
        y, pullback = rrule_via_ad(self.config, primal, *map(self.plain, args), **options)
        return self.record(y, args, pullback) if is_container(y) or _has_tangent(y) else y

    def run(self, primal, args: Args, options: Options) -> Any:
        """Run the reverse rule of an operation, and record its pullback."""
        values = tuple(map(self.plain, args))
        needs = tuple(map(self.is_in, args))
        types = tuple(map(type, values))
        run = self.table.resolve(self.mode, primal, types, needs)
        rule = self.table.rule_for(self.mode, primal, types)
        if rule is not None:
            self.table.check_options(rule, options)
        y, pullback = run(*values, **options)
        return self.record(y, args, pullback)


def _part_pullback(cls: type, key, keys: list[Any]) -> Pullback:
    """Make the pullback of one part of several results; the others have none by it."""
    return lambda bar: (with_entries(cls, {**dict.fromkeys(keys, ZERO), key: bar}),)


def _has_tangent(x) -> bool:
    """Whether a result can be differentiated."""
    if type(x) in (float, complex):
        return True
    return getattr(x, "dtype", None) is not None and x.dtype.kind in "fc"


def vjp(
    level: Reverse,
    function: Function,
    needs: tuple[bool, ...],
    args: Args,
    options: Options,
) -> tuple[Any, Pullback]:
    """Run a function at a level, and return its value and its pullback, in the arguments that are
    needed.
    """

    def traced(x):
        return level.record(x, (), lambda bar: ()) if _has_tangent(x) else x

    inputs = [mapped(traced, arg) if need else arg for arg, need in zip(args, needs, strict=True)]
    result = function(*map(level.given, inputs), **options)
    y = level.plain(result)

    def pullback(y_bar) -> tuple[Any, ...]:
        bars: list[Any] = [ZERO] * len(level.calls)

        def add(x, x_bar) -> None:
            if level.owns(x):
                bars[x.data] = accumulate(bars[x.data], unthunk(x_bar))
            elif is_container(x) and not is_zero(x_bar):
                parts = entries(unthunk(x_bar))
                for key, part in fields(x).items():
                    add(part, parts.get(key, ZERO))

        add(result, y_bar)
        for slot in range(len(bars) - 1, -1, -1):
            arguments, pull = level.calls[slot]
            if not arguments:
                continue
            bar = accumulated(bars[slot])
            bars[slot] = ZERO
            if is_zero(bar):
                continue
            for x, x_bar in zip(arguments, pull(bar), strict=True):
                add(x, x_bar)

        def cotangent_of(x) -> Any:
            if level.owns(x):
                return accumulated(bars[x.data])
            if not is_container(x):
                return NO_TANGENT
            return with_entries(
                type(x), {key: cotangent_of(part) for key, part in fields(x).items()}
            )

        return tuple(
            [
                ProjectTo(arg)(cotangent_of(x)) if need else NO_TANGENT
                for arg, x, need in zip(args, inputs, needs, strict=True)
            ]
        )

    return y, pullback
