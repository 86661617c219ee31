"""Why functions of NumPy and SciPy have no rule, read from `without_rules.toml`.

The file is read when somebody asks for the first time. Its categories are those of
`chainrules_numpy.coverage`, and *no known density* of distributions.

>>> reason_of("no rule yet", "scipy.fft", "set_workers")
'it chooses who computes transforms, and computes nothing'
"""

import os.path
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

Sections = dict[str, dict[str, dict[str, str]]]  # by the category and the module: names by reason


@cache
def sections() -> Sections:
    """Read the file by the loader of this module, which may be that of an archive."""
    from tomllib import loads  # which most processes never need

    loader: Any = __spec__.loader
    path = f"{os.path.dirname(__file__)}/without_rules.toml"
    found: Sections = loads(loader.get_data(path).decode())
    return found


@cache
def listed(category: str, module: str) -> dict[str, str]:
    """The names and patterns that are listed of a module in a category, each with the reason."""
    found = sections()[category].get(module, {})
    return {name: reason for reason, names in found.items() for name in names.split()}


def reason_of(category: str, module: str, name: str) -> str | None:
    """Why a name of a module is in a category; None where it is not."""
    found = listed(category, module)
    if name in found:
        return found[name]
    return next((found[each] for each in found if "*" in each and fnmatchcase(name, each)), None)
