"""Write the lines that both modes of a scalar rule have: the primal's call, partials and products.

`scalar_reverse` and `scalar_forward` write the rest. In the lines, `out` is the output (`out_0`,
`out_1`, ... are several), arguments have the names that the author of the rule gave them, and
`x_bar` and `x_dot` are a cotangent and a tangent.
"""

from typing import Any

import numpy as np

from chainrules_py.makers.definition import PartialFunction, Pattern, ScalarForm
from chainrules_py.makers.expressions import Expression, output_names
from chainrules_py.makers.products import (
    careful_product,
    careful_strong_product,
    quotient,
    selected_product,
    strong_product,
    with_dtype,
)
from chainrules_py.makers.writing import Piece, Source, stem
from chainrules_py.tangents import AbstractTangent, AbstractZero


class ScalarSource:
    """Writes lines of a scalar rule for one pattern of calls."""

    def __init__(self, form: ScalarForm, pattern: Pattern) -> None:
        self.form, self.pattern = form, pattern
        self.name = stem(form.primal)
        self.arguments = form.arguments
        self.parameters = ", ".join(form.arguments)
        self.outputs = output_names(len(form.partials))
        self.numbers = frozenset(
            name
            for name, kind in zip(form.arguments, pattern.kinds, strict=True)
            if kind != "array"
        )

    def origin(self, name: str) -> str:
        """Describe a function that is written, for tracebacks, which show it in place of a file."""
        kinds = ", ".join(self.pattern.kinds)
        needs = "".join("x" if need else "-" for need in self.pattern.needs)
        return f"<{name} of {self.form.where} for {kinds} {needs} {self.pattern.library.name}>"

    def write_call(self, source: Source) -> None:
        """Write the lines that compute the output and name its parts."""
        primal = self.pattern.library.implementation(self.form.primal)
        source.write(f"out = primal({self.parameters})", primal=primal)
        self.write_outputs(source)
        if not isinstance(self.form.primal, np.ufunc):  # others may return Python's numbers
            with source.block("try:"):
                source.write(", ".join(f"{out}.dtype" for out in self.outputs))
            with source.block("except AttributeError:"):
                source.write("out = with_dtype(out, primal)", with_dtype=with_dtype)
                self.write_outputs(source)

    def write_outputs(self, source: Source) -> None:
        """Write the line that names each of several outputs."""
        if len(self.outputs) > 1:
            source.write(f"{', '.join(self.outputs)} = out")

    def product(self, bar: str, k: int, i: int, conjugate: bool) -> Piece | None:
        """Write the product of a cotangent or tangent with a partial; None where that is zero."""
        form, partial = self.form, self.form.partials[k][i]
        if isinstance(partial, AbstractZero):
            return None
        if isinstance(partial, AbstractTangent):
            return self.partial(k, i)  # a derivative that nobody wrote
        if isinstance(partial, Expression) and partial.constant in (1, -1):
            return Piece(bar if partial.constant == 1 else f"-{bar}", {})

        text, names = self.partial(k, i)
        if form.selects:
            return Piece(f"selected({bar}, {text})", {**names, "selected": selected_product})

        divisor = partial.reciprocal if isinstance(partial, Expression) else None
        divides = divisor is not None and not (form.singular or self.pattern.careful)
        factor = f"({divisor})" if divides else text
        if conjugate:
            factor, names["conj"] = f"conj({factor})", self.pattern.library.namespace.conj

        if form.singular and self.pattern.careful:
            names["careful_strong"] = careful_strong_product
            return Piece(f"careful_strong({bar}, {factor})", names)
        if form.singular:
            return Piece(f"strong({bar}, {factor})", {**names, "strong": strong_product})
        if self.pattern.careful:
            names["careful_product"] = careful_product
            return Piece(f"careful_product({bar}, {factor}, {', '.join(read_by(partial))})", names)
        return Piece(f"{bar} / {factor}" if divides else f"{bar} * {factor}", names)

    def partial(self, k: int, i: int) -> Piece:
        """Write the partial derivative of output `k` in argument `i`."""
        partial, library = self.form.partials[k][i], self.pattern.library
        if isinstance(partial, Expression):
            names = {name: self._own(name, f) for name, f in partial.functions.items()}
            if not self.numbers:
                return Piece(f"({partial.source})", names)
            return Piece(f"({partial.dividing(self.numbers)})", {**names, "quotient": quotient})

        name = f"partial_{k}_{i}"
        if isinstance(partial, PartialFunction):
            given = [f"{read}={read}" if read == "xp" else read for read in partial.reads]
            names = {name: partial.function, "xp": library.namespace}
            return Piece(f"{name}({', '.join(given)})", names)
        return Piece(name, {name: partial})

    def _own(self, name: str, function: Any) -> Any:
        """Find the function that the array library has in the place of NumPy's."""
        found = getattr(self.pattern.library.namespace, name, None)
        return self.pattern.library.implementation(function) if found is None else found

    def is_tangent(self, k: int, i: int) -> bool:
        """Whether a partial is a zero or a derivative that nobody wrote."""
        return isinstance(self.form.partials[k][i], AbstractTangent)

    def may_be_infinite(self, i: int) -> bool:
        """Whether zero may meet infinity in a product with a partial in argument `i`.

        In rules that are singular, too: a partial of zero may meet an infinite cotangent.
        """
        partials = [row[i] for row in self.form.partials]
        return not self.form.selects and not all(map(is_constant, partials))


def is_constant(partial: Any) -> bool:
    """Whether a partial is a number, or a tangent such as `ZERO`."""
    if isinstance(partial, Expression):
        return partial.constant is not None
    return isinstance(partial, AbstractTangent)


def read_by(partial: Expression | PartialFunction) -> list[str]:
    """List the arguments and outputs that a partial is computed of."""
    if isinstance(partial, Expression):
        return sorted(partial.variables)
    return sorted({*partial.reads} - {"xp"})


def write_partials(form: ScalarForm, pattern: Pattern) -> Any:
    """Compile the function that returns the partials, one tuple per output, at given arguments."""
    writer, source = ScalarSource(form, pattern), Source()
    name = f"{writer.name}_partials"
    rows = []
    for k in range(len(form.partials)):
        partials = [writer.partial(k, i) for i in range(len(form.arguments))]
        rows.append(f"({', '.join(partial.text for partial in partials)},)")
        for partial in partials:
            source.scope.update(partial.names)
    with source.block(f"def {name}(out, {writer.parameters}):"):
        writer.write_outputs(source)
        source.write(f"return ({', '.join(rows)},)")
    return source.compile(name, writer.origin(name))
