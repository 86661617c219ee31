"""Bundle adjustment, the second objective of ADBench (Šrajer, Kukelova, Fitzgibbon 2018, section
4.2).

A camera has 11 numbers: a rotation vector, a centre, a focal length, a principal point and two
coefficients of radial distortion. The residuals are the weighted differences between where a camera
sees a point and where it should, and 1 - w**2 for each weight w. ADBench asks for their Jacobian;
here the gradient of half the sum of their squares is what is computed, for all observations at
once.
"""

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, normal

CAMERAS, POINTS, OBSERVATIONS = 20, 200, 2000


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """Half the sum of the squares of all residuals."""
    cameras, points, weights = parameters
    camera_of, point_of, features = data
    difference = projected(xp, cameras[camera_of], points[point_of]) - features
    reprojection = weights[:, None] * difference
    regular = 1 - xp.square(weights)
    return 0.5 * xp.sum(xp.square(reprojection)) + 0.5 * xp.sum(xp.square(regular))


def projected(xp: Any, camera: Any, point: Any) -> Any:
    """The pixel at which each camera sees its point."""
    seen = rotated(xp, camera[:, 0:3], point - camera[:, 3:6])
    image = seen[:, 0:2] / seen[:, 2:3]
    radius = xp.sum(xp.square(image), axis=1)
    stretch = 1 + camera[:, 9] * radius + camera[:, 10] * radius * radius
    return image * (stretch * camera[:, 6])[:, None] + camera[:, 7:9]


def rotated(xp: Any, rotation: Any, x: Any) -> Any:
    """Rodrigues' formula: the rotation about a vector by its length."""
    angle = xp.sqrt(xp.sum(xp.square(rotation), axis=1))
    axis = rotation / angle[:, None]
    cosine, sine = xp.cos(angle)[:, None], xp.sin(angle)[:, None]
    along = xp.sum(axis * x, axis=1)[:, None] * (1 - cosine)
    return x * cosine + cross(xp, axis, x) * sine + axis * along


def cross(xp: Any, a: Any, b: Any) -> Any:
    """The cross product of rows (not every namespace has one)."""
    a0, a1, a2 = a[:, 0], a[:, 1], a[:, 2]
    b0, b1, b2 = b[:, 0], b[:, 1], b[:, 2]
    return xp.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=1)


def inputs() -> tuple[Arrays, Arrays]:
    """Points a few units in front of cameras near the origin."""
    rng = np.random.default_rng(0)
    camera = np.concatenate(
        [normal(CAMERAS, 3, scale=0.2), normal(CAMERAS, 3, seed=1, scale=0.2)], axis=1
    )
    lens = np.array([1.0, 0.05, -0.05, 0.01, 0.001]) + normal(CAMERAS, 5, scale=0.001)
    points = normal(POINTS, 3) + np.array([0.0, 0.0, 6.0])
    data = (
        rng.integers(0, CAMERAS, OBSERVATIONS),
        rng.integers(0, POINTS, OBSERVATIONS),
        normal(OBSERVATIONS, 2),
    )
    return (
        np.concatenate([camera, lens], axis=1),
        points,
        1 + normal(OBSERVATIONS, scale=0.1),
    ), data


def bundle() -> Program:
    """Bundle adjustment as a program to be differentiated."""
    return Program("bundle adjustment", objective, inputs)
