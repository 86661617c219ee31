"""`polyvalfromroots`: the product of x - r over the roots r, whose partial in each of them is the product of the others."""

from typing import Any

from numpy.polynomial import polynomial

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers.linearised import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.array_likes import ArrayLike, Linearised, as_floats, on_arrays, shape_of
from chainrules_py.rulesets.reductions import products_of_others


def from_roots(x: Any, r: Any, tensor: bool, xp: Any) -> Linearised:
    """The value, with the maps of the points and of the roots, whose first axis is multiplied over."""
    shape, axes = shape_of(x), len(shape_of(x))
    if shape and not tensor and axes >= r.ndim:
        raise _no_axis_left(x, r)
    r = as_floats(r)
    apart = (*r.shape, *(1,) * axes) if tensor else r.shape
    factors = x - xp.reshape(r, apart)

    def slopes() -> Any:
        return products_of_others(factors, 0, xp)

    def x_pullback(y_bar: Any) -> Any:
        return unbroadcast(xp.conj(xp.sum(slopes(), axis=0)) * y_bar, shape, xp)

    def r_pushforward(r_dot: Any) -> Any:
        return -xp.sum(slopes() * xp.reshape(r_dot, apart), axis=0)

    def r_pullback(y_bar: Any) -> Any:
        return xp.reshape(unbroadcast(-xp.conj(slopes()) * y_bar, apart, xp), r.shape)

    in_points = LinearMap(lambda x_dot: xp.sum(slopes(), axis=0) * x_dot, x_pullback)
    return xp.prod(factors, axis=0), in_points, LinearMap(r_pushforward, r_pullback)


@linearised_rule(polynomial.polyvalfromroots)
def polyvalfromroots_linearised(x: ArrayLike, r: ArrayLike, *, tensor: bool = True, xp: Any) -> Linearised:
    return on_arrays(lambda x, r, xp: from_roots(x, r, tensor, xp), (x, r), xp, vectors=(1,))


def _no_axis_left(x: Any, r: Any) -> NotDifferentiableError:
    where, got = "the rules of numpy.polynomial.polynomial.polyvalfromroots", f"tensor=False, x {x.shape} and r {r.shape}"
    return NotDifferentiableError(where, got, "give r one axis more than x, the first", argument="r", value=r)
