"""Rules of functions that write into an argument, as those of a function that copies it first,
which the kit can check.
"""

import numpy as np

from chainrules_py import ZERO, HandlesOverwriting, RuleTable, default_rules, frule, rrule
from chainrules_py.testing import Settings, check_rule

KEEPS_TRACK = HandlesOverwriting()


def check_overwriting_rule(primal, a, places, values, **options):
    """Check both rules of ``primal(a, *places, values, **options)``, by the kit's oracle."""
    table = RuleTable(parent=default_rules)

    def copies_first(a, values):
        a = np.array(a)
        primal(a, *places, values, **options)
        return a

    @table.rrule.register(copies_first)
    def copies_first_rrule(a, values):
        y, pullback = rrule(
            primal, own := np.array(a), *places, values, config=KEEPS_TRACK, **options
        )
        assert y is own

        def copies_first_pullback(y_bar):
            bars = pullback(np.array(y_bar))
            return bars[0], bars[-1]

        return y, copies_first_pullback

    @table.frule.register(copies_first)
    def copies_first_frule(dots, a, values):
        own = ZERO if dots[0] is ZERO else np.array(dots[0])
        return frule(
            (own, *[ZERO] * len(places), dots[1]),
            primal,
            np.array(a),
            *places,
            values,
            config=KEEPS_TRACK,
            **options,
        )

    settings = Settings(rules=table, second_order="off", dtypes=False, layouts=False)
    check_rule(copies_first, a, values, settings=settings)
