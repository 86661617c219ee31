"""Examples in lanes as arrays: their shape is that of one, and what would choose one raises."""

from math import prod
from operator import attrgetter
from sys import modules
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.batching.lanes import stand_in
from chainrules_py.errors import BatchingError
from chainrules_py.introspection import frame_above, is_storing_entries
from chainrules_tape.arrays.behaviour import (
    ArrayBehaviour,
    SequenceBehaviour,
    refused_assignment,
)
from chainrules_tape.in_place.lane_memory import plain_lane
from chainrules_tape.refusals.advice import DECISION
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.errors import InPlaceError, raise_decision
from chainrules_tape.refusals.other_libraries import takes_arrays_in

CHOOSE = (
    "write numpy.where(condition, a, b) in the place of an if, and loops with as many steps for all"
    " examples; or loop over the examples, numpy.stack([f(x) for x in xs])"
)
BUFFERS = "make it by chainrules_tape.numpy: zeros, zeros_like, empty, full, array or copy"
# How a program asks for the value of one example.
QUESTIONS = {
    "__bool__": DECISION,
    "__float__": "float(x)",
    "__int__": "int(x)",
    "__complex__": "complex(x)",
    "__index__": "x as an index, or as a number of times",
    "__hash__": "hash(x), as of a member of a set or a key of a dict",
    "item": "x.item()",
    "tolist": "x.tolist()",
    "is_integer": "x.is_integer()",
    "hex": "x.hex()",
    "as_integer_ratio": "x.as_integer_ratio()",
}


def refused_question(name: str) -> Function:
    """The method that raises, because examples would have different answers."""
    asked = QUESTIONS[name]
    instead = CHOOSE
    if name == "__index__":
        instead = "index with x[i], whose x or i is an array in lanes, or write chainrules_tape.numpy.take"

    def refuse_question(self, *args, **options):
        from chainrules_tape.refusals.lost_gradients import explained  # by the first refusal

        if name == "__index__" and is_storing_entries(calling_frame()):
            what = "a[x] = b at a place that differs from lane to lane, in a plain array a"
            raise_decision(self.level, BatchingError("vmap", what, BUFFERS))
        found = explained(asked, self, instead)
        if found.is_write:
            said = found.operation, found.got, found.instead
            raise InPlaceError(*said, operation=found.operation, value=self)
        got = (
            f"{asked}, where x differs from lane to lane: all examples run at once, and each"
            " would have an answer of its own"
        )
        raise_decision(self.level, BatchingError("vmap", got, instead, operation=asked))

    return refuse_question


def fact_of_one(name: str) -> property:
    """An attribute of one example."""

    def read(self):
        return getattr(stand_in(self.value), name)

    return property(read, doc=f"The {name} of one example.")


class LaneBehaviour(ArrayBehaviour):
    """The attributes and conversions of examples in lanes."""

    __slots__ = ()
    itemsize, nbytes = fact_of_one("itemsize"), fact_of_one("nbytes")
    # by itself: projection asks for it, and `fact` takes three times as long
    dtype = property(attrgetter("value.dtype"), refused_assignment("dtype"), doc="The dtype.")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one example."""
        return self.value.shape[1:]

    @shape.setter
    def shape(self, shape) -> None:
        self._set_shape(shape)

    @property
    def ndim(self) -> int:
        """The number of axes of one example."""
        rank: int = self.value.ndim
        return rank - 1

    @property
    def size(self) -> int:
        """The number of entries of one example."""
        return prod(self.value.shape[1:])

    @property
    def all_lanes(self) -> Any:
        """The array of all examples, in front, for rules that decide something for all of them."""
        return self.value

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides of one example."""
        return self.value.strides[1:]

    @property
    def flags(self) -> Any:
        """The flags of one example: its order in memory, and whether it can be written to."""
        return plain_lane(self).flags

    def __str__(self) -> str:
        lanes, *shape = self.value.shape
        return f"{type(self).__name__}({lanes} lanes of shape {tuple(shape)}, {self.dtype})"

    def __format__(self, spec: str) -> str:
        return str(self)


for _name in QUESTIONS.keys() - {"__hash__"}:
    setattr(LaneBehaviour, _name, refused_question(_name))


class ArrayInLanes(LaneBehaviour, SequenceBehaviour):
    """An array in each lane."""

    __slots__ = ()

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError("len() of unsized object")  # as NumPy says it
        return shape[0]


class NumberInLanes(LaneBehaviour):
    """A number in each lane."""

    __slots__ = ()
    is_number = True
    __hash__: Any = refused_question("__hash__")

    def __getitem__(self, index) -> Any:
        if type(index) is int:
            raise TypeError(
                "invalid index to scalar variable: a number is neither indexed nor iterated over"
            )
        y = super().__getitem__(index)
        return y if y.is_number else np.copy(y)  # of a number nobody has a view


def class_of_number(x) -> type:
    """The class that a number in lanes says it has: NumPy's, of its dtype.

    Over another library it says its own: JAX's operators would take what says to be NumPy's.
    """
    if x.beneath != "numpy" or ("xarray" in modules and takes_arrays_in(frame_above(1))):
        return type(x)
    return np.dtype(x.dtype).type
