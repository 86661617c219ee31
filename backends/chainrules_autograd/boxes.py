"""autograd's traced values, boxes, as an array library: rules that run on them are traced by
autograd in turn.

Their `xp` is NumPy, each function of which goes through our rules (`functions`). Containers that
autograd traces as a whole are opened into containers of boxes before a call.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from autograd.builtins import DictBox, SequenceBox
from autograd.numpy.numpy_boxes import ArrayBox
from autograd.tracer import box_types, getval, isbox

from chainrules_py.engines import fields, is_container, rebuild

CONTAINERS = (SequenceBox, DictBox)
Mine = tuple[int, ...]  # positions of the boxes of a derivative


def attribute_of_number(box, name: str):
    """Return an attribute that NumPy's numbers have and Python's, in a box, do not.

    It is the `__getattr__` of boxes, so Python calls it where an attribute is missing.
    """
    if name not in QUICK_ATTRIBUTES:
        raise AttributeError(f"{type(box).__name__!r} object has no attribute {name!r}")
    return QUICK_ATTRIBUTES[name](getval(box))


# Rules read these often: a microsecond by autograd's own properties, a tenth of one by these.
QUICK_ATTRIBUTES: dict[str, Any] = {
    "shape": np.shape,
    "ndim": np.ndim,
    "size": np.size,
    "dtype": np.result_type,
}


def opened(x) -> Any:
    """Turn containers that autograd traces as a whole into plain containers of boxes, and iterators
    into lists.
    """
    if isinstance(x, CONTAINERS):
        plain = getval(x)
        keys = plain.keys() if isinstance(x, DictBox) else range(len(plain))
        return rebuild(
            plain, dict(zip(fields(plain), (opened(x[key]) for key in keys), strict=True))
        )
    if isinstance(x, Iterator):  # autograd's `jacobian` stacks a map
        return [opened(part) for part in x]
    if is_container(x):
        return rebuild(x, {key: opened(part) for key, part in fields(x).items()})
    return x


def is_box_or_array(x) -> bool:
    """Tell whether a value is a box, or one of NumPy's arrays and numbers."""
    return isinstance(x, ArrayBox | np.ndarray | np.generic)


def is_differentiable(x) -> bool:
    """Tell whether autograd can carry a derivative with respect to a value: a real or complex
    number or array.
    """
    if type(x) is np.ndarray or type(x) is ArrayBox:
        return x.dtype.kind in "fc"
    return isinstance(x, float | complex) or (is_box_or_array(x) and x.dtype.kind in "fc")


def boxes_of_latest(values: Sequence[Any]) -> tuple[int, Mine]:
    """The latest, the innermost derivative that has boxes among some values, -1 for none, and the
    positions of its boxes.
    """
    latest: int = -1
    mine: Mine = ()
    for n, x in enumerate(values):
        if type(x) not in box_types:
            continue
        trace = x._trace
        if trace > latest:
            latest, mine = trace, (n,)
        elif trace == latest:
            mine = (*mine, n)
    return latest, mine


def out_of_boxes(values: Sequence[Any], mine: Mine) -> tuple[list[Any], list[Any]]:
    """Values with what is in the boxes at some positions, and the nodes of these boxes."""
    plain, nodes = [*values], []
    for n in mine:
        plain[n] = values[n]._value
        nodes.append(values[n]._node)
    return plain, nodes


def level(x) -> int:
    """Return the number of the latest derivative that traces a value; -1 for plain values."""
    return x._trace if isbox(x) else -1


def holds_boxes(x) -> bool:
    """Tell whether a value is an array whose entries are boxes, as NumPy makes one of boxes that it
    does not know.
    """
    return isinstance(x, np.ndarray) and x.dtype == object and any(map(isbox, x.flat))


def is_of_objects(x) -> bool:
    """Tell whether a value, in a box or not, is an array of objects, which has no derivative."""
    plain = getval(x)
    return isinstance(plain, np.ndarray) and plain.dtype == object


def is_lost(x) -> bool:
    """Tell whether NumPy has made objects of a box: an array that holds boxes, or a box of an array
    of objects.
    """
    return is_of_objects(x) if isbox(x) else holds_boxes(x)
