"""Watching CuPy for waits of the host.

`cupyx.allow_synchronize` notices what CuPy itself reads back (``ndarray.get``, on which `int`,
`float`, `bool` and `item` rest) and ``Device.synchronize``. CuPy warns, each time it is entered,
that other libraries may wait unnoticed: that is known here.
"""

import warnings
from contextlib import contextmanager

import cupyx


@contextmanager
def allowing_waits(allowed):
    """A context in which CuPy raises `cupyx.DeviceSynchronized` where it would wait, unless that is
    allowed.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="cupyx.allow_synchronize will be removed")
        watched = cupyx.allow_synchronize(allowed)
        watched.__enter__()
    try:
        yield
    finally:
        watched.__exit__(None, None, None)
