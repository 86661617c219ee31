"""Options of SciPy's functions, named once, with the defaults of the function's signature.

    @with_options(signal.stft, "fs window nperseg noverlap", linearised_rule)
    def stft_linearised(x: Array, *, options: Options, out: Any) -> LinearMap:
        ... options.window ...
        ... call(signal.stft, x, **options) ...

The names are those that the rule knows. A call with any other option, perhaps of a newer SciPy, is
refused when its rule is looked up. A few short options are parameters of the rule, as everywhere;
this is for functions with many of them, and for options that are handed on.
"""

import inspect
from collections.abc import Callable, Collection
from functools import update_wrapper
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import signature_of


class Options(dict[str, Any]):
    """The options of a call: read one as an attribute, or pass all as ``**options``.

    An option that the installed version of SciPy does not have is None, and is not handed on.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def with_options(
    primal: Function,
    names: str,
    make: Callable[[Function], Callable[[Function], Function]] | None = None,
) -> Callable[[Function], Function]:
    """Give a function of a rule the options of the call as one value, its keyword `options`.

    It has all options of these names; those that the call leaves out have the primal's defaults.
    `make` makes a rule of the primal of it: `composed`, or `linearised_rule`.
    """
    keywords = keywords_of(primal, names.split())
    defaults = {each.name: each.default for each in keywords if each.default is not each.empty}
    absent = dict.fromkeys(set(names.split()) - {each.name for each in keywords})

    def decorate(function: Function) -> Function:
        arguments, injected = own_parameters(function)
        wanted = {each.name for each in injected}

        # It takes 0.5 us. Attributes of the object are read in 0.02 us, by __getattr__ in 0.36.
        def function_of_options(*args, **given):
            own = {name: given.pop(name) for name in wanted}
            options = Options(defaults)
            options.update(given)
            vars(options).update(absent, **options)
            return function(*args, options=options, **own)

        update_wrapper(function_of_options, function)
        state_signature(function_of_options, [*arguments, *keywords, *injected])
        # They say how many of the arguments may be absent.
        function_of_options.__defaults__ = function.__defaults__
        return function_of_options if make is None else make(primal)(function_of_options)

    return decorate


def without_rule(function: Function, option: str, value, instead: str) -> OptionError:
    """The error for an option of one of SciPy's functions that has no rule."""
    where = f"{qualified_name(function)}: {option}"
    got = "the option has no rule"
    return OptionError(where, got, instead, primal=function, option=option, value=value)


def blank(x) -> Any:
    """Zeros like an argument, for SciPy's errors and the kind of its results."""
    if x is None:
        return None
    return np.zeros(x.shape, x.dtype) if hasattr(x, "dtype") else 0.0


def keywords_of(function: Function, names: Collection[str]) -> list[Parameter]:
    """The parameters of these names that the installed version of a function has, by keyword only."""
    known = dict(signature_of(function).parameters)
    if any(each.kind is Parameter.VAR_KEYWORD for each in known.values()):
        known = {name: Parameter(name, Parameter.KEYWORD_ONLY) for name in names} | known
    return [known[name].replace(kind=Parameter.KEYWORD_ONLY) for name in names if name in known]


def state_signature(function, parameters: list[Parameter]) -> None:
    """Set the signature that a function shows, whatever its definition takes."""
    function.__signature__ = Signature(parameters)


def own_parameters(function: Function) -> tuple[list[Parameter], list[Parameter]]:
    """The parameters of a function beside `options`: those by position, and those by keyword only."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "options"]
    injected = [each for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    arguments = [each for each in parameters if each.kind is not Parameter.KEYWORD_ONLY]
    return arguments, injected
