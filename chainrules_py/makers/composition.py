"""Functions that are programs of others: a body in the place of rules."""

from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any, TypeVar

from chainrules_py.annotations import Args, Function
from chainrules_py.calls.decorator_misuse import require_primals
from chainrules_py.makers.lists import array_of_list, arrays_in, placing
from chainrules_py.makers.skeleton import both_rules
from chainrules_py.rules.config import NO_CONFIG, HasForwardsMode, HasReverseMode, RuleConfig
from chainrules_py.rules.rule import Mode, Rule, by_number_of_arguments, rule_from_function
from chainrules_py.table.registry import RuleTable, current_table, default_rules
from chainrules_py.values.arrays import ArrayLibrary, library_of_types
from chainrules_py.values.records import Record
from chainrules_py.values.structure import is_container

F = TypeVar("F", bound=Function)
MODES: tuple[Mode, ...] = ("reverse", "forward", "batching")
ABILITIES = {
    "reverse": HasReverseMode,
    "forward": HasForwardsMode,
}  # to differentiate what is given


def composed(
    *primals: Any, one_by_one: bool = False, table: RuleTable = default_rules
) -> Callable[[F], F]:
    """Decorator: the function is the body of these primals, from which all their rules follow.

    A body is a program in NumPy's functions, or in those of `xp` if it takes that keyword. It calls
    functions with rules, decides nothing by the numbers in arrays, and writes into no array. It
    takes what the primals take; options that are differentiated are arguments by position. Where an
    argument's annotation has lists, the body gets an array in the place of one. The calling engine
    differentiates functions that the body gets, if it can. With `one_by_one`, each of many examples
    is a call of its own: draws need this, since they differ by more than their arguments.

    >>> import numpy as np
    >>> from chainrules_py import Array, rrule
    >>> def spread(x):
    ...     return np.max(x) - np.min(x)
    >>> @composed(spread)
    ... def spread_body(x: Array):
    ...     return np.max(x) - np.min(x)
    >>> y, pullback = rrule(spread, np.array([1.0, 5.0, 3.0]))
    >>> pullback(1.0)
    (array([-1.,  1.,  0.]),)
    """
    require_primals("composed", primals)

    modes = MODES[:2] if one_by_one else MODES

    def register(body: F) -> F:
        for primal in primals:
            table.declare(primal, partial(_rules_of_body, primal, body, modes, table), modes)
        return body

    return register


def _rules_of_body(
    primal, function: Function, modes: tuple[Mode, ...], table: RuleTable
) -> Iterator[Rule]:
    """Make the rules for each number of arguments: those with a default may be absent."""
    read = rule_from_function("reverse", primal, function, defaults=True)
    body = _with_arrays(read, function, table)
    run = _Run(table, body, "xp" in read.wants)
    described = read.replaced(wants=frozenset(), body=body)
    for own in by_number_of_arguments(described):
        yield from both_rules(own, run.reverse, run.forward)
        if Callable in read.types:
            asking = own.replaced(wants=frozenset({"config"}))
            for rule in both_rules(asking, run.reverse, run.forward):
                yield rule.replaced(config=ABILITIES[rule.mode])
        if "batching" in modes:
            yield own.replaced(mode="batching", function=body, specialise=run.in_lanes)


def _with_arrays(read: Rule, function: Function, table: RuleTable) -> Function:
    """Give a function its `xp`, and arrays in the place of lists where it takes these for arrays;
    refuse options that it does not take.
    """
    takes_lists = [list in getattr(cls, "__args__", ()) for cls in read.types]
    others_may_be_lists = list in getattr(read.variadic, "__args__", ())
    has_lists, wants_namespace = any(takes_lists) or others_may_be_lists, "xp" in read.wants

    def arrays_for_lists(args: Args) -> tuple[Any, ...]:
        may_be_lists = takes_lists + [others_may_be_lists] * (len(args) - len(takes_lists))
        pairs = zip(args, may_be_lists, strict=False)
        are_lists = [may_be and is_container(arg) for arg, may_be in pairs]
        if not any(are_lists):
            return args
        library = library_of_types(type(array) for array in arrays_in(args))
        beside = placing(args, library.namespace)
        given = zip(args, are_lists, strict=True)
        return tuple([array_of_list(arg, beside) if is_list else arg for arg, is_list in given])

    @wraps(function)
    def body(*args, xp: Any = None, **options):
        if options:
            table.check_options(read, options)
        if has_lists:
            args = arrays_for_lists(args)
        if wants_namespace:
            given = xp is not None
            options["xp"] = xp if given else library_of_types(map(type, args)).namespace_of_bodies
        return function(*args, **options)

    return body


class _Run(Record):
    """How a body is run for engines that look up its rules.

    Those that run bodies themselves never import what this needs.
    """

    table: RuleTable
    body: Function
    wants_namespace: bool

    def table_in_force(self) -> RuleTable:
        """The table that an engine asks now, where it is one over that of this rule."""
        asked = current_table.get()
        table: RuleTable | None = asked
        while table is not None and table is not self.table:
            table = table.parent
        return self.table if table is None else asked

    def over(self, library: ArrayLibrary, args: Args) -> Function:
        """Return the body for values of a library, which lists may hold."""
        from chainrules_py.bodies.traced import namespace_over

        if not self.wants_namespace:
            return self.body
        if any(map(is_container, args)):
            library = library_of_types(map(type, arrays_in(args)))
        return partial(self.body, xp=namespace_over(library))

    def reverse(
        self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Function:
        """Bind the reverse rule."""
        from chainrules_py.bodies.reverse import Reverse, vjp

        def composed_rrule(*args, config: RuleConfig = NO_CONFIG, **options):
            level = Reverse(self.table_in_force(), config)
            return vjp(level, self.over(library, args), needs, args, options)

        return composed_rrule

    def forward(
        self, types: tuple[type, ...], needs: tuple[bool, ...], library: ArrayLibrary
    ) -> Function:
        """Bind the forward rule."""
        from chainrules_py.bodies.forward import Forward, jvp

        def composed_frule(dots: tuple[Any, ...], *args, config: RuleConfig = NO_CONFIG, **options):
            level = Forward(self.table_in_force(), config)
            return jvp(level, self.over(library, args), dots, args, options)

        return composed_frule

    def in_lanes(self, types: tuple[type, ...], lanes, library: ArrayLibrary) -> Function:
        """Bind the rule for many examples."""
        from chainrules_py.bodies.lanes import vmap

        def composed_batched(*args, **options):
            return vmap(self.table_in_force(), self.over(library, args), lanes, args, options)

        return composed_batched
