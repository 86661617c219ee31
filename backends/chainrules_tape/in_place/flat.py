"""``x.flat``: the entries of an array one after the other, as NumPy's `flatiter` gives them.

It is an iterator, which stands at an entry: `index` and `coords` say at which, ``next`` goes on,
and an index begins anew.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape.arrays.zero_dimensional import array_of_number
from chainrules_tape.in_place.functions import is_target
from chainrules_tape.in_place.overlaps import Write, refuse_overlap
from chainrules_tape.refusals.apparent_instances import ApparentArray
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import stood_for

# indices whose positions, as those of slices, are found at the cost of what they select
_NUMBERS = frozenset({int, np.int64})
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")


class Flat(ApparentArray):
    """The entries of a traced array, to be read, compared and assigned to.

    What is assigned and too short is repeated, as NumPy does.
    """

    __slots__ = ("_array", "_places")
    __hash__: Any = None
    _apparent_class = np.flatiter

    def __init__(self, array) -> None:
        self._array = array_of_number(array)
        # NumPy's own iterator, over an array that is never read
        self._places = np.empty(self._array.shape, bool).flat

    # Where it stands

    @property
    def base(self) -> Any:
        """The array whose entries these are."""
        return self._array

    @property
    def index(self) -> int:
        """The position of the entry that ``next`` gives."""
        return self._places.index

    @property
    def coords(self) -> tuple[int, ...]:
        """The index of the entry that ``next`` gives; behind the last one, that of the end."""
        return self._places.coords

    def __iter__(self) -> "Flat":
        return self

    def __next__(self) -> Any:
        position = self.index
        next(self._places)
        return self._entry(position)

    # Entries

    def __len__(self) -> int:
        return int(self._array.size)

    def __getitem__(self, index) -> Any:
        positions = self._positions(index)
        if np.ndim(positions) == 0:
            return self._entry(positions)
        array = self._array
        if not array.shape:
            return np.reshape(array, (1,))[positions]
        return array[np.unravel_index(positions, array.shape)]

    def __setitem__(self, index, values) -> None:
        positions = self._positions(index)
        values = stood_for(values)
        if np.ndim(positions) == 0 and np.ndim(values):
            raise ValueError("Error setting single item of array.")  # as NumPy says it
        if is_target(self._array):
            refuse_overlap("x.flat[index] = v", flat_write(index), self._array, values)
        if np.size(positions) and np.size(values):
            np.put(self._array, positions, values)

    def __delitem__(self, index) -> None:
        raise TypeError("Cannot delete iterator elements")  # as NumPy says it

    def _positions(self, index) -> Any:
        """The positions that an index selects, an integer or an array of them; iteration begins anew."""
        self._places = self._places.base.flat
        if type(index) in _NUMBERS:
            return range(len(self))[index]
        if type(index) is slice:
            return np.arange(*index.indices(len(self)))
        return np.arange(len(self)).flat[index]  # by NumPy, whose errors these are

    def _entry(self, position) -> Any:
        array = self._array
        return array[np.unravel_index(position, array.shape)] if array.shape else array[()]

    # The array of all entries

    def copy(self) -> Any:
        """The array of all entries, along one axis."""
        return np.ravel(self._array).copy()

    _traced = copy

    def __array__(self, *args, **options) -> Any:
        """The plain array of all entries; raises where they are traced."""
        return self.copy().__array__(*args, **options)


def flat_write(index) -> Write:
    """The function that writes entries at an index as NumPy does."""
    return lambda array, values: array.flat.__setitem__(index, values)


def comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison of all entries."""
    return lambda self, other: compare(self.copy(), stood_for(other))


def reflected(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator of an array and of all entries, ``a * x.flat``; NumPy has no other."""

    def operate(self: Flat, other):
        return operation(other, self.copy()) if hasattr(other, "dtype") else NotImplemented

    return operate


for _name in _COMPARISONS:
    setattr(Flat, f"__{_name}__", comparison(getattr(operator, _name)))
for _name in _OPERATORS:
    setattr(Flat, f"__r{_name}__", reflected(getattr(operator, f"__{_name}__")))


def assign(array, values) -> None:
    """Write all entries, ``x.flat = values``."""
    Flat(array)[:] = values


def refuse_assignment(number: TracedArray, values) -> None:
    """Raise for ``x.flat = values`` of a number, as NumPy does."""
    raise AttributeError(
        f"attribute 'flat' of {number.__class__.__name__!r} objects is not writable"
    )


flat = property(Flat, assign)
flat_of_number = property(Flat, refuse_assignment)
