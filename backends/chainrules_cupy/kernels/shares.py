"""The cotangent of a maximum or minimum along the last axes, in one kernel.

Which entries are equal to the extreme, how many of them there are, and what each of them gets would
be five kernels. Here a warp of threads reads a row once, remembers in the bits of a word which
entries are equal, counts these, and adds the share of each; nothing else is written.
"""

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

WARP, WARPS = 32, 8
CTYPES = {"f": "float", "d": "double"}

# A row is read by one warp alone: long rows, of which there are few, leave a device idle.
LONG_ROW, MANY_ROWS = 4096, 1024

CODE = """
typedef %s T;

extern "C" __global__ void chainrules_add_shares(
    const T* a, const T* extreme, const T* values, T* buffer, long long rows, long long length
) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    const T* entries = a + row * length;
    const T top = extreme[row];

    int count = 0;
    unsigned long long equal = 0;
    long long step = 0;
    for (long long k = lane; k < length; k += 32, step++) {
        const bool is_equal = entries[k] == top;
        count += is_equal;
        if (step < 64) equal |= (unsigned long long)is_equal << step;
    }
    for (int apart = 16; apart; apart /= 2) count += __shfl_xor_sync(0xffffffff, count, apart);

    const T share = values[row] / (T)count;
    step = 0;
    for (long long k = lane; k < length; k += 32, step++) {
        const bool is_equal = step < 64 ? (equal >> step) & 1 : entries[k] == top;
        if (is_equal) buffer[row * length + k] += share;
    }
}
"""


def sharing(a, extreme, values, axes: tuple[int, ...], xp) -> Callable[[Any], None] | None:
    """Make the function that adds values to a buffer, at the entries of `a` that are equal to its
    extreme, in equal shares; None where there is no kernel for it.

    `extreme` and `values` have the reduced axes at length one.
    """
    kept = a.ndim - len(axes)
    if a.dtype.char not in CTYPES or not a.flags.c_contiguous:
        return None
    if sorted(axes) != list(range(kept, a.ndim)):
        return None
    rows, length = prod(a.shape[:kept]), prod(a.shape[kept:])
    if not rows or not length or (length > LONG_ROW and rows < MANY_ROWS):
        return None

    def add(buffer) -> None:
        given = (
            xp.ascontiguousarray(extreme, a.dtype),
            xp.ascontiguousarray(values, a.dtype),
        )
        kernel = kernel_of(xp, a.dtype.char)
        kernel((-(-rows // WARPS),), (WARP, WARPS), (a, *given, buffer, rows, length))

    return add


@lru_cache(maxsize=8)
def kernel_of(xp, char: str) -> Any:
    """The kernel for arrays of a dtype."""
    return xp.RawKernel(CODE % CTYPES[char], "chainrules_add_shares")
