"""The collector of garbage rests until the last who wants that has ended, and is then as it was."""

import gc
import threading
import weakref

import pytest

from chainrules_py.introspection import collections_paused
from processes import printed


def test_it_rests_until_the_last_thread_has_ended():
    inside, leave = threading.Event(), threading.Event()

    def other():
        with collections_paused():
            inside.set()
            leave.wait(10)

    before = gc.get_threshold()
    thread = threading.Thread(target=other)
    with collections_paused():
        thread.start()
        inside.wait(10)
    assert gc.get_threshold()[0] == 0
    leave.set()
    thread.join()
    assert gc.get_threshold() == before


def test_nothing_is_collected():
    class Circle:
        def __init__(self):
            self.own = self

    gc.collect()
    first = weakref.ref(Circle())
    with collections_paused():
        kept = [[] for _ in range(10 * gc.get_count()[0] + 100_000)]
        assert first() is not None
    del kept


def test_who_imports_meanwhile_finds_the_collector_enabled():
    with collections_paused():
        assert gc.isenabled()


def test_who_has_no_collector_keeps_none():
    gc.disable()
    try:
        with collections_paused(), collections_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_error_ends_it():
    with pytest.raises(ZeroDivisionError), collections_paused():
        raise ZeroDivisionError
    assert gc.get_threshold()[0] > 0


IN_A_PROCESS_OF_ITS_OWN = """
import gc
from chainrules_py.introspection import collections_paused
gc.collect()
with collections_paused(all_stay={all_stay}):
    made = [[] for _ in range(10)]
oldest = {{id(x) for x in gc.get_objects(generation=2)}}
print({{id(x) in oldest for x in made}}, gc.get_threshold()[0] > 0)
"""


@pytest.mark.parametrize("all_stay", [True, False])
def test_what_stays_is_given_to_the_oldest_generation(all_stay):
    program = IN_A_PROCESS_OF_ITS_OWN.format(all_stay=all_stay)
    assert printed(program).strip() == f"{{{all_stay}}} True"


FROZEN = """
import gc
from chainrules_py.introspection import collections_paused
asked = []
count = gc.get_freeze_count
gc.get_freeze_count = lambda: asked.append(count()) or asked[-1]
gc.freeze()
frozen = count()
for _ in range(5):
    with collections_paused(all_stay=True):
        pass
print(len(asked), count() > 0.9 * frozen)
"""


def test_frozen_objects_stay_so_and_are_counted_once():
    assert printed(FROZEN).strip() == "1 True"
