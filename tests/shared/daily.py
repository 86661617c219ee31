"""Which tests run daily, and which are `long` or `slow`, and left out unless `-m` names that.

Of a rule the first sample runs in every dtype, the further ones in one of them, in turn. Of a test
marked `kinds` one primal of each kind of rule runs, by one sample in each dtype; of one marked
`one_in(k)` one parameter in `k`. The others are `long`. Of parameters that are left out no tests
are made: they are more than the others, and making them took a third of the time until the first
test ran.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any
from zlib import crc32

import pytest

from chainrules_py import default_rules
from chainrules_py.rules.rule import MODES
from chainrules_py.testing.cases import Case
from chainrules_py.testing.pytest_cases import BothModes

LEFT_OUT = ("long", "slow")
FIRST = 1  # samples of a primal that run in every dtype
PARAMETERS = type(pytest.param())  # the class of what that returns


def choose_parameters(definition: pytest.Function, expression: str) -> None:
    """Leave the parameters of a test that `-m` asks for, marked as they are to be."""
    absent = {marker for marker in LEFT_OUT if marker not in expression}
    none_runs = any(map(definition.get_closest_marker, absent))
    of_kinds = definition.get_closest_marker("kinds") is not None
    for place, mark in enumerate(definition.own_markers):
        if mark.name == "parametrize":
            definition.own_markers[place] = chosen(mark, of_kinds, absent, none_runs)


def chosen(parametrize: pytest.Mark, of_kinds: bool, absent: set[str], none: bool) -> pytest.Mark:
    """Parameters without those that are left out; the first one where none is left."""
    names, values, *more = parametrize.args
    found, ids = with_marks(separate(names), [*values], of_kinds), parametrize.kwargs.get("ids")
    left = [k for k, value in enumerate(found) if not absent & marks_of(value)]
    if none or not left:
        left = [*range(len(found))][:1]
    kwargs = parametrize.kwargs
    if ids is not None and not callable(ids):
        ids = [*ids]
        kwargs = {**kwargs, "ids": [ids[k] for k in left]}
    return pytest.mark.parametrize(names, [found[k] for k in left], *more, **kwargs).mark


def separate(names: str | Iterable[str]) -> list[str]:
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]


def marks_of(value: Any) -> set[str]:
    """The names of the marks of one parameter."""
    return {mark.name for mark in value.marks} if isinstance(value, PARAMETERS) else set()


def with_marks(names: list[str], values: list[Any], of_kinds: bool) -> list[Any]:
    """Parameters, of which those about a primal or case that do not run daily are `long`."""
    named = [name for name in names if name in ("primal", "case")]
    if not named:
        return values
    given = [
        value.values if isinstance(value, PARAMETERS) else value if len(names) > 1 else (value,)
        for value in values
    ]
    subjects = [each[names.index(named[0])] for each in given]
    marked = {k for k, value in enumerate(values) if marks_of(value) & {*LEFT_OUT}}
    late = {*in_further_dtypes(subjects)}
    if of_kinds:
        late |= {*of_further_primals(subjects, marked | late)}
    found = list(values)
    for k in late - marked:
        more = values[k] if isinstance(values[k], PARAMETERS) else pytest.param()
        found[k] = pytest.param(*given[k], marks=[*more.marks, pytest.mark.long], id=more.id)
    return found


def in_further_dtypes(subjects: list[Any]) -> Iterator[int]:
    """The places of samples in another dtype: of each sample after the first ones of its primal all
    but one.
    """
    samples: dict[Any, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, subject in enumerate(subjects):
        case = subject.cases[0] if isinstance(subject, BothModes) else subject
        if isinstance(case, Case):
            samples[case.primal][case.sample.name].append(place)
    for of_one_primal in samples.values():
        for turn, same in enumerate([*of_one_primal.values()][FIRST:]):
            yield from (place for k, place in enumerate(same) if k != turn % len(same))


def of_further_primals(subjects: list[Any], late: set[int]) -> Iterator[int]:
    """The places of all primals but the first of each kind of rule, and of all of its samples but
    the first in each dtype.
    """
    first: dict[Any, Any] = {}
    for place, subject in enumerate(subjects):
        if place in late:
            continue
        is_case = isinstance(subject, Case)
        primal = subject.primal if is_case else subject
        is_first = first.setdefault(kind_of_rules(primal), primal) is primal
        if is_case:
            is_first &= first.setdefault((primal, subject.dtype), subject) is subject
        if not is_first:
            yield place


@cache
def kind_of_rules(primal: Any) -> Any:
    """What rules have in common that engines and array libraries treat alike: the file that they
    stand in, how they were made, and which arguments they take.
    """
    rules = [rule for rule in default_rules.rules(primal) if rule.mode in MODES]
    return frozenset(
        (
            *(rule.mode, rule.where.rpartition(":")[0], rule.signature),
            *(rule.body is None, rule.partials is None, rule.linear is None),
        )
        for rule in rules
    )


def out_of_turn(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests marked `one_in(k)` but for those of each function's lowest lot: by their own names,
    whatever else there is.
    """
    tests: dict[Any, list[tuple[int, pytest.Item]]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark and not any(map(item.get_closest_marker, LEFT_OUT)):
            lot = crc32(item.nodeid.encode()) % mark.args[0]
            tests[item.parent, getattr(item, "originalname", "")].append((lot, item))
    for same in tests.values():
        lowest = min(lot for lot, _ in same)
        yield from (item for lot, item in same if lot > lowest)
