"""numpy.fft: every transform is linear, and its adjoint is a transform in the other direction.

    transform of n numbers, unscaled        adjoint
    fft      y_k = sum_t w^(kt) x_t         ifft, unscaled
    rfft     the first n//2 + 1 of these    irfft of y_bar with the paired frequencies halved
    irfft    its inverse, real              rfft of y_bar with the paired frequencies doubled

The unscaled inverse of a transform is the inverse with the opposite `norm`: "forward" for
"backward". A frequency is paired unless it is 0 or, for even n, n/2: its conjugate stands for the
negative frequency that rfft leaves out. Where frequencies are weighted anyway, the weights do the
scaling, too, which on a device saves a pass. `n` and `s` crop the input or append zeros to it; the
adjoint appends zeros or crops.
"""

from functools import partial
from math import prod
from operator import index, lt
from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    Integer,
    NotDifferentiableError,
    Scalar,
    Space,
    axes_rule,
    batched,
    composed,
    linear_rule,
)
from chainrules_py.annotations import Function
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes
from chainrules_py.values.arrays import library_of_types

OPPOSITE_NORM = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
# the power of n by which forward transforms scale
FORWARD_POWER = {None: 0.0, "backward": 0.0, "ortho": -0.5, "forward": -1.0}


def paired_weights(n: int, weight: float, axis: int, y, xp, scale: float) -> Any:
    """One number per frequency that rfft keeps, to broadcast against `y`.

    It is `scale`, times `weight` where it stands for two.
    """
    own = library_of_types((type(y),)).implementation(frequency_weights)
    weights = own(n, scale, scale * weight, xp.real(y).dtype, xp)
    after = y.ndim - 1 - axis % y.ndim
    return xp.reshape(weights, (-1, *[1] * after)) if after else weights


def frequency_weights(n: int, alone: float, paired: float, dtype, xp):
    """`alone` at frequency 0, and at the last one where n is even, `paired` between.

    A library may have its own implementation.
    """
    end, between = xp.full(1, alone, dtype=dtype), (n - 1) // 2
    return xp.concatenate([end, xp.full(between, paired, dtype=dtype), *[end] * (n // 2 - between)])


def resized(x, shape: tuple[int, ...], xp) -> Any:
    """Cropped or continued with zeros to a shape."""
    if x.shape == shape:
        return x
    if any(map(lt, shape, x.shape)):
        x = x[tuple(map(slice, shape))]
    missing = [(0, after - before) for before, after in zip(x.shape, shape, strict=True)]
    return xp.pad(x, missing) if x.shape != shape else x


def axes_of(ndim: int, s, axes, name: str) -> tuple[int, ...]:
    """The transformed axes; with `s` alone, the last ones.

    Raises for repeated axes where a pass changes the shape.
    """
    if axes is None:
        return tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))
    normal = tuple(axis % ndim for axis in axes)
    if len(set(normal)) < len(normal) and (s is not None or "rfft" in name):
        got = (
            f"the repeated axes {tuple(axes)}, where each pass resizes the result of the one before"
        )
        instead = "call the transform once for each pass"
        raise NotDifferentiableError(
            f"numpy.fft.{name}", got, instead, primal=getattr(np.fft, name), argument="axes"
        )
    return normal


def transformed(x, name: str, axes: tuple[int, ...], norm, xp, lengths: Any = None) -> Any:
    """A transform along one axis or several."""
    if len(axes) == 1:
        (n,) = lengths or (None,)
        return getattr(xp.fft, name)(x, n=n, axis=axes[0], norm=norm)
    return getattr(xp.fft, f"{name}n")(x, s=lengths, axes=axes, norm=norm)


def complex_adjoint(inverse: str, y_bar, a: Space, last: int | None, axes, norm, xp) -> Any:
    """The adjoint of fft or ifft; `inverse` is the name of the other one."""
    return transformed(y_bar, inverse, axes, OPPOSITE_NORM[norm], xp)


def real_adjoint(y_bar, a: Space, last: int | None, axes: tuple[int, ...], norm, xp) -> Any:
    """The adjoint of rfft, whose last axis is the halved one, of a length."""
    n = a.shape[axes[-1]] if last in (None, -1) else last
    lengths = (*(y_bar.shape[axis] for axis in axes[:-1]), n)
    scale = prod(lengths) ** FORWARD_POWER[norm]
    halved = y_bar * paired_weights(n, 0.5, axes[-1], y_bar, xp, scale)
    return transformed(halved, "irfft", axes, "forward", xp, lengths)


def inverse_real_adjoint(y_bar, a: Space, last: int | None, axes, norm, xp) -> Any:
    """The adjoint of irfft, whose last axis is the doubled one."""
    a_bar = transformed(y_bar, "rfft", axes, None, xp)
    lengths = [y_bar.shape[axis] for axis in axes]
    scale = prod(lengths) ** FORWARD_POWER[OPPOSITE_NORM[norm]]
    return a_bar * paired_weights(lengths[-1], 2.0, axes[-1], a_bar, xp, scale)


def listed(given) -> Any:
    """A number, which SciPy takes for one axis, as a tuple of it."""
    return (given,) if given is not None and np.ndim(given) == 0 else given


def along_one_axis(adjoint: Function) -> Function:
    """The adjoint of a transform of one axis."""

    def transform_adjoint(y_bar, a: Space, *, n: Any = None, axis: int = -1, norm: Any = None, xp):
        axes = (index(axis) % a.ndim,)
        return resized(adjoint(y_bar, a, n, axes, norm, xp), a.shape, xp)

    return transform_adjoint


def along_axes(name: str, all_axes, adjoint: Function) -> Function:
    """The adjoint of a transform of several axes, which are `all_axes` where none are given."""

    def transform_adjoint(
        y_bar, a: Space, *, s: Any = None, axes: Any = all_axes, norm: Any = None, xp
    ):
        s = listed(s)
        axes = axes_of(a.ndim, s, listed(axes), name)
        last = None if s is None else s[-1]
        return resized(adjoint(y_bar, a, last, axes, norm, xp), a.shape, xp)

    return transform_adjoint


def in_all_forms(name: str, adjoint: Function) -> dict[str, Function]:
    """The adjoints of a transform of one axis, of all axes, and of the last two."""
    return {
        name: along_one_axis(adjoint),
        f"{name}n": along_axes(f"{name}n", None, adjoint),
        f"{name}2": along_axes(f"{name}2", (-2, -1), adjoint),
    }


ADJOINTS = {
    **in_all_forms("fft", partial(complex_adjoint, "ifft")),
    **in_all_forms("ifft", partial(complex_adjoint, "fft")),
    **in_all_forms("rfft", real_adjoint),
    **in_all_forms("irfft", inverse_real_adjoint),
}
for _name, _adjoint in ADJOINTS.items():
    linear_rule(getattr(np.fft, _name), _adjoint)

# Transforms of Hermitian arrays


@composed(np.fft.hfft)
def hfft(a: Array, *, n: Any = None, axis: int = -1, norm: Any = None, xp) -> Any:
    """The inverse real transform of the conjugate, with the opposite norm."""
    return xp.fft.irfft(xp.conj(a), n=n, axis=axis, norm=opposite(norm))


@composed(np.fft.ihfft)
def ihfft(a: Array, *, n: Any = None, axis: int = -1, norm: Any = None, xp) -> Any:
    """The conjugate of the real transform, with the opposite norm."""
    return xp.conj(xp.fft.rfft(a, n=n, axis=axis, norm=opposite(norm)))


def opposite(norm) -> Any:
    """The norm of the transform in the other direction; what is none stays, to be refused."""
    return OPPOSITE_NORM.get(norm, norm)


# Shifts and frequencies


@linear_rule(np.fft.fftshift)
def fftshift_adjoint(y_bar, x: Space, *, axes: Any = None, xp):
    return xp.fft.ifftshift(y_bar, axes=axes)


@linear_rule(np.fft.ifftshift)
def ifftshift_adjoint(y_bar, x: Space, *, axes: Any = None, xp):
    return xp.fft.fftshift(y_bar, axes=axes)


def frequencies(function) -> None:
    """Give a body to frequencies, which are inversely proportional to the spacing of the samples."""

    @composed(function)
    def by_spacing(n: Integer, d: Array | Scalar | float = 1.0, *, xp) -> Any:
        return xp.asarray(function(n)) / d


frequencies(np.fft.fftfreq)
frequencies(np.fft.rfftfreq)

# Many examples at once

axes_rule(
    *(np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft),
    kind="mixes",
    default=-1,
)
axes_rule(
    *(np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2),
    kind="mixes",
    axes=("axes",),
    default=(-2, -1),
)
axes_rule(np.fft.fftshift, np.fft.ifftshift, kind="moves", axes=("axes",))


def all_axes_in_lanes(name: str) -> None:
    """Register the rule for batching of a transform along all axes, or the last ones by `s`."""

    @batched.register(getattr(np.fft, name), axes=Mixes(axes=("axes",)))
    def transform_batched(
        lanes: Lanes, a: Array, *, s: Any = None, axes: Any = None, norm: Any = None, xp
    ):
        rank = a.ndim - 1
        if axes is None:
            axes = range(-rank if s is None else -len(s), 0)
        transform = getattr(xp.fft, name)
        return transform(a, s=s, axes=from_the_end(tuple(axes), rank), norm=norm)


for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    all_axes_in_lanes(_name)
