"""The collector of garbage rests until the last who wants that has ended, and is then as it was."""

import gc
import threading

import pytest

from chainrules_py.introspection import collections_paused


def test_it_rests_until_the_last_thread_has_ended():
    inside, leave = threading.Event(), threading.Event()

    def other():
        with collections_paused():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with collections_paused():
        thread.start()
        inside.wait(10)
    assert not gc.isenabled()
    leave.set()
    thread.join()
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
    assert gc.isenabled()
