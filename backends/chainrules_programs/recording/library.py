"""Register recorded arrays as an array library, so that rules and transforms run on them."""

import operator
from typing import Any

from chainrules_programs.recording.namespace import implementation, namespace
from chainrules_programs.recording.operations import recording_in
from chainrules_programs.recording.rules_on_numbers import differentiated
from chainrules_programs.recording.types import Recorded, RecordedNumber, RecordedPython
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.dense import space_of_array
from chainrules_py.projection.scalars import NumberSpace, ScalarSpace
from chainrules_py.values.arrays import (
    ArrayLibrary,
    register_library,
)
from chainrules_tape.core.values import AS_NUMPYS


class PythonNumberSpace(NumberSpace):
    """The space of a number of Python's that is recorded."""

    __slots__ = ()

    def bring(self, t) -> Any:
        """A cotangent as a number of this type; the conversion is written down."""
        t = super().bring(t)
        recording = recording_in(t)
        if recording is None or type(t.array) is self.primal_type:
            return t
        return recording.call(self.primal_type, (t,), {})


class RecordedNumberSpace(ScalarSpace):
    """The space of a number of NumPy's that is recorded: arrays without axes become numbers."""

    __slots__ = ()

    def bring(self, t) -> Any:
        """A cotangent as a number of this dtype."""
        t = super().bring(t)
        return t[()] if type(t) is Recorded else t


def space_of_number(x: RecordedNumber) -> Space:
    """The space of a recorded number: NumPy's stays NumPy's, and Python's stays Python's."""
    cls = type(x.array)
    if cls is float or cls is complex:
        return PythonNumberSpace(cls)
    return RecordedNumberSpace(type(x), (), x.dtype) if x.dtype.kind in "fc" else space_of_array(x)


ProjectTo.register(RecordedNumber)(space_of_number)
recorded_library = register_library(
    ArrayLibrary(
        name="recorded",
        namespace=namespace,
        array_types=(Recorded, RecordedNumber, RecordedPython),
        mutable=True,
        priority=20,
        implementations=implementation,
        number_types=(RecordedNumber, RecordedPython),
        stands_for=operator.attrgetter("array"),
        differentiated=differentiated,
    )
)
AS_NUMPYS.update(recorded_library.array_types)
