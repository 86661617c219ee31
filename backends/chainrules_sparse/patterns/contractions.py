"""Products that sum over axes, written with letters as in `numpy.einsum`; axes with one letter belong
together.
"""

from typing import Any

import numpy as np

from chainrules_sparse.patterns.rows import Rows


def grouped_by_letters(x, own: list[Any], output: list[Any], shape: tuple[int, ...]) -> Rows:
    """The rows of a result of these letters and this shape, of those of one factor."""
    rows: Rows = x.rows
    numbers = np.arange(rows.count).reshape(x.shape)
    distinct = list(dict.fromkeys(own))
    if len(distinct) < len(own):
        numbers = np.einsum(numbers, list(map(distinct.index, own)), list(range(len(distinct))))

    kept = [letter for letter in output if letter in distinct]
    summed = [letter for letter in distinct if letter not in output]
    order = [distinct.index(letter) for letter in kept + summed]
    turned = numbers.transpose(order)
    lengths = turned.shape[: len(kept)]
    size = int(np.prod(turned.shape[len(kept) :]))
    ends = size * np.arange(int(np.prod(lengths)) + 1)
    rows = rows.taken(turned.ravel()).grouped(ends)

    in_output = np.arange(rows.count).reshape(lengths)
    missing = [axis for axis, letter in enumerate(output) if letter not in distinct]
    return rows.taken(np.broadcast_to(np.expand_dims(in_output, missing), shape).ravel())
