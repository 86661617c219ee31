"""Samples of rules as calls of programs: as the tape is handed them, and which of them have tangents."""

from functools import cache, reduce
from types import MethodDescriptorType

import numpy as np

import chainrules_tape
import chainrules_tape.numpy as tnp
from chainrules_py import default_rules
from chainrules_py.engines import FlatValue
from chainrules_py.testing import Settings, load_shipped, primals_of, samples_of
from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import engine_cases
from chainrules_py.testing.samples import dtypes_of
from chainrules_py.values.identity import qualified_name, takes_plain_values_only
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.numpy.namespaces import interceptable as handing_over
from remembered import call_of


def interceptable(primal):
    """The primal, or what chainrules_tape.numpy has in its place where NumPy does not hand it over."""
    module, *path = qualified_name(primal).split(".")
    if takes_plain_values_only(primal) or isinstance(primal, MethodDescriptorType):
        return handing_over(primal)
    found = reduce(getattr, path, tnp) if module == "numpy" else primal
    return found if getattr(found, "__wrapped__", None) is primal else primal


class Tape:
    """The tape, whose users call what it has in the place of functions of NumPy's."""

    vjp = staticmethod(chainrules_tape.vjp)
    jvp = staticmethod(chainrules_tape.jvp)
    vmap = staticmethod(chainrules_tape.vmap)

    @staticmethod
    def call(primal, args, options):
        """Call a function with traced values."""
        return interceptable(primal)(*args, **options)


def has_tangents(case: Case) -> bool:
    """Whether every output has a tangent space: seeds are drawn for the whole output."""
    with np.errstate(all="ignore"):
        y = case.primal(*case.sample.args, **case.sample.options)
    return all(map(is_differentiable, FlatValue.of(y).leaves))


@cache
def first_cases(dtypes: tuple[str, ...], settings: Settings) -> tuple[Case, ...]:
    """The first of `engine_cases` of each primal in each dtype: no further samples are drawn."""
    load_shipped()
    config, found = type(settings.config), []
    for primal in primals_of(default_rules.load_all()):
        rules = default_rules.rules(primal)
        if not any(rule.mode == "reverse" and rule.suits(config) for rule in rules):
            continue
        for dtype in dtypes_of(primal):
            drawn = samples_of(primal, dtype) if dtype in dtypes else ()
            sample = next((sample for sample in drawn if sample.error is None), None)
            if sample is not None:
                found.append(Case(primal, sample, dtype, "reverse", settings))
    return tuple(found)


@cache
def all_cases() -> tuple[Case, ...]:
    """A case of each sample in double precision: several modules make parameters of them."""
    return tuple(engine_cases())


@cache
def cases_with_tangents() -> tuple[Case, ...]:
    """The cases whose outputs have tangents."""
    return tuple(filter(has_tangents, all_cases()))


@cache
def first_calls():
    """One sample call of each public function of NumPy's and SciPy's that has a rule, as data."""
    found = {}
    for case in engine_cases(dtypes=["float64"]):
        call = None if case.primal in found else call_of(case)
        if call is not None:
            found[case.primal] = call
    return list(found.values())
