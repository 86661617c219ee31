"""This module writes a forward rule: one sum of products per output, brought to that output's shape
and dtype.
"""

from collections.abc import Iterable, Iterator

from chainrules_py.makers.expressions import Expression
from chainrules_py.makers.lines import Lines, conjugated
from chainrules_py.tangents import AbstractZero


class ForwardLines(Lines):
    """The writer of the tangents of the outputs."""

    def tangents(self) -> list[str]:
        """Write the lines that compute the tangents of the outputs and return both."""
        active = [i for i, need in enumerate(self.needs) if need]
        dots = ", ".join(f"{a}_dot" for a in self.form.arguments)
        lines = [
            f"    ({dots},) = dots",
            *(line for k, out in enumerate(self.outputs) for line in self.tangent(k, out)),
        ]
        several = ", ".join(f"{out}_dot" for out in self.outputs)
        result = (
            "out_dot"
            if len(self.outputs) == 1
            else f"with_entries(type(out), dict(enumerate(({several}))))"
        )
        body = [*lines, f"    return out, {result}"]
        if self.careful or not any(map(self.may_be_infinite, active)):
            return body
        return strictly(body, f"careful(out, dots, {self.parameters})")

    def product(self, bar: str, k: int, i: int, conjugate: bool) -> str | None:
        """Write ``dot * partial``; the product is strong where both may be Python's numbers, which
        raise no flags.
        """
        source = super().product(bar, k, i, conjugate)
        partial = self.form.partials[k][i]
        if (
            self.careful
            or self.form.singular
            or self.form.selects
            or not isinstance(partial, Expression)
            or partial.functions
        ):
            return source
        if (
            partial.constant is not None
            or not partial.variables <= self._numbers
            or self.kinds[i] == "array"
        ):
            return source
        return f"strong({bar}, {conjugated(self.partial(k, i), conjugate)})"

    def tangent(self, k: int, out: str) -> Iterator[str]:
        """Write the lines that compute the tangent of output `k`."""
        active = [i for i, need in enumerate(self.needs) if need]
        terms = [
            t
            for i in active
            if (t := self.product(f"{self.form.arguments[i]}_dot", k, i, False)) is not None
        ]
        if not terms:
            yield f"    {out}_dot = ZERO"
            return
        yield from self._fused_tangent(active, terms)
        yield f"    {out}_dot = {' + '.join(terms)}"
        if any(
            self.is_tangent(k, i) and not isinstance(self.form.partials[k][i], AbstractZero)
            for i in active
        ):
            return  # not implemented: nothing to bring into shape
        yield "    try:"
        yield f"        regular = {out}_dot.shape == {out}.shape and {out}_dot.dtype is {out}.dtype"
        yield "    except AttributeError:"
        yield "        regular = False"
        yield "    if not regular:"
        gradient = " + ".join(
            f"real({t})"
            for i in active
            if (t := self.product(f"{self.form.arguments[i]}_dot", k, i, True)) is not None
        )
        yield (
            f"        if getattr(getattr({out}_dot, 'dtype', None), 'kind', '') == 'c' and"
            f" {out}.dtype.kind != 'c':"
        )
        yield f"            {out}_dot = {gradient}"
        yield f"        {out}_dot = spread({out}_dot, {out})"

    def _fused_tangent(self, active: list[int], terms: list[str]) -> Iterator[str]:
        """Write an early return with the tangent, where the library computes the whole sum in one
        go.
        """
        dots = tuple(f"{self.form.arguments[i]}_dot" for i in active)
        operands = (
            self.fuse([" + ".join(terms)], dots)
            if len(terms) > 1 or terms[0].lstrip("-") not in dots
            else ""
        )
        if not operands:
            return
        native = " and ".join(f"type({dot}) in native" for dot in dots)
        # a real output of complex arguments: see below
        real = " and ".join(f"{dot}.dtype.kind != 'c'" for dot in dots)
        yield f"    if {native} and (out.dtype.kind == 'c' or {real}):"
        yield f"        dots = fused(({operands},), ((out.shape, out.dtype),))"
        yield "        if dots is not None: return out, dots[0]"


def strictly(body: Iterable[str], carefully: str) -> list[str]:
    """Write the body of a function that is computed strictly (see `strictness`), and what it
    returns where zero meets infinity.
    """
    return [
        "    strictness = latest_strictness[0]",
        "    is_watched = error_state(None) is strictness.error_state",
        "    if is_watched:",
        "        outer = strictness.applies",
        "        strictness.applies = True",
        "    else:",
        "        token = strict()",
        "    try:",
        "        try:",
        *(f"        {line}" for line in body),
        "        finally:",
        "            if is_watched:",
        "                strictness.applies = outer",
        "            else:",
        "                relax(token)",
        "    except FloatingPointError:",
        f"        return {carefully}",
    ]
