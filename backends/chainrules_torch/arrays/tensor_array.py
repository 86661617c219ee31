"""`TensorArray`: a tensor with NumPy's attributes, operators and indices.

It cannot be written, and does not become an array of NumPy's or a Python number unless it is an
integer: such a value would have lost its derivative without a word. Its methods are functions of
the namespace, and join it there.
"""

import operator
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from chainrules_py import NotDifferentiableError
from chainrules_torch.arrays.indices import read
from chainrules_torch.arrays.promotion import (
    NUMPY_DTYPES,
    averaged,
    beside_number,
    promoted,
    torch_dtype,
)

WEAK = frozenset({bool, int, float, complex})


class TensorArray:
    """A tensor as an array that behaves as NumPy's do."""

    __slots__ = ("__weakref__", "tensor")

    if TYPE_CHECKING:  # operators and methods that are set below and in `namespace`

        def __getattr__(self, name: str) -> Any: ...
        def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any: ...
        def __add__(self, other) -> Any: ...
        def __mul__(self, other) -> Any: ...
        def __truediv__(self, other) -> Any: ...
        def __lt__(self, other) -> Any: ...
        def __gt__(self, other) -> Any: ...
        def __sub__(self, other) -> Any: ...
        def __abs__(self) -> Any: ...

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    # Rules ask for these again and again: a getter in C takes a quarter of the time of a property
    # in Python.
    shape = property(attrgetter("tensor.shape"), doc="The length of each axis.")
    ndim = property(attrgetter("tensor.ndim"), doc="The number of axes.")

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's name for the type of the entries."""
        return NUMPY_DTYPES[self.tensor.dtype]

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(self.tensor.numel())

    @property
    def nbytes(self) -> int:
        """The bytes of all entries."""
        return int(self.tensor.nbytes)

    @property
    def itemsize(self) -> int:
        """The bytes of one entry."""
        return int(self.tensor.element_size())

    @property
    def T(self) -> "TensorArray":
        """The array with its axes in reverse order."""
        return TensorArray(self.tensor.permute(tuple(reversed(range(self.tensor.ndim)))))

    @property
    def mT(self) -> "TensorArray":
        """The array with its last two axes exchanged."""
        return TensorArray(self.tensor.mT)

    @property
    def real(self) -> "TensorArray":
        """The real part."""
        return TensorArray(self.tensor.real) if self.tensor.is_complex() else self

    @property
    def imag(self) -> "TensorArray":
        """The imaginary part; zeros of a real array."""
        return TensorArray(
            self.tensor.imag if self.tensor.is_complex() else torch.zeros_like(self.tensor)
        )

    @property
    def device(self) -> Any:
        """Where PyTorch keeps the entries."""
        return self.tensor.device

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator["TensorArray"]:
        return map(TensorArray, self.tensor.unbind())

    def __getitem__(self, index) -> "TensorArray":
        return TensorArray(entries(self.tensor, index if isinstance(index, tuple) else (index,)))

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __index__(self) -> int:
        return int(self._integer())

    def __int__(self) -> int:
        return int(self._integer())

    def __float__(self) -> float:
        return float(self._integer())

    def __complex__(self) -> complex:
        return complex(self._integer())

    def item(self) -> Any:
        """The number in an array of one integer."""
        return self._integer().item()

    def tolist(self) -> Any:
        """The numbers in an array of integers."""
        return self._integer().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._integer().detach().cpu().numpy(), dtype)

    def _integer(self) -> torch.Tensor:
        if self.tensor.is_floating_point() or self.tensor.is_complex():
            got = "a tensor was to become a number or an array of NumPy's, which has no derivative"
            raise NotDifferentiableError(
                "chainrules_torch", got, "compute with xp in the rule", primal=None, argument=None
            )
        return self.tensor

    def __repr__(self) -> str:
        return f"TensorArray({self.tensor!r})"


def tensor_of(x, dtype: Any = None) -> torch.Tensor:
    """A value as a tensor; numbers and lists as NumPy would make arrays of them."""
    if type(x) is TensorArray:
        t = x.tensor
    elif isinstance(x, list | tuple) and _holds_tensors(x):
        t = _stacked(x)
    else:
        t = torch.from_numpy(np.array(x, order="C"))
    return t if dtype is None else t.to(torch_dtype(dtype))


def floating_tensor(x) -> torch.Tensor:
    """A value as a tensor of floating numbers, as transforms and linear algebra want it."""
    t = tensor_of(x)
    return t.to(averaged(t.dtype))


def _holds_tensors(x) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_holds_tensors, x))
    return isinstance(x, TensorArray)


def _stacked(x) -> torch.Tensor:
    return torch.stack(alike(*map(tensor_of, x)))


def alike(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Tensors in the dtype in which NumPy computes with all of them, where the first of those that
    are on a device is.
    """
    if len({(x.dtype, x.is_cpu) for x in tensors}) == 1:
        return list(tensors)
    dtype = promoted(*(x.dtype for x in tensors))
    return [x.to(dtype) for x in together(*tensors)]


def together(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Tensors where the first of those is that are on a device; indices and masks are made on the
    CPU, as NumPy's are.
    """
    device = next((x.device for x in tensors if not x.is_cpu), None)
    return list(tensors) if device is None else [x.to(device) for x in tensors]


def operands(x1, x2) -> tuple[Any, Any]:
    """Two operands as PyTorch has to be given them to compute as NumPy does: tensors of one dtype,
    or a tensor and a number.
    """
    if type(x1) is type(x2) is TensorArray:
        a, b = x1.tensor, x2.tensor
        if a.dtype is b.dtype and a.is_cpu is b.is_cpu:
            return a, b
    elif type(x2) in WEAK and type(x1) is TensorArray:
        return _with_number(x1.tensor, x2)
    elif type(x1) in WEAK and type(x2) is TensorArray:
        b, number = _with_number(x2.tensor, x1)
        return number, b
    a, b = alike(tensor_of(x1), tensor_of(x2))
    return a, b


def _with_number(x: torch.Tensor, number) -> tuple[torch.Tensor, Any]:
    """A tensor in the dtype in which NumPy computes with it and a number of Python's, and that
    number.
    """
    kind: Any = type(number)
    if kind is bool and x.dtype is not torch.bool:
        number = int(number)
    if x.dtype.is_floating_point and kind is not complex:
        return x, number
    dtype = beside_number(x.dtype, kind)
    if kind is int and not (dtype.is_complex or is_within(number, dtype)):
        dtype = torch.int64  # NumPy compares the numbers themselves; PyTorch would wrap this one
    return x.to(dtype), number


def is_within(number: int, dtype: torch.dtype) -> bool:
    """Tell whether an integer is one of a dtype of integers."""
    limits = torch.iinfo(dtype)
    return limits.min <= number <= limits.max


def tensors(x1, x2) -> tuple[torch.Tensor, torch.Tensor]:
    """Two operands as tensors of one dtype."""
    a, b = operands(x1, x2)
    if not isinstance(b, torch.Tensor):
        return a, torch.full((), b, dtype=a.dtype, device=a.device)
    return (
        a if isinstance(a, torch.Tensor) else torch.full((), a, dtype=b.dtype, device=b.device)
    ), b


# --- Operators ---


def power(x1, x2) -> torch.Tensor:
    """``x1**x2`` of tensors and numbers; PyTorch has nan where both are a complex zero, and NumPy
    one.
    """
    kinds = [NUMPY_DTYPES[x.dtype].kind if isinstance(x, torch.Tensor) else "" for x in (x1, x2)]
    if not {*kinds} - {"", "i", "u"} and bool(torch.as_tensor(x2 < 0).any()):
        raise ValueError("integers to negative integer powers")
    if isinstance(x2, torch.Tensor) and x2.is_complex():
        x1 = torch.as_tensor(x1, dtype=x2.dtype, device=x2.device)
        x1 = torch.where((x1 == 0) & (x2 == 0), 1, x1)
    y: torch.Tensor = x1**x2
    return y


def _binary(function: Callable[..., Any], reflected: bool = False) -> Callable[..., Any]:
    divides = function is operator.truediv
    general = power if function is operator.pow else function

    def compute(self: TensorArray, other):
        x, cls = self.tensor, type(other)
        if x.dtype.is_floating_point:  # nearly always, and the rest takes as long as the operation
            if cls is int or cls is float:
                return TensorArray(function(other, x) if reflected else function(x, other))
            if (
                cls is TensorArray
                and other.tensor.dtype is x.dtype
                and other.tensor.is_cpu is x.is_cpu
            ):
                return TensorArray(function(x, other.tensor))
        if cls not in QUICK and not issubclass(cls, np.ndarray | np.generic):
            return NotImplemented
        a, b = operands(other, self) if reflected else operands(self, other)
        if divides:
            a, b = (x.to(averaged(x.dtype)) if isinstance(x, torch.Tensor) else x for x in (a, b))
        return TensorArray(general(a, b))

    return compute


def _subtracted(x1, x2) -> torch.Tensor:
    """``x1 - x2``; of a number and a tensor in three quarters of the time that Python's operator
    takes.
    """
    return x1 - x2 if isinstance(x1, torch.Tensor) else torch.rsub(x2, x1)


def _unary(function: Callable[[Any], Any]) -> Callable[[TensorArray], TensorArray]:
    return lambda self: TensorArray(function(self.tensor))


QUICK = WEAK | {TensorArray}
for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "matmul",
):
    _method = _name.rstrip("_")
    setattr(TensorArray, f"__{_method}__", _binary(getattr(operator, _name)))
    setattr(
        TensorArray,
        f"__r{_method}__",
        _binary(_subtracted if _name == "sub" else getattr(operator, _name), reflected=True),
    )
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(TensorArray, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("neg", "abs", "invert"):
    setattr(TensorArray, f"__{_name}__", _unary(getattr(operator, _name)))
setattr(TensorArray, "__pos__", lambda self: self)  # noqa: B010  (its kin are set so, too)


# --- Indices ---


def entries(x: torch.Tensor, index: tuple[Any, ...]) -> torch.Tensor:
    """``x[index]`` as NumPy has it, where arrays of tensors may be in the index."""
    return read(x, [part.tensor if isinstance(part, TensorArray) else part for part in index])
