"""Gradients of real-valued functions, by one trace of the function and one sweep back.

`traced_gradient` is the whole of it: the function is run on a tape (`trace`), its result gets
the cotangent one (`scalar_seeds`), the sweep takes that back to the arguments (`cotangents`), and
they are given out as plain arrays (`dense`). `grad(f)` is the call of that for f, as a function
that prints and pickles (`derivatives`).

An `entry_point` is what compilers of Python call as it is. `watch` has pullbacks see where zero
meets infinity. The engine is what is known of a table of rules; it is made once (`core.plans`).
"""

from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np
from numpy import float64, ndarray

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.engines.compilers import entry_point
from chainrules_py.projection import ProjectTo
from chainrules_py.strong_zeros.strictness import current_state, unwatch, watch
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import (
    ZERO,
    AbstractZero,
    Tangent,
    entries,
    materialize,
    not_implemented,
)
from chainrules_py.tangents.plain_containers import tangent_of_ones
from chainrules_py.values.arrays import call, is_number_class, library_of, stood_for
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, kind
from chainrules_tape.arguments import (
    Argument,
    Arguments,
    advice_for,
    chosen_arguments,
    is_several,
    require_active_arguments,
    require_argnums,
    restricted_to,
)
from chainrules_tape.core.config import engine_of, new_tape
from chainrules_tape.core.following import CACHED, again, see_questions_in, without_cache
from chainrules_tape.core.guests import gradient_changes
from chainrules_tape.core.saved_state import PLAIN
from chainrules_tape.core.tracebacks import hide_frames
from chainrules_tape.core.tracing import Leaves, cotangents, trace
from chainrules_tape.core.trees import only, unshared
from chainrules_tape.core.values import LIBRARY_ARRAYS, ONE, is_differentiable, resolved
from chainrules_tape.derivatives import Derivative, named_as_function
from chainrules_tape.refusals.errors import OutputError
from chainrules_tape.refusals.handles import HANDLES, is_of_subclass, plain
from chainrules_tape.refusals.subclasses import carrying, without_class

P = ParamSpec("P")  # a derivative takes the arguments of its function
R = TypeVar("R")
NUMBERS = frozenset({float, complex, float64})  # of which a tangent is what it is
ALONE = NUMBERS | {ndarray}
ONES = {float64: ONE, float: 1.0}  # the cotangent of a result, by its class


def grad(
    function: Callable[P, Any],
    argnums: Arguments = 0,
    *,
    has_aux: bool = False,
    rules: RuleTable = default_rules,
) -> Callable[P, Any]:
    """The function x -> df/dx of a real-valued f, shaped like x; with `has_aux`, x -> (df/dx, aux).

    `argnums` names arguments by position or by name. The result can be pickled where f can.

    >>> grad(lambda p: np.sum(p["w"] ** 2))({"w": np.array([1.0, 2.0])})
    {'w': array([2., 4.])}
    >>> grad(lambda p, q: p * q, argnums="q")(3.0, q=5.0)
    3.0
    >>> grad(np.linalg.norm)
    grad(numpy.linalg.norm)
    """
    if type(argnums) is not int:
        require_argnums("grad", function, argnums)
    return named_as_function(Derivative(gradient, function, argnums, has_aux, rules), function)


def value_and_grad(
    function: Callable[P, R],
    argnums: Arguments = 0,
    *,
    has_aux: bool = False,
    rules: RuleTable = default_rules,
) -> Callable[P, tuple[R, Any]]:
    """The function x -> (f(x), df/dx) of a real-valued f; with `has_aux`, x -> ((f(x), aux), df/dx)
    of an f with two results.

    `argnums` names arguments by position or by name. The result can be pickled where f can.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    if type(argnums) is not int:
        require_argnums("value_and_grad", function, argnums)
    return named_as_function(
        Derivative(value_and_gradient, function, argnums, has_aux, rules), function
    )


@entry_point
def value_and_gradient(
    function: Function,
    argnums: Arguments,
    has_aux: bool,
    rules: RuleTable,
    /,
    *args,
    **options,
) -> tuple[Any, Any]:
    """Compute `value_and_grad` of a function; a function of the module, so that it pickles."""
    try:
        outputs, bars = results_and_gradient(function, argnums, has_aux, rules, args, options)
    except Exception as error:
        hide_frames(error)
        raise
    return value_of(outputs), bars


@entry_point
def gradient(
    function: Function,
    argnums: Arguments,
    has_aux: bool,
    rules: RuleTable,
    /,
    *args,
    **options,
) -> Any:
    """Compute `grad` of a function."""
    try:
        outputs, bars = results_and_gradient(function, argnums, has_aux, rules, args, options)
    except Exception as error:
        hide_frames(error)
        raise
    return (bars, value_of(outputs)[1]) if has_aux else bars


def results_and_gradient(*call) -> tuple[Leaves, Any]:
    """Compute a `traced_gradient` that is watched, and once more where code was refused that can be
    seen through.
    """
    before = current_state()
    try:  # `watching` written out, 0.5 us less
        try:
            watch(before)
            return traced_gradient(*call)
        finally:
            unwatch(before)
    except BaseException as error:
        unwatch(before)  # where an interrupt came as it began
        attempt = again(error, results_and_gradient, call, {})
        if attempt is None:
            raise
    return attempt(*call)


def traced_gradient(
    function: Function,
    argnums: Arguments,
    has_aux: bool,
    rules: RuleTable,
    args: Args,
    options: Options,
) -> tuple[Leaves, Any]:
    """What a function returns, and the gradient of that or of the first part of it: a trace, seeds,
    and the cotangents that they give.
    """
    if type(function) is CACHED:
        function = without_cache(function)
    tape = new_tape(engine_of(rules))
    chosen: tuple[Argument, ...] = (0,)
    # nearly always
    if len(args) == 1 and not options and argnums == 0:
        if type(args[0]) not in PLAIN:
            see_questions_in(args)
        inputs, outputs, recording = trace(tape, function, args, options, keep=False)
    else:
        chosen, points = chosen_arguments(function, argnums, args, options)
        restricted = restricted_to(function, chosen, args, options)
        inputs, outputs, recording = trace(tape, restricted, points, {}, keep=False, of=function)
    if None in inputs.slots:
        require_active_arguments(function, inputs, chosen)

    seeds = scalar_seeds(function, outputs, has_aux)
    bars = cotangents(inputs, recording, seeds, outputs.slots)
    result = inputs.rebuilt(dense_cotangents(bars, inputs))
    for change in gradient_changes:  # none, but in the presence of units
        y: Any = outputs.rebuilt(outputs.values)
        result = change(result, y[0] if has_aux else y)
    return outputs, result[0] if type(argnums) is int or not is_several(argnums) else result


def value_of(outputs: Leaves) -> Any:
    """The value that a function has returned, for its caller; the leaves are emptied."""
    return outputs.rebuilt(unshared(outputs.values))


def scalar_seeds(function: Function, outputs: Leaves, has_aux: bool) -> list[Any]:
    """Return the cotangents that a sweep starts from: one for the result, which has to be a real
    number, and zero for all beside it.
    """
    y: Any = outputs.values[0] if outputs.values else None
    if has_aux:
        result, _ = require_pair("grad", function, outputs.rebuilt(outputs.values))
        is_alone = is_value(result)
    # nearly always, and the rest costs as much as an operation
    elif outputs.rebuilt is only and (type(y) in ONES or is_traced_float64(y)):
        return [ONES.get(type(y), ONE)]
    elif outputs.rebuilt is only and type(y) in LIBRARY_ARRAYS and y.shape == () and is_real(y):
        return [library_of(type(y)).namespace.ones_like(y)]  # type: ignore[union-attr]
    else:
        is_alone = is_value(outputs.rebuilt(outputs.values))
    is_real_number = np.shape(y) == () and is_differentiable(y) and not np.iscomplexobj(y)
    if not is_alone or not is_real_number:
        raise_not_a_real_number(function, y, is_alone)
    return [tangent_of_ones(y), *(ZERO for _ in outputs.values[1:])]


def require_pair(caller: str, function: Function, result) -> Any:
    """Return what a function returned with `has_aux`; raise where that is no pair (value, aux)."""
    if isinstance(result, tuple | list) and len(result) == 2:
        return result
    parts = f" of {len(result)}" if isinstance(result, tuple | list) else ""
    where = f"{caller}({qualified_name(function)}, has_aux=True)"
    got = f"the result is {dtype_and_shape(result)}{parts}, not a pair"
    instead = (
        "return (value, aux), where aux may be a tuple of all that is beside it, or leave has_aux"
        " out"
    )
    raise OutputError(where, got, instead, function=function, value=result)


def is_value(y) -> bool:
    """Whether a result is one array or number, perhaps with labels."""
    if kind(type(y)) == "declared":
        return len(fields(y)) == 1
    return not is_container(y)


def is_real(y) -> bool:
    """Whether an array's numbers are real, as its dtype says."""
    return getattr(y.dtype, "kind", None) == "f"


def is_traced_float64(y) -> bool:
    """Whether a value is a traced number of NumPy's, in double precision, at an outer level."""
    cls = type(y)
    return cls in HANDLES and cls.is_number and cls.beneath == "numpy" and y.dtype == float64


def raise_not_a_real_number(function: Function, y, is_alone: bool) -> NoReturn:
    """Raise: the result of a function has no gradient; `y` is its first leaf."""
    kind, one = "a container", ""
    if is_alone:
        kind = dtype_and_shape(y)
        if np.size(y) == 1 and np.ndim(y):
            one = "return its one entry, numpy.reshape(y, ()), or "
    got = f"the result is {kind}, not a real number"
    instead = (
        f"{one}take jacobian for all derivatives, vjp for a combination; pass has_aux=True if f"
        " returns (value, aux)"
    )
    raise OutputError(f"grad({qualified_name(function)})", got, instead, function=function, value=y)


def dtype_and_shape(y) -> str:
    """Describe a result that has no gradient."""
    return f"{y.dtype} of shape {y.shape}" if hasattr(y, "dtype") else type(y).__qualname__


def require_derivatives(function: Function, y_leaves: list[Any], where: str | None = None) -> None:
    """Raise where no part of a result has a derivative, as integers have none; `where` is who asks,
    if not `jacobian`.

    Beside parts that have one they are let pass.
    """
    if not y_leaves or any(map(is_differentiable, y_leaves)):
        return
    y = y_leaves[0]
    got = f"the result is {dtype_and_shape(y)}, which has no derivative"
    instead = (
        "return real or complex numbers, alone or beside it; y.astype(float) is a constant, with"
        " derivatives of zero"
    )
    where = where or f"jacobian({qualified_name(function)})"
    raise OutputError(where, got, instead, function=function, value=y)


def dense_cotangents(bars: list[Any], inputs: Leaves) -> list[Any]:
    """Return cotangents as callers get them: of objects that are no containers, and were not
    followed, none that passes for a zero.
    """
    found = dense(bars, inputs.values)
    if None not in inputs.slots:
        return found
    return [of_object(bar, x) for bar, x in zip(found, inputs.values, strict=True)]


def of_object(bar, x) -> Any:
    """Return the cotangent of a leaf, which is unknown where that is an object with numbers."""
    if kind(type(x)) is None or not has_numbers(bar):
        return bar
    return not_implemented(
        f"what a {type(x).__qualname__} holds is not differentiated; {advice_for(x)}"
    )


def has_numbers(t) -> bool:
    """Whether a tangent has parts other than zeros without a space."""
    if isinstance(t, Tangent):
        return any(map(has_numbers, entries(t).values()))
    return not isinstance(t, AbstractZero)


def dense(tangents: list[Any], values: list[Any]) -> list[Any]:
    """Return tangents as callers get them: zeros written out, NO_TANGENT where there is no tangent
    space, and arrays that nobody else holds. The first list is emptied.
    """
    found = [
        t if type(t) is type(x) in ALONE else written_out(t, x)
        for t, x in zip(tangents, values, strict=True)
    ]
    tangents.clear()
    return unshared(found)


def written_out(t, x) -> Any:
    """Return the tangent of `x` as callers get it: an array where `x` is one, also without axes,
    of which NumPy's arithmetic makes scalars.
    """
    cls = type(x)
    if type(t) is cls and (cls in NUMBERS or cls in LIBRARY_ARRAYS):
        return t
    if is_of_subclass(cls):
        t = resolved(materialize(t, like=x))
        return carrying(t, plain(x)) if np.shape(t) == np.shape(x) else without_class(t)
    if type(t) is ndarray:
        return t
    if cls is ndarray and type(t) in HANDLES:
        return without_class(t.resolved() if t.is_stored else t)
    t = without_class(resolved(materialize(t, like=x)))
    if cls is ndarray:
        return np.asarray(t) if issubclass(type(t), np.generic) else t
    return t if cls in NUMBERS or stood_for(x) is None else in_form_of(x, t)


def in_form_of(x, t) -> Any:
    """The tangent of a value that stands for an array or a number of NumPy's, as one of those."""
    if is_number_class(type(x)):
        return ProjectTo(x)(t)
    return call(np.asarray, t) if is_number_class(type(t)) else t
