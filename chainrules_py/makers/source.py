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
            token = strict()
            try:
                try:
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
                finally:
                    relax(token)
            except FloatingPointError:
                return careful((out_dtype, out_shape, x1, x2), out_bar)
        return out, multiply_pullback

`strict` makes zero times infinity raise, and `careful` computes the same with strong products (see `strictness`).

What an engine pays per operation is in these lines; they were chosen by measurement (an attribute comparison is 20 to 40 ns).

A library that can compute several products at once (one kernel on a device) says so by `ArrayLibrary.fuse`. It is asked

    fuse(name, sources, operands, scope) -> fused or None

for a function that evaluates the expressions `sources` of the variables `operands`; what else they name is in `scope`. Where
it makes one, the generated rule asks that first, if the cotangent (or each tangent) is one of the library's own arrays:

    bars = fused((out_bar, x1, x2), ((x1_shape, x1_dtype), (x2_shape, x2_dtype)))

Each result is brought to its shape and dtype (of a Python number: shape () and its class). None means: not for these types,
go on as for everybody. Of a tape, which has a cotangent of the same value already, it may be asked

    added = fused.onto((out_bar, x1, x2), spaces, slots, accumulators)

that is to add each result to the accumulator at its slot (`accumulation`), in the same go. False means: nothing was done. Of
one that knows that the next pullback may only sum it, for the one result as a `Product`, or None:

    product = fused.later((out_bar, x1, x2), spaces)
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from chainrules_py.arrays import ArrayLibrary
from chainrules_py.makers.forward_lines import ForwardLines
from chainrules_py.makers.lines import Kind, Lines
from chainrules_py.makers.reverse_lines import ReverseLines

if TYPE_CHECKING:
    from chainrules_py.makers.scalar import ScalarForm


def kind_of(cls: type) -> Kind:
    """How a generated rule treats an argument of this class: anything with a shape and dtype is an array."""
    if issubclass(cls, float | complex | int) and not hasattr(cls, "dtype"):
        return "constant" if issubclass(cls, int) else "number"
    return "array"


def compile_reverse(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The reverse rule for one pattern."""
    writer = ReverseLines(form, kinds, needs, library)
    name = writer.name
    body = [
        f"def {name}_rrule({writer.parameters}):",
        *writer.call(),
        f"    if {writer.outputs[0]}.dtype.kind == 'c':",
        f"        return conjugating(out, {writer.parameters})",
        *writer.pullback(conjugate=False),
    ]

    def conjugating(out: Any, *args: Any) -> Any:
        return form.specialised(compile_conjugating, kinds, needs, library)(out, *args)

    writer.scope |= {"conjugating": conjugating, "careful": careful_pull(form, kinds, needs, library, conjugate=False)}
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
    writer = ReverseLines(form, kinds, needs, library)
    head = [
        f"def {writer.name}_stage({writer.parameters}):",
        *writer.call(),
        f"    if {writer.outputs[0]}.dtype.kind == 'c':",
        f"        return conjugating(out, {writer.parameters})",
    ]

    def conjugating(out: Any, *args: Any) -> Any:
        return form.specialised(compile_staged_conjugating, kinds, needs, library)(out, *args)

    writer.scope |= {"conjugating": conjugating, "careful": careful_pull(form, kinds, needs, library, conjugate=False)}
    return writer.define(f"{writer.name}_stage", writer.staged(head, conjugate=False))


def careful_pull(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary, conjugate: bool
) -> Callable[..., Any]:
    """The staged pullback with strong products, which is written when it is called for the first time."""
    compiler = compile_careful_conjugating if conjugate else compile_careful

    def careful(kept: Any, out_bar: Any) -> Any:
        return form.specialised(compiler, kinds, needs, library)(kept, out_bar)

    return careful


def compile_careful(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary, conjugate: bool = False
) -> Callable[..., Any]:
    """The staged pullback with strong products, for a real output."""
    writer = ReverseLines(form, kinds, needs, library, careful=True)
    return writer.define(f"{writer.name}_pull", writer.careful_pull(conjugate))


def compile_careful_conjugating(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The staged pullback with strong products, for a complex output."""
    return compile_careful(form, kinds, needs, library, conjugate=True)


def compile_staged_conjugating(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The staged form for a complex output, from the output on."""
    writer = ReverseLines(form, kinds, needs, library)
    head = [f"def {writer.name}_stage(out, {writer.parameters}):", *writer.unpack_outputs()]
    writer.scope["careful"] = careful_pull(form, kinds, needs, library, conjugate=True)
    return writer.define(f"{writer.name}_stage", writer.staged(head, conjugate=True))


def compile_conjugating(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The reverse rule for a complex output, from the output on."""
    writer = ReverseLines(form, kinds, needs, library)
    writer.scope["careful"] = careful_pull(form, kinds, needs, library, conjugate=True)
    head = f"def {writer.name}_complex_rrule(out, {writer.parameters}):"
    return writer.define(f"{writer.name}_complex_rrule", [head, *writer.unpack_outputs(), *writer.pullback(conjugate=True)])


def compile_forward(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The forward rule for one pattern; in forward, needs says which tangents are not zero."""
    writer = ForwardLines(form, kinds, needs, library)

    def careful(*args: Any) -> Any:
        return form.specialised(compile_careful_forward, kinds, needs, library)(*args)

    writer.scope["careful"] = careful
    head = f"def {writer.name}_frule(dots, {writer.parameters}):"
    return writer.define(f"{writer.name}_frule", [head, *writer.call(), *writer.tangents()])


def compile_careful_forward(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The forward rule with strong products, from the output on."""
    writer = ForwardLines(form, kinds, needs, library, careful=True)
    head = f"def {writer.name}_careful_frule(out, dots, {writer.parameters}):"
    return writer.define(f"{writer.name}_careful_frule", [head, *writer.unpack_outputs(), *writer.tangents()])


def compile_partials(
    form: "ScalarForm", kinds: tuple[Kind, ...], needs: tuple[bool, ...], library: ArrayLibrary
) -> Callable[..., Any]:
    """The values of the partials, one tuple per output, from the output and the arguments."""
    writer = Lines(form, kinds, needs, library)
    rows = [f"({', '.join(writer.partial(k, i) for i in range(len(form.arguments)))},)" for k in range(len(writer.outputs))]
    head = f"def {writer.name}_partials(out, {writer.parameters}):"
    return writer.define(f"{writer.name}_partials", [head, *writer.unpack_outputs(), f"    return ({', '.join(rows)},)"])
