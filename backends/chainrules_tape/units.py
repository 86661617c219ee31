"""Quantities, which are numbers with a unit: the units of derivatives.

A quantity is a container of one number or array. Its tangents are quantities in its own unit. A
derivative has the unit of the result over that of the argument, so that it takes two steps to put
units on derivatives, whatever containers they are in:

    reciprocal(bars)      from the units of arguments to one over them
    times(bars, y)        from there, times the unit of a result

What a package knows about its quantities is a `Package`; `pint_quantities` and
`astropy_quantities` declare theirs.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from chainrules_py.projection.admission import seed_error
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.records import Record
from chainrules_py.values.structure import container, fields, is_container, rebuild
from chainrules_tape.core.guests import on_gradients
from chainrules_tape.refusals.errors import InputError


class Package(Record):
    """The answers of a package with units to questions about its quantities."""

    name: str
    unit: Callable[[Any], Any]  # of a quantity; raises where numbers in it cannot be multiplied
    number: Callable[[Any, Any], Any]  # of a quantity, in a unit; the package's error for others
    quantity: Callable[[Any, Any], Any]  # of a number, traced or not, and a unit
    like: Callable[[Any, Any], Any]  # of a number and a quantity, in whose place it stands


_packages: dict[type, Package] = {}


def declare_quantities(package: Package, *classes: type) -> None:
    """Declare the classes of a package's quantities as containers of one number."""

    def parts(x) -> dict[str, Any]:
        return {"number": package.number(x, package.unit(x))}

    for cls in classes:
        _packages[cls] = package
        container(cls, parts=parts, with_parts=with_number, tangent_parts=number_of_tangent)
    on_gradients(gradient_in_units)


def package_of(x) -> Package | None:
    """The package of a quantity; None for what is none."""
    if not _packages:
        return None
    return next((_packages[base] for base in type(x).__mro__ if base in _packages), None)


def with_number(x, parts: dict[str, Any]):
    """A quantity in the unit of `x`; a Jacobian, which may be a container, gets the unit, too."""
    number, package = parts["number"], package_of(x)
    assert package is not None
    is_one = package_of(number) is None and not is_container(number)
    return package.like(number, x) if is_one else times_unit(number, x)


def number_of_tangent(x, x_dot) -> dict[str, Any]:
    """The number of a tangent in the unit of the quantity; SeedError for what has no such unit."""
    package = package_of(x)
    assert package is not None
    if package_of(x_dot) is not package:
        raise_no_tangent(x, x_dot, f"{x_dot!r}, which has no unit of {package.name}")
    try:
        return {"number": package.number(x_dot, package.unit(x))}
    except Exception as error:  # of the package's own class
        raise_no_tangent(x, x_dot, f"a quantity in {package.unit(x_dot)}", error)


def raise_no_tangent(x, x_dot, got: str, error: Exception | None = None) -> NoReturn:
    """Raise: what was passed is no tangent of a quantity."""
    package = package_of(x)
    assert package is not None
    unit = package.unit(x)
    space = f"quantity in {unit}"
    raise seed_error(
        x_dot, got, space, f"a tangent of a {space}", f"pass a quantity in {unit}, or ZERO"
    ) from error


# Units of derivatives


def times_unit(tree, y) -> Any:
    """Multiply each number and quantity of a tree by the unit of a quantity."""
    package = package_of(y)
    assert package is not None
    unit = package.unit(y)

    def multiplied(x):
        own = package_of(x)
        if own is None:
            return package.quantity(x, unit)
        if own is not package:
            raise_two_packages(own, package, x)
        return package.quantity(package.number(x, package.unit(x)), package.unit(x) * unit)

    return mapped(multiplied, tree)


def reciprocal(tree) -> Any:
    """Put one over its unit on each quantity of a tree, the number staying what it is."""
    if not _packages:
        return tree

    def turned(x):
        package = package_of(x)
        if package is None:
            return x
        unit = package.unit(x)
        return package.quantity(package.number(x, unit), unit**-1)

    return mapped(turned, tree)


def gradient_in_units(bars, y) -> Any:
    """Give cotangents, which are in the units of their arguments, the unit of the result over those."""
    if not _packages:
        return bars
    bars = reciprocal(bars)
    return bars if package_of(y) is None else times_unit(bars, y)


def mapped(change: Callable[[Any], Any], tree) -> Any:
    """A tree with another value for each number and each quantity in it; tangents that are no
    numbers stay.
    """
    if isinstance(tree, AbstractTangent) or tree is None:
        return tree
    if package_of(tree) is not None or not is_container(tree):
        return change(tree)
    return rebuild(tree, {key: mapped(change, part) for key, part in fields(tree).items()})


def has_quantities(tree) -> bool:
    """Whether something in a tree is a quantity."""
    return first_quantity(tree) is not None


def first_quantity(tree) -> Any:
    """The first quantity in a tree, or None."""
    if not _packages:
        return None
    if package_of(tree) is not None:
        return tree
    parts = fields(tree).values() if is_container(tree) else ()
    return next((found for part in parts if (found := first_quantity(part)) is not None), None)


def seed_in_units(y, y_bar) -> tuple[Any, Any]:
    """Return a cotangent of a result, each number of it in the unit of its place, and a quantity in
    the unit of what is differentiated; None where there are no units.

    What is differentiated is the sum of the products of the results with their cotangents, which
    must be in one unit. A cotangent that is a number has no unit; zeros go with any.
    """
    example = first_quantity(y)
    if example is None:
        example = first_quantity(y_bar)
    package = package_of(example)
    if package is None:
        return y_bar, None
    no_unit = package.unit(example) ** 0
    total = unit_of_total(package, no_unit, y, y_bar)

    def seed(y, y_bar):
        is_number = package_of(y_bar) is None
        number = y_bar if is_number else package.number(y_bar, package.unit(y_bar))
        product = product_of_units(package, no_unit, y, y_bar)
        if not is_plain_zero(y_bar):
            factor = float(package.number(product, package.unit(total)))
            number = number if factor == 1.0 else number * factor
        return number if package_of(y) is None else times_unit(number, y)

    return mapped_pairs(seed, y, y_bar), total


def unit_of_total(package: Package, no_unit, y, y_bar) -> Any:
    """A quantity in the unit of the sum of results times cotangents: that of the first product, of
    those that are not zero if there is one.
    """
    products: list[Any] = []
    zeros: list[Any] = []

    def note_product(y, y_bar):
        found = zeros if is_plain_zero(y_bar) else products
        found.append(product_of_units(package, no_unit, y, y_bar))
        return y_bar

    mapped_pairs(note_product, y, y_bar)
    return next(iter([*products, *zeros]), package.quantity(1.0, no_unit))


def product_of_units(package: Package, no_unit, *factors) -> Any:
    """One in the unit of a product; factors that are numbers have no unit."""
    unit = no_unit
    for x in factors:
        own = package_of(x)
        if own is None:
            continue
        if own is not package:
            raise_two_packages(own, package, x)
        unit = unit * package.unit(x)
    return package.quantity(1.0, unit)


def mapped_pairs(change: Callable[[Any, Any], Any], y, y_bar) -> Any:
    """A cotangent with another value for each number and quantity in it, by the part of the result
    in its place; None where there is none. Cotangents that are no numbers stay.
    """
    if isinstance(y_bar, AbstractTangent) or y_bar is None:
        return y_bar
    is_one = package_of(y) is not None or package_of(y_bar) is not None
    if is_one or not is_container(y_bar):
        return change(y, y_bar)
    parts = fields(y) if is_container(y) else {}
    pairs = {key: (parts.get(key), part) for key, part in fields(y_bar).items()}
    return rebuild(y_bar, {key: mapped_pairs(change, *pair) for key, pair in pairs.items()})


def is_plain_zero(y_bar) -> bool:
    """Whether a cotangent is a number or an array of zeros, without a unit."""
    is_plain = issubclass(type(y_bar), np.ndarray | np.generic | int | float | complex)
    return is_plain and package_of(y_bar) is None and not np.any(y_bar)


def raise_two_packages(first: Package, second: Package, x) -> NoReturn:
    """Raise where a derivative would have units of two packages."""
    got = f"quantities of {first.name} and of {second.name}"
    instead = f"pass numbers, or quantities of {second.name} throughout"
    raise InputError("a derivative", got, instead, function=None, value=x)
