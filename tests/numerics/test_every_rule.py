"""Every sample of every rule through the kit: in both modes, to second order, in each dtype."""

import pytest

from chainrules_py import default_rules
from chainrules_py.rulesets.polynomial.families import FAMILIES
from chainrules_py.testing import Settings, load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules
from chainrules_py.testing.samples import dtypes_of
from chainrules_py.values.identity import qualified_name

default_rules.load_all()
load_shipped()


def primals(*places):
    """The functions whose rules stand in one of these places."""
    return [
        rule.primal
        for rule in default_rules.rules()
        if rule.overwrites is None
        and any(place in rule.where for place in places)
        and dtypes_of(rule.primal)
    ]


# Solutions of linear systems to thirteen digits are not to be had in single precision, and SciPy
# warns of its own logm there.
IN_DOUBLE_PRECISION = {*primals("rulesets/scipy/linalg/", "rulesets/scipy/sparse/")}
# whose own derivatives are sums of integrals: a fiftieth of all other rules take as long
BY_QUADRATURE = {*primals("rulesets/scipy/special/parameter_derivatives")}
# the other four families of polynomials are the same lines with other coefficients
ALIKE = {family.module.__name__ for family in FAMILIES[2:]}
FURTHER_FAMILIES = {p for p in primals("rulesets/polynomial/") if p.__module__ in ALIKE}
OTHERS = [
    primal
    for primal in dict.fromkeys(primals("rulesets/"))
    if primal not in IN_DOUBLE_PRECISION | BY_QUADRATURE | FURTHER_FAMILIES
]


BODIES = [p for p in OTHERS if any(rule.body is not None for rule in default_rules.rules(p))]
# What a rule has to promise beside its numbers, a body leaves to the functions of which it is a
# program.
NUMBERS = Settings(layouts=False, dtypes=False, batching=False, second_order="off")


@parametrize_rules(*[primal for primal in OTHERS if primal not in {*BODIES}])
def test_rules(case):
    case.run()


@pytest.mark.one_in(6)
@parametrize_rules(*BODIES, settings=NUMBERS)
def test_numbers_of_bodies(case):
    case.run()


@pytest.mark.one_in(12)
@parametrize_rules(*BODIES)
def test_bodies(case):
    case.run()


@pytest.mark.one_in(2)
@parametrize_rules(
    *sorted(IN_DOUBLE_PRECISION, key=qualified_name), settings=Settings(dtypes=False)
)
def test_rules_in_double_precision(case):
    case.run()


@pytest.mark.long
@parametrize_rules(*sorted(BY_QUADRATURE | FURTHER_FAMILIES, key=qualified_name))
def test_other_rules(case):
    case.run()
