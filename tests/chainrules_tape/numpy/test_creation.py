"""Functions that make arrays: how they are asked for a copy."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
import strangers
from chainrules_tape import grad, seen_through

MODES = {"always": np._CopyMode.ALWAYS, "if needed": np._CopyMode.IF_NEEDED, "never": np._CopyMode.NEVER}


@pytest.mark.parametrize("name", MODES)
def test_copies_in_the_words_of_numpy_1(name):
    """As `array_api_compat` asks for them: neither True nor False."""
    copy, x = MODES[name], np.array([1.0, 2.0])

    def squares(x):
        return tnp.sum(tnp.array(x, copy=copy) ** 2 + 3.0 * tnp.asarray(x, copy=copy))

    np.testing.assert_array_equal(grad(squares)(x), 2 * x + 3.0)
    assert squares(x) == 14.0
    with seen_through("strangers"):
        np.testing.assert_array_equal(strangers.array(x, copy=copy), x)
        assert (strangers.array(x, copy=copy) is x) == (np.array(x, copy=copy) is x)
