"""Transforms over several axes: a length of -1 stands for an axis as it is, which CuPy takes for one entry less."""

from typing import Any


def transform(name: str, over: tuple[int, ...] | None) -> Any:
    """The transform of this name, by default over these axes."""

    def transformed(cp: Any, a: Any, s: Any = None, axes: Any = over, norm: str | None = None) -> Any:
        if s is not None and -1 in s:
            along = range(-len(s), 0) if axes is None else axes
            s = tuple(a.shape[axis] if length == -1 else length for length, axis in zip(s, along, strict=True))
        return getattr(cp.fft, name)(a, s, axes, norm)

    transformed.__name__ = name
    return transformed


FFT = tuple(
    transform(f"{kind}{many}", over)
    for kind in ("fft", "ifft", "rfft", "irfft")
    for many, over in (("2", (-2, -1)), ("n", None))
)
