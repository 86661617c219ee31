"""Traced integers, which keep the derivative of the number that was rounded to make them.

They cut off digits as fine as roundoff: ``int(x * 1e9) / 1e9`` is x up to roundoff, and has its
derivative. What ``int`` gives has to be an integer, because programs count by it, index by it and
print it; what they compute of it has to be traced. It is no `int`, since Python's floats would
compute with its plain value then, but it says so, and can do what integers can.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_foreign_code.bisections import note_constant_entries
from chainrules_tape.refusals.advice import CONVERSIONS
from chainrules_tape.refusals.apparent_instances import ApparentArray
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.errors import raise_lost_gradient
from chainrules_tape.refusals.handles import TracedArray

# of two integers they give one, which is traced
_KEEPING = ("add", "sub", "mul", "floordiv", "mod")
_BY_OTHERS = ("divmod", "lshift", "rshift")
_CONSTANT = ("and", "or", "xor")  # of two integers they give plain ones
_GIVING_NUMBERS = ("truediv", "pow")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_PLAIN = ("hash", "repr", "str", "bool", "invert", "format")
_INTEGERS = (int, np.integer)
STEPPED = "int(x) is constant between its steps"


class WholeNumber(ApparentArray):
    """An integer that counts as a plain one, and computes as the traced number it was cut from."""

    __slots__ = ("_number", "_value")
    _apparent_class = int

    def __init__(self, value: int, number) -> None:
        self._value, self._number = value, number

    @property
    def number(self) -> Any:
        """The traced number; the plain one where the call that traced it is over."""
        return float(self._value) if self._number.level.closed else self._number

    def _traced(self) -> Any:
        """The traced number."""
        return self.number

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._value, name)
        self.note_constant()
        return found

    @property
    def numerator(self) -> "WholeNumber":
        """The integer itself."""
        return self

    real = numerator

    def __reduce_ex__(self, protocol) -> Any:
        return int, (self._value,)

    def __float__(self) -> Any:
        number = self.number
        if type(number) is float:
            return number
        what, instead = CONVERSIONS["__float__"]
        return raise_lost_gradient(what, number, instead)

    def __pos__(self) -> "WholeNumber":
        return self

    __trunc__ = __floor__ = __ceil__ = __pos__

    def __round__(self, digits: Any = None) -> Any:
        if digits is None or digits >= 0:
            return self
        step = 10**-digits
        below = self // step * step
        return below + (round(self._value, digits) - integer_of(below))

    def __neg__(self) -> Any:
        return whole(-self._value, lambda: -self.number)

    def __abs__(self) -> Any:
        return self if self._value >= 0 else -self

    def __array__(self, *args, **options) -> Any:
        self.note_constant()
        return np.array(self._value, *args, **options)

    def __index__(self) -> int:
        self.note_constant()
        return self._value

    __int__ = __index__

    def note_constant(self) -> None:
        """Note that the number becomes a plain integer, by whatever takes one."""
        number = self.number
        if issubclass(type(number), TracedArray):
            note_constant_entries(number, True, calling_frame(), STEPPED)


def number_of(x) -> Any:
    """The traced number that an integer was cut from; other values as they are."""
    return x.number if type(x) is WholeNumber else x


def integer_of(x) -> Any:
    """The plain integer; other values as they are."""
    return x._value if type(x) is WholeNumber else x


def whole(value: int, number: Callable[[], Any]) -> Any:
    """An integer with the traced number that is computed beside it, if that is one."""
    found = number()
    return WholeNumber(value, found) if issubclass(type(found), TracedArray) else value


def computed(name: str, left, right) -> Any:
    """The result of an operator: an integer where Python gives one, else of the traced number."""
    operation = getattr(operator, f"__{name}__", divmod)
    numbers = number_of(left), number_of(right)
    plain = integer_of(left), integer_of(right)
    if name in _GIVING_NUMBERS or not all(issubclass(type(x), _INTEGERS) for x in plain):
        is_number = any(
            issubclass(type(x), float | complex | TracedArray) or hasattr(x, "dtype") for x in plain
        )
        return operation(*numbers) if is_number or name in _GIVING_NUMBERS else operation(*plain)
    if name in _KEEPING:
        return whole(operation(*plain), lambda: operation(*numbers))
    if name == "divmod":
        return computed("floordiv", left, right), computed("mod", left, right)
    if name in _BY_OTHERS:
        factor = 1 << operator.index(right)
        return computed("mul" if name == "lshift" else "floordiv", left, factor)
    return operation(operator.index(left), operator.index(right))


def operator_of(name: str) -> Callable[..., Any]:
    """An operator with the integer on the left; a power may have a modulus, and is plain then."""

    def operate(self, other, *modulus):
        if modulus:
            return pow(*map(integer_of, (self, other, *modulus)))
        return computed(name, self, other)

    return operate


def reflected(name: str) -> Callable[[Any, Any], Any]:
    """An operator with the integer on the right."""
    return lambda self, other: computed(name, other, self)


def comparison(name: str) -> Callable[[Any, Any], Any]:
    """A comparison, with a traced value that of the traced number."""
    compare = getattr(operator, name)

    def operate(self, other):
        if issubclass(type(other), TracedArray):
            return compare(self.number, other)
        return compare(self._value, integer_of(other))

    return operate


def plain_method(name: str) -> Callable[..., Any]:
    """A method that is the plain integer's."""
    method = getattr(int, f"__{name}__")
    return lambda self, *args: method(self._value, *args)


for _name in _PLAIN:
    setattr(WholeNumber, f"__{_name}__", plain_method(_name))
for _name in _COMPARISONS:
    setattr(WholeNumber, f"__{_name}__", comparison(_name))
for _name in (*_KEEPING, *_BY_OTHERS, *_CONSTANT, *_GIVING_NUMBERS):
    setattr(WholeNumber, f"__{_name}__", operator_of(_name))
    setattr(WholeNumber, f"__r{_name}__", reflected(_name))
