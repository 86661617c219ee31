"""The skeleton of all makers: what is declared of a function becomes two rules, one for each mode.

A maker says what the two have in common (a `Rule` that has no function yet: classes, options,
place), and how each is bound to one pattern of classes and needs. The rest is here, once: rules are
named after their primal, errors find the place of the declaration, a listing has something to show
before any pattern is bound, and a pattern is bound once for all tables and engines. A maker calls
`RuleTable.declare` itself, so that warnings are shown where the maker was called.
"""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.batching.words import Elementwise, batching_rule
from chainrules_py.checks.contract import require_tangent
from chainrules_py.makers.writing import stem
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.rules.rule import ENTRY_POINTS, MODES, Mode, Rule, Specialise
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import hints_of


def both_rules(
    described: Rule,
    reverse: Specialise,
    forward: Specialise,
    elementwise: bool = False,
    constants: Collection[int] = (),
) -> Iterator[Rule]:
    """Make the rules of both modes from what they share and the two functions that bind them.

    An elementwise function has a rule for batching, too; ufuncs without a signature always are.
    `constants` are the places of arguments that are said to have no tangents.
    """
    primal = described.primal
    if elementwise or (isinstance(primal, np.ufunc) and primal.signature is None):
        word = Elementwise(takes_arrays=takes_arrays(primal))
        yield batching_rule(primal, word, described.where)
    for mode, bind in zip(MODES, (reverse, forward), strict=True):
        rule = described.replaced(mode=mode, function=_placeholder(described, mode))
        yield rule.replaced(specialise=_binding(rule, bind, constants))


def takes_arrays(primal) -> bool:
    """Whether a function of numbers certainly takes arrays as well, as NumPy's, SciPy's and ours do."""
    known = ("numpy.", "scipy.", "chainrules_py.")
    of_numbers = float in hints_of(primal).values()
    is_known = qualified_name(primal).startswith(known) and not of_numbers
    return isinstance(primal, np.ufunc) or is_known


def _binding(rule: Rule, bind: Specialise, constants: Collection[int]) -> Specialise:
    known: dict[Any, Function] = {}

    def bound(types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary):
        function, needed = bind(types, needs, library), [k for k in constants if needs[k]]
        return _refusing_tangents(rule, function, needed) if needed else function

    def bind_and_name(*pattern):
        if pattern not in known:
            known.setdefault(pattern, _named(bound(*pattern), rule, rule.mode))
        return known[pattern]

    return bind_and_name


def _refusing_tangents(rule: Rule, function: Function, constants: Collection[int]) -> Function:
    """Make a rule that raises where an argument has tangents that is said to have none."""
    first = int(rule.mode == "forward")  # after the tangents

    def checked(*given, **options) -> Any:
        for k in constants:
            space = admitting_space(given[first + k])
            require_tangent(rule, k, space, NO_TANGENT, asked=False)
        return function(*given, **options)

    return checked


def _placeholder(described: Rule, mode: Mode) -> Function:
    def refuse_call(*args):
        raise TypeError(
            "a declared rule is called through resolve, which binds it to the classes of a call"
        )

    named: Any = _named(refuse_call, described, mode)
    named.row_of = getattr(described.function, "row_of", None)  # where a row of a table is
    return named


def _named(function: Function, described: Rule, mode: Mode) -> Function:
    function.__name__ = function.__qualname__ = f"{stem(described.primal)}_{ENTRY_POINTS[mode]}"
    function.__rule_location__ = described.where  # type: ignore[attr-defined]
    return function
