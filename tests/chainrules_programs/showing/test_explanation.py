"""An explanation names the rule of each mode, and the mode that the engine derives from the other."""

import numpy as np

from chainrules_tape import explain

X = np.array([0.5, -1.0, 2.0])


def test_the_rules_of_a_table(own_rules):
    assert "rrule: steeper_sin" in str(explain(np.sin, X, rules=own_rules))
    assert "steeper_sin" not in str(explain(np.sin, X))


def test_a_mode_without_a_rule_of_its_own_is_derived(own_rules):
    def cubed(x):
        return x**3

    own_rules.rrule.register(cubed)(lambda x: (x**3, lambda y_bar: (3 * x**2 * y_bar,)))
    text = str(explain(cubed, X, rules=own_rules))
    assert "frule: derived by linearity from rrule(" in text
    assert "reverse mode is derived" not in text
