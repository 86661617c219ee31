"""Each shortcut is the function it stands for, bit for bit."""

import itertools

import numpy as np
import pytest

from chainrules_numpy.shortcuts import SHORTCUTS

rng = np.random.default_rng(0)
ARRAYS = [rng.normal(size=shape).astype(dtype) for shape in [(), (3,), (0,), (4, 5), (2, 3, 4)] for dtype in "dfDei?"]
OTHERS = [2.0, [1.0, 2.0], np.float32(3.0), np.ma.masked_array([1.0, 2.0], [True, False])]
REDUCTIONS = [
    *({}, {"axis": None}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, -1)}, {"axis": ()}),
    *({"dtype": "float32"}, {"initial": 2.0}, {"where": np.True_}, {"axis": 0, "where": np.False_, "initial": 1.0}),
]
SHAPES = [{"shape": shape, **more} for shape in (-1, (-1,), (1, -1)) for more in ({}, {"order": "F"}, {"copy": True})]
CALLS = {np.sum: REDUCTIONS, np.reshape: SHAPES}


def answer(f, a, options):
    """What a call returns or raises."""
    try:
        y = f(a, **options)
    except Exception as error:
        return type(error)
    return (
        type(y),
        getattr(y, "dtype", None),
        np.shape(y),
        np.asarray(y).tobytes(),
        getattr(getattr(y, "flags", 0), "owndata", 0),
    )


def test_all_are_tested():
    assert SHORTCUTS.keys() == CALLS.keys()


@pytest.mark.parametrize("primal", SHORTCUTS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_same_answers(primal):
    for a, options in itertools.product([*ARRAYS, *OTHERS], CALLS[primal]):
        assert answer(SHORTCUTS[primal], a, options) == answer(primal, a, options), (a, options)
