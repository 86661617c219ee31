"""An engine that knows nothing but the table of rules."""

from chainrules_py import HasForwardsMode, HasReverseMode, default_rules


class TableEngine(HasReverseMode, HasForwardsMode):
    """Differentiates a function that is itself a primal."""

    def rrule_via_ad(self, function, *args, **options):
        return default_rules.rrule(function, *args, **options)

    def frule_via_ad(self, dots, function, *args, **options):
        return default_rules.frule(dots, function, *args, **options)
