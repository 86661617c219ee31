"""`install`: our rules in autograd's own tables, for functions that autograd wraps without a rule.

autograd keeps the rules of the functions that it wraps in two dictionaries, one for each mode, and
those without derivative in a set. What `install` writes there it takes out again when it is undone.
Which rule a call has is looked up when it is made, so that rules which replace others count at
once; the table tells it when a function gets its first rule later.
"""

import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from types import ModuleType
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.core import primitive_jvps, primitive_vjps
from autograd.extend import JVPNode, VJPNode, register_notrace
from autograd.numpy.fft import truncate_pad
from autograd.numpy.numpy_boxes import ArrayBox
from autograd.tracer import notrace_primitives, trace_primitives_map

from chainrules_autograd.boxes import QUICK_ATTRIBUTES, Mine, attribute_of_number
from chainrules_autograd.functions import to_autograd
from chainrules_autograd.planned import (
    Vjp,
    forward,
    general_forward,
    general_reverse,
    reverse,
)
from chainrules_py import RuleTable, default_rules
from chainrules_py.engines import qualified_name


@dataclass
class Installation:
    """The functions that `install` gave autograd rules for, by name and mode, and those that it
    declared to be constant.
    """

    rules: RuleTable
    reverse: list[str] = field(default_factory=list)
    forward: list[str] = field(default_factory=list)
    constant: list[str] = field(default_factory=list)
    _steps_back: list[Callable[[], Any]] = field(default_factory=list, repr=False)

    def undo(self) -> None:
        """Leave autograd as it was before."""
        while self._steps_back:
            self._steps_back.pop()()

    def make_attributes_quick(self) -> None:
        """Let boxes answer for their shapes and dtypes without calling NumPy."""
        own = {name: property(attrgetter(f"_value.{name}")) for name in QUICK_ATTRIBUTES}
        for name, value in {**own, "__getattr__": attribute_of_number}.items():
            before = vars(ArrayBox).get(name)
            if before is None:
                self._steps_back.append(partial(delattr, ArrayBox, name))
            else:
                self._steps_back.append(partial(setattr, ArrayBox, name, before))
            setattr(ArrayBox, name, value)

    def add(self, primal: Any, replace: bool = False) -> None:
        """Give autograd the rules of a function that it wraps, in the modes in which it has none,
        or in both.
        """
        wrapped = trace_primitives_map.get(primal)
        constant = wrapped in notrace_primitives[VJPNode]
        if wrapped is None or (constant and not replace):
            return
        rules = list(self.rules.rules(primal))
        if any(rule.overwrites is not None for rule in rules):
            return  # a box cannot be written to
        if any(rule.differentiable for rule in rules):
            self._add_rules(primal, wrapped, replace)
        elif rules and wrapped not in primitive_vjps and not constant:
            self._add_constant(primal, wrapped)

    def _add_rules(self, primal: Any, wrapped: Any, replace: bool) -> None:
        if replace or (wrapped not in primitive_vjps and getattr(primal, "nout", 0) != 1):
            self._rename(primal, wrapped, replace)
        for node in (VJPNode, JVPNode):
            if wrapped in notrace_primitives[node]:
                notrace_primitives[node].discard(wrapped)
                self._steps_back.append(partial(register_notrace, node, wrapped))
        for table, maker, names in (
            (primitive_vjps, vjp_maker, self.reverse),
            (primitive_jvps, jvp_maker, self.forward),
        ):
            if replace or wrapped not in table:
                self._put(table, wrapped, partial(maker, primal, self.rules))
                names.append(qualified_name(primal))

    def _add_constant(self, primal: Any, wrapped: Any) -> None:
        for node in (VJPNode, JVPNode):
            register_notrace(node, wrapped)
            self._steps_back.append(partial(notrace_primitives[node].discard, wrapped))
        self.constant.append(qualified_name(primal))

    def _rename(self, primal: Any, wrapped: Any, replace: bool) -> None:
        """Let autograd's names of a function stand for one that sees boxes in containers and
        keywords, too.
        """
        function = to_autograd(primal, rules=self.rules)
        for module, name in _names_of(wrapped):
            self._put(vars(module), name, function)
        name = str(getattr(primal, "__name__", ""))
        # autograd's own version
        if replace and getattr(np, name, None) is primal and vars(anp).get(name) is not function:
            self._put(vars(sys.modules[anp.__name__]), name, function)

    def _put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        before = table.get(key)
        if before is None:
            self._steps_back.append(partial(table.pop, key, None))
        else:
            self._steps_back.append(partial(table.__setitem__, key, before))
        table[key] = value


def install(
    *,
    rules: RuleTable = default_rules,
    replace: Collection[Any] | bool = False,
    follow: bool = True,
) -> Installation:
    """Give autograd the rules that it lacks; what it has stays, except for the functions in
    `replace`, True meaning all.

    Functions that get their first rule later follow, unless `follow` is False. Call it before
    threads start, and `undo()` what it returns to take the rules out again. Calling it twice is no
    harm. What somebody else defines for one of these functions with `defvjp` belongs before it.

    >>> import autograd.numpy as anp
    >>> from autograd import grad
    >>> installed = install()
    >>> grad(anp.median)(np.array([3.0, 1.0, 2.0]))
    array([0., 0., 1.])
    >>> installed.undo()
    """
    installed = Installation(rules)
    for primal in [*trace_primitives_map]:
        installed.add(primal, replace if isinstance(replace, bool) else primal in replace)
    if truncate_pad not in primitive_jvps:
        installed._put(primitive_jvps, truncate_pad, jvp_of_truncate_pad)
    installed.make_attributes_quick()
    if follow:
        installed._steps_back.append(
            rules.on_new_rule(lambda rule: installed.add(rule.primal), replay=False)
        )
    return installed


def vjp_maker(primal, rules: RuleTable, mine: Mine, ans, args, options) -> Vjp:
    """Make the pullback of a call; autograd's table of reverse rules has this for a function."""
    found = reverse(primal, mine, ans, args, options, rules)
    return general_reverse(primal, mine, args, options, rules) if found is None else found[1]


def jvp_maker(primal, rules: RuleTable, mine: Mine, gs, ans, args, options):
    """Compute the tangent of a call; autograd's table of forward rules has this for a function."""
    found = forward(primal, mine, gs, ans, args, options, rules)
    return general_forward(primal, mine, gs, args, options, rules) if found is None else found[1]


def jvp_of_truncate_pad(mine: Mine, gs, ans, args, options):
    """The tangent of what autograd's reverse rules of `fft` call: it is linear, and lacks a forward
    rule, too.
    """
    return truncate_pad(gs[0], *args[1:], **options)


def _names_of(wrapped) -> Iterator[tuple[ModuleType, str]]:
    modules = sys.modules.copy()
    for module in [module for name, module in modules.items() if name.startswith("autograd.")]:
        for name, value in [*vars(module).items()]:
            if value is wrapped:
                yield module, name


# Rules that run on boxes call `x.astype(dtype)`, of which autograd has no forward rule.
primitive_jvps.setdefault(
    trace_primitives_map[np.astype], partial(jvp_maker, np.astype, default_rules)
)
