"""In which of its arguments a function is linear, as a fact about a rule."""

from typing import NamedTuple


class Linearity(NamedTuple):
    """In which arguments, by position, a function is linear.

    That is in each of them by itself, as a product is, or in all of them together, as a sum is. An
    argument that is a list or tuple counts as one, and the function is linear in its arrays
    together. `value_only` names options that concern the value and not the derivative.
    """

    arguments: tuple[bool, ...]
    together: bool
    value_only: frozenset[str] = frozenset()
