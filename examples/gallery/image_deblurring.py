"""A photograph that was shaken, sharpened again.

Each pixel of the picture is an unknown: sixteen thousand of them. A good picture gives, blurred once more by the path of the
shake, the blurred one, and has few edges. The gradient by all pixels costs two or three times what this loss costs, and a
quasi-Newton method needs a hundred of them. The path of the shake is known here.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize

from chainrules_tape import value_and_grad

SIZE = 128
NOISE = 0.01
EDGES = 10.0  # what a unit of edge costs, next to the misfit in units of the noise


def scene() -> Any:
    """A picture with edges, thin lines and soft shades, between 0 and 1."""
    y, x = np.mgrid[:SIZE, :SIZE] / SIZE
    picture = 0.25 + 0.2 * y
    picture = np.where(np.hypot(x - 0.3, y - 0.3) < 0.18, 0.95 - 0.5 * np.hypot(x - 0.36, y - 0.36), picture)
    picture = np.where((x > 0.58) & (x < 0.9) & (y > 0.12) & (y < 0.46), np.floor(x**2 * 28) % 2 * 0.75 + 0.1, picture)
    angle = np.arctan2(y - 0.72, x - 0.33)
    picture = np.where(np.hypot(x - 0.33, y - 0.72) < 0.2, (np.cos(12 * angle) > 0) * 0.8 + 0.1, picture)
    return np.where((abs(x - 0.74) + abs(y - 0.72) < 0.2) & (abs(x - 0.74) + abs(y - 0.72) > 0.1), 0.9, picture)


def shake() -> Any:
    """How long the shaken camera pointed where: the Fourier transform of a curved path of nine pixels."""
    t = np.linspace(-1, 1, 400)
    kernel = np.zeros((SIZE, SIZE))
    np.add.at(kernel, (np.rint(2.5 * t**2).astype(int), np.rint(4 * t).astype(int)), 1 / t.size)
    return np.fft.rfft2(kernel)


def blur(picture: Any, path: Any) -> Any:
    """What a shaken camera sees, with edges that wrap around."""
    return np.fft.irfft2(np.fft.rfft2(picture) * path, s=(SIZE, SIZE))


def loss(pixels: Any, seen: Any, path: Any) -> Any:
    """The misfit, and the length of all edges times their heights (Rudin, Osher and Fatemi 1992)."""
    picture = pixels.reshape(SIZE, SIZE)
    across, down = picture - np.roll(picture, 1, 1), picture - np.roll(picture, 1, 0)
    misfit = (blur(picture, path) - seen) / NOISE
    return 0.5 * np.sum(misfit**2) + EDGES * np.sum(np.sqrt(across**2 + down**2 + 1e-4))


def sharpen(seen: Any, path: Any, steps: int = 100) -> Any:
    """The most plausible picture behind a blurred one."""
    bounds = optimize.Bounds(0.0, 1.0)
    options = {"maxiter": steps}
    found = optimize.minimize(
        value_and_grad(loss), seen.ravel(), args=(seen, path), jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    return found.x.reshape(SIZE, SIZE)


def decibels(picture: Any, truth: Any) -> float:
    """The ratio of the largest signal to the error (PSNR)."""
    return -10 * np.log10(np.mean((picture - truth) ** 2))


def draw(pictures: dict[str, Any], path: str) -> None:
    """Draw pictures side by side."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, panels = plt.subplots(1, len(pictures), figsize=(8.0, 3.0))
    for panel, (title, picture) in zip(panels, pictures.items(), strict=True):
        panel.imshow(picture, cmap="gray", vmin=0, vmax=1)
        panel.set(title=title, xticks=[], yticks=[])
        panel.spines[:].set_visible(False)
    figure.savefig(path, dpi=100)


def main(picture: str | None = None) -> dict[str, Any]:
    """Shake a picture and sharpen it; return the pictures, and how near to the truth each is in decibels."""
    truth, path = scene(), shake()
    seen = blur(truth, path) + NOISE * np.random.default_rng(0).normal(size=truth.shape)
    found = sharpen(seen, path)
    before, after = decibels(seen, truth), decibels(found, truth)
    if picture:
        draw({"truth": truth, f"shaken ({before:.1f} dB)": seen, f"sharpened ({after:.1f} dB)": found}, picture)
    return {"truth": truth, "path": path, "seen": seen, "found": found, "before": before, "after": after}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="the file for the picture")
    result = main(**vars(parser.parse_args()))
    print(f"shaken: {result['before']:.1f} dB; sharpened: {result['after']:.1f} dB")
