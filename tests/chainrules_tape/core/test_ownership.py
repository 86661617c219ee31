"""Arrays that nobody else holds are handed over; all others are copied."""

import numpy as np

from chainrules_tape.core.ownership import copied, unshared


def test_a_fresh_array_is_handed_over():
    def address(x):
        return x.__array_interface__["data"][0]

    made_at = []

    def fresh():
        made = np.ones(100)
        made_at.append(address(made))
        return made

    (found,) = unshared([fresh()])
    assert address(found) == made_at[0]


def test_held_viewed_and_read_only_arrays_are_copied():
    held = np.ones(3)
    frozen = np.ones(3)
    frozen.flags.writeable = False
    for leaf in (held, held[1:], np.broadcast_to(1.0, (2, 2)), frozen):
        (found,) = unshared([leaf])
        assert not np.shares_memory(found, leaf)
        assert found.flags.writeable
        np.testing.assert_array_equal(found, leaf)


def test_other_leaves_pass():
    assert unshared([1.0, "text", None]) == [1.0, "text", None]
    x = np.ones(2)
    assert copied(x) is not x
    assert copied(2.0) == 2.0
