"""What functions look at before they take the fast way; what they say there is held in `test_operations`, by mode."""

import numpy as np

from chainrules_py import ZERO, Tangent, default_rules
from chainrules_tape.arrays.fast_functions import is_shape, parts_of
from chainrules_tape.arrays.fast_operators import REVERSE
from chainrules_tape.arrays.fast_operators_forward import FORWARD, as_list
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.duals import Pushforward
from chainrules_tape.core.tape import Tape

X = np.float64(2.0) * np.ones(1)


def test_which_tuples_are_shapes():
    assert is_shape(())
    assert is_shape((1, -2))
    assert not is_shape((1, 2.0))
    assert not is_shape((True,))
    assert not is_shape((X,))


def test_sequences_of_arrays():
    for mode, level, made in ((REVERSE, Tape, Tape.input), (FORWARD, Pushforward, lambda level, x: level.dual(x, 2 * x))):
        own, other = (level(engine_of(default_rules)) for _ in range(2))
        x, y = made(own, X), made(own, X)
        assert parts_of(mode, own, [x, X, y]).keys() == {0, 2}
        assert parts_of(mode, own, [X, y])[1] is mode.carried(y)
        assert parts_of(mode, own, [x, 1.0]) is None
        assert parts_of(mode, own, [x, made(other, X)]) is None
        assert parts_of(mode, own, [X]) == {}


def test_tangents_of_a_sequence():
    assert as_list({1: 5.0}, 3) == Tangent[list](ZERO, 5.0, ZERO)
