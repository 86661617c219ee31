"""What tests of several array libraries ask of Dask: how arrays are made, what they are compared by,
and what Dask lacks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from late import Late
from stand_ins.device_runs import Device

NAME, MODULE = "Dask", "dask"
ADDED_TO_ZEROS = "chainrules_dask.entries:added_to_zeros"
dask, da = Late("dask"), Late("dask.array")
# The programs of the product that Dask has not, and refuses by name.
LACKING = (
    "entries by ranges|masks|piecewise|piecewise by functions|piecewise with a parameter"
    "|piecewise nowhere|sorting|convolution|fortran order|constant|ufunc methods|unique|matrices"
)
# Functions to which there are several answers, some of whose calls are refused, and all:
# einsum of lists orders its axes otherwise, cov has no dtypes, what is applied over axes is a
# reduction, and along one has the length that Dask guesses from a line of one entry
OPEN = "apply_over_axes average cov einsum histogram linalg.svd"
PARTLY = (
    "average histogram outer nansum nancumsum nanprod nancumprod nanmean nanmax nanmin var "
    "nanvar std nanstd quantile percentile nanquantile nanpercentile median nanmedian take "
    "choose select clip corrcoef cumsum cumprod histogram2d array asanyarray diag insert "
    "broadcast_to concatenate stack vstack hstack dstack pad roll repeat reshape ravel meshgrid fft.fftn "
    "fft.ifftn linalg.eig linalg.cholesky linalg.norm linalg.qr linalg.solve"
)
NEVER = (
    "apply_along_axis tril_indices_from triu_indices_from linalg.lstsq kron cross sort_complex partition "
    "extract trim_zeros unique unique_counts unique_inverse unique_all unique_values union1d "
    "intersect1d setxor1d setdiff1d convolve correlate bincount histogram_bin_edges "
    "histogramdd unwrap trapezoid interp logspace geomspace diagflat vander column_stack "
    "resize ix_ split array_split hsplit vsplit dsplit real_if_close heaviside array_equal "
    "array_equiv isrealobj size common_type min_scalar_type shares_memory may_share_memory "
    "argpartition lexsort nonzero flatnonzero argwhere diag_indices_from einsum_path "
    "array2string array_repr array_str polyadd polysub polymul polydiv polyder polyint "
    "polyval roots poly polyfit linalg.tensorinv linalg.eigvals "
    "linalg.matrix_power linalg.multi_dot linalg.tensorsolve piecewise"
)


def make(x):
    return pytest.importorskip("dask.array").from_array(x, chunks=2)


def in_chunks(x):
    """Dask's array in two uneven chunks along each axis."""
    return da.from_array(x, chunks=tuple(max(1, (length + 1) // 2) for length in x.shape))


def own() -> tuple[Any, ...]:
    """The namespace, the arrays, and the error of what it lacks."""
    from chainrules_dask import DaskError, dask_library

    return dask_library.namespace, da.Array, DaskError


def device() -> Device:
    """Dask, where nothing may be computed."""

    def refuse(*args: Any, **options: Any) -> None:
        raise RuntimeError("a Dask array was computed")

    @contextmanager
    def lazily(*names: str) -> Iterator[None]:
        with dask.config.set(scheduler=refuse):
            yield

    def put(x: Any) -> Any:
        """In chunks; whole numbers stay, since they say where to read."""
        return in_chunks(x) if x.dtype.kind in "fc" else x

    return Device(da.Array, put, lambda x: x.compute(scheduler="synchronous"), lazily)
