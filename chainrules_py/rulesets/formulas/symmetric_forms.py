"""Functions of a matrix whose derivatives, of every order, are the function itself with more
arguments.

F(A, E1, ..., Em) is the m-th derivative of F(A) along E1, ..., Em, and F is itself a gradient, of a
function f, so that

    tr(E0 F(A, E1, ..., Em)) = the (m + 1)-th derivative of f along E0, ..., Em

in which all directions may change places. A tangent of A is therefore one more direction, and a
cotangent, transposed and conjugated, takes the place of the direction that it belongs to, or comes
as one more. Nothing inside of F is ever differentiated. The adjugate is of this kind, f being the
determinant, and so is h(A), f being the trace of H(A) with H' = h.
"""

from collections.abc import Sequence
from typing import Any

from chainrules_py import LinearMap
from chainrules_py.annotations import Function
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import adjoint
from chainrules_py.values.arrays import shape_of

Form = Function


def form_maps(form: Form, a, directions: Sequence[Any], xp) -> tuple[LinearMap, ...]:
    """The derivatives of ``form(a, *directions)`` by the matrix and by each direction.

    A stack of directions may meet one matrix, which is then part of each result.
    """

    def with_one_more(direction) -> Any:
        return form(a, *directions, direction)

    def in_place(k: int) -> Form:
        return lambda direction: form(a, *directions[:k], direction, *directions[k + 1 :])

    def symmetric(function: Form, argument) -> LinearMap:
        shape = shape_of(argument)

        def form_pullback(y_bar):
            return unbroadcast(adjoint(function(adjoint(y_bar, xp)), xp), shape, xp)

        return LinearMap(function, form_pullback)

    of_directions = (symmetric(in_place(k), each) for k, each in enumerate(directions))
    return symmetric(with_one_more, a), *of_directions
