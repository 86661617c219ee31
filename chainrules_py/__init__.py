"""One shared table of derivative rules for Python: `rrule` and `frule` for any array library."""

from typing import TYPE_CHECKING

from chainrules_py.introspection import collections_paused

# The garbage collector would look through all that is imported here, of which nothing is garbage.
with collections_paused(all_stay=True):
    from chainrules_py.accumulation import accumulate as accumulate
    from chainrules_py.accumulation import accumulated as accumulated
    from chainrules_py.batching.lanes import Same as Same
    from chainrules_py.checks.contract import debug_mode as debug_mode
    from chainrules_py.errors import AmbiguousRuleError as AmbiguousRuleError
    from chainrules_py.errors import BatchingError as BatchingError
    from chainrules_py.errors import ChainRulesError as ChainRulesError
    from chainrules_py.errors import ClosureError as ClosureError
    from chainrules_py.errors import ExpressionError as ExpressionError
    from chainrules_py.errors import HiddenRuleWarning as HiddenRuleWarning
    from chainrules_py.errors import NoRuleError as NoRuleError
    from chainrules_py.errors import NotDifferentiableError as NotDifferentiableError
    from chainrules_py.errors import NotImplementedTangentError as NotImplementedTangentError
    from chainrules_py.errors import OptionError as OptionError
    from chainrules_py.errors import OutdatedRuleWarning as OutdatedRuleWarning
    from chainrules_py.errors import OverwrittenError as OverwrittenError
    from chainrules_py.errors import PackError as PackError
    from chainrules_py.errors import ProjectionError as ProjectionError
    from chainrules_py.errors import RegistrationError as RegistrationError
    from chainrules_py.errors import RuleContractError as RuleContractError
    from chainrules_py.errors import RuleRedefinitionWarning as RuleRedefinitionWarning
    from chainrules_py.errors import SeedError as SeedError
    from chainrules_py.errors import TangentTypeError as TangentTypeError
    from chainrules_py.ignoring import ignore_derivatives as ignore_derivatives
    from chainrules_py.makers import axes_rule as axes_rule
    from chainrules_py.makers import linear_rule as linear_rule
    from chainrules_py.makers import non_differentiable as non_differentiable
    from chainrules_py.makers import primitive as primitive
    from chainrules_py.makers import scalar_rule as scalar_rule
    from chainrules_py.projection import ProjectTo as ProjectTo
    from chainrules_py.projection import Space as Space
    from chainrules_py.rules.config import HandlesOverwriting as HandlesOverwriting
    from chainrules_py.rules.config import HasBatching as HasBatching
    from chainrules_py.rules.config import HasForwardMode as HasForwardMode
    from chainrules_py.rules.config import HasReverseMode as HasReverseMode
    from chainrules_py.rules.config import NoForwardMode as NoForwardMode
    from chainrules_py.rules.config import NoReverseMode as NoReverseMode
    from chainrules_py.rules.config import RuleConfig as RuleConfig
    from chainrules_py.rules.config import frule_via_ad as frule_via_ad
    from chainrules_py.rules.config import rrule_via_ad as rrule_via_ad
    from chainrules_py.table.registry import RuleTable as RuleTable
    from chainrules_py.table.registry import default_rules as default_rules
    from chainrules_py.table.registry import of_table_in_force
    from chainrules_py.table.registry import rules_of as rules_of
    from chainrules_py.tangents import NO_TANGENT as NO_TANGENT
    from chainrules_py.tangents import ZERO as ZERO
    from chainrules_py.tangents import AbstractTangent as AbstractTangent
    from chainrules_py.tangents import AbstractZero as AbstractZero
    from chainrules_py.tangents import InplaceableThunk as InplaceableThunk
    from chainrules_py.tangents import NoTangent as NoTangent
    from chainrules_py.tangents import NotImplementedTangent as NotImplementedTangent
    from chainrules_py.tangents import Tangent as Tangent
    from chainrules_py.tangents import Thunk as Thunk
    from chainrules_py.tangents import ZeroTangent as ZeroTangent
    from chainrules_py.tangents import is_zero as is_zero
    from chainrules_py.tangents import materialize as materialize
    from chainrules_py.tangents import not_implemented as not_implemented
    from chainrules_py.tangents import unthunk as unthunk
    from chainrules_py.tangents import zero_tangent as zero_tangent
    from chainrules_py.values.arrays import Array as Array
    from chainrules_py.values.arrays import ArrayLibrary as ArrayLibrary
    from chainrules_py.values.arrays import ComplexScalar as ComplexScalar
    from chainrules_py.values.arrays import Integer as Integer
    from chainrules_py.values.arrays import RealScalar as RealScalar
    from chainrules_py.values.arrays import Scalar as Scalar
    from chainrules_py.values.arrays import register_library as register_library
    from chainrules_py.values.late_names import by_first_use
    from chainrules_py.version import __version__ as __version__

rrule = default_rules.rrule
frule = default_rules.frule
batched = default_rules.batched
resolve = of_table_in_force(default_rules.resolve)
partials = of_table_in_force(default_rules.partials)
explain = of_table_in_force(default_rules.explain)

if TYPE_CHECKING:
    from chainrules_py.makers import LinearMap as LinearMap
    from chainrules_py.makers import composed as composed
    from chainrules_py.makers import implicit_function as implicit_function
    from chainrules_py.makers import linearised_rule as linearised_rule

# Imported by their first use, by module.
_LATE = {
    "LinearMap": ".makers.linear_maps",
    "composed": ".makers.composed",
    "implicit_function": ".makers.implicit",
    "linearised_rule": ".makers.linearised",
}
__getattr__, __dir__ = by_first_use(__name__, _LATE, ("engines", "errors", "makers", "testing"))
