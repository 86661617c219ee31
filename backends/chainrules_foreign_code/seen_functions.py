"""`seen_through`: other people's modules, or a function with the file in which it is written.

``seen_through(f)`` is f: the functions of its file take traced values from the first derivative on
that calls it (`lent_code`), and nothing else is done to it.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from chainrules_foreign_code.callees import mark
from chainrules_foreign_code.scope import Scope
from chainrules_py.annotations import Function
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.following import written_function
from chainrules_tape.refusals.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")


@overload
def seen_through(*packages: str) -> Scope: ...


@overload
def seen_through(function: Callable[P, R], /) -> Callable[P, R]: ...


def seen_through(*given: Any) -> Any:
    """Other people's modules, or a function of your own with its file, differentiated as they stand.

    ``with seen_through("some_package"):`` is a scope, in which what is NumPy's, SciPy's or `math`'s
    in the modules of the packages takes traced values, as `chainrules_tape.numpy` does; plain
    values go to the original functions. ``@seen_through`` above a function, or
    ``grad(seen_through(f))``, does that with the file in which the function is written, whenever
    it is differentiated.

    >>> from chainrules_tape import grad
    >>> import colorsys
    >>> with seen_through("colorsys"):
    ...     grad(lambda red: colorsys.rgb_to_yiq(red, 0.5, 0.3)[0])(0.0)
    0.3
    """
    if len(given) == 1 and callable(given[0]):
        return seen_function(given[0])
    for k, name in enumerate(given):
        if not isinstance(name, str):
            where, got = "seen_through", f"{name!r} of the class {type(name).__name__}"
            instead = "pass one function, seen_through(f), or names, with seen_through('package')"
            raise InputError(where, got, instead, function=seen_through, argument=k, value=name)
    return Scope(*given)


def seen_function(function: Function) -> Function:
    """The function itself, whose file is seen when a derivative calls it."""
    written = written_function(function)
    if not isinstance(getattr(written, "__globals__", {}).get("__name__"), str):
        where, got = "seen_through(f)", f"f is {qualified_name(function)}, not a function of a file"
        instead = "pass a function written in Python, or names of packages"
        raise InputError(where, got, instead, function=seen_through, argument=0, value=function)
    mark(written)
    return function
