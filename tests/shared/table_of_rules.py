"""Write the table that says which modules have the rules of which function.

    python tests/shared/table_of_rules.py            write chainrules_py/rulesets/functions.txt
    python tests/shared/table_of_rules.py --print    print what the rulesets say

It imports all rulesets, and notes which module declares which function. Of functions that the
installed NumPy and SciPy do not have, the lines stay as they are.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from typing import Any
from unittest.mock import patch

from chainrules_py.table.registration import Registrations
from chainrules_py.table.registry import default_rules
from chainrules_py.values import discovery, shipped
from chainrules_py.values.identity import home_module, name_in_package, qualified_name

RULESETS = "chainrules_py.rulesets"
OWN, LANES, NAMES = "rules of differentiation", "rules for many examples", "other names"
# by the function and the kind: the modules
declared: dict[Any, dict[str, set[str]]] = {}


def note(primal, kind: str) -> None:
    """Note that the module of the rulesets that is being imported declares a function."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals["__name__"]
        if frame.f_code.co_name == "<module>" and name.startswith(f"{RULESETS}."):
            declared.setdefault(primal, {}).setdefault(kind, set()).add(name)
            return
        frame = frame.f_back


def note_all() -> None:
    """Import all rulesets, and note what they declare."""
    declare, alias = Registrations.declare, Registrations.alias

    def noting_declare(table, primal, make, modes=("reverse", "forward")):
        if "batching" in modes:
            note(primal, LANES)
        if tuple(modes) != ("batching",):
            note(primal, OWN)
        return declare(table, primal, make, modes)

    def noting_alias(table, other, primal, *args, **options):
        if other is not primal:
            note(other, NAMES)
        return alias(table, other, primal, *args, **options)

    with (
        patch.object(Registrations, "declare", noting_declare),
        patch.object(Registrations, "alias", noting_alias),
    ):
        default_rules.load_all()


def public_name(function) -> str | None:
    """The name under which the table can list a function; None where it has no public one."""
    home = home_module(function)
    name = discovery.name_at_home(function) or name_in_package(function).rpartition(".")[2]
    return discovery.public_name(function, home, name)


def is_listed(name: str) -> bool:
    """Whether the table lists a function of a public name.

    Private functions of libraries are other names of the functions that call them.
    """
    home, _, last = name.rpartition(".")
    is_private = last.startswith("_") and not last.startswith("__")
    return not is_private and not any(
        f"{home}.".startswith(f"{package}.") for package in shipped.UNLISTED
    )


def modules_of(function) -> tuple[set[str], set[str]]:
    """The modules with the rules of differentiation of a function, and those with the others."""
    found = declared[function]
    own = found.get(OWN, set()) | found.get(NAMES, set())
    if NAMES in found:
        target = default_rules.names.alias_of(function).primal
        own |= declared[target][OWN] if is_ours(target) else set()
    return own, found.get(LANES, set()) - own


def rows() -> Iterator[tuple[str, str]]:
    """The name of each function that is listed, and the modules with its rules."""
    for function in declared:
        own, lanes = modules_of(function)
        name = public_name(function)
        if own and name is not None and is_listed(name):
            yield name, " | ".join([text_of(modules) for modules in (own, lanes) if modules])


def left_out() -> list[str]:
    """List the functions that have rules, should be in the table, and have no name for it."""
    return [
        qualified_name(function)
        for function, modules in declared.items()
        if OWN in modules
        and public_name(function) is None
        and not shipped.may_be_unlisted(home_module(function))
    ]


def is_ours(function) -> bool:
    """Whether a function is one that the rulesets wrote."""
    return home_module(function).startswith(RULESETS)


def text_of(modules: set[str]) -> str:
    """Write modules of the rulesets by their names in there."""
    return " ".join(sorted(name.removeprefix(f"{RULESETS}.") for name in modules))


def is_installed(name: str) -> bool:
    """Whether the installed libraries have a function of this public name."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            module = import_module(".".join(parts[:count]))
            return public_name(attrgetter(".".join(parts[count:]))(module)) == name
        except (ImportError, AttributeError):
            continue
    return False


def table() -> str:
    """What the rulesets say now, as the text of the table."""
    note_all()
    if nameless := left_out():
        raise SystemExit(f"give these functions public names: {nameless}")
    kept = {name: row for name, row in shipped.FUNCTIONS.items() if not is_installed(name)}
    found = kept | dict(rows())
    return "".join(f"{name}: {found[name]}\n" for name in sorted(found))


if __name__ == "__main__":
    text = table()
    if "--print" in sys.argv:
        print(text, end="")
    else:
        with open(shipped.TABLE, "w", encoding="utf-8") as file:
            file.write(text)
