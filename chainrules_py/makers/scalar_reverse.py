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

The pullback is written first: the names that it reads say what the stage keeps. Its attribute
`careful` is the pullback with strong products, given the same residuals, which is called where zero
meets infinity (see `strictness`). The rule closes the stage.

An engine runs these lines once per operation. They were chosen by measurement: an attribute
comparison takes 20 to 40 ns, and to call a partial as a function 50 ns more than to write it out.
"""

from chainrules_py.annotations import Function
from chainrules_py.makers.definition import Pattern, ScalarForm, written_later
from chainrules_py.makers.expressions import Expression
from chainrules_py.makers.fusing import fused_operands
from chainrules_py.makers.products import fit_number
from chainrules_py.makers.scalar_source import ScalarSource
from chainrules_py.makers.staging import Stage, closed_by_position
from chainrules_py.makers.writing import tuple_entries, words_of_body
from chainrules_py.projection import fit
from chainrules_py.projection.admission import admit_dense
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractTangent
from chainrules_py.values.identity import qualified_name


def write_reverse(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the stage for one pattern, and make the rule of it."""
    writer = ReverseSource(form, pattern)
    return closed_by_position(writer.stage(), len(form.arguments), writer.multiplies)


def write_complex_stage(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the stage for a complex output; the computed output is an argument of it."""
    return ReverseSource(form, pattern).stage()


def write_careful_pull(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the pullback with strong products, for the residuals of the quick pullback."""
    writer = ReverseSource(form, pattern)
    quick = ReverseSource(form, pattern._replace(careful=False))
    writer.residuals, writer.derived = quick.residuals, quick.derived
    writer.write_pull()
    return writer.compiled(f"{writer.name}_pull")


class ReverseSource(ScalarSource):
    """Writes the stage, which computes the output, and the pullback for one pattern of calls."""

    def __init__(self, form: ScalarForm, pattern: Pattern) -> None:
        super().__init__(form, pattern)
        self.needed = [i for i, need in enumerate(pattern.needs) if need and self._has_tangent(i)]
        self.products = {i: self._products(i) for i in self.needed}
        self.multiplies = any(map(self.may_be_infinite, self.needed))
        # With one argument and one output nothing can have been broadcast.
        self.keeps_shape = len(form.arguments) == 1 and len(form.partials) == 1
        self.fused = self._fused()
        self._write_body()
        self.body = self.take()
        self._find_residuals(words_of_body(self.body))

    def _has_tangent(self, i: int) -> bool:
        if self.pattern.kinds[i] == "constant":
            return False
        return not self.form.is_constant(i)

    def _products(self, i: int) -> list[str]:
        """Write one product per output for an argument, empty where it is zero."""
        conjugate = self.pattern.conjugates
        return [self.product(f"{out}_bar", k, i, conjugate) for k, out in enumerate(self.outputs)]

    def _fused(self) -> str:
        """Write what the array library's function of all cotangents is called with, if any."""
        products = [products[0] for products in self.products.values()]
        if len(self.outputs) > 1 or self.pattern.careful or "" in products:
            return ""
        library, seeds = self.pattern.library, ["out_bar"]
        operands = fused_operands(library, self.name, products, seeds, self.scope)
        return f"({operands},), ({', '.join(map(self._space, self.needed))},)" if operands else ""

    def _space(self, i: int) -> str:
        """Write the shape and the dtype of a cotangent."""
        a = self.arguments[i]
        if a in self.numbers:
            return f"((), {a}_class)"
        return f"({'out' if self.keeps_shape else a}_shape, {a}_dtype)"

    def _find_residuals(self, read: set[str]) -> None:
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

    def stage(self) -> Stage:
        """Compile the stage and its pullback, with the attributes that engines ask for."""
        self._write_stage()
        self.write_pull()
        if self.fused:
            self._write_fused_pulls()
        stage: Stage = self.compiled(f"{self.name}_stage")
        kept = [i for i, argument in enumerate(self.arguments) if argument in self.residuals]
        stage.keeps = frozenset(kept)  # type: ignore[attr-defined]

        pull = self.scope[f"{self.name}_pull"]
        if self.fused:
            pull.onto, pull.later = (
                self.scope[f"{self.name}_onto"],
                self.scope[f"{self.name}_later"],
            )
        if self._only_adds():
            pull.takes_products = True
        if self.multiplies:
            careful = self.pattern._replace(careful=True)
            pull.careful = written_later(write_careful_pull, self.form, careful)
        return stage

    def _write_stage(self) -> None:
        """Write the function that computes the output and what the pullback needs of the call."""
        name, form, pattern = self.name, self.form, self.pattern
        parameters = f"out, {self.parameters}" if pattern.conjugates else self.parameters
        with self.block(f"def {name}_stage({parameters}):"):
            if pattern.conjugates:
                self.write_outputs()
            else:
                complex_pattern = pattern._replace(conjugates=True)
                self.write_call()
                self.write(
                    f"""
                    if {self.outputs[0]}.dtype.kind == 'c':
                        return conjugating(out, {self.parameters})
                    """,
                    conjugating=written_later(write_complex_stage, form, complex_pattern),
                )
            kept = tuple_entries(self.residuals.values())
            self.write(f"return out, {name}_pull, ({kept})", admitting_space=admitting_space)

    def write_pull(self) -> None:
        """Write the pullback."""
        with self.block(f"def {self.name}_pull(residuals, out_bar):"):
            self._write_unpacking()
            self.add(self.body)

    def _write_unpacking(self) -> None:
        """Write the lines that name the residuals, and what is read off them."""
        if self.residuals:
            self.write(f"({tuple_entries(self.residuals)}) = residuals")
        for name, text in self.derived.items():
            self.write(f"{name} = {text}")

    def _write_body(self) -> None:
        """Write the lines from the cotangent of the output to those of the arguments."""
        bars, zeros = [], []
        for i, argument in enumerate(self.arguments):
            bars.append(f"{argument}_bar" if i in self.needed else "NO_TANGENT")
            zeros.append("ZERO" if i in self.needed else "NO_TANGENT")
        results = f"return ({', '.join(bars)},)"
        self._write_admission(f"if out_bar is ZERO: return ({', '.join(zeros)},)")
        if self.fused:
            self.write(
                f"""
                if type(out_bar) in native:
                    bars = fused({self.fused})
                    if bars is not None:
                        ({", ".join(bars[i] for i in self.needed)},) = bars
                        {results}
                """
            )
        for i in self.needed:
            self._write_cotangent(i)
        self.write(results, NO_TANGENT=NO_TANGENT)

    def _write_admission(self, if_zero: str) -> None:
        """Write the lines that bring the cotangent into the output's space, and return at zero."""
        label = f"the pullback of rrule({qualified_name(self.form.primal)}) at {self.form.where}"
        if len(self.outputs) > 1:
            self.write("out_bar = space.admit(out_bar, label)", label=label)
            self.write(if_zero, ZERO=ZERO)
            for k, out in enumerate(self.outputs):
                self.write(f"{out}_bar = out_bar[{k}]")
            return
        self.write(
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

    def _write_cotangent(self, i: int) -> None:
        """Write the lines that compute the cotangent of an argument."""
        bar, products = f"{self.arguments[i]}_bar", self.products[i]
        if len(products) > 1:
            self.write(f"{bar} = ZERO", ZERO=ZERO)
            for out, product in zip(self.outputs, products, strict=True):
                if product:
                    self.write(f"if {out}_bar is not ZERO: {bar} = {bar} + {product}")
            self._write_fit(i, f"not issubclass(type({bar}), AbstractTangent) and ")
        elif not products[0]:
            self.write(f"{bar} = ZERO", ZERO=ZERO)
        elif self.is_tangent(0, i):
            self.write(f"{bar} = {products[0]}")
        elif products[0] == "-out_bar":  # negated after the sum over what was broadcast
            self.write(f"{bar} = out_bar")
            self._write_fit(i)
            self.write(f"{bar} = -{bar}")
        else:
            self.write(f"{bar} = {products[0]}")
            if isinstance(self.form.partials[0][i], Expression):
                self._write_fit(i)
            else:  # a function may say that a derivative is not implemented
                self._write_fit(i, f"not issubclass(type({bar}), AbstractTangent) and ")

    def _write_fit(self, i: int, unless: str = "") -> None:
        """Write the line that brings a cotangent to the shape and dtype of its argument."""
        a = self.arguments[i]
        if a in self.numbers:
            self.write(f"{a}_bar = fit_number({a}_bar, {a}_class)", fit_number=fit_number)
            return
        shape, differs = "out_shape", f"{a}_bar.dtype is not {a}_dtype"
        if not self.keeps_shape:
            shape, differs = f"{a}_shape", f"({a}_bar.shape != {a}_shape or {differs})"
        self.write(
            f"if {unless}{differs}: {a}_bar = fit({a}_bar, {shape}, {a}_dtype)",
            AbstractTangent=AbstractTangent,
            fit=fit,
        )

    def _only_adds(self) -> bool:
        """Whether cotangents are handed on as they are, or summed.

        A `Product` need not be multiplied out for that.
        """
        hands_on = all(each in (["out_bar"], ["-out_bar"]) for each in self.products.values())
        return hands_on and all(self.arguments[i] not in self.numbers for i in self.needed)

    def _write_fused_pulls(self) -> None:
        """Write two more forms of the pullback: one adds to accumulators, one postpones."""
        slots = ", ".join(f"slots[{i}]" for i in self.needed)
        onto = f"fused.onto({self.fused}, ({slots},), accumulators)"
        later = f"fused.later({self.fused})"
        for form, more, call, otherwise in (
            ("onto", ", slots, accumulators", onto, "False"),
            ("later", "", later, "None"),
        ):
            differs = "out_bar.shape != out_shape or out_bar.dtype != out_dtype"
            with self.block(f"def {self.name}_{form}(residuals, out_bar{more}):"):
                self._write_unpacking()
                self.write(
                    f"""
                    if type(out_bar) not in native or {differs}:
                        return {otherwise}
                    return {call}
                    """
                )
