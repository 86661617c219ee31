"""Numbers of Python's as the rules of NumPy's functions are given them: as NumPy's.

A rule computes with `float64`, which has a dtype, and gives inf or nan where Python raises. Beside
an array, a float of Python's stays one: there it is weak, and an array of float32 stays one.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values.identity import belongs_to_package
from chainrules_py.values.python_numbers import NUMBERS, in_numpys_form, is_pythons

OF_NUMBERS = ("numpy", "scipy", "chainrules_py")  # packages whose functions make NumPy's numbers
NUMPYS: dict[type, type] = {float: np.float64, complex: np.complex128}  # in the place of Python's
DOUBLES = frozenset({np.float64, np.complex128, np.int64, np.bool})


def makes_numpys_numbers(primal, types: tuple[type, ...], needs: tuple[bool, ...]) -> bool:
    """Whether a function makes NumPy's numbers of Python's, some traced arguments are such, and the
    classes of the others tell of no dtype that the result has instead.
    """
    pairs = zip(types, needs, strict=True)
    if not any(is_pythons(cls) and (need or cls not in NUMBERS) for cls, need in pairs):
        return False
    is_own = isinstance(primal, np.ufunc) or belongs_to_package(primal, OF_NUMBERS)
    return is_own and not any(map(takes_part_in_dtypes, types))


def takes_part_in_dtypes(cls: type) -> bool:
    """Whether the dtype of a result beside a float of Python's may be another than double, because
    values of a class are arrays, lists, or numbers of less precision.
    """
    if cls in DOUBLES or is_pythons(cls) or getattr(cls, "is_number", False):
        return False
    return hasattr(cls, "dtype") or cls is list or cls is tuple


def given_numpys_numbers(function: Function) -> Function:
    """The function, which is given NumPy's numbers in the place of Python's, unless a traced one has
    less precision. A tuple has the tangents of the others.
    """

    def run(*args, **options) -> Any:
        is_weak = any(map(is_of_less_precision, args))
        return function(*(args if is_weak else in_numpys_form(args)), **options)

    return run


def is_of_less_precision(x) -> bool:
    """Whether a value is a traced number of less precision than Python's floats have."""
    cls: Any = type(x)
    if not getattr(cls, "is_number", False) or is_pythons(cls):
        return False
    return x.dtype not in (np.float64, np.complex128)
