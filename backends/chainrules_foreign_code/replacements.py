"""Replacements of modules and functions of NumPy, SciPy, `math` and others in foreign code."""

import cmath
import copy
import importlib
import math
import pkgutil
import sys
from functools import cache
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy

import chainrules_tape.numpy
import chainrules_tape.scipy
from chainrules_foreign_code.math_functions import module_of_numbers
from chainrules_foreign_code.rounding import as_round
from chainrules_foreign_code.stand_in_modules import functions_in_place_of, stand_in_module
from chainrules_foreign_code.vectorizing import vectorize_as_foreign
from chainrules_py.table.registry import default_rules
from chainrules_tape.numpy.namespaces import made_interceptable
from chainrules_tape.scipy.objects import StandIn

ROOTS = frozenset({"numpy", "scipy"})
OF_NUMPY = "numpy.polynomial"  # the one part of NumPy that is seen through
# The modules that stand for one of the same name: of `scipy` those in it, because it names no more
# of its own than those do.
_IN_PACKAGES = ("cluster.vq", "sparse.linalg", "spatial.distance", "spatial.transform")
_OWN = frozenset({"numpy", *(f"scipy.{name}" for name in _IN_PACKAGES)}).union(
    *({f"{root}.{found.name}" for found in pkgutil.iter_modules(package.__path__)}
      for root, package in (("numpy", chainrules_tape.numpy), ("scipy", chainrules_tape.scipy)))
)  # fmt: skip
# Objects of other types are not asked whether they have a rule, but only whether one of the modules
# has another by their name.
_FUNCTIONS = (FunctionType, BuiltinFunctionType, type(numpy.sum), numpy.vectorize)
# by the identity of what is in NumPy and SciPy: where ours is
PLACES: dict[int, tuple[ModuleType, str]] = {}
_OF_FROZEN = "scipy.stats._distn_infrastructure"
_listed: set[str] = set()  # the modules of which that has been noted
_looked_at = {"modules": 0}  # how many there were when all were looked at


def replacement(found) -> Any:
    """The replacement of a value that a module holds; the value itself where it stays.

    >>> replacement(numpy.zeros) is numpy.zeros
    False
    >>> replacement(numpy.float64) is numpy.float64
    True
    """
    known = replacements_by_identity().get(id(found))
    if known is not None:
        return known
    if _looked_at["modules"] != len(sys.modules):
        note_places()
    kind = type(found)  # an object may do anything when it is asked for its class
    if kind is MethodType:
        return held_method(found)
    if id(found) in PLACES:
        own, name = PLACES[id(found)]
        return getattr(own, name)
    if kind is not FunctionType and not issubclass(kind, _FUNCTIONS):
        return of_object(found)
    if kind is numpy.vectorize:
        return vectorize_as_foreign.like(found)  # of now: its attributes can be set
    if (
        not is_of_ours(found)
        and root_package(getattr(found, "__module__", None)) in ROOTS
        and found in default_rules
    ):
        return replacements_by_identity().setdefault(id(found), made_interceptable(found))
    return found


def is_of_ours(found) -> bool:
    """Whether a function stands for one of NumPy's or SciPy's already, under the name of that."""
    variables = getattr(found, "__globals__", {})
    return root_package(variables.get("__name__")).startswith("chainrules_")


def held_method(method: MethodType) -> Any:
    """The method in the place of one that a module holds by a name of its own, ``N = norm.cdf``.

    Those of SciPy's distributions, and of frozen ones, have one; any other stays.
    """
    owner: Any = method.__self__
    instead = replacement(owner)
    if instead is not owner:
        return getattr(instead, method.__name__, method)
    distribution = distribution_in_place_of(owner)
    if distribution is None:
        return method
    frozen = copy.copy(owner)
    frozen.dist = distribution
    return getattr(frozen, method.__name__)


def of_object(found) -> Any:
    """The object in the place of one of SciPy's, where the class in the place of its class makes one:
    of an interpolant, which was made before.
    """
    own, name = PLACES.get(id(type(found)), (None, ""))
    make = getattr(getattr(own, name, None), "in_place_of", None)
    return found if make is None else make(found)


def distribution_in_place_of(found) -> Any:
    """The distribution in the place of that of a frozen one of SciPy's; None for other objects."""
    if vars(type(found)).get("__module__") != _OF_FROZEN or not hasattr(found, "dist"):
        return None
    # takes a second, if SciPy's has not been imported
    stats = importlib.import_module("chainrules_tape.scipy.stats")
    return None if isinstance(found.dist, stats.Distribution) else stats.Distribution(found.dist)


def root_package(name: str | None) -> str:
    """The outermost package of a module."""
    return (name or "").partition(".")[0]


@cache
def replacements_by_identity() -> dict[int, Any]:
    """The replacements by the identity of the originals, which live as long as the process."""
    found = functions_in_place_of() | {id(round): as_round}
    for module in (math, cmath):
        found.update(by_identity(module, module_of_numbers(module)))
    return found


def by_identity(module: ModuleType, made: ModuleType) -> dict[int, Any]:
    """Those functions of a module that another module replaces, by their identity."""
    found: dict[int, Any] = {}
    for name, function in vars(module).copy().items():
        if vars(made)[name] is not function:
            found[id(function)] = vars(made)[name]
    return found


def note_places() -> None:
    """Note where the replacements are of functions of NumPy, and of modules in use."""
    count = len(sys.modules)
    for name in sorted(_OWN.difference(_listed).intersection(sys.modules)):  # NumPy itself first
        module = sys.modules[name]
        if is_half_imported(module):
            count = 0  # to be looked at once more
        else:
            _listed.add(name)
            note_places_of(module, stand_in_module(name))
    for found in (numpy.vectorize, numpy.broadcast, numpy.ndenumerate):
        PLACES[id(found)] = (stand_in_module("numpy"), found.__name__)
    _looked_at["modules"] = count


def note_places_of(module: ModuleType, own: ModuleType) -> None:
    """Note which functions and classes of a module another one replaces, and by which names."""
    for entry in getattr(module, "__all__", ()):
        found = vars(module).get(entry)
        # a ufunc hands traced values over by itself
        if isinstance(found, numpy.ufunc | ModuleType | type | None):
            continue
        given = getattr(found, "__name__", entry)  # `concat` is `concatenate`
        name = given if vars(module).get(given) is found else entry
        PLACES.setdefault(id(found), (own, name))
    for name, made in vars(own).copy().items():
        if isinstance(made, StandIn) and "made_by" in vars(made):
            PLACES.setdefault(id(made.made_by), (own, name))
            note_static_methods(made.made_by, made)


def note_static_methods(cls: Any, own) -> None:
    """Note the static methods of a class that the one in its place has, too: ``from_rotvec``, say."""
    for name, part in vars(cls).items():
        if type(part) is staticmethod and hasattr(own, name):
            PLACES[id(part.__func__)] = own, name


def is_half_imported(module: ModuleType) -> bool:
    """Whether a module is being imported just now."""
    return getattr(vars(module).get("__spec__"), "_initializing", False)
