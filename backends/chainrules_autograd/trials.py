"""Find out whether what a rule computes on boxes is made of numbers, and not of objects.

NumPy's own functions do not know boxes. ``np.array([box, 1.0])`` is an array of objects that holds
boxes, through which no derivative passes. ``np.ones_like(box)`` is an array of objects, too, each
of which is a number: what is computed with it is right, and has the dtype "object", or hands a
cotangent of that dtype on. So a trial checks each result, and each cotangent that autograd passes
back to its boxes.
"""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from autograd.core import VJPNode, add_outgrads
from autograd.extend import vspace
from autograd.tracer import isbox
from autograd.util import toposort

from chainrules_autograd.boxes import is_lost, is_of_objects


def are_numbers(values: Iterable[Any], tangents: Iterable[Any]) -> bool:
    """Tell whether the values and (co)tangents that a rule computed on boxes, and their
    derivatives, are numbers.

    A value that is an array of objects may be one on NumPy's arrays, too, if there is no box in it.
    """
    values, tangents = list(values), list(tangents)
    if any(map(is_lost, values)) or any(map(is_of_objects, tangents)):
        return False
    return all(map(has_derivative_of_numbers, filter(isbox, (*values, *tangents))))


def has_derivative_of_numbers(box) -> bool:
    """Tell whether autograd differentiates a box without making arrays of objects."""
    if not isinstance(box._node, VJPNode):
        return not is_of_objects(box._node.g)
    with warnings.catch_warnings(), np.errstate(all="ignore"):  # nobody uses these numbers
        warnings.simplefilter("ignore")
        return passes_numbers_back(box._node, vspace(box._value).ones())


def passes_numbers_back(end: VJPNode, bar) -> bool:
    """Tell whether autograd turns a cotangent of this node into numbers at every node before it."""
    bars: dict[VJPNode, Any] = {end: (bar, False)}
    for node in toposort(end):
        node_bar, _ = bars.pop(node)
        if is_of_objects(node_bar):
            return False
        for parent, parent_bar in zip(node.parents, node.vjp(node_bar), strict=False):
            bars[parent] = add_outgrads(bars.get(parent), parent_bar)
    return True
