"""Names of functions and where they are defined, for messages, lookups and listings."""

import inspect
import sys
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules_py.values.signatures import signature_of

# SciPy's ufuncs do not say where they live, so they are looked for in the modules that could hold
# them.
_UFUNC_HOMES = ("numpy", "scipy.special", "scipy.special._ufuncs", "cupy", "cupyx.scipy.special")
# of others, as packs of rules name their modules (`discovery.home_of`)
homes_of_ufuncs: dict[Any, str] = {}
_PUBLIC_MODULES = {"_operator": "operator", "_functools": "functools"}


def home_module(function) -> str:
    """Find the public module of a function: ``numpy``, ``scipy.special``; empty where unknown."""
    if is_method_of_ufunc(function):
        return home_module(function.__self__)
    module = getattr(function, "__module__", None)
    if isinstance(module, str):
        return _PUBLIC_MODULES.get(module, module)
    owner = getattr(function, "__objclass__", None)  # method descriptors: ndarray.sum
    if owner is not None:
        return str(owner.__module__)
    name = getattr(function, "__name__", "")
    # CuPy's ufuncs say in their names where they are from: cupy_sin, cupyx_scipy_special_erf
    root = name.partition("_")[0]
    # cupy_logit is special's, too
    name = name.removeprefix("cupyx_scipy_special_").removeprefix("cupy_")
    found = next(
        (home for home in _UFUNC_HOMES if getattr(sys.modules.get(home), name, None) is function),
        "",
    )
    if not found and type(function) is np.ufunc:
        found = homes_of_ufuncs.get(function, "")
    return found or (root if root in ("cupy", "cupyx") else "")


def lives_with_module(function) -> bool:
    """Whether a function is there as long as its module, by whose name it is found, as those in C are:
    others come and go, and what is remembered of these keeps them.
    """
    if type(function) is not FunctionType:
        return type(function).__module__ in ("builtins", "numpy") and not isinstance(
            function, MethodType
        )
    found: Any = sys.modules.get(function.__module__ or "")
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function


def is_method_of_ufunc(function) -> bool:
    """Whether this is a bound method such as ``numpy.maximum.accumulate``."""
    return type(getattr(function, "__self__", None)).__name__ == "ufunc"


def qualified_name(function: Any) -> str:
    """Name a function as a person would: ``numpy.linalg.inv``, ``numpy.ndarray.sum``."""
    if type(function) is not FunctionType:
        if is_method_of_ufunc(function):
            return f"{qualified_name(function.__self__)}.{function.__name__}"
        if getattr(type(function), "prints_as_call", False):  # it has the name of another function
            return repr(function)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if isinstance(name, str) and name.startswith("pybind11_detail_"):  # a class behind each of its
        name = function.__name__
    if not isinstance(name, str):
        return name_in_package(function) or repr(function)
    module = home_module(function)
    return name if module in ("", "builtins", "__main__") else f"{module}.{name}"


def name_in_package(function) -> str:
    """Name an object that has no name, as SciPy's `MultiUFunc` in 1.15, by its package."""
    package = (home_module(function) if callable(function) else "").rpartition("._")[0]
    variables = vars(sys.modules.get(package, type)).copy()
    names = [name for name, found in variables.items() if found is function]
    return f"{package}.{names[0]}" if names else ""


def belongs_to_package(primal, packages: tuple[str, ...] = ("numpy",)) -> bool:
    """Whether a function belongs to one of these packages."""
    return (getattr(primal, "__module__", None) or "").partition(".")[0] in packages


def made_of(primal: Any) -> Any:
    """The function from which `primitive` or a scope made this one; None for any other."""
    if type(primal) is MethodType:  # which has the attributes of its function
        return None
    function = getattr(primal, "__chainrules_primal__", None)
    # functools.wraps copies attributes: what somebody wrapped around a primitive is a function of
    # its own.
    return function if getattr(primal, "__wrapped__", None) is function else None


TAKING_PLAIN_VALUES = ("function", "builtin_function_or_method", "MultiUFunc", "_Function")


def takes_plain_values_only(primal) -> bool:
    """Whether a function asks no array to take its place: those of `math` and `cmath`, and SciPy's
    but ufuncs.
    """
    home = home_module(primal)
    return home in ("math", "cmath") or (
        home.startswith("scipy.") and type(primal).__name__ in TAKING_PLAIN_VALUES
    )


def is_handed_over(primal) -> bool:
    """Whether NumPy's protocols, or Python's operators, give a function's calls to its arguments."""
    is_of_numpy = isinstance(primal, np.ufunc) or hasattr(primal, "_implementation")
    return is_of_numpy or home_module(primal) in ("operator", "_operator")


def is_out_of_reach(primal) -> bool:
    """Whether a function is NumPy's, and its protocols do not reach it, as in numpy.polynomial."""
    return qualified_name(primal).startswith("numpy.") and not is_handed_over(primal)


def existing(module, *names: str) -> list[Any]:
    """The functions of a library under these names, without those that its version lacks.

    >>> import numpy as np
    >>> [function.__name__ for function in existing(np, "sort", "unheard_of")]
    ['sort']
    """
    return [getattr(module, name) for name in names if hasattr(module, name)]


def takes(function, name: str) -> bool:
    """Whether a library's installed version of a function has this argument.

    >>> import numpy as np
    >>> takes(np.sort, "axis"), takes(np.sort, "unheard_of")
    (True, False)
    """
    return name in signature_of(function).parameters


def location(function) -> str:
    """Return ``file:line`` of a function's definition, or its module where there is no source."""
    declared = getattr(function, "__rule_location__", None)
    if isinstance(declared, str):
        return declared
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is not None:
        return f"{code.co_filename}:{code.co_firstlineno}"
    return home_module(function)
