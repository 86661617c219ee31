"""Errors of rules that NumPy runs while compiled JAX code waits: JAX raises one of its own with their text, in most versions.

Outside `jax.jit` a rule's error is raised as it is. A compiled function runs rules in callbacks, of whose errors JAX only
repeats the text; `own_errors` raises the error itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from chainrules_py.errors import ChainRulesError

_raised: list[BaseException] = []  # by callbacks, in threads of JAX's own
_KEPT = 8


class JaxError(ChainRulesError, TypeError):
    """What a rule in a JAX program cannot do: `primal`."""


class NotLinearError(JaxError):
    """JAX asks for the transpose of a function in an argument in which nobody knows it to be linear."""


def note(error: BaseException) -> None:
    """Keep an error that a callback is about to raise; only the last ones are kept."""
    _raised.append(error)
    del _raised[:-_KEPT]


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise what a rule raises inside compiled code as it is, in place of JAX's error that repeats its text.

    >>> import jax, jax.numpy as jnp
    >>> from chainrules_jax import to_jax
    >>> from chainrules_py import primitive, scalar_rule
    >>> @primitive
    ... def halved(n):
    ...     if float(n) < 0:
    ...         raise ValueError("halved: got a negative number; pass its absolute value")
    ...     return np.float32(n / 2)
    >>> scalar_rule(halved, "n", "0.5")
    >>> try:
    ...     with own_errors():
    ...         jax.jit(to_jax(halved))(-1.0).block_until_ready()
    ... except ValueError as error:
    ...     print(error)
    halved: got a negative number; pass its absolute value
    """
    _raised.clear()
    try:
        yield
    except Exception as error:
        if _raised and _raised[0] is not error:
            raise _raised[0] from error
        raise
    if _raised:
        raise _raised[0]
