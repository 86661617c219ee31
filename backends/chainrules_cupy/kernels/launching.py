"""Make kernels of CuPy from kernel sources: elementwise ones, and ones that sum."""

from typing import Any

import cupy

from chainrules_cupy.kernels.ctypes import computing_type, stored
from chainrules_cupy.kernels.spelling import HELPERS
from chainrules_cupy.kernels.writing import KernelSource


def preamble(source: KernelSource) -> str:
    """Return the C++ functions that a kernel calls, which CuPy puts in front of it."""
    return "\n".join([HELPERS, *(product.definition for product in source.products)])


def elementwise(source: KernelSource) -> Any:
    """A kernel that stores each product in an array of its own, operands broadcast against each
    other.
    """
    assigned = [
        f"r{k} = {stored(p.dtype)}({source.call(p)})" for k, p in enumerate(source.products)
    ]
    return cupy.ElementwiseKernel(
        ", ".join(parameter.declared for parameter in source.parameters),
        ", ".join(f"{product.dtype.name} r{k}" for k, product in enumerate(source.products)),
        "; ".join(assigned),
        source.name,
        preamble=preamble(source),
        return_tuple=True,
    )


def summing(source: KernelSource) -> Any:
    """A kernel that computes its one product and sums it over axes, in the precision of the product
    (float16 in float).
    """
    (product,) = source.products
    return cupy.ReductionKernel(
        ", ".join(parameter.declared for parameter in source.parameters),
        f"{product.dtype.name} r",
        source.call(product),
        "a + b",
        f"r = {stored(product.dtype)}(a)",
        "0",
        f"{source.name}_sum",
        reduce_type=computing_type(product.dtype),
        preamble=preamble(source),
    )
