"""The titles and units under which benchmarks are shown."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def titled(title: str, unit: str = "seconds") -> Callable[[F], F]:
    """Decorator: the title under which a benchmark is plotted and the unit of its axis (asv reads
    both off the function).
    """

    def give_title(benchmark: F) -> F:
        benchmark.__dict__.update(pretty_name=title, unit=unit)
        return benchmark

    return give_title
