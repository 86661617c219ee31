"""`numpy.random` for code that is differentiated: draws by parameters and of data that are traced.

A draw is differentiated at the state that its generator is in.

>>> from chainrules_tape import grad
>>> grad(lambda scale: default_rng(0).normal(1.0, scale))(2.0)
0.1257...
"""

from typing import Any

import numpy

from chainrules_py.rulesets.draws import DRAWS, SOURCES
from chainrules_py.values.identity import existing
from chainrules_tape.numpy.namespaces import interceptable, stand_in


class Source(type):
    """The metaclass of generators, of which NumPy's own are instances, too."""

    def __instancecheck__(cls, instance) -> bool:
        base: Any = cls.__base__
        return super().__instancecheck__(instance) or (
            base in SOURCES and isinstance(instance, base)
        )


class Generator(numpy.random.Generator, metaclass=Source):
    """A generator whose draws take traced values."""


class RandomState(numpy.random.RandomState, metaclass=Source):
    """A legacy state whose draws take traced values."""


for _cls in (Generator, RandomState):
    for _method in existing(_cls, *DRAWS):
        setattr(_cls, _method.__name__, interceptable(_method))


def default_rng(seed: Any = None) -> Generator:
    """Make a generator, as NumPy's function does; of one of NumPy's, one that shares its state."""
    if type(seed) is Generator:
        return seed
    return Generator(numpy.random.default_rng(seed).bit_generator)


_find, __dir__ = stand_in(numpy.random, globals())


def __getattr__(name: str) -> Any:
    if name not in DRAWS:
        return _find(name)
    globals()[name] = draw = interceptable(getattr(numpy.random, name))
    return draw
