"""An engine that differentiates by the table of rules alone."""

from chainrules_py import HasForwardsMode, HasReverseMode, default_rules
from chainrules_py.bodies.forward import Forward, jvp
from chainrules_py.bodies.reverse import Reverse, vjp


class TableEngine(HasReverseMode, HasForwardsMode):
    """Differentiates a primal by its rule, and another function as a body is."""

    def rrule_via_ad(self, function, *args, **options):
        if function in default_rules:
            return default_rules.rrule(function, *args, **options)
        return vjp(Reverse(default_rules), function, (True,) * len(args), args, options)

    def frule_via_ad(self, dots, function, *args, **options):
        if function in default_rules:
            return default_rules.frule(dots, function, *args, **options)
        return jvp(Forward(default_rules), function, dots, args, options)
