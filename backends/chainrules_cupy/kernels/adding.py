"""Products that are added to what has arrived before, in the kernel that computes them.

A value that is used n times has n cotangents. Computed and then added, each after the first is
written, read again, and the sum written; here the sum alone is written. Two products that go to one
value (``x * x``) are added before they are stored.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_cupy.kernels.ctypes import computing_type
from chainrules_cupy.kernels.shapes import Shape
from chainrules_cupy.kernels.writing import KernelProduct, KernelSource, Parameter
from chainrules_py.accumulation import Owned
from chainrules_py.tangents import ZERO

Group = tuple[int, ...]  # the numbers of the products that go to one accumulator
# per accumulator its products, and whether they are added to an array
SlotLayout = tuple[tuple[Group, ...], tuple[bool, ...]]
# which sums are begun, the arrays, and whether one of them is a buffer
Begun = tuple[tuple[bool, ...], list[Any], bool]


def groups_of(slots: tuple[int, ...]) -> dict[int, Group]:
    """Group the products of a kernel by the accumulator slots that they are added to."""
    found: dict[int, Group] = {}
    for k, slot in enumerate(slots):
        found[slot] = (*found[slot], k) if slot in found else (k,)
    return found


def begun(
    accumulators: Sequence[Any], dtypes: Sequence[np.dtype[Any]], like, shape: Shape
) -> Begun | None:
    """Return the arrays in the accumulators; None where one has another class, shape or dtype."""
    begins, arrays = [], []
    owns, cls = False, type(like)
    # per operation on a device: each line counts
    for acc, dtype in zip(accumulators, dtypes, strict=True):
        begins.append(acc is not ZERO)
        if acc is not ZERO:
            array = acc
            if type(acc) is Owned:
                array, owns = acc.buffer, True
            if type(array) is not cls or array.dtype is not dtype or array.shape != shape:
                return None
            arrays.append(array)
    return tuple(begins), arrays, owns


def outputs(
    accumulators: Sequence[Any], dtypes: Sequence[np.dtype[Any]], shape: Shape, xp
) -> list[Any]:
    """Return the arrays that the sums are stored in: existing buffers, else new ones."""
    pairs = zip(accumulators, dtypes, strict=True)
    return [acc.buffer if type(acc) is Owned else xp.empty(shape, dtype) for acc, dtype in pairs]


def adding(source: KernelSource, layout: SlotLayout) -> KernelSource:
    """Make the kernel that computes sums of products, with one more parameter for each sum that
    starts from an array.
    """
    groups, begins = layout
    chosen = [[source.products[k] for k in group] for group in groups]
    arrays = [
        Parameter(f"before_{n}", chosen[n][0].dtype) if is_there else None
        for n, is_there in enumerate(begins)
    ]
    parameters = (*source.parameters, *(array for array in arrays if array is not None))
    made = [
        _sum(source, parameters, products, array)
        for products, array in zip(chosen, arrays, strict=True)
    ]
    return KernelSource(f"{source.name}_onto", parameters, tuple(made))


def _sum(
    source: KernelSource,
    parameters: tuple[Parameter, ...],
    products: list[KernelProduct],
    array: Parameter | None,
) -> KernelProduct:
    """Write one sum as a device function; in half precision it is computed in single, and rounded
    once.
    """
    dtype, name = products[0].dtype, f"{products[0].name}_onto"
    ctype = computing_type(dtype)
    terms = [
        *([f"({ctype})({array.name})"] if array is not None else []),
        *map(source.call, products),
    ]
    head = f"__device__ inline {ctype} {name}({', '.join(p.passed for p in parameters)}) {{"
    return KernelProduct(
        name,
        dtype,
        "\n".join([*(p.definition for p in products), head, f"  return {' + '.join(terms)};", "}"]),
    )
