"""Random tangents have the structure of their value, are the same for the same seed, and have no
entries 0 or 1.
"""

import numpy as np

from chainrules_py.testing import rand_tangent
from chainrules_py.testing.random_tangents import seeded
from processes import printed


def test_no_entry_is_zero_or_one():
    entries = rand_tangent(np.random.default_rng(0), np.ones(10_000))
    assert 0.5 <= np.abs(entries).min()
    assert np.abs(entries).max() <= 1.5
    assert not np.isin(np.abs(entries), [0.0, 1.0]).any()
    assert abs(np.mean(entries)) < 0.05


def test_the_same_seed_gives_the_same_numbers_in_another_process():
    code = (
        "from chainrules_py.testing.random_tangents import seeded; print(seeded('numpy.sin',"
        " 3).uniform())"
    )
    assert float(printed(code)) == seeded("numpy.sin", 3).uniform()
