"""`scipy.spatial.distance` for code that is differentiated: distances of traced points.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.spatial import distance
>>> grad(lambda u: distance.euclidean(u, [0.0, 0.0]))(np.array([3.0, 4.0]))
array([0.6, 0.8])
"""

from collections.abc import Callable
from typing import Any

import numpy
from scipy.spatial import distance

from chainrules_py.errors import OptionError
from chainrules_tape.core.levels import call
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.objects import example

Metric = Callable[..., Any]


def _norm(order) -> Metric:
    return lambda u, v: numpy.linalg.norm(u - v, order, axis=-1)


def _cosine(u, v) -> Any:
    lengths = numpy.linalg.norm(u, axis=-1) * numpy.linalg.norm(v, axis=-1)
    return 1.0 - numpy.sum(u * v, axis=-1) / lengths


def _centred(u) -> Any:
    return u - numpy.mean(u, axis=-1, keepdims=True)


def _canberra(u, v) -> Any:
    sizes = numpy.abs(u) + numpy.abs(v)
    shares = numpy.abs(u - v) / numpy.where(sizes == 0, 1.0, sizes)  # of two zeros none
    return numpy.sum(shares, axis=-1)


# Of points along the last axis, as functions of two arrays that broadcast.
METRICS: dict[str, Metric] = {
    "euclidean": _norm(None),
    "sqeuclidean": lambda u, v: numpy.sum((u - v) ** 2, axis=-1),
    "cityblock": _norm(1),
    "chebyshev": _norm(numpy.inf),
    "cosine": _cosine,
    "correlation": lambda u, v: _cosine(_centred(u), _centred(v)),
    "canberra": _canberra,
    "braycurtis": (
        lambda u, v: numpy.sum(numpy.abs(u - v), axis=-1) / numpy.sum(numpy.abs(u + v), axis=-1)
    ),
}


_ENTRIES_COMPARED = "it counts entries that are equal, or reads how many points there are"
# Why the other functions of the module are SciPy's own here.
WITHOUT_DERIVATIVE = dict.fromkeys(
    (
        *("dice", "hamming", "jaccard", "kulczynski1", "rogerstanimoto", "russellrao"),
        *("sokalmichener", "sokalsneath", "yule"),
        *("is_valid_dm", "is_valid_y", "num_obs_dm", "num_obs_y"),
    ),
    _ENTRIES_COMPARED,
)
NOT_YET = {
    "directed_hausdorff": (
        "it chooses two points: differentiate numpy.linalg.norm of their difference"
    ),
    "jensenshannon": (
        "it is short in SciPy's functions: the root of the mean of two scipy.special.rel_entr"
    ),
    "mahalanobis": "it is short in NumPy: numpy.sqrt(d @ VI @ d) of the difference d",
    "seuclidean": "it is short in NumPy: numpy.linalg.norm of the difference over the deviations",
}


def _points(x) -> Any:
    return call(numpy.asarray, (x,), {"dtype": float})


def _of_two(function) -> Any:
    metric = METRICS[function.__name__]

    @by_others(function)
    def between(u, v, w: Any = None, **options) -> Any:
        _require_known(function, {"w": w} if w is not None else options)
        return metric(_points(u), _points(v))

    return between


def _require_known(function, options: dict[str, Any]) -> None:
    for name, value in options.items():
        where, got = f"scipy.spatial.distance.{function.__name__}", f"got {name}={value!r}"
        instead = f"leave {name} out, or write the distance out in NumPy's functions"
        raise OptionError(where, got, instead, primal=function, option=name, value=value)


def _metric(function, metric, options: dict[str, Any]) -> Metric:
    if metric == "minkowski" and options.get("w") is None:
        return _norm(options.get("p", 2.0))
    if metric not in METRICS or options:
        _require_known(function, options or {"metric": metric})
    return METRICS[metric]


@by_others(distance.minkowski)
def minkowski(u, v, p: float = 2.0, w: Any = None) -> Any:
    """As ``scipy.spatial.distance.minkowski``."""
    _require_known(distance.minkowski, {} if w is None else {"w": w})
    return _norm(p)(_points(u), _points(v))


@by_others(distance.cdist)
def cdist(XA, XB, metric: Any = "euclidean", **options) -> Any:
    """As ``scipy.spatial.distance.cdist``."""
    between = _metric(distance.cdist, metric, options)
    return between(_points(XA)[:, None, :], _points(XB)[None, :, :])


@by_others(distance.pdist)
def pdist(X, metric: Any = "euclidean", **options) -> Any:
    """As ``scipy.spatial.distance.pdist``."""
    x = _points(X)
    first, second = numpy.triu_indices(len(x), 1)
    return _metric(distance.pdist, metric, options)(x[first], x[second])


@by_others(distance.squareform)
def squareform(X, force: Any = "no", checks: bool = True) -> Any:
    """`scipy.spatial.distance.squareform`: where an entry lands does not depend on its value."""
    distance.squareform(example(X), force, checks)  # raises where SciPy does
    if numpy.ndim(X) == 1:
        positions = distance.squareform(numpy.arange(1, len(X) + 1))
        return numpy.concatenate([numpy.zeros(1), X])[positions]
    return X[numpy.triu_indices(len(X), 1)]


euclidean = _of_two(distance.euclidean)
sqeuclidean = _of_two(distance.sqeuclidean)
cityblock = _of_two(distance.cityblock)
chebyshev = _of_two(distance.chebyshev)
cosine = _of_two(distance.cosine)
correlation = _of_two(distance.correlation)
canberra = _of_two(distance.canberra)
braycurtis = _of_two(distance.braycurtis)
__getattr__, __dir__ = stand_in(distance, globals())
