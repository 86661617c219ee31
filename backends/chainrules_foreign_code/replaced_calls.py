"""Which calls of foreign functions are replaced, and by which functions.

Python asks the class, so no handle can answer a call of `float`. Nor can the name `float` stand for
something else, because `float` is also what types are compared with and arrays are made of. So only
calls are changed.

Likewise other functions are called for methods (`methods`, and those of plain arrays, which convert
in C), for ufuncs, which take no list of traced values (`ufuncs_of_lists`), and for those classes
and functions of Python's that look at the type of a number and ask it nothing (`refused_calls`).
"""

import warnings
from typing import Any

import numpy as np

from chainrules_foreign_code.conversions import (
    as_complex,
    as_float,
    as_int,
    as_iterator,
    as_type,
    of_class,
    of_integer_class,
)
from chainrules_foreign_code.methods import (
    array,
    array_namespace,
    astype,
    copy,
    dot,
    item,
    of_objects,
    round_method,
    searchsorted,
    tolist,
)
from chainrules_foreign_code.rounding import as_round
from chainrules_foreign_code.ufuncs_of_lists import accumulate, outer, reduce
from chainrules_py.introspection import frame_above, frames_outward, is_ours
from chainrules_py.introspection.waiting_code import waited_for
from chainrules_tape.numpy.creation import ndarray
from chainrules_tape.refusals.advice import OF_OBJECTS


def as_map(function, *sequences):
    """``map(f, ...)``, which may be asked to convert each of its values."""
    return map(CONVERTING.get(id(function), function), *sequences)


def warn(message, category=None, stacklevel: int = 1, source=None, **options) -> None:
    """``warnings.warn``, for which neither our frames count nor those of code that has waited."""
    level, left = 1, max(stacklevel, 1)
    for frame in frames_outward(frame_above(1)):
        level += 1
        left -= waited_for(frame.f_code) is None and not is_ours(frame)
        if not left:
            break
    warnings.warn(message, category, level + left, source, **options)


BUILTINS: dict[Any, Any] = {
    float: as_float,
    int: as_int,
    complex: as_complex,
    type: as_type,
    map: as_map,
    iter: as_iterator,
    round: as_round,
}
METHODS: dict[str, Any] = {name: of_objects(name) for name in sorted(OF_OBJECTS)}
METHODS |= {
    "__array__": array,
    "__array_namespace__": array_namespace,
    "accumulate": accumulate,
    "astype": astype,
    "copy": copy,
    "dot": dot,
    "item": item,
    "outer": outer,
    "reduce": reduce,
    "round": round_method,
    "searchsorted": searchsorted,
    "tolist": tolist,
}
OF_NUMBERS = dict.fromkeys(("float64", "float32", "complex128", "double"), of_class)
OF_NUMBERS |= dict.fromkeys(("int64", "int32", "int_", "intp"), of_integer_class)
# By identity, because anything may be looked up here.
CONVERTING = {id(found): made for found, made in BUILTINS.items()}
CONVERTING |= {id(warnings.warn): warn}
CONVERTING |= {id(np.ndarray): ndarray}  # a call alone: its name is that of a class, too
CONVERTING |= {id(getattr(np, name)): make(getattr(np, name)) for name, make in OF_NUMBERS.items()}
