"""The lines of a reverse rule: what is remembered, how the cotangent is admitted, one product and one fit per argument."""

import ast
from collections.abc import Collection, Iterable, Iterator

from chainrules_py.makers.lines import Lines
from chainrules_py.makers.writing import indented, strictly
from chainrules_py.tangents import NO_TANGENT


class ReverseLines(Lines):
    """The pullback, as a closure or beside what it keeps."""

    def pullback(self, conjugate: bool) -> list[str]:
        """The definition of the pullback and the return of both; one indented block."""
        fused = self._fused(conjugate)
        define, body = f"    def {self.name}_pullback(out_bar):", self._pullback_body(conjugate, fused)
        if any(map(self.multiplies, self._needed)):
            body = strictly(body, f"careful(({_sequence(self._kept(body)[0])}), out_bar)")
        return [*self._remember(self._needed), define, *indented(body), f"    return out, {self.name}_pullback"]

    def staged(self, head: list[str], conjugate: bool) -> list[str]:
        """Two functions in place of a closure: what the closure would capture is returned as a tuple, and unpacked again."""
        fused = self._fused(conjugate)
        body = self._pullback_body(conjugate, fused)
        kept, unpack = self._kept(body)
        pull = [f"def {self.name}_pull(kept, out_bar):", *unpack, *body]
        onto = self._onto(unpack, fused) if fused else ()
        told = [f"{self.name}_pull.takes_products = True"] if self._only_adds else []
        told += [f"{self.name}_pull.careful = careful"] if any(map(self.multiplies, self._needed)) else []
        return [*head, f"    return out, {self.name}_pull, ({_sequence(kept.values())})", *pull, *onto, *told]

    def careful_pull(self, conjugate: bool) -> list[str]:
        """The pullback with strong products, beside what the quick one keeps."""
        quick = ReverseLines(self.form, self.kinds, self.needs, self.library)
        _, unpack = quick._kept(quick._pullback_body(conjugate, quick._fused(conjugate)))
        return [f"def {self.name}_pull(kept, out_bar):", *unpack, *self._pullback_body(conjugate, "")]

    def _kept(self, body: list[str]) -> tuple[dict[str, str], list[str]]:
        """What a body reads and the pullback keeps, names and expressions, and the lines that unpack it.

        Shapes and dtypes of arrays that are kept anyway are read off them later: a million operations later, what is not there
        need not be fetched from memory.
        """
        tree = ast.parse("\n".join(["def pull():", *body]))
        read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        sources = self._sources(read)
        captured = sorted(read & {*sources, "out", *self.outputs, *self.form.arguments})
        later = {name: source for name, source in sources.items() if source.split(".")[0] in captured}
        kept = {name: sources.get(name, name) for name in captured if name not in later}
        unpack = [f"    ({_sequence(kept)}) = kept"] if kept else []
        return kept, [*unpack, *(f"    {name} = {source}" for name, source in later.items())]

    def _onto(self, unpack: list[str], fused: str) -> Iterator[str]:
        """The pullback that adds what it computes to what has arrived before, in one go; that which postpones it."""
        slots = ", ".join(f"slots[{i}]" for i in self._needed)
        ways = {
            "onto": ("kept, out_bar, slots, accumulators", f"fused.onto({fused}, ({slots},), accumulators)", False),
            "later": ("kept, out_bar", f"fused.later({fused})", None),
        }
        for way, (parameters, call, refusal) in ways.items():
            yield f"def {self.name}_{way}({parameters}):"
            yield from unpack
            yield "    if type(out_bar) not in native or out_bar.shape != out_shape or out_bar.dtype != out_dtype:"
            yield f"        return {refusal}"
            yield f"    return {call}"
            yield f"{self.name}_pull.{way} = {self.name}_{way}"

    def _sources(self, names: Collection[str]) -> dict[str, str]:
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

    @property
    def _only_adds(self) -> bool:
        """Whether cotangents are handed on as they are, or summed: a `Product` need not be multiplied out for that."""
        products = [self.product("out_bar", 0, i, False) for i in self._needed]
        arrays = all(self.kinds[i] == "array" for i in self._needed)
        return len(self.outputs) == 1 and arrays and all(product in ("out_bar", "-out_bar") for product in products)

    def _pullback_body(self, conjugate: bool, fused: str) -> list[str]:
        needed = self._needed
        zeros = ", ".join("ZERO" if i in needed else "NO_TANGENT" for i in range(len(self.needs)))
        results = ", ".join(f"{self.form.arguments[i]}_bar" if i in needed else "NO_TANGENT" for i in range(len(self.needs)))
        lines = [*self._admit(f"({zeros},)"), *(self._fused_cotangents(fused, results) if fused else ())]
        for i in needed:
            lines += [f"    {line}" for line in self._cotangent(i, conjugate)]
        return [*lines, f"    return ({results},)"]

    def _fused_cotangents(self, fused: str, results: str) -> Iterator[str]:
        """An early return with all cotangents, which the library computes in one go."""
        bars = ", ".join(f"{self.form.arguments[i]}_bar" for i in self._needed)
        yield "    if type(out_bar) in native:"
        yield f"        bars = fused({fused})"
        yield "        if bars is not None:"
        yield f"            ({bars},) = bars"
        yield f"            return ({results},)"

    def _fused(self, conjugate: bool) -> str:
        """What `fused` is called with, operands and spaces; nothing where there is no such function."""
        operands = self.fuse([self.product("out_bar", 0, i, conjugate) for i in self._needed], ("out_bar",))
        return f"({operands},), ({', '.join(map(self._space, self._needed))},)" if operands else ""

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
                "    out_bar = space.admit(out_bar, label)",
                f"    if out_bar is ZERO: return {zeros}",
                *(f"    {out}_bar = out_bar[{k}]" for k, out in enumerate(self.outputs)),
            ]
        return [
            "    try:",
            "        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype",
            "    except AttributeError:",
            "        regular = False",
            "    if not regular:",
            "        out_bar = admit(out_bar, out_shape, out_dtype, label)",
            f"        if out_bar is ZERO: return {zeros}",
        ]

    def _cotangent(self, i: int, conjugate: bool) -> Iterator[str]:
        a = self.form.arguments[i]
        terms = [(out, self.product(f"{out}_bar", k, i, conjugate)) for k, out in enumerate(self.outputs)]
        if len(terms) == 1:
            if terms[0][1] is None or self.is_tangent(0, i):
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

    def _fit(self, i: int, a: str, unless: str) -> Iterator[str]:
        if self.kinds[i] == "number":
            yield f"{a}_bar = fit_number({a}_bar, {a}_class)"
        elif self._keeps_shape:
            yield f"if {unless}{a}_bar.dtype is not {a}_dtype: {a}_bar = fit({a}_bar, out_shape, {a}_dtype)"
        else:
            different = f"({a}_bar.shape != {a}_shape or {a}_bar.dtype is not {a}_dtype)"
            yield f"if {unless}{different}: {a}_bar = fit({a}_bar, {a}_shape, {a}_dtype)"


def _sequence(names: Iterable[str]) -> str:
    """What stands between the parentheses of a tuple."""
    return ", ".join([*names, ""]).rstrip()
