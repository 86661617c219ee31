"""Functions of Hermitian matrices, of which NumPy reads one triangle: where the other is not its
mirror image, it is made that.

Their rules are those of Hermitian matrices: half of a cotangent goes to either triangle. Code that
fills only one would lose the other half. Code that is seen through knows nothing of this
convention: there the gradient is always that of the triangle.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy

from chainrules_py.introspection import frame_above
from chainrules_tape.core.levels import call, open_levels
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import is_seen_through


def of_one_triangle(
    function: Callable[..., Any], upper: Callable[[dict[str, Any]], bool], name: str = "UPLO"
) -> Callable[..., Any]:
    """A function that takes a matrix by one triangle; `upper` says of its options whether by the
    upper one.

    `name` is that of the option which may be given by position, second.
    """

    def mirrored(a: Any, *args: Any, **options: Any) -> Any:
        if not open_levels or not isinstance(a, TracedArray):
            return (
                call(function, (a, *args), options)
                if open_levels
                else function(a, *args, **options)
            )
        seen = is_seen_through(frame_above(1))
        by = upper({**dict(zip((name,), args, strict=False)), **options})
        return call(function, (hermitian(a, by, always=seen), *args), options)

    return update_wrapper(mirrored, function)


def hermitian(a: Any, upper: bool, *, always: bool = False) -> Any:
    """A matrix that is the mirror image of one of its triangles; itself where it is so already,
    unless it is `always` made.

    Of NumPy's arrays that is looked at. Those of other libraries may be graphs without values, or
    wait on a device.

    >>> hermitian(numpy.array([[2.0, 0.0], [1.0, 3.0]]), upper=False)
    array([[2., 1.],
           [1., 3.]])
    """
    value = plain(a)
    if (
        not always
        and type(value) is numpy.ndarray
        and numpy.array_equal(value, numpy.conj(numpy.swapaxes(value, -1, -2)))
    ):
        return a
    with_diagonal = numpy.triu(a) if upper else numpy.tril(a)
    without = numpy.triu(a, 1) if upper else numpy.tril(a, -1)
    return with_diagonal + numpy.conj(numpy.swapaxes(without, -1, -2))


def by_letter(options: dict[str, Any]) -> bool:
    """Whether `UPLO` asks for the upper triangle."""
    return str(options.get("UPLO", "L")).upper() == "U"


eigh = of_one_triangle(numpy.linalg.eigh, by_letter)
eigvalsh = of_one_triangle(numpy.linalg.eigvalsh, by_letter)
cholesky = of_one_triangle(numpy.linalg.cholesky, lambda options: bool(options.get("upper", False)))
