"""Errors of rules that NumPy runs while compiled JAX code waits: JAX raises one of its own with
their text, in most versions.

Outside `jax.jit` a rule's error is raised as it is. A compiled function runs rules in callbacks, of
whose errors JAX only repeats the text; `own_errors` raises the error itself.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from chainrules_py import ChainRulesError

_numbers = count()
# by callbacks, in threads of JAX's own: of whose call, nobody knows
_raised: deque[tuple[int, BaseException]] = deque(maxlen=64)
_waiting: set[int] = set()  # the calls that are inside `own_errors`


class JaxError(ChainRulesError, TypeError):
    """A rule in a JAX program, that of `primal`, cannot do what is asked of it."""


class NotLinearError(JaxError):
    """JAX asks for the transpose of a function in an argument in which nobody knows it to be
    linear.
    """


def note_own_error(error: BaseException) -> None:
    """Keep an error that a callback is about to raise, for `own_errors`."""
    _raised.append((next(_numbers), error))


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise what a rule raises inside compiled code as it is, in place of JAX's error that repeats
    its text.

    That text says whose error it is, so that threads get their own. An error that JAX has not
    raised yet, since nobody has waited for the value, is raised at the end where one thread alone
    waits; where several do, it is left to JAX.

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
    begin = next(_numbers)
    _waiting.add(begin)
    try:
        yield
    except Exception as error:
        own = next((noted for noted in _since(begin) if str(noted) in str(error)), error)
        if own is error:
            raise
        raise own from error
    else:
        if len(_waiting) == 1 and (errors := _since(begin)):
            raise errors[0]
    finally:
        _waiting.discard(begin)


def _since(begin: int) -> list[BaseException]:
    """The errors that were noted after a number was taken, the first one first."""
    return [error for number, error in list(_raised) if number > begin]
