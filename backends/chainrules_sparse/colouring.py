"""Colourings of sparse matrices: which columns, or rows, one direction can find at once.

Columns without a common row get one colour: the derivative along the sum of their unit vectors has
the entries of each, apart from each other. So a matrix costs as many directions as it has colours:
three for a tridiagonal one of any size.

A symmetric matrix needs fewer, because each entry is there twice. Its columns are the vertices of a
graph, whose edges are the entries off the diagonal. In a *star colouring* neighbours have different
colours and no path of four vertices has only two: then of each pair of entries (i, j) and (j, i)
one is alone with its colour in its row (Coleman and Moré, 1984, Mathematical Programming 28). The
greedy choices are those of Gebremedhin, Tarafdar, Manne and Pothen (2007, SIAM Journal on
Scientific Computing 29), with the stars counted at their centres.

Those with the most neighbours choose first (Welsh and Powell, 1967, Computer Journal 10). On bands
and grids that is the natural order; of an arrow whose head is last, that needs as many colours as
there are columns, where two stars will do.

A few long rows need as many colours of columns as they have entries. They are found *apart*, in
reverse, and the columns are coloured as if they were not there: an arrow with a full row and a full
column takes one direction in reverse and two forward. That is a two-sided partition as those of
Coleman and Verma (1998, SIAM Journal on Scientific Computing 19), by whole rows.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

try:
    from scipy.optimize._numdiff import group_columns
except ImportError:  # it is private, and may move
    group_columns = None

Matrix = Any  # of SciPy, by rows: their types say less of them than is true
EVALUATION = 2  # what the second run of a function costs, in forward directions
Colours = np.ndarray  # one integer per column or row, from 0


def count_of(colours: Colours) -> int:
    """The number of colours."""
    return int(colours.max(initial=-1)) + 1


def colours_of_columns(pattern: Matrix) -> Colours:
    """Colour the columns of a matrix so that no two of one colour have a row in common."""
    if 0 in pattern.shape:
        return np.zeros(pattern.shape[1], np.intp)
    if group_columns is None:
        return greedy_colours_of_columns(pattern)
    found = group_columns(of_integers(pattern), most_neighbours_first(pattern))
    return np.asarray(found, np.intp)


def most_neighbours_first(pattern: Matrix) -> Any:
    """The columns in the order in which they choose a colour: by how many entries their rows have."""
    in_row = np.diff(pattern.indptr)
    nearby = np.bincount(pattern.indices, np.repeat(in_row, in_row), pattern.shape[1])
    return np.argsort(-nearby, kind="stable")


def longest_row(pattern: Matrix) -> int:
    """The largest number of entries in a row: the columns need at least as many colours."""
    return int(np.diff(pattern.indptr).max(initial=0))


class Side(NamedTuple):
    """One way to colour a matrix, by columns or, transposed, by rows, and what a colour costs."""

    pattern: Matrix
    is_by_columns: bool
    cost: int

    def least(self) -> int:
        """The cost that no colouring of this side is below."""
        return self.cost * longest_row(self.pattern)


class Colouring(NamedTuple):
    """The colours of the columns or of the rows; and those of the rows that are found apart from the
    columns, -1 for all others.
    """

    colours: Colours
    by_columns: bool
    apart: Colours | None = None


def colours_of_rows(pattern: Matrix) -> Colours:
    """Colour the rows of a matrix so that no two of one colour have a column in common."""
    return colours_of_columns(pattern.T.tocsr())


def cheaper_colours(pattern: Matrix) -> Colouring:
    """The colours of the columns or of the rows, or of columns and the longest rows, whichever cost
    least.

    A direction for rows costs two for columns: it takes a sweep back over what was recorded. A side
    that cannot be cheaper is not coloured: it may have as many colours as it has columns.
    """
    sides = (Side(pattern, True, 1), Side(pattern.T.tocsr(), False, 2))
    first, second = sorted(sides, key=Side.least)
    apart = colours_with_rows_apart(pattern, first.least() - EVALUATION)
    if apart is not None:
        return apart

    colours = colours_of_columns(first.pattern)
    cost = first.cost * count_of(colours)
    if cost <= second.least():
        return Colouring(colours, first.is_by_columns)

    others = colours_of_columns(second.pattern)
    if cost <= second.cost * count_of(others):
        return Colouring(colours, first.is_by_columns)
    return Colouring(others, second.is_by_columns)


def colours_with_rows_apart(pattern: Matrix, cost: int) -> Colouring | None:
    """The colours of the columns where the longest rows are found apart, by colours of their own; None
    where that costs as much as this.
    """
    in_row = np.diff(pattern.indptr)
    lengths = np.sort(in_row)[::-1]
    # with so many rows apart, one colour at least for each entry of the longest of the others
    least = lengths[1:] + 2 * np.arange(1, len(lengths))
    if least.min(initial=cost) >= cost:
        return None
    is_apart = in_row > lengths[1 + least.argmin()]
    colours = colours_of_columns(only_rows(pattern, ~is_apart))
    apart = np.where(is_apart, colours_of_rows(only_rows(pattern, is_apart)), -1)
    found = Colouring(colours, True, apart)
    return found if count_of(colours) + 2 * count_of(apart) < cost else None


def only_rows(pattern: Matrix, chosen: np.ndarray) -> Matrix:
    """A pattern less the entries of all other rows."""
    rows = rows_of_entries(pattern)
    is_there = chosen[rows]
    return pattern_of(rows[is_there], pattern.indices[is_there], pattern.shape)


def of_integers(pattern: Matrix) -> sparse.csr_matrix:
    """A pattern as a matrix of ones, as SciPy's compiled function reads it."""
    ones = np.ones(pattern.nnz, np.int8)
    made = sparse.csr_matrix(pattern.shape, dtype=np.int8)
    made.data = ones
    made.indices = np.asarray(pattern.indices, np.int32)
    made.indptr = np.asarray(pattern.indptr, np.int32)
    return made


def greedy_colours_of_columns(pattern: Matrix) -> Colours:
    """Colour the columns of a matrix one after the other, each by the first colour that is free."""
    rows_of = lists_of_rows(pattern.T.tocsr())
    taken: list[set[int]] = [set() for _ in range(pattern.shape[0])]  # by row, the colours in it
    colours = np.zeros(pattern.shape[1], np.intp)

    for column in most_neighbours_first(pattern).tolist():
        rows = rows_of[column]
        taken_here = set[int]().union(*[taken[row] for row in rows])
        colour = first_not_in(taken_here)
        colours[column] = colour
        for row in rows:
            taken[row].add(colour)
    return colours


def lists_of_rows(matrix) -> list[list[int]]:
    """The columns with an entry, of each row of a matrix."""
    indices, ends = matrix.indices.tolist(), matrix.indptr.tolist()
    return [indices[start:end] for start, end in pairwise(ends)]


def first_not_in(taken: set[int]) -> int:
    """The smallest number from 0 that is not in a set."""
    colour = 0
    while colour in taken:
        colour += 1
    return colour


# Symmetric matrices


def colours_of_symmetric(pattern: Matrix) -> Colours:
    """Colour a symmetric matrix so that each entry, or its mirror image, is alone with its colour
    in its row: by stars or by columns, whichever takes fewer colours.
    """
    by_stars = star_colours(pattern)
    if longest_row(pattern) >= count_of(by_stars):
        return by_stars
    by_columns = colours_of_columns(pattern)
    return by_stars if count_of(by_stars) <= count_of(by_columns) else by_columns


def star_colours(pattern: Matrix) -> Colours:
    """Colour the graph of a symmetric matrix so that no path of four vertices has two colours.

    Vertices with very many neighbours come first, and have a colour each: no path through one of
    them has two colours, so that the others need not look at what lies behind it.
    """
    neighbours = lists_of_rows(without_diagonal(pattern))
    count = len(neighbours)
    limit = max(64, 8 * int(np.sqrt(count)))
    is_hub = np.array([len(near) > limit for near in neighbours], bool)
    if not is_hub.any():
        return greedy_star_colours(neighbours)

    others = without_diagonal(without_vertices(pattern, is_hub))
    colours = greedy_star_colours(lists_of_rows(others))
    first = count_of(colours[~is_hub])
    colours[is_hub] = first + np.arange(np.count_nonzero(is_hub))
    return colours


def greedy_star_colours(neighbours: list[list[int]]) -> Colours:
    """Colour the vertices of a graph one after the other, those with most neighbours first, each by
    the first colour that makes no path of four vertices with two colours.

    A path v - w - x - y has two colours where v gets that of x, and y has that of w: x then is the
    centre of a star, with two neighbours of one colour. `near` counts these neighbours.
    """
    colours = [-1] * len(neighbours)
    near: list[dict[int, int]] = [{} for _ in neighbours]  # by vertex and colour

    for vertex in sorted(range(len(neighbours)), key=lambda each: -len(neighbours[each])):
        around, taken = neighbours[vertex], set(near[vertex])
        for other in around:
            colour = colours[other]
            if colour < 0:  # it lies between: those behind it must differ from this vertex
                taken.update(near[other])
                continue
            for behind in neighbours[other]:
                if near[behind].get(colour, 0) > 1:
                    taken.add(colours[behind])

        own = colours[vertex] = first_not_in(taken)
        for other in around:
            counts = near[other]
            counts[own] = counts.get(own, 0) + 1
    return np.array(colours, np.intp)


def without_diagonal(pattern: Matrix) -> Matrix:
    """A pattern less its diagonal."""
    entries = pattern.tocoo()
    is_off = entries.row != entries.col
    return pattern_of(entries.row[is_off], entries.col[is_off], pattern.shape)


def without_vertices(pattern: Matrix, taken_out: np.ndarray) -> Matrix:
    """A symmetric pattern less the rows and columns of some vertices, which stay as empty ones."""
    entries = pattern.tocoo()
    stays = ~(taken_out[entries.row] | taken_out[entries.col])
    return pattern_of(entries.row[stays], entries.col[stays], pattern.shape)


def pattern_of(rows, columns, shape: tuple[int, ...]) -> Matrix:
    """The pattern with entries at these rows and columns."""
    ones = np.ones(len(rows), bool)
    return sparse.csr_array((ones, (rows, columns)), shape)


# From the derivatives along the directions to the entries


def seeds_of(colours: Colours, extra: int = 0) -> np.ndarray:
    """The directions that belong to the colours, the sum of the unit vectors of each; and as many
    as asked for that are zero.
    """
    seeds = np.zeros((count_of(colours) + extra, len(colours)))
    coloured = np.flatnonzero(colours >= 0)
    seeds[colours[coloured], coloured] = 1
    return seeds


def rows_of_entries(pattern: Matrix) -> np.ndarray:
    """The row of each entry of a pattern."""
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))


def places_of_symmetric(pattern: Matrix, colours: Colours) -> np.ndarray:
    """Where each entry of a symmetric matrix stands among the derivatives along the colours: as
    itself or, where others of its row have its colour, as its mirror image.

    Places are positions in the flat array of colours by rows.
    """
    rows, columns = rows_of_entries(pattern), pattern.indices
    as_itself = places_among(rows, colours[columns], pattern.shape[0])
    as_mirrored = places_among(columns, colours[rows], pattern.shape[0])
    places: np.ndarray = np.where(occur_once(as_itself), as_itself, as_mirrored)
    return places


def places_among(rows: np.ndarray, colours: np.ndarray, count: int) -> np.ndarray:
    """The positions in a flat array of colours by rows, of which there are `count`."""
    places: np.ndarray = colours * count + rows
    return places


def tell_apart(pattern: Matrix, colouring: Colouring, symmetric: bool) -> bool:
    """Whether each entry, or its mirror image in a symmetric matrix, is alone with its colour."""
    height, width = pattern.shape
    colours, by_columns, apart = colouring
    if apart is not None:
        if symmetric or not by_columns or apart.shape != (height,) or apart.dtype.kind not in "iu":
            return False
        is_apart = apart >= 0
        own = np.flatnonzero(is_apart)
        of_rows = Colouring(apart[own], False)
        return tell_apart(pattern[own], of_rows, False) and tell_apart(
            only_rows(pattern, ~is_apart), Colouring(colours, True), False
        )
    coloured, count = (width, height) if by_columns else (height, width)
    is_numbered = colours.shape == (coloured,) and colours.dtype.kind in "iu"
    if not is_numbered or colours.min(initial=0) < 0 or count_of(colours) > coloured:
        return False
    rows, columns = rows_of_entries(pattern), pattern.indices
    others, own = (rows, columns) if by_columns else (columns, rows)
    found = occur_once(places_among(others, colours[own], count))
    if symmetric:
        found |= occur_once(places_among(own, colours[others], count))
    return bool(found.all())


def occur_once(keys: np.ndarray) -> np.ndarray:
    """Which of some numbers occur once."""
    many = keys.max(initial=0) > 16 * len(keys)
    if many:
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        found: np.ndarray = counts[inverse] == 1
        return found
    alone: np.ndarray = np.bincount(keys)[keys] == 1
    return alone
