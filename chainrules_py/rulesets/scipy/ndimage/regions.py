"""Statistics of labelled regions, by the values in them."""

from typing import Any

import numpy as np
from scipy import ndimage

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.without_cancellation import root_flat_at_zero
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import Array

default_rules.alias(ndimage.sum, ndimage.sum_labels)


class Regions:
    """The sum over each given region, and its adjoint; a region may be given twice."""

    def __init__(self, shape: tuple[int, ...], labels, index, xp) -> None:
        self.input_shape = shape
        self.xp = xp
        if labels is None:
            labels, index = np.ones(shape, int), 1
        elif index is None:
            labels, index = np.asarray(labels) > 0, True
        labels = np.broadcast_to(labels, shape).ravel()
        asked = np.asarray(index)
        self.shape = asked.shape

        # `inverse`: of each region that is asked for, its number among the different ones
        names, inverse = np.unique(asked.ravel(), return_inverse=True)
        self.count, self.inverse = len(names), inverse.ravel()
        # `place`: of each entry, the number of its region; `count` where that is not asked for
        self.place = np.zeros(labels.shape, int)
        if self.count:
            place = np.minimum(np.searchsorted(names, labels), self.count - 1)
            self.place = np.where(names[place] == labels, place, self.count)

    def total(self, x) -> Any:
        """The sum over each region."""
        sums = scatter_add(self.xp.reshape(x, -1), self.place, (self.count + 1,), x.dtype)
        return self.xp.reshape(sums[self.inverse], self.shape)

    def spread(self, y) -> Any:
        """The values of regions at their entries, added up for a region that was given twice."""
        flat = self.xp.reshape(y, -1)
        sums = scatter_add(flat, self.inverse, (self.count + 1,), flat.dtype)
        return self.xp.reshape(sums[self.place], self.input_shape)

    def of_each(self, y) -> Any:
        """The result of its region at every entry."""
        requests = np.bincount(self.inverse)[self.inverse].reshape(self.shape)
        return self.spread(y / requests.astype(y.dtype))

    def sizes(self) -> Any:
        """How many entries each region has."""
        return np.bincount(self.place, minlength=self.count + 1)[self.inverse].reshape(self.shape)


@composed(ndimage.sum_labels)
def sum_labels(input: Array, *, labels: Any = None, index: Any = None, xp) -> Any:
    """The sum of the entries of each region; for several regions, SciPy adds in double precision."""
    regions = Regions(input.shape, labels, index, xp)
    return regions.total(input.astype(np.float64) if regions.shape else input)


@composed(ndimage.mean)
def mean(input: Array, *, labels: Any = None, index: Any = None, xp) -> Any:
    """The sum of each region over its size."""
    regions = Regions(input.shape, labels, index, xp)
    return regions.total(input) / regions.sizes()


@composed(ndimage.variance)
def variance(input: Array, *, labels: Any = None, index: Any = None, xp) -> Any:
    """The mean square of the distances of entries from the mean of their region."""
    if xp.iscomplexobj(input):
        raise TypeError(
            "scipy.ndimage: got complex numbers, whose variance has no rule; add the variances of"
            " their real and imaginary parts"
        )
    regions = Regions(input.shape, labels, index, xp)
    sizes = regions.sizes()
    away = input - regions.of_each(regions.total(input) / sizes)
    return regions.total(away * away) / sizes


@composed(ndimage.standard_deviation)
def standard_deviation(input: Array, *, labels: Any = None, index: Any = None, xp) -> Any:
    """The root of the variance, without a derivative where all entries are equal."""
    square = variance(input, labels=labels, index=index, xp=xp)
    return root_flat_at_zero(square, xp)


@linearised_rule(ndimage.maximum, ndimage.minimum)
def extreme_linearised(
    input: Array, *, labels: Any = None, index: Any = None, out, xp
) -> LinearMap:
    """Entries that tie share equally."""
    regions = Regions(input.shape, labels, index, xp)
    is_extreme = input == regions.of_each(xp.asarray(out))
    is_asked_for = np.reshape(regions.place, input.shape) < regions.count
    equal = is_extreme * is_asked_for
    ties = regions.of_each(regions.total(equal * 1.0))
    shares = equal / xp.maximum(ties, 1)
    return LinearMap(
        lambda dot: regions.total(shares * dot), lambda y_bar: shares * regions.spread(y_bar)
    )
