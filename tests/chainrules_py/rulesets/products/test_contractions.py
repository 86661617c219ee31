"""The rules of `tensordot` and its relatives hold over any axes, where they are those of an
`einsum`.
"""

import itertools

import numpy as np
import pytest

from chainrules_py import rrule


@pytest.mark.parametrize("axes_a", [*itertools.permutations(range(3), 2)])
@pytest.mark.parametrize("axes_b", [*itertools.permutations(range(3), 2)])
def test_tensordot_over_any_axes_is_an_einsum(axes_a, axes_b):
    rng = np.random.default_rng(0)
    letters_a, letters_b = list("abc"), list("xyz")
    for i, j in zip(axes_a, axes_b, strict=True):
        letters_b[j] = letters_a[i]
    free = [c for c in letters_a + letters_b if (c in letters_a) != (c in letters_b)]
    a, b, y_bar = rng.normal(size=(2, 2, 2)), rng.normal(size=(2, 2, 2)), rng.normal(size=(2, 2))
    a_bar, b_bar = rrule(np.tensordot, a, b, axes=(axes_a, axes_b))[1](y_bar)
    in_a, in_b, out = map("".join, (letters_a, letters_b, free))
    np.testing.assert_allclose(a_bar, np.einsum(f"{out},{in_b}->{in_a}", y_bar, b))
    np.testing.assert_allclose(b_bar, np.einsum(f"{in_a},{out}->{in_b}", a, y_bar))
