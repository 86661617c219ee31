"""This module writes the lines of a scalar rule that both modes have in common: partials, products,
and the names they use.

`source` says what is written; `reverse_lines` and `forward_lines` are the two modes.
"""

import functools
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_py.makers.definition import Partial, PartialFunction, Pattern, ScalarForm
from chainrules_py.makers.expressions import Expression, output_names
from chainrules_py.makers.products import (
    careful_product,
    careful_strong_product,
    fit_number,
    fit_tangent,
    quotient,
    selected_product,
    strong_product,
    with_dtype,
)
from chainrules_py.makers.staging import pull_strictly
from chainrules_py.makers.writing import define, names_read, stem
from chainrules_py.projection import fit
from chainrules_py.projection.admission import admit_dense
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.strong_zeros.strictness import get_state, latest_strictness, relax, strict
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractTangent, AbstractZero
from chainrules_py.tangents.structural import with_entries
from chainrules_py.values.identity import qualified_name


class Lines:
    """A writer of source lines for one pattern of calls; `scope` holds what the names in those
    lines stand for.
    """

    def __init__(self, form: ScalarForm, pattern: Pattern) -> None:
        self.form, self.pattern = form, pattern
        self.kinds, self.needs, self.library, self.conjugates, self.careful = pattern
        self.name = stem(form.primal)
        self.parameters = ", ".join(form.arguments)
        self.outputs = output_names(len(form.partials))
        self.label = f"the pullback of rrule({qualified_name(form.primal)}) at {form.where}"
        xp = self.library.namespace
        self.scope: dict[str, Any] = {
            "ZERO": ZERO,
            "NO_TANGENT": NO_TANGENT,
            "AbstractTangent": AbstractTangent,
            "with_entries": with_entries,
            "admitting_space": admitting_space,
            "fit": fit,
            "fit_number": fit_number,
            "admit": admit_dense,
            "spread": fit_tangent,
            "strong": strong_product,
            "careful_strong": careful_strong_product,
            "selected": selected_product,
            "careful_product": careful_product,
            "error_state": get_state,
            "latest_strictness": latest_strictness,
            "strict": strict,
            "relax": relax,
            "partial": functools.partial,
            "pull_strictly": pull_strictly,
            "quotient": quotient,
            "with_dtype": with_dtype,
            "xp": xp,
            "conj": xp.conj,
            "real": xp.real,
            "primal": self.library.implementation(form.primal),
            "label": self.label,
        }

    def define(self, name: str, lines: list[str]) -> Callable[..., Any]:
        """Compile the lines into the function called `name`; tracebacks show them."""
        needs = "".join("x" if need else "-" for need in self.needs)
        origin = (
            f"<{name} of {self.form.where} for {', '.join(self.kinds)} {needs} {self.library.name}>"
        )
        return define(name, lines, self.scope, origin)

    def unpack_outputs(self) -> list[str]:
        """Write the line that names each of several outputs."""
        return [] if len(self.outputs) == 1 else [f"    {', '.join(self.outputs)} = out"]

    def call(self) -> list[str]:
        """Write the lines that compute and name the outputs; only a ufunc is known not to return
        Python's numbers.
        """
        call = [f"    out = primal({self.parameters})", *self.unpack_outputs()]
        if isinstance(self.form.primal, np.ufunc):
            return call
        ask = f"        {', '.join(f'{out}.dtype' for out in self.outputs)}"
        number = [
            "        out = with_dtype(out, primal)",
            *(f"    {line}" for line in self.unpack_outputs()),
        ]
        return [*call, "    try:", ask, "    except AttributeError:", *number]

    def partial(self, k: int, i: int) -> str:
        """Write one partial, and put what it calls into scope."""
        partial = self.form.partials[k][i]
        if isinstance(partial, Expression):
            for name, function in partial.functions.items():
                self.scope[name] = self._bound(name, function)
            return (
                f"({partial.dividing(self._numbers)})" if self._numbers else f"({partial.source})"
            )
        name = f"partial_{k}_{i}"
        if isinstance(partial, PartialFunction):
            self.scope[name] = partial.function
            return f"{name}({', '.join(f'{read}={read}' if read == 'xp' else read for read in partial.reads)})"
        self.scope[name] = partial
        return name

    @cached_property
    def _numbers(self) -> frozenset[str]:
        """The arguments that are Python numbers."""
        return frozenset(
            a for a, kind in zip(self.form.arguments, self.kinds, strict=True) if kind != "array"
        )

    def _bound(self, name: str, function: Any) -> Any:
        own = getattr(self.library.namespace, name, None)
        return own if own is not None else self.library.implementation(function)

    def product(self, bar: str, k: int, i: int, conjugate: bool) -> str | None:
        """Write ``bar * partial``; the result is None where that is zero."""
        partial = self.form.partials[k][i]
        if isinstance(partial, AbstractZero):
            return None
        if isinstance(partial, AbstractTangent):
            return self.partial(k, i)  # a derivative that nobody wrote
        if isinstance(partial, Expression) and partial.constant in (1, -1):
            return bar if partial.constant == 1 else f"-{bar}"
        source = self.partial(k, i)
        if self.form.selects:
            return f"selected({bar}, {source})"
        if self.form.singular:
            return (
                f"{'careful_strong' if self.careful else 'strong'}({bar},"
                f" {conjugated(source, conjugate)})"
            )
        if self.careful:
            return (
                f"careful_product({bar}, {conjugated(source, conjugate)},"
                f" {', '.join(self._read_by(partial))})"
            )
        if isinstance(partial, Expression) and partial.reciprocal is not None:
            return f"{bar} / {conjugated(f'({partial.reciprocal})', conjugate)}"
        return f"{bar} * {conjugated(source, conjugate)}"

    def _read_by(self, partial: Expression | PartialFunction) -> list[str]:
        """The variables that a partial is computed of."""
        names = (
            partial.variables
            if isinstance(partial, Expression)
            else frozenset(partial.reads) - {"xp"}
        )
        return sorted(names)

    def may_be_infinite(self, i: int) -> bool:
        """Whether zero may meet infinity in a product by a partial of argument `i`, which is then
        no constant.

        In a rule that is singular, too: of a partial of zero and an infinite cotangent.
        """
        return not self.form.selects and not all(_is_known(row[i]) for row in self.form.partials)

    def fuse(self, products: list[str | None], seeds: tuple[str, ...]) -> str:
        """Put `fused` into scope and write its operands; the result is empty where the library
        cannot fuse or gains nothing.
        """
        sources = [product for product in products if product is not None]
        bare = {sign + seed for seed in seeds for sign in ("", "-")}
        if self.careful or self.library.fuse is None or len(self.outputs) > 1:
            return ""
        if len(sources) < len(products) or bare.issuperset(sources):
            return ""
        if any(isinstance(self.scope.get(source), AbstractTangent) for source in sources):
            return ""  # a derivative that nobody wrote
        names = names_read(f"    return ({', '.join(sources)},)")
        operands = tuple(dict.fromkeys(name for name in (*seeds, *names) if name not in self.scope))
        fused = self.library.fuse(self.name, tuple(sources), operands, self.scope)
        self.scope |= {"fused": fused, "native": self.library.array_types}
        return ", ".join(operands) if fused is not None else ""

    def is_tangent(self, k: int, i: int) -> bool:
        """Whether a partial is no expression, but a tangent: a zero, or a derivative that nobody
        wrote.
        """
        return isinstance(self.form.partials[k][i], AbstractTangent)


def _is_known(partial: Partial) -> bool:
    return isinstance(partial, AbstractTangent) or (
        isinstance(partial, Expression) and partial.constant is not None
    )


def conjugated(source: str, conjugate: bool) -> str:
    """Write the conjugate of a partial where the output is complex, and the partial itself
    elsewhere.
    """
    return f"conj({source})" if conjugate else source
