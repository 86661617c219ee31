"""Guards against derivatives of decompositions that do not exist at repeated values.

Within the space of a repeated value vectors do not turn, by convention. First derivatives of
values, and of what vectors span, do not depend on it. Second derivatives do: V g'(W) V^H, the
gradient of sum g(w), moves by g''(w) times the direction between *all* vectors of a space, and the
formulas know of the diagonal only. So the vectors pass a gate on their way into each formula. It is
the identity, and refuses when an engine differentiates it at repeated values.
"""

from typing import Any, NoReturn

import numpy as np

from chainrules_py import (
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
    hermitian_part,
    resolution,
    value_at_hand,
    values_in_all_lanes,
)
from chainrules_py.tangents import NotImplementedTangent, is_zero


def forbid_second_derivative_at_repeats(vectors, values, weights, of) -> Any:
    """`differentiable_once`, which plain arrays need not pass: that takes 2 us less."""
    if type(vectors) is np.ndarray:
        return vectors
    return differentiable_once(vectors, values, weights, of=of)


def of_values_alone(u, vh, s, weights) -> tuple[Any, Any]:
    """Vectors that weights multiply which are the same for a repeated value; neither's derivative
    turns them in their space.
    """
    return tuple(
        [forbid_second_derivative_at_repeats(v, s, weights, of=np.linalg.svdvals) for v in (u, vh)]
    )


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
        return tangent.unturned if isinstance(tangent, UndeterminedTangent) else tangent

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
    repeated = repetitions(values)
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


def undetermined(weights, m) -> Any:
    """Between which vectors, were their values the same, a part is unknown or depends on them."""
    if weights is None:
        return ~is_small(m - adjoint(m, np), m)
    has_part_between = ~is_small(m, m)
    diagonal_differs = ~is_small(differences(np.real(diagonal(m, np))), m)
    weights_differ = ~is_small(differences(weights), weights[..., None])
    return has_part_between | (weights_differ & ~diagonal_differs)


def mixed(weights, m) -> Any:
    """`undetermined` for general matrices: between all vectors of a space.

    These may be mixed, not only turned: nothing of V h(W) V^-1 depends on them, so that M = V^H V_bar
    is zero there, whatever the part h' times the direction is.
    """
    return True


def used(weights, m) -> Any:
    """`undetermined` for formulas of the values, which weigh the vectors of a space equally."""
    return ~is_small(m, m)


def require_determined(values, values_bar, turning, of, open_between=undetermined) -> None:
    """Raise where cotangents leave open what happens between the vectors of a repeated value.

    Values that are traced are not looked at.

    With M = V^H V_bar (`turning`), a function of the vectors alone does not depend on their choice
    where M is Hermitian, and has a derivative then. One of values and vectors together has a part
    between the vectors of a space that is not among the cotangents (h' times the direction, of
    h(A)), unless M says that there is nothing between them. `open_between` says which pairs that
    leaves open.
    """
    found = numbers_below(values, values_bar, turning)
    if found is None or found[-1] is None:
        return
    values, weights, m = found
    repeated = repetitions(values)
    if repeated.any() and (repeated := repeated & open_between(weights, m)).any():
        raise_undetermined(values, repeated, of)


def require_determined_pairs(s, s_bar, columns, bars, of) -> None:
    """`require_determined` for singular values: eigenvalues of [[0, A], [A^H, 0]], together with
    their negatives, of which zeros are the same.
    """
    found = numbers_below(s, s_bar, *columns, *bars)
    if found is None:
        return
    s, weights, u, v, u_bar, v_bar = found
    values = mirrored(s)
    repeated = repetitions(values)
    if not repeated.any():
        return
    (u_part, beside_u), (v_part, beside_v) = (
        inside_and_beside(u, u_bar),
        inside_and_beside(v, v_bar),
    )
    # what leaves the range is on the diagonal, imaginary: no choice of vectors makes up for it
    m = paired(u_part + v_part, u_part - v_part + 1j * (beside_u + beside_v))
    weights = None if weights is None else mirrored(weights)
    if (repeated := repeated & undetermined(weights, m)).any():
        raise_undetermined(values, repeated, of)


def where_determined(dots: tuple[Any, ...], values, p, of) -> tuple[Any, ...]:
    """Tangents of vectors; of a direction P between the vectors of a repeated value, such as raise
    when they are used.
    """
    found = numbers_below(values, p)
    if found is None:
        return dots
    values, p = found
    repeated = repetitions(values)
    if not repeated.any() or not (repeated := repeated & ~is_small(p, p)).any():
        return dots
    return tuple([UndeterminedTangent(dot, values, repeated, of) for dot in dots])


def where_pairs_determined(dots: tuple[Any, ...], s, columns, a_dot, of) -> tuple[Any, ...]:
    """`where_determined` for singular values."""
    found = numbers_below(s, *columns, a_dot)
    if found is None:
        return dots
    s, u, v, a_dot = found
    values = mirrored(s)
    repeated = repetitions(values)
    if not repeated.any():
        return dots
    p, beside_u = inside_and_beside(u, a_dot @ v)
    _, beside_v = inside_and_beside(v, adjoint(a_dot, np) @ u)
    directions = paired(hermitian_part(p, np), p + beside_u + beside_v)
    repeated = repeated & ~is_small(directions, directions)
    if not repeated.any():
        return dots
    return tuple([UndeterminedTangent(dot, values, repeated, of) for dot in dots])


def inside_and_beside(columns, moved) -> tuple[Any, Any]:
    """V^H X, and a diagonal of the lengths of what is beside the range of V; zeros of nothing."""
    if moved is None:
        return 0.0, 0.0
    part = adjoint(columns, np) @ moved
    lengths = np.linalg.norm(moved - columns @ part, axis=-2, keepdims=True)
    return part, lengths * np.eye(part.shape[-1])


def paired(same, opposite) -> Any:
    """What is between the vectors of singular values, and between those and their negatives'."""
    return np.block([[same, opposite], [adjoint(opposite, np), same]])


class UndeterminedTangent(NotImplementedTangent):
    """The tangent of vectors that a repeated value leaves open: it raises where it is used.

    `unturned` is that of vectors that do not turn in their space, for formulas of the values.
    """

    __slots__ = ("pairs", "unturned")

    def __init__(self, unturned, *pairs) -> None:
        super().__init__("repeated values", "numpy.linalg")
        self.unturned, self.pairs = unturned, pairs

    def refuse_use(self, operation: str) -> NoReturn:
        """Raise the error that names the values."""
        raise_undetermined(*self.pairs)


def numbers_below(*arrays) -> tuple[Any, ...] | None:
    """Arrays below all levels, with lanes in front, of zeros None; None where one is not at hand."""
    found = tuple([None if is_zero(x) else values_in_all_lanes(x) for x in arrays])
    known = all(x is None or type(x) is np.ndarray for x in found)
    return found if known else None


def repetitions(values) -> Any:
    """Which two values are the same up to roundoff."""
    return coincident(values) & ~np.eye(values.shape[-1], dtype=bool)


def raise_undetermined(values, repeated, of) -> NoReturn:
    """Raise for the first of the pairs of values that are repeated."""
    _refuse_repeated(
        f"the derivative of numpy.linalg.{of.__name__}",
        "the part between their vectors unknown",
        np.broadcast_to(values, repeated.shape[:-1]),
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


def _refuse_repeated(where: str, what: str, values, repeated, of) -> NoReturn:
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
