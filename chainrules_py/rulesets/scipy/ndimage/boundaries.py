"""The extensions of an image beyond its edges, as the filters of `scipy.ndimage` make them.

Each mode is a map of positions outside to entries inside. So a filter is an extension of its input
by such maps, and on that the same weights everywhere. The adjoint of the latter is the filter
itself, with mode "constant", read backwards along its axes; that of the extension folds the border
back to where it came from. All linear filters share this, of whatever weights, sizes and origins.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.scipy.linear_pairs import ADJOINTS, array_like
from chainrules_py.values.arrays import call

PADDING = {
    **dict.fromkeys(("reflect", "grid-mirror"), "symmetric"),
    **dict.fromkeys(("wrap", "grid-wrap"), "wrap"),
    **dict.fromkeys(("constant", "grid-constant"), "constant"),
    "nearest": "edge",
    "mirror": "reflect",
}  # in the words of numpy.pad


def folded(
    wide, shape: Sequence[int], pad_width: Sequence[tuple[int, int]], mode: str | Sequence[str]
) -> Any:
    """The adjoint of `numpy.pad` with a mode, or one for each axis.

    The border is added to the entries it is a copy of.
    """
    modes = [mode] * len(shape) if isinstance(mode, str) else mode
    for axis, (n, (before, after), mode) in enumerate(zip(shape, pad_width, modes, strict=True)):
        lines = np.moveaxis(wide, axis, 0)
        result = lines[before : before + n].copy()
        if mode != "constant" and n:
            source = np.pad(np.arange(n), (before, after), mode)  # type: ignore[call-overload]
            for border in (slice(0, before), slice(before + n, None)):
                result += scatter_add(
                    lines[border], array_like(source[border], lines), result.shape, result.dtype
                )
        wide = np.moveaxis(result, 0, axis)
    return wide


ADJOINTS[np.pad] = folded


def filtered_axes(ndim: int, axes) -> tuple[int, ...]:
    """The axes that a filter runs over, counted from the front."""
    if axes is None:
        return tuple(range(ndim))
    given = (axes,) if np.ndim(axes) == 0 else axes
    return tuple(axis % ndim for axis in given)


def ascending(function, ndim: int, axes, *per_axis) -> tuple[int, ...]:
    """The axes that a filter runs over, in their order.

    What is given per axis belongs to the axes as they are listed in some of SciPy's functions and
    versions, and to the axes in their order in others: axes in another order are refused.
    """
    along = filtered_axes(ndim, axes)
    in_order = tuple(sorted(along))
    if along != in_order and any(not isinstance(v, str) and np.ndim(v) for v in per_axis):
        raise OptionError(
            f"the rule of scipy.ndimage.{function.__name__}",
            f"got axes={axes!r} and a value for each; SciPy's versions pair them in different orders",
            f"pass axes={in_order}, and the values in this order",
            primal=function,
            option="axes",
            value=axes,
        )
    return in_order


def per_axis(value, ndim: int, axes: tuple[int, ...], other) -> list[Any]:
    """Turn a value for all filtered axes, or one for each, into a list over all axes.

    Axes that are not filtered have the value `other`.
    """
    values = [value] * len(axes) if isinstance(value, str) or np.ndim(value) == 0 else list(value)
    found = dict(zip(axes, values, strict=True))
    return [found.get(axis, other) for axis in range(ndim)]


def widths_seen(sizes: list[int], origin, backwards: bool = False) -> list[tuple[int, int]]:
    """How many entries a filter reads before and after each entry."""
    origins = [origin] * len(sizes) if np.ndim(origin) == 0 else origin
    widths = []
    for size, at in zip(sizes, origins, strict=True):
        before = (size - 1) // 2 - at if backwards else size // 2 + at
        before = 0 if size == 1 else before
        widths.append((before, size - 1 - before))
    return widths


def filter_adjoint(function: Function, reach: Function, axis: int | None = None) -> Function:
    """The adjoint of a linear filter, which runs over all axes or over `axes`, or over `axis` where
    that has a default.

    `reach` says how far it sees along each axis, or along all: too far does no harm.
    """

    def adjoint(y_bar, shape: tuple[int, ...], *args, mode: Any = "reflect", **options):
        ndim = len(shape)
        axes = filtered_axes(
            ndim, options.get("axes") if axis is None else options.get("axis", axis)
        )
        widths = [(r, r) for r in per_axis(reach(*args, **options), ndim, axes, 0)]
        wide = np.conj(np.flip(np.pad(y_bar, widths), axes))
        wide = np.conj(np.flip(call(function, wide, *args, mode="constant", **options), axes))
        return folded(
            wide, shape, widths, [PADDING[each] for each in per_axis(mode, ndim, axes, "constant")]
        )

    return adjoint
