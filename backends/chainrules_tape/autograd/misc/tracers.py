"""Programs that are recorded once, in the place of autograd's `const_graph`."""

from functools import partial
from typing import TYPE_CHECKING, Any

from chainrules_py.annotations import Function

if TYPE_CHECKING:
    from chainrules_tape import Compiled


def const_graph(fun: Function, *args, **options) -> "Compiled[..., Any]":
    """The function with these first arguments and keywords fixed, compiled.

    It is recorded at its first calls. Where it takes another branch later it is recorded anew, or
    called itself, so that a program whose control flow depends on its arguments may be given, too.

    >>> times = const_graph(lambda x, y: x * y, 2.0)
    >>> [times(y) for y in (3.0, 4.0, 5.0)]
    [6.0, 8.0, 10.0]
    """
    # 45 modules, which `autograd.misc` would load for those who want `flatten`
    from chainrules_tape import Compiled

    return Compiled(partial(fun, *args, **options), "numpy")
