"""Derivatives with autograd's arguments, results and conventions.

The conventions that differ from those of `chainrules_tape`: `argnum` is a position; a result with
one entry is a number, whatever its shape; integer arrays are differentiated as floats; gradients of
complex arguments are dL/dx - i dL/dy, and so cotangents are the conjugates of ours.
"""

import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.table.registry import default_rules
from chainrules_py.values.signatures import parameters_of, signature_of
from chainrules_py.values.structure import is_container
from chainrules_tape import gradients, matrices, transforms
from chainrules_tape.autograd.boxes import isbox
from chainrules_tape.autograd.spaces import vspace
from chainrules_tape.autograd.wrap_util import (
    named_by_autograd,
    require_argnum,
    restricted,
    unary_to_nary as unary_to_nary,
)
from chainrules_tape.core.trees import flatten


def grad(fun: Function, argnum: Any = 0) -> Function:
    """The function ``(*args) -> df/dx``, x being the argument at position `argnum`, or a tuple of them.

    >>> grad(lambda x, y: x * y, 1)(3.0, 5.0)
    3.0
    """
    require_argnum(argnum)

    def gradient(*args: Any, **options: Any) -> Any:
        return value_and_gradient(fun, argnum, args, options)[1]

    return named_by_autograd(gradient, "grad", fun, argnum)


def value_and_grad(fun: Function, argnum: Any = 0) -> Function:
    """The function ``(*args) -> (f, df/dx)``.

    >>> value_and_grad(lambda x: x * x)(np.array([3.0]))
    (array([9.]), array([6.]))
    """
    require_argnum(argnum)

    def value_and_gradient_of(*args: Any, **options: Any):
        return value_and_gradient(fun, argnum, args, options)

    return named_by_autograd(value_and_gradient_of, "value_and_grad", fun, argnum)


def value_and_gradient(fun: Function, argnum, args: Args, options: Options) -> tuple[Any, Any]:
    """The value of a function with one real entry, and its gradient."""
    shapes: list[tuple[int, ...]] = []

    def number(*given, **named_ones):
        y = fun(*given, **named_ones)
        return y if type(y) is np.float64 else as_number(y, shapes)

    number.__wrapped__ = fun  # type: ignore[attr-defined]
    y, bars = gradients.value_and_gradient(
        number, argnum, False, default_rules, *with_floats(args, argnum), **options
    )
    return np.reshape(y, shapes[0]) if shapes else y, conjugated(bars)


def as_number(y, shapes: list[tuple[int, ...]]) -> Any:
    """The one entry of a real result; its shape is noted if it has axes."""
    shape = np.shape(y)
    if shape and y.size == 1:
        shapes.append(shape)
        y = np.reshape(y, ())
    kind = np.result_type(y)
    if np.shape(y) or kind.kind == "c":
        raise TypeError(
            f"grad: the result has shape {shape} and dtype {kind}, and is no real"
            " number; take jacobian, elementwise_grad or holomorphic_grad"
        )
    if kind.kind in "biu":
        raise TypeError(
            f"grad: the result has dtype {kind}, and no derivative; return a float, such as"
            " the number that is compared or rounded"
        )
    return y if isbox(y) else float(y)


def with_floats(args: Args, argnum) -> tuple[Any, ...]:
    """The arguments, integer arrays among those that are differentiated being made floats."""
    if type(argnum) is int and type(args[argnum]) is np.ndarray and args[argnum].dtype.kind == "f":
        return args
    given = list(args)
    for position in [argnum] if isinstance(argnum, int) else argnum:
        given[position] = as_float(given[position])
    return tuple(given)


def as_float(x) -> Any:
    """An integer array as floats; any other value as it is."""
    is_integers = isinstance(x, np.ndarray) and not isbox(x) and x.dtype.kind in "iu"
    return x.astype(float) if is_integers else x


def conjugated(bars) -> Any:
    """Cotangents in the other convention for complex numbers; those of real ones as they are."""
    if type(bars) is float:
        return bars
    if type(bars) is np.ndarray:
        return np.conj(bars) if bars.dtype.kind == "c" else bars
    if type(bars) is tuple and all(map(is_real_array, bars)):
        return bars
    leaves, rebuilt = flatten(bars)
    if not any(map(np.iscomplexobj, leaves)):
        return bars
    return rebuilt([np.conj(leaf) if np.iscomplexobj(leaf) else leaf for leaf in leaves])


def is_real_array(x) -> bool:
    """Tell whether a value is a plain array of real numbers."""
    return type(x) is np.ndarray and x.dtype.kind == "f"


def make_vjp_of_one(fun: Function, x) -> tuple[Function, Any]:
    """Return the pullback of a function at a point, and its value."""
    y, pullback = transforms.vjp(fun, as_float(x))

    def vjp(y_bar) -> Any:
        return conjugated(pullback(conjugated(seed_like(y_bar, y)))[0])

    return vjp, y


def seed_like(y_bar, y) -> Any:
    """A cotangent with one entry in the shape of a result with one; others as they are."""
    if isinstance(y_bar, np.ndarray) and y_bar.size == 1 and not is_container(y):
        shape = np.shape(y)
        return y_bar if y_bar.shape == shape else np.reshape(y_bar, shape)
    return y_bar


def make_jvp_of_one(fun: Function, x) -> Function:
    """Return the function x_dot -> (f(x), y_dot)."""
    point = as_float(x)
    return lambda x_dot: transforms.jvp(fun, (point,), (x_dot,))


_make_vjp, _make_jvp = make_vjp_of_one, make_jvp_of_one


@unary_to_nary
def make_vjp(fun: Function, x: Any) -> tuple[Function, Any]:
    """``make_vjp(f, argnum)(*args)`` is (pullback, value).

    >>> pullback, value = make_vjp(np.sin)(0.0)
    >>> pullback(2.0), value
    (2.0, np.float64(0.0))
    """
    return make_vjp_of_one(fun, x)


@unary_to_nary
def make_jvp(fun: Function, x: Any) -> Function:
    """``make_jvp(f, argnum)(*args)(x_dot)`` is (value, y_dot).

    >>> make_jvp(lambda x: x * x)(3.0)(1.0)
    (9.0, 6.0)
    """
    return make_jvp_of_one(fun, x)


@unary_to_nary
def make_jvp_reversemode(fun: Function, x) -> Function:
    """``make_jvp_reversemode(f, argnum)(*args)(x_dot)`` is y_dot, the pullback's pullback."""
    pushforward = transforms.linearize(fun, as_float(x))[1]
    return lambda x_dot: pushforward(x_dot)


@unary_to_nary
def elementwise_grad(fun: Function, x: Any) -> Any:
    """``elementwise_grad(f, argnum)(*args)`` is the sum of the rows of the Jacobian: the
    derivatives of a function that acts on each entry.
    """
    vjp, y = make_vjp_of_one(fun, x)
    if np.iscomplexobj(y):
        raise TypeError("elementwise_grad: the result is complex; take holomorphic_grad")
    return vjp(np.ones_like(y))


@unary_to_nary
def deriv(fun: Function, x: Any) -> Any:
    """``deriv(f)(x)`` is the derivative along ones, in forward mode."""
    return make_jvp_of_one(fun, x)(vspace(x).ones())[1]


@unary_to_nary
def holomorphic_grad(fun: Function, x: Any) -> Any:
    """``holomorphic_grad(f)(z)`` is f'(z) of a holomorphic function."""
    return grad(lambda z: np.real(fun(z)))(x)


@unary_to_nary
def grad_and_aux(fun: Function, x: Any) -> Any:
    """``grad_and_aux(f)(x)`` is (df/dx, aux) of a function that returns (f, aux)."""
    found, aux = gradients.gradient(fun, 0, True, default_rules, x)
    return conjugated(found), aux


def grad_named(fun: Function, argname: str) -> Function:
    """The gradient by an argument that is named."""
    return grad(fun, parameters_of(fun).names.index(argname))


def multigrad_dict(fun: Function) -> Function:
    """The gradients by all arguments, in a dict by their names."""
    signature = signature_of(fun)

    def gradients_of(*args: Any, **options: Any):
        bound = signature.bind(*args, **options)
        bound.apply_defaults()

        def call_with_arguments(arguments: dict[str, Any]):
            return fun(*inspect.BoundArguments(signature, OrderedDict(arguments)).args)

        found = grad(call_with_arguments)(dict(bound.arguments))
        return OrderedDict((name, found[name]) for name in bound.arguments)

    return gradients_of


@unary_to_nary
def jacobian(fun: Function, x: Any) -> Any:
    """``jacobian(f, argnum)(*args)`` has the shape of the result, followed by that of the argument.

    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    point = as_float(x)
    return conjugated(in_either_mode(jacobian_of_value, fun, point))


@unary_to_nary
def hessian(fun: Function, x: Any) -> Any:
    """``hessian(f, argnum)(*args)`` is the Jacobian of the Jacobian.

    >>> hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    shapes: list[tuple[int, ...]] = []
    point = as_float(x)

    def number(given: Any):
        y = fun(given)
        if np.size(y) != 1:
            raise SeveralEntries
        return y if type(y) is np.float64 else as_number(y, shapes)

    number.__wrapped__ = fun  # type: ignore[attr-defined]
    try:
        rows = in_either_mode(jacobian_of_gradient, number, point)
    except SeveralEntries:
        return jacobian(jacobian(fun))(point)
    return np.reshape(rows, shapes[0] + np.shape(rows)) if shapes else rows


def jacobian_of_value(fun: Function, mode) -> Function:
    """The Jacobian of a function; that of a number is its gradient, to the bit."""
    return matrices.jacobian(fun, mode=mode) if mode else matrices.traced_jacobian(fun)


class SeveralEntries(Exception):
    """The function whose Hessian is asked for has more than one entry."""


def jacobian_of_gradient(fun: Function, mode) -> Function:
    """The Hessian of a real-valued function, columns or rows first."""
    return matrices.jacobian(gradients.grad(fun), mode=mode or "forward")


def in_either_mode(operator: Callable[..., Function], fun: Function, x) -> Any:
    """Apply an operator in the cheaper mode; in reverse where a rule of `defvjp` has no other."""
    try:
        return operator(fun, mode=None)(x)
    except NotImplementedError:
        return operator(fun, mode="reverse")(x)


@unary_to_nary
def make_hvp(fun: Function, x: Any) -> tuple[Function, Any]:
    """``make_hvp(f, argnum)(*args)`` is (v -> H v, gradient), of one trace.

    >>> product, gradient = make_hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    >>> product(np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    return make_vjp_of_one(grad(fun), x)


def checkpoint(fun: Function, **options: Any) -> Function:
    """The function, of which the tape keeps the arguments only; it runs again in the sweep."""
    from chainrules_tape.checkpointing import checkpoint as of_tape  # 4 ms that few programs need

    return of_tape(fun, **options)


def hessian_tensor_product(fun: Function, argnum: int = 0) -> Function:
    """The function ``(*args, v) -> H v``, v being shaped like the argument."""
    gradient = grad(fun, argnum)

    def along(*args: Any, **options: Any):
        *given, direction = args
        found = gradient(*given, **options)
        return np.tensordot(found, direction, np.ndim(direction))

    return grad(along, argnum)


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun: Function, argnum: int = 0) -> Function:
    """The function ``(*args, v) -> v J``."""

    def product(*args: Any, **options: Any):
        *given, left = args
        function, x = restricted(fun, argnum, tuple(given), options)
        vjp, y = make_vjp_of_one(function, x)
        if np.shape(left) == np.shape(y):
            return vjp(left)
        return np.tensordot(left, jacobian(function)(x), axes=np.ndim(left))

    return product


vector_jacobian_product = tensor_jacobian_product


def half_square(y) -> Any:
    """Half the squared length of vectors, whose Hessian is one."""
    return 0.5 * np.sum(y**2, axis=-1)


def make_ggnvp(f: Function, g: Function = half_square, f_argnum: int = 0) -> Function:
    """``make_ggnvp(f, g)(*args)`` is v -> J' H J v, J the Jacobian of f, H the Hessian of g at f.

    >>> make_ggnvp(lambda x: 3 * x)(np.ones(2))(np.array([1.0, 2.0]))
    array([ 9., 18.])
    """

    @unary_to_nary
    def make_product(function: Function, x: Any) -> Function:
        point = as_float(x)
        pullback, y = make_vjp_of_one(function, point)
        pushforward = transforms.linearize(function, point)[1]
        curve, _ = make_vjp_of_one(grad(g), y)
        return lambda v: pullback(curve(pushforward(v)))

    return make_product(f, f_argnum)
