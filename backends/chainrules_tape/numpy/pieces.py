"""NumPy's functions that call a function on pieces of a plain array, where that reads traced values.

NumPy hands over a call of which an argument is traced. Of a function that reads a traced variable
it would make plain numbers.
"""

from collections.abc import Sequence
from typing import Any

import numpy

from chainrules_py.annotations import Function
from chainrules_py.rulesets.functions.higher_order import (
    array_of_result,
    axis_of_lines,
    from_rows,
    lines_as_rows,
    piecewise as piecewise_body,
)
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.numpy.namespaces import takes_the_place_of


def is_numpys_to_hand_over(*arrays) -> bool:
    """Whether NumPy does what is right: nothing is differentiated, or one of the arrays is traced."""
    return not open_levels or innermost(arrays) is not None


@takes_the_place_of(numpy.apply_along_axis)
def apply_along_axis(func1d: Function, axis: int, arr, *args, **kwargs) -> Any:
    """The results of a function for the lines along an axis.

    >>> from chainrules_tape import grad
    >>> grad(lambda w: apply_along_axis(lambda row: row @ w, 1, numpy.eye(2)).sum())(numpy.ones(2))
    array([1., 1.])
    """
    if is_numpys_to_hand_over(arr):
        return numpy.apply_along_axis(func1d, axis, arr, *args, **kwargs)
    arr = numpy.asanyarray(arr)
    axis = axis_of_lines(arr.shape, axis)
    results = [func1d(row, *args, **kwargs) for row in lines_as_rows(arr, axis, numpy)]
    y = from_rows([array_of_result(each, numpy) for each in results], arr.shape, axis, numpy)
    return y if innermost(results) else y.astype(numpy.asarray(results[0]).dtype, copy=False)


@takes_the_place_of(numpy.piecewise)
def piecewise(x, condlist, funclist: Sequence[Any], *args, **kw) -> Any:
    """The results of a function for the entries of each case.

    >>> from chainrules_tape import grad
    >>> x = numpy.array([1.0, 2.0, 3.0])
    >>> grad(lambda w: piecewise(x, [x > 1], [lambda x: w * x, 0.0]).sum())(0.5)
    5.0
    """
    if is_numpys_to_hand_over(x, condlist):
        return numpy.piecewise(x, condlist, funclist, *args, **kw)
    return piecewise_body(numpy.asanyarray(x), condlist, funclist, *args, xp=numpy, **kw)
