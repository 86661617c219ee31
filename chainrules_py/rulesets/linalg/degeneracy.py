"""Guards against derivatives of decompositions that do not exist at repeated values.

Within the space of a repeated value vectors do not turn, by convention. First derivatives of
values, and of what vectors span, do not depend on it. Second derivatives do: V g'(W) V^H, the
gradient of sum g(w), moves by g''(w) times the direction between *all* vectors of a space, and the
formulas know of the diagonal only. So the vectors pass a gate on their way into each formula. It is
the identity, and refuses when an engine differentiates it at repeated values.
"""

from typing import Any

import numpy as np

from chainrules_py import (
    AbstractZero,
    Array,
    LinearMap,
    NotDifferentiableError,
    linearised_rule,
    primitive,
)
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.array_likes import NO_CHANGE
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    column,
    diagonal,
    resolution,
    value_at_hand,
)


def forbid_second_derivative_at_repeats(vectors, values, weights, of) -> Any:
    """`differentiable_once`, which plain arrays need not pass: that takes 2 us less."""
    if type(vectors) is np.ndarray:
        return vectors
    return differentiable_once(vectors, values, weights, of=of)


@primitive
def differentiable_once(vectors, values, weights, of) -> Any:
    """The vectors of a decomposition, on their way into a formula for its derivative that cannot be
    differentiated everywhere.

    `weights` are the cotangents of the values, where the formula is that of the values alone. As
    long as they are constants, it belongs to a weighted sum of the values, and those of the same
    weight may be repeated: their sum is smooth. None says that the formula needs more. `of` is the
    primal; singular values are eigenvalues, together with their negatives.
    """
    return vectors


@linearised_rule(differentiable_once)
def differentiable_once_linearised(
    vectors: Array, values: Array, weights: object, *, of, needs: tuple[bool, ...]
) -> Linearised:
    """The identity, or a refusal."""

    def unless_repeated(tangent):
        refuse_repeated(values, None if needs[2] else weights, of)
        return tangent

    of_vectors = LinearMap(unless_repeated, unless_repeated)
    return differentiable_once(vectors, values, weights, of=of), of_vectors, NO_CHANGE, NO_CHANGE


def refuse_repeated(values, weights, of) -> None:
    """Raise where two values are the same and their weights are not, or not known.

    Values that are traced are not looked at. A compiler and a device keep theirs to themselves, and
    here nothing waits for them.
    """
    values, weights = value_at_hand(values), value_at_hand(weights)
    if type(values) is not np.ndarray:
        return
    if of in (np.linalg.svd, np.linalg.svdvals):
        values = mirrored(values)
        weights = None if weights is None else mirrored(weights)
    repeated = coincident(values) & ~np.eye(values.shape[-1], dtype=bool)
    if weights is not None:
        repeated &= ~coincident(weights)
    if repeated.any():
        _refuse_repeated(
            f"the second derivative of numpy.linalg.{of.__name__}",
            "their vectors arbitrary",
            values,
            repeated,
            of,
        )


def require_determined(values, values_bar, turning, of) -> None:
    """Raise where cotangents leave open what happens between the vectors of a repeated value.

    Values that are traced are not looked at.

    With M = V^H V_bar (`turning`), a function of the vectors alone does not depend on their choice
    where M is Hermitian, and has a derivative then. One of values and vectors together has a part
    between the vectors of a space that is not among the cotangents (h' times the direction, of
    h(A)), unless M says that there is nothing between them.
    """
    if isinstance(turning, AbstractZero):
        return
    values, m = value_at_hand(values), value_at_hand(turning)
    if type(values) is not np.ndarray or type(m) is not np.ndarray:
        return
    repeated = coincident(values) & ~np.eye(values.shape[-1], dtype=bool)
    if not repeated.any():
        return
    if isinstance(values_bar, AbstractZero):
        repeated &= ~is_small(m - adjoint(m, np), m)
    else:
        weights = value_at_hand(values_bar)
        has_part_between = ~is_small(m, m)
        diagonal_differs = ~is_small(differences(np.real(diagonal(m, np))), m)
        weights_differ = ~is_small(differences(weights), weights[..., None])
        repeated &= has_part_between | (weights_differ & ~diagonal_differs)
    if repeated.any():
        _refuse_repeated(
            f"the derivative of numpy.linalg.{of.__name__}",
            "the part between their vectors unknown",
            values,
            repeated,
            of,
        )


def differences(v) -> Any:
    """The difference of each two entries."""
    return np.expand_dims(v, -2) - column(v, np)


def is_small(x, m) -> Any:
    """Which entries are roundoff next to the largest of `m`.

    The bound is generous, because cotangents may come of a cancellation.
    """
    largest = np.max(np.abs(m), axis=(-2, -1), keepdims=True)
    return np.abs(x) <= np.sqrt(np.finfo(m.dtype).eps) * largest


def mirrored(v) -> Any:
    """Each vector followed by its negative."""
    return np.concatenate([v, -v], axis=-1)


def coincident(values) -> Any:
    """Which of these are the same up to roundoff."""
    return np.abs(differences(values)) <= column(resolution(values, np), np)


def _refuse_repeated(where: str, what: str, values, repeated, of) -> None:
    *batch, i, j = np.argwhere(repeated)[0]
    pair = tuple(sorted((values[*batch, i].item(), values[*batch, j].item()), key=abs))
    raise NotDifferentiableError(
        where,
        f"the values {pair[0]:.6g} and {pair[1]:.6g} are the same up to roundoff, and {what}",
        "write h(A) of a Hermitian matrix as chainrules_py.rulesets.linalg.hermitian_function(h,"
        " a), the sum of all h(w) as its trace, and other functions without a decomposition, by"
        " products, solve or inv",
        primal=of,
        argument="a",
        values=pair,
    )
