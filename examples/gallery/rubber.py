"""The stretching of rubber, at many material points at once.

The energy of a rubber (Mooney, 1940; Rivlin, 1948) is a function of its deformation. Its gradient is
the stress, its second derivative the stiffness. A strip is pulled, and each material point finds the
width at which nothing pulls it sideways, by Newton's method; all points take each step together.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from chainrules_tape import grad, hessian, vmap

BULK = 1000.0  # MPa: rubber hardly changes its volume
# two constants of each rubber, in MPa; Mooney's second one softens it in tension
RUBBERS = {"neo-Hookean": (0.4, 0.0), "Mooney-Rivlin": (0.3, 0.1)}
STRETCHES = np.linspace(0.6, 3.0, 61)
STEPS = 12


def energy(f, constants):
    """The energy per volume of a rubber in a deformation."""
    c1, c2 = constants
    j = np.linalg.det(f)
    c = f.T @ f
    first = np.trace(c)
    second = 0.5 * (first**2 - np.trace(c @ c))
    same_volume = c1 * (j ** (-2 / 3) * first - 3) + c2 * (j ** (-4 / 3) * second - 3)
    return same_volume + 0.5 * BULK * (j - 1) ** 2


stresses = vmap(grad(energy), in_axes=(0, None))
stiffnesses = vmap(hessian(energy), in_axes=(0, None))


def deformations(lengths, widths):
    """Deformations that stretch along the first axis and are round across it."""
    zero = np.zeros_like(lengths)
    rows = [[lengths, zero, zero], [zero, widths, zero], [zero, zero, widths]]
    return np.moveaxis(np.array(rows), -1, 0)


def pulled(constants):
    """The stress along the strip, and its width, for each stretch."""
    widths = STRETCHES**-0.5
    for _ in range(STEPS):
        f = deformations(STRETCHES, widths)
        sideways = stresses(f, constants)[:, 1, 1]
        stiffness = stiffnesses(f, constants)
        # both directions across the strip have the same width
        slopes = stiffness[:, 1, 1, 1, 1] + stiffness[:, 1, 1, 2, 2]
        widths = widths - sideways / slopes
    return stresses(deformations(STRETCHES, widths), constants)[:, 0, 0], widths


def incompressible(constants):
    """The stress along a strip whose volume cannot change, in closed form."""
    c1, c2 = constants
    return 2 * (c1 + c2 / STRETCHES) * (STRETCHES - STRETCHES**-2)


def draw(found, path):
    """Draw the stress of each rubber, and the change of its volume."""
    figure, (left, right) = plt.subplots(1, 2, layout="constrained")
    for number, (name, (stress, widths)) in enumerate(found.items()):
        left.plot(STRETCHES, stress, color=f"C{number}", label=name)
        left.plot(STRETCHES[::6], incompressible(RUBBERS[name])[::6], ".", color="gray")
        right.plot(STRETCHES, 1e3 * (STRETCHES * widths**2 - 1), color=f"C{number}", label=name)
    left.plot([], [], ".", color="gray", label="closed form, no change of volume")
    left.set(xlabel="stretch", ylabel="stress (MPa)")
    left.legend()
    right.set(xlabel="stretch", ylabel="change of volume (‰)")
    figure.savefig(path)


def main(picture=None):
    """Pull strips of both rubbers; return stresses and widths by the name of the rubber."""
    found = {name: pulled(np.array(constants)) for name, constants in RUBBERS.items()}
    if picture:
        draw(found, picture)
    return found


if __name__ == "__main__":
    for name, (stress, _) in main(*sys.argv[1:]).items():
        print(f"{name:<14}{stress[-1]:.3f} MPa at three times the length")
