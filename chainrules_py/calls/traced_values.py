"""What a traced value answers to operators, methods and NumPy's functions: one function is asked,
the engine's own.

A class derives from `ArrayProxy`, defines `compute`, and joins the libraries of arrays by
`join_traced`. Then programs compute with its values as with arrays, and rules run on them, which is
what derivatives of derivatives are. Engines derive theirs from `engines.TracedValue`, which is such
a class.
"""

import itertools
import operator
from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.calls.method_names import METHODS, add_methods
from chainrules_py.errors import ClosureError
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.arrays import ArrayLibrary, register_library
from chainrules_py.values.identity import (
    is_out_of_reach,
    qualified_name,
    takes_plain_values_only,
)
from chainrules_py.values.late_names import NamesOfNumPy, numpy_beside, with_ufunc_methods
from chainrules_py.values.operators import BINARY, SIGNS
from chainrules_py.values.structure import leaves_of

numbers_of_levels = itertools.count()  # one sequence for all engines


def next_level() -> int:
    """Number a derivative that begins, in one sequence for all engines.

    A call on values of several derivatives is that of the one which began last, whoever's it is.
    """
    return next(numbers_of_levels)


class ArrayProxy:
    """A value that stands for an array or a number, `value`, while a program runs.

    `level` is the number of the derivative that it belongs to, by `next_level`.
    """

    __slots__ = ()
    __array_priority__ = 1e9
    value: Any
    level: Any

    @property
    def __chainrules_level__(self) -> int:
        """The number of the derivative that a value belongs to, by `next_level`."""
        return self.level

    @classmethod
    def dispatch(cls, primal: Any, args: Args, options: Options) -> Any:
        """Compute an operation by the engine whose derivative began last among the operands.

        A tangent among them has the say about sums and products with itself.
        """
        if has_special_tangent(args):
            return NotImplemented
        owner = innermost((*args, *options.values()))
        if owner is None or isinstance(owner, cls):
            return cls.compute(primal, args, options)
        return owner.__chainrules_call__(primal, args, options)

    @classmethod
    def compute(cls, primal: Any, args: Args, options: Options) -> Any:
        """Return the result of an operation with such a value, as a program called it.

        The call is not in canonical form yet, and the value is any of the arguments. Values of
        other engines are plain to it, and no operand is a tangent. `dispatch` calls it.
        """
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        primal = ufunc if method == "__call__" else getattr(ufunc, method)
        return self.dispatch(primal, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return self.dispatch(function, args, options)

    def __chainrules_call__(self, primal: Any, args: Any, options: Any) -> Any:
        return self.dispatch(primal, args, options)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return np.shape(self.value)

    @property
    def dtype(self) -> Any:
        """The dtype of the value; of a number that of its array."""
        found = getattr(self.value, "dtype", None)
        return np.result_type(self.value) if found is None else found

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape, dtype=int))

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return (self.dispatch(operator.getitem, (self, k), {}) for k in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__}: a plain array was made of a traced value, which loses its"
            " derivative; write numpy.stack for numpy.array of a list, and x + 0.0 for"
            " numpy.array(x, float)"
        )

    def __float__(self) -> float:
        self._refuse_number("float")

    def __complex__(self) -> complex:
        self._refuse_number("complex")

    def _refuse_number(self, name: str) -> NoReturn:
        raise TypeError(
            f"{name}(x): a plain number was made of a {type(self).__name__}, a traced value, which"
            " loses its derivative; make arrays of several values by numpy.stack, write numpy.sin"
            " for math.sin, and call what NumPy hands to nobody by the engine's"
            " `call(primal, args, options)`"
        )

    def __bool__(self) -> bool:
        return bool(self.value)


def _operation(primal) -> Function:
    return lambda self, *args, **options: self.dispatch(primal, (self, *args), options)


def _reflected(primal) -> Function:
    return lambda self, other: self.dispatch(primal, (other, self), {})


def _in_place(primal, sign: str) -> Function:
    """``x *= y``: of numbers ``x = x * y``; of arrays, which may have other names, it is refused."""

    def operate(self: ArrayProxy, other: Any):
        if self.ndim and not hasattr(self, "__setitem__"):
            raise TypeError(
                f"x {sign}= y: a traced array is not written to, and other names of x would keep"
                f" the old one; write x = x {sign} y"
            )
        return self.dispatch(primal, (self, other), {})

    return operate


UNREFLECTED = (
    *("neg", "pos", "abs", "invert", "getitem", "and", "or", "xor"),
    *("lt", "le", "gt", "ge", "eq", "ne"),
)
BITS = {"rand": operator.and_, "ror": operator.or_, "rxor": operator.xor}
FACTS = {"T": np.transpose, "mT": np.matrix_transpose, "real": np.real, "imag": np.imag}

for _name in BINARY:
    setattr(ArrayProxy, f"__{_name}__", _operation(getattr(operator, _name)))
    setattr(ArrayProxy, f"__r{_name}__", _reflected(getattr(operator, _name)))
    setattr(ArrayProxy, f"__i{_name}__", _in_place(getattr(operator, _name), SIGNS[_name]))
for _name in UNREFLECTED:
    setattr(ArrayProxy, f"__{_name}__", _operation(getattr(operator, f"__{_name}__")))
for _name, _bits in BITS.items():
    setattr(ArrayProxy, f"__{_name}__", _reflected(_bits))
add_methods(
    ArrayProxy,
    {_name: _operation(getattr(np, _name)) for _name in (*METHODS, "reshape", "transpose")},
)
for _name in ("item", "tolist", "__copy__", "__deepcopy__", "__divmod__", "__rdivmod__"):
    setattr(ArrayProxy, _name, _operation(getattr(np.ndarray, _name)))
for _name, _primal in FACTS.items():
    setattr(ArrayProxy, _name, property(_operation(_primal)))


def traced_names(cls: type[ArrayProxy], own: Any = np) -> NamesOfNumPy:
    """NumPy for rules that run on traced values of a class: a function of one of these is an
    operation, and any other is that of `own`, the namespace of the arrays beneath.
    """

    def either(function, other) -> Function:
        def call_with_either(*args, **options):
            if any(isinstance(x, cls) for x in leaves_of((*args, *options.values()))):
                return cls.dispatch(function, args, options)
            return other(*args, **options)

        return call_with_either

    return numpy_beside(own, partial(with_ufunc_methods, either))


def join_traced(cls: type[ArrayProxy], name: str, priority: int = 100) -> None:
    """Let a class of traced values join the libraries of arrays, so that rules run on its values.

    Where values of several classes meet, that with the highest priority computes.
    """

    def as_operation(primal: Any) -> Function | None:
        """A function that hands nothing over to traced values, as an operation on them."""
        if not (takes_plain_values_only(primal) or is_out_of_reach(primal)):
            return None
        return lambda *args, **options: cls.dispatch(primal, args, options)

    register_library(
        ArrayLibrary(
            name=name,
            namespace=traced_names(cls),
            array_types=(cls,),
            mutable=False,
            priority=priority,
            implementations=as_operation,
        )
    )


def innermost(values: tuple[Any, ...]) -> Any:
    """Return a value of the derivative that began last, None where none is traced."""
    traced = [x for x in leaves_of(values) if hasattr(type(x), "__chainrules_level__")]
    return max(traced, key=lambda x: x.__chainrules_level__, default=None)


def refuse_captured(primal: Any, y: Any, level: float) -> None:
    """Raise ClosureError where a rule that ran on plain values returns one of a derivative, the one
    of this number or one that began later.

    A function among its arguments has it: in its closure, its defaults, a global or an object.
    The rule takes that for a constant.
    """
    for leaf in leaves_of(y):
        if getattr(leaf, "__chainrules_level__", -1) >= level:
            raise ClosureError(
                qualified_name(primal),
                "a function whose result depends on traced values that are not among its arguments",
                "pass them as arguments, or in the fields of a dataclass that has __call__",
                primal=primal,
                value=leaf,
            )


def has_special_tangent(args: Args) -> bool:
    """Whether an operand is a tangent, which has the say about sums and products with itself."""
    return any(isinstance(arg, AbstractTangent) for arg in args)
