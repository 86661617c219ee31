"""NumPy as programs for autograd have it: ``import chainrules_tape.autograd.numpy as np``.

It is `chainrules_tape.numpy` but for new arrays. There, an array that a program makes while it is
differentiated may be written to with traced values, and is no plain array for that reason. Programs
for autograd never do this, and hand such arrays to compiled code or compare their class. Here an
array that is made of plain values is NumPy's own, and a write of a traced value into it is refused.

>>> from chainrules_tape.autograd import grad
>>> import chainrules_tape.autograd.numpy as anp
>>> grad(lambda x: x if type(anp.zeros(2)) is anp.ndarray else 0 * x)(1.0)
1.0
"""

from typing import Any

import numpy

from chainrules_py.annotations import Function
from chainrules_tape import numpy as of_tape
from chainrules_tape.autograd import boxes, extend, spaces
from chainrules_tape.autograd.boxes import getval, isbox
from chainrules_tape.refusals.handles import plain as beneath
from chainrules_tape.standard import where_traced

numpy_boxes, numpy_vjps, numpy_vspaces = boxes, extend, spaces
empty, eye, identity = numpy.empty, numpy.eye, numpy.identity
ones, zeros = numpy.ones, numpy.zeros


def plain_where_it_can_be(name: str) -> Function:
    """Make a function that builds an array: NumPy's own where nothing is traced."""
    return where_traced(getattr(of_tape, name), getattr(numpy, name))


array, asarray = plain_where_it_can_be("array"), plain_where_it_can_be("asarray")
full, copy = plain_where_it_can_be("full"), plain_where_it_can_be("copy")


def constant_like(name: str) -> Function:
    """Make a function that builds a constant array like another one, which may be traced."""
    make = getattr(numpy, name)

    def build(x, *args, **options):
        return make(beneath(x), *args, **options)

    build.__name__ = name
    return build


empty_like, ones_like = constant_like("empty_like"), constant_like("ones_like")
zeros_like = constant_like("zeros_like")


def full_like(x, fill_value, *args, **options) -> Any:
    """Return an array of one value, shaped like another one."""
    if isbox(fill_value):
        return of_tape.full_like(x, fill_value, *args, **options)
    return constant_like("full_like")(x, fill_value, *args, **options)


def make_diagonal(d, offset: int = 0, axis1: int = -1, axis2: int = -2) -> Any:
    """Return square matrices with these diagonals, in the last two axes; NumPy has none for stacks.

    >>> make_diagonal(numpy.array([[1.0, 2.0]]), axis1=-1, axis2=-2)
    array([[[1., 0.],
            [0., 2.]]])
    """
    if offset != 0 or {axis1, axis2} != {-1, -2}:
        raise NotImplementedError("make_diagonal: pass offset=0, axis1=-1, axis2=-2")
    is_diagonal = numpy.eye(numpy.shape(d)[-1], dtype=bool)
    return of_tape.where(is_diagonal, d[..., None], 0)


MISSING = object()


def where(condition, x: Any = MISSING, y: Any = MISSING) -> Any:
    """`numpy.where`, by position or keyword; of Python's numbers and lists alone, it is one of these.

    >>> where(True, 1.0, 2.0), where(condition=[True, False], x=1, y=2)
    (1.0, [1, 2])
    """
    if x is MISSING and y is MISSING:
        return of_tape.where(condition)
    if x is MISSING or y is MISSING:
        raise ValueError("where: one of x and y is missing; pass both or neither")

    found = of_tape.where(condition, x, y)
    return found if holds_arrays((condition, x, y)) else found.tolist()


def holds_arrays(x) -> bool:
    """Tell whether a value is a traced one, an array or a number of NumPy's, or a list with one."""
    if isinstance(x, list | tuple):
        # `any` is NumPy's in this module once somebody has asked for it
        return True in map(holds_arrays, x)
    return isbox(x) or isinstance(x, numpy.ndarray | numpy.generic)


def integers_of_constants(name: str) -> type:
    """Make a class like one of NumPy's integers, which takes traced values as constants.

    What it makes is NumPy's own.
    """
    plain = getattr(numpy, name)

    def make(cls: type, *args):
        return plain(*map(getval, args))

    return type(name, (plain,), {"__new__": make})


int8, int16 = integers_of_constants("int8"), integers_of_constants("int16")
int32, int64 = integers_of_constants("int32"), integers_of_constants("int64")
int_ = int64


def __getattr__(name: str) -> Any:
    found = getattr(of_tape, name)
    if not name.startswith("__"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(of_tape)})
