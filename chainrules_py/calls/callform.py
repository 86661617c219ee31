"""Bring calls to one form: `np.sum(x, 0)`, `np.sum(x, axis=0)` and `np.sum(a=x, axis=0)` are one.

The canonical form has the arguments that rules dispatch on by position (as many as the longest rule
has), and every other parameter by keyword. Parameters passed with the very object that is their
default are left out: `where=True` and NumPy's "no value" then never reach a rule that does not know
them. The parameter names come from the primal's signature, read once per primal; a primal without
one is called as it was written. A call that leaves out arguments on which all of its rules dispatch
has their defaults there (`canonical`).
"""

import operator
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

from chainrules_py.annotations import Args, Options
from chainrules_py.errors import OptionError
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.records import Record
from chainrules_py.values.signatures import parameters_of

_AXES = (int, NoneType)
_INTEGERS = frozenset({int})


def plain_axis(axis) -> Any:
    """Return an axis, or several, as Python's integers, if it is something else that is an index.

    >>> import numpy as np
    >>> plain_axis(np.array(1)), plain_axis((np.int64(0), -1)), plain_axis("no axis")
    (1, (0, -1), 'no axis')
    """
    if isinstance(axis, tuple | list):
        return axis if _INTEGERS.issuperset(map(type, axis)) else tuple(map(plain_axis, axis))
    try:
        return operator.index(axis)
    except TypeError:
        return axis  # the primal says what it thinks of it


class CallForm(Record):
    """The parameters of a primal: `names` in positional order, `defaults` of all that have one."""

    primal: Any
    names: tuple[str, ...]
    defaults: dict[str, Any]
    known: bool = False

    @classmethod
    def of(cls, primal) -> "CallForm":
        """The call form of a primal, from its signature where it has one."""
        try:
            read = parameters_of(primal)
        except (TypeError, ValueError):
            return cls(primal, (), {})
        return cls(primal, read.positional, read.defaults, known=read.rest is None)

    def arrange(self, args: Args, options: Options, arity: int) -> tuple[Args, Options]:
        """The canonical form of a call, with `arity` arguments by position."""
        if self.known:
            args, options = self._by_keyword(args, options, arity)
            args, options = self._by_position(args, options, arity)
        return args, self.without_defaults(options)

    def is_canonical(self, args: Args, options: Options, arity: int) -> bool:
        """Whether every argument of such a call is where the canonical form has it."""
        return not self.known or (
            len(args) <= arity and not any(name in self.names[:arity] for name in options)
        )

    def without_defaults(self, options: Options) -> dict[str, Any]:
        """The options that are not at their defaults; an `axis` as Python's integers."""
        defaults = self.defaults
        given = options
        for name, value in options.items():
            if name in defaults and value is defaults[name]:
                given = {key: x for key, x in given.items() if key != name}
            elif name == "axis" and type(value) not in _AXES:
                axis = plain_axis(value)
                given = given if axis is value else {**given, name: axis}
        return given

    def _by_keyword(self, args: Args, options: Options, arity: int) -> tuple[Args, Options]:
        extra = dict(zip(self.names[arity:], args[arity:], strict=False))
        if len(args) > len(self.names) or extra.keys() & options.keys():
            raise OptionError(
                qualified_name(self.primal),
                f"got {len(args)} positional arguments and the options {sorted(options)}",
                f"its parameters are {', '.join(self.names)}: give each once",
                primal=self.primal,
                option=next(iter(extra.keys() & options.keys()), None),
                value=args,
            )
        return args[:arity], options | extra

    def _by_position(self, args: Args, options: Options, arity: int) -> tuple[Args, Options]:
        by_name = [
            i for i in range(len(args), min(arity, len(self.names))) if self.names[i] in options
        ]
        if not by_name:
            return args, options
        options = dict(options)
        moved = list(args)
        for name in self.names[len(args) : by_name[-1] + 1]:
            if name not in options and name not in self.defaults:
                return args, options  # a required argument is missing: let the primal say so
            moved.append(options.pop(name, self.defaults.get(name)))
        return tuple(moved), options


class Arrangement(Record):
    """How calls of one kind are brought to canonical form, for engines to remember.

    `defaults_after` gives the defaults with which a call of so many arguments goes on, for calls
    that `adapt` made, or whose options become arguments (`moves_options`).
    """

    primal: Any
    form: CallForm
    arity: int
    adapt: Callable[..., tuple[Args, Options]] | None
    defaults_after: Callable[[int], tuple[Any, ...]]
    moves_options: bool = False

    def arrange(self, args: Sequence[Any], options: Options) -> tuple[Any, dict[str, Any]]:
        """The arguments and options of the canonical call."""
        if self.adapt is not None:
            given, options = self.adapt(*args, **options)
            if len(given) == self.arity:
                return given, self.form.without_defaults(options)
        elif self.moves_options:
            given = tuple(args)
        else:
            arity, form = self.arity, self.form
            if len(args) > arity:
                extra = dict(zip(form.names[arity:], args[arity:], strict=False))
                options = options | extra if options else extra
                args = args[:arity]
            return args, form.without_defaults(options)
        given, options = self.form.arrange(given, options, self.arity)
        if len(given) < self.arity:
            given += self.defaults_after(len(given))
        return given, options
