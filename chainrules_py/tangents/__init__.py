"""Tangents and cotangents: the types that stand beside plain arrays, and one arithmetic for all.

    abstract, zero    the base class; `ZERO` and `NO_TANGENT`
    structural        `Tangent`, of containers, field by field
    thunk             work that is postponed until somebody reads the result
    product           a product that is not multiplied out
    not_implemented   derivatives that nobody wrote
    arithmetic        ``+`` and ``*`` of every pair of types, in one order of precedence
    dense             zeros and tangents of plain values
    plain_containers  tuples and dicts that people pass as tangents
    numpy_protocols, linear_functions     NumPy's functions of tangents
    describing        a value or a tangent in a few words, for errors

Worked examples: ``ZERO + t`` is t, ``ZERO * np.inf`` is ZERO, and ``Tangent[tuple](t, ZERO) +
Tangent[tuple](t, t)`` is ``Tangent[tuple](2 * t, t)``.

Read `zero` and `structural` first, then `arithmetic`.
"""

# for its effect: NumPy's protocols on every tangent type
from chainrules_py.tangents import numpy_protocols as numpy_protocols
from chainrules_py.tangents.abstract import AbstractTangent as AbstractTangent
from chainrules_py.tangents.dense import (
    has_tangent as has_tangent,
    is_zero as is_zero,
    materialize as materialize,
    zero_tangent as zero_tangent,
)
from chainrules_py.tangents.not_implemented import (
    NotImplementedTangent as NotImplementedTangent,
    not_implemented as not_implemented,
)
from chainrules_py.tangents.product import MatrixProduct as MatrixProduct, Product as Product
from chainrules_py.tangents.structural import (
    Tangent as Tangent,
    entries as entries,
    with_entries as with_entries,
)
from chainrules_py.tangents.thunk import (
    InplaceableThunk as InplaceableThunk,
    Thunk as Thunk,
    unthunk as unthunk,
)
from chainrules_py.tangents.zero import (
    NO_TANGENT as NO_TANGENT,
    ZERO as ZERO,
    AbstractZero as AbstractZero,
    NoTangent as NoTangent,
    ZeroTangent as ZeroTangent,
)
