"""Zeros with a shape, and the dense form of any tangent."""

from numbers import Integral, Number
from typing import Any

from chainrules_py.tangents.abstract import AbstractTangent
from chainrules_py.tangents.arithmetic import refuse_operation
from chainrules_py.tangents.not_implemented import NotImplementedTangent
from chainrules_py.tangents.structural import Tangent, entries, with_entries
from chainrules_py.tangents.thunk import unthunk
from chainrules_py.tangents.zero import NO_TANGENT, ZERO, AbstractZero
from chainrules_py.values import structure
from chainrules_py.values.arrays import library_of


def zero_tangent(x: Any) -> Any:
    """The materialised zero of the tangent space of `x`; `NO_TANGENT` where there is none.

    A tangent is a vector, too: the zero of a `Tangent[P]` is a `Tangent[P]` of zeros.

    >>> zero_tangent((1.5, 3, "name"))
    Tangent[tuple](0.0, NO_TANGENT, NO_TANGENT)
    """
    if issubclass(type(x), Number):  # not isinstance: a traced number says that it is one
        return NO_TANGENT if isinstance(x, Integral) else type(x)(0)
    if isinstance(x, AbstractTangent):
        return _zero_of_tangent(unthunk(x))
    library = library_of(type(x))
    if library is not None:
        if not has_tangent(getattr(x, "dtype", None)):
            return NO_TANGENT
        zeros = library.namespace.zeros_like(x)
        return zeros[()] if type(x) in library.number_types else zeros
    if structure.is_structural(x):
        return with_entries(
            type(x), {key: zero_tangent(value) for key, value in structure.fields(x).items()}
        )
    return NO_TANGENT


def has_tangent(dtype) -> bool:
    """Whether numbers of a dtype have tangents: floats and complex numbers, of any library.

    >>> import numpy as np
    >>> has_tangent(np.dtype("float16")), has_tangent(np.dtype("int8"))
    (True, False)
    """
    kind = getattr(dtype, "kind", None)
    if kind is None:  # Python's numbers, whose class stands for a dtype, and PyTorch
        return dtype in (float, complex) or bool(
            getattr(dtype, "is_floating_point", False) or getattr(dtype, "is_complex", False)
        )
    # bfloat16 and the 8-bit floats come with the kind of raw memory.
    return kind in "fc" or (kind == "V" and str(dtype.name).startswith(("bfloat", "float")))


def _zero_of_tangent(t) -> Any:
    if isinstance(t, Tangent):
        return with_entries(
            t.__primal_type__, {key: zero_tangent(entry) for key, entry in entries(t).items()}
        )
    if isinstance(t, AbstractTangent):
        return t if isinstance(t, AbstractZero) else ZERO
    return zero_tangent(t)


def materialize(t: Any, *, like: Any) -> Any:
    """The dense form of a tangent of the primal `like`; natural tangents are returned as they are.

    A zero becomes `zero_tangent(like)`, which is `NO_TANGENT` where `like` has no tangent space; a
    thunk is forced; a `Tangent` gets every field of `like`. A derivative that nobody wrote raises.

    >>> materialize(ZERO, like=1.5)
    0.0
    """
    t = unthunk(t)
    if not issubclass(type(t), AbstractTangent):
        return t
    if isinstance(t, AbstractZero):
        return zero_tangent(like)
    if isinstance(t, NotImplementedTangent):
        t.refuse_use("materialize")
    return _fill(t, like) if isinstance(t, Tangent) else t


def _fill(t: Tangent[Any], like) -> Tangent[Any]:
    if not isinstance(like, t.__primal_type__):
        refuse_operation("materialize", (t, like), f"pass like= a {t.__primal_type__.__name__}")
    present, given = structure.fields(like), entries(t)
    unknown = [key for key in given if key not in present]
    if unknown:
        refuse_operation("materialize", (t, like), f"pass like= a value that has {unknown}, too")
    filled = {key: materialize(given.get(key, ZERO), like=value) for key, value in present.items()}
    return with_entries(t.__primal_type__, filled)


def is_zero(t: Any) -> bool:
    """Whether a tangent is zero by its type alone; never looks at numbers, never forces a thunk.

    >>> is_zero(Tangent[tuple](ZERO, NO_TANGENT)), is_zero(np.zeros(3))
    (True, False)
    """
    cls = type(t)  # isinstance would ask a traced array for the class of its value
    return issubclass(cls, AbstractZero) or (
        issubclass(cls, Tangent) and all(map(is_zero, entries(t).values()))
    )
