"""Declarations: functions without a derivative, opt-outs, and functions of one's own."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, TypeVar

from chainrules_py.arrays import ArrayLibrary
from chainrules_py.identity import caller_location
from chainrules_py.propagators import Propagator
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.rule import MODES, Mode, Rule, require_classes
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import NO_TANGENT

F = TypeVar("F", bound=Callable[..., Any])


def non_differentiable(*primals: Any, refuse: Callable[[Any], None] | None = None, table: RuleTable = default_rules) -> None:
    """Declare functions that have no derivative to speak of: queries, comparisons, indices, random draws.

    Both rules run the function; no argument gets a tangent, and the output has none. `refuse` is called with the output, and
    raises for one that has a derivative after all.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> rrule(np.argmax, np.array([1.0, 3.0]))[1](0)
    (NO_TANGENT,)
    """
    where = caller_location(1)
    for primal in primals:
        for mode in MODES:
            table.add(_constant_rule(mode, primal, refuse, where))


def _refusing(run: Callable[..., Any], refuse: Callable[[Any], None]) -> Callable[..., Any]:
    def run_or_refuse(*args: Any, **options: Any) -> Any:
        y = run(*args, **options)
        refuse(y)
        return y

    return run_or_refuse


def _constant_rule(mode: Mode, primal: Any, refuse: Callable[[Any], None] | None, where: str) -> Rule:
    def specialise(types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary) -> Callable[..., Any]:
        run = library.implementation(primal)
        run = run if refuse is None else _refusing(run, refuse)
        nothing = (NO_TANGENT,) * len(types)

        def constant_pullback(y_bar: Any) -> tuple[Any, ...]:
            return nothing

        def constant_rrule(*args: Any, **options: Any) -> tuple[Any, Callable[..., Any]]:
            return run(*args, **options), constant_pullback

        def constant_frule(dots: tuple[Any, ...], *args: Any, **options: Any) -> tuple[Any, Any]:
            return run(*args, **options), NO_TANGENT

        return constant_rrule if mode == "reverse" else constant_frule

    return Rule(
        mode=mode,
        primal=primal,
        types=(),
        variadic=object,
        function=specialise,
        specialise=specialise,
        checks_seed=True,
        differentiable=False,
        where=where,
    )


def opt_out(propagator: Propagator, primal: Any, *types: Any) -> None:
    """Declare that a more general rule is not to be used for these classes.

    The opt-out is a method in the same table: whatever is more specific still wins over it.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> class Lazy(np.ndarray): ...
    >>> opt_out(rrule, np.sum, Lazy)
    >>> rrule.find(np.sum, Lazy) is None, rrule.find(np.sum, np.ndarray) is None
    (True, False)
    """
    where = caller_location(1)
    classes = require_classes(primal, opt_out, types)
    propagator.table.add(Rule(mode=propagator.mode, primal=primal, types=classes, function=None, where=where))


def primitive(function: F) -> F:
    """Make a function of one's own visible to engines: calls with traced values go to its rule instead of into its body.

    A traced class takes part by defining ``__chainrules_call__(self, primal, args, options)``.

    >>> @primitive
    ... def softplus(x):
    ...     return np.log1p(np.exp(x))
    >>> import numpy as np
    >>> from chainrules_py import scalar_rule, rrule
    >>> scalar_rule(softplus, "x", "1 / (1 + exp(-x))")
    >>> rrule(softplus, np.array([0.0]))[1](np.array([4.0]))
    (array([2.]),)
    """

    @wraps(function)
    def primitive_function(*args: Any, **options: Any) -> Any:
        for part in parts_of((*args, *options.values())):
            intercept = getattr(type(part), "__chainrules_call__", None)
            if intercept is not None:
                result = intercept(part, primitive_function, args, options)
                if result is not NotImplemented:
                    return result
        return function(*args, **options)

    return primitive_function  # type: ignore[return-value]


def parts_of(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and what is in those that are containers, however deep."""
    for value in values:
        yield value
        if is_container(value):
            yield from parts_of(fields(value).values())


@primitive
def _ignored(value: Any) -> Any:
    return value


non_differentiable(_ignored)


def ignore_derivatives(value: Any) -> Any:
    """The value as a constant: no derivative flows back through it. Of a function: that function, its results constant.

    >>> ignore_derivatives(2.0)
    2.0
    """
    if hasattr(type(value), "__chainrules_call__"):
        return _ignored(value)
    if is_container(value):
        return rebuild(value, {key: ignore_derivatives(part) for key, part in fields(value).items()})
    if callable(value):

        @wraps(value)
        def ignoring(*args: Any, **options: Any) -> Any:
            return ignore_derivatives(value(*args, **options))

        return ignoring
    return _ignored(value)
