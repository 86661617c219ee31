"""Ufuncs called with lists of traced numbers, ``np.abs([x, y])``, and ``matrix @ [x, y]``, in code that
is seen through.

NumPy makes an array of such a list before it looks for operands that know an answer, which fails.
So the code calls a function of this module instead, which stacks the traced numbers first.
"""

from functools import cache, update_wrapper
from typing import Any

import numpy as np

from chainrules_foreign_code.steps import note_integers
from chainrules_py.annotations import Function
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.code_owners import calling_frame

_LISTS = frozenset({list, tuple})


@cache
def of_lists(ufunc) -> Function:
    """The function that is called in the place of a ufunc, which takes lists of traced values, too.

    >>> import numpy as np
    >>> from chainrules_tape import grad
    >>> grad(lambda x: of_lists(np.maximum)([x, 2.0 * x], 1.5).sum())(1.0)
    2.0
    """

    def with_lists(*args, **options):
        if open_levels and not _LISTS.isdisjoint(map(type, args)):
            args = tuple([as_operand(arg) if type(arg) in _LISTS else arg for arg in args])
        if not options:
            return ufunc(*args)
        y = ufunc(*args, **options)
        if open_levels and "dtype" in options:
            name = f"numpy.{ufunc.__name__}(..., dtype=int)"
            note_integers(y, args, calling_frame(), name)
        return y

    return update_wrapper(with_lists, ufunc, updated=())


class Entries(list[Any]):
    """A list that is written as an operand: beside an array it is one."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args, **options) -> Any:
        arrays = [as_operand([*each]) if type(each) is Entries else each for each in args]
        return getattr(ufunc, method)(*arrays, **options)


def operand(written: list[Any]) -> list[Any]:
    """A list that is written as an operand, and may hold traced numbers."""
    return written if innermost(written) is None else Entries(written)


def method_of_lists(name: str) -> Function:
    """Make the function to call for ``np.add.reduce([x, y])`` or the like.

    Of any other object it calls the object's own method.
    """

    def with_lists(owner, *args, **options):
        found = getattr(owner, name)
        if issubclass(type(owner), np.ufunc):
            found = of_lists(found)
        return found(*args, **options)

    return with_lists


reduce = method_of_lists("reduce")
accumulate = method_of_lists("accumulate")
outer = method_of_lists("outer")
