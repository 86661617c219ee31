"""The Python that a scalar rule runs, written for one pattern of argument kinds, needs and array library.

The whole of a generated reverse rule, for `multiply` with both arguments needed:

    def multiply_rrule(x1, x2):
        out = primal(x1, x2)
        out_shape, out_dtype = out.shape, out.dtype
        if out_dtype.kind == "c":
            return conjugating(out, x1, x2)
        x1_shape, x1_dtype = x1.shape, x1.dtype
        x2_shape, x2_dtype = x2.shape, x2.dtype
        def multiply_pullback(out_bar):
            try:
                regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
            except AttributeError:
                regular = False
            if not regular:
                out_bar = admit(out_bar, out_shape, out_dtype, "rrule(numpy.multiply)")
                if out_bar is ZERO:
                    return (ZERO, ZERO)
            x1_bar = out_bar * (x2)
            if x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype:
                x1_bar = fit(x1_bar, x1_shape, x1_dtype)
            ...
            return (x1_bar, x2_bar)
        return out, multiply_pullback

What an engine pays per operation is in these lines; they were chosen by measurement (an attribute comparison is 20 to 40 ns).

A library that can compute several products at once (one kernel on a device) says so by `ArrayLibrary.fuse`. It is asked

    fuse(name, sources, operands, scope) -> fused or None

for a function that evaluates the expressions `sources` of the variables `operands`; what else they name is in `scope`. Where
it makes one, the generated rule asks that first, if the cotangent (or each tangent) is one of the library's own arrays:

    bars = fused((out_bar, x1, x2), ((x1_shape, x1_dtype), (x2_shape, x2_dtype)))

Each result is brought to its shape and dtype (of a Python number: shape () and its class). None means: not for these types,
go on as for everybody.
"""

import ast
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from chainrules_py.arrays import ArrayLibrary
from chainrules_py.identity import qualified_name
from chainrules_py.makers.definition import Function
from chainrules_py.makers.expressions import Expression, output_names
from chainrules_py.makers.products import fit_number, quotient, spread, strong_product
from chainrules_py.makers.writing import define, stem
from chainrules_py.projection import fit
from chainrules_py.seeds import SeedSpace, admit_dense
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractTangent, AbstractZero
from chainrules_py.tangents.structural import with_entries

if TYPE_CHECKING:
    from chainrules_py.makers.scalar import ScalarForm

Kind = Literal["array", "number", "constant"]


def kind_of(cls: type) -> Kind:
    """How a generated rule treats an argument of this class: anything with a shape and dtype is an array."""
    if issubclass(cls, float | complex | int) and not hasattr(cls, "dtype"):
        return "constant" if issubclass(cls, int) else "number"
    return "array"


def compile_reverse(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The reverse rule for one pattern."""
    writer = _Writer(form, kinds, needs, library)
    name = writer.name
    body = [
        f"def {name}_rrule({writer.parameters}):",
        f"    out = primal({writer.parameters})",
        *writer.unpack_outputs(),
        f"    if {writer.outputs[0]}.dtype.kind == 'c':",
        f"        return conjugating(out, {writer.parameters})",
        *writer.pullback(conjugate=False),
    ]

    def conjugating(out: Any, *args: Any) -> Any:
        return form.specialised(compile_conjugating, kinds, needs, library)(out, *args)

    writer.scope["conjugating"] = conjugating
    function = writer.define(f"{name}_rrule", body)
    function.staged = partial(compile_staged, form, kinds, needs, library)  # type: ignore[attr-defined]
    return function


def compile_staged(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The same reverse rule without closures, for tapes: ``stage(*args) -> (out, pull, kept)``, then ``pull(kept, out_bar)``.

    `pull` is one function for all calls and `kept` a flat tuple, which Python's garbage collector stops tracking: with closures
    and their cells, a tape of 10**6 operations costs 2.5 times as much per operation as one of 10**3.
    """
    writer, closed = _Writer(form, kinds, needs, library), compile_reverse(form, kinds, needs, library)
    head = [
        f"def {writer.name}_stage({writer.parameters}):",
        f"    out = primal({writer.parameters})",
        *writer.unpack_outputs(),
        f"    if {writer.outputs[0]}.dtype.kind == 'c':",
        f"        return conjugating(out, {writer.parameters})",
    ]

    def conjugating(out: Any, *args: Any) -> Any:
        return form.specialised(compile_staged_conjugating, kinds, needs, library)(out, *args)

    writer.scope["conjugating"] = conjugating
    return writer.define(f"{writer.name}_stage", writer.staged(head, closed, conjugate=False))


def compile_staged_conjugating(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The staged form for a complex output, from the output on."""
    writer = _Writer(form, kinds, needs, library)
    head = [f"def {writer.name}_stage(out, {writer.parameters}):", *writer.unpack_outputs()]
    closed = compile_conjugating(form, kinds, needs, library)
    return writer.define(f"{writer.name}_stage", writer.staged(head, closed, conjugate=True))


def compile_conjugating(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The reverse rule for a complex output, from the output on."""
    writer = _Writer(form, kinds, needs, library)
    head = f"def {writer.name}_complex_rrule(out, {writer.parameters}):"
    return writer.define(f"{writer.name}_complex_rrule", [head, *writer.unpack_outputs(), *writer.pullback(conjugate=True)])


def compile_forward(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The forward rule for one pattern; in forward, needs says which tangents are not zero."""
    writer = _Writer(form, kinds, needs, library)
    name = writer.name
    dots = ", ".join(f"{a}_dot" for a in form.arguments)
    body = [
        f"def {name}_frule(dots, {writer.parameters}):",
        f"    ({dots},) = dots",
        f"    out = primal({writer.parameters})",
        *writer.unpack_outputs(),
    ]
    for k, out in enumerate(writer.outputs):
        body += writer.tangent(k, out)
    result = (
        "out_dot"
        if len(writer.outputs) == 1
        else f"with_entries(type(out), dict(enumerate(({', '.join(o + '_dot' for o in writer.outputs)}))))"
    )
    return writer.define(f"{name}_frule", [*body, f"    return out, {result}"])


def compile_partials(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The values of the partials, one tuple per output, from the output and the arguments."""
    writer = _Writer(form, kinds, needs, library)
    rows = [f"({', '.join(writer.partial(k, i) for i in range(len(form.arguments)))},)" for k in range(len(writer.outputs))]
    head = f"def {writer.name}_partials(out, {writer.parameters}):"
    return writer.define(f"{writer.name}_partials", [head, *writer.unpack_outputs(), f"    return ({', '.join(rows)},)"])


class _Writer:
    """Lines of source, and the scope in which they mean something."""

    def __init__(self, form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary) -> None:
        self.form, self.kinds, self.needs, self.library = form, kinds, needs, library
        self.name = stem(form.primal, "scalar")
        self.parameters = ", ".join(form.arguments)
        self.outputs = output_names(len(form.partials))
        self.door = f"the pullback of rrule({qualified_name(form.primal)}) at {form.where}"
        xp = library.namespace
        self.scope: dict[str, Any] = {
            "ZERO": ZERO,
            "NO_TANGENT": NO_TANGENT,
            "AbstractTangent": AbstractTangent,
            "with_entries": with_entries,
            "SeedSpace": SeedSpace,
            "fit": fit,
            "fit_number": fit_number,
            "admit": admit_dense,
            "spread": spread,
            "strong": strong_product,
            "quotient": quotient,
            "xp": xp,
            "conj": xp.conj,
            "real": xp.real,
            "primal": library.implementation(form.primal),
            "door": self.door,
        }

    def define(self, name: str, lines: list[str]) -> Callable[..., Any]:
        """Compile the lines; tracebacks show them."""
        needs = "".join("x" if need else "-" for need in self.needs)
        origin = f"<{name} of {self.form.where} for {', '.join(self.kinds)} {needs} {self.library.name}>"
        function = define(name, lines, self.scope, origin)
        function.__rule_location__ = self.form.where  # type: ignore[attr-defined]
        return function

    def unpack_outputs(self) -> list[str]:
        return [] if len(self.outputs) == 1 else [f"    {', '.join(self.outputs)} = out"]

    def partial(self, k: int, i: int) -> str:
        """The source of one partial; puts what it calls into scope."""
        partial = self.form.partials[k][i]
        if isinstance(partial, Expression):
            for name, function in partial.functions.items():
                self.scope[name] = self._bound(name, function)
            return f"({partial.dividing(self._numbers)})" if self._numbers else f"({partial.source})"
        name = f"partial_{k}_{i}"
        if isinstance(partial, Function):
            self.scope[name] = partial.function
            return f"{name}({', '.join(f'{read}={read}' if read == 'xp' else read for read in partial.reads)})"
        self.scope[name] = partial
        return name

    @property
    def _numbers(self) -> frozenset[str]:
        """The arguments that are Python numbers."""
        return frozenset(a for a, kind in zip(self.form.arguments, self.kinds, strict=True) if kind != "array")

    def _bound(self, name: str, function: Any) -> Any:
        own = getattr(self.library.namespace, name, None)
        return own if own is not None else self.library.implementation(function)

    def product(self, bar: str, k: int, i: int, conjugate: bool) -> str | None:
        """The source of ``bar * partial``, None where it is zero."""
        partial = self.form.partials[k][i]
        if isinstance(partial, AbstractZero):
            return None
        if isinstance(partial, AbstractTangent):
            return self.partial(k, i)  # a derivative that nobody wrote
        if isinstance(partial, Expression) and partial.constant in (1, -1):
            return bar if partial.constant == 1 else f"-{bar}"
        source = self.partial(k, i)
        if self.form.singular:
            return f"strong({bar}, {_conj(source, conjugate)})"
        if isinstance(partial, Expression) and partial.reciprocal is not None:
            return f"{bar} / {_conj(f'({partial.reciprocal})', conjugate)}"
        return f"{bar} * {_conj(source, conjugate)}"

    # Reverse

    def pullback(self, conjugate: bool) -> list[str]:
        """The definition of the pullback and the return of both; one indented block."""
        define = f"    def {self.name}_pullback(out_bar):"
        body = [f"    {line}" for line in self._pullback_body(conjugate)]
        return [*self._remember(self._needed), define, *body, f"    return out, {self.name}_pullback"]

    def staged(self, head: list[str], closed: Callable[..., Any], conjugate: bool) -> list[str]:
        """Two functions in place of a closure: what the closure would capture is returned as a tuple, and unpacked again.

        Shapes and dtypes of arrays that are kept anyway are read off them later: a million operations later, what is not there
        need not be fetched from memory.
        """
        (inner,) = [constant for constant in closed.__code__.co_consts if isinstance(constant, CodeType)]
        sources = self._sources(inner.co_freevars)
        later = {name: source for name, source in sources.items() if source.split(".")[0] in inner.co_freevars}
        kept = [name for name in inner.co_freevars if name not in later]
        names, values = (", ".join([*each, ""]).rstrip() for each in (kept, [sources.get(name, name) for name in kept]))
        unpack = [f"    ({names}) = kept"] if kept else []
        read = [f"    {name} = {source}" for name, source in later.items()]
        pull = [f"def {self.name}_pull(kept, out_bar):", *unpack, *read, *self._pullback_body(conjugate)]
        return [*head, f"    return out, {self.name}_pull, ({values})", *pull]

    def _sources(self, names: tuple[str, ...]) -> dict[str, str]:
        """Where each captured name that is no value itself comes from."""
        found = {"space": "SeedSpace(out)"}
        for value in ("out", *self.form.arguments):
            found |= {
                f"{value}_shape": f"{value}.shape",
                f"{value}_dtype": f"{value}.dtype",
                f"{value}_class": f"type({value})",
            }
        if self._keeps_shape and self.kinds[0] == "array" and "out" not in names:
            found["out_shape"] = f"{self.form.arguments[0]}.shape"
        return {name: source for name, source in found.items() if name in names}

    @property
    def _needed(self) -> list[int]:
        return [i for i, need in enumerate(self.needs) if need and self._has_tangent(i)]

    def _pullback_body(self, conjugate: bool) -> list[str]:
        needed = self._needed
        zeros = ", ".join("ZERO" if i in needed else "NO_TANGENT" for i in range(len(self.needs)))
        results = ", ".join(f"{self.form.arguments[i]}_bar" if i in needed else "NO_TANGENT" for i in range(len(self.needs)))
        lines = [*self._admit(f"({zeros},)"), *self._fused_cotangents(needed, conjugate, results)]
        for i in needed:
            lines += [f"    {line}" for line in self._cotangent(i, conjugate)]
        return [*lines, f"    return ({results},)"]

    def _fused_cotangents(self, needed: list[int], conjugate: bool, results: str) -> Iterator[str]:
        """An early return with all cotangents, where the library computes them in one go."""
        operands = self._fuse([self.product("out_bar", 0, i, conjugate) for i in needed], ("out_bar",))
        if not operands:
            return
        bars = ", ".join(f"{self.form.arguments[i]}_bar" for i in needed)
        yield "    if type(out_bar) in native:"
        yield f"        bars = fused(({operands},), ({', '.join(map(self._space, needed))},))"
        yield "        if bars is not None:"
        yield f"            ({bars},) = bars"
        yield f"            return ({results},)"

    def _fuse(self, products: list[str | None], seeds: tuple[str, ...]) -> str:
        """Put `fused` into scope; its operands, or nothing where there is nothing to gain or the library cannot."""
        sources = [product for product in products if product is not None]
        bare = {sign + seed for seed in seeds for sign in ("", "-")}
        if self.library.fuse is None or len(self.outputs) > 1 or len(sources) < len(products) or bare.issuperset(sources):
            return ""
        if any(isinstance(self.scope.get(source), AbstractTangent) for source in sources):
            return ""  # a derivative that nobody wrote
        names = [node.id for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
        operands = tuple(dict.fromkeys(name for name in (*seeds, *names) if name not in self.scope))
        fused = self.library.fuse(self.name, tuple(sources), operands, self.scope)
        self.scope |= {"fused": fused, "native": self.library.array_types}
        return ", ".join(operands) if fused is not None else ""

    def _space(self, i: int) -> str:
        a = self.form.arguments[i]
        if self.kinds[i] == "number":
            return f"((), {a}_class)"
        return f"({'out' if self._keeps_shape else a}_shape, {a}_dtype)"

    def _has_tangent(self, i: int) -> bool:
        return self.kinds[i] != "constant" and any(row[i] is not NO_TANGENT for row in self.form.partials)

    def _remember(self, needed: list[int]) -> Iterator[str]:
        if len(self.outputs) == 1:
            yield "    out_shape, out_dtype = out.shape, out.dtype"
        else:
            yield "    space = SeedSpace(out)"
        for i in needed:
            a = self.form.arguments[i]
            if self.kinds[i] == "array" and not self._keeps_shape:
                yield f"    {a}_shape, {a}_dtype = {a}.shape, {a}.dtype"
            elif self.kinds[i] == "array":
                yield f"    {a}_dtype = {a}.dtype"
            else:
                yield f"    {a}_class = type({a})"

    @property
    def _keeps_shape(self) -> bool:
        """With one argument and one output nothing can have been broadcast."""
        return len(self.kinds) == 1 and len(self.outputs) == 1

    def _admit(self, zeros: str) -> list[str]:
        if len(self.outputs) > 1:
            return [
                "    out_bar = space.admit(out_bar, door)",
                f"    if out_bar is ZERO: return {zeros}",
                *(f"    {out}_bar = out_bar[{k}]" for k, out in enumerate(self.outputs)),
            ]
        return [
            "    try:",
            "        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype",
            "    except AttributeError:",
            "        regular = False",
            "    if not regular:",
            "        out_bar = admit(out_bar, out_shape, out_dtype, door)",
            f"        if out_bar is ZERO: return {zeros}",
        ]

    def _cotangent(self, i: int, conjugate: bool) -> Iterator[str]:
        a = self.form.arguments[i]
        terms = [(out, self.product(f"{out}_bar", k, i, conjugate)) for k, out in enumerate(self.outputs)]
        if len(terms) == 1:
            if terms[0][1] is None or self._is_tangent(0, i):
                yield f"{a}_bar = {terms[0][1] or 'ZERO'}"
                return
            negated = terms[0][1] == "-out_bar"  # after the sum over what was broadcast, which leaves less to negate
            yield f"{a}_bar = {'out_bar' if negated else terms[0][1]}"
            yield from self._fit(i, a, "")
            if negated:
                yield f"{a}_bar = -{a}_bar"
            return
        yield f"{a}_bar = ZERO"
        for out, product in terms:
            if product is not None:
                yield f"if {out}_bar is not ZERO: {a}_bar = {a}_bar + {product}"
        yield from self._fit(i, a, f"not isinstance({a}_bar, AbstractTangent) and ")

    def _is_tangent(self, k: int, i: int) -> bool:
        partial = self.form.partials[k][i]
        return isinstance(partial, AbstractTangent)

    def _fit(self, i: int, a: str, unless: str) -> Iterator[str]:
        if self.kinds[i] == "number":
            yield f"{a}_bar = fit_number({a}_bar, {a}_class)"
        elif self._keeps_shape:
            yield f"if {unless}{a}_bar.dtype is not {a}_dtype: {a}_bar = fit({a}_bar, out_shape, {a}_dtype)"
        else:
            different = f"({a}_bar.shape != {a}_shape or {a}_bar.dtype is not {a}_dtype)"
            yield f"if {unless}{different}: {a}_bar = fit({a}_bar, {a}_shape, {a}_dtype)"

    # Forward

    def tangent(self, k: int, out: str) -> Iterator[str]:
        """The lines that compute the tangent of output `k`."""
        active = [i for i, need in enumerate(self.needs) if need]
        terms = [t for i in active if (t := self.product(f"{self.form.arguments[i]}_dot", k, i, False)) is not None]
        if not terms:
            yield f"    {out}_dot = ZERO"
            return
        yield from self._fused_tangent(active, terms)
        yield f"    {out}_dot = {' + '.join(terms)}"
        if any(self._is_tangent(k, i) and not isinstance(self.form.partials[k][i], AbstractZero) for i in active):
            return  # not implemented: nothing to bring into shape
        yield "    try:"
        yield f"        regular = {out}_dot.shape == {out}.shape and {out}_dot.dtype is {out}.dtype"
        yield "    except AttributeError:"
        yield "        regular = False"
        yield "    if not regular:"
        gradient = " + ".join(
            f"real({t})" for i in active if (t := self.product(f"{self.form.arguments[i]}_dot", k, i, True)) is not None
        )
        yield f"        if getattr(getattr({out}_dot, 'dtype', None), 'kind', '') == 'c' and {out}.dtype.kind != 'c':"
        yield f"            {out}_dot = {gradient}"
        yield f"        {out}_dot = spread({out}_dot, {out})"

    def _fused_tangent(self, active: list[int], terms: list[str]) -> Iterator[str]:
        """An early return with the tangent, where the library computes the whole sum in one go."""
        dots = tuple(f"{self.form.arguments[i]}_dot" for i in active)
        operands = self._fuse([" + ".join(terms)], dots) if len(terms) > 1 or terms[0].lstrip("-") not in dots else ""
        if not operands:
            return
        native = " and ".join(f"type({dot}) in native" for dot in dots)
        real = " and ".join(f"{dot}.dtype.kind != 'c'" for dot in dots)  # a real output of complex arguments: see below
        yield f"    if {native} and (out.dtype.kind == 'c' or {real}):"
        yield f"        dots = fused(({operands},), ((out.shape, out.dtype),))"
        yield "        if dots is not None: return out, dots[0]"


def _conj(source: str, conjugate: bool) -> str:
    return f"conj({source})" if conjugate else source
