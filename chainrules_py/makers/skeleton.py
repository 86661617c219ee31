"""The skeleton of all makers: what is declared of a function becomes two rules, one for each mode.

A maker says what the two have in common (a `Rule` that has no function yet: classes, options,
place), and how each is bound to one pattern of classes and needs. The rest is here, once: rules are
named after their primal, errors find the place of the declaration, a listing has something to show
before any pattern is bound, and a pattern is bound once for all tables and engines. A maker calls
`RuleTable.declare` itself, so that warnings are shown where the maker was called.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules_py.batching.words import Elementwise, batching_rule
from chainrules_py.makers.writing import stem
from chainrules_py.rules.rule import ENTRY_POINTS, MODES, Mode, Rule, Specialise
from chainrules_py.values.identity import qualified_name


def both_rules(
    described: Rule, reverse: Specialise, forward: Specialise, elementwise: bool = False
) -> Iterator[Rule]:
    """Make the rules of both modes from what they share and the two functions that bind them.

    An elementwise function has a rule for batching, too; ufuncs without a signature always are.
    """
    primal = described.primal
    if elementwise or (isinstance(primal, np.ufunc) and primal.signature is None):
        word = Elementwise(takes_arrays=takes_arrays(primal))
        yield batching_rule(primal, word, described.where)
    for mode, bind in zip(MODES, (reverse, forward), strict=True):
        yield described.replaced(
            mode=mode,
            function=_placeholder(described, mode),
            specialise=_binding(described, mode, bind),
        )


def takes_arrays(primal) -> bool:
    """Whether a function of numbers certainly takes arrays as well, as NumPy's, SciPy's and ours do."""
    known = ("numpy.", "scipy.", "chainrules_py.")
    of_numbers = float in getattr(primal, "__annotations__", {}).values()
    is_known = qualified_name(primal).startswith(known) and not of_numbers
    return isinstance(primal, np.ufunc) or is_known


def _binding(described: Rule, mode: Mode, bind: Specialise) -> Specialise:
    known: dict[Any, Callable[..., Any]] = {}

    def bind_and_name(*pattern):
        if pattern not in known:
            known.setdefault(pattern, _named(bind(*pattern), described, mode))
        return known[pattern]

    return bind_and_name


def _placeholder(described: Rule, mode: Mode) -> Callable[..., Any]:
    def refuse_call(*args):
        raise TypeError(
            "a declared rule is called through resolve, which binds it to the classes of a call"
        )

    return _named(refuse_call, described, mode)


def _named(function: Callable[..., Any], described: Rule, mode: Mode) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = f"{stem(described.primal)}_{ENTRY_POINTS[mode]}"
    function.__rule_location__ = described.where  # type: ignore[attr-defined]
    return function
