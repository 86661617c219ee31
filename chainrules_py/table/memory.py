"""Remember what a table has found out from its rules, until a rule arrives."""

from abc import get_cache_token
from collections import defaultdict
from typing import Any
from weakref import WeakKeyDictionary

from chainrules_py.annotations import Function
from chainrules_py.calls.callform import CallForm
from chainrules_py.rules.rule import Rule


class Memory:
    """Answers that hold until a rule, an alias or an array library arrives.

    A thread that computes an answer takes the memory first, and the rules after it: if rules arrive
    in between, it stores what may be outdated into the old memory, where nobody looks any more.
    """

    __slots__ = (
        *("asked", "bound_functions", "canonical_forms", "chosen_rules", "frule_shortcuts"),
        *("classes", "functions_with_rules", "of_engines", "rrule_shortcuts"),
        "__weakref__",
    )

    def __init__(self) -> None:
        # Changes when a class joins an abstract one, which may have rules.
        self.classes = get_cache_token()
        # By mode, primal, types, needs, config and classes of tangents that outrank the types: the
        # function that differentiates, or None where there is no rule.
        self.bound_functions: dict[Any, Function | None] = {}
        # By mode, primal, types and class of config: the most specific rule, or None.
        self.chosen_rules: dict[Any, Rule | None] = {}
        # By primal, number of arguments and names of options: the form of calls whose arguments
        # stay where they are.
        self.canonical_forms: dict[Any, CallForm] = {}
        # By primal and types: what `rrule` calls for a call without options.
        self.rrule_shortcuts: dict[Any, Function] = {}
        # By primal, types and types of the tangents: what `frule` calls for a call without options.
        self.frule_shortcuts: dict[Any, Function] = {}
        # The hashes of the primals whose rules were looked at, for many examples or not; what these
        # hold may go.
        self.asked: set[int] = set()
        # By engine: a dictionary for what it remembers of its own.
        self.of_engines: defaultdict[Any, dict[Any, Any]] = defaultdict(dict)
        # By function: whether it has rules.
        self.functions_with_rules: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
