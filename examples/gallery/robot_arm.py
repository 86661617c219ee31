"""A robot arm that reaches around a pillar.

The joints of the arm, their angles at each moment, are written into an array in place, joint after
joint, as one writes such code. The gradient goes through these writes. The path of the arm is to be
short, to end with the hand at its goal, and to keep every limb clear of the pillar.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle
from scipy import optimize

from chainrules_tape import compiled, value_and_grad

LIMBS, MOMENTS = np.array([0.5, 0.4, 0.3, 0.2]), 30  # lengths in metres
# the angles of the joints, each against the limb before it
FIRST = np.array([1.9, -0.3, -0.2, -0.2])
LAST = np.array([0.43, -0.64, -0.96, -0.47])  # a pose with the hand near its goal
GOAL = np.array([0.95, -0.35])
PILLAR, RADIUS, CLEARANCE = np.array([0.84, 0.48]), 0.2, 0.05


def joints(angles):
    """The places of shoulder, joints and hand (second axis) at each moment (first axis)."""
    places = np.zeros((len(angles), LIMBS.size + 1, 2))
    direction = np.zeros(len(angles))
    for k, length in enumerate(LIMBS):
        direction += angles[:, k]
        places[:, k + 1, 0] = places[:, k, 0] + length * np.cos(direction)
        places[:, k + 1, 1] = places[:, k, 1] + length * np.sin(direction)
    return places


def distances(places):
    """The distances of points along the limbs from the middle of the pillar."""
    along = np.linspace(0.1, 1.0, 6)[:, None]
    points = places[:, :-1, None] + along * (places[:, 1:, None] - places[:, :-1, None])
    return np.sqrt(np.sum((points - PILLAR) ** 2, axis=-1))


def loss(free):
    """The length of the path in angles, and prices for being near the pillar and away from the
    goal.
    """
    angles = np.concatenate([FIRST[None], free.reshape(MOMENTS - 1, LIMBS.size)])
    places = joints(angles)
    near, beside = np.maximum(RADIUS + CLEARANCE - distances(places), 0.0), places[-1, -1] - GOAL
    return (
        0.5 * MOMENTS * np.sum(np.diff(angles, axis=0) ** 2)
        + 3e3 * np.sum(near**2)
        + 1e5 * np.sum(beside**2)
    )


def draw(paths, path):
    """Draw the arm at each moment of each path."""
    figure, panels = plt.subplots(1, 2, figsize=(8.0, 4.0), sharey=True, layout="constrained")
    for panel, (name, angles) in zip(panels, paths.items(), strict=True):
        places = np.asarray(joints(angles))
        for k in range(0, MOMENTS, 2):
            panel.plot(
                *places[k].T,
                "o-",
                ms=2.5,
                lw=1.4,
                color=plt.get_cmap("viridis")(0.3 + 0.5 * k / MOMENTS),
            )
        panel.plot(*places[:, -1].T, ":", color="C1")
        panel.add_patch(Circle(PILLAR, RADIUS, color="gray", alpha=0.6))
        panel.plot(*GOAL, "*", ms=11, color="C1")
        panel.set(title=name, aspect="equal", xlabel="m")
    figure.savefig(path)


def main(picture=None):
    """Find the path; return it, the straight one, and how near each comes to the middle of the
    pillar.
    """
    even = FIRST + np.linspace(0, 1, MOMENTS)[:, None] * (LAST - FIRST)
    # the arm rolls up on its way
    guess = even + np.sin(np.linspace(0, np.pi, MOMENTS))[:, None] * [0.4, -1.2, -1.2, -0.8]
    found = optimize.minimize(
        compiled(value_and_grad(loss)),
        guess[1:].ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 400},
    )
    angles = np.concatenate([FIRST[None], found.x.reshape(MOMENTS - 1, -1)])
    if picture:
        draw({"turning all joints evenly": even, "found by the gradient": angles}, picture)
    before, after = (np.min(np.asarray(distances(joints(path)))) for path in (even, angles))
    return {
        "angles": angles,
        "before": before,
        "after": after,
        "hand": np.asarray(joints(angles))[-1, -1],
    }


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    print(
        f"hand at {result['hand']}; nearest to the pillar's middle {result['after']:.3f} m (evenly"
        f" {result['before']:.3f} m)"
    )
