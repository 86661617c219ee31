"""Molecular dynamics: forces are minus the gradient of the energy, and nobody writes them down."""

from typing import Any

import numpy as np

from chainrules_tape import grad


def loss(positions: Any) -> Any:
    """The Lennard-Jones energy (1924) of all pairs, in reduced units."""
    first, second = np.triu_indices(len(positions), 1)
    apart = positions[first] - positions[second]
    attraction = np.sum(apart**2, axis=1) ** -3
    return 4 * np.sum(attraction**2 - attraction)


def forces(positions: Any) -> Any:
    """Minus the gradient."""
    return -grad(loss)(positions)


def problem(seed: int = 0, side: int = 2) -> tuple[Any, ...]:
    """A cube of atoms, shaken."""
    rng = np.random.default_rng(seed)
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    return (1.2 * lattice + 0.05 * rng.normal(size=lattice.shape),)


def trajectory(positions: Any, steps: int, dt: float = 0.002) -> tuple[Any, list[float]]:
    """Where the atoms are after some steps of velocity Verlet (1967), and the total energy at each."""
    velocities, energies = np.zeros_like(positions), []
    force = forces(positions)
    for _ in range(steps):
        velocities = velocities + 0.5 * dt * force
        positions = positions + dt * velocities
        force = forces(positions)
        velocities = velocities + 0.5 * dt * force
        energies.append(float(loss(positions) + 0.5 * np.sum(velocities**2)))
    return positions, energies


def main() -> None:
    positions, energies = trajectory(*problem(), steps=500)
    print(f"energy at the start {energies[0]:.6f}, at the end {energies[-1]:.6f}")


if __name__ == "__main__":
    main()
