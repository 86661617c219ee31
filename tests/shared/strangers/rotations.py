"""A module that is imported with its package."""

from math import atan2, cos, sin

import numpy as np

_EYE = [[1.0, 0.0], [0.0, 1.0]]


def turned(angle, start=np.array([1.0, 0.0])):
    turn = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    x, y = np.dot(np.asarray(_EYE), np.matmul(turn, start))
    return x, atan2(y, x)
