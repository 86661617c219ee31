"""Uncertain numbers: values with standard deviations, through any function of the table.

A value carries its derivatives along directions that are independent and have deviation one (the
rows of `parts`, by the source that they came from), so correlations are kept. A call pushes all of
them forward at once, in the lanes of the guide. First order: what is uncertain is small.
"""

import itertools

import numpy as np
from lanes import vmap

from chainrules_py import ZERO, HasForwardsMode, is_zero
from chainrules_py.engines import TracedValue, next_level

LEVEL = next_level()  # of all uncertain values, which meet each other
NUMBERS = itertools.count(1)  # of sources without a name


class Uncertain(TracedValue):
    """A number or an array, and for each source of uncertainty a row of derivatives per direction."""

    config = HasForwardsMode()

    def __init__(self, value, level, parts):
        self.value, self.level, self.parts = value, level, parts

    @classmethod
    def differentiate(cls, call):
        """Push the directions of all sources forward."""
        own = [x if call.is_own(x) else None for x in call.leaves]
        sources = {name: len(rows) for x in own if x is not None for name, rows in x.parts.items()}
        lanes = [rows_of(x, sources) for x in own if x is not None]
        found = []

        def push(*dots):
            given = iter(dots)
            y, y_dots = call.frule([ZERO if x is None else next(given) for x in own])
            found[:] = [y]
            pairs = zip(y.leaves, y_dots, strict=True)
            return [np.zeros(np.shape(leaf)) if is_zero(dot) else dot for leaf, dot in pairs]

        pushed, (y,) = vmap(push)(*lanes), found
        ends = np.cumsum(list(sources.values()))[:-1]
        parts = [dict(zip(sources, np.split(rows, ends), strict=True)) for rows in pushed]
        pairs = zip(y.leaves, parts, strict=True)
        return y.with_leaves([cls(leaf, LEVEL, own_parts) for leaf, own_parts in pairs])

    @property
    def variances(self):
        """What each source adds to the variance of each entry."""
        return {name: np.sum(rows**2, axis=0) for name, rows in self.parts.items()}

    @property
    def std(self):
        """The standard deviation of each entry."""
        return np.sqrt(sum(self.variances.values()))

    def covariance(self, other=None):
        """The covariances of its entries, or those with another value's."""
        other = self if other is None else other
        shape = (*np.shape(self.value), *np.shape(other.value))
        shared = [name for name in self.parts if name in other.parts]
        return sum(
            (np.tensordot(self.parts[n], other.parts[n], axes=(0, 0)) for n in shared),
            start=np.zeros(shape),
        )

    def budget(self):
        """How much of the variance of a number comes from each source, the largest first."""
        whole = sum(self.variances.values())
        shares = {name: float(part / whole) for name, part in self.variances.items() if part}
        return dict(sorted(shares.items(), key=lambda share: -share[1]))

    def __repr__(self):
        if np.ndim(self.value):
            entries = zip(np.ravel(self.value), np.ravel(self.std), strict=True)
            return f"[{', '.join(text(float(v), float(s)) for v, s in entries)}]"
        return text(float(self.value), float(self.std))

    __str__ = __repr__


call = Uncertain.dispatch  # any function, those too that NumPy hands to nobody


def rows_of(x, sources):
    """The directions of all sources in a value, zeros of those that it does not depend on."""
    shape = np.shape(x.value)
    return np.concatenate([x.parts.get(n, np.zeros((k, *shape))) for n, k in sources.items()])


def uncertain(value, std=None, *, covariance=None, name=None):
    """A number or an array with its standard deviations, or the covariances of its entries.

    >>> x, y = uncertain(2.0, 0.1), uncertain(3.0, 0.2)
    >>> print(x * y, x - x, (x * y).budget())
    6.00(50) 0.0(0) {'#2': 0.64, '#1': 0.36}
    """
    value = np.asarray(value, float)[()]
    if covariance is None:
        std = np.broadcast_to(np.asarray(std, float), np.shape(value))
        rows = np.diag(np.ravel(std))
    else:
        # of a matrix that may have no inverse
        variances, vectors = np.linalg.eigh(np.reshape(covariance, (np.size(value), -1)))
        rows = (vectors * np.sqrt(np.clip(variances, 0, None))).T
    source = name or f"#{next(NUMBERS)}"
    return Uncertain(value, LEVEL, {source: np.reshape(rows, (len(rows), *np.shape(value)))})


def text(value, std):
    """A number as laboratories write it, with two digits of its deviation: 1.234(56)."""
    if not 0 < std < np.inf:
        return f"{value}({0 if std == 0 else std})"
    digits = 1 - int(np.floor(np.log10(float(f"{std:.1e}"))))
    if digits >= 0:
        return f"{value:.{digits}f}({round(std * 10**digits)})"
    return f"{round(value, digits):.0f}({round(std, digits):.0f})"
