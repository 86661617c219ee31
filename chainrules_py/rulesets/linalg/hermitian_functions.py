"""Functions of Hermitian matrices, h(A) = V h(W) V^H, with derivatives of every order at
eigenvalues that are the same, too.

In the basis of the eigenvectors, E~ = V^H E V, the derivatives are made of divided differences of h
(Daletskii & Krein 1965; Higham 2008, theorem 3.11; Noferini 2017):

    D h(A)[E]       = V (h[w_i, w_j] E~_ij) V^H
    D2 h(A)[E, F]   = V (sum over k of h[w_i, w_k, w_j] (E~_ik F~_kj + F~_ik E~_kj)) V^H

and so on. What `eigh` says of vectors within a common eigenspace never enters, and no eigenvector
is differentiated.
"""

from functools import partial
from itertools import pairwise, permutations
from string import ascii_lowercase
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, NotDifferentiableError, linearised_rule, primitive
from chainrules_py.rulesets.formulas.array_likes import Function
from chainrules_py.rulesets.formulas.divided_differences import divided_differences
from chainrules_py.rulesets.formulas.jets import derivative
from chainrules_py.rulesets.formulas.matrices import adjoint, on_hermitian
from chainrules_py.rulesets.formulas.symmetric_forms import form_maps
from chainrules_py.values.arrays import common_namespace


@primitive
def hermitian_function(h, a, *directions) -> Any:
    """h(A) = V h(W) V^H of Hermitian matrices A = V W V^H.

    Given directions, the derivative of h(A) along all of them.

    `h` is a function of one number that the table has a rule for, such as `numpy.exp`, or one
    written in NumPy's functions, for any array library. It should not cancel inside: `numpy.expm1`,
    not ``exp(x) - 1``.

    >>> hermitian_function(np.sqrt, np.array([[5.0, 4.0], [4.0, 5.0]]))
    array([[2., 1.],
           [1., 2.]])
    >>> hermitian_function(np.log, np.eye(2), np.array([[0.0, 5.0], [5.0, 0.0]]))
    array([[0., 5.],
           [5., 0.]])
    """
    _require_shapes(a, directions)
    xp = common_namespace((a, *directions))
    w, v = xp.linalg.eigh(a)
    v_h = adjoint(v, xp)
    if not directions:
        return (v * xp.expand_dims(derivative(h, w, 0, xp), -2)) @ v_h
    differences = divided_differences(h, w, len(directions), xp)
    _require_finite(h, differences, len(directions))
    return v @ _mixed(differences, [v_h @ direction @ v for direction in directions], xp) @ v_h


def _mixed(differences, directions: list[Any], xp) -> Any:
    """The sum over all orders of the directions of their products, weighted by the divided
    differences.
    """
    letters = ascii_lowercase[: len(directions) + 1]
    pairs = [f"...{first}{second}" for first, second in pairwise(letters)]
    subscripts = f"{','.join(['...' + letters, *pairs])}->...{letters[0]}{letters[-1]}"
    return sum(xp.einsum(subscripts, differences, *order) for order in permutations(directions))


def _require_shapes(a, directions: tuple[Any, ...]) -> None:
    for direction in directions:
        if direction.shape != a.shape:
            raise ValueError(
                f"hermitian_function: a direction has shape {direction.shape}, and the matrices"
                f" {a.shape}"
            )


def _require_finite(h, differences, order: int) -> None:
    """Raise where values are at hand and not finite: a product of inf with 0 would be nan."""
    if type(differences) is np.ndarray and not np.isfinite(differences).all():
        raise NotDifferentiableError(
            "hermitian_function",
            f"{getattr(h, '__name__', h)} has no finite derivative of order {order} at an"
            " eigenvalue, or between two",
            "keep the eigenvalues inside the domain of the function, for instance by adding a"
            " multiple of the identity",
            primal=hermitian_function,
            argument="a",
            order=order,
        )


@linearised_rule(hermitian_function)
def hermitian_function_linearised(
    h: Function, a: Array, *directions: Array, out, xp
) -> tuple[LinearMap | None, ...]:
    """A tangent of `a`, or a cotangent, is one more direction; that of `a` is Hermitian."""
    of_matrix, *others = form_maps(partial(hermitian_function, h), a, directions, xp)
    return None, on_hermitian(of_matrix, xp), *others
