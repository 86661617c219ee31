"""`scipy.cluster.vq` for code that is differentiated: distances of observations from codes.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.cluster import vq
>>> codes = np.array([[0.0, 0.0], [9.0, 9.0]])
>>> grad(lambda x: np.sum(vq.vq(x, codes)[1]))(np.array([[3.0, 4.0]]))
array([[0.6, 0.8]])
"""

from typing import Any

import numpy
from scipy.cluster import vq as of_scipy

from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.objects import example
from chainrules_tape.scipy.spatial.distance import cdist


@by_others(of_scipy.vq)
def vq(obs, code_book, check_finite: bool = True) -> tuple[Any, Any]:
    """As ``scipy.cluster.vq.vq``: the numbers of the nearest codes, and the distances from them."""
    of_scipy.vq(example(obs), example(code_book), check_finite)  # raises where SciPy does
    if numpy.ndim(obs) == 1:
        obs, code_book = (numpy.reshape(x, (-1, 1)) for x in (obs, code_book))
    distances = cdist(obs, code_book)
    codes = numpy.argmin(distances, axis=1)
    return codes.astype(numpy.int32), numpy.min(distances, axis=1)


__getattr__, __dir__ = stand_in(of_scipy, globals())
