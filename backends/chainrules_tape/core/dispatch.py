"""Slow dispatch: how any call on traced values finds its rule, with any primal and arguments, in
either mode.

Nearly all calls take fast dispatch instead (`arrays.fast_dispatch`), which does this for what one
dictionary look-up can tell.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.calls.traced_values import numbers_of_levels
from chainrules_py.rules.rule import ENTRY_POINTS, Mode
from chainrules_py.values.identity import belongs_to_package
from chainrules_py.values.indices import normal_index
from chainrules_py.values.python_numbers import ufunc_of
from chainrules_py.values.structure import is_container
from chainrules_tape.core.given_numbers import given_numpys_numbers, makes_numpys_numbers
from chainrules_tape.core.guests import answer_among, array_in, some_become_arrays
from chainrules_tape.core.levels import (
    Level,
    at_closing,
    call_traced,
    innermost,
    open_levels,
    with_parts,
    writers,
)
from chainrules_tape.core.plans import Engine, Plan
from chainrules_tape.refusals.errors import Refusal, raise_escaped_value, refuse_buffers
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import foreign_code
from chainrules_tape.refusals.subclasses import (
    COMMON,
    array_of_subclass,
    becomes_array,
    refuse_other_classes,
)

METHOD, FUNCTION = type(np.ndarray.sum), type(np.sum)
EQUALITIES = frozenset({np.equal, np.not_equal})  # after which there may be lines for one number


class Derivative(Level):
    """One derivative being taken, in either mode: it hands operations to the rules of an engine,
    and makes handles on what they return.
    """

    __slots__ = (
        *("decisions", "engine", "given", "lengths", "points", "refused", "stages", "written"),
    )
    mode: ClassVar[Mode]
    nothing: ClassVar[Any]  # the mode's data of constants
    has_fast_primitives: ClassVar[bool] = True  # whether their rules may be run without `run`
    engine: Engine
    # the caller's arrays that are differentiated, and those of constant arguments beside them;
    # None in the place of these where no two are found to share memory
    given: tuple[list[Any], list[Any] | None] | None
    points: Sequence[Any]  # these arrays as the function has them: in reverse copies, if kept
    stages: Any  # what operators and functions look up
    refused: Refusal | None  # the last one, which somebody may have caught
    # decisions by its numbers, where foreign code notes them: see `chainrules_foreign_code.bisections`
    decisions: Any
    lengths: tuple[Any, ...]  # that are zero, of tapes above it: see `kinks`
    written: Any  # `Aliases`, since something of this level was first written to

    def __init__(self, engine: Engine, stages) -> None:
        self.serial = next(numbers_of_levels)
        self.closed = False
        self.engine = engine
        self.stages = stages
        self.refused = self.written = self.decisions = None
        self.points = self.lengths = ()
        self.given = None

    def close(self) -> None:
        """End the trace: handles that are still about raise from now on."""
        open_levels.pop(self.serial, None)
        for end in at_closing:
            end()
        # last, so that whoever finds it open, after an interrupt or a full stack, ends it again
        self.closed, self.points, self.given, self.lengths = True, (), None, ()
        self.stages = {}  # empty: the next operation takes slow dispatch, and is refused there

    def mode_data(self, value) -> Any:
        """The mode's data of an argument: its slots, or its tangent; `nothing` for a constant."""
        raise NotImplementedError

    def plan(self, primal, types: tuple[type, ...], needs: tuple[bool, ...]) -> Plan:
        """Return the plan for a call in canonical form."""
        return self.engine.plan(self.mode, primal, types, needs)

    def run(
        self,
        primal,
        plan: Plan,
        values: tuple[Any, ...],
        options: Options,
        mode_data: tuple[Any, ...],
    ) -> Any:
        """Run an operation by its rule, and make the handles on its result; `mode_data` is that of
        its arguments.
        """
        raise NotImplementedError

    def resolved(self, value) -> Any:
        """Resolve a value, in containers too: nothing that is written later changes it."""
        if issubclass(type(value), TracedArray):
            return value.resolved(self)
        return with_parts(value, self.resolved) if is_container(value) else value

    def owns(self, value) -> bool:
        """Whether a value is a handle of this level."""
        return isinstance(value, TracedArray) and value.level is self

    def call(self, primal, args: Args, options: Options) -> Any:
        """Run any operation on values of this level and of outer ones."""
        if self.closed:
            raise_escaped_value(primal, next(filter(self.owns, args), None))
        if self.written is not None and self.written.has_changed(self, args):
            return called_again(primal, args, options)
        answer = answer_among(args)
        if answer is not None:
            y = answer(primal, args, options)
            if y is not NotImplemented:
                return y
        engine = self.engine
        primal, args, options = engine.table.canonical(primal, args, options)
        if primal is operator.getitem:
            args = (args[0], normal_index(array_in(primal, args[1], args)))
        elif some_become_arrays(args):
            return call_traced(
                primal, tuple([array_in(primal, arg, args) for arg in args]), options
            )
        if options and some_become_arrays(options.values()):
            options = {name: array_in(primal, option) for name, option in options.items()}
            return call_traced(primal, args, options)
        has_constant_options = innermost(options.values()) is None and "out" not in options
        if engine.has_body(primal) and has_constant_options:
            body = self.body(primal, tuple([type(self.strip(arg)) for arg in args]))
            if body is not None:
                return self.run_body(primal, body, args, options)
        position = engine.overwritten(primal)
        if position is not None:
            return writers["rule"](primal, args, options, position)
        if belongs_to_package(primal) and any(map(is_stored, args)):
            return writers["read"](primal, args, options)
        return self.applied(primal, args, options, self.run)

    def run_body(self, primal, body: Function, args: Args, options: Options) -> Any:
        """Run the program that a function is, on values of this level."""
        return body(*args, **options)

    def body(self, primal, types: tuple[type, ...]) -> Function | None:
        """Return the program that a function is; None where its rule for values of these classes is
        none.
        """
        if not self.engine.has_body(primal):
            return None
        mode = self.mode if self.mode in ENTRY_POINTS else "batching"
        rule = self.engine.table.rule_for(mode, primal, types, self.engine.config)
        if rule is None or rule.body is None:
            return None
        if not COMMON.issuperset(types):
            refuse_other_classes(primal, types)
        is_given = makes_numpys_numbers(primal, types, (True,) * len(types))
        return given_numpys_numbers(rule.body) if is_given else rule.body

    def applied(self, primal, args: Args, options: Options, run: Function) -> Any:
        """Find the plan for an operation in canonical form, and call `run` with it."""
        engine = self.engine
        args = tuple([self.resolved(arg) for arg in args])
        mode_data = tuple([self.mode_data(arg) for arg in args])
        needs = tuple([one is not self.nothing for one in mode_data])
        values = tuple(
            [self.strip(arg) if need else arg for arg, need in zip(args, needs, strict=True)]
        )
        types = tuple(map(type, values))
        if engine.wants_arrays(self.mode, primal, types, needs):
            return call_traced(primal, with_arrays(args), options)
        if self.decisions is not None and self.decisions.notes(primal):
            y = self.decisions.answer(self, primal, args)
            if y is not NotImplemented:
                return y
        plan = self.plan(primal, types, needs)
        if options:
            options = self.options(plan, options, args)
        y = run(primal, plan, values, options, mode_data)
        if ufunc_of(primal) in EQUALITIES and self.notes_equality(primal, y):
            foreign_code[0]("note_equality")(self, args)
        return y

    def notes_equality(self, primal, y) -> bool:
        """Whether numbers were found to be equal, or entries of arrays where that is noted."""
        is_noted = self.decisions is not None and self.decisions.notes(primal)
        are_equal = plain(y) == (ufunc_of(primal) is np.equal)
        return (is_noted or np.ndim(are_equal) == 0) and bool(np.any(are_equal))

    def options(self, plan: Plan, options: Options, args: Args = ()) -> dict[str, Any]:
        """Return the options as the rule may see them; raise for those that it does not take or
        would not differentiate.
        """
        names = tuple(options)
        constant = innermost(options.values()) is None
        if constant and names in plan.accepted:
            return options
        given = {name: self.resolved(value) for name, value in options.items()}
        stripped = {name: self.strip(value) for name, value in given.items()}
        active = {
            name: options[name] for name, value in stripped.items() if value is not given[name]
        }
        refuse_buffers(plan.rule, options, "out" in active, args)
        self.engine.table.check_options(plan.rule, stripped)
        self.engine.table.check_options(plan.rule, active, self.engine.config)
        if constant and "out" not in names:
            plan.accepted.add(names)
        return stripped


def is_stored(x) -> bool:
    """Whether a value is an array that was written to."""
    return issubclass(type(x), TracedArray) and x.is_stored


def called_again(primal, args: Args, options: Options) -> Any:
    """Call an operation whose first operand is of another class now, that of arrays that were
    written to.
    """
    if type(primal) is METHOD:
        return getattr(args[0], primal.__name__)(*args[1:], **options)
    return primal(*args, **options) if asks_operands(primal) else call_traced(primal, args, options)


def asks_operands(primal) -> bool:
    """Whether a function asks its operands for an answer: NumPy's own do, but for those that
    convert, and operators.
    """
    is_operator = getattr(primal, "__module__", None) == operator.getitem.__module__
    return is_operator or isinstance(primal, np.ufunc) or type(primal) is FUNCTION


def as_operand(x) -> Any:
    """Return an operand of a ufunc, with arrays for lists, stacked where they hold traced values,
    and a number for a fraction.
    """
    # whose import costs 3 ms, and isinstance of `numbers.Rational` 0.4 us
    if type(x).__module__ == "fractions":
        return float(x)
    if not issubclass(type(x), (list, tuple)):  # isinstance asks a traced x for its value's class
        return array_of_subclass(x)
    return np.asarray(x) if innermost(x) is None else np.stack([as_operand(part) for part in x])


# the first of these that holds for some argument says which are meant
_TAKEN_FOR_ARRAYS: tuple[Callable[[Any], bool], ...] = (
    lambda x: type(x) is list,
    lambda x: type(x) is tuple and not all(type(part) is int for part in x),
    lambda x: type(x) is tuple,
)


def with_arrays(args: Args) -> tuple[Any, ...]:
    """Replace tensors among the arguments by arrays; or else lists; or else tuples, which may be
    shapes or axes.
    """
    if any(becomes_array(type(arg)) for arg in args):
        return tuple(map(array_of_subclass, args))
    taken = next(test for test in _TAKEN_FOR_ARRAYS if any(map(test, args)))
    return tuple([as_operand(arg) if taken(arg) else arg for arg in args])
