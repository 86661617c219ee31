"""Write the forward rule of a scalar function: for each output a sum of products, in its dtype.

For `multiply` of two arrays, both with a tangent, this module writes

    def multiply_frule(dots, x1, x2):
        out = primal(x1, x2)
        strictness = latest_strictness[0]
        is_watched = error_state(None) is strictness.error_state
        if is_watched:
            outer = strictness.applies
            strictness.applies = True
        else:
            token = strict()
        try:
            try:
                (x1_dot, x2_dot,) = dots
                out_dot = x1_dot * (x2) + x2_dot * (x1)
                try:
                    regular = out_dot.shape == out.shape and out_dot.dtype is out.dtype
                except AttributeError:
                    regular = False
                if not regular:
                    if getattr(getattr(out_dot, ...)) == 'c' and out.dtype.kind != 'c':
                        out_dot = real(x1_dot * conj((x2))) + real(x2_dot * conj((x1)))
                    out_dot = spread(out_dot, out)
                return out, out_dot
            finally:
                if is_watched:
                    strictness.applies = outer
                else:
                    relax(token)
        except FloatingPointError:
            return careful(out, dots, x1, x2)

`careful` is the same with strong products, and is given the output (see `strictness`).
"""

from collections.abc import Callable, Sequence
from typing import Any

from chainrules_py.makers.definition import Pattern, ScalarForm
from chainrules_py.makers.expressions import Expression
from chainrules_py.makers.fusing import fusion
from chainrules_py.makers.patterns import written_later
from chainrules_py.makers.products import fit_tangent, strong_product
from chainrules_py.makers.scalar_source import ScalarSource
from chainrules_py.makers.writing import Piece, Source
from chainrules_py.strong_zeros.strictness import get_state, latest_strictness, relax, strict
from chainrules_py.tangents import ZERO, AbstractZero
from chainrules_py.tangents.structural import with_entries


def write_forward(form: ScalarForm, pattern: Pattern) -> Callable[..., Any]:
    """Compile the forward rule for one pattern; its `needs` say which tangents are not zero."""
    writer, source = ForwardSource(form, pattern), Source()
    name = f"{writer.name}_frule"
    with source.block(f"def {name}(dots, {writer.parameters}):"):
        writer.write_call(source)
        if any(map(writer.may_be_infinite, writer.active)):
            writer.write_strict_tangents(source)
        else:
            writer.write_tangents(source)
    return source.compile(name, writer.origin(name))


def write_careful_forward(form: ScalarForm, pattern: Pattern) -> Callable[..., Any]:
    """Compile the forward rule with strong products; the computed output is an argument of it."""
    writer, source = ForwardSource(form, pattern), Source()
    name = f"{writer.name}_careful_frule"
    with source.block(f"def {name}(out, dots, {writer.parameters}):"):
        writer.write_outputs(source)
        writer.write_tangents(source)
    return source.compile(name, writer.origin(name))


class ForwardSource(ScalarSource):
    """Writes the lines that compute the tangents of the outputs for one pattern of calls."""

    def __init__(self, form: ScalarForm, pattern: Pattern) -> None:
        super().__init__(form, pattern)
        self.active = [i for i, need in enumerate(pattern.needs) if need]

    def write_strict_tangents(self, source: Source) -> None:
        """Write the tangents so that zero times infinity raises, and the careful form answers."""
        careful = self.pattern._replace(careful=True)
        source.write("strictness = latest_strictness[0]", latest_strictness=latest_strictness)
        source.write(
            "is_watched = error_state(None) is strictness.error_state", error_state=get_state
        )
        with source.block("if is_watched:"):
            source.write("outer = strictness.applies")
            source.write("strictness.applies = True")
        with source.block("else:"):
            source.write("token = strict()", strict=strict)
        with source.block("try:"):
            with source.block("try:"):
                self.write_tangents(source)
            with source.block("finally:"):
                with source.block("if is_watched:"):
                    source.write("strictness.applies = outer")
                with source.block("else:"):
                    source.write("relax(token)", relax=relax)
        with source.block("except FloatingPointError:"):
            source.write(
                f"return careful(out, dots, {self.parameters})",
                careful=written_later(write_careful_forward, self.form, careful),
            )

    def write_tangents(self, source: Source) -> None:
        """Write the lines that compute the tangents, and return the outputs and those."""
        source.write(f"({', '.join(f'{name}_dot' for name in self.arguments)},) = dots")
        for k in range(len(self.outputs)):
            self._write_tangent(source, k)
        if len(self.outputs) == 1:
            source.write("return out, out_dot")
        else:
            dots = ", ".join(f"{out}_dot" for out in self.outputs)
            source.write(
                f"return out, with_entries(type(out), dict(enumerate(({dots}))))",
                with_entries=with_entries,
            )

    def _write_tangent(self, source: Source, k: int) -> None:
        """Write the lines that compute the tangent of output `k`."""
        out, terms = self.outputs[k], self._terms(k)
        if not terms:
            source.write(f"{out}_dot = ZERO", ZERO=ZERO)
            return

        sum_of_terms = joined(terms, "{}")
        dots = [f"{self.arguments[i]}_dot" for i in self.active]
        if len(self.outputs) == 1 and not self.pattern.careful:
            fused = fusion(self.pattern.library, self.name, [sum_of_terms], dots)
            if fused is not None:
                fused.write_tangent(source, dots)
        source.write(f"{out}_dot = {sum_of_terms.text}", **sum_of_terms.names)
        if any(self._is_not_implemented(k, i) for i in self.active):
            return  # nothing to bring into shape

        gradient = joined(self._terms(k, conjugate=True), "real({})")
        is_complex = f"getattr(getattr({out}_dot, 'dtype', None), 'kind', '') == 'c'"
        source.write(
            f"""
            try:
                regular = {out}_dot.shape == {out}.shape and {out}_dot.dtype is {out}.dtype
            except AttributeError:
                regular = False
            if not regular:
                if {is_complex} and {out}.dtype.kind != 'c':
                    {out}_dot = {gradient.text}
                {out}_dot = spread({out}_dot, {out})
            """,
            real=self.pattern.library.namespace.real,
            spread=fit_tangent,
            **gradient.names,
        )

    def _is_not_implemented(self, k: int, i: int) -> bool:
        return self.is_tangent(k, i) and not isinstance(self.form.partials[k][i], AbstractZero)

    def _terms(self, k: int, conjugate: bool = False) -> list[Piece]:
        """Write the products of tangents with partials of output `k`, but for zeros."""
        terms = [self._term(k, i, conjugate) for i in self.active]
        return [term for term in terms if term is not None]

    def _term(self, k: int, i: int, conjugate: bool) -> Piece | None:
        dot = f"{self.arguments[i]}_dot"
        product = self.product(dot, k, i, conjugate)
        if product is None or not self._multiplies_numbers(k, i):
            return product
        # Two Python numbers raise no flag where zero meets infinity.
        text, names = self.partial(k, i)
        if conjugate:
            text, names["conj"] = f"conj({text})", self.pattern.library.namespace.conj
        return Piece(f"strong({dot}, {text})", {**names, "strong": strong_product})

    def _multiplies_numbers(self, k: int, i: int) -> bool:
        """Whether a tangent and its partial may be Python's numbers, multiplied as they are."""
        partial, form = self.form.partials[k][i], self.form
        if (
            self.pattern.careful
            or form.singular
            or form.selects
            or self.pattern.kinds[i] == "array"
        ):
            return False
        if not isinstance(partial, Expression) or partial.functions or partial.constant is not None:
            return False
        return partial.variables <= self.numbers


def joined(terms: Sequence[Piece], form: str) -> Piece:
    """Write the sum of some terms, each put into `form`."""
    text = " + ".join(form.format(term.text) for term in terms)
    return Piece(text, {name: value for term in terms for name, value in term.names.items()})
