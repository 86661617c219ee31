"""Functions by NumPy's names that Dask lacks, or has with fewer options; all of them lazy."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, Never

import dask.array as da
import numpy as np

from chainrules_dask import ordering, products, shapes
from chainrules_dask.errors import raise_not_lazy, refusing_function
from chainrules_py.engines import Axis, averaging, reduction


def astype(x, dtype, /, *, copy: bool = True, device: Any = None) -> Any:
    """Return the array in another type of numbers."""
    return x.astype(dtype, copy=copy)


def asarray(a, dtype: Any = None, order: Any = None, **options) -> Any:
    """Return a value as an array; the second argument is the dtype, as in NumPy."""
    y = da.asarray(a, **options)
    return y if dtype is None else y.astype(dtype)


def array(x, dtype: Any = None, *, copy: Any = True, order: Any = None, ndmin: int = 0) -> Any:
    """Return a value as an array with so many axes; in no order of memory, which chunks decide."""
    y = asarray(x, dtype)
    return y[(None,) * (ndmin - y.ndim)]


def made(name: str) -> Callable[..., Any]:
    """`zeros` and its like: the second argument is the dtype, as in NumPy; Dask's own ignores it."""
    make: Any = getattr(da, name)

    def make_in_chunks(shape, dtype: Any = None, order: str = "C", **options):
        return make(shape, dtype=float if dtype is None else dtype, **options)

    return make_in_chunks


def copy(a, order: str = "K", subok: bool = False) -> Any:
    """Return another array of the same numbers."""
    return a.copy()


def iscomplexobj(x) -> bool:
    """Tell whether numbers of this type are complex."""
    return np.dtype(getattr(x, "dtype", type(x))).kind == "c"


def nan_to_num(
    x, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Return the array with numbers in the place of nan and the infinities."""
    return da.map_blocks(np.nan_to_num, x, nan=nan, posinf=posinf, neginf=neginf, dtype=x.dtype)


# --- Answers that wait ---


class Undecided(da.Array):  # type: ignore[misc]
    """An answer that waits to be computed: a rule must not ask for it, since it would compute all
    that stands behind it.
    """

    def __bool__(self) -> Never:  # noqa: PLE0304
        got = "a program asked for its answer"
        instead = "ask before the derivative is taken, or write numpy.where"
        raise_not_lazy("any", got, instead)

    __int__ = __index__ = __bool__


def undecided(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Dask's whose answer may not be looked at."""

    def answer(*args, **options):
        found: Any = function(*args, **options)
        make: Any = Undecided
        return make(found.dask, found.name, found.chunks, meta=found._meta)

    return answer


# --- Fourier transforms: an axis that lies in several chunks, as of some cotangents, becomes one ---

OF_ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OF_SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


def in_whole_axes(name: str) -> Callable[..., Any]:
    """Dask's transform by this name, on chunks that have all of the axes."""
    parameters, lazy = signature(getattr(np.fft, name)), getattr(da.fft, name)

    def transform(*args, **options):
        given = parameters.bind(*args, **options)
        given.apply_defaults()
        a, length, axes, norm, *out = given.arguments.values()
        if any(each is not None for each in out):
            return refusing_function(f"fft.{name}(out=...)")()
        if axes is None:
            axes = range(-(a.ndim if length is None else len(length)), 0)
        whole = [axes] if name in OF_ONE_AXIS else axes
        if isinstance(length, tuple | list):  # -1 stands for all of an axis
            pairs = zip(length, axes, strict=True)
            length = [a.shape[axis] if n == -1 else n for n, axis in pairs]
        return lazy(a.rechunk({axis % a.ndim: -1 for axis in whole}), length, axes, norm=norm)

    return transform


FFT = {name: in_whole_axes(name) for name in (*OF_ONE_AXIS, *OF_SEVERAL)}

# --- Reductions by Dask's own, with NumPy's options ---


def of_dask(name: str, a, *, axis: Axis, dtype, keepdims: bool):
    """Dask's reduction by this name, of which some do not take `dtype=None`."""
    options = {} if dtype is None else {"dtype": dtype}
    return getattr(da, name)(a, axis=axis, keepdims=keepdims, **options)


def on_dask(name: str) -> Callable[..., Any]:
    """Dask's reduction by this name, with NumPy's options."""
    complete = reduction(name, partial(of_dask, name))
    return lambda a, *args, **options: complete(da.asarray(a), *args, **options)


def dispersion_with_ddof(name: str) -> Callable[..., Any]:
    """Dask's `std` or `var`, which does not know the standard's name for `ddof`."""
    complete: Any = getattr(da, name)

    def compute_dispersion(a, *args, correction: Any = None, **options) -> Any:
        given = {} if correction is None else {"ddof": correction}
        return complete(a, *args, **options, **given)

    return compute_dispersion


sum_, prod, max_, min_ = map(on_dask, ("sum", "prod", "max", "min"))
mean = averaging(sum_, partial(of_dask, "mean"))


BY_UFUNC = {"add": sum_, "multiply": prod, "maximum": max_, "minimum": min_}
REDUCTIONS: dict[str, Callable[..., Any]] = dict(
    sum=sum_, prod=prod, max=max_, min=min_, amax=max_, amin=min_, mean=mean
)


# --- All of them by name ---


def along_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make the method of a ufunc of Dask's function for it: the first axis is the default."""

    def method(array, axis: Any = 0, *args, **options):
        return function(array, axis, *args, **options)

    return method


METHODS: dict[str, Callable[..., Any]] = {
    **{f"{ufunc}.reduce": along_first(reduce) for ufunc, reduce in BY_UFUNC.items()},
    "add.accumulate": along_first(da.cumsum),
    "multiply.accumulate": along_first(da.cumprod),
}
COUNTED = (
    *("nonzero", "flatnonzero", "argwhere", "extract", "union1d"),
    *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
)
NAMES: dict[str, Any] = {
    **{
        f.__name__: f
        for f in (
            array,
            asarray,
            astype,
            copy,
            iscomplexobj,
            nan_to_num,
        )
    },
    **{name: made(name) for name in ("zeros", "ones", "empty")},
    **{name: dispersion_with_ddof(name) for name in ("std", "var")},
    **REDUCTIONS,
    **shapes.FUNCTIONS,
    **products.FUNCTIONS,
    **ordering.FUNCTIONS,
    **{
        name: undecided(getattr(da, name))
        for name in ("any", "all", "count_nonzero", "argmax", "argmin")
    },
    **{
        name: refusing_function(name, "how many there are depends on the values")
        for name in COUNTED
    },
    "conjugate": da.conj,
    "errstate": np.errstate,
}
LINALG: dict[str, Any] = {**products.LINALG, **shapes.LINALG}
