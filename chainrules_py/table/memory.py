"""Remember what a table has found out from its rules, until a rule arrives."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chainrules_py.calls.callform import CallForm
from chainrules_py.rules.rule import Rule
from chainrules_py.table.matching import Methods


@dataclass(slots=True)
class Memory:
    """Answers that hold until a rule, an alias or an array library arrives.

    A thread that computes an answer takes the memory first, and the rules after it: if rules arrive
    in between, it stores what may be outdated into the old memory, where nobody looks any more.
    """

    bound_functions: dict[Any, Callable[..., Any] | None] = field(default_factory=dict)
    """By mode, primal, types, needs, config and classes of tangents that outrank the types: the
    function that differentiates, or None where there is no rule."""
    methods: dict[Any, Methods] = field(default_factory=dict)
    """By mode and primal: the rules, of which a call has one."""
    chosen_rules: dict[Any, Rule | None] = field(default_factory=dict)
    """By mode, primal, types and class of config: the most specific rule, or None."""
    canonical_forms: dict[Any, CallForm] = field(default_factory=dict)
    """By primal, number of arguments and names of options: the form of calls whose arguments stay
    where they are."""
    rrule_shortcuts: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    """By primal and types: what `rrule` calls for a call without options."""
    frule_shortcuts: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    """By primal, types and types of the tangents: what `frule` calls for a call without options."""
    asked: set[int] = field(default_factory=set)
    """The hashes of the primals whose rules were looked at; what these hold may go."""
    of_engines: defaultdict[Any, dict[Any, Any]] = field(default_factory=partial(defaultdict, dict))
    """By engine: a dictionary for what it remembers of its own."""
