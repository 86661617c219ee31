"""One shared table of derivative rules for Python: `rrule` and `frule` for any array library."""

from typing import TYPE_CHECKING

from chainrules_py.introspection import collections_paused

# The garbage collector would look through all that is imported here, of which nothing is garbage.
with collections_paused(all_stay=True):
    from chainrules_py.accumulation import accumulate as accumulate, accumulated as accumulated
    from chainrules_py.batching.lanes import Same as Same
    from chainrules_py.checks.contract import debug_mode as debug_mode
    from chainrules_py.errors import (
        AmbiguousRuleError as AmbiguousRuleError,
        BatchingError as BatchingError,
        ChainRulesError as ChainRulesError,
        ClosureError as ClosureError,
        ExpressionError as ExpressionError,
        HiddenRuleWarning as HiddenRuleWarning,
        NoRuleError as NoRuleError,
        NotDifferentiableError as NotDifferentiableError,
        NotImplementedTangentError as NotImplementedTangentError,
        OptionError as OptionError,
        OutdatedRuleWarning as OutdatedRuleWarning,
        OverwrittenError as OverwrittenError,
        PackError as PackError,
        ProjectionError as ProjectionError,
        RegistrationError as RegistrationError,
        RuleContractError as RuleContractError,
        RuleRedefinitionWarning as RuleRedefinitionWarning,
        SeedError as SeedError,
        TangentTypeError as TangentTypeError,
    )
    from chainrules_py.ignoring import ignore_derivatives as ignore_derivatives
    from chainrules_py.makers import (
        axes_rule as axes_rule,
        linear_rule as linear_rule,
        non_differentiable as non_differentiable,
        primitive as primitive,
        scalar_rule as scalar_rule,
    )
    from chainrules_py.projection import ProjectTo as ProjectTo, Space as Space
    from chainrules_py.rules.config import (
        HandlesOverwriting as HandlesOverwriting,
        HasBatching as HasBatching,
        HasForwardsMode as HasForwardsMode,
        HasReverseMode as HasReverseMode,
        NoForwardsMode as NoForwardsMode,
        NoReverseMode as NoReverseMode,
        RuleConfig as RuleConfig,
        frule_via_ad as frule_via_ad,
        rrule_via_ad as rrule_via_ad,
    )
    from chainrules_py.table.registry import (
        RuleTable as RuleTable,
        default_rules as default_rules,
        of_table_in_force,
        rules_of as rules_of,
    )
    from chainrules_py.tangents import (
        NO_TANGENT as NO_TANGENT,
        ZERO as ZERO,
        AbstractTangent as AbstractTangent,
        AbstractZero as AbstractZero,
        InplaceableThunk as InplaceableThunk,
        NoTangent as NoTangent,
        NotImplementedTangent as NotImplementedTangent,
        Tangent as Tangent,
        Thunk as Thunk,
        ZeroTangent as ZeroTangent,
        is_zero as is_zero,
        materialize as materialize,
        not_implemented as not_implemented,
        unthunk as unthunk,
        zero_tangent as zero_tangent,
    )
    from chainrules_py.values.arrays import (
        Array as Array,
        ArrayLibrary as ArrayLibrary,
        ComplexScalar as ComplexScalar,
        Integer as Integer,
        RealScalar as RealScalar,
        Scalar as Scalar,
        register_library as register_library,
    )
    from chainrules_py.values.late_names import by_first_use
    from chainrules_py.version import __version__ as __version__

rrule = default_rules.rrule
frule = default_rules.frule
batched = default_rules.batched
resolve = of_table_in_force(default_rules.resolve)
derivatives_given_output = of_table_in_force(default_rules.derivatives_given_output)
explain = of_table_in_force(default_rules.explain)

if TYPE_CHECKING:
    from chainrules_py.makers import (
        LinearMap as LinearMap,
        composed as composed,
        implicit_function as implicit_function,
        linearised_rule as linearised_rule,
    )

# Imported by their first use, by module.
_LATE = {
    "LinearMap": ".makers.linear_maps",
    "composed": ".makers.composition",
    "implicit_function": ".makers.implicit",
    "linearised_rule": ".makers.linearised",
}
_FORMER = {
    "HasForwardMode": "HasForwardsMode",
    "NoForwardMode": "NoForwardsMode",
    "partials": of_table_in_force(default_rules.partials),
}
__getattr__, __dir__ = by_first_use(
    __name__, _LATE, ("engines", "errors", "makers", "testing"), former=_FORMER
)
