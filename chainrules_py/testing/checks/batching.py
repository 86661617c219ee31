"""Check that a rule for batching gives what one call per lane gives.

The lanes of a call hold its arguments times 1, 0.999, 0.998, ..., which stay in the domain as a
rule. Values, dtypes and shapes of each lane are those of the primal, called for that lane alone.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Options
from chainrules_py.batching.lanes import (
    Lanes,
    all_in_lanes,
    changed_lanes,
    laned_values,
    stand_in,
)
from chainrules_py.errors import BatchingError
from chainrules_py.rules.rule import Rule
from chainrules_py.testing.checks.value import describe_kind, value_problem
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.subject import RuleSubject
from chainrules_py.testing.trial import Trial
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import fields, is_container, mapped, rebuild

COUNT = 7  # a length that hardly any axis of a sample has
STEP = 0.001
# what a primal raises that does not take the arguments of some lane
REFUSALS = (TypeError, ValueError, ArithmeticError, IndexError, RuntimeError)


@dataclass(frozen=True)
class LanedCall:
    """A call of which some arguments and options have lanes, and what each lane gives."""

    name: str
    lanes: Lanes
    args: Args
    options: Options
    results: tuple[Any, ...]

    def changed(self, change: Callable[[Any], Any]) -> tuple[Args, Options]:
        """The arguments and options, those with lanes changed."""
        pairs = zip(self.lanes, self.args, strict=False)
        args = tuple([changed_lanes(lane, arg, change) for lane, arg in pairs])
        laned = self.lanes[len(args) :]
        options = self.options.items()
        return args, {key: changed_lanes(key in laned, x, change) for key, x in options}

    def shortened(self, count: int) -> "LanedCall":
        """The call of the first lanes alone."""
        args, options = self.changed(lambda x: x[:count])
        name = f"{self.name}, {count} lanes"
        return LanedCall(name, self.lanes, args, options, self.results[:count])


def check_batching(trial: Trial) -> None:
    """The rule gives the results of the loop: for 7 lanes, 1 and none, of some and all arguments."""
    rule = batching_rule_of(trial)
    if rule is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of arguments that are near those given
        check_all_calls(trial, rule)


def check_all_calls(trial: Trial, rule: Rule) -> None:
    """Check the rule for batching in all calls with lanes that are made of a trial."""
    calls = [call for call in laned_calls(trial, rule) if not is_refused_mask(trial, call)]
    for call in calls:
        check_laned_call(trial, call)
    if calls:
        check_laned_call(trial, calls[0].shortened(1))
        check_no_lanes(trial, calls[0])


def batching_rule_of(trial: Trial) -> Rule | None:
    """The rule for batching that a call has."""
    if not isinstance(trial.subject, RuleSubject):
        return None
    types = tuple(map(type, trial.args))
    return trial.subject.rules.batching_rule(trial.subject.primal, types)


def laned_calls(trial: Trial, rule: Rule | None) -> Iterator[LanedCall]:
    """Lanes in all arguments, in the first, in the last, and in options that may have some.

    In the last call every other lane is in reverse order, so that what depends on the order of the
    entries differs between lanes.
    """
    movable = [index for index, arg in enumerate(trial.args) if has_arrays(arg)]
    laned = rule.laned_options if rule is not None else frozenset()
    given = trial.subject.options
    names = tuple([name for name in given if name in laned and has_arrays(given[name])])
    patterns: dict[tuple[Any, ...], str] = {
        tuple(movable): "lanes in all arguments",
        tuple(movable[:1]): "lanes in the first argument",
        tuple(movable[-1:]): "lanes in the last argument",
        names: "lanes in options",
        (*movable, *names): "lanes in all arguments and options",
    }
    for chosen, name in patterns.items():
        if chosen:
            yield from first_that_runs(trial, name, chosen, (scaled_lanes, repeated))
    if movable:
        yield from first_that_runs(
            trial, "lanes in different orders", tuple(movable), (scaled_and_reversed,)
        )


def first_that_runs(
    trial: Trial,
    name: str,
    chosen: tuple[Any, ...],
    changes: tuple[Callable[[Any], Any], ...],
) -> Iterator[LanedCall]:
    """The call with the first of several kinds of lanes that the primal takes in each lane."""
    for put in changes:
        pairs = [
            put_into_lanes(arg, put) if index in chosen else (False, arg)
            for index, arg in enumerate(trial.args)
        ]
        options = {
            key: put(value) if key in chosen else value
            for key, value in trial.subject.options.items()
        }
        names = tuple([key for key in chosen if type(key) is str])
        lanes = (*(lane for lane, _ in pairs), *names)
        args = tuple([arg for _, arg in pairs])
        call = LanedCall(name, lanes, args, options, ())
        results = loop_of(trial, call)
        if results is not None:
            yield replace(call, results=results)
            return


def is_refused_mask(trial: Trial, call: LanedCall) -> bool:
    """Whether a rule refuses a mask that may choose another number of entries in each lane."""
    arrays = laned_values(call.lanes, call.args)
    if not any(array.dtype.kind == "b" for array in arrays):
        return False
    try:
        answer(trial, call)
    except CheckFailure as failure:
        return isinstance(failure.__cause__, BatchingError) and "mask" in str(failure.__cause__)
    return False


def loop_of(trial: Trial, call: LanedCall) -> tuple[Any, ...] | None:
    """The results of the primal for each lane; None where it refuses, or where shapes differ."""
    results = []
    try:
        with np.errstate(all="ignore"):
            for number in range(COUNT):
                args, options = call.changed(itemgetter(number))
                results.append(trial.subject.primal(*args, **options))
    except REFUSALS:
        return None
    first = kinds(results[0])
    return tuple(results) if all(kinds(result) == first for result in results) else None


def kinds(result) -> Any:
    """The dtypes and shapes of the parts of a result."""
    if is_container(result):
        return {key: kinds(part) for key, part in fields(result).items()}
    return describe_kind(result)


# Values in lanes


def has_arrays(value) -> bool:
    """Whether something in a value can have lanes: an array, or a number that is not an integer."""
    if is_container(value):
        return any(map(has_arrays, fields(value).values()))
    if type(value) in (float, complex):
        return True
    library = library_of(type(value))
    return library is not None and hasattr(library.namespace, "stack") and hasattr(value, "reshape")


def put_into_lanes(value, put: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Put the arrays of a value into lanes; the first part says where there are some."""
    if not has_arrays(value):
        return False, value
    if not is_container(value):
        return True, put(value)
    parts = {key: put_into_lanes(part, put) for key, part in fields(value).items()}
    lanes = tuple([lane for lane, _ in parts.values()])
    return lanes, rebuild(value, {key: part for key, (_, part) in parts.items()})


def scaled_lanes(x) -> Any:
    """The lanes of an array: it times 1 - 0.001 k; integers are the same in all of them."""
    return stacked_lanes(x, times_factor_of_lane)


def repeated(x) -> Any:
    """The lanes of an array that are all equal to it."""
    return stacked_lanes(x, lambda lane, number: lane)


def scaled_and_reversed(x):
    """The lanes of an array as `scaled_lanes` makes them, the entries of each second one backwards."""

    def lane_of(lane, number: int) -> Any:
        own = times_factor_of_lane(lane, number)
        return own.reshape(-1)[::-1].reshape(own.shape) if number % 2 else own

    return stacked_lanes(x, lane_of)


def times_factor_of_lane(x, number: int) -> Any:
    """An array times the factor of a lane, in its dtype."""
    if x.dtype.kind not in "fc":
        return x
    return x * x.dtype.type(1.0 - STEP * number)


def stacked_lanes(x, lane_of: Callable[[Any, int], Any]) -> Any:
    """An array with a lane for each number, which cannot be written to."""
    library = library_of(type(x))
    xp = np if library is None else library.namespace
    array = xp.asarray(x)
    lanes = xp.stack([lane_of(array, number) for number in range(COUNT)])
    if type(lanes) is np.ndarray:
        lanes.flags.writeable = False
    return lanes


# Comparing


def check_laned_call(trial: Trial, call: LanedCall) -> None:
    """Each lane of what the rule gives is the result of the primal for that lane."""
    got = answer(trial, call)
    for number, expected in enumerate(call.results):
        own = lane_of_result(got, number)
        said = value_problem(own, in_numpy(expected), trial.tolerance.oracle)
        if said:
            raise_failure(trial, call, f"in lane {number} {said}")


def check_no_lanes(trial: Trial, call: LanedCall) -> None:
    """Without any lane the result has the shape and dtype that it has with some, or for ones.

    Where these two differ in shape, that depends on values, and only dtype and rank are compared.
    """
    empty = call.shortened(0)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # of functions that are called without numbers, or with ones
        got = kinds(answer(trial, empty))
    if got == kinds_without_lanes(call.results[0]):
        return
    ones, options = empty.changed(stand_in)
    with np.errstate(all="ignore"):
        try:
            result = trial.subject.primal(*ones, **options)
        except REFUSALS:
            return  # it refuses ones: what shape the result has depends on values
    expected = kinds_without_lanes(result)
    if expected != kinds_without_lanes(call.results[0]):
        got, expected = ranks(got), ranks(expected)
    if got != expected:
        raise_failure(trial, empty, f"the result has dtype and shape {got} instead of {expected}")


def answer(trial: Trial, call: LanedCall) -> Any:
    """The result of the rule, with lanes in front everywhere."""
    subject: Any = trial.subject
    types = tuple(map(type, call.args))

    def ask():
        run = subject.rules.in_lanes(subject.primal, types, call.lanes)
        return all_in_lanes(subject.primal, run(*call.args, **call.options), len(call.results))

    return trial.guarded("batching", ask)


def in_numpy(result) -> Any:
    """A result whose numbers of Python are NumPy's, as they are in lanes."""
    if is_container(result):
        return mapped(in_numpy, result)
    return np.asarray(result)[()] if isinstance(result, int | float | complex) else result


def lane_of_result(result, number: int) -> Any:
    """One lane of a result, whose arrays have their lanes first."""
    if is_container(result):
        return mapped(lambda part: lane_of_result(part, number), result)
    return result[number] if is_array(result) else result


def is_array(x) -> bool:
    """Whether something is an array or a number of a library."""
    return library_of(type(x)) is not None and hasattr(x, "shape")


def kinds_without_lanes(result) -> Any:
    """The dtypes and shapes that results with no lane have, given that of one lane."""
    if is_container(result):
        return {key: kinds_without_lanes(part) for key, part in fields(result).items()}
    if not is_array(result) and not isinstance(result, bool | int | float | complex):
        return describe_kind(result)
    dtype, shape = describe_kind(result)
    return dtype, (0, *shape)


def ranks(kinds) -> Any:
    """The dtypes and shapes of results with the rank in the place of each shape."""
    if isinstance(kinds, dict):
        return {key: ranks(kind) for key, kind in kinds.items()}
    dtype, shape = kinds
    return dtype, len(shape)


def raise_failure(trial: Trial, call: LanedCall, said: str) -> None:
    """Raise the failure of a call with lanes."""
    shapes = ", ".join(str(np.shape(x)) for x in laned_values(call.lanes, call.args))
    sentence = f"{call.name} ({shapes or 'options'}): {said}"
    raise trial.failure("batching", "batching", Diagnosis("lanes", sentence))
