"""Values of which only the kind is known: evaluating a partial on them writes the C++ that computes
it.

A partial is an expression or a Python function of its arguments and `xp`; both are simply run. Each
NumPy operation on a `Symbol` adds one line to its `KernelProgram`, in the dtype of NumPy's own loop for
these operands (`ufunc.resolve_dtypes`), so that what is computed is what NumPy computes. What a
program cannot say raises `NoSpelling`: a branch on a value, an unknown function.
"""

from typing import Any

import numpy as np

from chainrules_cupy.kernels.ctypes import (
    Kind,
    NoSpelling,
    cast,
    computing_type,
    concrete,
    is_weak,
    weakened,
)
from chainrules_cupy.kernels.spelling import BOOLEAN, COMPLEX, INTEGER, REAL, SPECIAL
from chainrules_py.annotations import Function
from chainrules_py.values.operators import BINARY, BITWISE, COMPARISONS, UNARY

_TABLES = {"b": BOOLEAN, "i": INTEGER, "u": INTEGER, "f": REAL, "c": COMPLEX}
_EXAMPLES: dict[Any, Any] = {bool: True, int: 0, float: 0.0, complex: 0j}


class KernelProgram:
    """The lines of a function in the making; equal lines are written once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[tuple[str, str], str] = {}

    def symbol(self, code: str, kind: Kind) -> "Symbol":
        """A value that C++ computes so."""
        return Symbol(self, code, kind)

    def assign(self, code: str, kind: Kind) -> "Symbol":
        """A new constant with this value."""
        ctype = computing_type(kind)
        name = self._names.setdefault((ctype, code), f"t{len(self._names)}")
        line = f"const {ctype} {name} = {code};"
        if line not in self.lines:
            self.lines.append(line)
        return Symbol(self, name, kind)

    def apply(self, function, *operands) -> "Symbol":
        """The value of a NumPy function of one or two operands."""
        kinds = tuple(map(kind_of_operand, operands))
        loop, result = loop_of(function, kinds)
        if function is np.power and type(operands[1]) in (int, float) and operands[1] in (1, 2):
            function = np.positive if operands[1] == 1 else np.square
            operands = operands[:1]
            loop = loop[:1]
        template = _TABLES.get(concrete(loop[0]).kind, {}).get(function)
        if template is None:
            raise NoSpelling(f"no C++ for numpy.{function.__name__} of {loop[0]}")
        codes = [self.code(operand, kind) for operand, kind in zip(operands, loop, strict=True)]
        return self.assign(template.format(*codes), result)

    def special(self, name: str, operand) -> "Symbol":
        """The value of a special function of one real number."""
        loop, result = loop_of(np.sin, (kind_of_operand(operand),))
        if name not in SPECIAL or concrete(loop[0]).kind != "f":
            raise NoSpelling(f"no C++ for {name} of {loop[0]}")
        return self.assign(SPECIAL[name].format(self.code(operand, loop[0])), result)

    def where(self, condition, one, other) -> Any:
        """One of two values."""
        kind = common_kind(kind_of_operand(one), kind_of_operand(other))
        chosen = (
            f"{self.code(condition, np.dtype(bool))} ? {self.code(one, kind)} :"
            f" {self.code(other, kind)}"
        )
        return self.assign(chosen, kind)

    def code(self, operand, kind: Kind) -> str:
        """The C++ for an operand as a value of a kind."""
        if isinstance(operand, Symbol):
            return cast(operand.code, operand.kind, kind)
        return cast(literal(operand), type(operand), kind)


def literal(number: complex) -> str:
    """A Python number in C++."""
    if isinstance(number, complex):
        return f"complex<double>({literal(number.real)}, {literal(number.imag)})"
    if number != number:
        return "(0.0 / 0.0)"
    if number in (np.inf, -np.inf):
        return f"({'-' if number < 0 else ''}1.0 / 0.0)"
    return f"({number!r})" if isinstance(number, float) else f"({int(number)}LL)"


def kind_of_operand(operand) -> Kind:
    """The kind of an operand: what a symbol carries, the class of a Python number."""
    if isinstance(operand, Symbol):
        return operand.kind
    if type(operand) not in _EXAMPLES:
        raise NoSpelling(f"no C++ for a {type(operand).__qualname__}")
    return type(operand)


def loop_of(function, kinds: tuple[Kind, ...]) -> tuple[tuple[Kind, ...], Kind]:
    """The dtypes in which NumPy computes a call, and that of the result; Python numbers alone make
    a Python number.
    """
    weak = all(map(is_weak, kinds))
    given = tuple(map(concrete, kinds)) if weak else kinds
    try:
        *loop, result = function.resolve_dtypes((*given, None))
    except (AttributeError, TypeError, ValueError) as error:
        raise NoSpelling(
            f"no loop of {getattr(function, '__name__', function)} for {kinds}"
        ) from error
    return tuple(loop), weakened(result) if weak else result


def common_kind(one: Kind, other: Kind) -> Kind:
    """The kind of a choice between two."""
    examples = [_EXAMPLES[kind] if isinstance(kind, type) else kind for kind in (one, other)]
    dtype = np.result_type(*examples)
    return weakened(dtype) if is_weak(one) and is_weak(other) else dtype


class Symbol:
    """A value in a program."""

    __slots__ = ("code", "kind", "program")
    __hash__ = None  # type: ignore[assignment]  # == makes another symbol

    def __init__(self, program: KernelProgram, code: str, kind: Kind) -> None:
        self.program, self.code, self.kind = program, code, kind

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, which partials may ask for."""
        return concrete(self.kind)

    def __bool__(self) -> bool:
        raise NoSpelling("a branch on a value")

    __array_ufunc__ = None  # numbers of NumPy's leave their operators to the symbol

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NoSpelling("a function that makes an array of its argument")


def operator_of(ufunc, reflected: bool = False) -> Function:
    """A ufunc as the operator of symbols."""

    def operate(self: Symbol, *others) -> Symbol:
        operands = (*others, self) if reflected else (self, *others)
        return self.program.apply(ufunc, *operands)

    return operate


for _name, _ufunc in (BINARY | BITWISE | COMPARISONS | UNARY | {"invert": np.invert}).items():
    setattr(Symbol, f"__{_name}__", operator_of(_ufunc))
for _name, _ufunc in (BINARY | BITWISE).items():
    setattr(Symbol, f"__r{_name}__", operator_of(_ufunc, reflected=True))


class SymbolicNamespace:
    """The array namespace `xp` for a partial derivative that is evaluated on symbols."""

    def __init__(self, program: KernelProgram) -> None:
        self.program, self.where = program, program.where

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name, None)
        if isinstance(function, float):
            return function  # pi, inf
        if name in SPECIAL:
            return lambda x: self.program.special(name, x)
        if not isinstance(function, np.ufunc) or function.nout != 1:
            raise NoSpelling(f"no C++ for {name}")
        return lambda *operands: self._apply(function, operands)

    def _apply(self, function: np.ufunc, operands: tuple[Any, ...]) -> Any:
        if any(isinstance(operand, Symbol) for operand in operands):
            return self.program.apply(function, *operands)
        return function(*operands).item()  # of numbers alone

    def real(self, x) -> Any:
        """The real part."""
        if not isinstance(x, Symbol) or x.dtype.kind != "c":
            return x if isinstance(x, Symbol) else x.real
        real = np.dtype(x.dtype.char.lower())
        return self.program.assign(f"{x.code}.real()", real)

    def strong(self, a_bar, partial) -> Any:
        """The strong product: a cotangent that is zero stays zero where the partial is not finite."""
        if not isinstance(partial, Symbol):
            return a_bar * partial
        kept: Any = self.program.apply(np.isfinite, partial)
        return a_bar * self.where(kept | (a_bar != 0), partial, 0)

    def selected(self, a_bar, weight) -> Any:
        """The product by the weight with which an argument is selected: zero where that is zero."""
        if not isinstance(weight, Symbol):
            return a_bar * weight
        counts: Any = self.program.apply(np.isfinite, a_bar)
        is_selected = self.program.apply(np.not_equal, weight, 0)
        return self.where(counts | is_selected, a_bar, 0) * weight
