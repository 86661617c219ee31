"""Bundle adjustment: cameras and points move until the points are seen where they were seen, by
Gauss-Newton steps.
"""

from typing import Any

import numpy as np

from chainrules_tape import jacobian


def rotated(rotation: Any, x: Any) -> Any:
    """Rodrigues' formula: x turned about the axis `rotation` by its length."""
    angle = np.sqrt(np.sum(rotation**2, axis=-1, keepdims=True))
    axis = rotation / angle
    along = np.sum(axis * x, axis=-1, keepdims=True) * axis
    return x * np.cos(angle) + np.cross(axis, x) * np.sin(angle) + along * (1 - np.cos(angle))


def projected(cameras: Any, points: Any) -> Any:
    """Where cameras (rotation, centre, focal length, two of radial distortion) see points, one per
    row of each.
    """
    seen = rotated(cameras[:, :3], points - cameras[:, 3:6])
    on_plane = seen[:, :2] / seen[:, 2:]
    squared = np.sum(on_plane**2, axis=1, keepdims=True)
    distortion = 1 + cameras[:, 7:8] * squared + cameras[:, 8:9] * squared**2
    return cameras[:, 6:7] * distortion * on_plane


def residuals(parameters: tuple[Any, Any], which: Any, seen: Any) -> Any:
    """By how much each observation is missed; `which` names the camera and the point of each."""
    cameras, points = parameters
    return projected(cameras[which[0]], points[which[1]]) - seen


def loss(parameters: tuple[Any, Any], which: Any, seen: Any) -> Any:
    """Half the sum of squares."""
    return 0.5 * np.sum(residuals(parameters, which, seen) ** 2)


def problem(seed: int = 0, cameras: int = 3, points: int = 8) -> tuple[Any, ...]:
    """Every camera sees every point, and what is known of both is a little wrong."""
    rng = np.random.default_rng(seed)
    true_points = rng.uniform([-1, -1, 5], [1, 1, 7], (points, 3))
    pose = np.concatenate(
        [0.1 * rng.normal(size=(cameras, 3)) + 0.05, 0.2 * rng.normal(size=(cameras, 3))], axis=1
    )
    lens = np.tile([1.2, 0.02, -0.01], (cameras, 1))
    true_cameras = np.concatenate([pose, lens], axis=1)
    which = np.stack(np.divmod(np.arange(cameras * points), points))
    seen = projected(true_cameras[which[0]], true_points[which[1]])
    wrong = (
        true_cameras + 0.01 * rng.normal(size=true_cameras.shape),
        true_points + 0.05 * rng.normal(size=(points, 3)),
    )
    return wrong, which, seen


def step(
    parameters: tuple[Any, Any], which: Any, seen: Any, damping: float = 1e-6
) -> tuple[Any, Any]:
    """One step of Levenberg (1944): least squares with the residuals linearised."""
    cameras, points = parameters
    blocks = jacobian(residuals)(parameters, which, seen)
    r = residuals(parameters, which, seen).ravel()
    j = np.concatenate([block.reshape(r.size, -1) for block in blocks], axis=1)
    moved = np.linalg.solve(j.T @ j + damping * np.eye(j.shape[1]), -j.T @ r)
    return cameras + moved[: cameras.size].reshape(cameras.shape), points + moved[
        cameras.size :
    ].reshape(points.shape)


def main() -> None:
    parameters, *data = problem()
    for k in range(6):
        print(f"step {k}: {loss(parameters, *data):.3e}")
        parameters = step(parameters, *data)


if __name__ == "__main__":
    main()
