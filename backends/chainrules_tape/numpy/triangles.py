"""Functions of Hermitian matrices, of which NumPy and SciPy read one triangle.

Their rules are those of Hermitian matrices: half of a cotangent goes to either triangle. Where only
one triangle holds the matrix, the other half would be lost. So a matrix that is not Hermitian is
replaced by one whose other triangle is the mirror image of the one that is read, and the gradient
is that of this triangle.

Code that knows nothing of derivatives knows nothing of this convention, either. For such code
(`chainrules_tape.foreign_code`) each function exists a second time, with a gradient that is always
that of the triangle which is read.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, NamedTuple

import numpy

from chainrules_py.values.arrays import is_numpys
from chainrules_tape.core.levels import call, open_levels
from chainrules_tape.numpy.other_libraries import answering, is_scipys
from chainrules_tape.refusals.handles import TracedArray, plain


class OneTriangle(NamedTuple):
    """A function that reads one triangle of a matrix.

    `is_upper` says of its options whether that is the upper one; `name` is that of the option which
    may be given by position, second.
    """

    function: Callable[..., Any]
    is_upper: Callable[[dict[str, Any]], bool]
    name: str = "UPLO"

    def mirrored(self, *, always: bool = False) -> Callable[..., Any]:
        """The function of matrices whose other triangle is a mirror image.

        A matrix that is Hermitian already stays as it is, unless it is `always` mirrored.
        """
        function = self.function
        otherwise = answering(function) if is_scipys(function) else None

        def of_mirrored(a: Any, *args: Any, **options: Any) -> Any:
            if otherwise is not None and not isinstance(a, TracedArray):
                return otherwise(a, *args, **options)
            if not open_levels:
                return function(a, *args, **options)
            if isinstance(a, TracedArray):
                by_position = dict(zip((self.name,), args, strict=False))
                is_upper = self.is_upper({**by_position, **options})
                a = hermitian(a, is_upper, always=always)
            return call(function, (a, *args), options)

        return update_wrapper(of_mirrored, function)


def hermitian(a: Any, upper: bool, *, always: bool = False) -> Any:
    """A matrix that is the mirror image of one of its triangles.

    The matrix itself where it is so already, unless one is `always` made. Of NumPy's arrays that is
    looked at. Those of other libraries may be graphs without values, or wait on a device.

    >>> hermitian(numpy.array([[2.0, 0.0], [1.0, 3.0]]), upper=False)
    array([[2., 1.],
           [1., 3.]])
    """
    value = plain(a)
    if not always and is_numpys(value):
        mirror_image = numpy.conj(numpy.swapaxes(value, -1, -2))
        if numpy.array_equal(value, mirror_image):
            return a
    with_diagonal = numpy.triu(a) if upper else numpy.tril(a)
    without = numpy.triu(a, 1) if upper else numpy.tril(a, -1)
    return with_diagonal + numpy.conj(numpy.swapaxes(without, -1, -2))


def by_letter(options: dict[str, Any]) -> bool:
    """Whether `UPLO` asks for the upper triangle."""
    return str(options.get("UPLO", "L")).upper() == "U"


def by_flag(options: dict[str, Any]) -> bool:
    """Whether `upper` asks for the upper triangle."""
    return bool(options.get("upper", False))


TRIANGLES = {
    "eigh": OneTriangle(numpy.linalg.eigh, by_letter),
    "eigvalsh": OneTriangle(numpy.linalg.eigvalsh, by_letter),
    "cholesky": OneTriangle(numpy.linalg.cholesky, by_flag),
}
