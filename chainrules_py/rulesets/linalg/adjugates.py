"""The adjugate, which is the gradient of the determinant, transposed, and all its derivatives, at
matrices of any rank.

The determinant is linear in each row, so that in the bases of A = U S V^H, E~ = U^H E V, only
minors of S remain:

    tr(E0 adj(A, E1, ..., Em)) = d sum over distinct i0, ..., im of s_without_these sum over
    permutations p of sign(p)
                                 E0~[i0, p(i0)] ... Em~[im, p(im)]                        d = det(U V^H)

A product of singular values without some of them is exact whatever they are: nothing is divided by
a determinant.
"""

from functools import reduce
from itertools import permutations
from operator import mul
from string import ascii_lowercase
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.formulas.matrices import adjoint, diagonal_matrix
from chainrules_py.rulesets.formulas.symmetric_forms import form_maps
from chainrules_py.values.arrays import common_namespace


@primitive
def adjugate(a, *directions) -> Any:
    """The matrix with A adj(A) = det(A) I, of singular matrices, too.

    Given directions, its derivative along all of them.

    >>> adjugate(np.diag([2.0, 0.0])) + 0.0
    array([[0., 0.],
           [0., 2.]])
    >>> adjugate(np.zeros((2, 2)), np.diag([0.0, 3.0])) + 0.0
    array([[3., 0.],
           [0., 0.]])
    """
    xp = common_namespace((a, *directions))
    u, s, vh = xp.linalg.svd(a)
    u_h, v = adjoint(u, xp), adjoint(vh, xp)
    phase = xp.reshape(xp.linalg.det(u) * xp.linalg.det(vh), (*a.shape[:-2], 1, 1))
    minors = products_without(s, len(directions) + 1, xp)
    return phase * (
        v @ _expanded(minors, [u_h @ direction @ v for direction in directions], xp) @ u_h
    )


def products_without(s, count: int, xp) -> Any:
    """The products of all entries but `count` of them, on as many last axes.

    It is 0 where these are not distinct.
    """
    n = s.shape[-1]
    left_out = np.sort(np.indices((n,) * count), axis=0)
    starts = [np.zeros_like(left_out[0]), *(left_out + 1)]
    ends = [*left_out, np.full_like(left_out[0], n)]
    runs = xp.reshape(products_of_runs(s, xp), (*s.shape[:-1], (n + 1) ** 2))
    product = reduce(
        mul,
        (
            xp.take(runs, xp.asarray((start * (n + 1) + end).reshape(-1)), axis=-1)
            for start, end in zip(starts, ends, strict=True)
        ),
    )
    are_distinct = np.all(left_out[1:] > left_out[:-1], axis=0).reshape(-1)
    return xp.reshape(
        xp.where(xp.asarray(are_distinct), product, 0), (*s.shape[:-1], *(n,) * count)
    )


def products_of_runs(s, xp) -> Any:
    """The product of s[i:j] in entry (i, j), 1 where that is empty."""
    n = s.shape[-1]
    from_start = xp.arange(n) >= xp.expand_dims(xp.arange(n + 1), -1)
    products = xp.cumprod(xp.where(from_start, xp.expand_dims(s, -2), 1), axis=-1)
    return xp.concatenate([xp.ones((*s.shape[:-1], n + 1, 1), s.dtype), products], axis=-1)


def _expanded(minors, directions: list[Any], xp) -> Any:
    """The sum over permutations.

    The row and the column of entry 0 are those that no direction takes.
    """
    letters = ascii_lowercase[: len(directions) + 1]
    return sum(
        _term(minors, letters, images, directions, xp)
        for images in permutations(range(len(letters)))
    )


def _term(minors, letters: str, images: tuple[int, ...], directions: list[Any], xp) -> Any:
    """The term of one permutation; an odd number of pairs in the wrong order makes it negative."""
    sign = (-1) ** sum(a > b for k, a in enumerate(images) for b in images[k + 1 :])
    pairs = [
        f"...{row}{letters[image]}" for row, image in zip(letters[1:], images[1:], strict=True)
    ]
    ends = letters[0] if images[0] == 0 else letters[images[0]] + letters[0]
    term = sign * xp.einsum(
        f"{','.join(['...' + letters, *pairs])}->...{ends}", minors, *directions
    )
    return diagonal_matrix(term, xp) if images[0] == 0 else term


@linearised_rule(adjugate)
def adjugate_linearised(a: Array, *directions: Array, out, xp) -> tuple[LinearMap, ...]:
    """A tangent of `a`, or a cotangent, is one more direction."""
    return form_maps(adjugate, a, directions, xp)
