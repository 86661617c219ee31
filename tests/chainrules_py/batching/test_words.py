"""Words of functions, and what follows from them for many examples."""

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.batching.cores import Contracts, Stacked

RNG = np.random.default_rng(0)


def word_of(primal):
    found = [rule.axes for rule in default_rules.rules(primal, ("batching",))]
    (word,) = [axes for axes in found if axes is not None]  # sparse matrices have rules without one
    return word


def test_the_words_say_what_patterns_ask():
    assert word_of(np.sum).kind == "reduces"
    assert (word_of(np.sort).kind, word_of(np.sort).default, word_of(np.sort).flat) == (
        "mixes",
        -1,
        True,
    )
    assert word_of(np.swapaxes).axes == ("axis1", "axis2")
    assert isinstance(word_of(np.linalg.solve), Stacked)
    assert word_of(np.linalg.solve).core == (2, 2)
    assert word_of(np.linalg.det).result == 0


@pytest.mark.parametrize(
    ("primal", "shapes", "options"),
    [
        (np.matmul, ((2, 3), (3, 4)), {}),
        (np.matmul, ((5, 2, 3), (3,)), {}),
        (np.matmul, ((3,), (5, 3, 2)), {}),
        (np.matmul, ((3,), (3,)), {}),
        (np.vecdot, ((2, 3), (4, 1, 3)), {}),
        (np.vecdot, ((3, 2), (3, 1)), {"axis": 0}),
    ],
)
def test_the_letters_of_contractions_are_those_of_einsum(primal, shapes, options):
    word = word_of(primal)
    assert isinstance(word, Contracts)
    a, b = (RNG.normal(size=shape) for shape in shapes)
    letters = word.letters(a.shape, b.shape, **options)
    assert np.allclose(np.einsum(letters, a, b), primal(a, b, **options))
