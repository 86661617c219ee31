"""`axes_rule` says in one word what functions do with axes, and gives them a rule for batching.

    axes_rule(np.sum, np.prod, kind="reduces")

The words are listed in `batching.words`. Elementwise functions need none: `scalar_rule` gives them a rule
for batching as well, and so does every maker that is given a ufunc.
"""

from dataclasses import fields
from functools import partial
from typing import Any

from chainrules_py.batching.along_axes import Mixes, Moves, Reduces
from chainrules_py.batching.cores import Stacked
from chainrules_py.batching.words import Axes, Elementwise, Fact, batching_rule
from chainrules_py.calls.decorator_misuse import require_primals
from chainrules_py.errors import RegistrationError
from chainrules_py.introspection import caller_location
from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import RuleTable, default_rules

WORDS: dict[str, Any] = {
    word.kind: word for word in (Elementwise, Fact, Moves, Reduces, Mixes, Stacked)
}


def axes_rule(*primals: Any, kind: str, table: RuleTable = default_rules, **facts: Any) -> None:
    """Give functions the rule for batching that follows from what they do with axes.

    >>> import numpy as np
    >>> from chainrules_py import batched
    >>> def total(x, axis=None):
    ...     return np.sum(x, axis=axis)
    >>> axes_rule(total, kind="reduces")
    >>> batched(total, (True,), np.ones((2, 3, 4)), axis=0)
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """
    require_primals("axes_rule", primals)
    where = caller_location(1)
    if kind not in WORDS:
        got, instead = f"kind={kind!r}", f"write one of {', '.join(map(repr, WORDS))}"
        raise RegistrationError(f"axes_rule at {where}", got, instead, primal=primals[0], rule=None)
    known = [field.name for field in fields(WORDS[kind])]
    for name in facts:
        if name not in known:
            got, instead = f"{name}= with kind={kind!r}", f"its facts are {', '.join(known)}"
            where = f"axes_rule at {where}"
            raise RegistrationError(where, got, instead, primal=primals[0], rule=None)
    word = WORDS[kind](**facts)
    for primal in primals:
        table.declare(primal, partial(_rules, primal, word, where), ("batching",))


def _rules(primal: Any, word: Axes, where: str) -> tuple[Rule]:
    return (batching_rule(primal, word, where),)
