"""A slab that heats itself: two steady states of one reaction-diffusion equation.

In a block of reacting material heat comes from the reaction, which is faster where it is hotter,
and leaves through the cold rim: Laplace(u) + k exp(u) = 0, the equation of Bratu. For small k there
is a mild state and a hot one; above k = 6.808 there is none, and the block explodes. Newton's method
finds both, on a grid of 10,000 points. Its matrix has five entries in each row: seven derivatives
give all of it, whatever the size of the grid.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse.linalg import spsolve

from chainrules_tape import jacobian

SIZE = 100  # points along an edge, without the rim
SPACING = 1.0 / (SIZE + 1)
RATE = 4.0  # of the reaction


def equations(u, rate=RATE):
    """The heat that each point gains: zero in a steady state."""
    block = np.pad(u.reshape(SIZE, SIZE), 1)  # the rim is cold
    around = block[2:, 1:-1] + block[:-2, 1:-1] + block[1:-1, 2:] + block[1:-1, :-2]
    inner = block[1:-1, 1:-1]
    return ((around - 4.0 * inner) / SPACING**2 + rate * np.exp(inner)).ravel()


derivative = jacobian(equations, sparse=True)


def newton(u):
    """Solve the equations by Newton's method; return the state, and the step sizes on the way."""
    sizes = []
    for _ in range(30):
        step = spsolve(derivative(u).tocsc(), equations(u))
        step *= min(1.0, 2.0 / np.max(np.abs(step)))  # no further than the tangent can be trusted
        u = u - step
        sizes.append(np.max(np.abs(step)))
        if sizes[-1] < 1e-12:
            break
    return u, sizes


def bump(height):
    """A first guess: warm in the middle."""
    x = SPACING * np.arange(1, SIZE + 1)
    return height * np.outer(np.sin(np.pi * x), np.sin(np.pi * x)).ravel()


def draw(states, steps, path):
    """Draw both states, and how fast Newton's method came to them."""
    figure, panels = plt.subplots(1, 3, figsize=(8.4, 2.9), layout="constrained")
    for panel, name in zip(panels, states, strict=False):
        image = panel.imshow(states[name].reshape(SIZE, SIZE), cmap="inferno")
        figure.colorbar(image, ax=panel, shrink=0.8)
        panel.set(title=f"the {name} state")
        panel.axis("off")
    for name, sizes in steps.items():
        panels[2].semilogy(np.arange(1, len(sizes) + 1), sizes, "o-", ms=3, label=name)
    panels[2].set(title="Newton's steps", xlabel="step", ylabel="largest change")
    panels[2].legend()
    figure.savefig(path)


def main(picture=None):
    """Find the mild and the hot state."""
    found = {"mild": newton(bump(0.0)), "hot": newton(bump(5.0))}
    states = {name: u for name, (u, _) in found.items()}
    steps = {name: sizes for name, (_, sizes) in found.items()}
    if picture:
        draw(states, steps, picture)
    return {"states": states, "steps": steps}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    for name, u in result["states"].items():
        print(
            f"the {name} state: {u.max():.4f} in the middle, after {len(result['steps'][name])}"
            " steps of Newton's method"
        )
