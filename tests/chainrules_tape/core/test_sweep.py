"""Time, memory and the garbage collector: a million operations are an ordinary program."""

import gc
import time
import tracemalloc
import weakref

import numpy as np
import pytest

from chainrules_py import Array, default_rules, primitive, rrule
from chainrules_py.strong_zeros.strictness import this_thread
from chainrules_py.tangents import MatrixProduct, materialize
from chainrules_tape import grad, value_and_grad, vjp
from chainrules_tape.core.config import engine_of, new_tape
from chainrules_tape.core.sweep import plain_sweep, sweep
from chainrules_tape.core.tracing import trace
from product.judge import case_of
from product.programs import rows_of

V = np.array([0.3, -0.7])


SWEPT = [program for program in rows_of("plain")[::4] if "list" not in program.marks]


@pytest.mark.parametrize("program", SWEPT, ids=lambda program: program.name)
def test_the_sweep_computes_what_the_plain_one_does(program):
    case, args = case_of(program), program.args()
    tape = new_tape(engine_of(default_rules))
    _, outputs, finished = trace(tape, case.loss(program.function), args, {}, keep=True)
    seeds = [(slot, np.float64(1.5)) for slot in outputs.slots if slot is not None]
    both = zip(plain_sweep(finished, seeds), sweep(finished, seeds), args, strict=True)
    for plain, bar, x in both:
        np.testing.assert_allclose(materialize(bar, like=x), materialize(plain, like=x))
    assert len(finished.parents) == finished.count


@pytest.mark.parametrize("seed", [np.inf, np.float64(np.inf), np.array(np.inf)], ids=repr)
def test_infinite_cotangents_of_numbers_leave_zeros_zero(seed):
    assert vjp(lambda x, z: x * z, 0.0, 2.0)[1](seed) == (np.inf, 0.0)


@primitive
def failing(x):
    return np.sum(x)


@rrule.register(failing)
def failing_rrule(x: Array, *, xp):
    def failing_pullback(y_bar):
        raise ZeroDivisionError

    return xp.sum(x), failing_pullback


@pytest.mark.parametrize("function", [failing, lambda x: failing(x) * x[0]])
def test_nothing_is_strict_after_a_sweep_that_failed(function):
    with pytest.raises(ZeroDivisionError):
        grad(function)(V)
    assert not this_thread.strictness.applies


def chain(x, count):
    for _ in range(count // 2):
        x = np.sin(x) * 1.01
    return x


def seconds(count):
    vjp(lambda x: chain(x, 2), np.ones(1))  # what is looked up once
    start = time.process_time()  # not the clock on the wall: other processes may want the machine
    _, pullback = vjp(lambda x: chain(x, count), np.ones(1))
    pullback(np.ones(1))
    del pullback
    return time.process_time() - start


def test_a_long_tape_is_built_swept_and_freed_without_recursion():
    # 200 times as long; a crowded machine takes some times as long per operation
    assert seconds(200_000) / 200_000 < 20 * seconds(1000) / 1000


def test_reference_counts_alone_free_everything():
    class Marked(np.ndarray):
        """An array that can be watched."""

    alive = []

    def f(x):
        c = np.ones((3, 10_000)).view(Marked)  # small ones are copied
        alive.append(weakref.ref(c))
        y = np.sin(x) * np.asarray(1.0)
        return np.sum(np.outer(y, y)[0] + np.concatenate([y, y])[:3] + np.sum(c.T * y))

    def second_order(x):
        return np.sum(grad(f)(x) ** 2)

    grad(second_order)(np.ones(3))  # the rules are written, which leaves cycles behind, once
    alive.clear()
    gc.collect()
    gc.disable()
    try:
        y, pullback = vjp(f, np.ones(3))
        pullback(1.0)
        assert alive[0]() is not None
        del y, pullback
        assert alive[0]() is None
        grad(f)(np.ones(3))
        grad(second_order)(np.ones(3))
        assert all(reference() is None for reference in alive)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_what_is_kept_is_freed_as_the_sweep_goes():
    size, count = 100_000, 40
    x = np.ones(size)

    def peak(run):
        tracemalloc.start()
        try:
            run()
            return tracemalloc.get_traced_memory()[1] / x.nbytes
        finally:
            tracemalloc.stop()

    grad(lambda x: np.sum(chain(x, 4)))(x)
    # 20 arrays are kept: the arguments of sin. The sweep needs four more, and the sum of all is
    # reached at no time.
    assert peak(lambda: grad(lambda x: np.sum(chain(x, count)))(x)) < 20 + 5


def test_an_exception_frees_the_tape():
    kept = []

    class Marked(np.ndarray):
        """An array that can be watched."""

    def f(x):
        c = np.ones(3).view(Marked)
        kept.append(weakref.ref(c))
        np.sum(x * c)
        raise ZeroDivisionError

    gc.disable()
    try:
        with pytest.raises(ZeroDivisionError):
            value_and_grad(f)(np.ones(3))
        assert kept[0]() is None
    finally:
        gc.enable()


# shapes of what is centred and of the mean, how it goes on, and how often a product is multiplied
# out
CENTRED = {
    "matrices": ((3000, 8), (8,), lambda c, w: np.tanh(c @ w), 0),
    "stacks": ((4, 800, 8), (4, 1, 8), lambda c, w: np.tanh(c @ w), 0),
    "several additions": ((3000, 8), (8,), lambda c, w: np.tanh((2.0 + c - 1.0) @ w), 0),
    "used twice": ((3000, 8), (8,), lambda c, w: np.tanh(c @ w) + np.sum(c), 1),
    "no addition": ((3000, 8), (8,), lambda c, w: np.sin(c) @ w, 1),
    "another operand": ((3000, 8), (8,), lambda c, w: (c - c[:1]) @ w, 1),
}


@pytest.mark.parametrize("case", CENTRED)
def test_a_large_product_is_multiplied_out_only_for_those_who_need_all_of_it(case, monkeypatch):
    shape, mean_shape, then, expected = CENTRED[case]
    rng = np.random.default_rng(0)
    x, mean, w = (
        rng.normal(size=shape),
        rng.normal(size=mean_shape),
        rng.normal(size=(*shape[:-2], 8, 3)),
    )
    multiplied = []
    evaluate = MatrixProduct._evaluate
    monkeypatch.setattr(
        MatrixProduct, "_evaluate", lambda self: multiplied.append(self) or evaluate(self)
    )

    def loss(mean, w):
        return np.sum(then(x - mean, w))

    grad(loss, (0, 1))(mean, w)
    assert len(multiplied) == expected
