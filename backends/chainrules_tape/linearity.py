"""Where a primal has a rule in one mode only, the other follows by linearity.

The pullback that a reverse rule returns is linear in the cotangent: its own pullback is the forward derivative. The
tangent that a forward rule returns is linear in the tangents: its pullback is the reverse rule. Both take the
derivative of a linear map, which is the same everywhere; it is taken at ones rather than at zeros, because a rule may
treat an exact zero specially (a strong zero).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chainrules_py.errors import TangentTypeError
from chainrules_py.rule import Mode, Rule, with_defaults
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    AbstractZero,
    NotImplementedTangent,
    Tangent,
    entries,
    is_zero,
    materialize,
    with_entries,
    zero_tangent,
)

if TYPE_CHECKING:
    from chainrules_tape.engine import Engine

Needs = tuple[bool, ...]


def derived(
    engine: "Engine", mode: Mode, primal: Any, types: tuple[type, ...], needs: Needs
) -> tuple[Rule, Callable[..., Any]]:
    """The rule of one mode made from that of the other; NoRuleError for the mode asked where there is none either."""
    other: Mode = "reverse" if mode == "forward" else "forward"
    function = engine.table.find(other, primal, types, needs, engine.config)
    rule = engine.table.rule_for(other, primal, types, engine.config)
    if function is None or rule is None:
        engine.table.resolve(mode, primal, types, needs, engine.config)  # raises, and says what there is
        raise LookupError(primal)
    if "config" in rule.wants:
        function = with_defaults(function, {"config": engine.config})
    make = forward_from_reverse if mode == "forward" else reverse_from_forward
    made = make(engine, primal, function, needs)
    made.__name__ = made.__qualname__ = f"{rule.name}_by_linearity"
    return replace(rule, mode=mode, function=made, specialise=None, wants=frozenset()), made


def forward_from_reverse(engine: "Engine", primal: Any, rrule: Callable[..., Any], needs: Needs) -> Callable[..., Any]:
    """frule: the pullback of the pullback, applied to the tangents."""
    from chainrules_tape.transforms import vjp

    def derived_frule(dots: tuple[Any, ...], *args: Any, **options: Any) -> tuple[Any, Any]:
        y, pullback = rrule(*args, **options)
        active = [i for i, need in enumerate(needs) if need]

        def pull(y_bar: Any) -> tuple[Any, ...]:
            args_bar = pullback(structural(y_bar))
            return tuple(parts_of(args_bar[i], args[i]) for i in active)

        _, push = vjp(pull, ones_like(y), rules=engine.table)
        (y_dot,) = push(tuple(parts_of(dots[i], args[i]) for i in active))
        return y, structural(y_dot)

    return derived_frule


def reverse_from_forward(engine: "Engine", primal: Any, frule: Callable[..., Any], needs: Needs) -> Callable[..., Any]:
    """rrule: the pullback of the tangent as a function of the tangents of the arguments."""
    from chainrules_tape.transforms import vjp

    def derived_rrule(*args: Any, **options: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        y = primal(*args, **options)
        active = [i for i, need in enumerate(needs) if need]

        def push(*active_dots: Any) -> Any:
            dots: list[Any] = [ZERO] * len(args)
            for i, dot in zip(active, active_dots, strict=True):
                dots[i] = structural(dot)
            return parts_of(frule(tuple(dots), *args, **options)[1], y)

        def derived_pullback(y_bar: Any) -> tuple[Any, ...]:
            _, pull = vjp(push, *(ones_like(args[i]) for i in active), rules=engine.table)
            bars: list[Any] = [NO_TANGENT] * len(args)
            for i, bar in zip(active, pull(parts_of(y_bar, y)), strict=True):
                bars[i] = structural(bar)
            return tuple(bars)

        return y, derived_pullback

    return derived_rrule


def ones_like(x: Any) -> Any:
    """A tangent of a value that is nowhere zero, containers as containers."""
    if is_container(x):
        return rebuild(x, {key: ones_like(part) for key, part in fields(x).items()})
    zero = zero_tangent(x)
    return zero if isinstance(zero, AbstractZero) else zero + 1


def parts_of(t: Any, like: Any) -> Any:
    """A tangent of `like` as plain containers of dense tangents, which functions of this engine take and return."""
    if is_container(like):
        parts = fields(like)
        own = entries_of(t, parts)
        return rebuild(like, {key: parts_of(own.get(key, ZERO), part) for key, part in parts.items()})
    return materialize(ZERO if is_zero(t) else t, like=like)


def entries_of(t: Any, keys: Iterable[Any]) -> Mapping[Any, Any]:
    """The tangents of a container's parts, whether a rule gave a `Tangent` or a plain container; missing for all, for each."""
    if isinstance(t, Tangent):
        return entries(t)
    if isinstance(t, NotImplementedTangent):
        return dict.fromkeys(keys, t)
    if is_zero(t):
        return {}
    if not is_container(t):
        got = f"a rule gave {described(t)} as the tangent of a container with the parts {list(keys)}"
        instead = "give a Tangent, such as Tangent[list](a_bar, b_bar), or a container, with one tangent per part"
        raise TangentTypeError("the tangent of a container", got, instead, operation=entries_of, operands=(t,))
    return fields(t)


def described(t: Any) -> str:
    """A value that is no tangent, for errors."""
    return f"an array of shape {t.shape}" if getattr(t, "shape", ()) else repr(t)


def structural(t: Any) -> Any:
    """A plain container of tangents as a `Tangent`; other tangents as they are."""
    if not is_container(t):
        return t
    return with_entries(type(t), {key: structural(part) for key, part in fields(t).items()})
