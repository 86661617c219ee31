"""This module writes the Python that a scalar rule runs, for one pattern of argument kinds, needs
and array library.

The stage for `multiply` with both arguments needed, and its pullback (`staging` says what these
are):

    def multiply_stage(x1, x2):
        out = primal(x1, x2)
        if out.dtype.kind == "c":
            return conjugating(out, x1, x2)
        return out, multiply_pull, (out.dtype, out.shape, x1, x2)

    def multiply_pull(residuals, out_bar):
        (out_dtype, out_shape, x1, x2) = residuals
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
        if x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype: x1_bar = fit(x1_bar, x1_shape, x1_dtype)
        ...
        return (x1_bar, x2_bar,)

    multiply_pull.careful = careful

    def multiply_rrule(x1, x2):
        out, pull, residuals = multiply_stage(x1, x2)
        return out, partial(pull_strictly, pull, residuals)

    multiply_rrule.stage = multiply_stage

`careful` is the pullback with strong products, given what the quick one keeps, which is called
where zero meets infinity (see `strictness`).

What an engine pays per operation is in these lines; they were chosen by measurement (an attribute
comparison is 20 to 40 ns).

A library that can compute several products at once (one kernel on a device) says so by
`ArrayLibrary.fuse`. It is asked

    fuse(name, sources, operands, scope) -> fused or None

for a function that evaluates the expressions `sources` of the variables `operands`; what else they
name is in `scope`. Where it makes one, the generated rule asks that first, if the cotangent (or
each tangent) is one of the library's own arrays:

    bars = fused((out_bar, x1, x2), ((x1_shape, x1_dtype), (x2_shape, x2_dtype)))

Each result is brought to its shape and dtype (of a Python number: shape () and its class). None
means: not for these types, go on as for everybody. Of a tape, which has a cotangent of the same
value already, it may be asked

    added = fused.onto((out_bar, x1, x2), spaces, slots, accumulators)

that is to add each result to the accumulator at its slot (`accumulation`), in the same go. False
means: nothing was done. Of one that knows that the next pullback may only sum it, for the one
result as a `Product`, or None:

    product = fused.later((out_bar, x1, x2), spaces)
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.makers.definition import Kind, Pattern, ScalarForm
from chainrules_py.makers.forward_lines import ForwardLines
from chainrules_py.makers.lines import Lines
from chainrules_py.makers.reverse_lines import ReverseLines
from chainrules_py.values.arrays import ArrayLibrary

Function = Callable[..., Any]
Write = Callable[[ScalarForm, Pattern], Function]


def specialised(
    write: Write,
    form: ScalarForm,
    types: tuple[type, ...],
    needs: tuple[bool, ...],
    library: ArrayLibrary,
) -> Function:
    """Find or compile the function that `write` makes for arguments of these classes."""
    return written(write, form, Pattern(tuple([kind_of(cls) for cls in types]), needs, library))


def kind_of(cls: type) -> Kind:
    """Say how a generated rule treats an argument of this class: anything with a shape and dtype is
    an array.
    """
    if issubclass(cls, float | complex | int) and not hasattr(cls, "dtype"):
        return "constant" if issubclass(cls, int) else "number"
    return "array"


def written(write: Write, form: ScalarForm, pattern: Pattern) -> Function:
    """Find or compile the function that `write` makes for a pattern: it is compiled once for all
    tables and engines.
    """
    key = (write, pattern)
    if key not in form.written:
        form.written[key] = write(form, pattern)
    return form.written[key]


def written_later(write: Write, form: ScalarForm, pattern: Pattern) -> Function:
    """Return a function that is compiled when it is called for the first time."""

    def write_and_call(*args: Any) -> Any:
        return written(write, form, pattern)(*args)

    return write_and_call


def write_reverse(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the reverse rule for one pattern, together with its stage."""
    writer = _reverse_lines(form, pattern)
    return writer.define(f"{writer.name}_rrule", writer.rule())


def write_complex_stage(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the stage for a complex output; it is called with that output, which is computed
    already.
    """
    writer = _reverse_lines(form, pattern)
    return writer.define(f"{writer.name}_stage", writer.stage())


def _reverse_lines(form: ScalarForm, pattern: Pattern) -> ReverseLines:
    writer = ReverseLines(form, pattern)
    writer.scope |= {
        "conjugating": written_later(write_complex_stage, form, pattern._replace(conjugates=True)),
        "careful": written_later(write_careful_pull, form, pattern._replace(careful=True)),
    }
    return writer


def write_careful_pull(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the pullback with strong products, which takes what the quick pullback keeps."""
    writer = ReverseLines(form, pattern)
    return writer.define(
        f"{writer.name}_pull",
        writer.pull(ReverseLines(form, pattern._replace(careful=False)).unpack),
    )


def write_forward(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the forward rule for one pattern; in forward, `needs` says which tangents are not
    zero.
    """
    writer = ForwardLines(form, pattern)
    writer.scope["careful"] = written_later(
        write_careful_forward, form, pattern._replace(careful=True)
    )
    head = f"def {writer.name}_frule(dots, {writer.parameters}):"
    return writer.define(f"{writer.name}_frule", [head, *writer.call(), *writer.tangents()])


def write_careful_forward(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the forward rule with strong products; it is called with the output, which is
    computed already.
    """
    writer = ForwardLines(form, pattern)
    head = f"def {writer.name}_careful_frule(out, dots, {writer.parameters}):"
    return writer.define(
        f"{writer.name}_careful_frule", [head, *writer.unpack_outputs(), *writer.tangents()]
    )


def write_partials(form: ScalarForm, pattern: Pattern) -> Function:
    """Compile the function that gives the partials, one tuple per output, from the output and the
    arguments.
    """
    writer = Lines(form, pattern)
    rows = [
        f"({', '.join(writer.partial(k, i) for i in range(len(form.arguments)))},)"
        for k in range(len(writer.outputs))
    ]
    head = f"def {writer.name}_partials(out, {writer.parameters}):"
    return writer.define(
        f"{writer.name}_partials",
        [head, *writer.unpack_outputs(), f"    return ({', '.join(rows)},)"],
    )
