"""Derivatives of functions as functions: they print as the call that made them, and pickle where the
function does.
"""

import sys
from functools import WRAPPER_ASSIGNMENTS, partial, update_wrapper
from importlib import import_module
from operator import attrgetter
from types import FunctionType, MethodType
from typing import Any, ClassVar, cast

from chainrules_py.engines.compilers import load_compilers, unmarked
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import signature_of
from chainrules_tape.core.following import alike, callees, code_of, name_others, run_first
from chainrules_tape.core.tracebacks import hide_frames
from chainrules_tape.core.tracing import Function

assigned_of = attrgetter(*WRAPPER_ASSIGNMENTS)


class Derivative(partial[Any]):
    """A derivative of a function as a function, which prints as the call that made it, and pickles
    where the function does.
    """

    prints_as_call = True
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
    """A derivative that looks at its function first: by its first call it becomes a plain `Derivative`,
    if that names no other functions of the user's.
    """

    def __call__(self, /, *args, **options) -> Any:
        """Compute the derivative, with what its function may change saved before."""
        found: Any = self
        found.__class__ = Derivative
        try:
            y = run_first(self, self.args[0], args, options)
            if callees.get(id(code_of(self.args[0]))):
                found.__class__ = CallingOthers
            return y
        except Exception as error:
            found.__class__ = NewDerivative
            hide_frames(error)
            raise


class CallingOthers(Derivative):
    """A derivative of a function that names others, which may be other ones in a later call."""

    def __call__(self, /, *args, **options) -> Any:
        """Compute the derivative, as for the first time where they are."""
        found: Any = self
        try:
            named = callees.get(id(code_of(self.args[0])))  # None in another process
            if named is None or name_others(named):
                found.__class__ = NewDerivative
                return self(*args, **options)
            return partial.__call__(self, *args, **options)
        except Exception as error:
            hide_frames(error)
            raise


def named_as_function(derivative: Any, function: Function) -> Function:
    """Give a derivative the name and the signature of its function.

    Compilers of Python, `torch.compile` say, learn here to run derivatives as they stand.
    """
    if not sys.modules.keys().isdisjoint(unmarked):  # the other way round it reads all modules
        load_compilers()
    inner = function.args[0] if isinstance(function, Derivative) else function
    # `is_as_before` written out: 0.2 us less
    named = alike.get(id(inner.__code__)) if type(inner) is FunctionType else None
    if type(derivative) is Derivative and (named is None or (named and name_others(named))):
        derivative.__class__ = NewDerivative
    try:
        names = zip(WRAPPER_ASSIGNMENTS, assigned_of(function), strict=True)
    except AttributeError:  # an object that can be called has some of them
        return update_wrapper(derivative, function, updated=())
    derivative.__dict__.update(names, __wrapped__=function)  # in a third of the time
    return cast(Function, derivative)
