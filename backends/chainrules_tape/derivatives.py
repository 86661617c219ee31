"""Derivatives of functions as functions: they print as the call that made them, and pickle where the
function does.
"""

import sys
from functools import WRAPPER_ASSIGNMENTS, partial, update_wrapper
from importlib import import_module
from operator import attrgetter
from types import MethodType
from typing import Any, ClassVar

from chainrules_py.annotations import Function
from chainrules_py.engines.compilers import load_compilers, unmarked
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import signature_of
from chainrules_tape.core.following import is_as_before, run_first, watched_of
from chainrules_tape.core.levels import differentiates_here
from chainrules_tape.core.tracebacks import hide_frames

assigned_of = attrgetter(*WRAPPER_ASSIGNMENTS)


class Derivative(partial[Any]):
    """A derivative of a function as a function, which prints as the call that made it, and pickles
    where the function does.
    """

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


class LookingDerivative(Derivative):
    """A derivative that looks first whether its function leads to the functions of the user's that it
    led to before; to none, of a plain `Derivative`.
    """

    def __call__(self, /, *args, **options) -> Any:
        """Compute the derivative, with what its function may change saved before a first run."""
        found: Any = self
        function = self.args[0]
        try:
            if differentiates_here() or is_as_before(function):
                # as `partial` does, whose call by its class `torch.compile` does not read
                return self.func(*self.args, *args, **(self.keywords | options))
            run = partial(self.func, *self.args, **self.keywords)
            y = run_first(run, function, args, options)
        except Exception as error:
            hide_frames(error)
            raise
        if watched_of(function) == ():
            found.__class__ = Derivative
        return y


def named_as_function(derivative: Any, function: Function) -> Function:
    """Give a derivative the name and the signature of its function.

    Compilers of Python, `torch.compile` say, learn here to run derivatives as they stand.
    """
    if not sys.modules.keys().isdisjoint(unmarked):  # the other way round it reads all modules
        load_compilers()
    if type(derivative) is Derivative and watched_of(function) != ():
        looks_itself = hasattr(derivative.func, "__wrapped__")  # by `without_own_frames`
        derivative.__class__ = Derivative if looks_itself else LookingDerivative
    space = derivative.__dict__
    try:
        space.update(zip(WRAPPER_ASSIGNMENTS, assigned_of(function)))  # noqa: B905, which takes 0.2 us
    except AttributeError:  # an object that can be called has some of them
        return update_wrapper(derivative, function, updated=())
    space["__wrapped__"] = function  # in a third of the time
    named: Function = derivative
    return named
