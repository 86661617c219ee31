"""NumPy's functions on special tangents: linear ones give zeros for zeros, all others refuse.

A function is known by the arguments in which it is linear, each with the others held fixed: one for
a reshape, two for a product (the tables are in `linear_functions`). A special tangent in one of
these places decides the result by the order in products (`arithmetic`), and nothing is computed. In
any other place, and in any other function, it raises: the rule that did it is wrong. Thunks are
forced first and the function runs on their values. The result is never an object array, because
NumPy never sees the tangent. Structural tangents have sums and scalings only, as ufuncs: they are
not arrays.

What NumPy does not dispatch (`np.asarray`, `np.array`, `np.ascontiguousarray`) asks `__array__`,
which raises as well.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Options
from chainrules_py.tangents import arithmetic
from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.arithmetic import NONLINEAR, bilinear_product, refuse_operation
from chainrules_py.tangents.linear_functions import (
    AFFINE_OPTIONS,
    ARITHMETIC,
    JOINING,
    LINEAR_UFUNCS,
    linear_functions,
)
from chainrules_py.tangents.not_implemented import NotImplementedTangent
from chainrules_py.tangents.structural import Tangent
from chainrules_py.tangents.thunk import Thunk, unthunk
from chainrules_py.tangents.zero import AbstractZero
from chainrules_py.values.signatures import signature_of

# --- NumPy's two protocols ------------------------------------------------------------------------


def array_ufunc(self: AbstractTangent, ufunc, method: str, *inputs, **options) -> Any:
    """``__array_ufunc__``: a ufunc, or one of its methods, with a tangent among its inputs."""
    inputs = tuple(map(unthunk, inputs))
    if not any(isinstance(x, AbstractTangent) for x in inputs):
        return getattr(ufunc, method)(*inputs, **options)
    if method != "__call__":
        refuse_operation(f"numpy.{ufunc.__name__}.{method}", inputs, NONLINEAR)
    return _call_ufunc(ufunc, inputs, **options)


def _call_ufunc(ufunc, inputs: tuple[Any, ...], **options) -> Any:
    if ufunc in _EQUALITY and not options:
        return _EQUALITY[ufunc](*inputs)
    if ufunc in ARITHMETIC:
        result = ARITHMETIC[ufunc](*inputs)
    else:
        result = _decide(
            f"numpy.{ufunc.__name__}", inputs, _at(LINEAR_UFUNCS.get(ufunc, ()), inputs)
        )
    return _deliver(f"numpy.{ufunc.__name__}", result, **options)


def array_function(self: AbstractTangent, function, types, args, options) -> Any:
    """``__array_function__``: a function of NumPy's is called with a tangent."""
    args = tuple(map(_force, args))
    options = {name: _force(value) for name, value in options.items()}
    if not any(map(_holds_tangent, (*args, *options.values()))):
        return function(*args, **options)
    handler = _handlers().get(function, _refuse_function)
    return handler(function, args, options)


def _force(x) -> Any:
    if type(x) in (tuple, list):
        return type(x)(map(unthunk, x)) if any(isinstance(item, Thunk) for item in x) else x
    return unthunk(x)


def _holds_tangent(x) -> bool:
    return isinstance(x, AbstractTangent) or (
        isinstance(x, tuple | list) and any(map(_holds_tangent, x))
    )


# --- the kinds of functions -----------------------------------------------------------------------


def _decide(where: str, values: tuple[Any, ...], linear: tuple[Any, ...]) -> Any:
    """Compute a function of `values` that is linear in each of `linear`; refuse others."""
    tangents = [x for x in linear if isinstance(x, AbstractTangent)]
    if not _are_special_and_all(tangents, values):
        refuse_operation(where, values, NONLINEAR)
    return functools.reduce(functools.partial(bilinear_product, operator.matmul), tangents)


def _are_special_and_all(tangents: list[Any], values: tuple[Any, ...]) -> bool:
    """Whether no tangent is a structural one, and `values` hold none besides these."""
    if any(isinstance(t, Tangent) for t in tangents):
        return False
    return len(tangents) == sum(map(_holds_tangent, values))


def _at(positions: tuple[int, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(values[position] for position in positions if position < len(values))


def _linear(function, args: Args, options: Options):
    where = _name(function)
    values = _by_name(function, args, options)
    out = values.pop("out", None)
    for name, harmless in AFFINE_OPTIONS.items():
        if name in values and not harmless(values[name]):
            refuse_operation(
                where,
                (*args, values[name]),
                f"with {name}= it is not linear; materialize(t, like=x) first",
            )
    names = _parameters(function)
    linear = tuple(values.get(names[place]) for place in linear_functions()[function])
    return _deliver(where, _decide(where, tuple(values.values()), linear), out)


@functools.cache
def _parameters(function) -> tuple[str, ...]:
    return tuple(signature_of(function).parameters)


def _by_name(function, args: Args, options: Options) -> dict[str, Any]:
    names = _parameters(function)
    # *arrays: only the first is named
    spread = (f"{names[-1]}[{place}]" for place in range(len(args) - len(names)))
    return {**dict(zip((*names, *spread), args, strict=False)), **options}


def _einsum(function, args: Args, options: Options):
    operands = args[1:] if isinstance(args[0], str) else args[: len(args) // 2 * 2 : 2]
    return _deliver("numpy.einsum", _decide("numpy.einsum", args, operands), options.get("out"))


def _multi_dot(function, args: Args, options: Options):
    return _deliver(
        "numpy.linalg.multi_dot",
        _decide("numpy.linalg.multi_dot", tuple(args[0]), tuple(args[0])),
        options.get("out"),
    )


def _where(function, args: Args, options: Options) -> Any:
    if (
        len(args) != 3
        or isinstance(args[0], AbstractTangent)
        or any(isinstance(x, Tangent) for x in args)
    ):
        refuse_operation("numpy.where", args, NONLINEAR)
    mask, a, b = args
    total = arithmetic.add(a, b)
    if isinstance(total, AbstractTangent):
        # of two special tangents, and for a derivative nobody wrote, the order in sums decides
        return total
    return function(
        mask, *(_zero_like(total) if isinstance(x, AbstractZero) else x for x in (a, b))
    )


def _zero_like(x) -> Any:
    # Zero-dimensional: broadcasts to any shape and leaves the dtype alone, Python's weak numbers
    # included.
    if issubclass(type(x), (int, float, complex, np.generic)):
        return type(x)(0)
    return np.zeros_like(x, shape=())


def _join(function, args: Args, options: Options):
    where, values = _name(function), _by_name(function, args, options)
    parts = tuple(values.pop(_parameters(function)[0]))
    tangents = [part for part in parts if isinstance(part, AbstractTangent)]
    if not _are_special_and_all(tangents, parts):
        refuse_operation(where, parts, NONLINEAR)
    total = functools.reduce(arithmetic.add, tangents)
    if isinstance(total, NotImplementedTangent) or len(tangents) == len(parts):
        return _deliver(where, total, values.get("out"))
    if function is not np.stack:
        refuse_operation(
            where,
            parts,
            "the shape of a zero is not known here; write materialize(t, like=x) for each part",
        )
    natural = next(part for part in parts if not isinstance(part, AbstractTangent))
    return np.stack(
        [np.zeros_like(natural) if isinstance(part, AbstractZero) else part for part in parts],
        **values,
    )


def _refuse_function(function, args: Args, options: Options):
    refuse_operation(_name(function), (*args, *options.values()), NONLINEAR)


def _name(function) -> str:
    return f"{function.__module__}.{function.__name__}"


@functools.cache
def _handlers() -> dict[Any, Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]]:
    return {
        **dict.fromkeys(linear_functions(), _linear),
        **dict.fromkeys(JOINING, _join),
        np.einsum: _einsum,
        np.linalg.multi_dot: _multi_dot,
        np.where: _where,
    }


# --- results --------------------------------------------------------------------------------------


def _deliver(label: str, result, /, out: Any = None, **options) -> Any:
    """The result, or `out` filled with it where the caller gave a buffer."""
    if options:
        refuse_operation(
            label,
            (result, *options.values()),
            f"tangents do not take {sorted(options)}; materialize(t, like=x) first",
        )
    target = out[0] if isinstance(out, tuple) else out
    if target is None:
        return result
    if isinstance(target, AbstractTangent) or (
        isinstance(result, AbstractTangent) and not isinstance(result, AbstractZero)
    ):
        refuse_operation(label, (result, target), "only arrays and zeros can be written into out=")
    if target is not result:
        np.copyto(target, 0 if isinstance(result, AbstractZero) else result)
    return target


def _equal(a, b) -> bool:
    t, other = (a, b) if isinstance(a, AbstractTangent) else (b, a)
    return t.__eq__(other) is True


_EQUALITY: dict[Any, Callable[[Any, Any], bool]] = {
    np.equal: _equal,
    np.not_equal: lambda a, b: not _equal(a, b),
}


# declared there for type checkers only
AbstractTangent.__array_ufunc__ = array_ufunc  # type: ignore[method-assign]
AbstractTangent.__array_function__ = array_function  # type: ignore[method-assign]
