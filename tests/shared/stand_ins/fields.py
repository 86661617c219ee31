"""A subclass of NumPy's arrays as users write them, with attributes and methods of its own."""

import numpy as np

X = np.array([0.31, 0.87, 0.52])


class Field(np.ndarray):
    """An array with a name and a spacing, and with methods."""

    factor = 5.0

    def __new__(cls, values, name="", spacing=1.0):
        made = values.view(cls)
        made.name, made._spacing = name, spacing
        return made

    def __array_finalize__(self, other):
        self.name = getattr(other, "name", None)
        self._spacing = getattr(other, "_spacing", 1.0)

    @property
    def first(self):
        return self[0]

    @property
    def spacing(self):
        return self._spacing

    @spacing.setter
    def spacing(self, spacing):
        self._spacing = spacing

    def slope(self):
        return (self[1:] - self[:-1]) / self.spacing

    @classmethod
    def ones(cls):
        return cls(np.ones(3), "ones")

    @staticmethod
    def three():
        return 3.0

    def __getattr__(self, name):
        if name.startswith("entry_"):
            return self[int(name[6:])]
        raise AttributeError(name)


def field():
    """A field that nobody else has."""
    return Field(X.copy(), "height", 0.5)
