"""Products that are added to what has arrived before, in the kernel that computes them.

A value that is used n times has n cotangents. Computed and then added, each after the first is written, read again, and the
sum written; here the sum alone is written. Two products that go to one value (``x * x``) are added before they are stored.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from chainrules_cupy.kernels.ctypes import computed
from chainrules_cupy.kernels.writing import KernelSource, Parameter, Product
from chainrules_py.accumulation import Owned
from chainrules_py.tangents import ZERO

Layout = tuple[tuple[tuple[int, ...], bool], ...]  # per sum the numbers of its products, and whether they are added to an array


class Sum(NamedTuple):
    """The products that go to one slot, its accumulator, and what that holds: an array, or ZERO."""

    slot: int
    products: tuple[int, ...]
    dtype: np.dtype[Any]
    acc: Any
    array: Any


def sums_of(slots: tuple[Any, ...], accumulators: list[Any], products: tuple[Product, ...], like: Any) -> list[Sum] | None:
    """The sums that one kernel can make, all as wide as the cotangent `like`; None where it cannot, or adds nothing."""
    of_slot: dict[int, tuple[int, ...]] = {}
    for k, slot in enumerate(slots):
        if type(slot) is not int:
            return None  # a container's
        of_slot[slot] = (*of_slot.get(slot, ()), k)
    sums = []
    for slot, numbers in of_slot.items():
        acc, dtype = accumulators[slot], products[numbers[0]].dtype
        array = acc.buffer if type(acc) is Owned else acc
        if acc is not ZERO and not (type(array) is type(like) and array.shape == like.shape and array.dtype == dtype):
            return None
        sums.append(Sum(slot, numbers, dtype, acc, array))
    adds = len(sums) < len(slots) or any(each.array is not ZERO for each in sums)
    return sums if adds else None


def layout_of(sums: Iterable[Sum]) -> Layout:
    """What the kernel depends on."""
    return tuple([(each.products, each.array is not ZERO) for each in sums])


def given(sums: list[Sum], like: Any, xp: Any) -> Iterable[Any]:
    """What the kernel is given beside its operands: what is there, and, if some of it is a buffer, where each sum is stored."""
    yield from [each.array for each in sums if each.array is not ZERO]
    if any(type(each.acc) is Owned for each in sums):
        yield from [each.array if type(each.acc) is Owned else xp.empty(like.shape, each.dtype) for each in sums]


def settle(sums: list[Sum], made: tuple[Any, ...], accumulators: list[Any]) -> None:
    """Put new sums in their slots; nobody else holds them."""
    for each, total in zip(sums, made, strict=True):
        if type(each.acc) is not Owned:
            accumulators[each.slot] = Owned(total)


def adding(source: KernelSource, layout: Layout) -> KernelSource:
    """The kernel that computes sums of products: a parameter more for each that is added to an array."""
    chosen = [[source.products[k] for k in numbers] for numbers, _ in layout]
    arrays = [Parameter(f"before_{n}", products[0].dtype) if layout[n][1] else None for n, products in enumerate(chosen)]
    parameters = (*source.parameters, *(array for array in arrays if array is not None))
    made = [_sum(source, parameters, products, array) for products, array in zip(chosen, arrays, strict=True)]
    return KernelSource(f"{source.name}_onto", parameters, tuple(made))


def _sum(source: KernelSource, parameters: tuple[Parameter, ...], products: list[Product], array: Parameter | None) -> Product:
    """One sum as a device function; in half precision it is made in single, and rounded once."""
    dtype, name = products[0].dtype, f"{products[0].name}_onto"
    ctype = computed(dtype)
    terms = [*([f"({ctype})({array.name})"] if array is not None else []), *map(source.call, products)]
    head = f"__device__ inline {ctype} {name}({', '.join(p.passed for p in parameters)}) {{"
    return Product(name, dtype, "\n".join([*(p.definition for p in products), head, f"  return {' + '.join(terms)};", "}"]))
