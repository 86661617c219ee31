"""`rrule` and `frule`: the two functions that people and engines call.

Each is bound to a table. Calling looks a rule up and runs it; `register` puts one in; `find`
returns the resolved function or None. A call without options finds its rule in one dictionary
lookup keyed by the primal and the argument classes: that path is ten lines long and is what
`rrule(np.sin, x)` costs. Everything else (options by keyword, aliases, configs, overlays, debug
mode) is brought to canonical form first (`_call`). Where that changes nothing, the function that is
found is stored for the look-up.

`config`, `needs`, `rules` and `debug` are ours; registering a rule whose primal has an option of
one of these names is refused.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.lanes import (
    Lanes,
    all_in_lanes,
    changed_lanes,
    in_place_of_handles,
    lane_count,
    noted_stand_in,
)
from chainrules_py.calls.decorator_misuse import require_primals
from chainrules_py.calls.tangent_order import (
    as_distinct_objects,
    places_of,
    rearranged,
)
from chainrules_py.checks.contract import debugging, has_tangents
from chainrules_py.checks.guards import admit_tangents, guarded_rule
from chainrules_py.errors import OptionError, RegistrationError
from chainrules_py.introspection import caller_location
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.rules.config import NO_CONFIG, RuleConfig
from chainrules_py.rules.rule import (
    ENTRY_POINTS,
    Mode,
    Rule,
    require_callable,
    require_classes,
    require_place_for_tangents,
    rule_from_function,
)
from chainrules_py.table.lookup import Lookup, require_table
from chainrules_py.tangents import NO_TANGENT, AbstractZero, NotImplementedTangent
from chainrules_py.tangents.structural import classes_in
from chainrules_py.values.arrays import outranking
from chainrules_py.values.identity import qualified_name

F = TypeVar("F", bound=Function)
Pullback = Callable[[Any], tuple[Any, ...]]

# why an argument that is not one of the canonical call has no cotangent
REWRITTEN = "an option, or an argument that the call rewrites; pass an array by position"
RESERVED = frozenset({"rules", "debug"})


class RuleFunction:
    """The base of `rrule` and `frule`; each table has one of each."""

    mode: Mode

    def __init__(self, table: Lookup) -> None:
        self.table = table
        # whose rules are asked; of the default table's functions it may be another's
        self.in_force: Callable[[], Any] = lambda: table

    def _of(self, table) -> Any:
        """Return this entry point of a table that a call names, whichever is in force."""
        require_table(table, ENTRY_POINTS[self.mode])
        return type(self)(table)

    def __reduce__(self) -> Any:
        return getattr, (self.table, ENTRY_POINTS[self.mode])

    def __repr__(self) -> str:
        return f"<{ENTRY_POINTS[self.mode]} of {self.table.name}>"

    def register(self, *primals, overwrites: str | None = None) -> Callable[[F], F]:
        """Decorator: the function is the rule of these primals, for the classes in its annotations.

        `overwrites` names the array that the primals write into. The rule writes into it, too,
        and its value is that argument; its pullback may write into the cotangent that it is given,
        and returns that of what the argument held before.
        """
        require_primals(f"{ENTRY_POINTS[self.mode]}.register", primals)

        def register_rule(function: F) -> F:
            for primal in primals:
                self.table.declare(
                    primal, partial(self._read, primal, function, overwrites), (self.mode,)
                )
            return function

        return register_rule

    def _read(self, primal, function: Function, overwrites: str | None = None) -> tuple[Rule]:
        if self.mode == "forward":
            require_place_for_tangents(primal, function)
        rule = rule_from_function(self.mode, primal, function)
        _require_own_option_names(rule)
        return (overwriting(rule, overwrites) if overwrites is not None else rule,)

    def find(self, primal, *types: type, **pattern) -> Function | None:
        """The resolved rule for these classes (`needs` and `config` by keyword), or None."""
        table: Lookup = self.in_force()
        return table.find(self.mode, primal, types, **pattern)

    def opt_out(self, primal, *types) -> None:
        """Declare that a more general rule is not to be used for these classes.

        The opt-out is a method in the same table: whatever is more specific still wins over it.

        >>> import numpy as np
        >>> from chainrules_py import rrule
        >>> class Lazy(np.ndarray): ...
        >>> rrule.opt_out(np.sum, Lazy)
        >>> rrule.find(np.sum, Lazy) is None, rrule.find(np.sum, np.ndarray) is None
        (True, False)
        """
        where = caller_location(1)
        require_callable(primal, None, f"opt_out at {where}")

        def opted_out() -> None: ...

        opted_out.__rule_location__ = where  # type: ignore[attr-defined]
        rule = Rule(self.mode, primal, require_classes(primal, opted_out, types), None, where=where)
        self.table.declare(primal, lambda: [rule], (self.mode,))

    def remove(self, primal, *types) -> None:
        """Take the rule for these classes out of the table again: what it hid or replaced holds."""
        self.table.remove(self.mode, primal, *types)

    def remove_all(self, primal) -> None:
        """Take all rules that this table has of a function out of it; those of its parent hold."""
        self.table.remove_all(self.mode, primal)

    def restore(self, primal) -> None:
        """Put this distribution's own rules back, which were replaced or taken out.

        >>> import numpy as np
        >>> from chainrules_py import rrule
        >>> rrule.remove_all(np.sinc)
        >>> rrule.restore(np.sinc)
        >>> round(float(rrule(np.sinc, 0.5)[1](1.0)[0]), 4)
        -1.2732
        """
        self.table.restore(self.mode, primal)

    def _lookup(
        self,
        primal,
        args: Args,
        options: Options,
        needs: tuple[bool, ...] | None,
        config: RuleConfig,
        dots: tuple[Any, ...] = (),
        debug: bool = False,
    ) -> tuple[Rule, Function]:
        """Find the rule for canonical arguments, and refuse options that it would not honour."""
        types = tuple(map(type, args))
        others = outranking(types, classes_in(dots))
        rule, function = self.table.rule_and_function(
            self.mode, primal, types, needs, config, others, debug
        )
        self.table.check_options(rule, options, config)
        return rule, function


class ReverseRules(RuleFunction):
    """`rrule`: call a function by its reverse rule, for the value and the pullback.

    It is called as ``y, pullback = rrule(f, *args, **options)``; a pullback gives one cotangent for
    each positional argument as you wrote it: `NO_TANGENT` for a shape or an axis, and nothing for
    keywords. `frule` takes tangents likewise.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> y, pullback = rrule(np.multiply, np.arange(3.0), np.ones((2, 3)))
    >>> a_bar, b_bar = pullback(np.ones((2, 3)))
    >>> a_bar, b_bar.shape
    (array([2., 2., 2.]), (2, 3))
    """

    mode: Mode = "reverse"

    def __call__(self, primal, *args, **options) -> tuple[Any, Pullback]:
        """Return the value and the pullback; `needs`, `config`, `rules`, `debug` are ours."""
        table = self.in_force()
        if table is not self.table:
            return table.rrule(primal, *args, **options)
        if not options and not debugging():
            try:
                rule = self.table.memory.rrule_shortcuts[primal, *map(type, args)]
            except (KeyError, TypeError):
                pass
            else:
                return rule(*args)
        if "rules" in options:
            return self._of(options.pop("rules"))(primal, *args, **options)
        return self._call(primal, args, **options)

    def _call(
        self,
        primal,
        args: Args,
        *,
        needs: tuple[bool, ...] | None = None,
        config: RuleConfig = NO_CONFIG,
        debug: bool | None = None,
        **options,
    ) -> tuple[Any, Pullback]:
        shortcuts = self.table.memory.rrule_shortcuts
        if needs is not None:
            _require_pattern(needs, args, primal)
        debug = debugging() if debug is None else debug
        canonical, arranged, kept = self.table.canonical(primal, args, options)
        if arranged is not args:
            form = canonical, arranged, kept
            return self._call_as_written(primal, args, options, form, needs, config, debug)

        rule, run = self._lookup(canonical, arranged, kept, needs, config, debug=debug)
        function = _guarded(rule, run, debug)
        if not options and needs is None and config is NO_CONFIG and not debug:
            shortcuts[primal, *map(type, args)] = function
        return function(*arranged, **kept)

    def _call_as_written(
        self,
        primal,
        args: Args,
        options: Options,
        form: tuple[Any, Args, Options],
        needs: tuple[bool, ...] | None,
        config: RuleConfig,
        debug: bool,
    ) -> tuple[Any, Pullback]:
        """Call by the arguments of the canonical form; the pullback gives cotangents of those written.

        There are none of what is bound to a method or a partial, of defaults, and of what is given
        by keyword.
        """
        written = as_distinct_objects(primal, args, options, range(len(args)))
        if written is not args:
            form = self.table.canonical(primal, written, options)
        canonical, arranged, kept = form
        places = places_of(written, arranged)
        if needs is not None:
            wanted = {place for place, want in zip(places, needs, strict=True) if want}
            needs = tuple([place in wanted for place in range(len(arranged))])
        elif len(arranged) > len(args):
            left_out = len(self.table.names.left_out(primal, written, options))
            given = len(arranged) - left_out
            needs = (True,) * given + (False,) * left_out if left_out else None
        rule, run = self._lookup(canonical, arranged, kept, needs, config, debug=debug)
        y, pullback = _guarded(rule, run, debug)(*arranged, **kept)
        missing = _missing_cotangents(args, places, rule.where)  # no argument is kept

        def pullback_of_written(y_bar) -> tuple[Any, ...]:
            bars = pullback(y_bar)
            pairs = zip(places, missing, strict=True)
            return tuple([none if place is None else bars[place] for place, none in pairs])

        return y, pullback_of_written


def _missing_cotangents(args: Args, places: list[int | None], where: str) -> tuple[Any, ...]:
    """The cotangents of arguments which the canonical call has as options, or otherwise.

    They are no derivative that anybody has written, but of what has none.
    """
    pairs = zip(args, places, strict=True)
    gone = [place is None and has_tangents(admitting_space(arg)) for arg, place in pairs]
    return tuple([NotImplementedTangent(REWRITTEN, where) if x else NO_TANGENT for x in gone])


def _guarded(rule: Rule, function: Function, debug: bool) -> Function:
    """The function of a rule, whose pullback checks its seed."""
    return function if debug or rule.checks_seed else guarded_rule(rule, function)


class ForwardRules(RuleFunction):
    """`frule`: call a function by its forward rule, for the value and its tangent.

    It is called as ``y, y_dot = frule(dots, f, *args, **options)``, with one tangent in `dots` for
    each positional argument as it is written.

    >>> import numpy as np
    >>> from chainrules_py import ZERO, frule
    >>> frule((np.float64(1.0), ZERO), np.multiply, np.float64(3.0), np.float64(5.0))
    (np.float64(15.0), np.float64(5.0))
    """

    mode: Mode = "forward"

    def __call__(self, dots: tuple[Any, ...], primal, *args, **options) -> tuple[Any, Any]:
        """Return the value and its tangent along `dots`; `config`, `rules`, `debug` are ours."""
        table = self.in_force()
        if table is not self.table:
            return table.frule(dots, primal, *args, **options)
        if not options and not debugging() and type(dots) is tuple and len(dots) == len(args):
            try:
                rule = self.table.memory.frule_shortcuts[primal, *map(type, args), *map(type, dots)]
            except (KeyError, TypeError):
                pass
            else:
                return rule(admit_tangents(dots, args, primal), *args)
        if "rules" in options:
            return self._of(options.pop("rules"))(dots, primal, *args, **options)
        return self._call(dots, primal, args, **options)

    def _call(
        self,
        dots: tuple[Any, ...],
        primal,
        args: Args,
        *,
        config: RuleConfig = NO_CONFIG,
        debug: bool | None = None,
        **options,
    ) -> tuple[Any, Any]:
        given, shortcuts = dots, self.table.memory.frule_shortcuts
        dots = admit_tangents(dots, args, primal)
        canonical, arranged, kept = self.table.canonical(primal, args, options)
        if arranged is not args:
            moving = [k for k, dot in enumerate(dots) if not isinstance(dot, AbstractZero)]
            written = as_distinct_objects(primal, args, options, moving)
            if written is not args:
                canonical, arranged, kept = self.table.canonical(primal, written, options)
            dots = rearranged(dots, written, canonical, arranged, kept)
        needs = tuple(not isinstance(dot, AbstractZero) for dot in dots)
        debug = debugging() if debug is None else debug
        _, function = self._lookup(canonical, arranged, kept, needs, config, dots, debug)
        is_plain = not (options or kept or debug) and config is NO_CONFIG
        # A thunk may turn out to be zero, so only tangents that were admitted as they are have
        # their pattern in their classes.
        if is_plain and arranged is args and _are_identical(given, dots):
            shortcuts[primal, *map(type, args), *map(type, dots)] = function
        return function(dots, *arranged, **kept)


class BatchingRules(RuleFunction):
    """`batched`: call a function on many examples at once, by its rule for batching or in a loop.

    It is called as ``batched(f, lanes, *args, **options)``. `lanes` says for each positional
    argument whether an axis of examples stands before its own; the result has one.

    >>> import numpy as np
    >>> from chainrules_py import batched
    >>> batched(np.add, (True, False), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 20.0]))
    array([[11., 22.],
           [13., 24.]])
    """

    mode: Mode = "batching"

    def register(  # type: ignore[override]
        self, *primals, laned_options: Iterable[str] = (), axes: Any = None
    ) -> Callable[[F], F]:
        """Decorator: the function is the rule of these primals, for the classes in its annotations.

        It is called as ``rule(lanes, *args, **options)``, and returns what `batched` returns, or
        `Same` for a result without lanes. `laned_options` are the options that may differ from lane
        to lane; a call in which others do is a loop. `axes` is the word for what the functions do
        with axes, where one of `batching.words` says it: sparsity patterns read it.
        """
        require_primals("batched.register", primals)
        laned = frozenset(laned_options)

        def register_rule(function: F) -> F:
            for primal in primals:
                make = partial(self._read_rule, primal, function, laned, axes)
                self.table.declare(primal, make, (self.mode,))
            return function

        return register_rule

    def _read_rule(self, primal, function: Function, laned, axes) -> tuple[Rule]:
        (rule,) = self._read(primal, function)
        return (rule.replaced(laned_options=laned, axes=axes),)

    def __call__(self, primal, lanes: Lanes, *args, **options) -> Any:
        """Return the results of all lanes, with lanes in front; `rules` is ours."""
        table = self.in_force()
        if table is not self.table:
            return table.batched(primal, lanes, *args, **options)
        if "rules" in options:
            return self._of(options.pop("rules"))(primal, lanes, *args, **options)
        count = lane_count(f"batched({qualified_name(primal)})", lanes, args)

        # The call of one example is brought to canonical form, with stand-ins that say where the
        # arrays with lanes have come.
        stood_for: dict[int, tuple[Any, Any]] = {}
        stand_in = partial(noted_stand_in, stood_for)
        pairs = zip(lanes, args, strict=True)
        one_example = tuple([changed_lanes(lane, arg, stand_in) for lane, arg in pairs])
        primal, arranged, options = self.table.canonical(primal, one_example, options)
        by_position = [in_place_of_handles(stood_for, arg) for arg in arranged]
        by_name = {name: in_place_of_handles(stood_for, option) for name, option in options.items()}

        all_lanes: list[Any] = [lane for lane, _ in by_position]
        for name, (lane, _) in by_name.items():
            if lane:
                all_lanes.append(name if lane is True else (name, lane))
        values = tuple([value for _, value in by_position])
        named = {name: value for name, (_, value) in by_name.items()}
        run = self.table.in_lanes(primal, tuple(map(type, values)), tuple(all_lanes))
        return all_in_lanes(primal, run(*values, **named), count)


def _are_identical(given: tuple[Any, ...], admitted: tuple[Any, ...]) -> bool:
    return all(one is other for one, other in zip(given, admitted, strict=True))


def _require_pattern(needs, args: Args, primal) -> None:
    if not isinstance(needs, tuple) or len(needs) != len(args):
        where = f"rrule({qualified_name(primal)})"
        instead = f"pass a tuple of {len(args)} bools, one per positional argument"
        raise OptionError(
            where, f"needs is {needs!r}", instead, primal=primal, option="needs", value=needs
        )


def overwriting(rule: Rule, name: str) -> Rule:
    """A rule of a function that writes into its argument of this name."""
    if name not in rule.names:
        got = f"overwrites={name!r}, and its arguments are {', '.join(rule.names)}"
        instead = "name the argument that the function writes into"
        raise RegistrationError(rule.place, got, instead, primal=rule.primal, rule=rule.function)
    return rule.replaced(overwrites=rule.names.index(name))


def _require_own_option_names(rule: Rule) -> None:
    clash = RESERVED & (rule.options or frozenset())
    if clash:
        raise RegistrationError(
            f"{rule.label} at {rule.where}",
            f"takes an option named {min(clash)!r}, which is a parameter of rrule and frule"
            " themselves",
            "rename the option",
            primal=rule.primal,
            rule=rule.function,
        )
