"""A traced number is asked by Python whether it is a sequence, and answers as the number it stands
for.
"""

import collections.abc as abc
import copy

import numpy as np
import pytest

from chainrules_py.values.arrays import library_of
from chainrules_tape import grad, jvp, vjp
from chainrules_tape.refusals.handles import TracedArray

NUMBERS = {
    "float": 0.5,
    "complex": 0.5 + 1j,
    "float64": np.float64(0.5),
    "float32": np.float32(0.5),
}
MODES = {"reverse": lambda f, x: vjp(f, x), "forward": lambda f, x: jvp(f, (x,), (x,))}
IN_BOTH_MODES = pytest.mark.parametrize("mode", MODES)
ASKED = {
    "len": lambda x: hasattr(x, "__len__"),
    "iter": lambda x: hasattr(x, "__iter__"),
    "contains": lambda x: hasattr(x, "__contains__"),
    "Sized": lambda x: isinstance(x, abc.Sized),
    "Iterable": lambda x: isinstance(x, abc.Iterable),
    "Container": lambda x: isinstance(x, abc.Container),
    "Collection": lambda x: isinstance(x, abc.Collection),
    "Sequence": lambda x: isinstance(x, abc.Sequence),
    # handles compare entry by entry, and so have no hash
    "Hashable": lambda x: isinstance(x, abc.Hashable) and False,
    "isscalar": np.isscalar,
    "ndim": np.ndim,
    "shape": np.shape,
}
MADE = {
    "argument": lambda x: x,
    "sum": lambda x: x + 1.0,
    "reflected product": lambda x: 2.0 * x,
    "product of two": lambda x: x * x,
    "ufunc": lambda x: np.sin(x),
    "binary ufunc": lambda x: np.multiply(2.0, x),
    "method": lambda x: np.exp(x).sum(),
    "function": lambda x: np.sum(x),
    "entry": lambda x: np.stack([x, x])[0],
    "product of arrays": lambda x: np.stack([x, x]) @ np.ones(2),
    "copy": lambda x: copy.copy(x + 1),
}


def answers(x):
    """What a value answers to all questions."""
    return {question: ask(x) for question, ask in ASKED.items()}


def seen(mode, f, x):
    """What a function makes of a traced value; it has to be one."""
    found = []
    MODES[mode](lambda x: found.append(f(x)) or 0.0 * np.sum(x), x)
    return found[0]


@IN_BOTH_MODES
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("kind", NUMBERS)
def test_questions_are_answered_as_for_the_number(kind, made, mode):
    make, x = MADE[made], NUMBERS[kind]
    assert seen(mode, lambda x: answers(make(x)), x) == answers(make(x))


@IN_BOTH_MODES
@pytest.mark.parametrize("x", [np.ones(2), np.array(0.5)], ids=["vector", "0-d"])
def test_questions_are_answered_as_for_the_array(x, mode):
    assert seen(mode, answers, x) == answers(x)


@pytest.mark.parametrize("x", [0.5, np.ones(2)], ids=["number", "vector"])
@pytest.mark.parametrize("outer", MODES)
@IN_BOTH_MODES
def test_questions_are_answered_under_two_levels(mode, outer, x):
    assert seen(outer, lambda x: seen(mode, lambda y: answers(np.sin(y) * y), x), x) == answers(x)


@IN_BOTH_MODES
@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize(
    "use", [len, list, tuple, lambda x: [*x], lambda x: [v + 1 for v in x], lambda x: 1.0 in x]
)
def test_what_sequences_are_for_raises(use, kind, mode):
    def f(x):
        for made in (x, x * 2):
            assert isinstance(made, TracedArray)
            with pytest.raises(TypeError):
                use(made)
        return x

    MODES[mode](f, NUMBERS[kind])


@IN_BOTH_MODES
def test_an_augmented_array_without_axes_stays_one(mode):
    def f(x):
        y = np.reshape(x * 1.0, ())
        y += x
        return y * 1.0

    assert float(MODES[mode](f, np.array(0.5))[0]) == 1.0


def test_all_handles_are_of_the_tapes_library():
    found = []
    vjp(lambda x, p: found.extend([type(x), type(p)]) or x * p, np.ones(2), 1.0)
    jvp(
        lambda x, p: found.extend([type(x), type(p)]) or x * p, (np.ones(2), 1.0), (np.ones(2), 1.0)
    )
    assert len(set(found)) == 4
    assert {library_of(cls).name for cls in found} == {"tape"}


@pytest.mark.parametrize("x", [1.5, np.float64(1.5), -np.inf])
@pytest.mark.parametrize("large", [2**63, 10**30, -(10**300)], ids=["63", "30", "300"])
def test_integers_of_more_than_64_bits_are_factors(x, large):
    def check(f):
        assert jvp(f, (x,), (1.0,))[1] == grad(f)(x) == float(large)
        assert jvp(lambda x: grad(f)(x) * x, (x,), (1.0,))[1] == float(large)

    check(lambda x: x * large)
    check(lambda x: large * x)
    with np.errstate(divide="ignore"):
        assert jvp(lambda x: np.sqrt(x) * large, (0.0,), (0.0,))[1] == 0
    assert jvp(lambda x: x * large, (x,), (np.inf,))[1] == np.inf * np.sign(float(large))
