"""Which modules are seen through just now (`seeing`); here, because errors and methods of handles ask."""

from collections import Counter

packages: Counter[str] = Counter()  # how many scopes name a package or module


def is_seen(name: str) -> bool:
    """Whether a module is seen through: its name, or that of a package that it is in, was given.

    >>> is_seen("some_package.models")
    False
    """
    while name:
        if name in packages:
            return True
        name = name.rpartition(".")[0]
    return False
