"""`axes_rule` says in one word what functions do with axes, and gives them a rule for batching.

    axes_rule(np.sum, np.prod, kind="reduces")

The words are listed in `batching.words`. Elementwise functions need none: `scalar_rule` gives them a rule
for batching as well, and so does every maker that is given a ufunc.
"""

from functools import partial
from importlib import import_module
from typing import Any

from chainrules_py.batching.words import Axes, batching_rule
from chainrules_py.calls.decorator_misuse import require_primals
from chainrules_py.errors import RegistrationError
from chainrules_py.introspection import caller_location
from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import RuleTable, default_rules

# The module of `batching` that has the word, which is imported with the first function of its kind.
WORDS = {
    "elementwise": "words",
    "fact": "words",
    "moves": "along_axes",
    "reduces": "along_axes",
    "mixes": "along_axes",
    "stacked": "cores",
}


def axes_rule(*primals: Any, kind: str, table: RuleTable = default_rules, **facts: Any) -> None:
    """Give functions the rule for batching that follows from what they do with axes.

    The kinds, and their facts, as `chainrules_py.batching` declares them:

    - ``elementwise``: entries are computed of those at their place; operands broadcast.
      `takes_arrays`: also where others have numbers; `arguments`.
    - ``reduces``, ``mixes``, ``moves``: entries are computed of all those along axes that vanish,
      along axes that stay, or are entries of the argument. `axes`: the options that name them;
      `default`: what they are if left out; `flat`: None is the axis of the flat array; `in_result`:
      axes are counted in the result; `beside`: options with arrays that broadcast.
    - ``stacked``: entries are computed of a vector or a matrix, before which is a stack. `core`:
      the axes of each argument's; `result`: those of the result.
    - ``fact``: entries depend on shapes and dtypes alone. `ordered`: on the order in memory, too;
      `arguments`.

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
    word_class = getattr(import_module(f"chainrules_py.batching.{WORDS[kind]}"), kind.capitalize())
    known = word_class.field_names
    for name in facts:
        if name not in known:
            got, instead = f"{name}= with kind={kind!r}", f"its facts are {', '.join(known)}"
            where = f"axes_rule at {where}"
            raise RegistrationError(where, got, instead, primal=primals[0], rule=None)
    word: Axes = word_class(**facts)
    for primal in primals:
        table.declare(primal, partial(_batching_rules, primal, word, where), ("batching",))


def _batching_rules(primal, word: Axes, where: str) -> tuple[Rule]:
    return (batching_rule(primal, word, where),)
