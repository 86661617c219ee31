"""Quantities of Astropy that hold traced values.

Astropy's `Quantity` is an ndarray, and has no place for anything but numbers. `TracedQuantity`
stands for one within a differentiated function. It computes nothing itself. A function of NumPy's
is called twice:

    on plain quantities     Astropy checks the units, and says which unit the result has
    on numbers alone        each in coherent units (metres, seconds, radians): by their rules

A function that makes sense with units gives the same in all of them, so that the second result,
brought to the unit of the first, has its numbers. Where it has not, as for a function that rounds
to whole units, it is refused. Where all quantities and the result are in one unit, the numbers are
those in it: of what moves entries alone, the result is the view that NumPy gives.
"""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
from astropy import units as astropy_units
from astropy.units.quantity_helper.converters import can_have_arbitrary_unit
from numpy.lib.mixins import NDArrayOperatorsMixin

from chainrules_numpy.aliases import entry
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.calls.method_names import METHODS, RARER_METHODS
from chainrules_py.introspection import frame_above, is_storing_entries
from chainrules_py.values.identity import qualified_name
from chainrules_tape.arrays.behaviour import of_objects
from chainrules_tape.core.values import resolved
from chainrules_tape.recomputation import is_close
from chainrules_tape.refusals.errors import InputError, raise_lost_gradient
from chainrules_tape.refusals.handles import TracedArray

units: Any = astropy_units  # its annotations are narrower than what it takes

_METHODS = {*METHODS, *RARER_METHODS, "reshape", "transpose", "compress"}
# of which the unit of the result depends on the number of the second operand
_POWERS = frozenset({np.power, np.float_power})
# which convert numbers of one unit to those of another
_TO_ANGLES = {
    **dict.fromkeys((np.deg2rad, np.radians), units.rad),
    **dict.fromkeys((np.rad2deg, np.degrees), units.deg),
}


class TracedQuantity(NDArrayOperatorsMixin):
    """A traced value with a unit, which says to be a `Quantity`, or of a subclass such as `Angle`,
    and answers as one.
    """

    __slots__ = ("_wrap_angle", "cls", "unit", "value")
    __array_priority__ = 2e6  # above those of quantities and of traced values
    __hash__: Any = None
    info: Any = None
    equivalencies: Any = ()

    def __init__(self, value, unit, cls: type = units.Quantity, wrap_angle: Any = None) -> None:
        self.value, self.unit, self.cls = value, units.Unit(unit), cls
        self._wrap_angle = wrap_angle  # of a `Longitude`

    # ``isinstance(x, Quantity)`` holds, by which Astropy's functions tell quantities from numbers
    __class__: Any = property(lambda self: self.cls)

    def __getattr__(self, name: str) -> Any:
        """Read an attribute that a subclass has beyond `Quantity`, such as ``angle.degree`` or
        ``angle.wrap_at``: its own methods compute with quantities.
        """
        if name not in TracedQuantity.__slots__:
            bases = self.cls.__mro__
            for base in bases[: bases.index(units.Quantity)]:
                if name in vars(base):
                    found = vars(base)[name]
                    return found.__get__(self, self.cls) if hasattr(found, "__get__") else found
            if self.cls is not units.Quantity:
                return units.Quantity.__getattr__(self, name)
        raise AttributeError(f"a {self.cls.__name__} that is traced has no attribute {name!r}")

    def like(self, value, unit: Any = None) -> "TracedQuantity":
        """A quantity of the same class with another number."""
        return TracedQuantity(value, unit or self.unit, self.cls, self._wrap_angle)

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any:
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return with_units(function, inputs, options)

    def __array_function__(self, function, types, args: Args, options: Options) -> Any:
        return with_units(function, args, options)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Raise where a plain array is asked for; an array of objects takes the quantity itself."""
        if is_storing_entries(frame_above(1)):  # NumPy looks at its shape, and stores the quantity
            return of_objects(self.value, self.shape)
        instead = (
            "use NumPy's functions, write Quantity(q) or chainrules_tape.numpy.array(q), and"
            ' differentiate functions of Astropy within seen_through("astropy")'
        )
        return raise_lost_gradient("an array of a quantity (numpy.array)", self.value, instead)

    def __copy__(self) -> "TracedQuantity":
        return self.copy()

    def __deepcopy__(self, memo) -> "TracedQuantity":
        return self.copy()

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Do nothing: Astropy's parameters say by it that they are not written to."""

    # Units

    def to(self, unit, equivalencies: Any = [], copy: bool = True) -> "TracedQuantity":  # noqa: B006
        """The quantity in another unit."""
        unit = units.Unit(unit)
        if isinstance(unit, units.FunctionUnitBase):
            raise_refused(f"a quantity in {unit}", "take the number, q.to_value(unit)")
        number = self.to_value(unit, equivalencies)
        is_own = number is self.value and copy
        found = self.like(number.copy() if is_own else number, unit)
        if self.cls is not units.Quantity:  # a `Distance` is one in units of length alone
            found.cls = type(plain_quantity(self).to(unit, equivalencies))
        return found

    def to_value(self, unit: Any = None, equivalencies: Any = []) -> Any:  # noqa: B006
        """The number in a unit."""
        if unit is None:
            return self.value
        unit = units.Unit(unit)
        if unit == self.unit:
            return self.value
        if is_proportional(self.unit, unit):
            return self.value * self.unit.to(unit)
        return self.unit.to(unit, self.value, equivalencies)

    def decompose(self, bases: Any = ()) -> "TracedQuantity":
        """The quantity in irreducible units."""
        return self.to(unscaled(self.unit.decompose(bases)))

    @property
    def si(self) -> "TracedQuantity":
        """The quantity in units of the SI."""
        return self.to(unscaled(self.unit.si))

    @property
    def cgs(self) -> "TracedQuantity":
        """The quantity in units of the CGS system."""
        return self.to(unscaled(self.unit.cgs))

    # Operators that know units

    def __mul__(self, other) -> Any:
        if isinstance(other, units.UnitBase | str):
            return TracedQuantity(self.value.copy(), self.unit * units.Unit(other))
        return super().__mul__(other)

    def __rmul__(self, other) -> Any:
        return self * other if isinstance(other, units.UnitBase | str) else super().__rmul__(other)

    def __truediv__(self, other) -> Any:
        if isinstance(other, units.UnitBase | str):
            return TracedQuantity(self.value.copy(), self.unit / units.Unit(other))
        return super().__truediv__(other)

    def __rtruediv__(self, other) -> Any:
        if isinstance(other, units.UnitBase | str):
            return TracedQuantity(1.0 / self.value, units.Unit(other) / self.unit)
        return super().__rtruediv__(other)

    def __lshift__(self, other) -> Any:
        return self.to(other)

    def __ilshift__(self, other) -> Any:
        number = self.to_value(other)
        self.write(number)
        self.unit = units.Unit(other)
        return self

    def write(self, number) -> None:
        """Put other entries into the memory that views share; a number without axes has none."""
        if getattr(self.value, "is_number", self.isscalar):
            self.value = number
        else:
            self.value[...] = number

    def __eq__(self, other) -> Any:
        return compared(super().__eq__, other, False)

    def __ne__(self, other) -> Any:
        return compared(super().__ne__, other, True)

    # What an array has

    shape = property(lambda self: np.shape(self.value))
    ndim = property(lambda self: np.ndim(self.value))
    size = property(lambda self: np.size(self.value))
    dtype = property(lambda self: self.value.dtype)
    isscalar = property(lambda self: not np.shape(self.value))
    T = property(lambda self: np.transpose(self))
    real = property(lambda self: np.real(self))
    imag = property(lambda self: np.imag(self))

    def __getitem__(self, index) -> "TracedQuantity":
        return self.like(self.value[index])

    def __setitem__(self, index, other) -> None:
        self.value[index] = number_in(other, self.unit)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator["TracedQuantity"]:
        return (self.like(each) for each in self.value)

    def __bool__(self) -> bool:
        raise ValueError("the truth of a quantity is ambiguous; compare it with one: q > 0 * u.m")

    def __float__(self) -> float:
        return float(self.to_value(units.dimensionless_unscaled))

    def __round__(self, digits: int = 0) -> Any:
        return with_units(np.round, (self, digits), {})

    def __repr__(self) -> str:
        return f"<TracedQuantity {self.value} {self.unit}>"

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} {self.unit}"

    def copy(self, order: str = "C") -> "TracedQuantity":
        """A copy of the quantity."""
        return self.like(self.value.copy())

    def astype(self, dtype, **options) -> "TracedQuantity":
        """The quantity with a number of another dtype."""
        return self.like(self.value.astype(dtype, **options))

    def flatten(self) -> "TracedQuantity":
        """The quantity along one axis."""
        return self.like(self.value.flatten())

    def item(self, *index) -> "TracedQuantity":
        """The one entry, or that at an index, as a quantity."""
        (number, place), _ = entry(self.value, *index)
        return self.like(number[place])

    def view(self, cls: Any = None) -> Any:
        """The quantity as one of another class, or its number as an array."""
        if cls is None:
            return self
        if isinstance(cls, type) and issubclass(cls, units.Quantity):
            example = plain_quantity(self).view(cls)  # raises where the class has other units
            return TracedQuantity(self.value, example.unit, cls, wrap_angle_of(example))
        return self.value if cls is np.ndarray else self.value.view(cls)

    # Longitudes are brought into one turn

    @property
    def wrap_angle(self):
        """Where the turn of a `Longitude` ends; others have no such attribute."""
        if self._wrap_angle is None:
            raise AttributeError(f"a {self.cls.__name__} has no wrap_angle")
        return self._wrap_angle

    @wrap_angle.setter
    def wrap_angle(self, angle) -> None:
        self._wrap_angle = units.Quantity(angle, copy=False, subok=True)
        self._wrap_at(self._wrap_angle)

    def _wrap_at(self, wrap_angle) -> None:
        """Take whole turns away, as Astropy's method does in place, also of numbers."""
        turn, end = units.degree.to(self.unit, 360.0), wrap_angle.to_value(self.unit)
        wrapped = self.value - turn * np.floor((self.value - (end - turn)) / turn)
        self.value = np.where(wrapped >= end, wrapped - turn, wrapped)  # by roundoff


def method_of(name: str, function: Any = None) -> Function:
    """The method of quantities of this name, by that of arrays, or by a function."""

    def of_arrays(x, *args, **options):
        return getattr(x, name)(*args, **options)

    def method(self: TracedQuantity, *args, **options):
        return with_units(function or of_arrays, (self, *args), options)

    of_arrays.__qualname__ = f"Quantity.{name}"
    method.__name__, method.__doc__ = name, f"As ``astropy.units.Quantity.{name}``."
    return method


for _name in _METHODS.difference(vars(TracedQuantity)):
    setattr(TracedQuantity, _name, method_of(_name))
for _name in ("diff", "ediff1d", "insert"):  # which arrays have as functions alone
    setattr(TracedQuantity, _name, method_of(_name, getattr(np, _name)))


# Functions of NumPy's


def with_units(function, args, options: Options) -> Any:
    """Call a function of NumPy's, or of its operators, with quantities and traced values among its
    arguments.
    """
    if options.get("out") is not None:
        return written_into_quantity(function, args, options)
    if function in _TO_ANGLES:
        return args[0].to(_TO_ANGLES[function])
    example = result_of(function, plain_quantity, args, options)
    if not has_derivative(example) and not any(map(is_in_lanes, quantities_and_values(args))):
        return example

    refuse_traced_exponents(function, args)
    if any(map(passes_for_quantity, quantities_and_values(args))):
        function(
            *changed_quantities(args, with_ones), **changed_quantities(options, with_ones)
        )  # raises where units differ
    own = {name: option for name, option in options.items() if name != "subok"}  # of classes
    if are_in_one_unit((args, own, example)):
        found = in_units_of(result_of(function, bare, args, own), example, one)
        if agree(changed_quantities(found, plain_quantity), example):
            return found
    found = in_units_of(result_of(function, coherent, args, own), example, scale_of)
    if not agree(changed_quantities(found, plain_quantity), example):
        instead = "call it on numbers, x.to_value(unit)"
        raise_refused(f"{qualified_name(function)}, which depends on the units", instead)
    return found


def result_of(function, change: Callable[[Any], Any], args, options) -> Any:
    """Call a function with other values for the quantities and traced values among its arguments."""
    y = function(*changed_quantities(args, change), **changed_quantities(options, change))
    if y is None:
        raise_refused(f"{qualified_name(function)}, which writes", "write q[index] = x")
    return y


def written_into_quantity(function, args, options: Options) -> Any:
    """Call a function, and write its result into a quantity, as ``q += x`` does."""
    out, *others = as_tuple(options.pop("out"))
    if others or type(out) is not TracedQuantity:
        raise_refused(f"{qualified_name(function)} with out=", "take its result")
    y = with_units(function, args, options)
    number, out.unit = (y.value, y.unit) if isinstance(y, units.Quantity) else (y, units.one)
    out.write(number)
    return out


def changed_quantities(tree, change: Callable[[Any], Any]) -> Any:
    """The arguments of a function, or its results, with other values for the quantities and traced
    values among them.
    """
    cls = type(tree)
    if cls is dict:
        return {key: changed_quantities(part, change) for key, part in tree.items()}
    if issubclass(cls, tuple | list):
        return changed_like(tree, [changed_quantities(part, change) for part in tree])
    return change(tree)


def plain_quantity(x) -> Any:
    """The quantity or value without its derivative; of one in lanes, the first example."""
    if type(x) is not TracedQuantity:
        return first_example(x)
    plain = units.Quantity(first_example(x.value), x.unit, dtype=None, subok=True)
    if x.cls is units.Quantity:
        return plain
    plain = plain.view(x.cls)
    if x._wrap_angle is not None:
        plain._wrap_angle = x._wrap_angle
    return plain


def wrap_angle_of(x) -> Any:
    """Where the turn of a `Longitude` ends; None of what is none."""
    return getattr(x, "_wrap_angle", None)


def first_example(x) -> Any:
    """The value of a handle with the handles of all levels taken off, and the first of its lanes."""
    while is_traced_array(x := resolved(x)):  # a buffer may hold plain numbers
        x = x.value[0] if x.in_lanes else x.value
    return x


def passes_for_quantity(x) -> bool:
    """Whether Astropy takes a traced number for a quantity in any unit, as it does with zeros.

    A derivative by it would be one by a number in some unit.
    """
    return is_traced_array(x) and bool(can_have_arbitrary_unit(first_example(x)))


def with_ones(x) -> Any:
    """The plain quantity or value, with ones for what passes for a quantity."""
    found = plain_quantity(x)
    return np.ones_like(found) if passes_for_quantity(x) else found


def quantities_and_values(tree) -> Iterator[Any]:
    """The arguments of a function, and what is in lists of them."""
    for x in tree:
        if issubclass(type(x), tuple | list):
            yield from quantities_and_values(x)
        else:
            yield x


def is_in_lanes(x) -> bool:
    """Whether a value differs from example to example, at this level or an outer one."""
    x = x.value if type(x) is TracedQuantity else x
    while is_traced_array(x := resolved(x)):
        if x.in_lanes or x.level.mode == "batching":
            return True
        x = x.value
    return False


def are_in_one_unit(tree) -> bool:
    """Whether all quantities among arguments and results have the same unit, and all else are
    integers, which no unit changes.
    """
    found: list[Any] = []

    def note_unit(x) -> None:
        if isinstance(x, units.Quantity):
            found.append(x.unit)
            return
        kind = getattr(getattr(x, "dtype", None), "kind", "i")
        if kind in "fc" or type(x) is float:
            found.append(None)

    changed_quantities(tree, note_unit)
    return all(unit is not None and unit == found[0] for unit in found)


def bare(x):
    """The number of a quantity in its own unit; what is none, as it is."""
    return x.value if isinstance(x, units.Quantity) else x


def one(unit) -> float:
    """The factor from a unit to itself."""
    return 1.0


def coherent(x):
    """The number of a quantity in coherent units; what is none, as it is."""
    if not isinstance(x, units.Quantity):
        return x
    scale = scale_of(x.unit)
    return x.value if scale == 1.0 else x.value * scale


def scale_of(unit) -> float:
    """The factor from a unit to the coherent one."""
    return unit.decompose().scale


def in_units_of(computed, example, scale_of: Callable[[Any], float]) -> Any:
    """Give numbers the units of what Astropy has computed, from which there are these factors."""
    if isinstance(example, tuple | list):
        pairs = zip(computed, example, strict=True)
        return changed_like(example, [in_units_of(*pair, scale_of) for pair in pairs])
    if not isinstance(example, units.Quantity):
        return computed
    scale = scale_of(example.unit)
    number = computed if scale == 1.0 else computed / scale
    if not is_traced_array(number):
        return example
    return TracedQuantity(number, example.unit, type(example), wrap_angle_of(example))


def changed_like(example, parts: list[Any]) -> Any:
    """Parts in a container as the example."""
    return example._make(parts) if hasattr(example, "_make") else type(example)(parts)


def is_traced_array(x) -> bool:
    """Whether a number is traced."""
    return issubclass(type(x), TracedArray)


def has_derivative(example) -> bool:
    """Whether a result has a derivative: comparisons and positions have none."""
    if isinstance(example, tuple | list):
        return any(map(has_derivative, example))
    return getattr(getattr(example, "dtype", None), "kind", "no number") in "fc"


def agree(found, example) -> bool:
    """Whether two results are the same up to roundoff."""
    if isinstance(example, tuple | list):
        return all(map(agree, found, example))
    return is_close(*(getattr(each, "value", each) for each in (found, example)))


def refuse_traced_exponents(function, args) -> None:
    """Raise for a power whose unit would depend on a traced number."""
    if function not in _POWERS or not any(map(is_traced_number, args[1:])):
        return
    if isinstance(args[0], units.Quantity) and args[0].unit.decompose().bases:
        instead = "divide by a unit first: (q / unit) ** x"
        raise_refused(f"a power of a quantity in {args[0].unit} by a traced number", instead)


def is_traced_number(x) -> bool:
    """Whether a value is traced, with or without a unit."""
    return type(x) is TracedQuantity or is_traced_array(x)


def compared(compare: Callable[[Any], Any], other, if_units_differ: bool) -> Any:
    """Compare as Astropy does, for which quantities of different dimensions are unequal."""
    try:
        return compare(other)
    except units.UnitsError:
        return if_units_differ


def number_in(x, unit) -> Any:
    """The number of a quantity in a unit; a number counts as one without."""
    if isinstance(x, units.Quantity):
        return x.to_value(unit)
    return TracedQuantity(x, units.dimensionless_unscaled).to_value(unit)


def is_proportional(unit, other) -> bool:
    """Whether numbers in two units are proportional."""
    if isinstance(other, units.FunctionUnitBase):  # magnitudes, decibels
        return False
    return bool(unit.decompose().bases == other.decompose().bases and unit.is_equivalent(other))


def unscaled(unit) -> Any:
    """The unit without its factor."""
    return units.Unit(unit / unit.scale)


def as_tuple(x) -> tuple[Any, ...]:
    """The parts of an `out=`, one or several."""
    return x if isinstance(x, tuple) else (x,)


def raise_refused(what: str, instead: str) -> NoReturn:
    """Raise: something is not done with quantities that hold traced values."""
    raise InputError(
        what, "a quantity that holds a traced value", instead, function=None, value=None
    )
