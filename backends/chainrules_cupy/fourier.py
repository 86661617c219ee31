"""Transforms over several axes, where a length of -1 stands for an axis as it is (CuPy: one entry
less), and their weights.
"""

from typing import Any


def frequency_weights(n: int, alone: float, paired: float, dtype, xp):
    """One weight per frequency, filled once, then changed at the ends: joining three parts would
    write all twice.
    """
    weights = xp.full(n // 2 + 1, paired, dtype=dtype)
    weights[0] = alone
    if n % 2 == 0:
        weights[-1] = alone
    return weights


def transform(name: str, over: tuple[int, ...] | None) -> Any:
    """The transform of this name, by default over these axes."""

    def transformed(cp, a, s: Any = None, axes: Any = over, norm: str | None = None):
        if s is not None and -1 in s:
            along = range(-len(s), 0) if axes is None else axes
            s = tuple(
                a.shape[axis] if length == -1 else length
                for length, axis in zip(s, along, strict=True)
            )
        return getattr(cp.fft, name)(a, s, axes, norm)

    transformed.__name__ = name
    return transformed


FFT = tuple(
    transform(f"{kind}{many}", over)
    for kind in ("fft", "ifft", "rfft", "irfft")
    for many, over in (("2", (-2, -1)), ("n", None))
)
