"""Trading time for memory: a checkpointed call keeps its arguments only, and is run again when its
cotangent arrives.

A checkpointed function is a primal of its own, with rules that are written as any other rules of a
higher-order function: its pullback traces the function again. Checkpoints nest, and `save` names
primals whose results are worth keeping: the residuals of their rules in the first run are handed to
the second one, in order, instead of being computed again.
"""

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial, update_wrapper
from types import MethodType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.lanes import Lanes, Same, changed_lanes, has_entries
from chainrules_py.rules.config import HasForwardsMode, frule_via_ad
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import library_of
from chainrules_py.values.captured_values import Closure, closed
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.config import TapeConfig, engine_of, new_tape
from chainrules_tape.core.inner_functions import (
    is_refused_write,
    refuse_made_objects,
    rrule_of,
    written_argument,
)
from chainrules_tape.core.levels import SlowDispatchOnly, call_traced, innermost, open_levels
from chainrules_tape.core.plans import Plan
from chainrules_tape.core.tape import Tape
from chainrules_tape.core.tracing import trace
from chainrules_tape.core.trees import flatten
from chainrules_tape.recomputation import refuse_other_result, sample
from chainrules_tape.refusals.errors import RecomputationError
from chainrules_tape.vmap import each_example

P = ParamSpec("P")
R = TypeVar("R")
Saved = deque[tuple[Any, Any, Any]]


def checkpoint(function: Callable[P, R], *, save: Collection[Any] = ()) -> Callable[P, R]:
    """Make a function of which the tape keeps the arguments only; it runs again in the reverse
    pass.

    The second run has to compute the same: a function that draws random numbers raises a
    `RecomputationError`. `save` lists primals (``{np.matmul}``) that are not computed twice. What
    the function captures is kept as its arguments are; traced values in globals have to be passed.

    >>> from chainrules_tape import grad
    >>> grad(checkpoint(lambda x: np.sin(np.sin(x))))(0.0)
    1.0
    """
    return Checkpointed(function, frozenset(save))


@dataclass(eq=False, repr=False)
class Checkpointed:
    """A function that is traced as one operation: with what it captures, a container."""

    function: Function
    save: frozenset[Any]

    def __post_init__(self) -> None:
        update_wrapper(self, self.function, updated=())

    def __repr__(self) -> str:
        is_partial = isinstance(self.function, partial)
        inner = repr(self.function) if is_partial else qualified_name(self.function)
        return f"checkpoint({inner})"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the instance is the first argument."""
        if instance is None:
            return self
        return Checkpointed(MethodType(self.function, instance), self.save)

    def __call__(self, *args, **options) -> Any:
        """Call the function: one operation on a tape, and a plain call elsewhere."""
        if not open_levels and innermost((*args, *options.values())) is None:
            return self.function(*args, **options)
        with_captured = closed(self)
        if innermost((with_captured, *args, *options.values())) is None:
            return self.function(*args, **options)
        # Options are given as an argument, because rules differentiate by arguments only.
        return call_traced(run_checkpointed, (with_captured, args, options), {})


def run_checkpointed(checkpointed: Checkpointed, args: Args, options: Options) -> Any:
    """Run a checkpointed call: the primal that tapes record, whose rule runs the function again."""
    return checkpointed.function(*args, **options)


def with_read_only_arrays(function: Function, args: Args, options: Options) -> Any:
    """Call a function with arrays that it cannot write into, because it is run on them again."""
    leaves, rebuilt = flatten((args, options))
    given = [leaf.view() if type(leaf) is np.ndarray else leaf for leaf in leaves]
    for leaf in given:
        if type(leaf) is np.ndarray:
            leaf.flags.writeable = False
    protected, named = rebuilt(given)
    try:
        return function(*protected, **named)
    except ValueError as error:
        if not is_refused_write(error):
            raise
        raise written_argument(function, args) from error


def is_unknown_to_numpy(x) -> bool:
    """Tell whether a value is an array on which NumPy's functions run as the tape calls them only,
    as those of JAX's.
    """
    library = library_of(type(x))
    return library is not None and not library.asked_by_numpy


@default_rules.rrule.register(run_checkpointed)
def run_checkpointed_rrule(
    checkpointed: Checkpointed,
    args,
    options,
    *,
    config: TapeConfig,
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Run the function, and for its cotangent run it again, traced."""
    rules, function = config.table, checkpointed.function
    saved: Saved = deque()
    given = (checkpointed, args, options)
    if checkpointed.save or any(map(is_unknown_to_numpy, flatten(given)[0])):
        tape = new_tape(engine_of(rules))
        if checkpointed.save:
            tape = SavingTape(engine_of(rules), checkpointed.save, saved, first=True)
        _, outputs, _ = trace(tape, run_checkpointed, given, {}, keep=False)
        y = outputs.rebuilt(outputs.values)
    else:
        y = with_read_only_arrays(function, args, options)
    refuse_made_objects(function, y)
    first = sample(y)

    def run_checkpointed_pullback(y_bar) -> tuple[Any, ...]:
        engine = engine_of(rules)
        if checkpointed.save:
            tape: Tape = SavingTape(engine, checkpointed.save, saved.copy(), first=False)
        else:
            tape = new_tape(engine)
        again, pullback = rrule_of(tape, run_checkpointed, (checkpointed, args, options), {})
        refuse_other_result(function, first, again)
        function_bar, *bars = pullback(y_bar)
        return (function_bar if type(function) is Closure else NO_TANGENT, *bars)

    return y, run_checkpointed_pullback


@default_rules.frule.register(run_checkpointed)
def run_checkpointed_frule(
    dots: tuple[Any, ...],
    checkpointed: Checkpointed,
    args,
    options,
    *,
    config: HasForwardsMode,
) -> tuple[Any, Any]:
    """Run the function in forward mode, which keeps nothing anyway."""
    return frule_via_ad(config, dots, run_checkpointed, checkpointed, args, options)


class InLanes:
    """A mark on an argument that differs from example to example."""

    __slots__ = ("value",)

    def __init__(self, value) -> None:
        self.value = value


@default_rules.batched.register(run_checkpointed)
def run_checkpointed_batched(lanes: Lanes, *given):
    """Checkpoint all examples together: a tape outside of them keeps their arguments only."""
    marked = [changed_lanes(lane, arg, InLanes) for lane, arg in zip(lanes, given, strict=True)]
    leaves, rebuilt = flatten(tuple(marked))
    are_laned = tuple([type(leaf) is InLanes for leaf in leaves])
    save = given[0].save

    def one_example(*leaves):
        return run_checkpointed(*rebuilt(list(leaves)))

    def all_examples(*leaves):
        return each_example(one_example, are_laned, leaves)

    values = tuple([leaf.value if type(leaf) is InLanes else leaf for leaf in leaves])
    y = call_traced(run_checkpointed, (Checkpointed(all_examples, save), values, {}), {})
    results, made = flatten(y)
    return made([y if has_entries(y) else Same(y) for y in results])


class SavingTape(Tape):
    """A tape that saves what the stages of some primals return, or takes what was saved.

    It takes slow dispatch only, so that every operation comes through `stage`.
    """

    __slots__ = ("first", "save", "saved")

    def __init__(self, engine, save: frozenset[Any], saved: Saved, first: bool) -> None:
        super().__init__(engine)
        self.stages = SlowDispatchOnly()
        self.save, self.saved, self.first = save, saved, first

    def stage(
        self, primal, plan: Plan, values: tuple[Any, ...], options: Options
    ) -> tuple[Any, Any, Any]:
        """Run the rule of a call; of a primal in `save` only in the first run: the second takes
        what was saved.
        """
        if primal not in self.save:
            return super().stage(primal, plan, values, options)
        if not self.first:
            return self._next(primal)
        self.saved.append(super().stage(primal, plan, values, options))
        return self.saved[-1]

    def _next(self, primal) -> tuple[Any, Any, Any]:
        """Return what the rule of this call gave in the first run."""
        if not self.saved:
            where = f"checkpoint(save={{{qualified_name(primal)}}})"
            got = "more calls in the second run than in the first"
            instead = "let the function do the same each time"
            raise RecomputationError(where, got, instead, function=primal, value=None)
        return self.saved.popleft()
