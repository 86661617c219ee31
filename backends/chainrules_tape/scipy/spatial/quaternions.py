"""Quaternions of rotations, the scalar last: made of vectors, matrices and angles, multiplied, and
read.

Functions of the square of an angle are smooth at zero where those of the angle are not; near it
their series stand in.
"""

from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives

NEAR = 1e-4  # squares below this take the series, whose next term is below 1e-17


def scalar_last(quat) -> Any:
    """Quaternions whose scalar is first, with it last."""
    return np.roll(quat, -1, axis=-1)


def scalar_first(quat) -> Any:
    """Quaternions with their scalar first."""
    return np.roll(quat, 1, axis=-1)


def normalized(quat) -> Any:
    """Quaternions of length one."""
    return quat / np.sqrt(np.sum(quat * quat, axis=-1, keepdims=True))


def conjugate(quat) -> Any:
    """The quaternions of the rotations back."""
    return np.concatenate([-quat[..., :3], quat[..., 3:]], axis=-1)


def product_of_quaternions(one, other) -> Any:
    """The quaternion of the rotation by the other one first."""
    u, a, v, b = one[..., :3], one[..., 3:], other[..., :3], other[..., 3:]
    vector = a * v + b * u + np.cross(u, v)
    scalar = a * b - np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def sign_of(quat) -> Any:
    """The sign that makes the first part positive that is not zero, of the scalar and then the
    others: constants.
    """
    parts = scalar_first(ignore_derivatives(quat))
    first = np.argmax(parts != 0, axis=-1, keepdims=True)
    return np.where(np.take_along_axis(parts, first, axis=-1) < 0, -1.0, 1.0)


def of_vector(v) -> Any:
    """The quaternion of the rotation about a vector by its length."""
    square = np.sum(v * v, axis=-1, keepdims=True)
    near = square < NEAR
    half = np.sqrt(np.where(near, 1.0, square)) / 2
    share = np.where(
        near, 0.5 - square / 48 + square**2 / 3840 - square**3 / 645120, np.sin(half) / (2 * half)
    )
    scalar = np.where(near, 1 - square / 8 + square**2 / 384 - square**3 / 46080, np.cos(half))
    return np.concatenate([share * v, scalar], axis=-1)


def vector(quat) -> Any:
    """The axis of a rotation, as long as the angle, which is at most half a turn."""
    quat = quat * sign_of(quat)
    v, scalar = quat[..., :3], quat[..., 3:]
    square = np.sum(v * v, axis=-1, keepdims=True)
    near = square < NEAR
    length = np.sqrt(np.where(near, 1.0, square))
    ratio = square / np.where(near, scalar, 1.0) ** 2
    series = 2 * (1 - ratio / 3 + ratio**2 / 5 - ratio**3 / 7) / np.where(near, scalar, 1.0)
    return np.where(near, series, 2 * np.arctan2(length, scalar) / length) * v


def angle(quat) -> Any:
    """The angle of a rotation: of one that changes nothing, where it has a kink, the derivative is
    zero.
    """
    square = np.sum(quat[..., :3] ** 2, axis=-1)
    still = square == 0
    length = np.where(still, 0.0, np.sqrt(np.where(still, 1.0, square)))
    return 2 * np.arctan2(length, np.abs(quat[..., 3]))


def matrix(quat) -> Any:
    """The matrix of a rotation."""
    x, y, z, w = (quat[..., k] for k in range(4))
    rows = [
        [x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), y * y - x * x - z * z + w * w, 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), z * z - x * x - y * y + w * w],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def of_matrix(m, plain) -> Any:
    """The quaternion of an orthogonal matrix, of value `plain` where that is known: the row of
    ``4 q q^T`` with the largest part, at length one.
    """
    trace = np.trace(m, axis1=-2, axis2=-1)[..., None, None]
    across = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    vector = np.stack(across, axis=-1)[..., None]
    square = m + np.swapaxes(m, -1, -2) + (1 - trace) * np.eye(3)
    above = np.concatenate([square, vector], axis=-1)
    below = np.concatenate([np.swapaxes(vector, -1, -2), 1 + trace], axis=-1)
    outer = np.concatenate([above, below], axis=-2)

    squares = np.diagonal(ignore_derivatives(outer), axis1=-2, axis2=-1)
    largest = np.argmax(squares if plain is None else np.abs(plain), axis=-1)[..., None, None]
    where = np.broadcast_to(largest, (*outer.shape[:-2], 1, 4))
    row = np.take_along_axis(outer, where, axis=-2)[..., 0, :]
    if plain is None:
        return normalized(row)

    along = np.sum(ignore_derivatives(row) * plain, axis=-1, keepdims=True)
    sign = np.where(along < 0, -1.0, 1.0)
    return sign * normalized(row)


def about_axis(axis: str, angle) -> Any:
    """The quaternion of a rotation about the axis x, y or z."""
    unit = np.eye(3)["xyz".index(axis)]
    half = angle[..., None] / 2
    return np.concatenate([np.sin(half) * unit, np.cos(half)], axis=-1)


def angles(quat, seq: str) -> Any:
    """The angles about three axes one after the other, by quaternions alone.

    See E. Bernardes, S. Viollet (2022).
    """
    turning = seq.isupper()
    letters = seq.lower()[::-1] if turning else seq.lower()
    i, j, k = ("xyz".index(axis) for axis in letters)
    is_symmetric = i == k
    if is_symmetric:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) / 2

    x, y, z, w = quat[..., i], quat[..., j], quat[..., k] * sign, quat[..., 3]
    a, b, c, d = (w, x, y, z) if is_symmetric else (w - y, x + z, y + w, z - x)
    middle = 2 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum = np.arctan2(b, a)
    half_difference = np.arctan2(d, c)

    # where only a sum or difference is determined
    plain = ignore_derivatives(middle)
    flat = np.abs(plain) <= 1e-7
    turned = np.abs(plain - np.pi) <= 1e-7
    is_degenerate = flat | turned
    difference = 2 * half_difference * (1 if turning else -1)
    alone = np.where(flat, 2 * half_sum, difference)

    first = np.where(is_degenerate, alone, half_sum - half_difference)
    last = np.where(is_degenerate, 0.0, half_sum + half_difference)
    if not is_symmetric:
        last = last * sign
        middle = middle - np.pi / 2

    in_order = [last, middle, first] if turning else [first, middle, last]
    found = np.stack(in_order, axis=-1)
    turns = np.round(ignore_derivatives(found) / (2 * np.pi))
    return found - 2 * np.pi * turns


def axis_residual(axis, square) -> Any:
    """How far a vector of length one is from an eigenvector of a symmetric matrix: zero at one."""
    turned = square @ axis
    length = np.sum(axis * axis)
    return turned - axis * np.sum(axis * turned) / length + axis * (length - 1)
