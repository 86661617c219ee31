"""`seen_through`: other people's modules, or a function with the file in which it is written.

``seen_through(f)`` is f with its file, whose functions take traced values from the first derivative
on (`lent_code`). Nothing is entered for it, and a plain call of f is a plain call.
"""

import sys
from collections.abc import Callable
from functools import partial, update_wrapper
from operator import attrgetter
from types import FunctionType, MethodType
from typing import Any, ParamSpec, TypeVar, overload

from chainrules_foreign_code.callees import see_file_of
from chainrules_foreign_code.noting_levels import note_at_levels_of
from chainrules_foreign_code.scope import Scope
from chainrules_py.annotations import Function
from chainrules_py.introspection import closure_values
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.following import written_function
from chainrules_tape.core.levels import open_levels
from chainrules_tape.derivatives import Derivative
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.instrumented_packages import files

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


class SeenFunction:
    """A function whose file is seen, where something is differentiated."""

    def __init__(self, function: Function, variables: dict[str, Any]) -> None:
        self.function, self._id = function, id(variables)
        # not the variables of the file themselves: who looks through what is held finds them all
        self._size: Any = variables.__len__
        self._count = -1  # of the variables when they were looked at
        is_compiled = hasattr(function, "__chainrules_compiled__")
        self.differentiates = is_compiled or isinstance(function, Derivative)
        update_wrapper(self, function, updated=())

    def __call__(self, *args, **options) -> Any:
        """Call the function, of a file that is seen where something is differentiated."""
        count = self._size()
        is_known = count == self._count and self._id in files
        if (open_levels or self.differentiates) and not is_known:
            see_file_of(self.function)
            self._count = count
        if open_levels:
            note_at_levels_of((*args, *options.values(), *held_by(self.function)))
        return self.function(*args, **options)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: bound as the function itself, a derivative for instance, says."""
        if instance is None:
            return self
        bind = getattr(self.function, "__get__", partial(MethodType, self.function))
        return SeenFunction(bind(instance), self._size.__self__)

    def __repr__(self) -> str:
        inner = repr(self.function) if isinstance(self.function, partial) else None
        return f"seen_through({inner or qualified_name(self.function)})"

    def __reduce__(self) -> Any:
        name = getattr(self.function, "__qualname__", "")  # not of partials and objects
        try:
            is_found = attrgetter(name)(sys.modules[self.function.__module__]) is self
        except (AttributeError, KeyError):
            is_found = False
        return name if is_found else (seen_function, (self.function,))


def seen_function(function: Function) -> SeenFunction:
    """The function, seen through together with the file in which it is written."""
    if isinstance(function, SeenFunction):
        return function
    variables = getattr(written_function(function), "__globals__", {})
    if not isinstance(variables.get("__name__"), str):
        where, got = "seen_through(f)", f"f is {qualified_name(function)}, not a function of a file"
        instead = "pass a function written in Python, or names of packages"
        raise InputError(where, got, instead, function=seen_through, argument=0, value=function)
    return SeenFunction(function, variables)


def held_by(function) -> list[Any]:
    """What a function holds: of a method its object, of a partial its arguments, and its closure."""
    if type(function) is FunctionType:
        return [*closure_values(function).values()] if function.__closure__ else []
    if isinstance(function, MethodType):
        return [function.__self__, *held_by(function.__func__)]
    if isinstance(function, partial):
        return [*function.args, *function.keywords.values(), *held_by(function.func)]
    return []
