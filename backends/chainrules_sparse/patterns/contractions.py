"""Products that sum over axes, written with letters as in `numpy.einsum`, which are integers here.

Axes with one letter belong together. `Letters` are those of each array, those of the result, and
the arrays; None where a call cannot be written so.
"""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from chainrules_py.values.arrays import shape_of
from chainrules_sparse.patterns.rows import Rows

Letters = tuple[list[list[int]], list[int], list[Any]] | None


def fresh(letters: Iterator[int], rank: int) -> list[int]:
    """Letters that no axis has yet."""
    return [next(letters) for _ in range(rank)]


def rank_of(x) -> int:
    """The number of axes of an array, which may be a pattern."""
    return len(shape_of(x))


def letters_of_matmul(a, b) -> Letters:
    """`matmul` sums over the last axis of one matrix and the last but one of the other; stacks
    broadcast.
    """
    letters = count()
    summed, row, column = fresh(letters, 3)
    rank = max(rank_of(a) - 2, rank_of(b) - 2, 0)
    stack = fresh(letters, rank)
    own_a = [summed] if rank_of(a) == 1 else [*stack[rank - rank_of(a) + 2 :], row, summed]
    own_b = [summed] if rank_of(b) == 1 else [*stack[rank - rank_of(b) + 2 :], summed, column]
    output = [*stack, *([row] * (rank_of(a) > 1)), *([column] * (rank_of(b) > 1))]
    return [own_a, own_b], output, [a, b]


def letters_of_dot(a, b) -> Letters:
    """`dot` sums over the last axis of one array and the last but one of the other, which of a vector
    is its only one; with a number it multiplies.
    """
    letters = count()
    own_a, own_b = fresh(letters, rank_of(a)), fresh(letters, rank_of(b))
    if not own_a or not own_b:
        return [own_a, own_b], own_a + own_b, [a, b]
    place = -2 if len(own_b) > 1 else -1
    own_b[place] = own_a[-1]
    rest = [letter for letter in own_b if letter != own_a[-1]]
    return [own_a, own_b], own_a[:-1] + rest, [a, b]


def letters_of_outer(a, b) -> Letters:
    """`outer` of two vectors has an axis for each, and no sum; it flattens other arrays."""
    if rank_of(a) != 1 or rank_of(b) != 1:
        return None
    return [[0], [1]], [0, 1], [a, b]


def letters_of_tensordot(a, b, axes: Any = 2) -> Letters:
    """`tensordot` sums over the axes that are named."""
    letters = count()
    own_a, own_b = fresh(letters, rank_of(a)), fresh(letters, rank_of(b))
    if isinstance(axes, int | np.integer):
        of_a = list(range(rank_of(a) - int(axes), rank_of(a)))
        of_b = list(range(int(axes)))
    else:
        of_a, of_b = [np.atleast_1d(each).tolist() for each in axes]
    for axis_a, axis_b in zip(of_a, of_b, strict=True):
        own_b[axis_b] = own_a[axis_a]
    summed = {own_a[axis] for axis in of_a}
    output = [letter for letter in own_a + own_b if letter not in summed]
    return [own_a, own_b], output, [a, b]


def letters_of_einsum(subscripts, *arrays, **options) -> Letters:
    """`einsum` has its letters written out; None for its form with lists."""
    if not isinstance(subscripts, str):
        return None
    written, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = written.split(",")
    # how many axes of each array the dots stand for
    unnamed = [
        rank_of(x) - len(term.replace("...", "")) for term, x in zip(terms, arrays, strict=True)
    ]
    rank = max(own if "..." in term else 0 for own, term in zip(unnamed, terms, strict=True))
    stack = list(range(-rank, 0))

    def numbers(term: str, own_rank: int) -> list[int]:
        before, dots, after = term.partition("...")
        missing = stack[rank - own_rank :] if dots and own_rank else []
        return [*map(ord, before), *missing, *map(ord, after)]

    inputs = list(map(numbers, terms, unnamed))
    if not arrow:
        once = [
            letter for letter in sorted(set(written) - {",", "."}) if written.count(letter) == 1
        ]
        output = ("..." if rank else "") + "".join(once)
    return inputs, numbers(output, rank), list(arrays)


LETTERS: dict[Any, Callable[..., Letters]] = {
    np.matmul: letters_of_matmul,
    np.dot: letters_of_dot,
    np.outer: letters_of_outer,
    np.tensordot: letters_of_tensordot,
    np.einsum: letters_of_einsum,
}


def grouped_by_letters(x, own: list[int], output: list[int], shape: tuple[int, ...]) -> Rows:
    """The rows of a result of these letters and this shape, of those of one factor."""
    rows: Rows = x.rows
    numbers = np.arange(rows.count).reshape(x.shape)
    distinct = list(dict.fromkeys(own))
    if len(distinct) < len(own):
        numbers = np.einsum(numbers, own_positions(own, distinct), list(range(len(distinct))))

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


def own_positions(own: list[int], distinct: list[int]) -> list[int]:
    """The letters of an array as small numbers, as `numpy.einsum` takes them."""
    return [distinct.index(letter) for letter in own]
