"""`from_jax`: a function that JAX differentiates, as a primitive with both rules, in programs of
NumPy's arrays.

Whole trees go in and come out: a dict of parameters, say. Each of value, pullback and pushforward
is compiled once for each kind of arguments. Where a 64-bit number comes in, JAX computes in 64 bits
for that call, so that nothing is rounded in between.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from chainrules_jax.tangents import conjugated
from chainrules_py import NO_TANGENT, RuleTable, default_rules
from chainrules_py.engines import ForeignFunction, foreign_primitive


def from_jax(
    function: Callable[..., Any], *, rules: RuleTable = default_rules
) -> Callable[..., Any]:
    """Make a primitive of a function of JAX's arrays: it takes and returns NumPy's, and `rules` has
    its derivatives.

    >>> import jax.numpy as jnp
    >>> from chainrules_py import rrule
    >>> norm = from_jax(lambda v: jnp.sqrt(jnp.sum(v["a"] ** 2)))
    >>> y, pullback = rrule(norm, {"a": np.array([3.0, 4.0])})
    >>> y, pullback(1.0)[0]["a"]
    (np.float64(5.0), array([0.6, 0.8]))
    """
    name = getattr(function, "__name__", type(function).__name__)
    return foreign_primitive(FromJax(function, name), rules)


@partial(
    jax.tree_util.register_dataclass,
    data_fields=("floating", "others"),
    meta_fields=("treedef", "kinds"),
)
@dataclass(frozen=True)
class Laid:
    """A tree laid flat: its real and complex leaves, its other arrays; `kinds` says of which kind a
    leaf is, or holds it.
    """

    floating: list[Any]
    others: list[Any]
    treedef: Any
    kinds: tuple[Any, ...]

    @classmethod
    def of(cls, tree) -> "Laid":
        """A tree taken apart; what is neither an array nor a real or complex number is a part of
        what the tree is.
        """
        leaves, treedef = jax.tree.flatten(tree)
        kinds = tuple(map(_kind_of_leaf, leaves))
        pairs = list(zip(leaves, kinds, strict=True))
        floating = [leaf for leaf, kind in pairs if kind is _FLOATING]
        others = [leaf for leaf, kind in pairs if kind is _OTHER]
        return cls(floating, others, treedef, kinds)

    def tree(self) -> Any:
        """Put the tree together again, of the leaves and what else it is."""
        arrays = {_FLOATING: iter(self.floating), _OTHER: iter(self.others)}

        def leaf_of(kind):
            is_array = kind is _FLOATING or kind is _OTHER
            return next(arrays[kind]) if is_array else kind

        return jax.tree.unflatten(self.treedef, list(map(leaf_of, self.kinds)))

    def tangent(self, floating: Iterable[Any]) -> Any:
        """A tangent of the tree: one for each real or complex leaf, NO_TANGENT for the others."""
        given = iter(floating)
        leaves = [next(given) if kind is _FLOATING else NO_TANGENT for kind in self.kinds]
        return jax.tree.unflatten(self.treedef, leaves)


# bytes from which a copy takes longer than asking JAX to do without: 1900 us against 130 at 8 MB
LARGE = 1 << 18
_FLOATING, _OTHER = "a real or complex leaf", "an array of integers"


def _kind_of_leaf(leaf) -> Any:
    dtype = getattr(leaf, "dtype", None)
    if dtype is None:
        return _FLOATING if isinstance(leaf, float | complex) else leaf
    return _FLOATING if jnp.issubdtype(dtype, jnp.inexact) else _OTHER


class FromJax(ForeignFunction):
    """A function of JAX's arrays, evaluated and differentiated by JAX."""

    # what compiled code returns for the pullback is never the memory that it was given
    keeps_arguments = False

    def evaluate(self, *args) -> Any:
        """The value, in arrays of NumPy's that are nobody else's."""
        return _value_of(_compute_in_jax(self._value, Laid.of(args)))

    def vjp(self, *args) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """Return the value and the pullback, which holds JAX's residuals."""
        laid = Laid.of(args)
        y, pull = _compute_in_jax(self._vjp, laid)

        def pullback(y_bar) -> tuple[Any, ...]:
            seeds = _like(Laid.of(y_bar).floating, y.floating)
            bars = _shared(_compute_in_jax(_pulled, pull, seeds), (*laid.floating, *seeds))
            found: tuple[Any, ...] = laid.tangent(bars)
            return found

        return _value_of(y), pullback

    def jvp(self, args: tuple[Any, ...], dots: tuple[Any, ...]) -> tuple[Any, Any]:
        """The value and its tangent."""
        laid = Laid.of(args)
        seeds = _like(Laid.of(dots).floating, laid.floating)
        y, y_dots = _compute_in_jax(self._jvp, laid, seeds)
        return _value_of(y), y.tangent(_shared(y_dots, (*laid.floating, *seeds)))

    def pulled(self, y_bar, *args: Any) -> Any:
        """The cotangents of the arguments, of JAX's arrays."""
        laid = Laid.of(args)
        _, pull = self._vjp_of(laid)
        return laid.tangent(_pulled_of(pull, Laid.of(y_bar).floating))

    def pushed(self, dots: tuple[Any, ...], *args: Any) -> Any:
        """The tangent of the value, of JAX's arrays."""
        y, y_dots = self._jvp_of(Laid.of(args), Laid.of(dots).floating)
        return y.tangent(y_dots)

    @cached_property
    def _value(self) -> Any:
        return jax.jit(lambda laid: Laid.of(self.function(*laid.tree())))

    @cached_property
    def _vjp(self) -> Any:
        return jax.jit(self._vjp_of)

    @cached_property
    def _jvp(self) -> Any:
        return jax.jit(self._jvp_of)

    def _vjp_of(self, laid: Laid) -> tuple[Laid, Any]:
        _, pull, y = jax.vjp(self._floating_of(laid), laid.floating, has_aux=True)
        return y, pull

    def _jvp_of(self, laid: Laid, dots: list[Any]) -> tuple[Laid, list[Any]]:
        _, y_dots, y = jax.jvp(self._floating_of(laid), (laid.floating,), (dots,), has_aux=True)
        return y, y_dots

    def _floating_of(self, laid: Laid) -> Callable[[list[Any]], tuple[list[Any], Laid]]:
        def floating_and_all(floating: list[Any]) -> tuple[list[Any], Laid]:
            y = Laid.of(self.function(*replace(laid, floating=floating).tree()))
            return y.floating, y

        return floating_and_all


def _pulled_of(pull, bars: list[Any]) -> list[Any]:
    """A pullback of JAX's in our convention."""
    return [conjugated(bar) for bar in pull([conjugated(bar) for bar in bars])[0]]


_pulled = jax.jit(_pulled_of)


def _compute_in_jax(compiled: Callable[..., Any], *args) -> Any:
    """Run compiled code in 64 bits where NumPy would, and wait until nothing of what it was given
    is read.
    """
    numbers = [
        getattr(x, "dtype", x) for x in jax.tree.leaves(args) if _kind_of_leaf(x) is _FLOATING
    ]
    wide = bool(numbers) and np.result_type(*numbers) in (np.float64, np.complex128)
    with jax.enable_x64(wide or bool(jax.config.read("jax_enable_x64"))):
        return jax.block_until_ready(compiled(*jax.tree.map(_in_jax, args)))


def _in_jax(x):
    """An array of JAX's from one of NumPy's: of a large one on the same memory, if that begins
    where JAX wants it.
    """
    if isinstance(x, np.ndarray) and x.nbytes >= LARGE:
        return jax.device_put(x)
    return jnp.array(x) if isinstance(x, np.ndarray | np.generic) else x


def _like(tangents: list[Any], values: list[Any]) -> list[Any]:
    """Tangents with the dtypes of their values, which JAX demands."""
    pairs = zip(tangents, values, strict=True)
    return [np.asarray(t, getattr(x, "dtype", type(x))) for t, x in pairs]


def _value_of(y: Laid) -> Any:
    """A value in copies, which may be written, numbers where they are 0-d."""
    floating, others = ([np.array(x)[()] for x in arrays] for arrays in (y.floating, y.others))
    return replace(y, floating=floating, others=others).tree()


def _shared(tangents: Iterable[Any], given: Sequence[Any]) -> list[Any]:
    """Tangents on JAX's memory, which cannot be written; copies of those that JAX handed on from
    what it was given.
    """

    def own(x) -> Any:
        is_given = any(np.may_share_memory(x, other) for other in given)
        return x.copy() if is_given else x

    return [own(np.asarray(t)[()]) for t in tangents]
