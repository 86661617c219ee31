"""A telescope lens without colour fringes: two glasses, three curved surfaces, one focus.

Rays of three colours are traced by Snell's law through two cemented lenses. The derivatives of
where they meet the image, by the curvatures, go to a least-squares solver, which turns a magnifying
glass into an achromat. Lengths are in millimetres.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

from chainrules_tape import jacobian

# wavelengths in µm: the lines F, d and C
COLOURS = {"#3b6fe0": 0.4861, "#35a16b": 0.5876, "#d9482b": 0.6563}
# Schott N-BK7
CROWN = [(1.03961212, 0.00600069867), (0.231792344, 0.0200179144), (1.01046945, 103.560653)]
# Schott F2
FLINT = [(1.34533359, 0.00997743871), (0.209073176, 0.0470450767), (0.937357162, 111.886764)]
# where surfaces cross the axis, and rays enter
VERTICES, HEIGHTS = (0.0, 6.0, 9.0), np.linspace(1.0, 10.0, 10)
# curvatures, and the image: one lens at its best focus, no flint yet
START = np.array([0.014, -0.0056, -0.0056, 95.0])


def index(glass, wavelength):
    """The refractive index of a glass (Sellmeier's equation)."""
    return np.sqrt(1 + sum(b * wavelength**2 / (wavelength**2 - c) for b, c in glass))


def refract(z, y, along, up, curvature, ratio):
    """Where a ray meets a sphere through the origin, and its direction behind; `ratio`: of the
    indices before and behind.
    """
    f, g = curvature * (y**2 + z**2) - 2 * z, along - curvature * (up * y + along * z)
    cosine = np.sqrt(g**2 - curvature * f)  # of the angle of incidence
    way, bend = f / (g + cosine), np.sqrt(1 - ratio**2 * (1 - cosine**2)) - ratio * cosine
    z, y = z + way * along, y + way * up
    return z, y, ratio * along + bend * (1 - curvature * z), ratio * up - bend * curvature * y


def trace(design, heights, wavelength):
    """Rays that enter in parallel: their places and directions at first, at each surface, and in
    the image.
    """
    crown, flint = index(CROWN, wavelength), index(FLINT, wavelength)
    z, y, along, up = -20.0 + 0 * heights, heights, 1 + 0 * heights, 0 * heights
    passed = [(z, y, along, up)]
    for curvature, ratio, vertex in zip(
        design, (1 / crown, crown / flint, flint), VERTICES, strict=False
    ):
        z, y, along, up = refract(passed[-1][0] - vertex, y, along, up, curvature, ratio)
        passed.append((z + vertex, y, along, up))
    return [*passed, (VERTICES[2] + design[3] + 0 * z, y + (design[3] - z) * up / along, along, up)]


def errors(design):
    """By how many µm the rays miss the axis in the image, and the error of the focal length, 100
    mm.
    """
    missed = [trace(design, HEIGHTS, wavelength)[-1][1] for wavelength in COLOURS.values()]
    *_, up = trace(design, np.array([1e-3]), 0.5876)[-1]
    return 1e3 * np.concatenate([*missed, -1e-3 / up - 100.0])


def draw(designs, path):
    figure, panels = plt.subplots(
        2, 2, figsize=(8.0, 4.2), width_ratios=[2.4, 1], sharex="col", layout="constrained"
    )
    for (lens, image), (name, design) in zip(panels, designs.items(), strict=True):
        y = np.linspace(-11, 11, 60)
        front, middle, back = (
            z + c * y**2 / (1 + np.sqrt(1 - c**2 * y**2))
            for c, z in zip(design, VERTICES, strict=False)
        )
        lens.fill_betweenx(y, front, middle, color="C0", alpha=0.4, lw=0)
        lens.fill_betweenx(y, middle, back, color="C4", alpha=0.4, lw=0)
        for (colour, wavelength), missed in zip(
            COLOURS.items(), errors(design)[:-1].reshape(3, -1), strict=True
        ):
            z, h = np.transpose(trace(design, np.linspace(-10, 10, 6), wavelength), (1, 0, 2))[:2]
            lens.plot(z, h, color=colour, lw=0.6)
            image.plot(missed, HEIGHTS, color=colour, label=f"{1e3 * wavelength:.0f} nm")
        lens.set(title=name, xlabel="mm", ylabel="height (mm)")
        image.set(xlabel="miss in the image (µm)")
    panels[0, 1].legend()
    figure.savefig(path)


def main(picture=None):
    design = optimize.least_squares(errors, START, jac=jacobian(errors), x_scale="jac").x
    if picture:
        draw(
            {"before: only the first glass has power": START, "found: an achromat": design}, picture
        )
    before, after = (np.sqrt(np.mean(errors(design)[:-1] ** 2)) for design in (START, design))
    return {"design": design, "spot_before": before, "spot_after": after}


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
