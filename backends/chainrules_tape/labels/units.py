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
from typing import Any, NamedTuple, NoReturn

from chainrules_py.projection.admission import seed_error
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import container, fields, is_container, rebuild
from chainrules_tape.refusals.errors import InputError


class Package(NamedTuple):
    """The answers of a package with units to questions about its quantities."""

    name: str
    unit: Callable[[Any], Any]  # of a quantity; raises where numbers in it cannot be multiplied
    number: Callable[[Any, Any], Any]  # of a quantity, in a unit; the package's error for others
    quantity: Callable[[Any, Any], Any]  # of a number, traced or not, and a unit


_packages: dict[type, Package] = {}


def declare_quantities(package: Package, *classes: type) -> None:
    """Declare the classes of a package's quantities as containers of one number."""

    def parts(x: Any) -> dict[str, Any]:
        return {"number": package.number(x, package.unit(x))}

    for cls in classes:
        _packages[cls] = package
        container(cls, parts=parts, with_parts=with_number, tangent_parts=number_of_tangent)


def package_of(x: Any) -> Package | None:
    """The package of a quantity; None for what is none."""
    if not _packages:
        return None
    return next((_packages[base] for base in type(x).__mro__ if base in _packages), None)


def with_number(x: Any, parts: dict[str, Any]) -> Any:
    """A quantity in the unit of `x`; a Jacobian, which may be a container, gets the unit, too."""
    return times(parts["number"], x)


def number_of_tangent(x: Any, x_dot: Any) -> dict[str, Any]:
    """The number of a tangent in the unit of the quantity; SeedError for what has no such unit."""
    package = package_of(x)
    assert package is not None
    if package_of(x_dot) is not package:
        raise_no_tangent(x, x_dot, f"{x_dot!r}, which has no unit of {package.name}")
    try:
        return {"number": package.number(x_dot, package.unit(x))}
    except Exception as error:  # of the package's own class
        raise_no_tangent(x, x_dot, f"a quantity in {package.unit(x_dot)}", error)


def raise_no_tangent(x: Any, x_dot: Any, got: str, error: Exception | None = None) -> NoReturn:
    """Raise: what was passed is no tangent of a quantity."""
    package = package_of(x)
    assert package is not None
    unit = package.unit(x)
    space = f"quantity in {unit}"
    raise seed_error(
        x_dot, got, space, f"a tangent of a {space}", f"pass a quantity in {unit}, or ZERO"
    ) from error


# Units of derivatives


def times(tree: Any, y: Any) -> Any:
    """Multiply each number and quantity of a tree by the unit of a quantity."""
    package = package_of(y)
    assert package is not None
    unit = package.unit(y)

    def multiplied(x: Any) -> Any:
        own = package_of(x)
        if own is None:
            return package.quantity(x, unit)
        if own is not package:
            raise_two_packages(own, package, x)
        return package.quantity(package.number(x, package.unit(x)), package.unit(x) * unit)

    return mapped(multiplied, tree)


def reciprocal(tree: Any) -> Any:
    """Put one over its unit on each quantity of a tree, the number staying what it is."""
    if not _packages:
        return tree

    def turned(x: Any) -> Any:
        package = package_of(x)
        if package is None:
            return x
        unit = package.unit(x)
        return package.quantity(package.number(x, unit), unit**-1)

    return mapped(turned, tree)


def gradient_in_units(bars: Any, y: Any) -> Any:
    """Give cotangents, which are in the units of their arguments, the unit of the result over those."""
    if not _packages:
        return bars
    bars = reciprocal(bars)
    return bars if package_of(y) is None else times(bars, y)


def mapped(change: Callable[[Any], Any], tree: Any) -> Any:
    """A tree with another value for each number and each quantity in it; tangents that are no
    numbers stay.
    """
    if isinstance(tree, AbstractTangent) or tree is None:
        return tree
    if package_of(tree) is not None or not is_container(tree):
        return change(tree)
    return rebuild(tree, {key: mapped(change, part) for key, part in fields(tree).items()})


def has_quantities(tree: Any) -> bool:
    """Whether something in a tree is a quantity."""
    if not _packages:
        return False
    if package_of(tree) is not None:
        return True
    return is_container(tree) and any(map(has_quantities, fields(tree).values()))


def seed_in_units(where: Any, y: Any, y_bar: Any) -> tuple[Any, Any]:
    """Return a cotangent of a result, in the result's unit, and a quantity in the unit of their
    product, which is that of what is differentiated; None where there is no unit.

    A cotangent that is a number has no unit.
    """
    if not (has_quantities(y) or has_quantities(y_bar)):
        return y_bar, None
    package = package_of(y) or package_of(y_bar)
    if package is None:
        got = "quantities in a container of results, or of their cotangents"
        instead = "return one quantity, or numbers, each in a unit of your choice"
        raise InputError(f"vjp({qualified_name(where)})", got, instead, function=where, value=y)
    if package_of(y_bar) is None:
        return times(y_bar, y), y
    number = package.number(y_bar, package.unit(y_bar))
    if package_of(y) is None:
        return number, y_bar
    return times(number, y), times(y_bar, y)


def raise_two_packages(first: Package, second: Package, x: Any) -> NoReturn:
    """Raise where a derivative would have units of two packages."""
    got = f"quantities of {first.name} and of {second.name}"
    instead = f"pass numbers, or quantities of {second.name} throughout"
    raise InputError("a derivative", got, instead, function=None, value=x)
