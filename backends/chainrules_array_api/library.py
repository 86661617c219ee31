"""Register classes of arrays that follow the array API standard: their values become
`StandardArray`s where they enter a program that is differentiated.
"""

from functools import partial
from typing import Any

from chainrules_array_api.entries import added_to_zeros, written
from chainrules_array_api.namespace import namespace
from chainrules_array_api.standard_array import StandardArray, unwrapped
from chainrules_py.engines.numpy_protocols import answer_numpy
from chainrules_py.rulesets.entries.replacing import replaced
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.values.arrays import ArrayLibrary, libraries, register_library

OWN: dict[Any, Any] = {scatter_add: added_to_zeros, replaced: written}


def join(array_class: type) -> ArrayLibrary:
    """Let the arrays of a class that follows the array API standard into programs that are
    differentiated.
    """
    known = next(
        (library.outer_types for library in libraries() if library.name == "array-api"), ()
    )
    return register_library(
        ArrayLibrary(
            name="array-api",
            namespace=namespace,
            array_types=(StandardArray,),
            outer_types=tuple(dict.fromkeys((*known, array_class))),
            taken_in=partial(StandardArray, is_given=True),
            given_out=unwrapped,
            mutable=False,
            priority=5,
            implementations=OWN.get,
        )
    )


answer_numpy(StandardArray)
