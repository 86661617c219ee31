"""Names of libraries that take seconds to import, and may be absent."""

from collections.abc import Callable
from functools import cached_property
from pkgutil import resolve_name
from typing import Any


class Late:
    """A name, as in ``jax.numpy:sum``, which is imported when it is called or asked for something,
    or what a function makes then.
    """

    def __init__(self, name: str | Callable[[], Any]) -> None:
        self.name = name

    @cached_property
    def found(self):
        """What has the name, or is made."""
        if callable(self.name):
            return self.name()
        if "torch" in self.name:
            import quiet_torch as quiet_torch
        return resolve_name(self.name)

    def __getattr__(self, word: str):
        if word.startswith("__"):  # which is asked of each object, to copy it for one
            raise AttributeError(word)
        return getattr(self.found, word)

    def __call__(self, *args, **options):
        return self.found(*args, **options)


def made(value):
    """A value, or what a late one is."""
    return value.found if isinstance(value, Late) else value
