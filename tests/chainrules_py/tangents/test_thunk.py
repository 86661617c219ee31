"""A thunk computes its value once, when it is asked for, in any thread, and frees what it needed
for that.
"""

import copy
import gc
import pickle
import threading
import traceback
import weakref

import numpy as np
import pytest

from chainrules_py.accumulation import Owned, accumulate, accumulated
from chainrules_py.tangents import NO_TANGENT, ZERO, InplaceableThunk, Thunk, unthunk


def counting(value):
    calls = []

    def compute():
        calls.append(None)
        return value

    return compute, calls


def test_it_computes_when_asked_and_once():
    compute, calls = counting(2.0)
    t = Thunk(compute)
    assert (calls, t.forced) == ([], False)
    assert (unthunk(t), unthunk(t), t.forced) == (2.0, 2.0, True)
    assert len(calls) == 1


def test_eight_threads_compute_once():
    barrier, calls, values = threading.Barrier(8), [], []

    def compute():
        calls.append(None)
        threading.Event().wait(0.02)
        return object()

    t = Thunk(compute)

    def ask():
        barrier.wait()
        values.append(unthunk(t))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert (len(values), len(set(map(id, values)))) == (8, 1)


def test_unthunk_goes_all_the_way_and_passes_the_rest():
    assert unthunk(Thunk(lambda: Thunk(lambda: 2.0))) == 2.0
    x = np.ones(2)
    assert unthunk(x) is x
    assert unthunk(Thunk(lambda: ZERO)) is ZERO


def test_an_exception_keeps_its_traceback_and_is_not_a_value():
    attempts = []

    def failing_pullback():
        attempts.append(None)
        if len(attempts) == 1:
            raise ValueError("once")
        return 3.0

    t = Thunk(failing_pullback)
    with pytest.raises(ValueError, match="once") as info:
        unthunk(t)
    assert any(
        frame.name == "failing_pullback" for frame in traceback.extract_tb(info.value.__traceback__)
    )
    assert unthunk(t) == 3.0


def test_residuals_are_freed_once_forced():
    class Residual:
        pass

    def make(kind):
        residual = Residual()
        compute = (lambda: residual and 1.0) if kind == "compute" else (lambda: 1.0)
        add_into = (lambda buffer: residual) if kind == "add_into" else (lambda buffer: None)
        zeros = (lambda: residual) if kind == "zeros" else (lambda: None)
        return InplaceableThunk(add_into, compute, zeros), weakref.ref(residual)

    for kind in ("compute", "add_into", "zeros"):
        t, alive = make(kind)
        gc.collect()
        assert alive() is not None
        unthunk(t)
        gc.collect()
        assert alive() is None


def getitem_pullback():
    return Thunk(lambda: 1.0)


def test_it_is_named_by_the_rule_that_made_it():
    def solve_rrule():
        def compute():
            return 1.0

        return Thunk(compute)

    assert getitem_pullback().name == "getitem_pullback"
    assert solve_rrule().name == "solve_rrule"
    assert Thunk(lambda: 1.0, "mine").name == "mine"
    assert "getitem_pullback" in repr(getitem_pullback())


def test_pickles_and_copies_are_the_value():
    for made in (pickle.loads, copy.copy, copy.deepcopy):
        t = Thunk(lambda: np.arange(3.0))
        value = made(pickle.dumps(t)) if made is pickle.loads else made(t)
        assert isinstance(value, np.ndarray)
        assert value.tolist() == [0.0, 1.0, 2.0]


def test_it_behaves_like_its_value_where_values_are_asked_for():
    t = Thunk(lambda: 2.0)
    assert (float(t), complex(t), bool(t), t == 2.0, hash(t)) == (
        2.0,
        2 + 0j,
        True,
        True,
        hash(2.0),
    )
    assert (t**2, 2**t, t < 3.0, abs(-t)) == (4.0, 4.0, True, 2.0)
    assert list(Thunk(lambda: np.ones(2))) == [1.0, 1.0]
    assert np.asarray(Thunk(lambda: np.ones(2))).dtype == np.float64


def test_numpy_functions_run_on_the_value():
    x = np.arange(3.0)
    np.testing.assert_array_equal(np.sin(Thunk(lambda: x)), np.sin(x))
    np.testing.assert_array_equal(np.cumprod(Thunk(lambda: x)), np.cumprod(x))
    np.testing.assert_array_equal(np.concatenate([Thunk(lambda: x), x]), np.concatenate([x, x]))
    np.testing.assert_array_equal(x == Thunk(lambda: x + 0), np.full(3, True))
    np.testing.assert_array_equal(np.clip(x, 0.5, a_max=Thunk(lambda: 1.5)), np.clip(x, 0.5, 1.5))
    assert np.multiply(Thunk(lambda: ZERO), x) is ZERO
    y = np.ones(3)
    y += Thunk(lambda: x)
    assert y.tolist() == [1.0, 2.0, 3.0]


def test_zeros_do_not_force():
    t = Thunk(lambda: pytest.fail("forced"))
    assert t + ZERO is t
    assert NO_TANGENT + t is t
    assert t - ZERO is t
    assert ZERO * t is ZERO
    assert np.ones(2) * ZERO * t is ZERO


def test_inplaceable_asks_whether_a_buffer_fits():
    """Where it does not fit, the value is added: nothing is scattered."""

    def never(buffer):
        pytest.fail("scattered into what does not fit")

    value = np.array([0.0, 5.0])
    for fits, scatter, result in (
        (lambda buffer: False, never, [1.0, 6.0]),
        (lambda buffer: buffer.size == 2, lambda buffer: buffer.fill(8.0), [8.0, 8.0]),
    ):
        t = InplaceableThunk(scatter, lambda: value, lambda: np.zeros(2), fits=fits)
        buffer = Owned(np.ones(2))
        assert t.fits_into(buffer.buffer) is fits(buffer.buffer)
        assert (t.taking(buffer.buffer) is buffer.buffer) is fits(buffer.buffer)
        assert accumulated(accumulate(buffer, t)).tolist() == result
