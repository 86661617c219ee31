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
                out_dot = x1_dot * (x2 + x1) if x2_dot is x1_dot else x1_dot * (x2) + ...
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

from chainrules_py.annotations import Function
from chainrules_py.makers.definition import Pattern, ScalarForm, written_later
from chainrules_py.makers.expressions import Expression
from chainrules_py.makers.fusing import fused_operands
from chainrules_py.makers.products import fit_tangent, strong_product
from chainrules_py.makers.scalar_source import ScalarSource
from chainrules_py.strong_zeros.strictness import get_state, latest_strictness, relax, strict
from chainrules_py.tangents import ZERO, AbstractZero
from chainrules_py.tangents.structural import with_entries


def write_forward(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the forward rule for one pattern; its `needs` say which tangents are not zero."""
    writer = ForwardSource(form, pattern)
    name = f"{writer.name}_frule"
    with writer.block(f"def {name}(dots, {writer.parameters}):"):
        writer.write_call()
        if any(map(writer.may_be_infinite, writer.active)):
            writer.write_strict_tangents()
        else:
            writer.write_tangents()
    return writer.compiled(name)


def write_careful_forward(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the forward rule with strong products; the computed output is an argument of it."""
    writer = ForwardSource(form, pattern)
    name = f"{writer.name}_careful_frule"
    with writer.block(f"def {name}(out, dots, {writer.parameters}):"):
        writer.write_outputs()
        writer.write_tangents()
    return writer.compiled(name)


class ForwardSource(ScalarSource):
    """Writes the lines that compute the tangents of the outputs for one pattern of calls."""

    def __init__(self, form: ScalarForm, pattern: Pattern) -> None:
        super().__init__(form, pattern)
        self.active = [i for i, need in enumerate(pattern.needs) if need]

    def write_strict_tangents(self) -> None:
        """Write the tangents so that zero times infinity raises, and the careful form answers."""
        careful = self.pattern._replace(careful=True)
        self.write(
            """
            strictness = latest_strictness[0]
            is_watched = error_state(None) is strictness.error_state
            if is_watched:
                outer = strictness.applies
                strictness.applies = True
            else:
                token = strict()
            """,
            latest_strictness=latest_strictness,
            error_state=get_state,
            strict=strict,
        )
        with self.block("try:"):
            with self.block("try:"):
                self.write_tangents()
            self.write(
                """
                finally:
                    if is_watched:
                        strictness.applies = outer
                    else:
                        relax(token)
                """,
                relax=relax,
            )
        self.write(
            f"""
            except FloatingPointError:
                return careful(out, dots, {self.parameters})
            """,
            careful=written_later(write_careful_forward, self.form, careful),
        )

    def write_tangents(self) -> None:
        """Write the lines that compute the tangents, and return the outputs and those."""
        self.write(f"({', '.join(f'{name}_dot' for name in self.arguments)},) = dots")
        for k in range(len(self.outputs)):
            self._write_tangent(k)
        if len(self.outputs) == 1:
            self.write("return out, out_dot")
        else:
            dots = ", ".join(f"{out}_dot" for out in self.outputs)
            tangent = f"with_entries(type(out), dict(enumerate(({dots}))))"
            self.write(f"return out, {tangent}", with_entries=with_entries)

    def _write_tangent(self, k: int) -> None:
        """Write the lines that compute the tangent of output `k`."""
        out, terms = self.outputs[k], self._terms(k)
        if not terms:
            self.write(f"{out}_dot = ZERO", ZERO=ZERO)
            return

        tangent = written_sum(terms)
        if len(self.outputs) == 1 and not self.pattern.careful:
            self._write_fused_tangent(tangent)
        common = self._with_common_tangent(k)
        if common:
            same, other = (f"{self.arguments[i]}_dot" for i in self.active)
            self.write(f"{out}_dot = {common} if {other} is {same} else {tangent}")
        else:
            self.write(f"{out}_dot = {tangent}")
        if any(self._is_not_implemented(k, i) for i in self.active):
            return  # nothing to bring into shape

        gradient = " + ".join(f"real({term})" for term in self._terms(k, conjugate=True))
        is_complex = f"getattr(getattr({out}_dot, 'dtype', None), 'kind', '') == 'c'"
        self.write(
            f"""
            try:
                regular = {out}_dot.shape == {out}.shape and {out}_dot.dtype is {out}.dtype
            except AttributeError:
                regular = False
            if not regular:
                if {is_complex} and {out}.dtype.kind != 'c':
                    {out}_dot = {gradient}
                {out}_dot = spread({out}_dot, {out})
            """,
            real=self.pattern.library.namespace.real,
            spread=fit_tangent,
        )

    def _write_fused_tangent(self, tangent: str) -> None:
        """Write an early return with the tangent, if the array library has one function for it."""
        dots = [f"{self.arguments[i]}_dot" for i in self.active]
        # this puts `fused` and `native` in scope
        operands = fused_operands(self.pattern.library, self.name, [tangent], dots, self.scope)
        if operands:
            native = " and ".join(f"type({dot}) in native" for dot in dots)
            # A real output of complex arguments has another tangent, which is not computed here.
            real = " and ".join(f"{dot}.dtype.kind != 'c'" for dot in dots)
            self.write(
                f"""
                if {native} and (out.dtype.kind == 'c' or {real}):
                    dots = fused(({operands},), ((out.shape, out.dtype),))
                    if dots is not None: return out, dots[0]
                """
            )

    def _with_common_tangent(self, k: int) -> str:
        """Write the tangent of output `k` where two arguments have the same one, as in ``x * x``:
        one product with the sum of the partials. Empty where the partials are not the arguments.
        """
        if len(self.active) != 2 or self.pattern.careful:
            return ""
        i, j = self.active
        own, other = (f"{self.arguments[i]}_dot", f"{self.arguments[j]}_dot")
        products = [f"{own} * ({self.arguments[j]})", f"{other} * ({self.arguments[i]})"]
        if self._terms(k) != products:
            return ""
        return f"{own} * ({self.arguments[j]} + {self.arguments[i]})"

    def _is_not_implemented(self, k: int, i: int) -> bool:
        return self.is_tangent(k, i) and not isinstance(self.form.partials[k][i], AbstractZero)

    def _terms(self, k: int, conjugate: bool = False) -> list[str]:
        """Write the products of tangents with partials of output `k`, but for zeros."""
        return [term for i in self.active if (term := self._term(k, i, conjugate))]

    def _term(self, k: int, i: int, conjugate: bool) -> str:
        dot = f"{self.arguments[i]}_dot"
        if not self._multiplies_numbers(k, i):
            return self.product(dot, k, i, conjugate)
        # Two Python numbers raise no flag where zero meets infinity.
        self.scope["strong"] = strong_product
        return f"strong({dot}, {self.factor(k, i, conjugate)})"

    def _multiplies_numbers(self, k: int, i: int) -> bool:
        """Whether a tangent and its partial may be Python's numbers, multiplied as they are."""
        partial, form = self.form.partials[k][i], self.form
        if (
            self.pattern.careful
            or form.singular
            or form.selects
            or self.arguments[i] not in self.numbers
        ):
            return False
        if not isinstance(partial, Expression) or partial.functions or partial.constant is not None:
            return False
        return partial.variables <= self.numbers


def written_sum(terms: list[str]) -> str:
    """Write the sum of terms, with a difference where one is negated: that is one operation less.

    >>> written_sum(["x1_dot", "-x2_dot"])
    'x1_dot - x2_dot'
    """
    first, *others = terms
    signed = [f" - {term[1:]}" if term.startswith("-") else f" + {term}" for term in others]
    return first + "".join(signed)
