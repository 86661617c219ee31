"""Numbers on a tape: operations of single numbers record their partials.

Of a number, the pullback of an elementwise function is a product by its partial, which is a number,
too. So it is computed at once, and recorded in the place of a pullback and its residuals
(`core.partials`). What computes an operation is written as Python, once per engine, from the
formulas of its scalar rule: of ``x1 * x2`` becomes, of two traced numbers of one tape,

    out = x1 * x2
    record(x1, slot2)
    record(out, x2, slot1)

Two such functions are written: the first for plain numbers in double precision, with `math`; the
second, by the first call that needs it, for numbers of other precisions, complex ones, and those
that are traced by outer levels, with NumPy's functions. Everything else takes the general path:
operands of several precisions, functions without a scalar rule, partials that are not finite, of
which NumPy warns, and where `stages` are closed.
"""

import math
import operator
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy import float64

from chainrules_py.annotations import Function
from chainrules_py.makers.definition import PartialFunction, ScalarForm
from chainrules_py.makers.expressions import Expression
from chainrules_py.makers.writing import Source, renamed
from chainrules_py.strong_zeros.strictness import relax, silence
from chainrules_py.values.operators import BINARY, SIGNS, UNARY
from chainrules_py.values.python_numbers import OPERATORS, in_numpys_form
from chainrules_py.values.records import Record
from chainrules_tape.arrays.fast_dispatch import ufunc_of
from chainrules_tape.arrays.fast_lookup import is_noted
from chainrules_tape.arrays.operators import reflected
from chainrules_tape.arrays.slow_operators import operator_of_numbers
from chainrules_tape.core.dispatch import EQUALITIES
from chainrules_tape.core.duals import HANDLE_OF as DUAL_OF
from chainrules_tape.core.levels import call_traced
from chainrules_tape.core.partials import (
    DOUBLES,
    carefully,
    is_finite,
    times_complex,
    times_partial,
    times_partial_of_two,
    times_traced,
)
from chainrules_tape.core.plans import KINKED
from chainrules_tape.core.tape import HANDLE_OF
from chainrules_tape.refusals.handles import HANDLES

Generals = Mapping[str, Function]  # the general operations, by the mode of the level
# What makes general operations of one and of two operands, by the same.
Makers = Mapping[str, tuple[Function, Function]]
NUMBERS: set[type] = set()  # the classes of handles whose operations are found here

SYMBOLS = {getattr(operator, f"__{name}__"): sign for name, sign in SIGNS.items()}

# Functions of NumPy that formulas call, on floats. They raise where NumPy's give inf or nan; others
# are called as they are, under no error state.
FLOATS = SimpleNamespace(
    **{name: getattr(math, name) for name in ("sin", "cos", "sinh", "cosh", "exp", "log", "sqrt")},
    **{name: getattr(math, name) for name in ("hypot", "copysign")},
    power=math.pow,
    where=lambda condition, x1, x2: x1 if condition else x2,
    sign=lambda x: (x > 0.0) - (x < 0.0) if x == x else x,
    floor_divide=operator.floordiv,
)


class OnTraced(SimpleNamespace):
    """NumPy's functions, but for the choice between two numbers, by which partials are computed that
    are traced. A ufunc of one argument is told so at once: NumPy takes 0.5 us to find it out.
    """

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if isinstance(found, np.ufunc) and found.nin == found.nout == 1:
            found = of_one_argument(found)
        setattr(self, name, found)
        return found


def of_one_argument(ufunc) -> Function:
    """The ufunc of a number that may be traced."""

    def call(x) -> Any:
        return x.__array_ufunc__(ufunc, "__call__", x) if type(x) in HANDLES else ufunc(x)

    return call


ON_TRACED = OnTraced(where=FLOATS.where)
WHERE_NUMPY_IS_NOT_FINITE = (ArithmeticError, ValueError)
ONLY_OF_ARRAYS = (TypeError, AttributeError)
CONSTANTS = frozenset({float, int, float64})
# The kinds of numbers that the second function takes: precision, and whether they are complex.
KINDS: dict[type, str] = {
    float: "d", float64: "d", np.float32: "f", complex: "D", np.complex128: "D",
    np.complex64: "F", int: "i", bool: "i", np.int64: "i",
}  # fmt: skip
COMPLEX = frozenset("DF")
MIXED = frozenset({("D", "d")})  # kinds of results and arguments: the derivative is the real part


class Operation(Record):
    """An operation of numbers: the function that computes it, the ufunc whose derivative it has, what
    computes it of traced numbers, and the general path in either mode.
    """

    primal: Any
    ufunc: Any
    of_traced: Function
    generals: Generals

    def of_one(self) -> Function:
        """Make the function of a number of a tape. It looks up what has been written for the engine
        of the tape.
        """

        def of_one(x) -> Any:
            try:
                run = x.level.stages[of_one]
            except KeyError:
                run = find(x.level, of_one, self, (True,))
            return self.generals[x.level.mode](x) if run is None else run(x)

        return of_one

    def of_two(self, is_second: bool) -> Any:
        """Make the function whose first argument is a number of a tape, and the first or the second
        operand.
        """
        needs = (False, True) if is_second else (True, None)
        generals = self.generals
        if is_second:
            generals = {mode: reflected(general) for mode, general in generals.items()}

        def of_two(x, other) -> Any:
            try:
                run = x.level.stages[of_two]
            except KeyError:
                run = find(x.level, of_two, self, needs)
            return generals[x.level.mode](x, other) if run is None else run(x, other)

        return of_two

    def of_both(self) -> tuple[Any, Any]:
        """Make the functions whose first argument is the first operand, and the second one."""
        first, second = self.of_two(is_second=False), self.of_two(is_second=True)
        first.exchanged, second.exchanged = second, first
        return first, second


def define_numbers(makers: Makers, classes: Sequence[Any]) -> None:
    """Define Python's operators of classes of numbers."""
    NUMBERS.update(classes)
    made = {}
    for name, ufunc in OPERATORS.items():
        primal = getattr(operator, name)
        generals = {
            mode: operator_of_numbers(ufunc, of[ufunc.nin - 1]) for mode, of in makers.items()
        }
        operation = Operation(primal, ufunc, primal, generals)
        if name in UNARY:
            made[f"__{name}__"] = operation.of_one()
            continue
        made[f"__{name}__"], second = operation.of_both()
        if name in BINARY:
            made[f"__r{name}__"] = second
    made["__pow__"] = without_modulus(made["__pow__"])
    for cls in classes:
        for name, function in made.items():
            setattr(cls, name, function)


def without_modulus(operation: Function) -> Function:
    """The power, whose third argument is refused."""

    def raised(x1, x2, modulus: Any = None) -> Any:
        if modulus is not None:
            raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
        return operation(x1, x2)

    return raised


def operation_of_numbers(primal, generals: Generals, ufunc, of_traced: Function) -> Function:
    """Make the operation of a function of one or two arguments, which may be such numbers."""
    operation = Operation(primal, ufunc, of_traced, generals)
    if ufunc.nin == 1:
        return operation.of_one()
    first, second = operation.of_both()

    def of_two(x1, x2) -> Any:
        if type(x1) in NUMBERS:
            return first(x1, x2)
        if type(x1) is np.ndarray and type(x2) in NUMBERS:
            return generals[x2.level.mode](x1, x2)
        return second(x2, x1) if type(x2) in NUMBERS else call_traced(primal, (x1, x2), {})

    return of_two


def ufunc_of_numbers(makers: Makers) -> Any:
    """Make the ``__array_ufunc__`` of numbers."""

    def make(ufunc) -> Function:
        generals = {mode: of[ufunc.nin - 1](ufunc) for mode, of in makers.items()}
        return operation_of_numbers(ufunc, generals, ufunc, ufunc)

    return ufunc_of(make, make)


def find(level, key, operation: Operation, needs: tuple[bool | None, ...]) -> Any:
    """Find what computes an operation of numbers, and store it; None for the general path."""
    found = None
    form = None if level.closed else form_of_numbers(level, operation.ufunc, float64, len(needs))
    is_asked = is_noted(level, operation.ufunc)
    if form is not None and not (is_asked and (form is not False or len(needs) == 1)):
        found = WRITERS[level.mode](level, key, operation, needs, form).written()
        if is_asked:
            found = noted(operation, found, needs)
        elif operation.ufunc in KINKED:
            found = with_general_of_traced(found, operation.generals[level.mode], needs)
    level.stages[key] = found
    return found


def noted(operation: Operation, run: Function, needs) -> Function:
    """What computes a comparison of numbers that the level notes, as slow dispatch does."""

    def compare(x, other) -> Any:
        level, value = x.level, other
        if type(other) in NUMBERS and other.level is level:
            value = other.value
        operands = (x, other) if needs[0] else (other, x)
        if type(x.value) not in DOUBLES or type(value) not in CONSTANTS:
            return operation.generals[level.mode](*operands)
        level.decisions.answer(level, operation.ufunc, operands)
        return run(x, other)

    return compare


def with_general_of_traced(run: Function, general: Function, needs) -> Function:
    """What computes a length of numbers: the general path, where they are differentiated once more."""

    def of_one(x) -> Any:
        return general(x) if type(x.value) in HANDLES else run(x)

    def of_two(x, other) -> Any:
        if type(x.value) not in HANDLES:
            return run(x, other)
        return general(other, x) if needs == (False, True) else general(x, other)

    return of_one if len(needs) == 1 else of_two


def form_of_numbers(level, ufunc, cls: type, count: int) -> Any:
    """The formulas of a scalar rule of numbers of a class; False of an operator without derivative,
    and None of all others.
    """
    engine = level.engine
    if engine.debug or getattr(ufunc, "nout", 1) != 1:
        return None
    rule = engine.table.rule_for("reverse", ufunc, (cls,) * count, engine.config)
    if rule is None:
        return None
    if not rule.differentiable:
        return False if ufunc in OPERATORS.values() else None
    form = getattr(rule.partials, "args", (None,))[0]
    if not isinstance(form, ScalarForm) or len(form.partials) != 1:
        return None
    known = all(isinstance(part, Expression | PartialFunction) for part in form.partials[0])
    return form if known else None


class Writer(Source):
    """Writes what computes an operation of numbers on a tape."""

    handles_of = HANDLE_OF
    namespace: Any = FLOATS

    def __init__(
        self, level, key: Any, operation: Operation, needs: Sequence[bool | None], form
    ) -> None:
        super().__init__()
        self.level, self.key = level, key
        self.operation, self.form, self.needs = operation, form, needs
        general = operation.generals[level.mode]
        self.general = general if needs[0] else reflected(general)
        count = len(needs)
        self.order = range(count) if needs[0] else (1, 0)
        # by names that authors of rules may not give, so that an argument `y` is not the output here
        self.names = {
            name: f"__{name}" for name in (form.arguments if form else ("x1", "x2")[:count])
        }
        self.arguments = [*self.names.values()]
        self.handles = [f"handle{name}" for name in self.arguments]
        self.all_given = ", ".join([self.handles[k] for k in self.order])
        self.scope |= {
            "__name__": __name__, "general": self.general, "primal": operation.primal,
            "Python": self.handles_of.python, "Number": self.handles_of.number,
            "float64": float64, "new": object.__new__, "pull": times_partial, "pull_of_two": times_partial_of_two,
            "constants": CONSTANTS, "handles": HANDLES, "kinds": KINDS, "arrays": {np.ndarray, self.handles_of.array},
            "otherwise": self.otherwise,
            "not_finite": WHERE_NUMPY_IS_NOT_FINITE, "only_of_arrays": ONLY_OF_ARRAYS,
        }  # fmt: skip

    def written(self) -> Function:
        """Write the function, and compile it."""
        with self.block(f"def of_numbers({self.all_given}):"):
            own = self.order[0]
            self.write_value(own)
            if self.needs == (True,):
                self.write_operation((True,))
            else:
                self.write_operations(own)
        name = getattr(self.operation.primal, "__name__", "f")
        return self.compile("of_numbers", f"<{name} of numbers>")

    def write_operations(self, own: int) -> None:
        """Write the lines for two operands, of which the first to be given is a number of the tape."""
        x, other = self.handles[own], self.handles[1 - own]
        self.write(f"cls = type({other})")
        with self.block("if cls is Python or cls is Number:"):
            self.write(f"if {x}.level is not {other}.level: return otherwise({self.all_given})")
            self.write_value(1 - own)
            self.write_operation((True, True))
        with self.block("if cls not in constants:"):
            self.write(f"return (general if cls in arrays else otherwise)({self.all_given})")
        self.write(f"{self.arguments[1 - own]} = {other}")
        self.write_operation((own == 0, own == 1))

    def otherwise(self, *handles) -> Any:
        """Compute an operation of numbers of other kinds by the second function, written now."""
        writer = SECOND[self.level.mode](
            self.level, self.key, self.operation, self.needs, self.form
        )
        self.scope["otherwise"] = run = writer.written()
        return run(*handles)

    def write_value(self, i: int) -> None:
        """Write the lines that read the value of an argument."""
        name = self.arguments[i]
        self.write(f"{name} = {self.handles[i]}.value")
        with self.block(f"if type({name}) is not float and type({name}) is not float64:"):
            self.write(f"is_other = type({name}) in handles or type({name}) in kinds")
            self.write(f"return (otherwise if is_other else general)({self.all_given})")

    def write_operation(self, needs: tuple[bool, ...]) -> None:
        """Write the lines that compute an operation, and record it."""
        self.write(f"y = {self.call()}")
        if self.form is False:
            if self.operation.ufunc in EQUALITIES:  # which slow dispatch notes
                are_equal = "y" if self.operation.ufunc is np.equal else "not y"
                self.write(f"if {are_equal}: return general({self.all_given})")
            self.write("return y")
            return
        given = [k for k, need in enumerate(needs) if need]
        read = set().union(*[reads(self.form.partials[0][k]) for k in given])
        self.write_class(given, read)
        texts = {k: self.partial(k) for k in given}
        computed = [k for k in given if not (texts[k].isidentifier() or is_literal(texts[k]))]
        if computed:
            self.write_partials(computed, texts)
        self.write_result(given, [f"d_{k}" if k in computed else texts[k] for k in given])

    def write_class(self, given: list[int], read: set[str]) -> None:
        """Write the lines that tell the class of the result, and make floats of what partials read."""
        self.write("cls = Python")
        with self.block("if type(y) is not float:"):
            self.write(f"if type(y) is not float64: return general({self.all_given})")
            self.write("cls = Number")
            for name, own in self.names.items():
                if name in read:
                    self.write(f"{own} = float({own})")
            if "out" in read:
                self.write("out = float(y)")
        if "out" in read:
            with self.block("else:"):
                self.write("out = y")

    def write_partials(self, computed: list[int], texts: dict[int, str]) -> None:
        """Write the lines that compute partials; those that are not finite are the pullback's, which
        warns and multiplies as NumPy does.
        """
        with self.block("try:"):
            for k in computed:
                self.write(f"d_{k} = {texts[k]}")
        with self.block("except not_finite:"):
            self.write(f"return general({self.all_given})")
        with self.block("except only_of_arrays:"):
            self.write(f"return otherwise({self.all_given})")
        # of nan, partials are nan without a warning
        total = " + ".join([f"d_{k}" for k in computed])
        are_numbers = " and ".join([f"{name} == {name}" for name in self.arguments])
        unusual = f"({total}) * 0.0 != 0.0 and {are_numbers}"
        if any("**" in texts[k] for k in computed):  # complex of Python's negative numbers
            unusual = f"({unusual}) or y != y"
        self.write(f"if {unusual}: return general({self.all_given})")

    def write_result(self, given: list[int], parts: list[str]) -> None:
        """Write the lines that make the handle on the result; see `core.partials`."""
        self.write("traced = new(cls)")
        self.write("traced.value = y")
        self.write(f"traced.level = tape = {self.handles[given[0]]}.level")
        self.write("pulls = tape.pulls")
        self.write("traced.slot = slot = len(pulls)")
        self.write(f"pulls.append({'pull' if len(given) == 1 else 'pull_of_two'})")
        self.write_entries([f"{self.handles[k]}.slot" for k in given], parts)
        self.write("return traced")

    def write_entries(self, slots: list[str], parts: list[str]) -> None:
        """Write the lines that record the parents and residuals, in the order in which the sweep takes
        them off.
        """
        for slot, part in zip(reversed(slots), reversed(parts), strict=True):
            self.write(f"tape.residuals.append({part})")
            self.write(f"tape.parents.append(slot - {slot})")

    def call(self) -> str:
        """Write the call of the function on values."""
        symbol = SYMBOLS.get(self.operation.primal)
        if symbol is None:
            return f"primal({', '.join(self.arguments)})"
        if len(self.arguments) == 1:
            return f"{symbol}{self.arguments[0]}"
        return f" {symbol} ".join(self.arguments)

    def partial(self, k: int) -> str:
        """Write a partial in the functions of the namespace."""
        partial = self.form.partials[0][k]
        if isinstance(partial, Expression):
            if partial.constant is not None:
                return repr(float(partial.constant))
            for name, function in partial.functions.items():
                self.scope[name] = getattr(self.namespace, name, function)
            return renamed(partial.source, self.names)
        self.scope |= {f"partial_{k}": partial.function, "xp": self.namespace}
        self.scope["in_numpys_form"] = in_numpys_form
        # which may ask for the dtype of the output
        names = {"xp": "xp", "out": "in_numpys_form(out)", **self.names}
        return f"partial_{k}({', '.join([f'{name}={names[name]}' for name in partial.reads])})"


class ForwardWriter(Writer):
    """Writes what computes an operation of numbers in forward mode."""

    handles_of = DUAL_OF

    def write_value(self, i: int) -> None:
        """Write the lines that read the value and the tangent of an argument."""
        super().write_value(i)
        dot = f"dot_{i}"
        self.write(f"{dot} = {self.handles[i]}.tangent")
        with self.block(f"if type({dot}) is not float:"):
            self.write(f"if type({dot}) is not float64: return otherwise({self.all_given})")
            self.write(f"{dot} = float({dot})")

    def write_result(self, given: list[int], parts: list[str]) -> None:
        """Write the lines that compute the tangent, and make the handle on the result."""
        self.scope |= {"carefully": carefully}
        pairs = [(f"dot_{k}", part) for k, part in zip(given, parts, strict=True)]
        self.write(f"y_dot = {sum_of_products(pairs)}")
        careful = " + ".join(f"carefully({dot}, {d})" for dot, d in pairs)
        self.write(f"if y_dot - y_dot != 0.0: y_dot = {careful}")
        self.write("dual = new(cls)")
        self.write("dual.value = y")
        self.write("dual.tangent = y_dot if cls is Python else float64(y_dot)")
        self.write(f"dual.level = {self.handles[given[0]]}.level")
        self.write("return dual")


class OfAllKinds(Writer):
    """Writes what computes an operation of numbers of all kinds, traced by outer levels or not."""

    namespace = ON_TRACED

    def __init__(self, *of) -> None:
        super().__init__(*of)
        count, ufunc = len(self.needs), self.operation.ufunc
        is_of_math = self.operation.of_traced is not self.operation.primal
        self.scope |= {
            "refused": {None, *COMPLEX} if is_of_math else {None},
            "numbers": NUMBERS, "kind_of": kind_of, "classes": self.handles_of,
            "exchanged": getattr(self.key, "exchanged", None), "of_traced": self.operation.of_traced,
            "pull": times_traced, "pull_of_two": times_traced, "times_complex": times_complex, "complex": COMPLEX,
            "mixed": () if ufunc is np.power else MIXED, "silence": silence, "relax": relax,
            "is_finite": is_finite, "is_number": is_tangent_of_number,
            "known": {
                kind
                for cls, kind in KINDS.items()
                if form_of_numbers(self.level, ufunc, cls, count) is self.form
            },
        }  # fmt: skip

    def write_value(self, i: int) -> None:
        """Write the lines that read the value of an argument."""
        self.write(f"{self.arguments[i]} = {self.handles[i]}.value")
        self.write_kind(i)

    def write_kind(self, i: int) -> None:
        """Write the lines that ask which kind of number an argument is."""
        self.write(f"kind_{i} = kind_of({self.arguments[i]})")
        self.write(f"if kind_{i} in refused: return general({self.all_given})")

    def write_operations(self, own: int) -> None:
        """Write the lines for two operands, of which the first to be given is a number of the tape;
        of another level's, that of the outer one is a constant.
        """
        x, other = self.handles[own], self.handles[1 - own]
        with self.block(f"if type({other}) in handles:"):
            with self.block(f"if {x}.level is {other}.level:"):
                self.write_value(1 - own)
                self.write_operation((True, True))
            with self.block(f"if {other}.level.serial > {x}.level.serial:"):
                self.write(f"if type({other}) in numbers: return exchanged({other}, {x})")
                self.write(f"return general({self.all_given})")
        self.write(f"{self.arguments[1 - own]} = {other}")
        self.write_kind(1 - own)
        self.write_operation((own == 0, own == 1))

    def call(self) -> str:
        """Write the call of the function on values."""
        if len(self.arguments) == 1 and isinstance(self.operation.primal, np.ufunc):
            x = self.arguments[0]  # NumPy takes 0.5 us to find out that it is traced
            traced = f"{x}.__array_ufunc__(primal, '__call__', {x})"
            return f"{traced} if type({x}) in handles else primal({x})"
        if self.operation.of_traced is self.operation.primal:
            return super().call()
        are_traced = " or ".join([f"type({name}) in handles" for name in self.arguments])
        return f"(of_traced if {are_traced} else primal)({', '.join(self.arguments)})"

    def write_class(self, given: list[int], read: set[str]) -> None:
        """Write the lines that tell the class of the result, which has the precision of each."""
        self.write("kind = kind_of(y)")
        unlike = [f"(kind != kind_{k} and (kind, kind_{k}) not in mixed)" for k in given]
        self.write(
            f"if kind not in known or {' or '.join(unlike)}: return general({self.all_given})"
        )
        self.write("out = y")

    def write_partials(self, computed: list[int], texts: dict[int, str]) -> None:
        """Write the lines that compute partials; the general path has those that are not finite."""
        with self.block("try:"):
            self.write("token = silence()")
            with self.block("try:"):
                for k in computed:
                    self.write(f"d_{k} = {texts[k]}")
            self.write("finally: relax(token)")
        with self.block("except not_finite + only_of_arrays:"):
            self.write(f"return general({self.all_given})")
        are_finite = " and ".join([f"is_finite(d_{k})" for k in computed])
        self.write(f"if not ({are_finite}): return general({self.all_given})")


class TracedWriter(OfAllKinds):
    """Writes what computes an operation of numbers of all kinds on a tape."""

    def write_result(self, given: list[int], parts: list[str]) -> None:
        """Write the lines that make the handle on the result."""
        pairs = ", ".join([f"({part}, kind_{k})" for k, part in zip(given, parts, strict=True)])
        slots = ", ".join([f"{self.handles[k]}.slot" for k in given])
        tape = f"{self.handles[given[0]]}.level"
        self.write(
            f"if kind in complex: return {tape}.record(y, times_complex, ({pairs},), ({slots}))"
        )
        self.write("cls = classes[type(y)]")
        super().write_result(given, parts)

    def write_entries(self, slots: list[str], parts: list[str]) -> None:
        """Write the lines that record the slots and residuals."""
        self.write(f"tape.residuals.append(({', '.join(parts)}))")
        self.write(f"tape.parents.append(({', '.join(slots)}))")


class TracedForwardWriter(OfAllKinds, ForwardWriter):
    """Writes what computes an operation of numbers of all kinds in forward mode."""

    def write_value(self, i: int) -> None:
        """Write the lines that read the value and the tangent of an argument."""
        super().write_value(i)
        self.write(f"dot_{i} = {self.handles[i]}.tangent")
        self.write(f"if not is_number(dot_{i}): return general({self.all_given})")

    def write_result(self, given: list[int], parts: list[str]) -> None:
        """Write the lines that compute the tangent, and make the handle on the result."""
        pairs = [(f"dot_{k}", part) for k, part in zip(given, parts, strict=True)]
        factors = [factor for pair in pairs for factor in pair if not is_literal(factor)]
        are_finite = " and ".join([f"is_finite({factor})" for factor in factors])
        self.write(f"if not ({are_finite}): return general({self.all_given})")
        self.write(f"y_dot = {sum_of_products(pairs)}")
        self.write(f"return {self.handles[given[0]]}.level.dual(y, y_dot)")


WRITERS = {"reverse": Writer, "forward": ForwardWriter}
SECOND = {"reverse": TracedWriter, "forward": TracedForwardWriter}


def kind_of(x) -> str | None:
    """The kind of a number, which may be traced; None of anything else, many examples too."""
    while type(x) in HANDLES:
        x = x.value
    return KINDS.get(type(x))


def is_tangent_of_number(x) -> bool:
    """Whether a tangent is that of a number, of many examples too."""
    return type(x) in KINDS or (type(x) in HANDLES and x.is_number)


def reads(partial) -> set[str]:
    """What a partial reads: arguments and the output."""
    if isinstance(partial, Expression):
        return set(partial.variables)
    return {*partial.reads} - {"xp"}


def sum_of_products(pairs: Sequence[tuple[str, str]]) -> str:
    """Write the sum of products of tangents and partials, without factors that are one.

    >>> sum_of_products([("dot_0", "1.0"), ("dot_1", "-1.0")]), sum_of_products([("dot_0", "d_0")])
    ('dot_0 - dot_1', 'dot_0 * d_0')
    """
    signs = {"1.0": "", "-1.0": "-"}
    terms = [signs[d] + dot if d in signs else f"{dot} * {d}" for dot, d in pairs]
    return " + ".join(terms).replace("+ -", "- ")


def is_literal(text: str) -> bool:
    """Whether the text of a partial is a number."""
    return text.lstrip("-").replace(".", "").isdigit()
