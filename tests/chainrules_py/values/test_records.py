"""Records are made as dataclasses are, and do not change."""

import copy
import inspect
import pickle
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import pytest

from chainrules_py.values.records import Record


class Interval(Record):
    begin: float
    end: float = 1.0
    unit: ClassVar[str] = "s"

    @cached_property
    def length(self):
        return self.end - self.begin


class Named(Interval):
    name: str = ""
    end: float = 2.0


@dataclass(frozen=True)
class IntervalByDataclass:
    begin: float
    end: float = 1.0
    unit: ClassVar[str] = "s"


@dataclass(frozen=True)
class NamedByDataclass(IntervalByDataclass):
    name: str = ""
    end: float = 2.0


CALLS = [
    *[((), {}), ((1.0,), {}), ((1.0, 2.0), {}), ((1.0, 2.0, "a"), {}), ((1, 2, 3, 4), {})],
    *[((), {"begin": 1.0}), ((), {"end": 1.0}), ((1.0,), {"end": 3.0, "name": "a"})],
    *[((1.0,), {"begin": 1.0}), ((1.0,), {"unit": "m"}), ((1.0,), {"colour": "red"})],
]


@pytest.mark.parametrize(("args", "values"), CALLS)
@pytest.mark.parametrize(
    ("record", "expected"), [(Interval, IntervalByDataclass), (Named, NamedByDataclass)]
)
def test_an_instance_is_made_as_of_a_dataclass(record, expected, args, values):
    try:
        made = expected(*args, **values)
    except TypeError:
        with pytest.raises(TypeError, match=record.__name__):
            record(*args, **values)
        return
    found = record(*args, **values)
    names = vars(made)
    assert {name: getattr(found, name) for name in names} == names
    assert record.field_names == tuple(names)
    assert repr(found) == repr(made).replace("ByDataclass", "")


def test_it_does_not_change():
    x = Interval(0.5)
    with pytest.raises(AttributeError, match="replaced"):
        x.begin = 1.0
    with pytest.raises(AttributeError, match="stays"):
        del x.begin
    assert (x.begin, x.length) == (0.5, 0.5)


def test_a_copy_with_other_values_computes_anew():
    x = Named(0.5, name="a")
    assert x.length == 1.5
    y = x.replaced(begin=1.0)
    assert (type(y), y.begin, y.end, y.name, y.length) == (Named, 1.0, 2.0, "a", 1.0)
    assert x.begin == 0.5
    with pytest.raises(TypeError, match="colour"):
        x.replaced(colour="red")


def test_it_is_equal_to_itself_alone_and_is_copied_and_pickled():
    x = Interval(0.5)
    assert x != Interval(0.5)
    assert len({x, x, Interval(0.5)}) == 2
    for y in (copy.copy(x), pickle.loads(pickle.dumps(x))):
        assert (y.begin, y.end) == (0.5, 1.0)


def test_the_signature_of_a_class_has_its_names():
    assert str(inspect.signature(Named)) == "(begin, end=2.0, name='')"
    assert not hasattr(Named(0.0), "__signature__")
