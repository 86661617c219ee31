"""Whole numbers in which a function counts, ``self.calls += 1``, and its programs count on.

A variable or an attribute to which all code that was followed only adds whole numbers decides
nothing. So what it holds is not compared before a program runs; what a recorded run has added, the
program adds, too.
"""

from collections.abc import Callable, Iterable
from types import CellType, WrapperDescriptorType
from typing import Any, NamedTuple


class Counter(NamedTuple):
    """The name of a whole number: in an object, in the dict of the globals, or in a cell."""

    holder: Any
    name: str

    def now(self) -> Any:
        """The number that is there now."""
        return number_in(self.holder, self.name)

    def put(self, value: int) -> None:
        """Write a number there."""
        put_into(self.holder, self.name, value)


class Counted(NamedTuple):
    """What a run adds to a number."""

    counter: Counter
    added: int

    def add(self) -> None:
        """Add it."""
        self.counter.put(self.counter.now() + self.added)


class Counts:
    """The numbers that a function may count in, as they are before a run."""

    def __init__(self, counters: Iterable[Counter]) -> None:
        self.before = [(counter, counter.now()) for counter in counters]

    def put_back(self) -> None:
        """Write the numbers from before."""
        for counter, value in self.before:
            counter.put(value)

    def added(self, copies_of: Callable[[Any], list[Any]]) -> tuple[Counted, ...]:
        """List what a run has added to the numbers, or to those in copies, which it puts back."""
        found = []
        for counter, value in self.before:
            added = counter.now() - value
            for holder in copies_of(counter.holder):
                added += number_in(holder, counter.name) - value
                put_into(holder, counter.name, value)
            if added:
                found.append(Counted(counter, added))
        self.put_back()
        return tuple(found)


def number_in(holder, name: str) -> Any:
    """What an object, a dict or a cell has under a name."""
    if type(holder) is dict:
        return holder[name]
    return holder.cell_contents if type(holder) is CellType else getattr(holder, name)


def put_into(holder, name: str, value: int) -> None:
    """Give an object, a dict or a cell a number under a name."""
    if type(holder) is dict:
        holder[name] = value
    elif type(holder) is CellType:
        holder.cell_contents = value
    else:
        setattr(holder, name, value)


def can_be_counted(x, name: str) -> bool:
    """Whether what an object may have under a name is a whole number, which it gives and takes as any
    object does; so is one that it has not, as long as it has none.
    """
    cls = type(x)
    state = getattr(x, "__dict__", {})
    if any(type(each.get(name, 0)) is not int for each in (state, *map(vars, cls.__mro__))):
        return False
    methods = cls.__setattr__, cls.__getattribute__
    return name not in state or all(type(each) is WrapperDescriptorType for each in methods)
