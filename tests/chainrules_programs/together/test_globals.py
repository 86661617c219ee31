"""Programs that ask `globals()`: what this module holds is all that they may mean.

It has a file of its own, because they are followed into whatever is here.
"""

import numpy as np
import pytest

from chainrules_tape import compiled, grad, seen_through

X, A, SCALE = np.array([0.3, 0.4]), np.array([2.0, 3.0]), 2.0


class OfNoModule:
    """Some classes of other packages tell the module of each object."""

    @property
    def __module__(self):
        return "elsewhere"


of_no_module = OfNoModule()


def bent(x):
    return np.sum(np.cos(x) * A)


def by_made_names(x):
    return globals()["ben" + "t"](x) * globals()["SCALE"]


def with_a_new_name(x):
    return np.sum(x * x) * globals().setdefault("NEW", 1.0)


def new_scale():
    globals()["SCALE"] += 1.0


def more():
    A[1] += 1.0


def exchange():
    globals()["bent"] = lambda x: np.sum(np.sin(x) * A)


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    for name in ("A", "SCALE", "bent"):
        monkeypatch.setitem(globals(), name, globals()[name])
    A[1] = 3.0
    yield
    globals().pop("NEW", None)


@pytest.mark.parametrize("is_seen", [False, True], ids=["plain", "seen through"])
def test_each_is_asked_again(is_seen):
    with seen_through(*[__name__] * is_seen):
        step = compiled(grad(by_made_names))
        for change in (lambda: None, new_scale, more, exchange):
            change()
            for _ in range(3):
                np.testing.assert_allclose(step(X), grad(by_made_names)(X), rtol=1e-14)
            assert step.count_of_programs() > 0, step.reasons


@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
def test_a_new_name_stays_on_the_tape():
    step = compiled(grad(with_a_new_name))
    for _ in range(4):
        np.testing.assert_array_equal(step(X), grad(with_a_new_name)(X))
    assert step.count_of_programs() == 0
    assert "setdefault" in " ".join(step.reasons)


def test_in_a_method():
    space = {"np": np, "A": np.array([2.0, 3.0]), "__name__": "a_users_module"}
    exec(
        "def bent(x): return np.sum(np.cos(x) * A)\n"
        "class C:\n    def call(self, x): return globals()['be' + 'nt'](x)\n"
        "c = C()\ndef f(x): return c.call(x)",
        space,
    )
    step = compiled(grad(space["f"]))
    for change in ("", "A[1] = 4.0", "A = A * 2.0", "bent = lambda x: np.sum(x * A)"):
        exec(change, space)
        for _ in range(3):
            np.testing.assert_array_equal(step(X), grad(space["f"])(X))
        assert step.count_of_programs() > 0, step.reasons
