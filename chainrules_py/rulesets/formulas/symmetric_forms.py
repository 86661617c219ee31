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

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from chainrules_py import NO_TANGENT, ZERO, AbstractZero, ProjectTo
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import adjoint

Form = Callable[..., Any]


def pushforward(form: Form, dots: Sequence[Any], a, directions: Sequence[Any]) -> Any:
    """The derivative of ``form(a, *directions)``, linear in each direction."""
    a_dot, *others = dots
    terms = [] if isinstance(a_dot, AbstractZero) else [form(a, *directions, a_dot)]
    moving = ((k, dot) for k, dot in enumerate(others) if not isinstance(dot, AbstractZero))
    return reduce(
        add, (form(a, *exchanged(directions, k, dot)) for k, dot in moving), sum(terms, start=ZERO)
    )


def exchanged(directions: Sequence[Any], k: int, other) -> Sequence[Any]:
    """The directions with another one in place `k`."""
    return (*directions[:k], other, *directions[k + 1 :])


def pullback(
    form: Form, needs: Sequence[bool], a, directions: Sequence[Any], xp
) -> Callable[[Any], tuple[Any, ...]]:
    """The adjoint: the cotangents of `a` and of each direction, those that are needed.

    A stack of directions may meet one matrix, which is then part of each result.
    """
    projections = [
        ProjectTo(argument) if need else None
        for argument, need in zip((a, *directions), needs, strict=True)
    ]

    def brought(project, bar) -> Any:
        return project(unbroadcast(bar, project.shape, xp))

    def symmetric_form_pullback(y_bar) -> tuple[Any, ...]:
        e = adjoint(y_bar, xp)
        calls = [(*directions, e), *(exchanged(directions, k, e) for k in range(len(directions)))]
        return tuple(
            NO_TANGENT if project is None else brought(project, adjoint(form(a, *call), xp))
            for project, call in zip(projections, calls, strict=True)
        )

    return symmetric_form_pullback
