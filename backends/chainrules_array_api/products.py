"""Products of arrays, and linear algebra and Fourier transforms where a library has these
extensions of the standard.
"""

from typing import Any

import numpy as np

from chainrules_array_api.elementwise import FUNCTIONS as ENTRIES
from chainrules_array_api.errors import raise_not_standard
from chainrules_array_api.standard_array import (
    alike,
    array_of,
    namespace_of,
    on_standard,
    wrapped,
)
from chainrules_py.annotations import Function
from chainrules_py.engines import cond, lstsq, vecdot


def matmul(x1, x2) -> Any:
    """The product of matrices, of stacks of them, and of vectors."""
    xp = namespace_of((x1, x2))
    return np.matmul(x1, x2) if xp is np else wrapped(xp.matmul(*alike(xp, x1, x2)))


def tensordot(a, b, axes: Any = 2) -> Any:
    """The sum of products over some axes."""
    xp = namespace_of((a, b))
    if xp is np:
        return np.tensordot(a, b, axes)
    if not isinstance(axes, int):
        axes = tuple((part,) if isinstance(part, int) else tuple(part) for part in axes)
    return wrapped(xp.tensordot(*alike(xp, a, b), axes=axes))


def extension(group: str, name: str) -> Function:
    """A function of an extension of the standard: where a library does not have it, its absence is
    said by name.

    Options of NumPy's alone are left away where they have NumPy's default.
    """

    def compute_extension(*args, **options) -> Any:
        xp = namespace_of(args)
        found = getattr(getattr(xp, group, None), name, None)
        if found is None:
            got = f"{xp.__name__} does not have the extension {group}, or not this function of it"
            raise_not_standard(f"{group}.{name}", got, "call it on NumPy's arrays")
        arrays = [array_of(xp, x, inexact(x)) if hasattr(x, "shape") else x for x in args]
        y = found(
            *arrays,
            **{
                key: value
                for key, value in options.items()
                if NUMPYS_OWN.get(key, NUMPYS_OWN) != value
            },
        )
        return tuple(map(wrapped, y)) if isinstance(y, tuple) else wrapped(y)

    return on_standard(compute_extension, getattr(getattr(np, group), name))


NUMPYS_OWN = {"UPLO": "L", "hermitian": False, "upper": False, "norm": None}


def inexact(x) -> np.dtype[Any]:
    """The dtype in which NumPy computes with an array in linear algebra."""
    return x.dtype if x.dtype.kind in "fc" else np.dtype(np.float64)


def with_names_of_numpy(name: str) -> Function:
    """A decomposition whose parts NumPy gives in a tuple with names of its own."""
    compute = extension("linalg", name)
    parts: type[Any] = type(getattr(np.linalg, name)(np.eye(1)))

    def named(a, *args, **options):
        y = compute(a, *args, **options)
        return parts(*y) if isinstance(y, tuple) else y

    return named


def qr(a, mode: Any = "reduced") -> Any:
    """The orthogonal and the triangular factor; the standard does not know the latter alone."""
    return factors(a).R if mode == "r" else factors(a, mode=mode)


factors = with_names_of_numpy("qr")


def svd(a, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The singular values, with their vectors or alone."""
    return vectors(a, full_matrices=full_matrices) if compute_uv else LINALG["svdvals"](a)


vectors = with_names_of_numpy("svd")


def pinv(a, rcond: Any = None, hermitian: bool = False, *, rtol: Any = 1e-15) -> Any:
    """The pseudoinverse, with NumPy's tolerance where none is given."""
    return extension("linalg", "pinv")(a, rtol=rtol if rcond is None else rcond)


def norm(x, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of vectors along one axis, or of matrices along two; that of all entries."""
    axes = tuple(range(x.ndim)) if axis is None else np.atleast_1d(axis).tolist()
    if ord not in (None, 2) and len(axes) == 1:
        return extension("linalg", "vector_norm")(x, axis=axes[0], keepdims=keepdims, ord=ord)
    if ord is not None and len(axes) == 2:
        matrices: Any = x
        matrices = np.moveaxis(matrices, axes, (-2, -1))
        y = extension("linalg", "matrix_norm")(matrices, keepdims=keepdims, ord=ord)
        return np.moveaxis(y, (-2, -1), axes) if keepdims else y
    if len(axes) > 1 and ord is not None:
        raise ValueError(f"a norm with ord={ord!r} is one of vectors or matrices; pass their axes")
    x = wrapped(array_of(x.xp, x, inexact(x)))
    squares = ENTRIES["real"](x * ENTRIES["conj"](x))
    return ENTRIES["sqrt"](wrapped(x.xp.sum(squares.array, axis=axis, keepdims=keepdims)))


def of_arrays(program: Function) -> Function:
    """A program of functions that a library has, on arrays that are converted as in all of linear
    algebra.
    """

    def compute_of_arrays(*args, **options) -> Any:
        xp = namespace_of(args)
        arrays = [wrapped(array_of(xp, x, inexact(x))) if hasattr(x, "shape") else x for x in args]
        return program(*arrays, **options, xp=np)

    return on_standard(compute_of_arrays, getattr(np.linalg, program.__name__))


LINALG_NAMES: tuple[str, ...] = (
    "cholesky",
    "cross",
    "det",
    "inv",
    "matrix_power",
    "solve",
    "svdvals",
    "diagonal",
    "trace",
    "outer",
)
LINALG_NAMES += ("matrix_norm", "vector_norm", "matrix_rank", "matrix_transpose")
LINALG_NAMES += ("eigvals", "eigvalsh")
FFT_NAMES = (
    "fft",
    "ifft",
    "fftn",
    "ifftn",
    "rfft",
    "irfft",
    "rfftn",
    "irfftn",
    "hfft",
    "ihfft",
    "fftshift",
    "ifftshift",
)
LINALG: dict[str, Function] = {
    **{name: extension("linalg", name) for name in LINALG_NAMES},
    **{name: with_names_of_numpy(name) for name in ("eig", "eigh", "slogdet")},
    "norm": on_standard(norm, np.linalg.norm),
    **{f.__name__: f for f in (pinv, qr, svd, matmul, tensordot)},
    **{f.__name__: of_arrays(f) for f in (cond, lstsq, vecdot)},
}
FFT: dict[str, Function] = {name: extension("fft", name) for name in FFT_NAMES}
FFT |= {name: getattr(np.fft, name) for name in ("fftfreq", "rfftfreq")}


FUNCTIONS: dict[str, Function] = {f.__name__: f for f in (matmul, tensordot)}
