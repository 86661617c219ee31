"""Calls that are recorded, and run again on other numbers, beside the tape."""

import numpy as np

from chainrules_programs.recording.program import Program
from chainrules_programs.recording.record import is_input, record
from chainrules_tape.core.trees import flatten
from replaying import replay


def replayed(program: Program, args):
    """The result of a program on these arguments, which have the form of those it was recorded on."""
    leaves, _ = flatten((args, {}))
    return replay(program, [leaf for leaf in leaves if is_input(leaf)])


def is_numeric(leaf) -> bool:
    """Whether a leaf is a number or an array of numbers: not a date, a text or a class."""
    if isinstance(leaf, np.ndarray | np.generic):
        return bool(leaf.dtype.kind in "fciub")
    return isinstance(leaf, float | complex)


def require_same(
    found, expected, tolerance: float = 1e-9, are_classes_compared: bool = True
) -> None:
    """Raise unless two results have the same leaves: classes, types of numbers, shapes, numbers.

    What is no number has to be equal.
    """
    some, others = flatten(found)[0], flatten(expected)[0]
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        assert type(one) is type(other) or not are_classes_compared
        if not is_numeric(other):
            assert one is other or np.array_equal(one, other)
            continue
        assert np.result_type(one) == np.result_type(other)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def check_recording(function, args, *others, tolerance: float = 1e-9) -> Program:
    """Record a call, compare it with the call itself, and its program on other arguments, too."""
    program, value = record(function, args)
    require_same(value, function(*args), tolerance)
    for given in (args, *others):
        require_same(replayed(program, given), function(*given), tolerance)
    return program


def moved(leaf, seed: int):
    """A leaf near another one; a symmetric matrix stays one, and integers are what they are."""
    if not is_input(leaf) or np.result_type(leaf).kind not in "fc":
        return leaf
    rng = np.random.default_rng(seed)
    shift = 1 + 1e-3 * rng.uniform(size=np.shape(leaf))
    if not isinstance(leaf, np.ndarray):
        return type(leaf)(leaf * float(shift))
    if leaf.ndim > 1 and leaf.shape[-1] == leaf.shape[-2]:
        shift = shift + np.swapaxes(shift, -1, -2)
        shift /= 2
    return np.asarray((leaf * shift).astype(leaf.dtype))
