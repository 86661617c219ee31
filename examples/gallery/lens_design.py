"""A telescope lens without colour fringes: two glasses, three curved surfaces, one focus.

Rays of three colours are traced exactly, by Snell's law, through two cemented lenses. Where they meet the image says how good
the lens is. The derivatives of all these places by the curvatures go to a least-squares solver, which turns a plain magnifying
glass into an achromat: the shape that opticians find by hand from the dispersion of the glasses. Lengths are in millimetres.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize

from chainrules_tape import jacobian

COLOURS = {"#3b6fe0": 0.4861, "#35a16b": 0.5876, "#d9482b": 0.6563}  # wavelengths in µm: the lines F, d and C
CROWN = [(1.03961212, 0.00600069867), (0.231792344, 0.0200179144), (1.01046945, 103.560653)]  # Schott N-BK7
FLINT = [(1.34533359, 0.00997743871), (0.209073176, 0.0470450767), (0.937357162, 111.886764)]  # Schott F2
THICKNESSES = (6.0, 3.0)
FOCUS = 100.0
HEIGHTS = np.linspace(1.0, 10.0, 10)
START = np.array([0.014, -0.0056, -0.0056, 95.0])  # curvatures, and the image: one lens at its best focus, no flint yet


def index(glass: list[tuple[float, float]], wavelength: float) -> float:
    """The refractive index of a glass (Sellmeier's equation)."""
    return np.sqrt(1 + sum(b * wavelength**2 / (wavelength**2 - c) for b, c in glass))


def refract(z: Any, y: Any, along: Any, up: Any, curvature: Any, ratio: float) -> tuple[Any, ...]:
    """Where a ray meets a sphere through the origin, and its direction behind; `ratio`: of the indices before and behind."""
    f = curvature * (y**2 + z**2) - 2 * z
    g = along - curvature * (up * y + along * z)
    cosine = np.sqrt(g**2 - curvature * f)  # of the angle of incidence
    way = f / (g + cosine)
    z, y = z + way * along, y + way * up
    bend = np.sqrt(1 - ratio**2 * (1 - cosine**2)) - ratio * cosine
    return z, y, ratio * along + bend * (1 - curvature * z), ratio * up - bend * curvature * y


def trace(design: Any, heights: Any, wavelength: float) -> list[tuple[Any, ...]]:
    """Rays that enter in parallel: place and direction at each surface, measured from the first one."""
    crown, flint = index(CROWN, wavelength), index(FLINT, wavelength)
    ray = (-20.0 + 0 * heights, heights, 1 + 0 * heights, 0 * heights)
    passed, offset = [ray], 0.0
    for curvature, ratio, thickness in zip(design, (1 / crown, crown / flint, flint), (*THICKNESSES, 0.0), strict=False):
        z, y, along, up = refract(ray[0] - offset, *ray[1:], curvature, ratio)
        ray = (z + offset, y, along, up)
        passed.append(ray)
        offset += thickness
    return passed


def errors(design: Any) -> Any:
    """By how many µm the rays miss the axis in the image, and the error of the focal length."""
    missed = []
    for wavelength in COLOURS.values():
        z, y, along, up = trace(design, HEIGHTS, wavelength)[-1]
        missed.append(1e3 * (y + (sum(THICKNESSES) + design[3] - z) * up / along))
    *_, up = trace(design, np.array([1e-3]), 0.5876)[-1]
    return np.concatenate([*missed, 1e3 * (-1e-3 / up - FOCUS)])


def draw(designs: dict[str, Any], path: str) -> None:
    """Draw both lenses with their rays, and where the rays meet the image."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, panels = plt.subplots(2, 2, figsize=(8.0, 4.2), width_ratios=[2.4, 1], sharex="col")
    for (lens, image), (name, design) in zip(panels, designs.items(), strict=True):
        y = np.linspace(-11, 11, 60)
        edges = [offset + c * y**2 / (1 + np.sqrt(1 - c**2 * y**2)) for c, offset in zip(design, (0, 6, 9), strict=False)]
        for left, right, shade in zip(edges, edges[1:], ("C0", "C4"), strict=False):
            lens.fill_betweenx(y, left, right, color=shade, alpha=0.4, lw=0)
        focus = sum(THICKNESSES) + design[3]
        for (colour, wavelength), missed in zip(COLOURS.items(), errors(design)[:-1].reshape(3, -1), strict=True):
            rays = trace(design, np.concatenate([HEIGHTS[1::4], -HEIGHTS[1::4]]), wavelength)
            z, h, along, up = rays[-1]
            rays.append((focus + 6 + 0 * z, h + (focus + 6 - z) * up / along))
            lens.plot([ray[0] for ray in rays], [ray[1] for ray in rays], color=colour, lw=0.6)
            image.plot(missed, HEIGHTS, color=colour, label=f"{1e3 * wavelength:.0f} nm")
        lens.axvline(focus, color="#7d7d7d", lw=0.8, ls=":")
        lens.set(title=name, ylabel="height (mm)")
        image.set(ylabel="height (mm)")
    panels[1, 0].set_xlabel("mm")
    panels[1, 1].set_xlabel("miss in the image (µm)")
    panels[0, 1].legend()
    figure.savefig(path)


def main(picture: str | None = None) -> dict[str, Any]:
    """Design the lens; return the design and the sizes of its spot before and after, in µm."""
    slopes: Any = jacobian(errors)  # SciPy's annotations know no functions here
    design = optimize.least_squares(errors, START, jac=slopes, x_scale="jac").x
    if picture:
        draw({"before: only the first glass has power": START, "found: an achromat": design}, picture)
    spots = [np.sqrt(np.mean(errors(design)[:-1] ** 2)) for design in (START, design)]
    return {"design": design, "spot_before": spots[0], "spot_after": spots[1]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="the file for the picture")
    print(main(**vars(parser.parse_args())))
