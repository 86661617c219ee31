"""Both zeros are single objects that survive copying, convert to numbers, and never end up inside
an array of objects.
"""

import copy
import pickle

import numpy as np
import pytest

from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero, Thunk, ZeroTangent

ZEROS = pytest.mark.parametrize("zero", [ZERO, NO_TANGENT], ids=repr)


@ZEROS
def test_constructing_gives_the_one_instance(zero):
    assert type(zero)() is zero
    assert isinstance(zero, AbstractZero)


@ZEROS
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_keeps_the_identity(zero, protocol):
    assert pickle.loads(pickle.dumps([zero], protocol))[0] is zero


@ZEROS
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copying_keeps_the_identity(zero, copied):
    assert copied(zero) is zero
    assert copied([zero])[0] is zero


@ZEROS
def test_zeros_are_false_and_hashable(zero):
    assert not zero
    assert {zero: 1}[type(zero)()] == 1


def test_zero_converts_to_numbers():
    assert (float(ZERO), complex(ZERO)) == (0.0, 0j)
    assert type(complex(ZERO)) is complex


def test_no_tangent_is_no_number():
    with pytest.raises(TypeError):
        float(NO_TANGENT)


@ZEROS
@pytest.mark.parametrize(
    "other",
    [0.0, 0, 0j, np.zeros(2), np.zeros(()), np.float64(0), False, None, "", (), [0.0]],
    ids=repr,
)
def test_equality_is_identity_and_a_plain_bool_on_both_sides(zero, other):
    assert (zero == other) is False
    assert (other == zero) is False
    assert (zero != other) is True
    assert (other != zero) is True


def test_equality_between_tangents():
    assert ZERO == ZeroTangent()
    assert ZERO != NO_TANGENT
    assert ZERO == Thunk(lambda: ZERO)
    assert NO_TANGENT != Thunk(lambda: ZERO)


@ZEROS
def test_linear_methods_and_attributes_answer_with_the_zero(zero):
    answers = [
        *(zero.T, zero.mT, zero.H, zero.real, zero.imag),
        *(zero.sum(), zero.sum(axis=0, keepdims=True), zero.mean(0)),
        *(zero.cumsum(), zero.trace(), zero.diagonal(1)),
        *(zero.reshape(2, 3), zero.reshape((2, 3))),
        *(zero.transpose(1, 0), zero.swapaxes(0, 1), zero.squeeze(0)),
        *(zero.ravel(), zero.flatten(), zero.repeat(3), zero.take([1])),
        *(zero.conj(), zero.conjugate(), zero.astype(np.float32), zero.copy()),
        *(zero[0], zero[1:, None], zero[np.array([True, False])]),
    ]
    assert all(answer is zero for answer in answers)


@ZEROS
@pytest.mark.parametrize("name", ["shape", "dtype", "ndim", "size", "item", "__array_interface__"])
def test_it_has_no_shape_and_no_dtype(zero, name):
    assert not hasattr(zero, name)
