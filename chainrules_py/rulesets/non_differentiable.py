"""Functions that have no derivative: queries, comparisons, indices. A list, to be read as one."""

import numpy as np

from chainrules_py.makers import non_differentiable

non_differentiable(
    *(np.argmax, np.argmin, np.argsort, np.searchsorted, np.nonzero, np.count_nonzero),
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.all, np.any),
    *(np.isnan, np.isinf, np.isfinite, np.signbit, np.floor_divide),
    *(np.shape, np.ndim, np.size, np.zeros_like, np.ones_like),
)
