"""Which tests run daily, and which are `long` or `slow`, and left out unless `-m` names that.

Of a rule the first sample runs in every dtype, the further ones in one of them, in turn. Of a test
marked `kinds` one primal of each kind of rule runs, by one sample in each dtype; of one marked
`one_in(k)` one call in `k`, by their own names, whatever else there is. The others are `long`.

Pytest makes a list of the calls of a test, and takes 20 times as long to make tests of them: it
makes none of what `-k` and `-m` leave out. The library is imported for tests of its rules alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any
from zlib import crc32

import pytest
from _pytest.mark import KeywordMatcher, _parse_expression

LEFT_OUT = ("long", "slow")
LONG = pytest.mark.long.mark
FIRST = 1  # samples of a primal that run in every dtype


class Asked:
    """What `-k` and `-m` ask for, and how much of that is left out, by the mark which says so."""

    def __init__(self, keyword: str, markers: str) -> None:
        self.keyword = parsed(keyword, "-k")
        self.markers = parsed(markers, "-m")
        self.absent = {marker for marker in LEFT_OUT if marker not in markers}
        self.left_out: dict[str, int] = Counter()

    def choose_calls(self, metafunc: pytest.Metafunc) -> None:
        """Mark the calls of a test that do not run daily, and leave those that are asked for.

        Where there are none, one stays, and is left out as a test.
        """
        test, calls = metafunc.definition, metafunc._calls
        for call in late_calls(test, calls):
            call.marks.append(LONG)
        words, marks = f"{words_of(test)}\n{test.name}", marks_of(test)
        chosen, late = [], []
        for call in calls:
            own = marks | names_of(call.marks) if call.marks else marks
            if self.matches(f"{words}[{call.id}]", own):
                (late if self.absent & own else chosen).append((call, own))
        if not chosen:
            chosen, late = late[:1], late[1:]
        for _, own in late:
            self.leave_out(own)
        metafunc._calls = [call for call, _ in chosen] or calls[:1]

    def is_left_out(self, item: pytest.Item, marks: set[str]) -> bool:
        """Whether a test does not run; counted, where it is asked for."""
        if not self.absent & marks:
            return False
        if self.matches(words_of(item), marks):
            self.leave_out(marks)
        return True

    def matches(self, words: str, marks: set[str]) -> bool:
        """Whether a test of these words and marks is asked for."""
        words = words.lower()
        return self.markers(marks.__contains__) and self.keyword(lambda word: word.lower() in words)

    def leave_out(self, marks: set[str]) -> None:
        """Count a test that is asked for, and does not run."""
        self.left_out[min(self.absent & marks)] += 1


def parsed(expression: str, option: str) -> Callable[[Callable[[str], bool]], bool]:
    """An expression of names as a function of what holds of a name."""
    if not expression.strip():
        return lambda holds: True
    found = _parse_expression(expression.lstrip(), f"Wrong expression passed to '{option}'")
    return lambda holds: found.evaluate(lambda name, /, **_: holds(name))


def words_of(node: Any) -> str:
    """What `-k` looks at."""
    return "\n".join(KeywordMatcher.from_item(node)._names)


def marks_of(node: Any) -> set[str]:
    """The names of the marks of a test, its classes and its module."""
    return names_of(node.iter_markers())


def names_of(marks: Iterable[pytest.Mark]) -> set[str]:
    return {mark.name for mark in marks}


def late_calls(test: pytest.Function, calls: list[Any]) -> list[Any]:
    """The calls of a test that do not run daily, but for those whose marks say so."""
    unmarked = [call for call in calls if not names_of(call.marks) & {*LEFT_OUT}]
    late = set(map(id, in_further_dtypes(distinct(calls))))
    if test.get_closest_marker("kinds"):
        early = [subject for subject in distinct(unmarked) if id(subject) not in late]
        late |= set(map(id, of_further_primals(early)))
    found, left = [], []
    for call in unmarked:
        (found if id(subject_of(call)) in late else left).append(call)
    mark = test.get_closest_marker("one_in")
    if mark and not marks_of(test) & {*LEFT_OUT}:
        prefix = test.nodeid
        names = [f"{prefix}[{call.id}]" for call in left]
        found += [left[k] for k in out_of_turn(names, mark.args[0])]
    return found


def subject_of(call: Any) -> Any:
    """The primal or case that a call is about, or None."""
    return call.params.get("primal", call.params.get("case"))


def distinct(calls: list[Any]) -> list[Any]:
    """What calls are about, each once."""
    subjects = {id(subject): subject for subject in map(subject_of, calls)}
    return [subject for subject in subjects.values() if subject is not None]


def in_further_dtypes(subjects: list[Any]) -> Iterator[Any]:
    """Samples in another dtype: of each sample after the first ones of its primal all but one."""
    if not subjects:
        return
    from chainrules_py.testing.cases import Case
    from chainrules_py.testing.pytest_cases import BothModes

    samples: dict[Any, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for subject in subjects:
        case = subject.cases[0] if isinstance(subject, BothModes) else subject
        if isinstance(case, Case):
            samples[case.primal][case.sample.name].append(subject)
    for of_one_primal in samples.values():
        for turn, same in enumerate([*of_one_primal.values()][FIRST:]):
            yield from (subject for k, subject in enumerate(same) if k != turn % len(same))


def of_further_primals(subjects: list[Any]) -> Iterator[Any]:
    """All primals but the first of each kind of rule, and of that all samples but the first in each
    dtype.
    """
    from chainrules_py.testing.cases import Case

    first: dict[Any, Any] = {}
    for subject in subjects:
        is_case = isinstance(subject, Case)
        primal = subject.primal if is_case else subject
        is_first = first.setdefault(kind_of_rules(primal), primal) is primal
        if is_case:
            is_first &= first.setdefault((primal, subject.dtype), subject) is subject
        if not is_first:
            yield subject


@cache
def kind_of_rules(primal: Any) -> Any:
    """What rules have in common that engines and array libraries treat alike: the file that they
    stand in, how they were made, and which arguments they take.
    """
    from chainrules_py import default_rules
    from chainrules_py.rules.rule import MODES

    rules = [rule for rule in default_rules.rules(primal) if rule.mode in MODES]
    return frozenset(
        (
            *(rule.mode, rule.where.rpartition(":")[0], rule.signature),
            *(rule.body is None, rule.partials is None, rule.linear is None),
        )
        for rule in rules
    )


def out_of_turn(names: list[str], one_in: int) -> list[int]:
    """The places of all tests but those of the lowest lot: by their own names."""
    lots = [crc32(name.encode()) % one_in for name in names]
    lowest = min(lots, default=0)
    return [place for place, lot in enumerate(lots) if lot > lowest]
