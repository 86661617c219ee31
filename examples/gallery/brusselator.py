"""A chemical clock along a tube: a stiff initial value problem with its sparse Jacobian.

In the reaction of the Brusselator two substances make each other oscillate. In a tube each cell is
such a clock, and diffusion couples neighbours. An implicit solver needs the Jacobian of all
concentrations: by differences, it calls the equations hundreds of times for each. Its pattern is
found by one run of the program, and then four derivatives give the matrix, exactly.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from chainrules_tape import jacobian, sparsity

CELLS = 200
SPACING = 1.0 / (CELLS + 1)
DIFFUSION = 0.02
PLACES = SPACING * np.arange(1, CELLS + 1)


def rates(w):
    """How fast both concentrations change; those of one cell lie side by side."""
    u, v = w[::2], w[1::2]
    clock = u * u * v
    du = 1.0 + clock - 4.0 * u + DIFFUSION * laplacian(u, ends=1.0)
    dv = 3.0 * u - clock + DIFFUSION * laplacian(v, ends=3.0)
    return np.stack([du, dv], axis=1).ravel()


def laplacian(x, ends):
    """The second derivative along the tube, whose ends are held at a concentration."""
    tube = np.pad(x, 1, constant_values=ends)
    return (tube[2:] - 2.0 * tube[1:-1] + tube[:-2]) / SPACING**2


def start():
    """The concentrations in the beginning."""
    return np.stack([1.0 + np.sin(2 * np.pi * PLACES), np.full(CELLS, 3.0)], axis=1).ravel()


def solve(**how):
    """Follow the clocks for ten time units; return the solution and the number of calls."""
    calls = 0

    def counted(t, w):
        nonlocal calls
        calls += 1
        return rates(w)

    times = np.linspace(0.0, 10.0, 101)
    found = solve_ivp(
        counted, (0.0, 10.0), start(), method="BDF", t_eval=times, rtol=1e-5, atol=1e-7, **how
    )
    return found, calls


def draw(found, calls, path):
    """Draw the first concentration in time and place, and what the solvers called."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.0), layout="constrained")
    image = left.pcolormesh(found.t, PLACES, found.y[::2], cmap="viridis", shading="gouraud")
    figure.colorbar(image, ax=left)
    left.set(title="concentration", xlabel="time", ylabel="place")
    names = list(calls)
    right.barh(names, [calls[name] for name in names], color="#4fd1c5")
    right.set(title="calls of the equations")
    figure.savefig(path)


def main(picture=None):
    """Solve with differences, with the pattern, and with the Jacobian."""
    pattern = sparsity(rates, start())
    derivative = jacobian(rates, sparse=pattern)
    ways = {
        "differences": {},
        "our pattern": {"jac_sparsity": pattern.pattern},
        "our Jacobian": {"jac": lambda t, w: derivative(w)},
    }
    found, calls = {}, {}
    for name, how in ways.items():
        found[name], calls[name] = solve(**how)
    if picture:
        draw(found["our Jacobian"], calls, picture)
    return {"found": found, "calls": calls, "pattern": pattern}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    print(f"{result['pattern']}, {result['pattern'].directions} directions")
    for name, count in result["calls"].items():
        print(f"{name}: {count} calls of the equations")
