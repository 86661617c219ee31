"""What interrupts a derivative reaches its caller under its own name, wherever it comes."""

import itertools

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, hvp, jvp
from chainrules_tape.in_place.storages import STORED
from chainrules_tape.refusals import handles
from chainrules_tape.refusals.interrupts import raise_interrupt

X = np.linspace(0.1, 1.0, 5)


def written_in_place(x):
    y = tnp.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + x[i] * x[i]
    z = x.copy()
    z *= y
    part = z[1:]
    part += np.sin(x[:-1])
    z[0] = y[3]
    z = np.concatenate([z[:2], x[2:]]) * np.where(x > 0.2, z, y) + np.multiply(y, x)
    return np.sum((z + np.dot(np.eye(len(x)), y * x)) ** 2)


DERIVATIVES = {
    "grad": lambda: grad(written_in_place)(X),
    "jvp": lambda: jvp(written_in_place, (X,), (X,)),
    "hvp": lambda: hvp(written_in_place, X, X),
}


# While an exception waits, CPython 3.11 forgets it where it looks up an attribute that is neither in
# the class itself nor in its cache of methods. Two attributes may have one place in that cache, by
# the addresses of their names and the versions of their classes; then each look-up of the one forgets
# the other, and such an exception is lost each time. With other versions the places are others.
# None of 2,040 was lost in the last count, but in 1 of 30 processes the first try at one question, and
# in 1 of 120 all tries at one, whose two classes are not those that get other versions here.
TRIES = 8
LOST = 0.01  # of all tries, and a few more, as chance has it in a short run
QUESTIONS = 1  # at which every exception is lost


class Numbered:
    """Takes numbers of versions, so that the next ones go to others."""

    name = "a number is taken where this is looked up"


def renew_versions(skipped):
    """Give the classes of handles other versions, as any assignment to a class does.

    CPython numbers them in the order of the look-ups that follow, which is the same at each try, and
    two places agree by the bits in which two versions differ: so some numbers are skipped.
    """
    for _ in range(skipped):
        Numbered.__doc__ = Numbered.__doc__
        assert Numbered.name
    for cls in (*handles.HANDLES, *STORED):
        cls.__doc__ = cls.__doc__


class Interrupts:
    """Counts how often it is asked in whose code a handle is, and raises at one of these times."""

    def __init__(self, ask, at, interrupt):
        self.ask, self.at, self.interrupt, self.count = ask, at, interrupt, itertools.count()

    def __call__(self, frame):
        if next(self.count) == self.at:
            raise self.interrupt
        return self.ask(frame)


def arrives(monkeypatch, ask, at, kind, name, *, skipped):
    """Whether an exception that is raised at a question reaches the caller as itself.

    It may be lost, by CPython; but it never becomes a SystemError.
    """
    renew_versions(skipped)
    monkeypatch.setattr(
        handles, "is_operation_of_another_library", Interrupts(ask, at, kind("now"))
    )
    try:
        DERIVATIVES[name]()
    except kind as found:
        return str(found) == "now"
    except AttributeError:
        return False
    return False


def tries_lost(monkeypatch, ask, at, kind, name):
    """How many exceptions are lost at a question before one arrives, or all `TRIES`."""
    for lost in range(TRIES):
        if arrives(monkeypatch, ask, at, kind, name, skipped=lost):
            return lost
    return TRIES


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.parametrize("kind", [KeyboardInterrupt, TimeoutError])
def test_an_interrupt_at_any_question_for_the_class_of_a_handle(monkeypatch, name, kind):
    ask = handles.is_operation_of_another_library
    counting = Interrupts(ask, None, None)
    monkeypatch.setattr(handles, "is_operation_of_another_library", counting)
    expected = DERIVATIVES[name]()
    times = next(counting.count)
    assert times > 3
    lost = [tries_lost(monkeypatch, ask, at, kind, name) for at in range(times)]
    assert lost.count(TRIES) <= QUESTIONS
    assert sum(tries for tries in lost if tries < TRIES) <= 3 + LOST * times
    monkeypatch.setattr(handles, "is_operation_of_another_library", ask)
    np.testing.assert_array_equal(np.hstack(DERIVATIVES[name]()), np.hstack(expected))


def test_a_handle_says_its_class_while_an_exception_waits():
    """CPython 3.11 forgets a waiting exception where an attribute is not in its cache of methods and
    not in the class itself; NumPy asks the next argument for its class while one waits.
    """
    made = {*handles.HANDLES, *STORED}
    assert [cls for cls in made if "__class__" not in vars(cls)] == []


def test_other_errors_are_left_alone():
    for error in (SystemError("of some extension"), ValueError("of the program")):
        raise_interrupt(error)
        error.__cause__ = KeyboardInterrupt()
        raise_interrupt(error)
