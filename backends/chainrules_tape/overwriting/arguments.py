"""Arguments of a differentiated function, which the caller or the function itself may overwrite."""

from collections.abc import Callable
from typing import Any

from numpy import array_equal, ndarray

from chainrules_py.errors import OverwrittenError
from chainrules_py.values.arrays import is_numpys
from chainrules_py.values.identity import qualified_name
from chainrules_tape.overwriting.marks import FEW


def copied(leaf: Any) -> Any:
    """Copy a leaf if it is an array, which the caller may overwrite; other leaves are given back as
    they are.
    """
    return leaf.copy("K") if issubclass(type(leaf), ndarray) or is_numpys(leaf) else leaf


def owned_leaves(leaves: list[Any], large: list[Any]) -> list[Any]:
    """The leaves of arguments, small arrays copied; of large ones `large` gets two entries, which
    tell updates in place.

    To copy all, or to note more, would be 4 % of the gradient of a small network.
    """
    own = leaves.copy()
    for position, leaf in enumerate(leaves):
        if type(leaf) is ndarray:
            size = leaf.size
            if size <= FEW:
                own[position] = leaf.copy("K")
            else:
                half = size // 2
                large.append((leaf, half, leaf.item(0), leaf.item(half)))
    return own


def require_unchanged(function: Callable[..., Any], large: list[Any]) -> None:
    """Raise where a function overwrote a large array that it is differentiated at, as far as two of
    its entries tell.
    """
    for leaf, half, first, middle in large:
        changed = leaf.item(0) != first or leaf.item(half) != middle
        if changed and not array_equal(
            [leaf.item(0), leaf.item(half)], [first, middle], equal_nan=True
        ):
            raise_overwritten_argument(function, leaf)


def raise_overwritten_argument(function: Any, array: ndarray) -> None:
    """Raise: a function overwrote an array that it was differentiated at."""
    raise OverwrittenError(
        f"the derivative of {qualified_name(function)}",
        f"the function overwrote its argument, an array of shape {array.shape}, by another name"
        " of it",
        "write into a copy (buffer = buffer.copy()), or into the argument that it is given, which"
        " is traced",
        rule=None,
        location=None,
        argument="of the function",
        value=array,
        expected="what it held",
    )
