"""Random draws: a draw is a constant, whatever its parameters are."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, frule, rrule
from chainrules_py.rulesets.draws import DRAWS


@pytest.mark.parametrize("draw", [np.random.default_rng(0).normal, np.random.RandomState(0).normal])
def test_a_draw_is_a_constant_in_its_parameters(draw):
    y, pullback = rrule(draw, 1.0, 2.0)
    assert isinstance(y, float)
    assert pullback(1.0) == (NO_TANGENT,) * 3
    assert (
        frule((ZERO, 1.0, 1.0), type(draw.__self__).normal, draw.__self__, 1.0, 2.0)[1]
        is NO_TANGENT
    )


def test_every_method_that_draws_is_listed():
    public = {name for name in dir(np.random.Generator) if not name.startswith("_")}
    assert public - set(DRAWS) == {"bit_generator", "spawn"}
