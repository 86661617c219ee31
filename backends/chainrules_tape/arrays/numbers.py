"""Numbers on a tape: operations of real numbers in double precision record their partials.

Of a number, the pullback of an elementwise function is a product by its partial, which is a number,
too. So it is computed at once, and recorded in the place of a pullback and its residuals
(`core.partials`). What computes an operation is written as Python, once per engine, from the
formulas of its scalar rule: of ``x1 * x2`` becomes, of two traced numbers of one tape,

    out = x1 * x2
    record(out, (x2, x1), (slot1, slot2))

Everything else than `float` and `float64` takes the general path: other dtypes, complex numbers,
values of other levels, functions without a scalar rule, and where `stages` are closed.
"""

import math
import operator
import re
from collections.abc import Callable, Sequence
from math import isfinite
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy import float64

from chainrules_py.errors import NoRuleError
from chainrules_py.makers.definition import PartialFunction, ScalarForm
from chainrules_py.makers.expressions import Expression
from chainrules_py.makers.writing import Source
from chainrules_py.values.operators import BINARY, COMPARISONS, UFUNCS, UNARY
from chainrules_py.values.python_numbers import OPERATORS, in_numpys_form
from chainrules_py.values.records import Record
from chainrules_tape.arrays.fast_dispatch import ufunc_of
from chainrules_tape.arrays.fast_lookup import is_noted
from chainrules_tape.arrays.operators import reflected
from chainrules_tape.core.duals import HANDLE_OF as DUAL_OF
from chainrules_tape.core.partials import carefully, times_partials
from chainrules_tape.core.tape import HANDLE_OF, Tape
from chainrules_tape.refusals.handles import HANDLES, plain

Function = Callable[..., Any]
NUMBERS: set[type] = set()  # the classes of handles whose operations are found here

SYMBOLS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.pow: "**", operator.floordiv: "//", operator.mod: "%", operator.lt: "<",
    operator.le: "<=", operator.gt: ">", operator.ge: ">=", operator.eq: "==", operator.ne: "!=",
    operator.neg: "-", operator.pos: "+",
}  # fmt: skip

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
WHERE_NUMPY_IS_NOT_FINITE = (ArithmeticError, ValueError)
ONLY_OF_ARRAYS = (TypeError, AttributeError)
CONSTANTS = frozenset({float, int, float64})


class Operation(Record):
    """An operation of numbers: the function that computes it, the ufunc whose derivative it has, and
    what computes it for numbers of outer levels.
    """

    primal: Any
    ufunc: Any
    of_traced: Function

    def with_numbers(self, needs: tuple[bool | None, ...], general: Function) -> Function:
        """Make the function whose first argument is a number of a tape, as `needs` says of each
        argument in its order. It looks up what has been written for the engine of the tape;
        `general` computes all else.
        """

        def of_one(x) -> Any:
            try:
                run = x.level.stages[of_one]
            except KeyError:
                run = find(x.level, of_one, self, needs, general)
            return general(x) if run is None else run(x)

        def of_two(x, other) -> Any:
            try:
                run = x.level.stages[of_two]
            except KeyError:
                run = find(x.level, of_two, self, needs, general)
            return general(x, other) if run is None else run(x, other)

        return of_one if len(needs) == 1 else of_two


def define_numbers(cls: Any) -> None:
    """Define Python's operators of a class of numbers, over the general ones."""
    NUMBERS.add(cls)
    made = {}
    for name in (UNARY | BINARY | COMPARISONS).keys() - {"matmul"}:
        primal = getattr(operator, name)
        operation = Operation(primal, UFUNCS[primal], primal)
        needs = (True,) if name in UNARY else (True, None)
        made[f"__{name}__"] = operation.with_numbers(needs, getattr(cls, f"__{name}__"))
        if name in BINARY:
            own = getattr(cls, f"__r{name}__")
            made[f"__r{name}__"] = operation.with_numbers((False, True), own)
    made["__pow__"] = with_modulus(made["__pow__"], cls.__pow__)
    for name, function in made.items():
        setattr(cls, name, function)


def with_modulus(operation: Function, general: Function) -> Function:
    """The power, which may have a third argument that is refused."""

    def raised(x1, x2, *modulus) -> Any:
        return general(x1, x2, *modulus) if modulus else operation(x1, x2)

    return raised


def operation_of_numbers(primal, general: Function, ufunc, of_traced: Any = None) -> Function:
    """Make the operation of a function of one or two arguments, which may be such numbers."""

    def of_one(x) -> Any:
        return first(x) if type(x) in NUMBERS else general(x)

    def of_two(x1, x2) -> Any:
        if type(x1) in NUMBERS:
            return first(x1, x2)
        return second(x2, x1) if type(x2) in NUMBERS else general(x1, x2)

    made = of_one if ufunc.nin == 1 else of_two
    operation = Operation(primal, ufunc, of_traced or made)
    first = operation.with_numbers((True, None)[: ufunc.nin], general)
    second = operation.with_numbers((False, True), reflected(general))
    return made


def ufunc_of_numbers(unary, binary) -> Any:
    """Make the ``__array_ufunc__`` of a class of numbers, given the makers of general operations."""
    return ufunc_of(
        lambda ufunc: operation_of_numbers(ufunc, unary(ufunc), ufunc, ufunc),
        lambda ufunc: operation_of_numbers(ufunc, binary(ufunc), ufunc, ufunc),
    )


def find(
    level, key, operation: Operation, needs: tuple[bool | None, ...], general: Function
) -> Any:
    """Find what computes an operation of numbers, and store it; None for the general path."""
    found = None
    if not level.closed and not is_noted(level, operation.ufunc):
        form = form_of(level, operation.ufunc, len(needs))
        if form is not None:
            writer = Writer if type(level) is Tape else ForwardWriter
            found = writer(operation, needs, general, form).written(level.stages, key)
    level.stages[key] = found
    return found


def form_of(level, ufunc, count: int) -> Any:
    """The formulas of a scalar rule of real numbers; False of an operator without derivative, and
    None of all others.
    """
    if level.engine.debug or getattr(ufunc, "nout", 1) != 1:
        return None
    try:
        plan = level.engine.plan("reverse", ufunc, (float64,) * count, (True,) * count)
    except NoRuleError:
        return None
    if not plan.differentiable:
        return False if ufunc in OPERATORS.values() else None
    form = getattr(plan.rule.partials, "args", (None,))[0]
    if not isinstance(form, ScalarForm) or len(form.partials) != 1:
        return None
    known = all(isinstance(part, Expression | PartialFunction) for part in form.partials[0])
    return form if known else None


class Writer(Source):
    """Writes what computes an operation of numbers on a tape."""

    handles_of = HANDLE_OF

    def __init__(
        self, operation: Operation, needs: Sequence[bool | None], general: Function, form
    ) -> None:
        super().__init__()
        self.operation, self.form, self.needs = operation, form, needs
        self.general = general
        self.of_handles: dict[Any, Any] = {}
        count = len(needs)
        self.order = range(count) if needs[0] else (1, 0)
        # by names that authors of rules may not give, so that an argument `y` is not the output here
        self.names = {
            name: f"__{name}" for name in (form.arguments if form else ("x1", "x2")[:count])
        }
        self.arguments = [*self.names.values()]
        self.handles = [f"handle{name}" for name in self.arguments]
        self.scope |= {
            "__name__": __name__, "general": self.general, "primal": operation.primal,
            "Python": self.handles_of.python, "Number": self.handles_of.number,
            "float64": float64, "new": object.__new__, "pull": times_partials,
            "constants": CONSTANTS, "handles": HANDLES,
            "beneath": self.beneath, "again": self.again,
            "not_finite": WHERE_NUMPY_IS_NOT_FINITE, "only_of_arrays": ONLY_OF_ARRAYS,
        }  # fmt: skip

    def written(self, stages: dict[Any, Any], key) -> Function:
        """Write the function, and compile it; where it gives up, it is no more in the stages."""

        def give_up(*handles) -> Any:
            """Compute by the general path, from now on: a formula has functions of arrays alone."""
            stages[key] = None
            return self.general(*handles)

        self.scope["give_up"] = give_up
        self.given = [self.handles[k] for k in self.order]
        all_handles = ", ".join(self.given)
        with self.block(f"def of_numbers({all_handles}):"):
            if self.needs == (True,):
                self.write_value(0)
                self.write_operation((True,))
            else:
                own = 0 if self.needs[0] else 1
                x, other = self.given
                self.write_value(own)
                self.write(f"cls = type({other})")
                with self.block("if cls is Python or cls is Number:"):
                    self.write(f"if {x}.level is not {other}.level: return beneath({all_handles})")
                    self.write_value(1 - own)
                    self.write_operation((True, True))
                self.write(f"if cls not in constants: {self.leave('cls')}")
                self.write(f"{self.arguments[1 - own]} = {other}")
                self.write_operation((own == 0, own == 1))
        name = getattr(self.operation.primal, "__name__", "f")
        return self.compile("of_numbers", f"<{name} of numbers>")

    def write_value(self, i: int) -> None:
        """Write the lines that read the value of an argument."""
        name = self.arguments[i]
        self.write(f"{name} = {self.handles[i]}.value")
        leave = self.leave(f"type({name})")
        self.write(f"if type({name}) is not float and type({name}) is not float64: {leave}")

    def leave(self, cls: str) -> str:
        """The text that computes an operation otherwise, where a value is of another class."""
        return f"return (beneath if {cls} in handles else general)({', '.join(self.given)})"

    def write_operation(self, needs: tuple[bool, ...]) -> None:
        """Write the lines that compute an operation, and record it."""
        self.write(f"y = {self.call()}")
        if self.form is False:
            self.write("return y")
            return
        given = [k for k, need in enumerate(needs) if need]
        partials = [self.form.partials[0][k] for k in given]
        texts = [self.partial(k, FLOATS, self) for k in given]
        read = set().union(*[reads(partial) for partial in partials])
        self.write("cls = Python")
        with self.block("if type(y) is not float:"):
            self.write(f"if type(y) is not float64: return general({', '.join(self.given)})")
            self.write("cls = Number")
            for name, own in self.names.items():
                if name in read:
                    self.write(f"{own} = float({own})")
            if "out" in read:
                self.write("out = float(y)")
        if "out" in read:
            with self.block("else:"):
                self.write("out = y")
        computed = [k for k, text in zip(given, texts, strict=True) if not is_name(text)]
        if computed:
            self.write_partials(computed, dict(zip(given, texts, strict=True)))
        parts = [f"d_{k}" if k in computed else text for k, text in zip(given, texts, strict=True)]
        self.write_result(given, parts)

    def write_partials(self, computed: list[int], texts: dict[int, str]) -> None:
        """Write the lines that compute partials; those that are not finite are the pullback's, which
        warns and multiplies as NumPy does.
        """
        is_power = any("**" in texts[k] for k in computed)
        if is_power:  # which is complex of Python's negative numbers
            self.write(f"if y != y: return again({', '.join(self.given)})")
        with self.block("try:"):
            for k in computed:
                self.write(f"d_{k} = {texts[k]}")
        with self.block("except not_finite:"):
            self.write(f"return again({', '.join(self.given)})")
        with self.block("except only_of_arrays:"):
            self.write(f"return give_up({', '.join(self.given)})")
        total = " + ".join(f"d_{k}" for k in computed)
        self.write(f"if ({total}) * 0.0 != 0.0: return again({', '.join(self.given)})")

    def write_result(self, given: list[int], parts: list[str]) -> None:
        """Write the lines that make the handle on the result."""
        slots = ", ".join(f"{self.handles[k]}.slot" for k in given)
        self.write("traced = new(cls)")
        self.write("traced.value = y")
        self.write(f"traced.level = tape = {self.handles[given[0]]}.level")
        self.write("pulls = tape.pulls")
        self.write("traced.slot = len(pulls)")
        self.write("pulls.append(pull)")
        self.write(f"tape.residuals.append(({', '.join(parts)}))")
        self.write(f"tape.parents.append(({slots}))")
        self.write("return traced")

    def call(self) -> str:
        """Write the call of the function on values."""
        symbol = SYMBOLS.get(self.operation.primal)
        if symbol is None:
            return f"primal({', '.join(self.arguments)})"
        if len(self.arguments) == 1:
            return f"{symbol}{self.arguments[0]}"
        return f" {symbol} ".join(self.arguments)

    def partial(self, k: int, namespace, source: Source) -> str:
        """Write a partial in the functions of a namespace."""
        partial = self.form.partials[0][k]
        if isinstance(partial, Expression):
            if partial.constant is not None:
                return repr(float(partial.constant))
            for name, function in partial.functions.items():
                source.scope[name] = getattr(namespace, name, function)
            own = rf"\b({'|'.join(self.names)})\b"
            return re.sub(own, lambda found: self.names[found[0]], partial.source)
        source.scope |= {f"partial_{k}": partial.function, "xp": namespace}
        given = [f"{name}={self.names.get(name, name)}" for name in partial.reads]
        return f"partial_{k}({', '.join(given)})"

    def beneath(self, x, *others) -> Any:
        """Compute an operation whose values or constants are numbers of outer levels."""
        tape = x.level
        values: tuple[Any, ...] = (x.value, *others)
        slots: tuple[Any, ...] = (x.slot, None)[: len(values)]
        for other in others:
            if type(other) not in HANDLES:
                continue
            if other.level is tape:
                values, slots = (x.value, other.value), (x.slot, other.slot)
            elif other.level.serial > tape.serial:
                tape = other.level
                if type(tape) is not Tape:
                    return self.general(x, *others)
                values, slots = (x, other.value), (None, other.slot)
        if not all(map(is_real, values)) or (self.form and self.form.selects):
            return self.general(x, *others)
        y = self.operation.of_traced(*(values if self.needs[0] else values[::-1]))
        if self.form is False:
            return y
        if not is_real(y) or tape.closed:
            return self.general(x, *others)
        needs = tuple([slot is not None for slot in slots])
        partials_of = self.of_handles.get(needs)
        if partials_of is None:
            partials_of = self.of_handles[needs] = self.partials_of_handles(needs)
        try:
            partials = partials_of(y, *values)
        except WHERE_NUMPY_IS_NOT_FINITE + ONLY_OF_ARRAYS:
            return self.general(x, *others)
        if not all(map(isfinite, map(plain, partials))):
            return self.general(x, *others)
        # cotangents are NumPy's numbers, by which nothing raises
        partials = tuple(map(in_numpys_form, partials))
        recorded = partials if len(partials) == 2 else partials[0]
        parents = slots if all(needs) and others else slots[needs.index(True)]
        return tape.record(y, times_partials, recorded, parents)

    def partials_of_handles(self, needs: tuple[bool, ...]) -> Any:
        """Write the function that computes partials of traced numbers, in the order of handles."""
        source, names = Source(), ", ".join([self.arguments[k] for k in self.order])
        each = zip(self.order, needs, strict=True)
        texts = [self.partial(k, np, source) for k, need in each if need]
        with source.block(f"def partials(out, {names}):"):
            source.write(f"return ({', '.join(texts)},)")
        return source.compile("partials", f"<partials of {self.form.where} for {needs}>")

    def again(self, *handles) -> Any:
        """Compute an operation by the general path, when its value has warned already."""
        with np.errstate(all="ignore"):
            return self.general(*handles)


class ForwardWriter(Writer):
    """Writes what computes an operation of numbers in forward mode."""

    handles_of = DUAL_OF

    def write_value(self, i: int) -> None:
        """Write the lines that read the value and the tangent of an argument."""
        super().write_value(i)
        dot = f"dot_{i}"
        self.write(f"{dot} = {self.handles[i]}.tangent")
        with self.block(f"if type({dot}) is not float:"):
            self.write(f"if type({dot}) is not float64: return general({', '.join(self.given)})")
            self.write(f"{dot} = float({dot})")

    def write_result(self, given: list[int], parts: list[str]) -> None:
        """Write the lines that compute the tangent, and make the handle on the result."""
        self.scope |= {"carefully": carefully}
        pairs = [(f"dot_{k}", part) for k, part in zip(given, parts, strict=True)]
        self.write(f"y_dot = {' + '.join(f'{dot} * {d}' for dot, d in pairs)}")
        careful = " + ".join(f"carefully({dot}, {d})" for dot, d in pairs)
        self.write(f"if y_dot - y_dot != 0.0: y_dot = {careful}")
        self.write("dual = new(cls)")
        self.write("dual.value = y")
        self.write("dual.tangent = y_dot if cls is Python else float64(y_dot)")
        self.write(f"dual.level = {self.handles[given[0]]}.level")
        self.write("return dual")

    def beneath(self, x, *others) -> Any:
        """Compute an operation with numbers of outer levels by the general path."""
        return self.general(x, *others)

    def again(self, *handles) -> Any:
        """Compute an operation by the general path, which warns of the tangent here."""
        return self.general(*handles)


def is_real(x) -> bool:
    """Whether a value is a real number in double precision, traced or not, and no example of many."""
    while type(x) in HANDLES:
        x = x.value
    cls = type(x)
    return cls is float or cls is float64 or cls is int


def reads(partial) -> set[str]:
    """What a partial reads: arguments and the output."""
    if isinstance(partial, Expression):
        return set(partial.variables)
    return {*partial.reads} - {"xp"}


def is_name(text: str) -> bool:
    """Whether the text of a partial computes nothing."""
    return text.isidentifier() or text.lstrip("-").replace(".", "").isdigit()
