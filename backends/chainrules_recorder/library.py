"""Recorded arrays join as an array library, beneath all transforms."""

from chainrules_py.values.arrays import (
    ArrayLibrary,
    register_library,
)
from chainrules_recorder.namespace import implementation, namespace
from chainrules_recorder.types import Recorded, RecordedNumber

recorded_library = register_library(
    ArrayLibrary(
        name="recorded",
        namespace=namespace,
        array_types=(Recorded, RecordedNumber),
        mutable=True,
        priority=20,
        implementations=implementation,
    )
)
