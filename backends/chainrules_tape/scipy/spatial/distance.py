"""`scipy.spatial.distance` for code that is differentiated: distances of traced points.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.spatial import distance
>>> grad(lambda u: distance.euclidean(u, [0.0, 0.0]))(np.array([3.0, 4.0]))
array([0.6, 0.8])
"""

from functools import partial
from typing import Any

import numpy
from scipy.spatial import distance
from scipy.special import rel_entr

from chainrules_py.annotations import Function, Options
from chainrules_py.errors import OptionError
from chainrules_py.ignoring import stop_gradient
from chainrules_tape.core.levels import call_traced
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.objects import example

Metric = Function


def _root(total, order: float = 2.0) -> Any:
    """The root of a sum, with the slope zero between points that are equal."""
    is_zero = total == 0
    nonzero = numpy.where(is_zero, 1.0, total)
    # the square root has derivatives in range where the total is a square that is nearly out of it
    root = numpy.sqrt(nonzero) if order == 2 else nonzero ** (1.0 / order)
    return numpy.where(is_zero, 0.0, root)


def _norm(order) -> Metric:
    def distance_of(u, v, w: Any = None):
        difference = u - v
        if w is None:
            return numpy.linalg.norm(difference, order, axis=-1)
        sizes = numpy.abs(difference)
        if order == numpy.inf:  # weights choose entries, and say no more
            return numpy.max(sizes * (w > 0), axis=-1)
        return _root(numpy.sum(w * sizes**order, axis=-1), order)

    return distance_of


def _of_a_difference(order, u, v, w) -> Any:
    """A norm whose powers stay in range."""
    difference = u - v
    scale = _power_of_two(difference)
    return scale * _norm(order)(difference / scale, 0.0, w)


def _power_of_two(x, axis: int | None = None) -> Any:
    """A power of two that is as large as the entries, or 1: quotients by it are exact."""
    sizes = numpy.abs(stop_gradient(x))
    largest = numpy.max(sizes, axis=axis, initial=0.0, keepdims=axis is not None)
    usual = (largest > 0) & numpy.isfinite(largest)
    return (2.0 ** numpy.floor(numpy.log2(numpy.where(usual, largest, 1.0)))).astype(x.dtype)


def _total(x, w) -> Any:
    return numpy.sum(x if w is None else w * x, axis=-1)


def _unit(u, w) -> Any:
    u = u / _power_of_two(u, -1)
    return u / numpy.expand_dims(numpy.sqrt(_total(u * u, w)), -1)


def _cosine(u, v, w: Any = None) -> Any:
    return 1.0 - _total(_unit(u, w) * _unit(v, w), w)


def _centred(u, w) -> Any:
    count = u.shape[-1] if w is None else numpy.sum(w)
    return u - numpy.expand_dims(_total(u, w) / count, -1)


def _canberra(u, v, w: Any = None):
    sizes = numpy.abs(u) + numpy.abs(v)
    shares = numpy.abs(u - v) / numpy.where(sizes == 0, 1.0, sizes)  # of two zeros none
    return _total(shares, w)


def _braycurtis(u, v, w: Any = None):
    return _total(numpy.abs(u - v), w) / _total(numpy.abs(u + v), w)


# Of points along the last axis, as functions of two arrays that broadcast.
METRICS: dict[str, Metric] = {
    "euclidean": _norm(2),
    "sqeuclidean": lambda u, v, w=None: _total((u - v) ** 2, w),
    "cityblock": _norm(1),
    "chebyshev": _norm(numpy.inf),
    "cosine": _cosine,
    "correlation": lambda u, v, w=None: _cosine(_centred(u, w), _centred(v, w), w),
    "canberra": _canberra,
    "braycurtis": _braycurtis,
}


def _points(x) -> Any:
    return call_traced(numpy.asarray, (x,), {"dtype": float})


def _vector(x) -> Any:
    """One of two points: SciPy computes their distance in the precision that they have."""
    x = call_traced(numpy.asarray, (x,), {})
    return x if x.dtype.kind == "f" else _points(x)


def _weights(w) -> Any:
    return None if w is None else _points(w)


def _of_two(function, second=_vector, metric: Metric | None = None) -> Any:
    metric = metric or METRICS[function.__name__]

    @by_others(function)
    def between(u, v, w: Any = None, **options) -> Any:
        for name, value in options.items():
            raise _refused(function, name, value)
        return metric(_vector(u), second(v), _weights(w))

    return between


def _refused(function, name: str, value) -> OptionError:
    where, got = f"scipy.spatial.distance.{function.__name__}", f"got {name}={value!r}"
    instead = f"leave {name} out, or write the distance in NumPy's functions"
    return OptionError(where, got, instead, primal=function, option=name, value=value)


def _metric(function, metric, options: Options, points) -> Metric:
    """The distance of two arrays of points; `points` are all, whose variances are defaults."""
    given = {name: value for name, value in options.items() if (name, value) != ("out", None)}
    if metric == "mahalanobis":
        inverse = given.pop("VI", None)
        if inverse is None:
            inverse = numpy.linalg.inv(numpy.atleast_2d(numpy.cov(points.T)))
        found = _along_inverse(_points(inverse))
    elif metric == "seuclidean":
        variances = given.pop("V", None)
        if variances is None:
            variances = numpy.var(points, axis=0, ddof=1)
        found = _in_units(_points(variances))
    elif metric == "minkowski" or metric in METRICS:
        between = METRICS.get(metric) or _norm(given.pop("p", 2.0))
        weights = _weights(given.pop("w", None))
        found = lambda u, v: between(u, v, weights)  # noqa: E731
        if metric in ("euclidean", "minkowski"):  # whose powers stay in range so
            scale = _power_of_two(points)
            found = lambda u, v: scale * between(u / scale, v / scale, weights)  # noqa: E731
    else:
        raise _refused(function, "metric", metric)
    for name, value in given.items():
        raise _refused(function, name, value)
    return found


def _along_inverse(inverse) -> Metric:
    def distance_of(u, v):
        difference = u - v
        return _root(numpy.sum((difference @ inverse) * difference, axis=-1))

    return distance_of


def _in_units(variances) -> Metric:
    return lambda u, v: numpy.linalg.norm((u - v) / numpy.sqrt(variances), axis=-1)


@by_others(distance.minkowski)
def minkowski(u, v, p: float = 2.0, w: Any = None) -> Any:
    """As ``scipy.spatial.distance.minkowski``."""
    return _of_a_difference(p, _vector(u), _vector(v), _weights(w))


@by_others(distance.mahalanobis)
def mahalanobis(u, v, VI) -> Any:
    """As ``scipy.spatial.distance.mahalanobis``."""
    return _along_inverse(_vector(VI))(_vector(u), _vector(v))


@by_others(distance.seuclidean)
def seuclidean(u, v, V) -> Any:
    """As ``scipy.spatial.distance.seuclidean``."""
    return _in_units(_points(V))(_vector(u), _vector(v))


@by_others(distance.jensenshannon)
def jensenshannon(p, q, base: Any = None, *, axis: int = 0, keepdims: bool = False) -> Any:
    """As ``scipy.spatial.distance.jensenshannon``."""
    p, q = (x / numpy.sum(x, axis=axis, keepdims=True) for x in map(_vector, (p, q)))
    empty = (p == 0) & (q == 0)  # there the distance does not fall, and has the slope 0
    p, q = (numpy.where(empty, 1.0, x) for x in (p, q))
    mean = (p + q) / 2.0
    total = numpy.sum(rel_entr(p, mean) + rel_entr(q, mean), axis=axis, keepdims=keepdims)
    return _root(total / (2.0 if base is None else 2.0 * numpy.log(base)))


@by_others(distance.cdist)
def cdist(XA, XB, metric: Any = "euclidean", **options) -> Any:
    """As ``scipy.spatial.distance.cdist``."""
    first, second = _points(XA), _points(XB)
    points = numpy.concatenate([first, second])
    between = _metric(distance.cdist, metric, options, points)
    return between(first[:, None, :], second[None, :, :])


@by_others(distance.pdist)
def pdist(X, metric: Any = "euclidean", **options) -> Any:
    """As ``scipy.spatial.distance.pdist``."""
    x = _points(X)
    first, second = numpy.triu_indices(len(x), 1)
    return _metric(distance.pdist, metric, options, x)(x[first], x[second])


@by_others(distance.squareform)
def squareform(X, force: Any = "no", checks: bool = True) -> Any:
    """`scipy.spatial.distance.squareform`: where an entry lands does not depend on its value."""
    distance.squareform(example(X), force, checks)  # raises where SciPy does
    if numpy.ndim(X) == 1:
        positions = distance.squareform(numpy.arange(1, len(X) + 1))
        return numpy.concatenate([numpy.zeros(1), X])[positions]
    return X[numpy.triu_indices(len(X), 1)]


@by_others(distance.directed_hausdorff)
def directed_hausdorff(u, v, *order, **options) -> tuple[Any, Any, Any]:
    """As ``scipy.spatial.distance.directed_hausdorff``: the largest distance of a point of u from
    its nearest one of v, and the numbers of both.
    """
    distance.directed_hausdorff(
        example(u), example(v), *order, **options
    )  # raises where SciPy does
    between = cdist(u, v)
    nearest, sizes = numpy.argmin(between, axis=1), numpy.min(between, axis=1)
    first = numpy.argmax(sizes)
    return numpy.max(sizes), first, nearest[first]


euclidean = _of_two(distance.euclidean, metric=partial(_of_a_difference, 2))
sqeuclidean = _of_two(distance.sqeuclidean)
cityblock = _of_two(distance.cityblock)
chebyshev = _of_two(distance.chebyshev)
cosine = _of_two(distance.cosine)
correlation = _of_two(distance.correlation)
canberra = _of_two(distance.canberra, _points)
braycurtis = _of_two(distance.braycurtis, _points)
__getattr__, __dir__ = stand_in(distance, globals())
