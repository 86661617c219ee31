"""Declare whole functions: those without a derivative, and those whose calls engines are to see."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from threading import get_ident
from types import EllipsisType, FunctionType, NoneType
from typing import Any, TypeVar

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.introspection import caller_location
from chainrules_py.makers.skeleton import both_rules
from chainrules_py.rules.rule import Rule, require_callable
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import NO_TANGENT, zero_tangent
from chainrules_py.values.arrays import ArrayLibrary, library_of, making
from chainrules_py.values.identity import made_of, qualified_name
from chainrules_py.values.made_once import MadeOnce
from chainrules_py.values.plain_code import plain_threads, plainly
from chainrules_py.values.structure import fields, is_container

F = TypeVar("F", bound=Function)
# Classes whose values no engine has to be asked about.
PLAIN = frozenset(
    {np.ndarray, np.float64, float, int, bool, complex, str, slice, EllipsisType, NoneType}
)


def non_differentiable(
    *primals: Any,
    refuse: Callable[[Any], None] | None = None,
    constants_only: bool | str = False,
    types: Sequence[Any] | None = None,
    table: RuleTable = default_rules,
) -> Any:
    """Declare functions without a derivative: queries, comparisons, indices, random draws.

    Both rules run the function; no argument gets a tangent, and the output has none. `refuse` is
    called with the output, and raises for one that has a derivative after all. With
    `constants_only` an argument that is differentiated is refused: nobody has written its derivative,
    or it has none for the reason that is given. `types` are the classes of the arguments for which
    all this holds, in the place of any arguments. Returns the first of the functions, so that it
    decorates one, too.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> rrule(np.argmax, np.array([1.0, 3.0]))[1](0)
    (NO_TANGENT,)
    """
    where = caller_location(1)
    for primal in primals:
        make = partial(_constant_rules, primal, refuse, constants_only, types, where)
        table.declare(primal, make)
    return primals[0] if primals else None


def _constant_rules(
    primal,
    refuse: Callable[[Any], None] | None,
    constants_only: bool | str,
    classes: Sequence[Any] | None,
    where: str,
) -> Iterator[Rule]:
    require_callable(primal, None, f"non_differentiable at {where}")

    def run_by(library: ArrayLibrary, needs: tuple[bool, ...]) -> Function:
        run: Function = library.implementation(primal)

        def run_or_refuse(*args, **options):
            if constants_only:
                _require_constants(primal, constants_only, where, args, needs)
            y = run(*args, **options)
            if refuse is not None:
                refuse(y)
            return y

        return run if refuse is None and not constants_only else run_or_refuse

    def reverse(
        types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Function:
        run, nothing = run_by(library, needs), (NO_TANGENT,) * len(types)

        def constant_pullback(y_bar) -> tuple[Any, ...]:
            return nothing

        return lambda *args, **options: (run(*args, **options), constant_pullback)

    def forward(
        types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Function:
        run = run_by(library, needs)
        return lambda dots, *args, **options: (run(*args, **options), NO_TANGENT)

    described = Rule(
        "reverse",
        primal,
        tuple(classes or ()),
        None,
        variadic=object if classes is None else None,
        checks_seed=True,
        differentiable=bool(
            constants_only
        ),  # an engine asks no rule of a function without derivative
        where=where,
    )
    return both_rules(described, reverse, forward)


def _require_constants(
    primal, reason: bool | str, where: str, args: Args, needs: tuple[bool, ...]
) -> None:
    """Raise for an argument that is differentiated, by a function that takes constants only."""
    if reason is True:
        reason = "there is no derivative by it yet"
    for place, (arg, need) in enumerate(zip(args, needs, strict=True)):
        if need and zero_tangent(arg) is not NO_TANGENT:
            raise NotDifferentiableError(
                f"{qualified_name(primal)} at {where}",
                f"argument {place} is differentiated, and {reason}",
                "pass a constant (stop_gradient(...) makes one), or register a rule",
                primal=primal,
                argument=place,
            )


def primitive(function: F) -> F:
    """Make a function one operation for engines: traced calls go to its rule, not into its body.

    Its rule may be registered for it or for the function it was made of, before or after. A traced
    class takes part by defining ``__chainrules_call__(self, primal, args, options)``, or by the
    `calls` of the library that its adapter registers: written once, the function is differentiable
    in NumPy, autograd, JAX and PyTorch code.

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
    def primitive_function(*args: Any, **options: Any):
        for part in (*args, *options.values()) if options else args:
            if type(part) not in PLAIN:
                y = answer(part, primitive_function, args, options)
                if y is not NotImplemented:
                    return y
        thread = get_ident()
        if thread in plain_threads:
            return function(*args, **options)
        try:  # `plainly` written out: 0.1 us less
            plain_threads.add(thread)
            return function(*args, **options)
        finally:
            plain_threads.discard(thread)

    primitive_function.__chainrules_primal__ = function  # type: ignore[attr-defined]
    return primitive_function  # type: ignore[return-value]


_primitive_of = MadeOnce(primitive)


def as_primitive(primal: Any) -> Any:
    """Return a plain function as a primitive, which has the same rules; anything else as it is.

    A rule that a maker wrote calls its function for the value. Under another derivative that call
    has to go to the rule again, and not into the body, which may take NumPy's arrays only.
    """
    if isinstance(primal, FunctionType) and made_of(primal) is None:
        return _primitive_of(primal)
    return primal


def traced_part(parts: Iterable[Any]) -> Any:
    """Find the first value, in containers too, whose class answers calls of primitives, or None."""
    for part in parts:
        if hasattr(type(part), "__chainrules_call__"):
            return part
        if is_container(part) and (found := traced_part(fields(part).values())) is not None:
            return found
    return None


def by_recording(primal) -> Function | None:
    """How a recording that is under way calls a primitive; None where there is none."""
    calling, function = making.calling, made_of(primal)
    if calling is None or function is None:
        return None
    run = calling(primal, partial(plainly, function))
    return lambda primal, args, options: run(*args, **options)


def answer(part, primal, args: Args, options: Options) -> Any:
    """Let a traced value, or one in a container, answer a call; NotImplemented if there is none."""
    intercept = getattr(type(part), "__chainrules_call__", None)
    if intercept is not None:
        return intercept(part, primal, args, options)
    library = library_of(type(part))
    if library is not None:
        calls = library.calls or by_recording(primal)
        if calls is None:
            return NotImplemented
        # beside an engine's own value, a library's array is a constant
        traced = traced_part((*args, *options.values()))
        if traced is not None:
            return traced.__chainrules_call__(primal, args, options)
        return calls(primal, args, options)
    if is_container(part):
        inner_parts = part if isinstance(part, tuple | list) else fields(part).values()
        for each in inner_parts:
            if type(each) in PLAIN:
                continue
            y = answer(each, primal, args, options)
            if y is not NotImplemented:
                return y
    return NotImplemented
