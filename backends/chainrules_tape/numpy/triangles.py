"""Functions of Hermitian matrices, of which NumPy and SciPy read one triangle.

Their rules are those of Hermitian matrices: half of a cotangent goes to either triangle. Where only
one triangle holds the matrix, the other half would be lost. So a matrix that is not Hermitian is
replaced by one whose other triangle is the mirror image of the one that is read, and the gradient
is that of this triangle.

Code that knows nothing of derivatives knows nothing of this convention, either. For such code
(`chainrules_foreign_code`) each function exists a second time, with a gradient that is always
that of the triangle which is read.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from chainrules_py.annotations import Function, Options
from chainrules_py.values.arrays import is_numpys
from chainrules_tape.core.levels import open_levels
from chainrules_tape.numpy.namespaces import interceptable, takes_the_place_of
from chainrules_tape.refusals.handles import TracedArray, plain


def always_conjugate(options: Options) -> bool:
    """Whether the mirror image is conjugate, as that of a Hermitian matrix is."""
    return True


class OneTriangle(NamedTuple):
    """A function that reads one triangle of a matrix.

    `is_upper` says of its options whether that is the upper one, and None where all entries are
    read; `names` are those of the arguments which may be given by position, from the second on. A
    second matrix of which the same triangle is read is called ``b``, where there is a `pair`.
    """

    function: Function
    is_upper: Callable[[dict[str, Any]], bool | None]
    names: tuple[str, ...] = ("UPLO",)
    pair: bool = False
    is_conjugate: Callable[[dict[str, Any]], bool] = always_conjugate

    def mirrored(self, *, always: bool = False) -> Function:
        """The function of matrices whose other triangle is a mirror image.

        A matrix that is Hermitian already stays as it is, unless it is `always` mirrored.
        """
        function = interceptable(self.function)

        def of_mirrored(a, *args, **options):
            given = dict(zip(self.names, args, strict=False)) | options
            b = given.get("b") if self.pair else None
            upper = self.is_upper(given) if open_levels else None
            if upper is None:
                return function(a, *args, **options)
            conjugate = self.is_conjugate(given)

            def mirror(x) -> Any:
                if not isinstance(x, TracedArray):
                    return x
                return hermitian(x, upper, always=always, conjugate=conjugate)

            if b is not None and "b" in options:
                options["b"] = mirror(b)
            elif b is not None:
                args = (mirror(b), *args[1:])
            return function(mirror(a), *args, **options)

        return takes_the_place_of(self.function)(of_mirrored)


def hermitian(a, upper: bool, *, always: bool = False, conjugate: bool = True) -> Any:
    """A matrix that is the mirror image of one of its triangles, `conjugate` or as it is.

    The matrix itself where it is so already, unless one is `always` made. Of NumPy's arrays that is
    looked at. Those of other libraries may be graphs without values, or wait on a device.

    >>> hermitian(numpy.array([[2.0, 0.0], [1.0, 3.0]]), upper=False)
    array([[2., 1.],
           [1., 3.]])
    """
    value = plain(a)
    if not always and is_numpys(value):
        mirror_image = numpy.swapaxes(value, -1, -2)
        if numpy.array_equal(value, numpy.conj(mirror_image) if conjugate else mirror_image):
            return a
    with_diagonal = numpy.triu(a) if upper else numpy.tril(a)
    without = numpy.triu(a, 1) if upper else numpy.tril(a, -1)
    other = numpy.swapaxes(without, -1, -2)
    return with_diagonal + (numpy.conj(other) if conjugate else other)


def by_letter(options: Options) -> bool:
    """Whether `UPLO` asks for the upper triangle."""
    return str(options.get("UPLO", "L")).upper() == "U"


def by_flag(options: Options) -> bool:
    """Whether `upper` asks for the upper triangle."""
    return bool(options.get("upper", False))


def lower_if_hermitian(options: Options) -> bool | None:
    """The lower triangle of a matrix that is said to be Hermitian, all entries of another."""
    return False if options.get("hermitian", False) else None


TRIANGLES = {
    "eigh": OneTriangle(numpy.linalg.eigh, by_letter),
    "eigvalsh": OneTriangle(numpy.linalg.eigvalsh, by_letter),
    "cholesky": OneTriangle(numpy.linalg.cholesky, by_flag, ("upper",)),
    "pinv": OneTriangle(numpy.linalg.pinv, lower_if_hermitian, ("rcond", "hermitian")),
    "svd": OneTriangle(
        numpy.linalg.svd, lower_if_hermitian, ("full_matrices", "compute_uv", "hermitian")
    ),
}
