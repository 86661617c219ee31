"""The orbit of Vanguard 1, the oldest satellite, from a day of radar fixes, by somebody else's
library.

`sgp4` predicts satellites as everybody does, from six elements of the orbit: a thousand lines of
plain Python, written by others and installed from PyPI, which are differentiated as they stand.
Their derivatives by the six numbers go to a least-squares solver, which finds the orbit, and say
how well it is known.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle
from scipy import optimize
from sgp4.model import WGS72, Satrec

from chainrules_tape import jacobian

# The first case of Vallado, Crawford, Hujsak and Kelso, "Revisiting Spacetrack Report #3" (2006):
# eccentricity; argument of the perigee, inclination and mean anomaly (radians); mean motion
# (radians a minute); node (radians).
ANGLES = np.radians([331.7664, 34.2682, 19.3264, 348.7242])
TRUTH = np.array([0.1859667, *ANGLES[:3], 10.82419157 * 2 * np.pi / 1440, ANGLES[3]])
DRAG, EPOCH = 0.28098e-4, 18441.78495062  # days after 31 December 1949
SCALES = np.array([1e-3, 1e-3, 1e-3, 1e-3, 1e-6, 1e-3])
FIXES, NOISE = np.linspace(0.0, 1440.0, 33), 1.0  # minutes; km in each direction


def positions(elements, minutes):
    """The three coordinates at each of some times, in km from the middle of the Earth."""
    eccentricity, perigee, inclination, anomaly, motion, node = elements
    satellite = Satrec()
    satellite.sgp4init(
        WGS72,
        "i",
        5,
        EPOCH,
        DRAG,
        0.0,
        0.0,
        eccentricity,
        perigee,
        inclination,
        anomaly,
        motion,
        node,
    )
    return [satellite.sgp4_tsince(t)[1] for t in minutes]


def misfit(scaled, fixes):
    """The distances from the fixes in units of their noise, by the elements in units of `SCALES`."""
    places = np.stack([x for place in positions(scaled * SCALES, FIXES) for x in place])
    return (places - fixes.ravel()) / NOISE


def fit(fixes, start):
    """The elements and their covariance."""
    found = optimize.least_squares(misfit, start / SCALES, jac=jacobian(misfit), args=(fixes,))
    return found.x * SCALES, np.linalg.inv(found.jac.T @ found.jac) * np.outer(SCALES, SCALES)


def draw(start, best, fixes, path):
    """Draw the orbit with its fixes, and how far the guessed and the fitted orbits are from the
    true one.
    """
    figure, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.5], layout="constrained")
    left.add_patch(Circle((0, 0), 6378, color="C0", alpha=0.35))
    left.plot(*np.transpose(positions(best, np.linspace(0, 1440, 1500)))[:2], lw=0.4, color="C0")
    left.plot(*fixes.T[:2], ".", color="C1")
    left.set(aspect="equal", title="seen from above the pole")
    left.axis("off")
    minutes = np.linspace(0, 3 * 1440, 700)
    for name, elements, color in (("guess", start, "C1"), ("fit", best, "C0")):
        away = np.linalg.norm(
            np.subtract(positions(elements, minutes), positions(TRUTH, minutes)), axis=1
        )
        right.semilogy(minutes / 1440, away, color=color, label=name)
    right.axvspan(0, 1, color="gray", alpha=0.2, lw=0, label="time of the fixes")
    right.axhline(NOISE, color="gray", ls=":", lw=1, label="noise of a fix")
    right.set(xlabel="day", ylabel="distance from the true orbit (km)", ylim=(0.03, 2e4))
    right.legend(ncols=2, loc="upper right")
    figure.savefig(path)


def main(picture=None):
    """Fit the orbit; return the elements, their covariance and the first guess."""
    fixes = positions(TRUTH, FIXES) + NOISE * np.random.default_rng(0).normal(size=(FIXES.size, 3))
    start = TRUTH + 10 * SCALES * [1, -1, 1, 1, 1, -1]
    best, covariance = fit(fixes, start)
    if picture:
        draw(start, best, fixes, picture)
    return {"best": best, "covariance": covariance, "start": start, "fixes": fixes}


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    for got, truth, variance in zip(
        result["best"], TRUTH, np.diag(result["covariance"]), strict=True
    ):
        print(f"{got:14.8f} ± {np.sqrt(variance):.8f}   truth {truth:14.8f}")
