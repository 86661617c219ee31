"""`einsum`: linear in every operand.

The adjoint in one of them is another `einsum`, of the cotangent and the others.

Every axis gets a label, those behind an ellipsis too. Seen from one operand, a label is one of
three things:

    elsewhere   also in the output or in another operand: it survives the einsum of the adjoint
    alone       summed over in this operand only: the cotangent is broadcast along it
    repeated    a diagonal was read: the cotangent is written back to that diagonal

Where an axis has length one here and more elsewhere, it was broadcast, so the adjoint sums over the
label.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import Array, LinearMap, Scalar, composed, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.reducing import given
from chainrules_py.rulesets.products.products import conj
from chainrules_py.strong_zeros.strong_contraction import strict_contraction
from chainrules_py.values.arrays import shape_of

# A to Z sort before a to z: axes of an implicit output are in the order of their labels
LETTERS_OF_LABELS = ascii_uppercase + ascii_lowercase


class Subscripts(NamedTuple):
    """A letter for every axis of every operand, and of the output."""

    inputs: tuple[str, ...]
    output: str


def read_subscripts(subscripts: str, ndims: Sequence[int]) -> Subscripts:
    """The subscripts of a call with every ellipsis and an implicit output written out.

    >>> read_subscripts("i...,i", [3, 1])
    Subscripts(inputs=('iab', 'i'), output='ab')
    """
    left, arrow, output = subscripts.replace(" ", "").replace("...", ".").partition("->")
    terms = left.split(",")
    if not arrow:
        counts = Counter(left.replace(",", "").replace(".", ""))
        once = sorted(letter for letter, count in counts.items() if count == 1)
        output = "." * ("." in left) + "".join(once)
    hidden = [
        ndim - len(term) + 1 if "." in term else 0 for term, ndim in zip(terms, ndims, strict=True)
    ]
    most = max(hidden, default=0)
    free = "".join(letter for letter in ascii_letters if letter not in subscripts)[:most]
    # ellipses are aligned at the last axis
    inputs = (
        term.replace(".", free[most - count :]) for term, count in zip(terms, hidden, strict=True)
    )
    return Subscripts(tuple(inputs), output.replace(".", free))


def subscripts_of_lists(args: Sequence[Any]) -> str:
    """The subscripts of the other call form, ``einsum(a, [0, 1], b, [1], [0])``."""

    def letters(labels) -> str:
        written = ["..." if label is Ellipsis else LETTERS_OF_LABELS[label] for label in labels]
        return "".join(written)

    terms = ",".join(map(letters, args[1::2]))
    return f"{terms}->{letters(args[-1])}" if len(args) % 2 else terms


@linearised_rule(np.einsum)
def einsum_linearised(
    subscripts: str, *operands: Array | Scalar, optimize: Any = None, xp
) -> Linearised:
    y = xp.einsum(subscripts, *operands, **given(optimize=optimize))
    return y, None, *operand_maps(subscripts, operands, optimize, xp)


@composed(np.einsum)
def einsum_of_lists(first: Array | Scalar, *rest: object, optimize: Any = None) -> Any:
    """Operands, which may be lists of arrays, and lists of labels alternate."""
    args = (first, *rest)
    operands = map(array_of_parts, args[: len(args) // 2 * 2 : 2])
    return np.einsum(subscripts_of_lists(args), *operands, **given(optimize=optimize))


def operand_maps(subscripts: str, operands: tuple[Any, ...], optimize, xp) -> Iterator[LinearMap]:
    """The derivative by each operand: an einsum with its tangent in its place, and its adjoint."""
    shapes = tuple(map(shape_of, operands))

    def operand_map(i: int) -> LinearMap:
        others = [*operands[:i], *operands[i + 1 :]]

        def pushforward(dot):
            def contract(t, *others):
                how = given(optimize=optimize)
                return xp.einsum(subscripts, *others[:i], t, *others[i:], **how)

            return strict_contraction(contract, dot, others)

        def pullback(y_bar):
            contract = partial(
                operand_adjoint,
                plan=adjoint_plan(subscripts, shapes, i),
                how=given(optimize=optimize and bool(optimize)),
                xp=xp,
            )
            return strict_contraction(contract, y_bar, [conj(other, xp) for other in others])

        return LinearMap(pushforward, pullback)

    return map(operand_map, range(len(operands)))


class LetterDiagonal(NamedTuple):
    """The entries at which axes of the same letter agree, one axis per letter.

    With the axes of each letter side by side and flat, in the shape `flat`, they are these
    `slices`. From there, the axes are taken `apart`, and brought into their `order`.
    """

    slices: tuple[slice, ...]
    flat: tuple[int, ...]
    apart: tuple[int, ...]
    order: tuple[int, ...]

    def written(self, bar, xp) -> Any:
        """Zeros with `bar` in these entries."""
        flat = scatter_add(bar, self.slices, self.flat, bar.dtype)
        return xp.transpose(xp.reshape(flat, self.apart), self.order)


class EinsumPlan(NamedTuple):
    """The adjoint in one operand: an einsum, reshaped to `surviving`, then broadcast to `lengths`.

    `surviving` has length one where the cotangent does not vary. `diagonal` writes the result to
    the diagonal of an operand in which a letter is repeated, and is None for others.
    """

    subscripts: str
    surviving: tuple[int, ...]
    lengths: tuple[int, ...]
    diagonal: LetterDiagonal | None


@lru_cache(maxsize=512)
def adjoint_plan(subscripts: str, shapes: tuple[tuple[int, ...], ...], i: int) -> EinsumPlan:
    """The adjoint in operand `i` of a call with operands of these shapes."""
    inputs, output = read_subscripts(subscripts, [len(shape) for shape in shapes])
    own = dict(zip(inputs[i], shapes[i], strict=True))
    others = [k for k in range(len(inputs)) if k != i]
    elsewhere = _lengths([(inputs[k], shapes[k]) for k in others])
    elsewhere |= {
        letter: n
        for letter, n in _lengths(list(zip(inputs, shapes, strict=True))).items()
        if letter in output
    }
    # A letter that is broadcast from here is summed over; one that others broadcast is broadcast
    # afterwards.
    surviving = [letter for letter in own if elsewhere.get(letter, -1) in {1, own[letter]}]
    terms = ",".join([output, *(inputs[k] for k in others)])
    return EinsumPlan(
        f"{terms}->{''.join(surviving)}",
        tuple(elsewhere[letter] if letter in surviving else 1 for letter in own),
        tuple(own.values()),
        _diagonal(inputs[i], own) if len(own) < len(inputs[i]) else None,
    )


def operand_adjoint(y_bar, *others, plan: EinsumPlan, how: dict[str, Any], xp):
    """The cotangent of one operand, in its shape."""
    bar = xp.einsum(plan.subscripts, y_bar, *others, **how)
    if bar.shape != plan.lengths:
        bar = xp.broadcast_to(xp.reshape(bar, plan.surviving), plan.lengths)
    return bar if plan.diagonal is None else plan.diagonal.written(bar, xp)


def _lengths(terms: Sequence[tuple[str, tuple[int, ...]]]) -> dict[str, int]:
    """The length of each letter's axis: the one that is not one, where there is one."""
    found: dict[str, int] = {}
    for letters, shape in terms:
        for letter, length in zip(letters, shape, strict=True):
            found[letter] = length if found.get(letter, 1) == 1 else found[letter]
    return found


def _diagonal(letters: str, lengths: dict[str, int]) -> LetterDiagonal:
    counts = [letters.count(letter) for letter in lengths]
    # Entry k of each of `count` axes is entry k (1 + n + n**2 + ...) of the flat one.
    steps = [
        sum(n**power for power in range(count))
        for n, count in zip(lengths.values(), counts, strict=True)
    ]
    places = [place for letter in lengths for place, other in enumerate(letters) if other == letter]
    return LetterDiagonal(
        tuple(slice(None, None, step) for step in steps),
        tuple(n**count for n, count in zip(lengths.values(), counts, strict=True)),
        tuple(lengths[letters[place]] for place in places),
        tuple(places.index(axis) for axis in range(len(letters))),
    )
