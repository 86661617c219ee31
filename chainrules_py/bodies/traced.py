"""Traced values: they stand for arrays while a body runs, and hand its operations to a level.

An operation belongs to the level opened last among its operands; values of other levels, and of an
engine that asked for the rule of a function with a body, are plain to it.
"""

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from chainrules_py.calls.method_names import METHODS
from chainrules_py.rules.rule import Mode
from chainrules_py.table.registry import RuleTable
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.arrays import ArrayLibrary, library_of_types, register_library
from chainrules_py.values.identity import is_out_of_reach, takes_plain_values_only
from chainrules_py.values.structure import fields, is_container, mapped

PRIORITY = 1000  # over the traced values of all engines, which a body may be run on
serials = itertools.count()


class Level:
    """One run of a body; `run` computes an operation in canonical form on values of this level."""

    mode: Mode

    def __init__(self, table: RuleTable) -> None:
        self.serial, self.table = next(serials), table

    def run(self, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Compute an operation by the rule of its function."""
        raise NotImplementedError

    def owns(self, x) -> bool:
        """Whether a value is traced by this level."""
        return isinstance(x, Traced) and x.level is self

    def is_in(self, x) -> bool:
        """Whether a value is traced by this level, or a container with such a value."""
        return any(map(self.owns, leaves_of(x)))

    def plain(self, x) -> Any:
        """Take the traced values of this level off a value, in containers too."""
        return mapped(lambda leaf: leaf.value if self.owns(leaf) else leaf, x)


class Traced:
    """A value that a level traces; `data` is what the level knows of it."""

    __slots__ = ("data", "level", "value")
    __array_priority__ = 1e9

    def __init__(self, value, level: Level, data: Any = None) -> None:
        self.value, self.level, self.data = value, level, data

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any:
        return call(ufunc if method == "__call__" else getattr(ufunc, method), inputs, options)

    def __array_function__(self, function, types, args, options) -> Any:
        return call(function, args, options)

    def __chainrules_call__(self, primal, args, options) -> Any:
        return call(primal, args, options)

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
        return (call(operator.getitem, (self, k), {}) for k in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "a body made a plain array of a traced value, which loses its derivative; write"
            " numpy.stack for numpy.array of a list, and x + 0.0 for numpy.array(x, float)"
        )

    def __bool__(self) -> bool:
        return bool(self.value)

    def reshape(self, *shape, order: Any = "C") -> Any:
        """Return the entries in another shape."""
        return call(np.reshape, (self, shape[0] if len(shape) == 1 else shape), {"order": order})

    def transpose(self, *axes) -> Any:
        """Return the entries with axes in another order."""
        return call(np.transpose, (self, (axes[0] if len(axes) == 1 else axes) or None), {})


def _operation(primal, is_property: bool = False) -> Any:
    def operation(self: Traced, *args, **options) -> Any:
        return call(primal, (self, *args), options)

    return property(operation) if is_property else operation


def _reflected(primal) -> Any:
    return lambda self, other: call(primal, (other, self), {})


for _name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"]:
    setattr(Traced, f"__{_name}__", _operation(getattr(operator, _name)))
    setattr(Traced, f"__r{_name}__", _reflected(getattr(operator, _name)))
for _name in [
    "neg",
    "pos",
    "abs",
    "invert",
    "getitem",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "and",
    "or",
    "xor",
]:
    setattr(Traced, f"__{_name}__", _operation(getattr(operator, f"__{_name}__")))
for _name in METHODS:
    setattr(Traced, _name, _operation(getattr(np, _name)))
for _name, _primal in {
    "T": np.transpose,
    "mT": np.matrix_transpose,
    "real": np.real,
    "imag": np.imag,
}.items():
    setattr(Traced, _name, _operation(_primal, is_property=True))


def call(primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Compute an operation by the level that was opened last among its operands."""
    if any(isinstance(arg, AbstractTangent) for arg in args):
        return NotImplemented  # tangents have the say about sums and products with themselves
    levels = [x.level for x in leaves_of((*args, *options.values())) if isinstance(x, Traced)]
    if not levels:
        types = map(type, leaves_of(args))
        return library_of_types(types).implementation(primal)(*args, **options)
    level = max(levels, key=lambda level: level.serial)
    primal, args, options = level.table.canonical(primal, args, options)
    rule = level.table.rule_for(level.mode, primal, tuple(map(type, map(level.plain, args))))
    if rule is not None and rule.body is not None and not is_traced(options.values()):
        types = map(type, leaves_of(tuple(map(level.plain, args))))
        return rule.body(*args, xp=BodyNamespace(library_of_types(types).namespace), **options)
    if rule is not None and not rule.differentiable:
        return call(primal, tuple(map(level.plain, args)), level.plain(options))
    return level.run(primal, args, options)


def leaves_of(x) -> Iterator[Any]:
    """List the values in a value, which are itself or the parts of a container."""
    if is_container(x):
        for part in fields(x).values():
            yield from leaves_of(part)
    else:
        yield x


def is_traced(values: Iterable[Any]) -> bool:
    """Whether some level traces one of these values, or a part of one."""
    return any(isinstance(x, Traced) for x in leaves_of(tuple(values)))


class BodyNamespace:
    """NumPy for bodies: a function of a traced value is an operation, and any other is that of the
    library whose arrays the body is run on.
    """

    def __init__(self, own, module: Any = np) -> None:
        self._own, self._module = own, module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        own = getattr(self._own, name, found)
        if type(found) is ModuleType:
            made: Any = BodyNamespace(own, found)
        elif isinstance(found, type) or not callable(found):
            made = found
        else:
            made = _of_either(found, own)
        setattr(self, name, made)
        return made


def _of_either(function, own) -> Callable[..., Any]:
    def called(*args, **options) -> Any:
        if is_traced((*args, *options.values())):
            return call(function, args, options)
        return own(*args, **options)

    return called


def _operation_of(primal) -> Callable[..., Any] | None:
    """Return a function that hands nothing over to traced values as an operation on them."""
    if not (takes_plain_values_only(primal) or is_out_of_reach(primal)):
        return None
    return lambda *args, **options: call(primal, args, options)


register_library(
    ArrayLibrary(
        name="chainrules_py.bodies",
        namespace=BodyNamespace(np),
        array_types=(Traced,),
        mutable=False,
        priority=PRIORITY,
        implementations=_operation_of,
    )
)
