"""Products that an array library computes by one function, such as a kernel on a device.

A library says by `ArrayLibrary.fuse` that it can. It is asked

    fuse(name, sources, operands, scope) -> fused or None

for a function that evaluates the expressions `sources` of the variables `operands`; what else they
name is in `scope`. Where there is one, a scalar rule calls it first, if the cotangent (or each
tangent) is one of the library's own arrays:

    bars = fused((out_bar, x1, x2), ((x1_shape, x1_dtype), (x2_shape, x2_dtype)))

Each result is brought to its shape and dtype (of a Python number: shape () and its class). None
means: not for these types, go on as for everybody.

The pullback has two more forms as attributes. A tape that has a cotangent of the same value already
calls ``pull.onto(residuals, out_bar, slots, accumulators)``, which asks

    added = fused.onto((out_bar, x1, x2), spaces, slots, accumulators)

to add each result to the accumulator at its slot (`accumulation`), in the same go. False means:
nothing was done. A tape which knows that the next pullback may only sum the one result calls
``pull.later(residuals, out_bar)``, which asks for that as a `Product`, or None:

    product = fused.later((out_bar, x1, x2), spaces)
"""

from collections.abc import Sequence
from typing import Any

from chainrules_py.makers.writing import names_read
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.arrays import ArrayLibrary


def fused_operands(
    library: ArrayLibrary,
    name: str,
    products: Sequence[str],
    seeds: Sequence[str],
    scope: dict[str, Any],
) -> str:
    """Put one function of all products in scope, as `fused`, and write what it is called with.

    `seeds` are the cotangent or the tangents that the products multiply. The result is empty where
    the library has no such function, or gains nothing by it.
    """
    multiplied = {product.removeprefix("-") for product in products} - {*seeds}
    if library.fuse is None or not multiplied:
        return ""
    if any(isinstance(value, AbstractTangent) for value in scope.values()):
        return ""  # a derivative that nobody wrote

    read = names_read([f"return ({', '.join(products)},)"])
    operands = tuple(dict.fromkeys(name for name in (*seeds, *read) if name not in scope))
    function = library.fuse(name, tuple(products), operands, scope)
    scope |= {"fused": function, "native": library.array_types}
    return "" if function is None else ", ".join(operands)
