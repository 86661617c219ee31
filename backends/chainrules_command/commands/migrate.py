"""`chainrules migrate PATH`: change the imports of `autograd` in Python files, and list what could
not be changed.
"""

import argparse
from collections.abc import Iterator
from difflib import unified_diff
from io import BytesIO
from pathlib import Path
from tokenize import detect_encoding
from typing import TextIO

from chainrules_command.answers import Answer
from chainrules_command.migration import Migration, Remainder, migrated
from chainrules_command.misuse import MisuseError

EXAMPLES = """\
  chainrules migrate my_package            shows what would be changed
  chainrules migrate my_package --write
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, or folders of such")
    parser.add_argument("--write", action="store_true", help="change the files")


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Change imports, or show how they would change; the status is 1 where something is left."""
    paths = dict.fromkeys(path for name in options.paths for path in python_files(name))
    files = {path: migration_of(path) for path in paths}
    if files and not any(one.is_read for one in files.values()):
        path, one = next(iter(files.items()))
        raise MisuseError(str(path), one.remainders[0].construct, "leave it out of the paths")
    if options.write:
        for path, one in files.items():
            if one.is_changed:
                write_file(path, one.after)
    changed = [path for path, one in files.items() if one.is_changed]
    left = [
        (path, line, construct, instead)
        for path, one in files.items()
        for line, construct, instead in one.remainders
    ]
    data = {
        "changed": list(map(str, changed)),
        "written": options.write,
        "left": [
            {"file": str(path), "line": line, "construct": construct, "instead": instead}
            for path, line, construct, instead in left
        ],
    }
    shown = [] if options.write else [difference(path, files[path]) for path in changed]
    said = [one_line(what, places) for what, places in grouped(left).items()]
    counts = (
        f"{len(changed)} of {len(files)} files {'were' if options.write else 'would be'} changed"
    )
    return Answer(data, [*shown, *said, f"{counts}, {len(left)} names are left"], 1 if left else 0)


def grouped(left: list[tuple[Path, int, str, str]]) -> dict[str, list[str]]:
    """The places of each construct that is left, by what is said of it."""
    found: dict[str, list[str]] = {}
    for path, line, construct, instead in left:
        found.setdefault(f"{construct}; {instead}", []).append(f"{path}:{line}")
    return found


def one_line(what: str, places: list[str]) -> str:
    """Say what is left, and where; what is at several places is said once."""
    first, *others = places
    return f"{first}: {what}" + (f" (also at {', '.join(others)})" if others else "")


def python_files(name: str) -> Iterator[Path]:
    """The Python files of a path; of a folder without environments, hidden folders and links, which
    may lead out of it.
    """
    path = Path(name)
    if not path.exists():
        raise MisuseError(name, "there is no such file or folder", "name one that exists")
    if path.is_file():
        yield path
        return
    itself = path.resolve()
    for found in sorted(path.rglob("*.py")):
        inside = found.relative_to(path)
        is_hidden = any(
            part.startswith(".") or part == "site-packages" for part in inside.parts[:-1]
        )
        if not is_hidden and found.is_file() and found.resolve() == itself / inside:
            yield found


def migration_of(path: Path) -> Migration:
    """A file with our imports; its ends of lines are as they were.

    One that is no Python file stays as it is, which is what is left of it.
    """
    try:
        content = path.read_bytes()
        return migrated(content.decode(detect_encoding(BytesIO(content).readline)[0]))
    # RecursionError and MemoryError: of a parser whose stack is full
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        got = f"it is no Python file that can be read: {str(error) or type(error).__name__}"
        return Migration("", "", [Remainder(line, got, "mend it, or leave it out")], is_read=False)


def write_file(path: Path, text: str) -> None:
    """Write a file anew in its encoding; one that begins with the mark of UTF-8 keeps that."""
    with path.open("rb") as file:
        encoding, _ = detect_encoding(file.readline)
    path.write_bytes(text.encode(encoding))


def difference(path: Path, migration: Migration) -> str:
    """Show what would be changed, as a patch."""
    before, after = (text.splitlines() for text in (migration.before, migration.after))
    return "\n".join(unified_diff(before, after, str(path), str(path), n=0, lineterm=""))
