"""Which rule this engine uses for a call, in each mode, and whether it had to derive one mode from
the other.
"""

import os
from collections import Counter
from types import CodeType, FrameType
from typing import Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.introspection import calls_noted, module_name
from chainrules_py.rules.explanation import Explanation
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.python_numbers import ufunc_of
from chainrules_tape.core.config import TapeConfig, engine_of
from chainrules_tape.core.following import what_is_seen, written_function
from chainrules_tape.core.levels import SlowDispatchOnly
from chainrules_tape.core.tape import Tape
from chainrules_tape.core.tracebacks import without_own_frames
from chainrules_tape.core.tracing import trace
from chainrules_tape.refusals.code_owners import is_own, is_users
from chainrules_tape.refusals.instrumented_packages import is_exchanged


class Description(str):
    """A text that prints as it is, as explanations do."""

    __repr__ = str.__str__


def explain(
    primal: Any, *args: Any, rules: RuleTable = default_rules, **options: Any
) -> Explanation | Description:
    """Which rules differentiate ``primal(*args)`` here, and where they are written.

    A function without a rule runs: its explanation says which of its calls went by a rule, by a body
    (a program of other functions), by their own source, or with plain values alone. For a compiled
    function: which programs it has, what they check, and why calls run on the tape.

    >>> print(explain(np.sin, np.ones(2)))  # doctest: +ELLIPSIS
    numpy.sin(ndarray)
      rrule: sin_rrule...
    """
    if hasattr(type(primal), "__chainrules_compiled__"):
        return Description(primal.explain())
    found = rules.explain(primal, *args, config=TapeConfig(rules), **options)
    if found.candidates or not args or written_function(primal) is None:
        return found
    try:
        ways = ways_of_calls(primal, args, rules)
    except Exception:  # whatever the function raises: its derivative says it
        ways = ()
    return found.replaced(seen=tuple(what_is_seen(primal)), ways=ways)


def ways_of_calls(function: Function, args: Args, rules: RuleTable) -> tuple[str, ...]:
    """Which calls of a function go by a rule, by a body, by their own source, and plainly."""
    traced_by_name(function, *args, rules=rules)  # what it needs is seen through from here on
    with calls_noted() as calls:
        tape = traced_by_name(function, *args, rules=rules)
    own = written_function(function).__code__
    asked = [(*call, is_code_of_program(call[0])) for call in calls]
    sources = [
        f"{called.co_qualname} ({os.path.basename(called.co_filename)}:{called.co_firstlineno})"
        for _, module, called, is_asked in asked
        if isinstance(called, CodeType) and called.co_name[0] != "<" and not is_own(module)
        if is_users(module) or (is_asked and module.partition(".")[0] != "numpy")
        if (called.co_qualname, called.co_firstlineno) != (own.co_qualname, own.co_firstlineno)
    ]
    plain = [
        qualified_name(called)
        for _, module, called, is_asked in asked
        if is_asked and not isinstance(called, CodeType) and module != "None"
    ]
    ways = {
        "a rule": map(qualified_name, map(ufunc_of, tape.rules)),
        "a body": map(qualified_name, tape.bodies),
        "their own source": sources,
        "plain values alone": plain,
    }
    counted = {way: Counter(names) for way, names in ways.items()}
    return tuple([f"by {way}: {in_words(names)}" for way, names in counted.items() if names])


@without_own_frames
def traced_by_name(function: Function, *args, rules: RuleTable) -> "NamingTape":
    """The tape of a call, which knows what has run."""
    tape = NamingTape(engine_of(rules))
    trace(tape, function, args, {}, keep=False)
    return tape


class NamingTape(Tape):
    """A tape that notes which functions go by a rule, and which by a body."""

    __slots__ = ("bodies", "depth", "rules")

    def __init__(self, engine) -> None:
        super().__init__(engine)
        self.stages = SlowDispatchOnly()
        self.depth = 0
        self.rules: list[Any] = []
        self.bodies: list[Any] = []

    def stage(self, primal, plan, values: Args, options: Options) -> Any:
        """Run a rule, and note its function."""
        if not self.depth:  # not of a part of a body
            self.rules.append(primal)
        return super().stage(primal, plan, values, options)

    def run_body(self, primal, body: Function, args: Args, options: Options) -> Any:
        """Run the program that a function is, and note the function."""
        if not self.depth:
            self.bodies.append(primal)
        self.depth += 1
        try:
            return super().run_body(primal, body, args, options)
        finally:
            self.depth -= 1


def is_code_of_program(frame: FrameType) -> bool:
    """Whether a frame runs code of the user's, or of a package that is seen through."""
    return is_users(module_name(frame)) or is_exchanged(frame.f_code)


def in_words(names: Counter[str]) -> str:
    """Names, each with how often it occurs."""
    return ", ".join([f"{name} ({k} times)" if k > 1 else name for name, k in names.items()])
