"""A photograph that was shaken, sharpened again.

Each of its sixteen thousand pixels is an unknown. A good picture gives, blurred by the path of the
shake (which is known here), the blurred one, and has few edges. The gradient by all pixels costs
two or three times what this loss costs.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize

from chainrules_tape import compiled, value_and_grad

SIZE, NOISE = 128, 0.01
EDGES = 10.0  # what a unit of edge costs, next to the misfit in units of the noise


def scene():
    """A picture with edges, thin lines and soft shades, between 0 and 1."""
    y, x = np.mgrid[:SIZE, :SIZE] / SIZE
    ball, wheel, frame = (
        np.hypot(x - 0.3, y - 0.3),
        np.hypot(x - 0.33, y - 0.72),
        abs(x - 0.74) + abs(y - 0.72),
    )
    picture = np.where(ball < 0.18, 0.95 - 0.5 * np.hypot(x - 0.36, y - 0.36), 0.25 + 0.2 * y)
    picture = np.where(
        (x > 0.58) & (x < 0.9) & (y > 0.12) & (y < 0.46),
        np.floor(x**2 * 28) % 2 * 0.75 + 0.1,
        picture,
    )
    picture = np.where(
        wheel < 0.2, (np.cos(12 * np.arctan2(y - 0.72, x - 0.33)) > 0) * 0.8 + 0.1, picture
    )
    return np.where((frame > 0.1) & (frame < 0.2), 0.9, picture)


def shake():
    """How long the shaken camera pointed where: the Fourier transform of a curved path of nine
    pixels.
    """
    t, kernel = np.linspace(-1, 1, 400), np.zeros((SIZE, SIZE))
    np.add.at(kernel, (np.rint(2.5 * t**2).astype(int), np.rint(4 * t).astype(int)), 1 / t.size)
    return np.fft.rfft2(kernel)


def blur(picture, path):
    """The image that a shaken camera sees, with edges that wrap around."""
    return np.fft.irfft2(np.fft.rfft2(picture) * path, s=(SIZE, SIZE))


def loss(pixels, seen, path):
    """The misfit, and the length of all edges times their heights (Rudin, Osher and Fatemi 1992)."""
    picture = pixels.reshape(SIZE, SIZE)
    across, down = picture - np.roll(picture, 1, 1), picture - np.roll(picture, 1, 0)
    misfit = (blur(picture, path) - seen) / NOISE
    return 0.5 * np.sum(misfit**2) + EDGES * np.sum(np.sqrt(across**2 + down**2 + 1e-4))


def sharpen(seen, path):
    """The most plausible picture behind a blurred one."""
    options = {
        "jac": True,
        "method": "L-BFGS-B",
        "bounds": optimize.Bounds(0, 1),
        "options": {"maxiter": 100},
    }
    return optimize.minimize(
        compiled(value_and_grad(loss)), seen.ravel(), args=(seen, path), **options
    ).x.reshape(SIZE, SIZE)


def decibels(picture, truth):
    """The ratio of the largest signal to the error (PSNR)."""
    return -10 * np.log10(np.mean((picture - truth) ** 2))


def draw(pictures, path):
    figure, panels = plt.subplots(1, len(pictures), figsize=(8.0, 3.0), layout="constrained")
    for panel, (title, picture) in zip(panels, pictures.items(), strict=True):
        panel.imshow(picture, cmap="gray", vmin=0, vmax=1)
        panel.set(title=title, xticks=[], yticks=[])
    figure.savefig(path, dpi=100)


def main(picture=None):
    truth, path = scene(), shake()
    seen = blur(truth, path) + NOISE * np.random.default_rng(0).normal(size=truth.shape)
    found = sharpen(seen, path)
    before, after = decibels(seen, truth), decibels(found, truth)
    if picture:
        draw(
            {
                "truth": truth,
                f"shaken ({before:.1f} dB)": seen,
                f"sharpened ({after:.1f} dB)": found,
            },
            picture,
        )
    return {
        "truth": truth,
        "path": path,
        "seen": seen,
        "found": found,
        "before": before,
        "after": after,
    }


if __name__ == "__main__":
    result = main(*sys.argv[1:])
    print(f"shaken: {result['before']:.1f} dB; sharpened: {result['after']:.1f} dB")
