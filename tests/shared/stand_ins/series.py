"""What stands for a Series of pandas, where that is not installed."""

import numpy as np


class Series:
    """Stands for a Series of pandas: an array, its labels, and operators that leave the say to
    operands of a higher priority.
    """

    ndim = 1

    def __init__(self, values, index=None):
        self._values = np.asarray(values)
        self.dtype, self.shape = self._values.dtype, self._values.shape
        self.index = np.arange(len(self._values)) if index is None else index

    @property
    def values(self):
        return self._values

    def to_numpy(self, copy=False):
        return self._values.copy() if copy else self._values

    def __array__(self, dtype=None, copy=None):
        return self._values

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        priorities = [getattr(x, "__pandas_priority__", 0) for x in inputs]
        if max(priorities) > 3000:
            return NotImplemented
        return Series(ufunc(*[np.asarray(x) for x in inputs], **options), self.index)

    def __mul__(self, other):
        return self.__array_ufunc__(np.multiply, "__call__", self, other)

    def __sub__(self, other):
        return self.__array_ufunc__(np.subtract, "__call__", self, other)

    def __gt__(self, other):
        return self.__array_ufunc__(np.greater, "__call__", self, other)
