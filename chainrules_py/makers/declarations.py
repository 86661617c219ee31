"""Declarations: functions without a derivative, opt-outs, and functions of one's own."""

from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any, TypeVar

from chainrules_py.arrays import ArrayLibrary, library_of
from chainrules_py.entry_points import RuleFunction
from chainrules_py.identity import caller_location
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.rule import MODES, Mode, Rule, require_callable, require_classes
from chainrules_py.structure import fields, is_container, rebuild
from chainrules_py.tangents import NO_TANGENT

F = TypeVar("F", bound=Callable[..., Any])


def non_differentiable(*primals: Any, refuse: Callable[[Any], None] | None = None, table: RuleTable = default_rules) -> Any:
    """Declare functions that have no derivative to speak of: queries, comparisons, indices, random draws.

    Both rules run the function; no argument gets a tangent, and the output has none. `refuse` is called with the output, and
    raises for one that has a derivative after all. Returns the first of the functions, so that it decorates one, too.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> rrule(np.argmax, np.array([1.0, 3.0]))[1](0)
    (NO_TANGENT,)
    """
    where = caller_location(1)
    for primal in primals:
        table.declare(primal, partial(_constant_rules, primal, refuse, where))
    return primals[0] if primals else None


def _constant_rules(primal: Any, refuse: Callable[[Any], None] | None, where: str) -> list[Rule]:
    require_callable(primal, None, f"non_differentiable at {where}")
    return [_constant_rule(mode, primal, refuse, where) for mode in MODES]


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


def opt_out(entry_point: RuleFunction, primal: Any, *types: Any) -> None:
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
    require_callable(primal, None, f"opt_out at {where}")

    def opted_out() -> None: ...

    opted_out.__rule_location__ = where  # type: ignore[attr-defined]
    classes = require_classes(primal, opted_out, types)
    rule = Rule(mode=entry_point.mode, primal=primal, types=classes, function=None, where=where)
    entry_point.table.declare(primal, lambda: [rule], (rule.mode,))


def primitive(function: F) -> F:
    """Make a function of one's own visible to engines: calls with traced values go to its rule instead of into its body.

    Its rule may be registered for it or for the function it was made of, before or after. A traced class takes part by defining
    ``__chainrules_call__(self, primal, args, options)``, or by the `calls` of the library that its adapter registers: written
    once, the function is differentiable in NumPy, autograd, JAX and PyTorch code.

    >>> @primitive
    ... def softplus(x):
    ...     return np.log1p(np.exp(x))
    >>> import numpy as np
    >>> from chainrules_py import scalar_rule, rrule
    >>> scalar_rule(softplus, "x", "1 / (1 + exp(-x))")
    >>> rrule(softplus, np.array([0.0]))[1](np.array([4.0]))
    (array([2.]),)
    """

    require_callable(function, None, f"primitive at {caller_location(1)}")

    @wraps(function)
    def primitive_function(*args: Any, **options: Any) -> Any:
        for part in _leaves((*args, *options.values())):
            intercept = getattr(type(part), "__chainrules_call__", None)
            if intercept is not None:
                result = intercept(part, primitive_function, args, options)
                if result is not NotImplemented:
                    return result
            elif (library := library_of(type(part))) is not None and library.calls is not None:
                return library.calls(primitive_function, args, options)
        return function(*args, **options)

    primitive_function.__chainrules_primal__ = function  # type: ignore[attr-defined]
    return primitive_function  # type: ignore[return-value]


def _leaves(container: Any) -> Iterator[Any]:
    """Everything that is in a container, at any depth; a traced value may be one itself, and is none here."""
    for part in container if isinstance(container, tuple | list) else fields(container).values():
        if is_container(part) and not hasattr(type(part), "__chainrules_call__"):
            yield from _leaves(part)
        else:
            yield part


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
