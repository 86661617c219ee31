"""Calls as functions of a flat list of arrays, for engines that know no containers or options.

`FlatCall.of` takes a call apart into its array leaves and the rest, which does not change between
calls of one kind. Value, forward rule and reverse rule are then functions of the leaves. The leaves
may be replaced by other arrays: NumPy's where the engine calls a rule as one opaque operation, or
the engine's own traced ones.

>>> import numpy as np
>>> call, leaves = FlatCall.of(np.concatenate, ([np.ones(2), np.zeros(1)],), {"axis": 0}, lambda x: isinstance(x, np.ndarray))
>>> y, pull = call.rrule(leaves)
>>> y.leaves, pull([np.array([1.0, 2.0, 3.0])])
([array([1., 1., 0.])], [array([1., 2.]), array([3.])])
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.checks.contract import require_count
from chainrules_py.engines.call_memory import CallMemory, is_lasting, memory_of_table
from chainrules_py.errors import OptionError
from chainrules_py.rules.config import NO_CONFIG, RuleConfig
from chainrules_py.rules.rule import Mode, Rule
from chainrules_py.table.registry import RuleTable, default_rules, in_force
from chainrules_py.tangents import NO_TANGENT, ZERO, is_zero, unthunk, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.tangents.structural import classes_in
from chainrules_py.values.arrays import library_of_types, outranking
from chainrules_py.values.identity import made_of, qualified_name
from chainrules_py.values.structure import (
    declare_leaf,
    fields,
    is_container,
    leaves_of,
    mapped,
)

Leaves = Sequence[Any]
LARGEST_CONSTANT = 2**14  # bytes of an array that counts by its content


@dataclass(frozen=True)
class Leaf:
    """The position of an array leaf; `number` is the class of the Python number that stood there,
    if one did.
    """

    index: int
    number: type | None = None


declare_leaf(Leaf)


@dataclass(frozen=True)
class FlatValue:
    """A value as a list of its leaves, and the `tree` that they were taken from, a `Leaf` in the
    place of each.
    """

    leaves: list[Any]
    tree: Any

    @classmethod
    def of(
        cls, value: Any, is_leaf: Callable[[Any], bool] = lambda part: part is not None
    ) -> "FlatValue":
        """Take a value apart; what is neither a container nor a leaf stays in the tree."""
        leaves: list[Any] = []
        return cls(leaves, _without_leaves(value, is_leaf, leaves))

    def with_leaves(self, leaves: Leaves) -> Any:
        """Build the value with other leaves."""
        return _with_leaves(self.tree, leaves)

    def tangent(self, dots: Leaves) -> Any:
        """Build a tangent of the value from those of its leaves, ZERO among them."""
        return _tangent(self.tree, dots)

    def tangents(self, t: Any) -> list[Any]:
        """Return the tangents of the leaves, thunks computed; ZERO or NO_TANGENT where there is
        none.
        """
        found: list[Any] = [ZERO] * len(self.leaves)
        _spread(self.tree, t, found)
        return found


class Name(str):
    """A name that is written without quotes."""

    __repr__ = str.__str__


class FlatCall:
    """A call of a primal in canonical form, without its array leaves.

    Two calls of the same kind are equal.
    """

    def __init__(self, primal: Any, args: Args, options: Options, table: RuleTable) -> None:
        self.primal, self.args, self.options, self.table = primal, args, options, table

    @property
    def program(self) -> Any:
        """The whole program that is called; None where the call is none of a program."""
        first = next(iter(self.args), None)
        return first if hasattr(type(first), "is_whole_program") else None

    @property
    def function(self) -> Any:
        """The function that is called; of a whole program, the one that it is made of."""
        return self.primal if self.program is None else self.program.function

    @classmethod
    def of(
        cls,
        primal: Any,
        args: Args,
        options: Options,
        is_leaf: Callable[[Any], bool] = lambda x: hasattr(x, "dtype") and not isinstance(x, type),
        table: RuleTable = default_rules,
    ) -> tuple["FlatCall", list[Any]]:
        """Take a call apart: what it is, and its leaves, which are arrays of all libraries unless
        `is_leaf` says otherwise, and Python's floats and complex numbers among the arguments.
        Rules are those of the table, or of the table in force.
        """
        table = in_force(table)
        primal, args, options = table.canonical(primal, args, options)
        leaves: list[Any] = []

        def is_leaf_or_number(x: Any) -> bool:
            return isinstance(x, float | complex) or is_leaf(x)

        flat_args = tuple(_without_leaves(arg, is_leaf_or_number, leaves) for arg in args)
        flat_options = {
            name: _without_leaves(value, is_leaf, leaves) for name, value in options.items()
        }
        return cls(primal, flat_args, flat_options, table), leaves

    @cached_property
    def key(self) -> Hashable:
        """A key that equal calls share; arrays of constants count by content, other objects that
        cannot be hashed by identity.
        """
        return (self.primal, self.table, _key(self.args), _key(self.options))

    def memory(self, engine: Any) -> dict[Any, Any]:
        """Return what an engine remembers of such calls until a rule arrives, a dictionary.

        It holds this call. So that of a whole program ends with the program.
        """
        if self.program is not None:
            of_program: CallMemory = self.program.call_memory
            return of_program.of_engine(engine, self.table)
        return memory_of_table(engine, self.table, self._is_lasting)

    @cached_property
    def _is_lasting(self) -> bool:
        return all(map(_is_lasting, (*self.args, *self.options.values())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FlatCall) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def is_whole_program(self) -> bool:
        """Whether it is the call of a whole program, which has no rules."""
        return self.program is not None

    def __str__(self) -> str:
        return qualified_name(self.function)

    def __repr__(self) -> str:
        return self.written([f"%{k}" for k in range(len(self._all_leaves()))])

    def written(self, names: Sequence[str]) -> str:
        """Write the call as Python does, with names in the places of its leaves.

        >>> call, leaves = FlatCall.of(np.sum, (np.ones(3),), {"axis": 0})
        >>> call.written(["x"]), call
        ('numpy.sum(x, axis=0)', numpy.sum(%0, axis=0))
        """
        args, options = self.arguments([Name(name) for name in names])
        given = [*map(repr, args), *(f"{name}={value!r}" for name, value in options.items())]
        return f"{self}({', '.join(given)})"

    @cached_property
    def leaves_of_arguments(self) -> tuple[frozenset[int], ...]:
        """Return for each positional argument the indices of its leaves; those of options have no
        derivative.
        """
        return tuple(frozenset(leaf.index for leaf in _leaves_of(arg)) for arg in self.args)

    def _all_leaves(self) -> list[Leaf]:
        return _leaves_of([*self.args, *self.options.values()])

    @cached_property
    def numbers(self) -> tuple[type | None, ...]:
        """Return for each leaf the class of the Python number that stood there, None elsewhere."""
        found = {leaf.index: leaf.number for leaf in self._all_leaves()}
        return tuple(found[k] for k in range(len(found)))

    def value(self, leaves: Leaves) -> FlatValue:
        """Compute the value of the call, by the library of the leaves."""
        args, options = self.arguments(leaves)
        function = library_of_types(map(type, leaves)).implementation(self.primal)
        return FlatValue.of((made_of(function) or function)(*args, **options))

    def as_numbers(self, arrays: Leaves, mode: Mode, config: RuleConfig = NO_CONFIG) -> list[Any]:
        """Return leaves as the rule of a mode takes them: NumPy's 0-d arrays as Python's numbers,
        which are weak, where these stood, and as NumPy's where it has no rule for arrays.
        """
        pairs = zip(arrays, self.numbers, strict=True)
        weak = [number(x) if number and _is_numpys_number(x) else x for x, number in pairs]
        if self.rule(mode, weak, config) is not None:
            return weak
        return list(map(as_number, weak))

    def rule(self, mode: Mode, leaves: Leaves, config: RuleConfig = NO_CONFIG) -> Rule | None:
        """Return the rule for these leaves, None where there is none."""
        args, _ = self.arguments(leaves)
        return self.table.rule_for(mode, self.primal, tuple(map(type, args)), config)

    def has_derivative(
        self, leaves: Leaves, needed: Sequence[bool], config: RuleConfig = NO_CONFIG
    ) -> bool:
        """Whether the call is not known to be constant.

        It is where no leaf is needed, and where the function has no derivative; of a function with
        rules for other engines alone nothing is known.
        """
        rule = self.rule("reverse", leaves, config)
        if rule is None:
            return any(needed) or any(self.table.rules(self.primal))
        return rule.differentiable and any(needed)

    def frule(
        self, leaves: Leaves, dots: Leaves, config: RuleConfig = NO_CONFIG
    ) -> tuple[FlatValue, list[Any]]:
        """Return the value, and the tangents of its leaves, from one tangent, ZERO among them, for
        each leaf of the call.
        """
        args, options = self.arguments(leaves)
        needed = [not is_zero(dot) for dot in dots]
        args_dot = self.tangents_of_arguments(dots)
        _, run = self._found("forward", args, options, needed, config, tuple(classes_in(args_dot)))
        y, y_dot = run(args_dot, *args, **options)
        flat = FlatValue.of(y)
        return flat, flat.tangents(y_dot)

    def rrule(
        self, leaves: Leaves, needed: Sequence[bool] | None = None, config: RuleConfig = NO_CONFIG
    ) -> tuple[FlatValue, Callable[[Leaves], list[Any]]]:
        """Return the value, and the pullback from cotangents of its leaves, ZERO among them, to
        those of the leaves of the call.
        """
        args, options = self.arguments(leaves)
        needed = needed or [True] * len(leaves)
        rule, run = self._found("reverse", args, options, needed, config)
        y, pullback = run(*args, **options)
        flat = FlatValue.of(y)

        def pull_leaves(bars: Leaves) -> list[Any]:
            if all(map(is_zero, bars)):
                return [ZERO] * len(leaves)
            found = pullback(flat.tangent(bars))
            return self.tangents_of_leaves(require_count(rule, found, len(self.args)))

        return flat, pull_leaves

    def tangents_of_arguments(self, dots: Leaves) -> tuple[Any, ...]:
        """Return the tangents of the positional arguments from those of the leaves, ZERO among
        them.
        """
        return tuple(_tangent(tree, dots) for tree in self.args)

    def tangents_of_leaves(self, tangents: Leaves) -> list[Any]:
        """Return the tangents of the leaves from those of the positional arguments; ZERO where
        there is none.
        """
        found: list[Any] = [ZERO] * len(self._all_leaves())
        for tree, tangent in zip(self.args, tangents, strict=True):
            _spread(tree, tangent, found)
        return found

    def direct(
        self, mode: Mode, leaves: Leaves, needed: Sequence[bool], config: RuleConfig
    ) -> Function | None:
        """Return the rule as a function of the leaves, if these are the arguments in order; None
        otherwise.
        """
        positions = [tree.index if type(tree) is Leaf else None for tree in self.args]
        if self.options or positions != list(range(len(leaves))):
            return None
        if self.rule(mode, leaves, config) is None:
            return None
        rule, run = self._found(mode, leaves, {}, needed, config)
        return None if "config" in rule.wants else run

    def arguments(self, leaves: Leaves) -> tuple[Args, Options]:
        """Return the positional arguments and the options with these leaves in their places."""
        args = tuple([_with_leaves(tree, leaves) for tree in self.args])
        return args, {name: _with_leaves(tree, leaves) for name, tree in self.options.items()}

    def _found(
        self,
        mode: Mode,
        args: Sequence[Any],
        options: Options,
        needed: Sequence[bool],
        config: RuleConfig,
        tangents: tuple[type, ...] = (),
    ) -> tuple[Rule, Function]:
        """Return the rule of a call with these arguments and options, and its function; `tangents`
        are the classes of the tangents, whose library may be another.
        """
        if options:
            self._require_constant_options(needed)
        types = tuple(map(type, args))
        needs = tuple([any(needed[k] for k in own) for own in self.leaves_of_arguments])
        others = outranking(types, tangents)
        found = self.table.rule_and_function(mode, self.primal, types, needs, config, others)
        if options:
            self.table.check_options(found[0], options, config)
        return found

    def _require_constant_options(self, needed: Sequence[bool]) -> None:
        for name, tree in self.options.items():
            if any(needed[leaf.index] for leaf in _leaves_of(tree)):
                got = f"the option {name!r} is differentiated, and no rule has a derivative by options"
                instead = "pass a constant, as the engine's stop_gradient or detach makes one"
                raise OptionError(
                    str(self), got, instead, primal=self.primal, option=name, value=tree
                )


def is_constant(x: object) -> TypeGuard[np.ndarray]:
    """Tell whether an array is a part of what a call is: it is small, and cannot be written.

    >>> is_constant(np.frombuffer(b"mask", bool)), is_constant(np.ones(4, bool))
    (True, False)
    """
    if type(x) is not np.ndarray or x.flags.writeable:
        return False
    return x.nbytes <= LARGEST_CONSTANT and not x.dtype.hasobject


def _without_leaves(x, is_leaf: Callable[[Any], bool], leaves: list[Any]) -> Any:
    """Return the tree of a value, a `Leaf` in the place of each leaf, and append the leaves to
    `leaves`.
    """

    def leaf_of(part) -> Any:
        if not is_leaf(part):
            return part
        leaves.append(part)
        return Leaf(len(leaves) - 1, type(part) if type(part) in (float, complex) else None)

    return mapped(leaf_of, x)


def _with_leaves(tree, leaves: Leaves) -> Any:
    return mapped(lambda part: leaves[part.index] if type(part) is Leaf else part, tree)


def _tangent(tree, dots: Leaves) -> Any:
    if type(tree) is Leaf:
        return dots[tree.index]
    if not is_container(tree):
        return NO_TANGENT
    parts = {key: _tangent(part, dots) for key, part in fields(tree).items()}
    return ZERO if all(map(is_zero, parts.values())) else with_entries(type(tree), parts)


def _spread(tree, t, found: list[Any]) -> None:
    """Lay the tangents of a tree's leaves at their indices in `found`."""
    t = unthunk(t)
    if type(tree) is Leaf:
        found[tree.index] = t
    elif is_container(tree):
        parts = fields(tree)
        own = tangents_of_parts(t, parts)
        for key, part in parts.items():
            _spread(part, own.get(key, ZERO), found)


def _is_numpys_number(x) -> bool:
    return type(x) is np.ndarray and x.ndim == 0


def as_number(x) -> Any:
    """Return the number in a 0-d array, and other values as they are."""
    return x[()] if getattr(x, "shape", None) == () else x


def _leaves_of(tree) -> list[Leaf]:
    return [part for part in leaves_of(tree) if type(part) is Leaf]


def _is_lasting(tree) -> bool:
    """Whether a tree without its leaves may be kept for good."""
    if isinstance(tree, slice):
        return all(map(is_lasting, (tree.start, tree.stop, tree.step)))
    if is_container(tree):
        return all(map(_is_lasting, fields(tree).values()))
    return type(tree) is Leaf or is_constant(tree) or is_lasting(tree)


def _key(tree) -> Hashable:
    if is_container(tree):
        return (type(tree), *((key, _key(part)) for key, part in fields(tree).items()))
    if isinstance(tree, slice):  # cannot be hashed before Python 3.12
        return (slice, _key(tree.start), _key(tree.stop), _key(tree.step))
    if is_constant(tree):
        return (tree.tobytes(), tree.dtype, tree.shape)
    try:
        hash(tree)
    except TypeError:
        return (type(tree), id(tree))
    return (type(tree), tree)
