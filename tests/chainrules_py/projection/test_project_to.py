"""A class of one's own is projected by one registered function, which subclasses inherit and
containers use.
"""

import gc
import threading
import weakref

import numpy as np
import pytest

from chainrules_py.projection import ProjectTo
from chainrules_py.projection.project_to import SpaceTable
from chainrules_py.tangents import ZERO, Thunk, unthunk


class Money:
    def __init__(self, amount, currency):
        self.amount, self.currency = amount, currency


class Debt(Money):
    """Inherits the projector of Money."""


class Bank(Money):
    """Has its own."""


@pytest.fixture
def table():
    """A table of its own, so that registering changes nobody else's."""
    table = SpaceTable()

    @table.register(Money)
    def project_money(x):
        sign = -1.0 if x.currency == "debt" else 1.0
        return lambda t: sign * t

    @table.register(Bank)
    def project_bank(x):
        return lambda t: "bank"

    return table


def test_a_class_joins_by_one_function(table):
    assert table(Money(1.0, "debt"))(2.0) == -2.0


def test_subclasses_inherit_the_nearest(table):
    assert table(Debt(1.0, "debt"))(2.0) == -2.0
    assert table(Bank(1.0, "debt"))(2.0) == "bank"


def test_zeros_and_thunks_do_not_reach_the_function(table):
    project = table(Money(1.0, "debt"))
    assert project(ZERO) is ZERO
    thunk = project(Thunk(lambda: 2.0))
    assert isinstance(thunk, Thunk)
    assert unthunk(thunk) == -2.0


def test_registering_later_counts(table):
    class Late(float):
        pass

    assert table(Late(1.0))(2.0) == 2.0
    table.register(Late)(lambda x: lambda t: "late")
    assert table(Late(1.0))(2.0) == "late"


def test_projectors_keep_no_value():
    class Holder:
        def __init__(self, array):
            self.array = array

    x = Holder(np.ones(3))
    alive = [weakref.ref(x), weakref.ref(x.array)]
    project = ProjectTo(x)
    del x
    gc.collect()
    assert [ref() for ref in alive] == [None, None]
    assert project.fields["array"].shape == (3,)


def test_threads_may_register_while_others_look_up(table):
    wrong = []

    def look_up():
        for _ in range(2000):
            if table(Money(1.0, "debt"))(2.0) != -2.0:
                wrong.append(1)

    threads = [threading.Thread(target=look_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(200):
        table.register(type(f"C{i}", (), {}))(lambda x: lambda t: t)
    for thread in threads:
        thread.join()
    assert wrong == []
