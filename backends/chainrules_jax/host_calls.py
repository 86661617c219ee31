"""The one primitive of JAX's that this package defines: a call of an operation, with rules for jit,
vmap, and both modes to any order.

JAX's own `pure_callback` has neither a forward nor a reverse rule, and its `linear_call`, which
has, cannot be batched. A call is an `Operation` on arrays; its derivatives are calls of other
operations. Outside compiled code NumPy computes it at once.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from chainrules_jax.derivatives import Mapped, Pull, Push, operation_along
from chainrules_jax.errors import NotLinearError
from chainrules_jax.operations import Operation, Value
from chainrules_jax.routes import derivative_of
from chainrules_jax.tangents import is_floating

call_p = Primitive("chainrules_call")
call_p.multiple_results = True


def call_on_host(operation: Operation, *arrays) -> list[Any]:
    """Return the outputs of an operation on JAX's arrays, traced or not."""
    found: list[Any] = call_p.bind(*map(jnp.asarray, arrays), operation=operation)
    return found


def traced_form(operation: Operation) -> Any:
    """Return the operation as a function that JAX traces; None where NumPy has to compute it."""
    if isinstance(operation, Mapped):
        return _traced_along(operation)
    if not isinstance(operation, Push | Pull) or not isinstance(operation.of, Value):
        return None
    derivative = derivative_of(operation.of, operation.active)
    function = derivative.push if isinstance(operation, Push) else derivative.pull
    n = operation.linear_from
    return None if function is None else lambda *arrays: function(arrays[:n], arrays[n:])


def _traced_along(mapped: Mapped) -> Any:
    function = traced_form(mapped.of)
    axes = tuple(0 if had else None for had in mapped.having)

    def along_axis(*arrays) -> list[Any]:
        ys = jax.vmap(lambda *xs: list(function(*xs)), in_axes=axes, axis_size=mapped.size)(*arrays)
        return [y if given else jnp.sum(y, 0) for y, given in zip(ys, mapped.giving, strict=True)]

    return function and along_axis


def _expanded(*arrays, operation: Operation) -> Any:
    traced = traced_form(operation)
    if traced is not None:
        return traced(*arrays)
    return jax.pure_callback(operation, list(operation.outs), *arrays, vmap_method="sequential")


def _evaluate_operation(*arrays, operation: Operation) -> list[Any]:
    traced = traced_form(operation)
    if traced is not None:
        return list(traced(*arrays))
    return [on_device_of(arrays, y) for y in operation.evaluate(*map(np.asarray, arrays))]


def on_device_of(arrays: Sequence[Any], y) -> Any:
    """Copy an array of NumPy's, which may be written later, to the device of the arguments.

    Arguments may also be numbers, and arrays of NumPy's: `jax.checkpoint` evaluates a program on
    what it was given.
    """
    found = [_device_of(x, np.shape(y)) for x in arrays if isinstance(x, jax.Array)]
    device = next((device for device in found if device is not None), None)
    return jnp.array(y, copy=True, device=device)


def _device_of(x, shape: tuple[int, ...]) -> Any:
    """Return the device of an array; for one on several devices its layout if that fits arrays of
    this shape, otherwise None.
    """
    return x.device if len(x.devices()) == 1 or x.shape == shape else None


def _shaped(*_, operation: Operation) -> list[Any]:
    return [ShapedArray(spec.shape, spec.dtype) for spec in operation.outs]


def _push_operation(
    primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation
) -> tuple[Any, Any]:
    active = tuple(not _is_zero(t) for t in tangents)
    primals = list(map(jnp.asarray, primals))  # what is evaluated may hold numbers of Python's
    ys = call_on_host(operation, *primals)
    n = operation.linear_from
    if any(active[:n]):
        dots = _pushed_nonlinearly(primals, tangents, active, operation)
    else:
        dots = call_on_host(operation, *primals[:n], *map(_dense, primals[n:], tangents[n:]))
    found = iter(dots)

    def tangent_of(y):
        return next(found) if is_floating(y) else ad.Zero(ShapedArray(y.shape, jax.dtypes.float0))

    return ys, list(map(tangent_of, ys))


def _pushed_nonlinearly(
    primals, tangents, active: tuple[bool, ...], operation: Operation
) -> list[Any]:
    dots = [t for t, chosen in zip(tangents, active, strict=True) if chosen]
    traced = traced_form(operation)
    if traced is None:
        return call_on_host(operation_along(operation, active), *primals, *dots)
    dense = tuple(map(_dense, primals, tangents))
    return list(jax.jvp(lambda *xs: list(traced(*xs)), tuple(primals), dense)[1])


def _transposed(cts: Sequence[Any], *args, operation: Operation) -> list[Any]:
    n = operation.linear_from
    if any(map(ad.is_undefined_primal, args[:n])):
        got = "JAX asks for the transpose with respect to arguments in which it is not linear"
        raise NotLinearError(
            f"{operation}", got, "differentiate it by jax.grad or jax.vjp instead", primal=operation
        )
    dense = [ad.instantiate_zeros(ct) for ct in cts]
    bars = call_on_host(operation.transposed(), *args[:n], *dense)
    pairs = zip(bars, args[n:], strict=True)
    linear = [bar if ad.is_undefined_primal(x) else None for bar, x in pairs]
    return [*[None] * n, *linear]


def _batched(
    args: Sequence[Any], dims: Sequence[int | None], *, operation: Operation
) -> tuple[list[Any], list[int]]:
    args = list(map(jnp.asarray, args))
    size = next(x.shape[dim] for x, dim in zip(args, dims, strict=True) if dim is not None)
    pairs = zip(args, dims, strict=True)
    front = [x if dim is None else jnp.moveaxis(x, dim, 0) for x, dim in pairs]
    if operation.broadcasts and traced_form(operation) is None:
        return _broadcast(front, dims, operation, size), [0] * len(operation.outs)
    having = tuple(dim is not None for dim in dims)
    ys = call_on_host(Mapped(operation, size, having, (True,) * len(operation.outs)), *front)
    return ys, [0] * len(ys)


def _broadcast(
    args: Sequence[Any], dims: Sequence[int | None], operation: Operation, size: int
) -> list[Any]:
    """Call the operation once, on arrays with one more axis, in place of a loop."""
    wide = operation.over(size, operation.rank)
    pairs = zip(args, dims, strict=True)
    full = [jnp.broadcast_to(x, (size, *x.shape)) if dim is None else x for x, dim in pairs]
    given = [jnp.reshape(x, spec.shape) for x, spec in zip(full, wide.ins, strict=True)]
    found = zip(call_on_host(wide, *given), operation.outs, strict=True)
    return [jnp.reshape(y, (size, *spec.shape)) for y, spec in found]


def _is_zero(t) -> bool:
    return isinstance(t, ad.Zero) or t.dtype == jax.dtypes.float0


def _dense(x, t) -> Any:
    """Write out a tangent of `x`; that of an integer is float0."""
    if not _is_zero(t):
        return t
    return jnp.zeros(x.shape, x.dtype) if is_floating(x) else np.zeros(x.shape, jax.dtypes.float0)


call_p.def_impl(_evaluate_operation)
call_p.def_abstract_eval(_shaped)
ad.primitive_jvps[call_p] = _push_operation
ad.primitive_transposes[call_p] = _transposed
batching.primitive_batchers[call_p] = _batched
mlir.register_lowering(call_p, mlir.lower_fun(_expanded, multiple_results=True))
