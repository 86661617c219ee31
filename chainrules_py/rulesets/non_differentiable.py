"""Functions that have no derivative: queries, comparisons, positions, integers.

A list, to be read as one. Random draws stand in `draws`.
"""

import numpy as np

from chainrules_py import NotDifferentiableError, axes_rule, non_differentiable

non_differentiable(  # comparisons and logic
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.logical_xor, np.logical_not, np.all, np.any),
    *(np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isin),
)


def refuse_operands(y) -> None:
    """Raise where the result is made of Python's objects.

    Of these `and` and `or` choose one, and it moves with them.
    """
    if getattr(getattr(y, "dtype", None), "kind", None) == "O":
        got = "an array of Python's objects among the operands, of which the result is a choice"
        instead = "make it an array of numbers or booleans, or choose with numpy.where"
        raise NotDifferentiableError(
            "numpy's logical_and and logical_or", got, instead, primal=np.logical_and, argument=None
        )


non_differentiable(np.logical_and, np.logical_or, refuse=refuse_operands)
non_differentiable(  # what kind of number, what kind of array
    *(np.isnan, np.isinf, np.isfinite, np.isneginf, np.isposinf, np.signbit),
    *(np.isreal, np.iscomplex, np.isrealobj, np.iscomplexobj),
    *(np.shape, np.ndim, np.size, np.result_type, np.common_type, np.can_cast, np.min_scalar_type),
    *(np.shares_memory, np.may_share_memory, np.zeros_like, np.ones_like, np.empty_like),
)
axes_rule(
    *(np.isrealobj, np.iscomplexobj, np.shape, np.ndim, np.size, np.result_type, np.common_type),
    np.can_cast,
    kind="fact",
)
axes_rule(np.zeros_like, np.ones_like, np.empty_like, kind="fact", ordered=True)
non_differentiable(  # positions and counts
    *(np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.argpartition, np.lexsort),
    *(np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero, np.searchsorted, np.digitize),
    *(
        np.unravel_index,
        np.ravel_multi_index,
        np.diag_indices_from,
        np.tril_indices_from,
        np.triu_indices_from,
    ),
    np.einsum_path,
)
non_differentiable(  # integers and their bits
    *(np.floor_divide, np.gcd, np.lcm),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift),
    *(np.bitwise_count, np.packbits, np.unpackbits),
)
non_differentiable(round)  # Python's: by decimals, and without digits to an integer
non_differentiable(  # dates and text
    *(np.isnat, np.busday_count, np.busday_offset, np.is_busday, np.datetime_as_string),
    *(np.array2string, np.array_repr, np.array_str),
)
