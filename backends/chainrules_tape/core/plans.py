"""Plans: which function differentiates which call, by one rule table.

Everything here is looked up once per call signature. The engine is cached by the rule table, which
drops all that it has cached whenever a rule or an array library arrives: nothing here is stale.
"""

import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.checks.guards import is_proven
from chainrules_py.engines.call_plans import Stage
from chainrules_py.errors import NoRuleError
from chainrules_py.rules.config import RuleConfig
from chainrules_py.rules.rule import Mode, Rule
from chainrules_py.table.registry import RuleTable
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.identity import belongs_to_package
from chainrules_tape.core.given_numbers import (
    NUMPYS,
    given_numpys_numbers,
    makes_numpys_numbers,
)
from chainrules_tape.core.tape_form import plain_where_it_can_be, tape_form
from chainrules_tape.overwriting.constants import kept_positions, owning_stage
from chainrules_tape.overwriting.marks import Latest, Watch
from chainrules_tape.refusals.bypassed_rules import bypassed_functions
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.subclasses import COMMON, becomes_array, refuse_other_classes

KINKED = frozenset({np.sqrt, np.power, np.absolute, np.hypot, np.linalg.norm})
SOLVING = ("scipy", "chainrules_py")  # packages of functions with tuples of further arguments
TAKE_LISTS = ("numpy", "scipy")  # packages whose functions take lists for arrays

# By mode: changes what runs a primal on values of some classes so that results which are arrays of
# another library say which of them would be views in NumPy. `in_place` fills this.
laying_out: dict[str, Callable[[Any, tuple[type, ...], Function], Any]] = {}
# By mode: the same for lengths, of values that are differentiated once more. `kinks` fills this.
limits: dict[str, Callable[[Any, Function, "Engine"], Any]] = {}


class Plan:
    """How one call signature is differentiated in one mode: `run` is the rule's function, `stage`
    its form for tapes.

    The program may overwrite a constant after the call: what `stage` keeps is not changed by that
    (see `overwriting`). `by_reference` is the form for tapes that keeps its arguments themselves.
    """

    __slots__ = (
        "accepted",
        "by_reference",
        "differentiable",
        "kept_arguments",
        "latest",
        "rule",
        "run",
        "stage",
        "watch",
    )

    def __init__(
        self,
        rule: Rule,
        run: Function,
        stage: Stage,
        types: tuple[type, ...],
        needs: tuple[bool, ...],
    ) -> None:
        self.rule, self.run, self.by_reference = rule, run, stage
        self.differentiable = rule.differentiable
        self.accepted: set[tuple[str, ...]] = set()  # option names that were checked
        self.kept_arguments = kept_positions(stage, len(types))
        self.latest, self.watch = Latest(rule), Watch(rule)
        self.stage = stage
        if rule.mode == "reverse" and rule.differentiable:
            self.stage = owning_stage(rule, stage, types, needs)


class Engine:
    """A rule table as this engine uses it, in debug mode or not; `config` is for rules that ask the
    engine to differentiate.
    """

    def __init__(self, table: RuleTable, debug: bool, config: RuleConfig) -> None:
        self.table, self.debug, self.config = table, debug, config
        self.plans: dict[Any, Plan] = {}
        self.listless: dict[Any, bool] = {}  # whether a call with lists has no rule
        self.overwriting: dict[Any, int | None] = {}  # which argument a function writes into
        self.bodies: dict[Any, bool] = {}  # whether a function is a program of others
        # what operators and functions look up on a tape: see `arrays.fast_dispatch`
        self.stages: dict[Any, Any] = {}
        self.runs: dict[Any, Any] = {}  # and in forward mode
        # in forward mode where another library than that of the values computes the tangents
        self.runs_of_library: dict[str, dict[Any, Any]] = {}
        # by the classes of arguments and tangents: those of tangents of such a library, and its runs
        self.runs_of_classes: dict[Any, tuple[tuple[type, ...], dict[Any, Any]]] = {}
        self.in_lanes: dict[Any, Any] = {}  # and on many examples at once
        found = bypassed_functions(table)  # nearly always none
        self.bypassed = WeakSet(found) if found else found
        self.examined: dict[int, Any] = {}  # code in which these were looked for

    def plan(
        self,
        mode: Mode,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...],
        tangents: tuple[type, ...] = (),
    ) -> Plan:
        """Return the plan for a call in canonical form; NoRuleError where the table has no rule in
        either mode.

        `tangents` are the classes of tangents whose library is to compute a forward rule, in the
        place of that of the values.
        """
        key = (mode, primal, types, needs, *tangents)
        try:
            return self.plans[key]
        except KeyError:
            return self.plans.setdefault(key, self._plan(mode, primal, types, needs, tangents))

    def batched(
        self, primal, types: tuple[type, ...], lanes: tuple[Any, ...], one: Any = None
    ) -> Any:
        """Return what computes a call for all lanes; `one` is how it is called for one of them."""
        if not COMMON.issuperset(types):
            refuse_other_classes(primal, types)
        return self.table.in_lanes(primal, types, lanes, one)

    def has_body(self, primal) -> bool:
        """Whether some rule of a function was made from a program of other functions.

        In debug mode those of other people are run by their rules, which check their values.
        """
        found = self.bodies.get(primal)
        if found is None:
            bodies = [rule for rule in self.table.rules(primal) if rule.body is not None]
            found = any(not self.debug or is_proven(rule) for rule in bodies)
            self.bodies[primal] = found
        return found

    def overwritten(self, primal) -> int | None:
        """Return the position of the argument that a function writes into, by its rules; None for
        all others.
        """
        if primal not in self.overwriting:
            positions = [rule.overwrites for rule in self.table.rules(primal)]
            found = [position for position in positions if position is not None]
            self.overwriting[primal] = found[0] if found else None
        return self.overwriting[primal]

    def wants_arrays(
        self, mode: Mode, primal, types: tuple[type, ...], needs: tuple[bool, ...]
    ) -> bool:
        """Whether some arguments have to become arrays first: tensors, and lists where the table
        has rules for arrays only.
        """
        if list not in types and tuple not in types:
            constants = [cls for cls, need in zip(types, needs, strict=True) if not need]
            return any(map(becomes_array, constants))
        if not belongs_to_package(primal, TAKE_LISTS):
            return False
        key = (mode, primal, types, needs)
        try:
            return self.listless[key]
        except KeyError:
            return self.listless.setdefault(key, not self._has_plan(mode, primal, types, needs))

    def _has_plan(self, *key) -> bool:
        try:
            self.plan(*key)
        except NoRuleError:
            return False
        return True

    def _plan(
        self,
        mode: Mode,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...],
        tangents: tuple[type, ...],
    ) -> Plan:
        refuse_other_classes(primal, types)
        is_converted = makes_numpys_numbers(primal, types, needs)
        if is_converted:
            types = tuple([NUMPYS.get(cls, cls) for cls in types])
        rule, function = self.table.rule_and_function(
            mode, primal, types, needs, self.config, tangents, self.debug
        )
        library = library_of_types(types)
        if library.differentiated is not None and rule.overwrites is None:
            function = library.differentiated(function, rule, mode, primal, needs, self.table)
        elif holds_closure(types) or (tuple in types and belongs_to_package(primal, SOLVING)):
            function = by_captured(function, rule, mode, primal, needs, self.table)

        # What calls run in this mode, and what is put around it.
        run, is_on_tape = function, mode == "reverse"
        if is_on_tape:
            run = getattr(function, "stage", None) or tape_form(rule, function, len(types))
        elif not is_proven(rule) and (rule.overwrites is not None or not self.debug):
            run = plain_where_it_can_be(run)
        if primal in KINKED and any(map(is_traced, types)):
            run = limits[mode](primal, run, self)
        if is_converted:
            function, run = given_numpys_numbers(function), given_numpys_numbers(run)
        if rule.overwrites is None and mode in laying_out:
            run = laying_out[mode](primal, types, run)
        return Plan(rule, function if is_on_tape else run, run, types, needs)


def is_traced(cls: type) -> bool:
    """Whether values of a class are traced."""
    return issubclass(cls, TracedArray)


def holds_closure(types: tuple[type, ...]) -> bool:
    """Whether an argument is a `Closure`, whose module nobody imports for a first gradient."""
    known = sys.modules.get("chainrules_py.values.captured_values")
    return known is not None and known.Closure in types


def by_captured(run: Function, *of) -> Function:
    """The rule of a function of functions, by the library of recorded values that these capture."""
    from chainrules_py.values.captured_values import Closure

    def run_by_library(*args, **options) -> Any:
        captured = [arg.captured if type(arg) is Closure else arg for arg in args]
        parts = [x for part in captured if type(part) is tuple for x in part]
        library = library_of_types(map(type, parts))
        if library.stands_for is None or library.differentiated is None:
            return run(*args, **options)
        return library.differentiated(run, *of)(*args, **options)

    return run_by_library
