"""Functions that work entry by entry."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from chainrules_torch.arrays.promotion import NUMPY_DTYPES, averaged, inexact
from chainrules_torch.arrays.tensor_array import (
    WEAK,
    TensorArray,
    floating_tensor,
    operands,
    power as raised,
    tensor_of,
    tensors,
    together,
)

Function = Callable[..., Any]


def of_inexact(function: Function) -> Function:
    """A function of floating numbers; integers become some."""

    def compute(x) -> TensorArray:
        t = x.tensor if type(x) is TensorArray else tensor_of(x)
        return TensorArray(function(t if t.dtype.is_floating_point else t.to(inexact(t.dtype))))

    return compute


def of_averaged(function: Function) -> Function:
    """A function of floating numbers, which integers of any size become in 64 bits."""
    return lambda x: TensorArray(function(floating_tensor(x)))


def of_real_numbers(function: Function) -> Function:
    """A function that rounds floating numbers; integers are whole already."""

    def compute(x) -> TensorArray:
        t = tensor_of(x)
        return TensorArray(function(t) if t.is_floating_point() or t.is_complex() else t)

    return compute


def of_any(function: Function) -> Function:
    """A function of numbers of any type."""
    return lambda x: TensorArray(function(tensor_of(x)))


def of_two(function: Function) -> Function:
    """A function of two arrays of one type."""
    return lambda x1, x2: TensorArray(function(*tensors(x1, x2)))


def of_two_or_number(function: Function) -> Function:
    """A function of two arrays, either of which may be a number."""

    def compute(x1, x2) -> TensorArray:
        a, b = operands(x1, x2)
        return TensorArray(function(a, b))

    return compute


def of_two_inexact(function: Function) -> Function:
    """A function of two arrays of floating numbers."""

    def compute(x1, x2) -> TensorArray:
        a, b = tensors(x1, x2)
        return TensorArray(function(a.to(inexact(a.dtype)), b.to(inexact(b.dtype))))

    return compute


def divide(x1, x2) -> TensorArray:
    """The quotient; of integers of any size one of 64 bits."""
    a, b = tensors(x1, x2)
    return TensorArray(torch.true_divide(a.to(averaged(a.dtype)), b.to(averaged(b.dtype))))


def real(x) -> Any:
    """The real part."""
    return x.real


def imag(x) -> Any:
    """The imaginary part."""
    return x.imag


def angle(z, deg: bool = False) -> TensorArray:
    """The argument of complex numbers."""
    found = torch.angle(tensor_of(z).to(inexact(tensor_of(z).dtype)))
    return TensorArray(torch.rad2deg(found) if deg else found)


def sign(x) -> TensorArray:
    """The sign; of complex numbers, the number over its size."""
    t = tensor_of(x)
    y = torch.sgn(t)
    return TensorArray(torch.where(torch.isnan(t), t, y) if t.is_floating_point() else y)


def heaviside(x1, x2) -> TensorArray:
    """The unit step, `x2` at zero; PyTorch has no step at nan."""
    a, b = (x.to(inexact(x.dtype)) for x in tensors(x1, x2))
    return TensorArray(torch.where(torch.isnan(a), a, torch.heaviside(a, b)))


def where(condition, x, y) -> TensorArray:
    """Entries of `x` where the condition holds, of `y` elsewhere."""
    mask = tensor_of(condition)
    if type(x) in WEAK and type(y) in WEAK:
        return TensorArray(torch.where(mask.bool(), *map(tensor_of, np.broadcast_arrays(x, y))))
    return TensorArray(torch.where(*together(mask.bool(), *tensors(x, y))))


def clip(a, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """Entries brought between two bounds."""
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    found = a if low is None else TensorArray(torch.maximum(*tensors(a, low)))
    return found if high is None else TensorArray(torch.minimum(*tensors(found, high)))


def nan_to_num(
    x, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> TensorArray:
    """Finite numbers in the place of nan and infinities."""
    t = tensor_of(x)
    if t.is_complex():
        return TensorArray(
            torch.complex(
                *(torch.nan_to_num(part, nan, posinf, neginf) for part in (t.real, t.imag))
            )
        )
    return TensorArray(torch.nan_to_num(t, nan, posinf, neginf))


def round(a, decimals: int = 0) -> TensorArray:
    """Entries rounded to a number of decimals."""
    t = tensor_of(a)
    if t.is_complex():
        parts = [round(TensorArray(part), decimals).tensor for part in (t.real, t.imag)]
        return TensorArray(torch.complex(*parts))
    if decimals >= 0 and not t.is_floating_point():
        return TensorArray(t)
    if decimals == 0:
        return TensorArray(torch.round(t))
    scale = 10.0 ** abs(decimals)  # as NumPy does it; PyTorch's own differs in the last digit
    x = t.to(averaged(t.dtype))
    y = torch.round(x * scale) / scale if decimals > 0 else torch.round(x / scale) * scale
    return TensorArray(y.to(t.dtype))


def reciprocal(x) -> TensorArray:
    """One over each entry; of integers, rounded to zero."""
    t = tensor_of(x)
    if t.is_floating_point() or t.is_complex():
        return TensorArray(torch.reciprocal(t))
    return TensorArray(torch.div(torch.ones_like(t), t, rounding_mode="trunc"))


def floor_divide(x1, x2) -> TensorArray:
    """The quotient rounded down; PyTorch's function of that name has no forward mode."""
    return TensorArray(torch.div(*tensors(x1, x2), rounding_mode="floor"))


def float_power(x1, x2) -> TensorArray:
    """A power in 64 bits at least."""
    a, b = tensors(x1, x2)
    wide = torch.complex128 if a.is_complex() else torch.float64
    return TensorArray(raised(a.to(wide), b.to(wide)))


def cbrt(x) -> TensorArray:
    """The real cube root."""
    t = tensor_of(x)
    t = t.to(inexact(t.dtype))
    root = torch.sgn(t) * torch.abs(t) ** (1 / 3)
    safe = torch.where((root == 0) | ~torch.isfinite(root), 1, root)
    # a step of Newton's
    return TensorArray(torch.where(safe == root, root - (root - t / (safe * safe)) / 3, root))


def isreal(x) -> TensorArray:
    """Where the imaginary part is zero."""
    return TensorArray(torch.isreal(tensor_of(x)))


def iscomplexobj(x) -> bool:
    """Tell whether an array is complex."""
    return np.iscomplexobj(np.zeros(0, x.dtype)) if hasattr(x, "dtype") else isinstance(x, complex)


def isrealobj(x) -> bool:
    """Tell whether an array is real."""
    return not iscomplexobj(x)


def real_if_close(a, tol: float = 100) -> Any:
    """The real part, where all imaginary ones are nearly zero."""
    if not iscomplexobj(a):
        return a
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return a.real if bool((abs(a.imag) < limit).tensor.all()) else a


def ldexp(x1, x2) -> TensorArray:
    """``x1 * 2**x2``."""
    x = tensor_of(x1)
    x, n = x.to(inexact(x.dtype)), tensor_of(x2)
    half = n >> 1  # of a whole power that overflows, the product need not
    return TensorArray(x * torch.exp2(half.to(x.dtype)) * torch.exp2((n - half).to(x.dtype)))


def spacing(x) -> TensorArray:
    """The distance to the next number away from zero."""
    t = tensor_of(x)
    t = t.to(inexact(t.dtype))
    return TensorArray(
        torch.copysign(torch.nextafter(t.abs(), torch.full_like(t, torch.inf)) - t.abs(), t)
    )


def isclose(a, b, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> TensorArray:
    """Where two arrays are nearly equal."""
    x, y = torch.broadcast_tensors(*tensors(a, b))
    return TensorArray(torch.isclose(x, y, rtol, atol, equal_nan))


def astype(x, dtype, copy: bool = True, **_) -> TensorArray:
    """The array in another dtype; complex ones lose their imaginary parts where it is real."""
    t = tensor_of(x)
    if t.is_complex() and np.dtype(dtype).kind not in "cb":
        t = t.real
    return TensorArray(tensor_of(TensorArray(t), dtype))


def positive(x) -> Any:
    """The array itself."""
    return TensorArray(tensor_of(x))


def result_type(*values) -> np.dtype[Any]:
    """The dtype in which NumPy computes with these values."""
    return np.result_type(
        *(NUMPY_DTYPES[x.tensor.dtype] if isinstance(x, TensorArray) else x for x in values)
    )


def _named(
    wrap: Callable[[Function], Function], names: str, prefix: Any = torch
) -> dict[str, Function]:
    return {name: wrap(getattr(prefix, name)) for name in names.split()}


def _renamed(wrap: Callable[[Function], Function], **names: Function) -> dict[str, Function]:
    return {name: wrap(function) for name, function in names.items()}


FUNCTIONS: dict[str, Function] = {
    **_named(
        of_inexact,
        "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log"
        " log2 log10",
    ),
    **_named(of_inexact, "log1p sqrt deg2rad rad2deg"),
    **_named(of_averaged, "sinc i0"),
    **_named(of_real_numbers, "floor ceil trunc"),
    **_renamed(
        of_inexact, degrees=torch.rad2deg, radians=torch.deg2rad, rint=torch.round, fabs=torch.abs
    ),
    **_named(of_any, "negative square isnan isinf isfinite signbit logical_not isposinf isneginf"),
    **_renamed(
        of_any,
        absolute=torch.abs,
        abs=torch.abs,
        conj=torch.conj_physical,
        conjugate=torch.conj_physical,
    ),
    **_renamed(of_any, invert=torch.bitwise_not, bitwise_not=torch.bitwise_not, fix=torch.trunc),
    **_named(of_two_or_number, "add subtract multiply remainder"),
    **_renamed(of_two_or_number, mod=torch.remainder, power=raised, pow=raised),
    **_renamed(of_two_inexact, arctan2=torch.arctan2, atan2=torch.arctan2),
    **dict.fromkeys(("divide", "true_divide"), divide),
    **_named(of_two_inexact, "hypot logaddexp logaddexp2 copysign nextafter"),
    **_named(
        of_two,
        "maximum minimum fmax fmin fmod logical_and logical_or logical_xor bitwise_and bitwise_or"
        " bitwise_xor gcd lcm",
    ),
    **_renamed(
        of_two,
        equal=torch.eq,
        not_equal=torch.ne,
        less=torch.lt,
        less_equal=torch.le,
        greater=torch.gt,
    ),
    **_renamed(of_two, greater_equal=torch.ge),
    **{
        f.__name__: f
        for f in (
            real,
            imag,
            angle,
            sign,
            heaviside,
            where,
            clip,
            nan_to_num,
            round,
            reciprocal,
            floor_divide,
            float_power,
            cbrt,
            isreal,
            iscomplexobj,
        )
    },
    **{
        f.__name__: f
        for f in (isrealobj, real_if_close, ldexp, spacing, isclose, astype, positive, result_type)
    },
    "around": round,
}
