"""The types of PTX, and the C types in which an instruction computes with them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """A type of an instruction or of a register: how it lies in memory, and in what C computes with
    it.
    """

    name: str
    stored: str
    computed: str
    size: int

    @property
    def kind(self) -> str:
        """One of ``s``, ``u``, ``b``, ``f``, ``bf`` and ``pred``."""
        return self.name.rstrip("0123456789")

    @property
    def is_float(self) -> bool:
        """Whether the bits are a floating point number."""
        return self.kind in ("f", "bf")

    @property
    def is_half(self) -> bool:
        """Whether C has no type for it, so that it is stored as bits and computed with in double
        precision.
        """
        return self.is_float and self.size == 2

    @property
    def bits(self) -> "Type":
        """The untyped bits of this size."""
        return TYPES[f"b{8 * self.size}"]

    def wider(self) -> "Type":
        """The integers of twice the size."""
        return TYPES[f"{self.kind}{16 * self.size}"]


def integers(kind: str, prefix: str) -> dict[str, Type]:
    """The integers of one kind, by name."""
    names = {f"{kind}{8 * size}": (f"{prefix}int{8 * size}_t", size) for size in (1, 2, 4, 8)}
    return {name: Type(name, c_type, c_type, size) for name, (c_type, size) in names.items()}


TYPES = {
    **integers("s", ""),
    **integers("u", "u"),
    **integers("b", "u"),
    "f16": Type("f16", "uint16_t", "double", 2),
    "bf16": Type("bf16", "uint16_t", "double", 2),
    "f32": Type("f32", "float", "float", 4),
    "f64": Type("f64", "double", "double", 8),
    "pred": Type("pred", "uint8_t", "uint8_t", 1),
}
