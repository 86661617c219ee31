"""Answers that are not known before they are computed."""

from collections.abc import Callable
from typing import Any, Never

import dask.array as da

from chainrules_dask.errors import raise_not_lazy


class Undecided(da.Array):  # type: ignore[misc]
    """An answer that waits to be computed: a rule must not ask for it, since it would compute all
    that stands behind it.
    """

    def __bool__(self) -> Never:  # noqa: PLE0304
        got = "its answer was asked for"
        instead = "ask before the derivative is taken, or write numpy.where"
        raise_not_lazy("any", got, instead)

    __int__ = __index__ = __bool__


def undecided(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Dask's whose answer may not be looked at."""

    def answer(*args, **options) -> Any:
        found: Any = function(*args, **options)
        make: Any = Undecided
        return make(found.dask, found.name, found.chunks, meta=found._meta)

    return answer
