"""Write the lines that both modes of a scalar rule have: the primal's call, partials and products.

`scalar_reverse` and `scalar_forward` write the rest. In the lines, `out` is the output (`out_0`,
`out_1`, ... are several), arguments have the names that the author of the rule gave them, and
`x_bar` and `x_dot` are a cotangent and a tangent.
"""

import functools

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.makers.definition import PartialFunction, Pattern, ScalarForm
from chainrules_py.makers.expressions import Expression, output_names
from chainrules_py.makers.products import (
    careful_product,
    in_double,
    quotient,
    selected_product,
    strong_product,
    with_dtype,
)
from chainrules_py.makers.writing import Source, stem
from chainrules_py.tangents import AbstractTangent, AbstractZero
from chainrules_py.values.signatures import takes_namespace


class ScalarSource(Source):
    """Writes lines of a scalar rule for one pattern of calls."""

    def __init__(self, form: ScalarForm, pattern: Pattern) -> None:
        super().__init__()
        self.form, self.pattern = form, pattern
        self.name = stem(form.primal)
        self.arguments = form.arguments
        self.parameters = ", ".join(form.arguments)
        self.outputs = output_names(len(form.partials))
        kinds = zip(form.arguments, pattern.kinds, strict=True)
        self.numbers = frozenset(name for name, kind in kinds if kind != "array")

    def compiled(self, name: str) -> Function:
        """Compile the lines, and return the function called `name`."""
        pattern = self.pattern
        kinds = ", ".join(pattern.kinds)
        needs = "".join("x" if need else "-" for need in pattern.needs)
        words = [kinds, needs, pattern.library.name]
        if pattern.conjugates:
            words.append("complex")
        if pattern.careful:
            words.append("careful")
        return self.compile(name, f"<{name} of {self.form.where} for {' '.join(words)}>")

    def write_call(self) -> None:
        """Write the lines that compute the output and name its parts."""
        primal = self.pattern.library.implementation(self.form.primal)
        self.write(f"out = primal({self.parameters})", primal=primal)
        self.write_outputs()
        if not isinstance(self.form.primal, np.ufunc):  # others may return Python's numbers
            with self.block("try:"):
                self.write(", ".join(f"{out}.dtype" for out in self.outputs))
            with self.block("except AttributeError:"):
                self.write("out = with_dtype(out, primal)", with_dtype=with_dtype)
                self.write_outputs()
        if getattr(np, self.name, None) is not self.form.primal:
            self.write_constants()

    def write_constants(self) -> None:
        """Write the lines by which constants of small integers are in double precision.

        The value is computed so, but of 200 in uint8, the logarithm has 3 digits, and 2 * 200 is 144.
        """
        for name, needed in zip(self.arguments, self.pattern.needs, strict=True):
            if not needed:
                self.write(f"{name} = in_double({name})", in_double=in_double)

    def write_outputs(self) -> None:
        """Write the line that names each of several outputs."""
        if len(self.outputs) > 1:
            self.write(f"{', '.join(self.outputs)} = out")

    def product(self, bar: str, k: int, i: int, conjugate: bool) -> str:
        """Write the product of a cotangent or tangent with a partial; empty where that is zero."""
        form, scope, partial = self.form, self.scope, self.form.partials[k][i]
        if isinstance(partial, AbstractZero):
            return ""
        if isinstance(partial, AbstractTangent):
            return self.partial(k, i)  # a derivative that nobody wrote
        if isinstance(partial, Expression) and partial.constant in (1, -1):
            return bar if partial.constant == 1 else f"-{bar}"
        if form.selects:
            scope["selected"] = selected_product
            return f"selected({bar}, {self.partial(k, i)})"
        if self.pattern.careful:
            scope["careful_product"] = careful_product
            # of a singular one, nan is what infinity is
            read = [] if form.singular else read_by(partial)
            return f"careful_product({', '.join([bar, self.factor(k, i, conjugate), *read])})"
        if form.singular:
            scope["strong"] = strong_product
            return f"strong({bar}, {self.factor(k, i, conjugate)})"
        if isinstance(partial, Expression) and partial.reciprocal is not None:
            self.partial(k, i)
            return f"{bar} / {self.conjugated(f'({partial.reciprocal})', conjugate)}"
        return f"{bar} * {self.factor(k, i, conjugate)}"

    def factor(self, k: int, i: int, conjugate: bool) -> str:
        """Write a partial, or its conjugate."""
        return self.conjugated(self.partial(k, i), conjugate)

    def conjugated(self, text: str, conjugate: bool) -> str:
        """Write the conjugate of a number where it counts."""
        if not conjugate:
            return text
        self.scope["conj"] = self.pattern.library.namespace.conj
        return f"conj({text})"

    def partial(self, k: int, i: int) -> str:
        """Write the partial derivative of output `k` in argument `i`."""
        partial, library = self.form.partials[k][i], self.pattern.library
        if isinstance(partial, Expression):
            for name, function in partial.functions.items():
                own = getattr(library.namespace, name, None)
                if takes_namespace(function):
                    own = functools.partial(function, xp=library.namespace)
                self.scope[name] = library.implementation(function) if own is None else own
            if not self.numbers:
                return f"({partial.source})"
            self.scope["quotient"] = quotient
            return f"({partial.dividing(self.numbers)})"

        name = f"partial_{k}_{i}"
        if isinstance(partial, PartialFunction):
            self.scope |= {name: partial.function, "xp": library.namespace}
            given = [f"{read}={read}" if read == "xp" else read for read in partial.reads]
            return f"{name}({', '.join(given)})"
        self.scope[name] = partial
        return name

    def is_tangent(self, k: int, i: int) -> bool:
        """Whether a partial is a zero or a derivative that nobody wrote."""
        return isinstance(self.form.partials[k][i], AbstractTangent)

    def may_be_infinite(self, i: int) -> bool:
        """Whether zero may meet infinity in a product with a partial in argument `i`.

        In rules that are singular, too: a partial of zero may meet an infinite cotangent.
        """
        partials = [row[i] for row in self.form.partials]
        return not self.form.selects and not all(map(is_constant, partials))


def is_constant(partial) -> bool:
    """Whether a partial is a number, or a tangent such as `ZERO`."""
    if isinstance(partial, Expression):
        return partial.constant is not None
    return isinstance(partial, AbstractTangent)


def read_by(partial: Expression | PartialFunction) -> list[str]:
    """List the arguments and outputs that a partial is computed of."""
    if isinstance(partial, Expression):
        return sorted(partial.variables)
    return sorted({*partial.reads} - {"xp"})


def write_partials(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the function that returns the partials, one tuple per output, at given arguments."""
    writer = ScalarSource(form, pattern)
    name = f"{writer.name}_partials"
    rows = []
    for k in range(len(form.partials)):
        partials = [writer.partial(k, i) for i in range(len(form.arguments))]
        rows.append(f"({', '.join(partials)},)")
    with writer.block(f"def {name}(out, {writer.parameters}):"):
        writer.write_outputs()
        writer.write(f"return ({', '.join(rows)},)")
    return writer.compiled(name)
