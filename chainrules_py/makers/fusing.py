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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from chainrules_py.makers.writing import Piece, Source, names_read
from chainrules_py.tangents import NO_TANGENT, AbstractTangent
from chainrules_py.values.arrays import ArrayLibrary


@dataclass(frozen=True)
class Fusion:
    """A function of several products, its operands by name, and the library's array classes."""

    function: Any
    operands: tuple[str, ...]
    native: tuple[type, ...]

    def write_tangent(self, source: Source, dots: Sequence[str]) -> None:
        """Write an early return with the output and its tangent."""
        native = " and ".join(f"type({dot}) in native" for dot in dots)
        # A real output of complex arguments has another tangent, which is not computed here.
        real = " and ".join(f"{dot}.dtype.kind != 'c'" for dot in dots)
        source.write(
            f"""
            if {native} and (out.dtype.kind == 'c' or {real}):
                dots = fused(({", ".join(self.operands)},), ((out.shape, out.dtype),))
                if dots is not None: return out, dots[0]
            """,
            native=self.native,
            fused=self.function,
        )

    def write_cotangents(
        self, source: Source, found: Sequence[str], spaces: Sequence[str], bars: Sequence[str]
    ) -> None:
        """Write an early return of `bars`, of which those in `found` are computed."""
        source.write(
            f"""
            if type(out_bar) in native:
                bars = fused({self._arguments(spaces)})
                if bars is not None:
                    ({", ".join(found)},) = bars
                    return ({", ".join(bars)},)
            """,
            native=self.native,
            fused=self.function,
            NO_TANGENT=NO_TANGENT,
        )

    def write_onto(
        self,
        source: Source,
        name: str,
        spaces: Sequence[str],
        needed: Sequence[int],
        write_unpacking: Callable[[Source], None],
    ) -> None:
        """Write the form of the pullback that adds what it computes to accumulators."""
        slots = ", ".join(f"slots[{i}]" for i in needed)
        with source.block(f"def {name}_onto(residuals, out_bar, slots, accumulators):"):
            write_unpacking(source)
            with source.block(f"{self._is_foreign()}:", native=self.native):
                source.write("return False")
            source.write(
                f"return fused.onto({self._arguments(spaces)}, ({slots},), accumulators)",
                fused=self.function,
            )
        source.write(f"{name}_pull.onto = {name}_onto")

    def write_later(
        self,
        source: Source,
        name: str,
        spaces: Sequence[str],
        write_unpacking: Callable[[Source], None],
    ) -> None:
        """Write the form of the pullback that postpones the product."""
        with source.block(f"def {name}_later(residuals, out_bar):"):
            write_unpacking(source)
            with source.block(f"{self._is_foreign()}:", native=self.native):
                source.write("return None")
            source.write(f"return fused.later({self._arguments(spaces)})", fused=self.function)
        source.write(f"{name}_pull.later = {name}_later")

    def _arguments(self, spaces: Sequence[str]) -> str:
        return f"({', '.join(self.operands)},), ({', '.join(spaces)},)"

    def _is_foreign(self) -> str:
        shape_differs, dtype_differs = "out_bar.shape != out_shape", "out_bar.dtype != out_dtype"
        return f"if type(out_bar) not in native or {shape_differs} or {dtype_differs}"


def fusion(
    library: ArrayLibrary, name: str, products: Sequence[Piece], seeds: Sequence[str]
) -> Fusion | None:
    """Make one function of all products, by the array library; None where it gains nothing by that.

    `seeds` are the cotangent or the tangents that the products multiply.
    """
    if library.fuse is None:
        return None
    texts = tuple(product.text for product in products)
    if {text.removeprefix("-") for text in texts} <= set(seeds):
        return None  # nothing is multiplied
    scope = {name: value for product in products for name, value in product.names.items()}
    if any(isinstance(value, AbstractTangent) for value in scope.values()):
        return None  # a derivative that nobody wrote

    read = names_read([f"return ({', '.join(texts)},)"])
    operands = tuple(dict.fromkeys(name for name in (*seeds, *read) if name not in scope))
    function = library.fuse(name, texts, operands, scope)
    return None if function is None else Fusion(function, operands, library.array_types)
