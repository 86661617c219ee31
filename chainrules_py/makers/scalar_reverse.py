"""Write the reverse rule of a scalar function: the stage and its pullback (see `staging`).

For `multiply` of two arrays, both of them needed, this module writes

    def multiply_stage(x1, x2):
        out = primal(x1, x2)
        if out.dtype.kind == 'c':
            return conjugating(out, x1, x2)
        return out, multiply_pull, (out.dtype, out.shape, x1, x2,)

    def multiply_pull(residuals, out_bar):
        (out_dtype, out_shape, x1, x2,) = residuals
        x1_shape = x1.shape
        ...
        try:
            regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
        except AttributeError:
            regular = False
        if not regular:
            out_bar = admit(out_bar, out_shape, out_dtype, label)
            if out_bar is ZERO: return (ZERO, ZERO,)
        x1_bar = out_bar * (x2)
        if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(...)
        ...
        return (x1_bar, x2_bar,)

    multiply_pull.careful = careful

    def multiply_rrule(x1, x2):
        out, pull, residuals = multiply_stage(x1, x2)
        return out, partial(pull_strictly, pull, residuals)

    multiply_stage.keeps = frozenset([0, 1])
    multiply_rrule.stage = multiply_stage

The pullback is written first: the names that it reads say what the stage keeps. `careful` is the
pullback with strong products, given the same residuals, which is called where zero meets infinity
(see `strictness`).

An engine runs these lines once per operation. They were chosen by measurement: an attribute
comparison takes 20 to 40 ns, and to call a partial as a function 50 ns more than to write it out.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from chainrules_py.makers.definition import Pattern, ScalarForm
from chainrules_py.makers.fusing import Fusion, fusion
from chainrules_py.makers.patterns import written_later
from chainrules_py.makers.products import fit_number
from chainrules_py.makers.scalar_source import ScalarSource
from chainrules_py.makers.staging import pull_strictly
from chainrules_py.makers.writing import Piece, Source, entries, names_read
from chainrules_py.projection import fit
from chainrules_py.projection.admission import admit_dense
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractTangent
from chainrules_py.values.identity import qualified_name


def write_reverse(form: ScalarForm, pattern: Pattern) -> Callable[..., Any]:
    """Compile the reverse rule for one pattern, together with its stage."""
    writer, source = ReverseSource(form, pattern), Source()
    writer.write_stage(source)
    writer.write_pull(source)
    writer.write_attributes(source)
    writer.write_rule(source)
    name = f"{writer.name}_rrule"
    return source.compile(name, writer.origin(name))


def write_complex_stage(form: ScalarForm, pattern: Pattern) -> Callable[..., Any]:
    """Compile the stage for a complex output; the computed output is an argument of it."""
    writer, source = ReverseSource(form, pattern), Source()
    writer.write_stage(source)
    writer.write_pull(source)
    writer.write_attributes(source)
    name = f"{writer.name}_stage"
    return source.compile(name, writer.origin(name))


def write_careful_pull(form: ScalarForm, pattern: Pattern) -> Callable[..., Any]:
    """Compile the pullback with strong products, for the residuals of the quick pullback."""
    writer, source = ReverseSource(form, pattern), Source()
    quick = ReverseSource(form, pattern._replace(careful=False))
    writer.write_pull(source, quick)
    name = f"{writer.name}_pull"
    return source.compile(name, writer.origin(name))


class ReverseSource(ScalarSource):
    """Writes the stage, which computes the output, and the pullback for one pattern of calls."""

    def __init__(self, form: ScalarForm, pattern: Pattern) -> None:
        super().__init__(form, pattern)
        self.needed = [i for i, need in enumerate(pattern.needs) if need and self._has_tangent(i)]
        self.products = {i: self._products(i) for i in self.needed}
        self.multiplies = any(map(self.may_be_infinite, self.needed))
        # With one argument and one output nothing can have been broadcast.
        self.keeps_shape = len(form.arguments) == 1 and len(form.partials) == 1
        self.fusion = self._fusion()

        self.body = Source()
        self._write_body(self.body)
        self._find_residuals(frozenset(names_read(self.body.lines)))

    def _has_tangent(self, i: int) -> bool:
        if self.pattern.kinds[i] == "constant":
            return False
        return any(row[i] is not NO_TANGENT for row in self.form.partials)

    def _products(self, i: int) -> list[Piece | None]:
        """Write one product per output for an argument, None where it is zero."""
        conjugate = self.pattern.conjugates
        return [self.product(f"{out}_bar", k, i, conjugate) for k, out in enumerate(self.outputs)]

    def _fusion(self) -> Fusion | None:
        """Make one function of the array library that computes all cotangents, if there is one."""
        if len(self.outputs) > 1 or self.pattern.careful:
            return None
        products = [product for (product,) in self.products.values() if product is not None]
        if len(products) < len(self.needed):
            return None
        return fusion(self.pattern.library, self.name, products, ["out_bar"])

    def _find_residuals(self, read: frozenset[str]) -> None:
        """Find what the stage keeps, and what is read off that, as expressions by name.

        Shapes and dtypes of arrays that are kept anyway are read off these in the pullback: a
        million operations later, an object that is not there need not be fetched from memory.
        """
        values = read & {"out", *self.outputs, *self.arguments}
        attributes = {"space": "admitting_space(out)"}
        for value in ("out", *self.arguments):
            attributes[f"{value}_shape"] = f"{value}.shape"
            attributes[f"{value}_dtype"] = f"{value}.dtype"
            attributes[f"{value}_class"] = f"type({value})"
        if self.keeps_shape and self.pattern.kinds == ("array",) and "out" not in read:
            attributes["out_shape"] = f"{self.arguments[0]}.shape"
        attributes = {name: text for name, text in attributes.items() if name in read}

        self.derived = {
            name: text for name, text in attributes.items() if text.split(".")[0] in values
        }
        kept = sorted({*values, *attributes} - self.derived.keys())
        self.residuals = {name: attributes.get(name, name) for name in kept}

    def write_stage(self, source: Source) -> None:
        """Write the function that computes the output and what the pullback needs of the call."""
        name, form, pattern = self.name, self.form, self.pattern
        parameters = f"out, {self.parameters}" if pattern.conjugates else self.parameters
        with source.block(f"def {name}_stage({parameters}):"):
            if pattern.conjugates:
                self.write_outputs(source)
            else:
                complex_pattern = pattern._replace(conjugates=True)
                self.write_call(source)
                source.write(
                    f"""
                    if {self.outputs[0]}.dtype.kind == 'c':
                        return conjugating(out, {self.parameters})
                    """,
                    conjugating=written_later(write_complex_stage, form, complex_pattern),
                )
            kept = entries(self.residuals.values())
            source.write(f"return out, {name}_pull, ({kept})", admitting_space=admitting_space)

    def write_pull(self, source: Source, quick: "ReverseSource | None" = None) -> None:
        """Write the pullback; a careful one takes the residuals of the quick one."""
        with source.block(f"def {self.name}_pull(residuals, out_bar):"):
            (quick or self).write_unpacking(source)
            source.include(self.body)

    def write_unpacking(self, source: Source) -> None:
        """Write the lines that name the residuals, and what is read off them."""
        if self.residuals:
            source.write(f"({entries(self.residuals)}) = residuals")
        for name, text in self.derived.items():
            source.write(f"{name} = {text}")

    def _write_body(self, source: Source) -> None:
        """Write the lines from the cotangent of the output to those of the arguments."""
        bars, zeros = [], []
        for i, argument in enumerate(self.arguments):
            bars.append(f"{argument}_bar" if i in self.needed else "NO_TANGENT")
            zeros.append("ZERO" if i in self.needed else "NO_TANGENT")
        self._write_admission(source, zeros)
        if self.fusion is not None:
            found = [bars[i] for i in self.needed]
            self.fusion.write_cotangents(source, found, self._spaces(), bars)
        for i in self.needed:
            self._write_cotangent(source, i)
        source.write(f"return ({', '.join(bars)},)", NO_TANGENT=NO_TANGENT)

    def _write_admission(self, source: Source, zeros: Iterable[str]) -> None:
        """Write the lines that bring the cotangent into the output's space, and return at zero."""
        label = f"the pullback of rrule({qualified_name(self.form.primal)}) at {self.form.where}"
        if_zero = f"if out_bar is ZERO: return ({', '.join(zeros)},)"
        if len(self.outputs) > 1:
            source.write("out_bar = space.admit(out_bar, label)", label=label)
            source.write(if_zero, ZERO=ZERO)
            for k, out in enumerate(self.outputs):
                source.write(f"{out}_bar = out_bar[{k}]")
            return
        source.write(
            f"""
            try:
                regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
            except AttributeError:
                regular = False
            if not regular:
                out_bar = admit(out_bar, out_shape, out_dtype, label)
                {if_zero}
            """,
            admit=admit_dense,
            label=label,
            ZERO=ZERO,
        )

    def _write_cotangent(self, source: Source, i: int) -> None:
        """Write the lines that compute the cotangent of an argument."""
        bar, products = f"{self.arguments[i]}_bar", self.products[i]
        if len(products) > 1:
            source.write(f"{bar} = ZERO", ZERO=ZERO)
            for out, product in zip(self.outputs, products, strict=True):
                if product is not None:
                    added = f"{bar} = {bar} + {product.text}"
                    source.write(f"if {out}_bar is not ZERO: {added}", **product.names)
            unless = f"not isinstance({bar}, AbstractTangent) and "
            source.scope["AbstractTangent"] = AbstractTangent
            self._write_fit(source, i, unless)
            return

        (product,) = products
        if product is None:
            source.write(f"{bar} = ZERO", ZERO=ZERO)
        elif self.is_tangent(0, i):
            source.write(f"{bar} = {product.text}", **product.names)
        elif product.text == "-out_bar":  # negated after the sum over what was broadcast
            source.write(f"{bar} = out_bar")
            self._write_fit(source, i)
            source.write(f"{bar} = -{bar}")
        else:
            source.write(f"{bar} = {product.text}", **product.names)
            self._write_fit(source, i)

    def _write_fit(self, source: Source, i: int, unless: str = "") -> None:
        """Write the line that brings a cotangent to the shape and dtype of its argument."""
        a = self.arguments[i]
        if self.pattern.kinds[i] == "number":
            source.write(f"{a}_bar = fit_number({a}_bar, {a}_class)", fit_number=fit_number)
        elif self.keeps_shape:
            differs = f"{a}_bar.dtype is not {a}_dtype"
            fitted = f"fit({a}_bar, out_shape, {a}_dtype)"
            source.write(f"if {unless}{differs}: {a}_bar = {fitted}", fit=fit)
        else:
            differs = f"({a}_bar.shape != {a}_shape or {a}_bar.dtype is not {a}_dtype)"
            fitted = f"fit({a}_bar, {a}_shape, {a}_dtype)"
            source.write(f"if {unless}{differs}: {a}_bar = {fitted}", fit=fit)

    def _spaces(self) -> list[str]:
        """Write the shape and dtype of each cotangent that is needed."""
        spaces = []
        for i in self.needed:
            a = self.arguments[i]
            shape = "out_shape" if self.keeps_shape else f"{a}_shape"
            is_number = self.pattern.kinds[i] == "number"
            spaces.append(f"((), {a}_class)" if is_number else f"({shape}, {a}_dtype)")
        return spaces

    def write_attributes(self, source: Source) -> None:
        """Write the attributes of the pullback that engines ask for: its other forms."""
        name = f"{self.name}_pull"
        if self.fusion is not None:
            spaces, unpack = self._spaces(), self.write_unpacking
            self.fusion.write_onto(source, self.name, spaces, self.needed, unpack)
            self.fusion.write_later(source, self.name, spaces, unpack)
        if self._only_adds():
            source.write(f"{name}.takes_products = True")
        if self.multiplies:
            careful = self.pattern._replace(careful=True)
            careful_pull = written_later(write_careful_pull, self.form, careful)
            source.write(f"{name}.careful = careful", careful=careful_pull)

    def _only_adds(self) -> bool:
        """Whether cotangents are handed on as they are, or summed.

        A `Product` need not be multiplied out for that.
        """
        for i, products in self.products.items():
            texts = [product and product.text for product in products]
            if self.pattern.kinds[i] != "array" or texts not in (["out_bar"], ["-out_bar"]):
                return False
        return True

    def write_rule(self, source: Source) -> None:
        """Write the rule that closes the stage, as `closed` does.

        Parameters with names make a call 5 to 10 % cheaper.
        """
        name, call = self.name, "pull_strictly, pull" if self.multiplies else "pull"
        kept = [i for i, argument in enumerate(self.arguments) if argument in self.residuals]
        source.write(
            f"""
            def {name}_rrule({self.parameters}):
                out, pull, residuals = {name}_stage({self.parameters})
                return out, partial({call}, residuals)
            {name}_stage.keeps = frozenset({kept})
            {name}_rrule.stage = {name}_stage
            """,
            partial=functools.partial,
            pull_strictly=pull_strictly,
        )
