"""A variational autoencoder (Kingma and Welling, 2014): gradients go through a sample, because its
noise is an argument.
"""

from typing import Any

import numpy as np

from chainrules_tape import value_and_grad


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return np.logaddexp(x, 0.0)


def dense(layer: dict[str, Any], x: Any) -> Any:
    """An affine map."""
    return x @ layer["w"] + layer["b"]


def loss(network: dict[str, dict[str, Any]], images: Any, noise: Any) -> Any:
    """Minus the evidence lower bound per image, the decoder's pixels being independent coins."""
    hidden = np.tanh(dense(network["encoder"], images))
    mean, log_variance = dense(network["mean"], hidden), dense(network["log_variance"], hidden)
    code = mean + np.exp(0.5 * log_variance) * noise
    logits = dense(network["pixels"], np.tanh(dense(network["decoder"], code)))
    surprise = np.sum(softplus(logits) - images * logits)
    divergence = 0.5 * np.sum(np.exp(log_variance) + mean**2 - 1 - log_variance)
    return (surprise + divergence) / len(images)


def problem(
    seed: int = 0, count: int = 8, side: int = 3, hidden: int = 4, codes: int = 2
) -> tuple[Any, ...]:
    """A random network, images of one bar each, and noise."""
    rng = np.random.default_rng(seed)
    pixels = side * side
    sizes = {
        "encoder": (pixels, hidden),
        "mean": (hidden, codes),
        "log_variance": (hidden, codes),
        "decoder": (codes, hidden),
        "pixels": (hidden, pixels),
    }
    network = {
        name: {"w": rng.normal(size=s) / np.sqrt(s[0]), "b": 0.1 * rng.normal(size=s[1])}
        for name, s in sizes.items()
    }
    bars = np.concatenate(
        [np.kron(np.eye(side), np.ones(side)), np.kron(np.ones(side), np.eye(side))]
    )
    return network, bars[rng.integers(len(bars), size=count)], rng.normal(size=(count, codes))


def main() -> None:
    network, images, noise = problem(count=60, hidden=16)
    rng = np.random.default_rng(1)
    for step in range(401):
        value, slopes = value_and_grad(loss)(network, images, rng.normal(size=noise.shape))
        network = {
            name: {key: layer[key] - 0.1 * slopes[name][key] for key in layer}
            for name, layer in network.items()
        }
        if step % 100 == 0:
            print(f"step {step}: {value:.3f} nats per image")


if __name__ == "__main__":
    main()
