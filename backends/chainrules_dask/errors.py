"""The error for what Dask cannot do without computing the array."""

from collections.abc import Callable
from typing import Never

from chainrules_py import ChainRulesError


class DaskError(ChainRulesError, NotImplementedError):
    """A function that would compute whole Dask arrays while a derivative is made: `function`."""

    function: str


def raise_not_lazy(name: str, got: str, instead: str) -> Never:
    """Raise, because a function by this name would have to compute its arguments now."""
    dotted = name if name.startswith("scipy.") else f"numpy.{name}"
    raise DaskError(f"{dotted} on Dask's arrays", got, instead, function=name)


_ABSENT = "dask.array does not have it, and NumPy's would compute the whole array"


def refusing_function(name: str, why: str = _ABSENT) -> Callable[..., Never]:
    """Make a function that raises, in the place of one that Dask does not have, or not without
    computing.
    """

    def refuse_call(*args, **options) -> Never:
        instead = (
            "call it on NumPy's arrays, x.compute(), outside of the derivative, or write it in"
            " functions of dask.array"
        )
        raise_not_lazy(name, why, instead)

    return refuse_call
