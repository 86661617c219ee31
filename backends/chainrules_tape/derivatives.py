"""Derivatives of functions as functions: they print as the call that made them, and pickle where the
function does.
"""

import sys
from functools import WRAPPER_ASSIGNMENTS, partial, update_wrapper
from importlib import import_module
from operator import attrgetter
from types import FunctionType, MethodType
from typing import Any, ClassVar

from chainrules_py.annotations import Function
from chainrules_py.engines.compilers import load_compilers, unmarked
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import signature_of
from chainrules_tape.core.following import alike, run_first
from chainrules_tape.core.levels import differentiates_here
from chainrules_tape.core.reached_code import Watched, name_others, watched_from
from chainrules_tape.core.tracebacks import hide_frames

assigned_of = attrgetter(*WRAPPER_ASSIGNMENTS)


class Derivative(partial[Any]):
    """A derivative of a function as a function, which prints as the call that made it, and pickles
    where the function does.
    """

    __slots__ = ("watched",)  # by `CallingOthers`; it is not pickled
    watched: Watched | None
    prints_as_call: ClassVar[bool] = True
    # what people call, by the function that computes it
    made_by: ClassVar[dict[str, str]] = {
        "gradient": "grad",
        "value_and_gradient": "value_and_grad",
        "all_derivatives": "jacobian",
        "second_derivatives": "hessian",
        "all_sparse_derivatives": "jacobian",
        "all_sparse_second_derivatives": "hessian",
        "all_examples": "vmap",
    }

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the derivative of the method that is bound to the instance, whose arguments
        are counted after `self`.
        """
        function, *options = self.args
        if instance is None:
            return self
        bound = MethodType(function, instance)
        return named_as_function(Derivative(self.func, bound, *options, **self.keywords), bound)

    def __repr__(self) -> str:
        name = self.made_by[self.func.__name__]
        defaults = signature_of(getattr(import_module("chainrules_tape"), name)).parameters
        function, *options = self.args
        given = [
            f"{option}={value.name if option == 'rules' else repr(value)}"
            for option, value in zip(
                [*signature_of(self.func).parameters][1:], options, strict=False
            )
            if value is not defaults[option].default and value != defaults[option].default
        ]
        return f"{name}({', '.join([qualified_name(function), *given])})"


class NewDerivative(Derivative):
    """A derivative that looks at its function first: it becomes a plain `Derivative` when it is known
    that this leads to no other functions of the user's.
    """

    def __call__(self, /, *args, **options) -> Any:
        """Compute the derivative, with what its function may change saved before.

        A function that holds something is looked through at its second call, if there is one.
        """
        if differentiates_here():  # the outermost derivative has looked at it
            return super().__call__(*args, **options)
        found: Any = self
        found.__class__ = Derivative
        try:
            y = run_first(self, self.args[0], args, options)
        except Exception as error:
            found.__class__ = NewDerivative
            hide_frames(error)
            raise
        watched = watched_of_all(self.args[0])
        if watched is None and hasattr(self, "watched"):
            watched = watched_from(inner_of(self.args[0]))
        found.watched = watched
        if watched is None:
            found.__class__ = NewDerivative
        elif watched:
            found.__class__ = CallingOthers
        return y


class CallingOthers(Derivative):
    """A derivative of a function that leads to others, which may be other ones in a later call."""

    def __call__(self, /, *args, **options) -> Any:
        """Compute the derivative, as for the first time where they are."""
        found: Any = self
        try:
            watched = getattr(self, "watched", None)  # None in another process
            function = self.args[0]
            inner = function.args[0] if isinstance(function, Derivative) else function
            is_outer = not differentiates_here()
            if is_outer and (watched is None or name_others(watched, inner)):
                found.__class__ = NewDerivative
                return self(*args, **options)
            return partial.__call__(self, *args, **options)
        except Exception as error:
            hide_frames(error)
            raise


def watched_of_all(function: Function) -> Watched | None:
    """What is watched of all functions of a code; None of one that holds something, or is not known."""
    inner = function.args[0] if isinstance(function, Derivative) else function
    return alike.get(id(inner.__code__)) if type(inner) is FunctionType else None


def inner_of(function: Function) -> Function:
    """The function whose derivative another one is; or that one."""
    return function.args[0] if isinstance(function, Derivative) else function


def named_as_function(derivative: Any, function: Function) -> Function:
    """Give a derivative the name and the signature of its function.

    Compilers of Python, `torch.compile` say, learn here to run derivatives as they stand.
    """
    if not sys.modules.keys().isdisjoint(unmarked):  # the other way round it reads all modules
        load_compilers()
    inner = function.args[0] if isinstance(function, Derivative) else function
    # `watched_of_all` written out: 0.2 us less
    watched = alike.get(id(inner.__code__)) if type(inner) is FunctionType else None
    if type(derivative) is Derivative and watched != ():
        if watched:
            derivative.__class__, derivative.watched = CallingOthers, watched
        else:
            derivative.__class__ = NewDerivative
    space = derivative.__dict__
    try:
        space.update(zip(WRAPPER_ASSIGNMENTS, assigned_of(function)))  # noqa: B905, which takes 0.2 us
    except AttributeError:  # an object that can be called has some of them
        return update_wrapper(derivative, function, updated=())
    space["__wrapped__"] = function  # in a third of the time
    named: Function = derivative
    return named
