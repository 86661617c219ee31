"""`seen_through`: other people's modules, or a function with the file in which it is written.

``seen_through(f)`` is f in the scope of its own module. The scope lasts while f runs for a
derivative, and around all that is done for one, so that the derivatives of such a function are such
functions, too. Rules call functions that f hands to solvers, an integrand say, when f is done, and f
may be a part of a plain function: such a function takes the scope with it. A function that no
module holds, as those written inside of another one, has places of its own.
"""

import sys
from abc import ABCMeta
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial, update_wrapper
from inspect import signature, unwrap
from operator import attrgetter
from threading import get_ident
from types import FunctionType, MethodType, ModuleType
from typing import Any, ParamSpec, TypeVar, overload

from chainrules_foreign_code.own_modules import OF_NUMPY
from chainrules_foreign_code.plans import RootPlan, fill_all
from chainrules_foreign_code.scope import Scope, lock
from chainrules_foreign_code.substitutions import empty_all
from chainrules_py.introspection import Entry
from chainrules_py.values.captured_values import carriers, is_known_by_identity
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.levels import open_levels
from chainrules_tape.derivatives import Derivative
from chainrules_tape.refusals.errors import InputError

entered: dict[Entry, "FileScope"] = {}  # the scopes of files that last, the outermost first

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
    >>> import math
    >>> grad(seen_through(lambda x: math.sin(x)))(0.0)
    1.0
    """
    if len(given) == 1 and callable(given[0]):
        return seen_function(given[0])
    for k, name in enumerate(given):
        if not isinstance(name, str):
            where, got = "seen_through", f"{name!r} of the class {type(name).__name__}"
            instead = "pass one function, seen_through(f), or names, with seen_through('package')"
            raise InputError(where, got, instead, function=seen_through, argument=k, value=name)
    return Scope(*given)


class FileScope(Scope):
    """The scope of the file of a function, and of the function itself, which no module may hold."""

    def __init__(self, root: Any, variables: dict[str, Any]) -> None:
        super().__init__(variables["__name__"])
        self.root, self.variables = root, variables
        self._plan: RootPlan | None = None

    def require_packages(self) -> None:
        """The name of a file need not be that of a module."""

    def begin(self, entry: Entry) -> None:
        """See through the file, and the function."""
        with lock:
            super().begin(entry)
            if self._plan is None or not self._plan.is_current():
                if OF_NUMPY not in self.packages and names_polynomials(self.variables):
                    self.packages.append(OF_NUMPY)
                    super().begin(entry)
                self._plan = RootPlan(self.root, self.variables)
            fill_all([self._plan], entry.changes)
            entered[entry] = self

    def is_entered(self) -> bool:
        """Whether this thread is in the scope."""
        return self in scopes_of_now()

    def called(self, function: Callable[..., Any]) -> Any:
        """A function as it is called in the scope: a partial may have other functions in it there."""
        return function if self._plan is None or function is not self.root else self._plan.called

    def end(self, entry: Entry) -> None:
        """See through neither."""
        with lock:
            entered.pop(entry, None)
            empty_all(entry.changes)
            super().end(entry)


def scopes_of_now() -> tuple[FileScope, ...]:
    """The scopes of files that this thread is in, the outermost first."""
    thread = get_ident()
    return tuple([scope for entry, scope in entered.copy().items() if entry.thread == thread])


def carry_scopes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called later, in the scopes of files that this thread is in."""
    scopes = tuple(dict.fromkeys(scopes_of_now()))
    is_written_here = isinstance(function, FunctionType | MethodType | partial)
    if not scopes or not is_written_here:
        return function
    if isinstance(function, FunctionType) and is_known_by_identity(function):
        return function
    if hasattr(function, "__chainrules_carried__"):
        return function

    def call_in_scopes(*args, **options) -> Any:
        with ExitStack() as stack:
            for scope in scopes:
                if not scope.is_entered():
                    stack.enter_context(scope)
            return function(*args, **options)

    # of its attributes some are read, as by `solve_ivp` of an event
    vars(call_in_scopes).update(
        vars(function), __chainrules_carried__=True, __signature__=signature(function)
    )
    return call_in_scopes


carriers.append(carry_scopes)


def names_polynomials(variables: dict[str, Any]) -> bool:
    """Whether a file names something of `numpy.polynomial`, whose code is then seen through, too."""
    return any(map(is_of_polynomials, variables.copy().values()))


def is_of_polynomials(found) -> bool:
    """Whether a value is a module, function or class of `numpy.polynomial`, or an object of one."""
    if type(found) is ModuleType:
        name = found.__name__
    elif type(found) in (ABCMeta, FunctionType):
        name = found.__module__
    else:
        name = type(found).__module__
    return f"{name}.".startswith(f"{OF_NUMPY}.")


class SeenFunction:
    """A function that is seen through with its module, or a derivative `of` such a function."""

    __chainrules_seen__ = True

    def __init__(
        self, function: Callable[..., Any], scope: FileScope, of: "SeenFunction | None" = None
    ) -> None:
        self.function, self.scope, self.of = function, scope, of
        update_wrapper(self, function, updated=())

    def __call__(self, *args, **options) -> Any:
        """Call the function, in the scope where something is differentiated."""
        if self.of is None and not open_levels:
            return self.function(*args, **options)
        with self.scope as scope:
            return scope.called(self.function)(*args, **options)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: bound as the function itself, a derivative for instance, says."""
        if instance is None:
            return self
        bind = getattr(self.function, "__get__", partial(MethodType, self.function))
        return SeenFunction(bind(instance), self.scope, self.of)

    def __repr__(self) -> str:
        inner = repr(self.function) if isinstance(self.function, partial) else None
        return f"seen_through({inner or qualified_name(self.function)})"

    def __reduce__(self) -> Any:
        if self.of is not None:
            return SeenFunction.around, (self.of, self.function)
        name = getattr(self.function, "__qualname__", "")  # not of partials and objects
        try:
            is_found = attrgetter(name)(sys.modules[self.function.__module__]) is self
        except (AttributeError, KeyError):
            is_found = False
        return name if is_found else (seen_function, (self.function,))

    def around(self, derivative: Callable[..., Any]) -> "SeenFunction":
        """A derivative of the function, in the same scope."""
        return SeenFunction(derivative, self.scope, self)

    def in_own_scope(self, function: Callable[..., Any]) -> "SeenFunction":
        """A function that is made of this one, seen through with its file."""
        return seen_function(function)

    def computed(self, transform: Callable[..., Any], *args, **options) -> Any:
        """What a transform, as `vjp`, finds of the function, in the scope."""
        with self.scope as scope:
            return transform(scope.called(self.function), *args, **options)


def seen_function(function: Callable[..., Any]) -> SeenFunction:
    """The function, seen through together with the module in which it is written."""
    if isinstance(function, SeenFunction):
        return function
    variables = getattr(written_function(function), "__globals__", {})
    if not isinstance(variables.get("__name__"), str):
        where, got = "seen_through(f)", f"f is {qualified_name(function)}, not a function of a file"
        instead = "pass a function that is written in Python, or names of packages"
        raise InputError(where, got, instead, function=seen_through, argument=0, value=function)
    seen = SeenFunction(function, FileScope(function, variables))
    opens_levels = isinstance(function, Derivative) or hasattr(function, "__chainrules_compiled__")
    return seen.around(function) if opens_levels else seen


def written_function(function) -> FunctionType | None:
    """The function in which the code of a callable is written, if that is Python's."""
    found: Any = unwrap(function)
    while isinstance(found, partial | MethodType):
        found = unwrap(found.func if isinstance(found, partial) else found.__func__)
    if not isinstance(found, FunctionType | type):
        called: Any = getattr(type(found), "__call__", None)
        found = unwrap(called)
    return found if isinstance(found, FunctionType) else None
