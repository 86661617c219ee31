"""Arguments of a differentiated function, which the caller or the function itself may overwrite."""

from typing import Any

from numpy import argsort, array_equal, ndarray

from chainrules_py.annotations import Function
from chainrules_py.errors import OverwrittenError
from chainrules_py.values.arrays import is_numpys, library_of_types
from chainrules_py.values.identity import qualified_name
from chainrules_tape.overwriting.marks import FEW
from chainrules_tape.refusals.handles import TracedArray, is_of_subclass
from chainrules_tape.refusals.subclasses import carrying, numbers_of


def copied_leaf(leaf) -> Any:
    """Copy a leaf if it is an array, which the caller may overwrite; other leaves are given back as
    they are.
    """
    return copy_of(leaf) if issubclass(type(leaf), ndarray) or is_numpys(leaf) else leaf


def copy_of(x) -> Any:
    """A copy of an array that lies in memory as that does, with gaps where it has some.

    So functions give views of the one where they do of the other: `numpy.ravel` copies what has
    gaps, and what is written into its result is not written into `x`.
    """
    if type(x) is not ndarray and is_of_subclass(type(x)) and not issubclass(type(x), TracedArray):
        return carrying(copy_of(numbers_of(x)), x)
    if x.flags.forc or not x.size or 0 in x.strides:
        return x.copy("K")
    # The axes, outermost first; the memory for the copy has them in this order, and one more inside.
    inward = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    lengths, step = [1], x.itemsize  # of that memory, from the innermost axis on
    for axis in reversed(inward):
        length, stride = x.shape[axis], abs(x.strides[axis])
        if length > 1:
            if stride != step:  # a gap: the axis inside of this one is one entry longer
                lengths[-1] += 1
            step = stride * length
        lengths.append(length)

    memory = library_of_types((type(x),)).namespace.zeros(tuple(lengths[::-1]), x.dtype)
    without_gaps = tuple([slice(x.shape[axis]) for axis in inward])
    made = memory[(*without_gaps, 0)].transpose(argsort(inward))
    made = made[tuple([slice(None, None, -1 if stride < 0 else 1) for stride in x.strides])]
    made[...] = x
    return made


def owned_leaves(leaves: list[Any], large: list[Any]) -> list[Any]:
    """The leaves of arguments, small arrays copied; of large ones `large` gets two entries, which
    tell updates in place.

    To copy all, or to note more, would be 4 % of the gradient of a small network.
    """
    own = leaves.copy()
    for position, leaf in enumerate(leaves):
        if issubclass(type(leaf), ndarray):
            size = leaf.size
            if size <= FEW:
                own[position] = copy_of(leaf)
            else:
                half = size // 2
                large.append((leaf, half, leaf.item(0), leaf.item(half)))
    return own


def require_unchanged(function: Function, large: list[Any]) -> None:
    """Raise where a function overwrote a large array that it is differentiated at, as far as two of
    its entries tell.
    """
    for leaf, half, first, middle in large:
        changed = leaf.item(0) != first or leaf.item(half) != middle
        if changed and not array_equal(
            [leaf.item(0), leaf.item(half)], [first, middle], equal_nan=True
        ):
            raise_overwritten_argument(function, leaf)


def raise_overwritten_argument(function, array: ndarray) -> None:
    """Raise: a function overwrote an array that it was differentiated at."""
    raise OverwrittenError(
        f"the derivative of {qualified_name(function)}",
        f"the function overwrote its argument, an array of shape {array.shape}, by another name",
        "write into a copy (buffer = buffer.copy()), or into the argument itself, which is traced",
        rule=None,
        location=None,
        argument="of the function",
        value=array,
        expected="what it held",
    )
