"""Wrong rules of what is defined by an equation are noticed: by each argument, in both modes, as
the mutation gate has it.

The gate runs rules without an engine. These ask an engine to differentiate functions that they were
given, so that here the tape runs them, with a changed rule in a table of its own, on programs in
which one argument depends on the parameter.
"""

import numpy as np
import pytest

from chainrules_py import RuleConfig, RuleTable, default_rules
from chainrules_py.rules.rule import with_defaults
from chainrules_py.testing.mutation import Mutant
from chainrules_py.values.identity import qualified_name
from chainrules_tape import grad, jvp
from chainrules_tape.core.config import TapeConfig
from product.solving import OF_EACH, P

PLACES = ("scipy/optimize", "scipy/integrate", "functions/implicit.py", "formulas/programs.py")


def derivatives(program, rules):
    """The derivative of a program in each mode, by the rules of a table."""
    yield "reverse", lambda: grad(program, rules=rules)(P)
    yield "forward", lambda: jvp(program, (P,), (1.0,), rules=rules)[1]


def with_mutants(primal, argument, change, mode):
    """A table in which each rule of a primal has the derivative by one argument changed."""
    table = RuleTable(parent=default_rules)
    for rule in default_rules.rules(primal):
        if rule.mode == mode and rule.config is not RuleConfig:
            config = {"config": TapeConfig(default_rules)} if "config" in rule.wants else {}
            right = rule.replaced(
                function=with_defaults(rule.function, config),
                wants=rule.wants - config.keys(),
            )
            table.add(Mutant(right, argument, change).mutated())
    return table


def test_every_such_primal_has_a_program():
    default_rules.load_all()
    known = {
        rule.primal
        for rule in default_rules.rules()
        if rule.config is not RuleConfig
        and rule.where
        and any(place in rule.where for place in PLACES)
    }
    assert {qualified_name(primal) for primal in known} == {
        qualified_name(primal) for primal, _, _ in OF_EACH
    }


# integrals of integrals take long
CASES = [
    pytest.param(
        *case,
        id=f"{case[0].__name__}-{case[1]}-{k}",
        marks=[pytest.mark.slow] if case[0].__name__ == "nquad" else [],
    )
    for k, case in enumerate(OF_EACH)
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("primal", "argument", "program"), CASES)
def test_no_mutant_survives(primal, argument, program):
    difference = (program(P + 1e-4) - program(P - 1e-4)) / 2e-4
    for mode, right in derivatives(program, default_rules):
        assert np.isclose(right(), difference, rtol=2e-5, atol=1e-7), mode
        for change in ("scaled", "negated"):
            wrong = dict(derivatives(program, with_mutants(primal, argument, change, mode)))[mode]
            assert not np.isclose(wrong(), difference, rtol=1e-2, atol=1e-3), (mode, change)
