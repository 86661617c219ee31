"""From the products of a scalar rule to kernel sources, for one pattern of dtypes.

A `KernelSource` is complete C++: one `__device__` function per product, which an elementwise kernel
assigns and a reduction kernel maps with. Making a launchable kernel of it is `launching`'s
business; tests compile the same source for the host.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from chainrules_cupy.kernels.ctypes import (
    Kind,
    NoSpelling,
    cast,
    computing_type,
    concrete,
    is_weak,
    stored,
)
from chainrules_cupy.kernels.symbols import KernelProgram, Symbol, SymbolicNamespace

MOST_PARAMETERS = 12  # more operands than any rule has; a bound for what a kernel is given


@dataclass(frozen=True)
class Parameter:
    """An operand of a kernel: its name, and the dtype in which it arrives."""

    name: str
    dtype: np.dtype[Any]

    @property
    def declared(self) -> str:
        """The parameter as CuPy declares it: ``float64 x``."""
        return f"{self.dtype.name} {self.name}"

    @property
    def passed(self) -> str:
        """The parameter as a C++ function takes it."""
        return f"const {stored(self.dtype)} {self.name}"


@dataclass(frozen=True)
class KernelProduct:
    """One product as C++: a device function of all operands, and the dtype of what it is stored as."""

    name: str
    dtype: np.dtype[Any]
    definition: str


@dataclass(frozen=True)
class KernelSource:
    """Some products of the same operands."""

    name: str
    parameters: tuple[Parameter, ...]
    products: tuple[KernelProduct, ...]

    def call(self, product: KernelProduct) -> str:
        """The value of a product, in terms of the operands."""
        return f"{product.name}({', '.join(parameter.name for parameter in self.parameters)})"


@dataclass(frozen=True)
class Request:
    """The expressions `sources` that a scalar rule computes, of `operands` and of names in `scope`."""

    name: str
    sources: tuple[str, ...]
    operands: tuple[str, ...]
    scope: Mapping[str, Any]
    namespaces: tuple[Any, ...]

    def write(self, kinds: tuple[Any, ...], targets: tuple[Any, ...]) -> KernelSource:
        """The kernel for operands of these kinds (a number stands for itself) and results of these
        dtypes.

        A Python class as target stands for a Python number, whose cotangent takes the dtype that
        comes. Raises `NoSpelling` where there is no kernel.
        """
        if len(kinds) > MOST_PARAMETERS:
            raise NoSpelling(f"{len(kinds)} operands")
        given = dict(zip(self.operands, kinds, strict=True))
        parameters = tuple(
            Parameter(spelt(name), concrete(kind)) for name, kind in given.items() if _varies(kind)
        )
        products = [
            self._product(k, given, parameters, t) for k, t in enumerate(targets) if has_tangent(t)
        ]
        return KernelSource(f"chainrules_{in_ascii(self.name)}", parameters, tuple(products))

    def _product(
        self, k: int, given: dict[str, Any], parameters: tuple[Parameter, ...], target
    ) -> KernelProduct:
        program = KernelProgram()
        operands = {name: _operand(program, name, kind) for name, kind in given.items()}
        value = self._value(k, program, operands)
        dtype = result_dtype(concrete(value.kind), target)

        name = f"{in_ascii(self.name)}_product_{k}"
        declared = ", ".join(parameter.passed for parameter in parameters)
        head = f"__device__ inline {computing_type(dtype)} {name}({declared}) {{"
        body = [f"  {line}" for line in program.lines]
        last = f"  return {cast(value.code, value.kind, dtype)};"
        return KernelProduct(name, dtype, "\n".join([head, *body, last, "}"]))

    def _value(self, k: int, program: KernelProgram, operands: dict[str, Any]) -> Symbol:
        scope = _SymbolicScope(self, program, operands)
        try:
            value = eval(compiled_expression(self.sources[k]), {"__builtins__": {}}, scope)
        # a function that asks more of its arguments than arithmetic
        except (TypeError, ValueError, AttributeError) as error:
            raise NoSpelling(str(error)) from error
        if not isinstance(value, Symbol) or is_weak(value.kind):
            raise NoSpelling("a product that does not depend on any array")
        return value

    def stands_for(self, name: str) -> bool:
        """Tell whether a name in scope is NumPy's function of that name, as some namespace of the
        library has it.
        """
        return any(
            self.scope[name] is getattr(namespace, name, None) for namespace in self.namespaces
        )


def result_dtype(dtype: np.dtype[Any], target) -> np.dtype[Any]:
    """The dtype of a result that comes in `dtype`: the target, or its own, real where the target is
    a real number.
    """
    if isinstance(target, np.dtype):
        return target
    return dtype if issubclass(target, complex) else np.dtype(dtype.char.lower())


def has_tangent(target) -> bool:
    """Tell whether there are cotangents of this dtype, or of Python numbers of this class."""
    if isinstance(target, np.dtype):
        return target.kind in "fc"
    return issubclass(target, float | complex)


def compiled_expression(source: str) -> CodeType:
    """An expression, ready to evaluate; it was checked where the rule was defined."""
    return compile(source, "<product>", "eval")


class _SymbolicScope(dict[str, Any]):
    """The variables of a product that is evaluated on symbols in place of arrays."""

    def __init__(self, request: Request, program: KernelProgram, operands: dict[str, Any]) -> None:
        super().__init__(operands)
        self.request, self.xp = request, SymbolicNamespace(program)
        self["xp"], self["real"] = self.xp, self.xp.real
        self["strong"], self["selected"] = self.xp.strong, self.xp.selected

    def __missing__(self, name: str) -> Any:
        meant = self.request.scope[name]
        if isinstance(meant, FunctionType) and name.startswith("partial_"):
            return meant  # runs on symbols as it runs on arrays
        if not self.request.stands_for(name):
            raise NoSpelling(f"{name} is not NumPy's")
        return getattr(self.xp, name)


def _varies(kind) -> bool:
    return isinstance(kind, type | np.dtype)


def _operand(program: KernelProgram, name: str, kind: Kind | complex) -> Any:
    if not _varies(kind):
        return kind
    code = spelt(name)
    if kind == np.dtype(np.float16):
        code = f"(float)({code})"
    return program.symbol(code, kind)  # type: ignore[arg-type]


def spelt(name: str) -> str:
    """An operand's name in C++, where `a`, `i` and `int` mean something, and letters are those of
    ASCII.

    >>> spelt("x"), spelt("θ")
    ('in_x', 'in_u3b8')
    """
    return f"in_{in_ascii(name)}"


def in_ascii(name: str) -> str:
    """A name of Python's with the numbers of the letters that C++ does not have: CuPy takes no
    others in names of kernels.
    """
    if name.isascii():
        return name
    return "".join(letter if letter.isascii() else f"u{ord(letter):x}" for letter in name)
