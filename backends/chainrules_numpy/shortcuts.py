"""NumPy's own functions without the Python that NumPy has around them.

`numpy.sum` spends as long on its way to `numpy.add.reduce` as that takes for a handful of numbers, and a rule runs it for every
operation of a tape. Each function here computes exactly what the one it stands for does, and hands it what is no plain array.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def sum_of_array(a: Any, axis: Any = None, **options: Any) -> Any:
    """``numpy.sum``."""
    return np.add.reduce(a, axis, **options) if type(a) is np.ndarray else np.sum(a, axis, **options)


def reshaped_array(a: Any, shape: Any, **options: Any) -> Any:
    """``numpy.reshape``."""
    return a.reshape(shape, **options) if type(a) is np.ndarray else np.reshape(a, shape, **options)


SHORTCUTS: dict[Any, Callable[..., Any]] = {
    np.sum: sum_of_array,
    np.reshape: reshaped_array,
}
