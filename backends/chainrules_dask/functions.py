"""Functions that rules need on Dask's arrays and Dask lacks, or has with fewer options; all of them lazy.

What needs a whole axis at once (sorting) makes one chunk of that axis, as Dask's own median does.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Never

import dask.array as da
import numpy as np

from chainrules_dask.errors import raise_not_lazy, refused

Axis = int | tuple[int, ...] | None


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """The array in another type of numbers."""
    return x.astype(dtype, copy=copy)


def iscomplexobj(x: Any) -> bool:
    """Whether numbers of this type are complex."""
    return np.dtype(getattr(x, "dtype", type(x))).kind == "c"


def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """The array with numbers in the place of nan and the infinities."""
    return da.map_blocks(np.nan_to_num, x, nan=nan, posinf=posinf, neginf=neginf, dtype=x.dtype)


def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: Any = None) -> Any:
    """The array in another shape; flat in between, where Dask cannot cut its chunks otherwise."""
    if order not in ("C", "A"):
        raise_not_lazy("reshape", f"order={order!r}", "transpose first: order='C' is what chunks can be cut by")
    a, shape = da.asarray(a), (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if a.size == 0:
        return da.zeros(np.empty(a.shape, bool).reshape(shape).shape, a.dtype)
    try:
        return da.reshape(a, shape)
    except NotImplementedError:
        return da.reshape(da.ravel(a), shape)


def matrix_transpose(x: Any, /) -> Any:
    """The array with its last two axes swapped."""
    return da.swapaxes(x, -1, -2)


def triangle(name: str) -> Callable[..., Any]:
    """The matrices with zeros above or below a diagonal; Dask's own function fails on complex numbers."""

    def part(m: Any, k: int = 0) -> Any:
        lower = da.tri(*m.shape[-2:], k=k if name == "tril" else k - 1, dtype=bool, chunks=m.chunks[-2:])
        return da.where(lower if name == "tril" else ~lower, m, np.zeros((), m.dtype))

    return part


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """The diagonals of the matrices in the last two axes."""
    return da.diagonal(x, offset, -2, -1)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The products of vectors along an axis, of which the first are conjugated."""
    return da.sum(da.conj(x1) * x2, axis=axis)


def matvec(x1: Any, x2: Any, /) -> Any:
    """The products of matrices and vectors."""
    return da.matmul(x1, da.asarray(x2)[..., None])[..., 0]


def vecmat(x1: Any, x2: Any, /) -> Any:
    """The products of vectors, conjugated, and matrices."""
    return da.matmul(da.conj(da.asarray(x1))[..., None, :], x2)[..., 0, :]


def outer(x1: Any, x2: Any, /) -> Any:
    """The products of each entry with each."""
    return da.outer(x1, x2)


def inner(a: Any, b: Any, /) -> Any:
    """The sums of products over the last axes."""
    if not (np.ndim(a) and np.ndim(b)):
        return a * b
    return da.tensordot(a, b, axes=(-1, -1))


# --- Reductions ---


def reduction(name: str, identity: Any) -> Callable[..., Any]:
    """Dask's reduction by this name, with NumPy's options `where` and `initial`."""
    reduce, combine = getattr(da, name), COMBINED[name]

    def reduced(
        a: Any,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        a = da.asarray(a)
        if a.size == 0 and name in ("max", "min"):
            empty = getattr(np, name)(np.empty(a.shape, a.dtype), axis, None, keepdims, *() if initial is None else (initial,))
            return da.asarray(empty)
        if where is not True:
            a = da.where(where, a, np.asarray(identity, a.dtype))
        found = reduce(a, axis=axis, keepdims=keepdims, **({} if dtype is None else {"dtype": dtype}))
        return found if initial is None else combine(found, initial)

    return reduced


COMBINED = {"sum": da.add, "prod": da.multiply, "max": da.maximum, "min": da.minimum}
sum_, prod = reduction("sum", 0), reduction("prod", 1)
max_, min_ = reduction("max", -np.inf), reduction("min", np.inf)


def mean(a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """The mean, of the entries where a mask holds."""
    if where is True:
        return da.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    count = da.sum(da.broadcast_to(where, a.shape), axis=axis, keepdims=keepdims)
    return sum_(a, axis, dtype, keepdims=keepdims, where=where) / count


def ptp(a: Any, axis: Axis = None, out: None = None, keepdims: bool = False) -> Any:
    """The largest less the smallest."""
    return da.max(a, axis=axis, keepdims=keepdims) - da.min(a, axis=axis, keepdims=keepdims)


def vector_norm(x: Any, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """The norms of vectors along axes."""
    size = da.abs(x)
    if ord in (np.inf, -np.inf):
        return (da.max if ord > 0 else da.min)(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return da.sum(size != 0, axis=axis, keepdims=keepdims).astype(size.dtype)
    return da.sum(size**ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norms of the matrices in the last two axes."""
    linalg: Any = da.linalg
    return linalg.norm(x, ord=ord, axis=(-2, -1), keepdims=keepdims)


def along_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a ufunc that Dask has as this function: its axis is the first one where none is said."""

    def method(array: Any, axis: Any = 0, *args: Any, **options: Any) -> Any:
        return function(array, axis, *args, **options)

    return method


# --- Sorting ---


def along_whole_axis(name: str, a: Any, axis: int | None, dtype: Any = None, **options: Any) -> Any:
    """NumPy's function by this name, on chunks that have all of an axis."""
    a, axis = (da.ravel(a), 0) if axis is None else (a, axis % a.ndim)
    return da.map_blocks(getattr(np, name), a.rechunk({axis: -1}), dtype=dtype or a.dtype, axis=axis, **options)


def sort(a: Any, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Any:
    """The entries in order along an axis."""
    return along_whole_axis("sort", a, axis, kind=kind, stable=stable)


def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Any:
    """The positions of the entries in order along an axis."""
    return along_whole_axis("argsort", a, axis, dtype=np.intp, kind=kind, stable=stable)


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """The entries at positions along an axis; along the others, chunks of one position meet those of one entry."""
    arr, along = (da.ravel(arr), 0) if axis is None else (arr, axis % arr.ndim)
    indices = da.asarray(indices)
    lengths = np.broadcast_shapes(*(x.shape[:along] + x.shape[along + 1 :] for x in (arr, indices)))
    whole = [da.broadcast_to(x, shape_beside(along, x.shape[along], lengths)).rechunk({along: -1}) for x in (arr, indices)]
    names = tuple(range(arr.ndim))
    of_arr = tuple(-1 if n == along else n for n in names)
    take = partial(np.take_along_axis, axis=along)
    return da.blockwise(take, names, whole[0], of_arr, whole[1], names, concatenate=True, dtype=arr.dtype)


def shape_beside(axis: int, length: int, others: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with this length along an axis."""
    return (*others[:axis], length, *others[axis:])


# --- Answers that are not known ---


class Undecided(da.Array):  # type: ignore[misc]
    """An answer that waits to be computed: a rule must not ask for it, since it would compute all that stands behind it."""

    def __bool__(self) -> Never:  # noqa: PLE0304
        got, instead = "its answer was asked for", "ask before the derivative is taken, or write numpy.where"
        raise_not_lazy("any", got, instead)

    __int__ = __index__ = __bool__


def undecided(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Dask's whose answer may not be looked at."""

    def answer(*args: Any, **options: Any) -> Any:
        found: Any = function(*args, **options)
        make: Any = Undecided
        return make(found.dask, found.name, found.chunks, meta=found._meta)

    return answer


# --- What Dask understands otherwise ---


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    """The array with borders. Dask says nothing of `reflect_type`, and does not follow it, nor borders that go round twice."""
    widest = np.max(pad_width, initial=0)
    if mode in ("reflect", "symmetric", "wrap") and widest >= min(array.shape, default=0):
        raise_not_lazy("pad", f"mode={mode!r} and a border of {widest}", "pad in steps, none wider than the array")
    if options.get("reflect_type", "even") != "even":
        raise_not_lazy("pad", f"reflect_type={options['reflect_type']!r}", "pass reflect_type='even', or pad before")
    return da.pad(array, pad_width, mode, **options)


def unweighted(name: str) -> Callable[..., Any]:
    """Dask's quantile by this name; it says nothing of weights, and does not follow them."""

    def quantile(a: Any, q: Any, *args: Any, weights: None = None, **options: Any) -> Any:
        if weights is not None:
            raise_not_lazy(name, "weights", "leave them out: Dask's quantiles do not know them")
        return getattr(da, name)(a, q, *args, **options)

    return quantile


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **options: Any) -> Any:
    """An array of one value, which may be a Dask array."""
    if not isinstance(fill_value, da.Array):
        return da.full(shape, fill_value, dtype, **options)
    return da.broadcast_to(fill_value.astype(dtype or fill_value.dtype), shape)


def full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Any:
    """An array of one value, like another one in shape and dtype."""
    return full(a.shape if shape is None else shape, fill_value, dtype or a.dtype)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """The array without some of its slices; Dask's own takes a mask for positions."""
    arr, axis = (da.ravel(arr), 0) if axis is None else (da.asarray(arr), axis)
    return da.take(arr, np.delete(np.arange(arr.shape[axis]), obj), axis=axis)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours, with borders that may be Dask's arrays, too."""
    borders = [None if edge is None else border(edge, a, axis) for edge in (prepend, append)]
    parts = [part for part in (borders[0], a, borders[1]) if part is not None]
    return da.diff(da.concatenate(parts, axis=axis) if len(parts) > 1 else a, n, axis)


def border(edge: Any, a: Any, axis: int) -> Any:
    """What stands before or behind an array along an axis; a number is one more entry of each row."""
    edge = da.asarray(edge)
    return edge if edge.ndim else da.broadcast_to(edge, tuple(1 if n == axis % a.ndim else k for n, k in enumerate(a.shape)))


def choose(a: Any, choices: Any, out: None = None, mode: str = "raise") -> Any:
    """Of several arrays, the one that an integer names at each place."""
    if mode != "raise":
        raise_not_lazy("choose", f"mode={mode!r}", "bring the integers into their range before")
    return da.choose(a, choices)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """The solution of least squares; Dask knows no threshold for what counts as singular."""
    linalg: Any = da.linalg
    return linalg.lstsq(a, b)


def conjugate(x: Any) -> Any:
    """The complex conjugate."""
    return da.conj(x)


def itself(x: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
    """The array, of one axis at least: how memory is laid out is the chunks' own matter."""
    x = da.atleast_1d(x)
    return x if dtype is None else x.astype(dtype)


METHODS: dict[str, Callable[..., Any]] = {
    "add.reduce": along_first(sum_),
    "multiply.reduce": along_first(prod),
    "maximum.reduce": along_first(max_),
    "minimum.reduce": along_first(min_),
    "add.accumulate": along_first(da.cumsum),
    "multiply.accumulate": along_first(da.cumprod),
}
COUNTED = (
    *("nonzero", "flatnonzero", "argwhere", "extract", "union1d"),
    *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
)
QUANTILES = ("nanquantile", "nanpercentile", "quantile", "percentile")
NAMES: dict[str, Any] = {
    **{
        function.__name__: function
        for function in (
            *(astype, iscomplexobj, nan_to_num, reshape, matrix_transpose, vecdot, matvec, vecmat, inner, mean, ptp),
            *(sort, argsort, take_along_axis, pad, full, full_like, delete, diff, choose, conjugate),
        )
    },
    **dict(sum=sum_, prod=prod, max=max_, min=min_, amax=max_, amin=min_),
    **{name: triangle(name) for name in ("tril", "triu")},
    **dict.fromkeys(("ascontiguousarray", "asfortranarray", "require"), itself),
    **{name: unweighted(name) for name in QUANTILES},
    **{name: undecided(getattr(da, name)) for name in ("any", "all", "count_nonzero", "argmax", "argmin")},
    **{name: refused(name, "how many there are depends on the values") for name in COUNTED},
    "errstate": np.errstate,
}
LINALG: dict[str, Any] = {
    **{function.__name__: function for function in (vector_norm, matrix_norm, vecdot, matrix_transpose, diagonal, lstsq)},
    **dict(matmul=da.matmul, tensordot=da.tensordot, outer=outer),
}
